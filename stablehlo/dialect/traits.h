// Traits of operations that say how shapes and element types of operands and results hang together.
#ifndef TREADLE_STABLEHLO_DIALECT_TRAITS_H_
#define TREADLE_STABLEHLO_DIALECT_TRAITS_H_

#include "mlir/IR/OpDefinition.h"

namespace treadle::stablehlo {

// Errors are emitted at `op`.
mlir::LogicalResult VerifyElementwiseShape(mlir::Operation* op);
mlir::LogicalResult VerifySameElementType(mlir::Operation* op);

// All tensors among operands and results have compatible shapes (an unknown size fits every size).
template <typename ConcreteOp>
class ElementwiseShape : public mlir::OpTrait::TraitBase<ConcreteOp, ElementwiseShape> {
 public:
  static mlir::LogicalResult verifyTrait(mlir::Operation* op) { return VerifyElementwiseShape(op); }
};

// All tensors among operands and results have the same element type; of quantized ones scales and zero points may
// differ (SameBaseline of quantized_rules.h).
template <typename ConcreteOp>
class SameElementType : public mlir::OpTrait::TraitBase<ConcreteOp, SameElementType> {
 public:
  static mlir::LogicalResult verifyTrait(mlir::Operation* op) { return VerifySameElementType(op); }
};

}  // namespace treadle::stablehlo

#endif  // TREADLE_STABLEHLO_DIALECT_TRAITS_H_

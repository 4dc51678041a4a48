// What verifiers ask of element types: equality up to quantization, promotion, and scales that go with their axis.
#ifndef TREADLE_STABLEHLO_DIALECT_QUANTIZED_RULES_H_
#define TREADLE_STABLEHLO_DIALECT_QUANTIZED_RULES_H_

#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Operation.h"

namespace treadle::stablehlo {

// Bits of an element as bitcast_convert counts them, of what is stored where it is quantized; 0 where it has none.
unsigned BitsOf(mlir::Type element);

bool IsQuantized(mlir::Type element);

// Equal element types; of quantized ones scales, zero points and axis may differ, but not what is stored (type and
// range), what it expresses, and whether there is one scale or one for each index of an axis.
bool SameBaseline(mlir::Type a, mlir::Type b);
// All tensors among `types` have one element type in this sense.
mlir::LogicalResult CheckBaseline(mlir::Operation* op, mlir::TypeRange types);

// Whether a fold may keep values of the element type `from` in `to`: of one kind and no narrower, but floats, which
// may be narrower too.
bool IsPromotable(mlir::Type from, mlir::Type to);

// Moving elements keeps their scales and zero points.
mlir::LogicalResult CheckSameScales(mlir::Operation* op, mlir::RankedTensorType operand, mlir::RankedTensorType result);
// The axis of scales keeps its size and its place in the order of elements.
mlir::LogicalResult CheckReshapedAxis(mlir::Operation* op, mlir::RankedTensorType operand,
                                      mlir::RankedTensorType result);
// The result's axis of scales is the operand's, `from` its place there. Only where the result has one.
mlir::LogicalResult CheckTransposedAxis(mlir::Operation* op, mlir::RankedTensorType operand,
                                        mlir::RankedTensorType result, llvm::ArrayRef<int64_t> permutation);
mlir::LogicalResult CheckBroadcastAxis(mlir::Operation* op, mlir::RankedTensorType operand,
                                       mlir::RankedTensorType result, llvm::ArrayRef<int64_t> dimensions);
// Operands and result of add.
mlir::LogicalResult CheckQuantizedSum(mlir::Operation* op, mlir::Type lhs, mlir::Type rhs, mlir::Type result);
// Element types of dot_general and convolution, where one of them is quantized.
mlir::LogicalResult CheckQuantizedProduct(mlir::Operation* op, mlir::Type lhs, mlir::Type rhs, mlir::Type result);

}  // namespace treadle::stablehlo

#endif  // TREADLE_STABLEHLO_DIALECT_QUANTIZED_RULES_H_

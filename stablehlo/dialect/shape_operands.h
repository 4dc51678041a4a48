// Sizes that are operands: tensors with one dimension and an entry for each dimension of another tensor. Of constants
// the entries are checked too.
#ifndef TREADLE_STABLEHLO_DIALECT_SHAPE_OPERANDS_H_
#define TREADLE_STABLEHLO_DIALECT_SHAPE_OPERANDS_H_

#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Operation.h"

namespace treadle::stablehlo {

// The entries of a small constant of integers; none of everything else.
std::optional<llvm::SmallVector<int64_t>> ConstantEntries(mlir::Value value);

// One dimension with `count` entries.
mlir::LogicalResult CheckEntries(mlir::Operation* op, llvm::StringRef name, mlir::Value value, int64_t count);
// CheckEntries for the rank of `type`; a constant holds its sizes.
mlir::LogicalResult CheckShapeOperand(mlir::Operation* op, llvm::StringRef name, mlir::Value value,
                                      mlir::RankedTensorType type);

}  // namespace treadle::stablehlo

#endif  // TREADLE_STABLEHLO_DIALECT_SHAPE_OPERANDS_H_

// A guard for every later stage: sizes of tensors can be multiplied without a look at overflow.
#ifndef TREADLE_STABLEHLO_TENSOR_SIZES_H_
#define TREADLE_STABLEHLO_TENSOR_SIZES_H_

#include "mlir/IR/BuiltinOps.h"

namespace treadle::stablehlo {

// The largest tensor that a program may name, in bytes, dimensions of size 0 left out of the product.
inline constexpr int64_t kMaxTensorBytes = int64_t{1} << 56;

// Whether `type` is a larger tensor, or may be: elements are taken for the widest there are.
bool IsTooLarge(mlir::Type type);

// Fails with an error at the operation that makes a larger tensor or takes one as an argument of a block.
mlir::LogicalResult CheckTensorSizes(mlir::ModuleOp module);

}  // namespace treadle::stablehlo

#endif  // TREADLE_STABLEHLO_TENSOR_SIZES_H_

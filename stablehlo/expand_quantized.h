// Replaces quantized numbers by the integers that are stored.
#ifndef TREADLE_STABLEHLO_EXPAND_QUANTIZED_H_
#define TREADLE_STABLEHLO_EXPAND_QUANTIZED_H_

#include "mlir/IR/BuiltinOps.h"

namespace treadle::stablehlo {

// After it no value has a quantized type: tensors hold the stored integers, which operations that move elements move.
// Operations that compute do so on the real numbers and quantize their result, as the specification defines them
// (dequantize_op_quantize): (integer - zero_point) * scale, and round(clamp(min, real / scale + zero_point, max)), in
// the expressed type. Fails with an error at the operation where shapes are not known or quantized types are mixed in a
// movement. Does nothing to programs without quantized types.
mlir::LogicalResult ExpandQuantized(mlir::ModuleOp module);

}  // namespace treadle::stablehlo

#endif  // TREADLE_STABLEHLO_EXPAND_QUANTIZED_H_

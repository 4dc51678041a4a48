// Operations with shapes as operands, where types or constants settle them.
#ifndef TREADLE_STABLEHLO_SETTLE_OPERATION_H_
#define TREADLE_STABLEHLO_SETTLE_OPERATION_H_

#include "mlir/IR/Operation.h"
#include "mlir/IR/Value.h"

namespace treadle::stablehlo {

// The value that stands for the result of dynamic_broadcast_in_dim, dynamic_conv, dynamic_gather, dynamic_iota,
// dynamic_pad, dynamic_reshape, real_dynamic_slice, get_dimension_size or set_dimension_size, made in front of it by
// operations of static shape; null for other operations and where the shape is not known.
mlir::Value SettleOperation(mlir::Operation* op);

}  // namespace treadle::stablehlo

#endif  // TREADLE_STABLEHLO_SETTLE_OPERATION_H_

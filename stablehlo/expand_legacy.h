// Replaces operations that others say: those that the specification no longer lists, batch normalisation, map, random
// numbers without a state, tuples, and operations with shapes as operands whose shapes are known.
#ifndef TREADLE_STABLEHLO_EXPAND_LEGACY_H_
#define TREADLE_STABLEHLO_EXPAND_LEGACY_H_

#include "mlir/IR/BuiltinOps.h"

namespace treadle::stablehlo {

// Expands batch_norm_*, broadcast, cross-replica-sum, dot, einsum, get_tuple_element of a tuple, map, rng,
// torch_index_select and unary_einsum. Numbers of rng are those of Philox with a state that is the number of the
// operation in the module: the same on every call, different for every operation. Fails with an error at the operation
// where it has shapes that are not static, or a region that holds more than elementwise operations.
mlir::LogicalResult ExpandLegacy(mlir::ModuleOp module);

// Replaces dynamic_broadcast_in_dim, dynamic_conv, dynamic_gather, dynamic_iota, dynamic_pad, dynamic_reshape,
// real_dynamic_slice, get_dimension_size and set_dimension_size where types or constants settle the shapes; results of
// unknown sizes, those of elementwise operations on them, and functions that return them get the sizes that follow.
// What stays open stays. Fails with an error at the operation where the shapes that come out do not fit together.
mlir::LogicalResult SettleShapes(mlir::ModuleOp module);

}  // namespace treadle::stablehlo

#endif  // TREADLE_STABLEHLO_EXPAND_LEGACY_H_

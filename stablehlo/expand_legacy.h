// Replaces operations that others say: those that the specification no longer lists, batch normalisation, map, random
// numbers without a state, tuples.
#ifndef TREADLE_STABLEHLO_EXPAND_LEGACY_H_
#define TREADLE_STABLEHLO_EXPAND_LEGACY_H_

#include "mlir/IR/BuiltinOps.h"

namespace treadle::stablehlo {

// Expands batch_norm_*, broadcast, cross-replica-sum, dot, einsum, get_tuple_element of a tuple, map, rng,
// torch_index_select, unary_einsum, and reduce where its region loops. Numbers of rng are those of Philox with a state
// that is the number of the operation in the module: the same on every call, different for every operation. Fails with
// an error at the operation where it has shapes that are not static, or a region that holds more than elementwise
// operations and loops (see flatten_regions.h).
mlir::LogicalResult ExpandLegacy(mlir::ModuleOp module);

}  // namespace treadle::stablehlo

#endif  // TREADLE_STABLEHLO_EXPAND_LEGACY_H_

// Computations on scalars as straight rows of operations on scalars.
#ifndef TREADLE_STABLEHLO_FLATTEN_REGIONS_H_
#define TREADLE_STABLEHLO_FLATTEN_REGIONS_H_

#include "mlir/IR/BuiltinOps.h"

namespace treadle::stablehlo {

// The regions of maps, reductions, sorts, scatters and collectives then hold elementwise operations on scalars and
// loops over scalars, nothing else: of branches all are computed and one is chosen, arrays inside become their
// elements, maps and reductions of them the operations that they stand for, calls what the function does. A region that
// has more in it (products, say), or would grow beyond 20,000 operations, stays as it is. Never fails.
mlir::LogicalResult FlattenRegions(mlir::ModuleOp module);

}  // namespace treadle::stablehlo

#endif  // TREADLE_STABLEHLO_FLATTEN_REGIONS_H_

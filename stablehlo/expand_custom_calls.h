// Replaces custom calls that other operations say.
#ifndef TREADLE_STABLEHLO_EXPAND_CUSTOM_CALLS_H_
#define TREADLE_STABLEHLO_EXPAND_CUSTOM_CALLS_H_

#include "mlir/IR/BuiltinOps.h"

namespace treadle::stablehlo {

// ApproxTopK, which JAX's approx_max_k and approx_min_k are, becomes a sort and its first elements: exact, which is as
// good as was asked for. Fails with an error at the call where it is not as JAX writes it.
mlir::LogicalResult ExpandCustomCalls(mlir::ModuleOp module);

}  // namespace treadle::stablehlo

#endif  // TREADLE_STABLEHLO_EXPAND_CUSTOM_CALLS_H_

// Replaces CHLO operations by StableHLO.
#ifndef TREADLE_STABLEHLO_EXPAND_CHLO_H_
#define TREADLE_STABLEHLO_EXPAND_CHLO_H_

#include "mlir/IR/BuiltinOps.h"

namespace treadle::stablehlo {

// Expands every CHLO operation of the module for which `keep` does not hold (all where there is none). Programs that
// come through JAX's client hold none, except in texts. Real functions are within 4 ulp of the true value in their own
// type if the StableHLO functions below them are exact (lgamma and digamma: of the larger of the value and 1); types
// below f32 are computed in f32. Shapes must be static. What has no expansion yet (scan,
// ragged_dot, bessel_i1e of complex numbers) fails with an error at the operation.
mlir::LogicalResult ExpandChlo(mlir::ModuleOp module, llvm::function_ref<bool(mlir::Operation*)> keep = nullptr);

}  // namespace treadle::stablehlo

#endif  // TREADLE_STABLEHLO_EXPAND_CHLO_H_

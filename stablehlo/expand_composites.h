// Replaces stablehlo.composite operations by what they mean.
#ifndef TREADLE_STABLEHLO_EXPAND_COMPOSITES_H_
#define TREADLE_STABLEHLO_EXPAND_COMPOSITES_H_

#include "mlir/IR/BuiltinOps.h"
#include "stablehlo/dialect/ops.h"

namespace treadle::stablehlo {

// Puts the body of its decomposition in place of every composite for which `keep` does not hold (all where there is
// none), also in the bodies themselves, and removes private decompositions that nobody uses any more. The new
// operations have the composite's location, which is the user's. Fails with an error at the composite where
// decompositions contain themselves or grow beyond bounds.
mlir::LogicalResult ExpandComposites(mlir::ModuleOp module, llvm::function_ref<bool(CompositeOp)> keep = nullptr);

}  // namespace treadle::stablehlo

#endif  // TREADLE_STABLEHLO_EXPAND_COMPOSITES_H_

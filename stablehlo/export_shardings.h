// Programs without the sdy dialect, for readers that do not know it.
#ifndef TREADLE_STABLEHLO_EXPORT_SHARDINGS_H_
#define TREADLE_STABLEHLO_EXPORT_SHARDINGS_H_

#include "mlir/IR/BuiltinOps.h"

namespace treadle::stablehlo {

// The body of a manual computation stands between the custom calls SPMDFullToShardShape and SPMDShardToFullShape, as
// XLA writes it, that of a named one in its place; hints about shardings, meshes and attributes are gone; other
// operations of sdy are custom calls of their names. Never fails.
mlir::LogicalResult ExportShardings(mlir::ModuleOp module);

}  // namespace treadle::stablehlo

#endif  // TREADLE_STABLEHLO_EXPORT_SHARDINGS_H_

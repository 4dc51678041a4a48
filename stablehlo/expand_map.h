// Replaces stablehlo.map by the operations of its region on whole tensors.
#ifndef TREADLE_STABLEHLO_EXPAND_MAP_H_
#define TREADLE_STABLEHLO_EXPAND_MAP_H_

#include "mlir/IR/BuiltinOps.h"

namespace treadle::stablehlo {

// Fails with an error at the operation where a region holds anything but constants and elementwise operations on
// scalars, or where shapes are not known.
mlir::LogicalResult ExpandMaps(mlir::ModuleOp module);

}  // namespace treadle::stablehlo

#endif  // TREADLE_STABLEHLO_EXPAND_MAP_H_

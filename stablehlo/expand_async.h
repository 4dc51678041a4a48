// Replaces async_start and async_done by what runs between them.
#ifndef TREADLE_STABLEHLO_EXPAND_ASYNC_H_
#define TREADLE_STABLEHLO_EXPAND_ASYNC_H_

#include "mlir/IR/BuiltinOps.h"

namespace treadle::stablehlo {

// The operation of each async_start runs in its place, and is done there: who takes part in a collective meets at the
// same place of the program anyway. Fails with an error at an async_start whose future goes anywhere but to async_done.
mlir::LogicalResult ExpandAsync(mlir::ModuleOp module);

}  // namespace treadle::stablehlo

#endif  // TREADLE_STABLEHLO_EXPAND_ASYNC_H_

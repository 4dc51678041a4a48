// chlo.scan as a loop.
#ifndef TREADLE_STABLEHLO_CHLO_SCAN_H_
#define TREADLE_STABLEHLO_CHLO_SCAN_H_

#include "stablehlo/chlo/ops.h"

namespace treadle::chlo {

// A stablehlo.while over the slices, which takes over the operation's body; the values of all its results. Types are
// static.
llvm::SmallVector<mlir::Value> ExpandScan(mlir::OpBuilder& builder, ScanOp op);

}  // namespace treadle::chlo

#endif  // TREADLE_STABLEHLO_CHLO_SCAN_H_

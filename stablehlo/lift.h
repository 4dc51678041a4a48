// Computations on scalars, done to all elements of arrays at once.
#ifndef TREADLE_STABLEHLO_LIFT_H_
#define TREADLE_STABLEHLO_LIFT_H_

#include "mlir/IR/Builders.h"

namespace treadle::stablehlo {

// What `body`, whose arguments are scalars, returns for the elements of `arguments`, arrays of `shape` each, as arrays
// of that shape. A loop goes on while it does for any element, and leaves alone those that are through. Nothing where
// the body holds more than elementwise operations and such loops.
llvm::SmallVector<mlir::Value> Lift(mlir::OpBuilder& builder, mlir::Block& body, mlir::ValueRange arguments,
                                    llvm::ArrayRef<int64_t> shape);

}  // namespace treadle::stablehlo

#endif  // TREADLE_STABLEHLO_LIFT_H_

// Values of a program get other types, all of those with one type the same.
#ifndef TREADLE_STABLEHLO_RETYPE_H_
#define TREADLE_STABLEHLO_RETYPE_H_

#include "mlir/IR/BuiltinOps.h"

namespace treadle::stablehlo {

// Results, arguments of blocks and signatures of functions, also inside of tuples; `to` takes tensors of an element
// type to another element type, or gives it back. Operations and attributes stay as they are.
void RetypeValues(mlir::ModuleOp module, llvm::function_ref<mlir::Type(mlir::Type element)> to);

// The type that RetypeValues gives.
mlir::Type Retyped(mlir::Type type, llvm::function_ref<mlir::Type(mlir::Type element)> to);

}  // namespace treadle::stablehlo

#endif  // TREADLE_STABLEHLO_RETYPE_H_

// Which functions of a conformance program are its tests.
#ifndef TREADLE_STABLEHLO_INTERPRETER_FUNCTIONS_TO_RUN_H_
#define TREADLE_STABLEHLO_INTERPRETER_FUNCTIONS_TO_RUN_H_

#include <vector>

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"

namespace treadle::interpreter {

// `main`, or where there is none every public function without arguments.
inline std::vector<mlir::func::FuncOp> FunctionsToRun(mlir::ModuleOp module) {
  std::vector<mlir::func::FuncOp> functions;
  for (auto function : module.getOps<mlir::func::FuncOp>()) {
    if (function.isExternal()) continue;
    if (function.getName() == "main") return {function};
    if (function.isPublic() && function.getNumArguments() == 0) functions.push_back(function);
  }
  return functions;
}

}  // namespace treadle::interpreter

#endif  // TREADLE_STABLEHLO_INTERPRETER_FUNCTIONS_TO_RUN_H_

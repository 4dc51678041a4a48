// A program as the interpreter runs it: calls of functions, regions, one operation after another.
#ifndef TREADLE_STABLEHLO_INTERPRETER_PROGRAM_H_
#define TREADLE_STABLEHLO_INTERPRETER_PROGRAM_H_

#include "llvm/ADT/DenseMap.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/SymbolTable.h"
#include "stablehlo/interpreter/process.h"

namespace treadle::interpreter {

// Errors name the operation that failed and its place: "file:line:col: error: 'stablehlo.add' op ...".
class Program {
 public:
  // The module must outlive it.
  explicit Program(mlir::ModuleOp module) : symbols_(module) {}

  // Runs a function as one process alone, with a grid of its own.
  StatusOr<Values> Run(llvm::StringRef function, Values arguments, Host& host);

  // Runs a grid: process [r][p] runs programs[r][p]. `inputs` are the arguments of all, one after another; so are the
  // results.
  StatusOr<Values> RunGrid(const Programs& programs, const Values& inputs, std::deque<Values> infeed, Host& host);

  // Runs a function inside of a process.
  StatusOr<Values> Call(llvm::StringRef function, Values arguments, Process& process);

  StatusOr<mlir::func::FuncOp> Find(llvm::StringRef function) const;

 private:
  // What the values of a region are; regions inside of it see them too.
  struct Scope {
    const Scope* parent = nullptr;
    llvm::DenseMap<mlir::Value, Value> values;
  };

  StatusOr<Values> RunRegion(mlir::Region& region, Values arguments, const Scope* parent, Process& process);
  StatusOr<Values> RunBlock(mlir::Block& block, Scope& scope, Process& process);
  StatusOr<Values> RunOperation(mlir::Operation* op, Values operands, const Scope& scope, Process& process);

  mlir::SymbolTable symbols_;
};

}  // namespace treadle::interpreter

#endif  // TREADLE_STABLEHLO_INTERPRETER_PROGRAM_H_

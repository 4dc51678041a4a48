#include "stablehlo/retype.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace treadle::stablehlo {

using mlir::Type;

Type Retyped(Type type, llvm::function_ref<Type(Type element)> to) {
  if (auto tensor = llvm::dyn_cast<mlir::RankedTensorType>(type)) {
    const Type element = to(tensor.getElementType());
    return element == tensor.getElementType() ? type : tensor.clone(element);
  }
  if (auto tuple = llvm::dyn_cast<mlir::TupleType>(type)) {
    llvm::SmallVector<Type> elements;
    for (Type element : tuple.getTypes()) elements.push_back(Retyped(element, to));
    return mlir::TupleType::get(type.getContext(), elements);
  }
  if (auto function = llvm::dyn_cast<mlir::FunctionType>(type)) {
    llvm::SmallVector<Type> inputs;
    llvm::SmallVector<Type> results;
    for (Type input : function.getInputs()) inputs.push_back(Retyped(input, to));
    for (Type result : function.getResults()) results.push_back(Retyped(result, to));
    return mlir::FunctionType::get(type.getContext(), inputs, results);
  }
  return type;
}

void RetypeValues(mlir::ModuleOp module, llvm::function_ref<Type(Type element)> to) {
  module.walk([&](mlir::Operation* op) {
    for (mlir::Value result : op->getResults()) result.setType(Retyped(result.getType(), to));
    for (mlir::Region& region : op->getRegions()) {
      for (mlir::BlockArgument argument : region.getArguments()) argument.setType(Retyped(argument.getType(), to));
    }
    if (auto function = llvm::dyn_cast<mlir::func::FuncOp>(op)) {
      function.setFunctionType(llvm::cast<mlir::FunctionType>(Retyped(function.getFunctionType(), to)));
    }
  });
}

}  // namespace treadle::stablehlo

#include "stablehlo/export_shardings.h"

#include "mlir/Interfaces/FunctionInterfaces.h"
#include "stablehlo/dialect/ops.h"
#include "stablehlo/sdy/sdy.h"

namespace treadle::stablehlo {

using mlir::Operation;
using mlir::Value;

namespace {

bool IsOfSdy(llvm::StringRef name) { return name.starts_with("sdy."); }

Operation* CustomCall(mlir::OpBuilder& builder, mlir::Location location, llvm::StringRef target, mlir::TypeRange types,
                      mlir::ValueRange operands) {
  mlir::OperationState state(location, CustomCallOp::getOperationName());
  state.addTypes(types);
  state.addOperands(operands);
  state.addAttribute("call_target_name", builder.getStringAttr(target));
  return builder.create(state);
}

// Each value as the other side of the border sees it.
llvm::SmallVector<Value> Across(mlir::OpBuilder& builder, mlir::Location location, llvm::StringRef target,
                                mlir::TypeRange types, mlir::ValueRange values) {
  llvm::SmallVector<Value> others;
  for (auto [type, value] : llvm::zip(types, values)) {
    others.push_back(CustomCall(builder, location, target, type, value)->getResult(0));
  }
  return others;
}

// Moves the operations of a body to where its owner stands, and returns what the body does.
llvm::SmallVector<Value> Inline(Operation* owner, mlir::Block& body, mlir::ValueRange arguments) {
  for (auto [argument, value] : llvm::zip(body.getArguments(), arguments)) argument.replaceAllUsesWith(value);
  llvm::SmallVector<Value> results(body.getTerminator()->getOperands());
  body.getTerminator()->erase();
  owner->getBlock()->getOperations().splice(owner->getIterator(), body.getOperations());
  return results;
}

void Replace(Operation* op, mlir::ValueRange values) {
  op->replaceAllUsesWith(values);
  op->erase();
}

void ExportOperation(Operation* op) {
  mlir::OpBuilder builder(op);
  if (auto manual = llvm::dyn_cast<sdy::ManualComputationOp>(op)) {
    mlir::Block& body = manual.getBody().front();
    const auto parts =
        Across(builder, op->getLoc(), "SPMDFullToShardShape", body.getArgumentTypes(), manual.getTensors());
    const auto results = Inline(op, body, parts);
    return Replace(op, Across(builder, op->getLoc(), "SPMDShardToFullShape", op->getResultTypes(), results));
  }
  if (auto named = llvm::dyn_cast<sdy::NamedComputationOp>(op)) {
    return Replace(op, Inline(op, named.getBody().front(), named.getOperands()));
  }
  if (auto constant = llvm::dyn_cast<sdy::ConstantOp>(op)) {
    return Replace(op, ConstantOp::create(builder, op->getLoc(), constant.getValue())->getResults());
  }
  if (llvm::isa<sdy::ShardingConstraintOp, sdy::ReshardOp, sdy::PropagationBarrierOp, sdy::DataFlowEdgeOp,
                sdy::FuncDataFlowEdgeOp>(op)) {
    return Replace(op, op->getOperands());
  }
  if (op->getNumResults() == 0) return op->erase();  // meshes, groups
  Replace(op, CustomCall(builder, op->getLoc(), op->getName().getStringRef(), op->getResultTypes(), op->getOperands())
                  ->getResults());
}

void DropAttributes(Operation* op) {
  for (mlir::NamedAttribute attribute : llvm::to_vector(op->getDiscardableAttrs())) {
    if (IsOfSdy(attribute.getName())) op->removeDiscardableAttr(attribute.getName());
  }
  auto function = llvm::dyn_cast<mlir::FunctionOpInterface>(op);
  if (!function) return;
  for (unsigned i = 0; i < function.getNumArguments(); ++i) {
    for (mlir::NamedAttribute attribute : llvm::to_vector(function.getArgAttrs(i))) {
      if (IsOfSdy(attribute.getName())) function.removeArgAttr(i, attribute.getName());
    }
  }
  for (unsigned i = 0; i < function.getNumResults(); ++i) {
    for (mlir::NamedAttribute attribute : llvm::to_vector(function.getResultAttrs(i))) {
      if (IsOfSdy(attribute.getName())) function.removeResultAttr(i, attribute.getName());
    }
  }
}

}  // namespace

mlir::LogicalResult ExportShardings(mlir::ModuleOp module) {
  llvm::SmallVector<Operation*> operations;  // those inside others first
  module.walk([&](Operation* op) {
    DropAttributes(op);
    if (IsOfSdy(op->getName().getStringRef()) && !op->hasTrait<mlir::OpTrait::IsTerminator>()) operations.push_back(op);
  });
  for (Operation* op : operations) ExportOperation(op);
  return mlir::success();
}

}  // namespace treadle::stablehlo

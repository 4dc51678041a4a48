#include "stablehlo/expand_async.h"

#include "stablehlo/dialect/ops.h"

namespace treadle::stablehlo {
namespace {

mlir::LogicalResult Expand(AsyncStartOp start) {
  for (mlir::Operation* user : start->getUsers()) {
    if (!llvm::isa<AsyncDoneOp>(user)) return start.emitOpError() << "gives its future to " << user->getName();
  }
  mlir::Block& body = start.getBody().front();
  for (auto [argument, operand] : llvm::zip(body.getArguments(), start->getOperands())) {
    argument.replaceAllUsesWith(operand);
  }
  const llvm::SmallVector<mlir::Value> results(body.getTerminator()->getOperands());
  body.front().moveBefore(start);
  for (mlir::Operation* done : llvm::make_early_inc_range(start->getUsers())) {
    done->replaceAllUsesWith(results);
    done->erase();
  }
  start.erase();
  return mlir::success();
}

}  // namespace

mlir::LogicalResult ExpandAsync(mlir::ModuleOp module) {
  llvm::SmallVector<AsyncStartOp> starts;
  module.walk([&](AsyncStartOp start) { starts.push_back(start); });
  for (AsyncStartOp start : starts) {
    if (failed(Expand(start))) return mlir::failure();
  }
  return mlir::success();
}

}  // namespace treadle::stablehlo

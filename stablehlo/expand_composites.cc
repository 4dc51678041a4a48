#include "stablehlo/expand_composites.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/SymbolTable.h"

namespace treadle::stablehlo {

namespace {

using mlir::failure;
using mlir::LogicalResult;
using mlir::success;

// Composites in composites may double at every level; nobody's real program comes near.
constexpr int64_t kMaxNewOperations = int64_t{1} << 22;

class Expander {
 public:
  Expander(mlir::ModuleOp module, llvm::function_ref<bool(CompositeOp)> keep)
      : module_(module), symbols_(module), keep_(keep) {}

  LogicalResult Run() {
    for (auto function : module_.getOps<mlir::func::FuncOp>()) {
      if (failed(ExpandIn(function))) return failure();
    }
    RemoveUnused();
    return success();
  }

 private:
  enum class State { kNew, kOpen, kDone };

  // Expands all of a function, the functions that it needs before it.
  LogicalResult ExpandIn(mlir::func::FuncOp function) {
    if (states_[function] == State::kDone) return success();
    states_[function] = State::kOpen;
    llvm::SmallVector<CompositeOp> composites;
    function.walk([&](CompositeOp composite) {
      if (!keep_ || !keep_(composite)) composites.push_back(composite);
    });
    for (CompositeOp composite : composites) {
      if (failed(Expand(composite))) return failure();
    }
    states_[function] = State::kDone;
    return success();
  }

  LogicalResult Expand(CompositeOp composite) {
    auto callee = symbols_.lookup<mlir::func::FuncOp>(composite.getDecomposition());
    if (!callee || callee.isExternal()) return composite.emitOpError() << "has a decomposition without a body";
    if (!llvm::hasSingleElement(callee.getBody()))
      return composite.emitOpError() << "has a decomposition of several blocks";
    if (states_[callee] == State::kOpen) return composite.emitOpError() << "is part of its own decomposition";
    if (failed(ExpandIn(callee))) return failure();
    decompositions_.insert(callee);
    return Inline(composite, callee.getBody().front());
  }

  LogicalResult Inline(CompositeOp composite, mlir::Block& body) {
    mlir::OpBuilder builder(composite);
    mlir::IRMapping mapping;
    mapping.map(body.getArguments(), composite.getInputs());
    for (mlir::Operation& op : body.without_terminator()) {
      mlir::Operation* copy = builder.clone(op, mapping);
      copy->walk([&](mlir::Operation* inner) {
        inner->setLoc(composite.getLoc());
        ++new_operations_;
      });
      if (new_operations_ > kMaxNewOperations) return composite.emitOpError() << "grows beyond bounds";
    }
    llvm::SmallVector<mlir::Value> results;
    for (mlir::Value value : body.getTerminator()->getOperands()) results.push_back(mapping.lookupOrDefault(value));
    composite.replaceAllUsesWith(results);
    composite.erase();
    return success();
  }

  // Decompositions that call each other go in later rounds.
  void RemoveUnused() {
    bool removed = true;
    while (removed) {
      removed = false;
      const auto uses = mlir::SymbolTable::getSymbolUses(&module_.getBodyRegion());
      if (!uses) return;  // an operation hides its uses
      llvm::DenseSet<mlir::StringAttr> used;
      for (const mlir::SymbolTable::SymbolUse& use : *uses) used.insert(use.getSymbolRef().getRootReference());
      for (mlir::func::FuncOp function : llvm::make_early_inc_range(module_.getOps<mlir::func::FuncOp>())) {
        if (!function.isPrivate() || !decompositions_.contains(function) || used.contains(function.getSymNameAttr()))
          continue;
        decompositions_.remove(function);
        symbols_.erase(function);
        removed = true;
      }
    }
  }

  mlir::ModuleOp module_;
  mlir::SymbolTable symbols_;
  llvm::function_ref<bool(CompositeOp)> keep_;
  llvm::DenseMap<mlir::Operation*, State> states_;
  llvm::SetVector<mlir::Operation*> decompositions_;
  int64_t new_operations_ = 0;
};

}  // namespace

LogicalResult ExpandComposites(mlir::ModuleOp module, llvm::function_ref<bool(CompositeOp)> keep) {
  return Expander(module, keep).Run();
}

}  // namespace treadle::stablehlo

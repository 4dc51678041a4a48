#include "stablehlo/settle_shapes.h"

#include <map>
#include <utility>

#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/SetVector.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Verifier.h"
#include "stablehlo/dialect/ops.h"
#include "stablehlo/dialect/shape_rules.h"
#include "stablehlo/settle_operation.h"
#include "stablehlo/tensor_sizes.h"

namespace treadle::stablehlo {

using mlir::Operation;
using mlir::RankedTensorType;
using mlir::Type;
using mlir::Value;
using mlir::func::FuncOp;

namespace {

// A function that calls itself with ever other shapes is no program, but must not take forever.
constexpr size_t kMaxCopies = 1000;

bool IsOpen(Type type) {
  auto tensor = llvm::dyn_cast<RankedTensorType>(type);
  return tensor && !tensor.hasStaticShape();
}

// `type` with the sizes that are open in it taken from `from`; itself where the two do not fit.
Type Merged(Type type, Type from) {
  auto tensor = llvm::dyn_cast<RankedTensorType>(type), known = llvm::dyn_cast_or_null<RankedTensorType>(from);
  if (!tensor || !known || tensor.hasStaticShape() || !CompatibleShapes(tensor, known)) return type;
  llvm::SmallVector<int64_t> shape = llvm::to_vector(tensor.getShape());
  for (int64_t i = 0; i < tensor.getRank(); ++i) {
    if (tensor.isDynamicDim(i)) shape[i] = known.getDimSize(i);
  }
  if (shape == tensor.getShape()) return type;
  // Bounds are of open sizes.
  const bool is_static = llvm::none_of(shape, mlir::ShapedType::isDynamic);
  return RankedTensorType::get(shape, tensor.getElementType(), is_static ? mlir::Attribute() : tensor.getEncoding());
}

bool IsElementwise(Operation* op) {
  return llvm::isa<CompareOp, ConvertOp, SelectOp, ClampOp>(op) ||
         op->hasTrait<mlir::OpTrait::SameOperandsAndResultType>() || op->hasTrait<ElementwiseShape>();
}

class Settler {
 public:
  explicit Settler(mlir::ModuleOp module) : module_(module), symbols_(module) {}

  bool changed() const { return changed_; }

  // Functions that only their copies are called of are gone.
  void EraseCopied() {
    llvm::SetVector<Operation*> copied;
    for (const auto& entry : copies_) copied.insert(entry.first.first);
    bool erased = true;
    while (erased) {  // one may have been called by another
      erased = copied.remove_if([&](Operation* op) {
        auto function = llvm::cast<FuncOp>(op);
        if (!function.isPrivate() || !mlir::SymbolTable::symbolKnownUseEmpty(function, module_)) return false;
        symbols_.erase(function);
        return true;
      });
    }
  }

  void SettleFunction(FuncOp function) {
    if (function.isExternal() || !done_.insert(function).second) return;
    SettleRegion(function.getBody());
    if (!llvm::hasSingleElement(function.getBody())) return;
    // Functions return what they return.
    Operation* end = function.getBody().front().getTerminator();
    llvm::SmallVector<Type> results(end->getOperandTypes());
    if (results == function.getResultTypes()) return;
    function.setType(mlir::FunctionType::get(function.getContext(), function.getArgumentTypes(), results));
    changed_ = true;
  }

 private:
  void Set(Value value, Type type) {
    if (value.getType() == type) return;
    value.setType(type);
    changed_ = true;
  }
  void Merge(Value value, Type from) { Set(value, Merged(value.getType(), from)); }

  void SettleRegion(mlir::Region& region) {
    for (mlir::Block& block : region) {
      for (Operation& op : llvm::make_early_inc_range(block)) Settle(&op);
    }
  }

  void Settle(Operation* op) {
    if (auto call = llvm::dyn_cast<mlir::func::CallOp>(op)) return SettleCall(op, call.getCalleeAttr());
    if (auto composite = llvm::dyn_cast<CompositeOp>(op)) return SettleCall(op, composite.getDecompositionAttr());
    if (auto loop = llvm::dyn_cast<WhileOp>(op)) return SettleWhile(loop);
    for (mlir::Region& region : op->getRegions()) SettleRegion(region);
    if (llvm::isa<IfOp, CaseOp>(op)) return SettleBranches(op);
    if (llvm::any_of(op->getResultTypes(), IsOpen)) SettleResults(op);
    if (op->getNumResults() != 1 || !llvm::isa_and_nonnull<StablehloDialect>(op->getDialect())) return;
    Value value = SettleOperation(op);
    if (!value) return;
    changed_ = true;
    op->getResult(0).replaceAllUsesWith(value);
    op->erase();
  }

  void SettleResults(Operation* op) {
    if (IsElementwise(op)) {
      for (Value operand : op->getOperands()) Merge(op->getResult(0), operand.getType());
      return;
    }
    for (auto [result, type] : llvm::zip(op->getResults(), ExpectedResults(op))) Merge(result, type);
  }

  // What a loop carries keeps its type.
  void SettleWhile(WhileOp loop) {
    for (mlir::Region& region : loop->getRegions()) {
      for (auto [argument, operand] : llvm::zip(region.getArguments(), loop.getOperand()))
        Merge(argument, operand.getType());
      SettleRegion(region);
    }
    for (auto [result, operand] : llvm::zip(loop.getResults(), loop.getOperand())) Merge(result, operand.getType());
  }

  // Sizes that all branches give.
  void SettleBranches(Operation* op) {
    for (unsigned i = 0; i < op->getNumResults(); ++i) {
      auto type_in = [i](mlir::Region& branch) { return branch.front().getTerminator()->getOperand(i).getType(); };
      const Type first = type_in(op->getRegion(0));
      if (llvm::all_of(op->getRegions(), [&](mlir::Region& branch) { return type_in(branch) == first; }))
        Merge(op->getResult(i), first);
    }
  }

  // The function is settled for the types of the call's operands: a copy of it, where it leaves sizes open that they
  // tell. `name` is the call's attribute, which then names the copy.
  void SettleCall(Operation* call, mlir::FlatSymbolRefAttr name) {
    auto callee = symbols_.lookup<FuncOp>(name.getValue());
    if (!callee || callee.getNumResults() != call->getNumResults() ||
        callee.getNumArguments() != call->getNumOperands()) {
      return;
    }
    llvm::SmallVector<Type> types;
    for (auto [type, operand] : llvm::zip(callee.getArgumentTypes(), call->getOperandTypes()))
      types.push_back(Merged(type, operand));
    if (callee.getArgumentTypes() != llvm::ArrayRef<Type>(types) && !callee.isExternal()) {
      callee = CopyFor(callee, types);
      if (!callee) return;
      const auto copy = mlir::FlatSymbolRefAttr::get(callee);
      if (auto composite = llvm::dyn_cast<CompositeOp>(call))
        composite.setDecompositionAttr(copy);
      else
        llvm::cast<mlir::func::CallOp>(call).setCalleeAttr(copy);
    }
    SettleFunction(callee);
    for (auto [result, type] : llvm::zip(call->getResults(), callee.getResultTypes())) Merge(result, type);
  }

  FuncOp CopyFor(FuncOp function, llvm::ArrayRef<Type> types) {
    const auto key = std::make_pair(function.getOperation(),
                                    mlir::TupleType::get(function.getContext(), types).getAsOpaquePointer());
    auto found = copies_.find(key);
    if (found != copies_.end()) return found->second;
    if (copies_.size() == kMaxCopies) return {};
    FuncOp copy = function.clone();
    copy.setPrivate();
    symbols_.insert(copy, std::next(function->getIterator()));
    copies_.emplace(key, copy);
    copy.setType(mlir::FunctionType::get(copy.getContext(), types, copy.getResultTypes()));
    for (auto [argument, type] : llvm::zip(copy.getArguments(), types)) argument.setType(type);
    changed_ = true;
    return copy;
  }

  mlir::ModuleOp module_;
  mlir::SymbolTable symbols_;
  llvm::DenseSet<Operation*> done_;
  std::map<std::pair<Operation*, const void*>, FuncOp> copies_;
  bool changed_ = false;
};

}  // namespace

mlir::LogicalResult SettleArguments(mlir::ModuleOp module, llvm::StringRef name,
                                    const std::vector<std::optional<std::vector<int64_t>>>& shapes) {
  auto function = module.lookupSymbol<FuncOp>(name);
  if (!function || function.isExternal()) return mlir::success();  // for others to say
  if (shapes.size() > function.getNumArguments())
    return function.emitOpError() << "takes " << function.getNumArguments() << " arguments, not " << shapes.size();
  llvm::SmallVector<Type> types(function.getArgumentTypes());
  for (size_t i = 0; i < shapes.size(); ++i) {
    if (!shapes[i] || !IsOpen(types[i])) continue;
    const auto tensor = llvm::cast<RankedTensorType>(types[i]);
    const auto given = RankedTensorType::get(*shapes[i], tensor.getElementType());
    if (!CompatibleShapes(tensor, given))
      return function.emitOpError() << "argument " << i << " of type " << tensor << " cannot be a " << given;
    types[i] = given;
    function.getArgument(i).setType(given);
  }
  function.setType(mlir::FunctionType::get(function.getContext(), types, function.getResultTypes()));
  return mlir::success();
}

mlir::LogicalResult SettleShapes(mlir::ModuleOp module) {
  Settler settler(module);
  for (FuncOp function : llvm::to_vector(module.getOps<FuncOp>())) settler.SettleFunction(function);
  if (!settler.changed()) return mlir::success();
  settler.EraseCopied();
  if (failed(CheckTensorSizes(module))) return mlir::failure();
  return mlir::verify(module);
}

}  // namespace treadle::stablehlo

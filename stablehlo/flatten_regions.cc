#include "stablehlo/flatten_regions.h"

#include <functional>
#include <optional>

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/IRMapping.h"
#include "stablehlo/chlo/math_builder.h"
#include "stablehlo/dialect/ops.h"
#include "stablehlo/dialect/shape_rules.h"
#include "stablehlo/dialect/traits.h"

namespace treadle::stablehlo {

using mlir::Operation;
using mlir::RankedTensorType;
using mlir::Value;

namespace {

constexpr size_t kMostOperations = 20'000;
constexpr int64_t kMostElements = 1024;  // of an array
constexpr int kMostCalls = 64;           // in each other

using Scalars = llvm::SmallVector<Value>;  // the elements of an array, row-major

RankedTensorType ScalarType(mlir::Type type) {
  return RankedTensorType::get({}, llvm::cast<RankedTensorType>(type).getElementType());
}

// Elements of an array that has few.
std::optional<int64_t> Elements(mlir::Type type) {
  const auto tensor = llvm::dyn_cast<RankedTensorType>(type);
  if (!tensor || !tensor.hasStaticShape()) return std::nullopt;
  int64_t elements = 1;
  for (int64_t size : tensor.getShape()) {
    if (size > kMostElements || (elements *= size) > kMostElements) return std::nullopt;
  }
  return elements;
}

// Calls visit(index) for each index of the shape, row-major.
void ForEachIndex(llvm::ArrayRef<int64_t> shape, llvm::function_ref<void(llvm::ArrayRef<int64_t>)> visit) {
  llvm::SmallVector<int64_t> index(shape.size(), 0);
  int64_t left = 1;
  for (int64_t size : shape) left *= size;
  for (; left > 0; --left) {
    visit(index);
    for (size_t d = shape.size(); d-- > 0;) {
      if (++index[d] < shape[d]) break;
      index[d] = 0;
    }
  }
}

int64_t Flat(llvm::ArrayRef<int64_t> shape, llvm::ArrayRef<int64_t> index) {
  int64_t flat = 0;
  for (size_t d = 0; d < shape.size(); ++d) flat = flat * shape[d] + index[d];
  return flat;
}

// Rewrites one region.
class Flattener {
 public:
  explicit Flattener(Operation* owner) : owner_(owner), builder_(owner->getContext()) {}

  void Run(mlir::Region& region) {
    mlir::Block& old = region.front();
    auto* fresh = new mlir::Block;
    region.push_back(fresh);
    for (mlir::BlockArgument argument : old.getArguments()) {
      values_[argument] = {fresh->addArgument(argument.getType(), argument.getLoc())};
    }
    builder_.setInsertionPointToEnd(fresh);
    const auto results = Inline(old);
    if (!results) return fresh->erase();
    ReturnOp::create(builder_, old.getTerminator()->getLoc(), Joined(*results));
    old.erase();
  }

 private:
  using Results = std::optional<llvm::SmallVector<Scalars>>;

  static Scalars Joined(llvm::ArrayRef<Scalars> arrays) {
    Scalars all;
    for (const Scalars& array : arrays) all.append(array);
    return all;
  }

  // What the block returns, its arguments being known.
  Results Inline(mlir::Block& block) {
    for (Operation& op : block.without_terminator()) {
      if (!Flatten(&op)) return std::nullopt;
    }
    llvm::SmallVector<Scalars> results;
    for (Value value : block.getTerminator()->getOperands()) {
      const Scalars* scalars = Lookup(value);
      if (scalars == nullptr) return std::nullopt;
      results.push_back(*scalars);
    }
    return results;
  }

  Results InlineWith(mlir::Block& block, llvm::ArrayRef<Scalars> arguments) {
    for (auto [argument, scalars] : llvm::zip(block.getArguments(), arguments)) values_[argument] = scalars;
    return Inline(block);
  }

  // Of a value from outside of the region, elements are taken before the operation that owns it.
  const Scalars* Lookup(Value value) {
    if (const auto known = values_.find(value); known != values_.end()) return &known->second;
    const auto elements = Elements(value.getType());
    if (!elements) return nullptr;
    const auto type = llvm::cast<RankedTensorType>(value.getType());
    Scalars scalars;
    mlir::OpBuilder outside(owner_);
    ForEachIndex(type.getShape(), [&](llvm::ArrayRef<int64_t> index) {
      if (type.getRank() == 0) return scalars.push_back(value);
      llvm::SmallVector<int64_t> limits, ones(index.size(), 1);
      for (int64_t place : index) limits.push_back(place + 1);
      const auto one = RankedTensorType::get(ones, type.getElementType());
      Value element = SliceOp::create(outside, value.getLoc(), one, value, index, limits, ones);
      scalars.push_back(ReshapeOp::create(outside, value.getLoc(), ScalarType(type), element));
    });
    return &(values_[value] = std::move(scalars));
  }

  bool Flatten(Operation* op) {
    if (!Spend(1)) return false;
    for (Value operand : op->getOperands()) {
      if (Lookup(operand) == nullptr) return false;
    }
    for (mlir::Type type : op->getResultTypes()) {
      if (!Elements(type)) return false;
    }
    if (auto call = llvm::dyn_cast<mlir::func::CallOp>(op)) return FlattenCall(call);
    if (auto branches = llvm::dyn_cast<CaseOp>(op)) return FlattenCase(branches);
    if (auto loop = llvm::dyn_cast<WhileOp>(op)) return FlattenWhile(loop);
    if (auto map = llvm::dyn_cast<MapOp>(op)) return FlattenMap(map);
    if (auto reduce = llvm::dyn_cast<ReduceOp>(op)) return FlattenReduce(reduce);
    if (auto choice = llvm::dyn_cast<IfOp>(op)) {
      const Results on_true = Inline(choice.getTrueBranch().front()),
                    on_false = Inline(choice.getFalseBranch().front());
      return on_true && on_false && Choose(op, values_[choice.getPred()].front(), *on_true, *on_false);
    }
    return FlattenConstant(op) || FlattenMovement(op) || FlattenElementwise(op);
  }

  bool FlattenCall(mlir::func::CallOp call) {
    auto function = mlir::SymbolTable::lookupNearestSymbolFrom<mlir::func::FuncOp>(call, call.getCalleeAttr());
    if (!function || function.isExternal() || calls_ >= kMostCalls) return false;
    llvm::SmallVector<Scalars> operands;
    for (Value operand : call.getOperands()) operands.push_back(values_[operand]);
    ++calls_;
    const Results results = InlineWith(function.getBody().front(), operands);
    --calls_;
    return results && Define(call, *results);
  }

  bool Define(Operation* op, llvm::ArrayRef<Scalars> results) {
    for (auto [result, scalars] : llvm::zip(op->getResults(), results)) values_[result] = scalars;
    return true;
  }

  bool Choose(Operation* op, Value condition, llvm::ArrayRef<Scalars> on_true, llvm::ArrayRef<Scalars> on_false) {
    for (auto [result, yes, no] : llvm::zip(op->getResults(), on_true, on_false)) {
      Scalars chosen;
      for (auto [a, b] : llvm::zip(yes, no)) {
        chosen.push_back(SelectOp::create(builder_, op->getLoc(), condition, a, b));
      }
      values_[result] = std::move(chosen);
    }
    return Spend(op->getNumResults());
  }

  // The last branch is for all indices that are none.
  bool FlattenCase(CaseOp op) {
    Results chosen;
    const Value index = values_[op.getIndex()].front();
    for (size_t k = op.getBranches().size(); k-- > 0;) {
      const Results branch = Inline(op.getBranches()[k].front());
      if (!branch) return false;
      if (!chosen) {
        chosen = branch;
        Define(op, *branch);
        continue;
      }
      const auto number = mlir::DenseElementsAttr::get(llvm::cast<RankedTensorType>(index.getType()),
                                                       builder_.getI32IntegerAttr(static_cast<int32_t>(k)));
      Value place = ConstantOp::create(builder_, op.getLoc(), number);
      Value here = CompareOp::create(builder_, op.getLoc(), index, place, ComparisonDirection::EQ);
      if (!Choose(op, here, *branch, *chosen)) return false;
      chosen.emplace();
      for (Value result : op->getResults()) chosen->push_back(values_[result]);
    }
    return chosen.has_value();
  }

  // A loop that carries scalars.
  bool FlattenWhile(WhileOp op) {
    Scalars carried;
    for (Value operand : op->getOperands()) carried.append(values_[operand]);
    llvm::SmallVector<mlir::Type> types;
    for (Value value : carried) types.push_back(value.getType());
    auto loop = WhileOp::create(builder_, op.getLoc(), types, carried);
    return FillRegion(op, op.getCond(), loop.getCond(), types) && FillRegion(op, op.getBody(), loop.getBody(), types) &&
           Define(op, Parted(op, loop->getResults())) && Spend(1);
  }

  // The scalars of one array after the other.
  static llvm::SmallVector<Scalars> Parted(WhileOp op, mlir::ValueRange scalars) {
    llvm::SmallVector<Scalars> arrays;
    for (mlir::Type type : op->getResultTypes()) {
      const int64_t count = *Elements(type);
      arrays.emplace_back(scalars.take_front(count));
      scalars = scalars.drop_front(count);
    }
    return arrays;
  }

  bool FillRegion(WhileOp op, mlir::Region& from, mlir::Region& into, llvm::ArrayRef<mlir::Type> types) {
    mlir::OpBuilder::InsertionGuard guard(builder_);
    const llvm::SmallVector<mlir::Location> places(types.size(), op.getLoc());
    mlir::Block* block = builder_.createBlock(&into, {}, types, places);
    const Results results = InlineWith(from.front(), Parted(op, block->getArguments()));
    if (!results) return false;
    ReturnOp::create(builder_, from.front().getTerminator()->getLoc(), Joined(*results));
    return true;
  }

  bool FlattenMap(MapOp op) {
    Scalars results;
    for (int64_t i = 0; i < *Elements(op.getResult().getType()); ++i) {
      llvm::SmallVector<Scalars> arguments;
      for (Value input : op.getInputs()) arguments.push_back({values_[input][i]});
      const Results result = InlineWith(op.getComputation().front(), arguments);
      if (!result) return false;
      results.append(result->front());
    }
    return Define(op, {results});
  }

  // Element after element onto the initial values.
  bool FlattenReduce(ReduceOp op) {
    const size_t arrays = op.getInputs().size();
    const auto from = llvm::cast<RankedTensorType>(op.getInputs()[0].getType());
    const auto to = llvm::cast<RankedTensorType>(op->getResultTypes()[0]);
    llvm::SmallVector<Scalars> results(arrays);
    for (size_t k = 0; k < arrays; ++k) {
      results[k].assign(*Elements(to), values_[op.getInitValues()[k]].front());
    }
    bool all = true;
    ForEachIndex(from.getShape(), [&](llvm::ArrayRef<int64_t> index) {
      llvm::SmallVector<int64_t> kept;
      for (auto [d, place] : llvm::enumerate(index)) {
        if (!llvm::is_contained(op.getDimensions(), static_cast<int64_t>(d))) kept.push_back(place);
      }
      const int64_t into = Flat(to.getShape(), kept), at = Flat(from.getShape(), index);
      llvm::SmallVector<Scalars> arguments;
      for (size_t k = 0; k < arrays; ++k) arguments.push_back({results[k][into]});
      for (size_t k = 0; k < arrays; ++k) arguments.push_back({values_[op.getInputs()[k]][at]});
      const Results sum = all ? InlineWith(op.getBody().front(), arguments) : std::nullopt;
      if (!sum) return void(all = false);
      for (size_t k = 0; k < arrays; ++k) results[k][into] = (*sum)[k].front();
    });
    return all && Define(op, results);
  }

  Value Constant(mlir::Location location, mlir::Type element, mlir::Attribute value) {
    return ConstantOp::create(builder_, location,
                              mlir::DenseElementsAttr::get(RankedTensorType::get({}, element), value));
  }

  bool FlattenConstant(Operation* op) {
    Scalars scalars;
    if (auto constant = llvm::dyn_cast<ConstantOp>(op)) {
      const auto dense = llvm::dyn_cast<mlir::DenseElementsAttr>(constant.getValue());
      if (!dense || llvm::isa<mlir::ComplexType>(dense.getElementType())) {
        return IsScalar(constant.getType()) && FlattenElementwise(op);
      }
      for (mlir::Attribute value : dense.getValues<mlir::Attribute>()) {
        scalars.push_back(Constant(op->getLoc(), dense.getElementType(), value));
      }
    } else if (auto iota = llvm::dyn_cast<IotaOp>(op)) {
      const auto type = llvm::cast<RankedTensorType>(iota.getType());
      const auto element = llvm::dyn_cast<mlir::IntegerType>(type.getElementType());
      if (!element) return false;
      ForEachIndex(type.getShape(), [&](llvm::ArrayRef<int64_t> index) {
        const auto place = static_cast<uint64_t>(index[iota.getIotaDimension()]);
        const llvm::APInt bits(element.getWidth(), place, /*isSigned=*/false, /*implicitTrunc=*/true);
        scalars.push_back(Constant(op->getLoc(), element, mlir::IntegerAttr::get(element, bits)));
      });
    } else {
      return false;
    }
    return Define(op, {scalars}) && Spend(scalars.size());
  }

  // Where each element of the result comes from.
  bool FlattenMovement(Operation* op) {
    if (llvm::isa<OptimizationBarrierOp>(op)) {
      for (auto [result, operand] : llvm::zip(op->getResults(), op->getOperands())) {
        const Scalars same = values_[operand];
        values_[result] = same;
      }
      return true;
    }
    if (auto concatenate = llvm::dyn_cast<ConcatenateOp>(op)) return FlattenConcatenate(concatenate);
    if (op->getNumOperands() != 1 || op->getNumResults() != 1) return false;
    const auto from = llvm::cast<RankedTensorType>(op->getOperand(0).getType());
    const auto to = llvm::cast<RankedTensorType>(op->getResult(0).getType());
    const Scalars source = values_[op->getOperand(0)];
    if (llvm::isa<ReshapeOp>(op)) return Define(op, {source});
    llvm::SmallVector<int64_t> at(from.getRank());
    std::function<void(llvm::ArrayRef<int64_t>)> find;  // fills `at`
    if (auto broadcast = llvm::dyn_cast<BroadcastInDimOp>(op)) {
      find = [&, broadcast](llvm::ArrayRef<int64_t> index) mutable {
        for (auto [d, dimension] : llvm::enumerate(broadcast.getBroadcastDimensions())) {
          at[d] = from.getDimSize(static_cast<unsigned>(d)) == 1 ? 0 : index[dimension];
        }
      };
    } else if (auto transpose = llvm::dyn_cast<TransposeOp>(op)) {
      find = [&, transpose](llvm::ArrayRef<int64_t> index) mutable {
        for (auto [d, dimension] : llvm::enumerate(transpose.getPermutation())) at[dimension] = index[d];
      };
    } else if (auto slice = llvm::dyn_cast<SliceOp>(op)) {
      find = [&, slice](llvm::ArrayRef<int64_t> index) mutable {
        for (size_t d = 0; d < at.size(); ++d) at[d] = slice.getStartIndices()[d] + index[d] * slice.getStrides()[d];
      };
    } else if (auto reverse = llvm::dyn_cast<ReverseOp>(op)) {
      find = [&, reverse](llvm::ArrayRef<int64_t> index) mutable {
        at.assign(index.begin(), index.end());
        for (int64_t d : reverse.getDimensions()) at[d] = from.getDimSize(static_cast<unsigned>(d)) - 1 - at[d];
      };
    } else {
      return false;
    }
    Scalars scalars;
    ForEachIndex(to.getShape(), [&](llvm::ArrayRef<int64_t> index) {
      find(index);
      scalars.push_back(source[Flat(from.getShape(), at)]);
    });
    return Define(op, {scalars});
  }

  bool FlattenConcatenate(ConcatenateOp op) {
    const auto to = llvm::cast<RankedTensorType>(op.getType());
    const auto along = static_cast<size_t>(op.getDimension());
    Scalars scalars;
    ForEachIndex(to.getShape(), [&](llvm::ArrayRef<int64_t> index) {
      llvm::SmallVector<int64_t> at(index);
      for (Value input : op.getInputs()) {
        const auto shape = llvm::cast<RankedTensorType>(input.getType()).getShape();
        if (at[along] < shape[along]) return scalars.push_back(values_[input][Flat(shape, at)]);
        at[along] -= shape[along];
      }
    });
    return Define(op, {scalars});
  }

  // The operation on the elements of each place; scalars among its operands are for all.
  bool FlattenElementwise(Operation* op) {
    const bool each = op->hasTrait<ElementwiseShape>() && !llvm::isa<CholeskyOp, CrossReplicaSumOp>(op);
    const bool plain = each || llvm::isa<SelectOp, ClampOp>(op);
    const bool scalar = llvm::all_of(op->getOperandTypes(), IsScalar) && llvm::all_of(op->getResultTypes(), IsScalar);
    if (op->getNumRegions() > 0 || op->getNumResults() == 0 || !(plain || (scalar && mlir::isPure(op)))) return false;
    const int64_t elements = *Elements(op->getResultTypes()[0]);
    llvm::SmallVector<Scalars> results(op->getNumResults());
    for (int64_t i = 0; i < elements; ++i) {
      mlir::IRMapping mapping;
      for (Value operand : op->getOperands()) {
        const Scalars& scalars = values_[operand];
        if (scalars.size() != 1 && scalars.size() != static_cast<size_t>(elements)) return false;
        mapping.map(operand, scalars.size() == 1 ? scalars[0] : scalars[i]);
      }
      Operation* copy = builder_.clone(*op, mapping);
      for (auto [k, result] : llvm::enumerate(copy->getResults())) {
        result.setType(ScalarType(result.getType()));
        results[k].push_back(result);
      }
    }
    return Define(op, results) && Spend(static_cast<size_t>(elements));
  }

  bool Spend(size_t operations) {
    spent_ += operations;
    return spent_ <= kMostOperations;
  }

  Operation* const owner_;
  mlir::OpBuilder builder_;
  llvm::DenseMap<Value, Scalars> values_;  // of the old region, and of what it inlines
  size_t spent_ = 0;
  int calls_ = 0;
};

bool ComputesOnScalars(Operation* op) {
  return llvm::isa<AllReduceOp, MapOp, ReduceOp, ReduceScatterOp, ReduceWindowOp, ScatterOp, SelectAndScatterOp,
                   SortOp>(op);
}

bool IsFlat(mlir::Region& region) {
  return llvm::all_of(region.front().without_terminator(), [](Operation& op) {
    return op.getNumRegions() == 0 && !llvm::isa<mlir::func::CallOp>(op) &&
           llvm::all_of(op.getResultTypes(), [](mlir::Type type) { return IsScalar(type); });
  });
}

}  // namespace

mlir::LogicalResult FlattenRegions(mlir::ModuleOp module) {
  llvm::SmallVector<Operation*> operations;  // those inside others first
  module.walk([&](Operation* op) {
    if (ComputesOnScalars(op)) operations.push_back(op);
  });
  for (Operation* op : operations) {
    for (mlir::Region& region : op->getRegions()) {
      if (!IsFlat(region)) Flattener(op).Run(region);
    }
  }
  return mlir::success();
}

}  // namespace treadle::stablehlo

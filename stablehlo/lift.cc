#include "stablehlo/lift.h"

#include <optional>

#include "mlir/IR/IRMapping.h"
#include "stablehlo/dialect/ops.h"
#include "stablehlo/dialect/shape_rules.h"

namespace treadle::stablehlo {

using mlir::Operation;
using mlir::RankedTensorType;
using mlir::Value;

namespace {

using Values = llvm::SmallVector<Value>;

class Lifter {
 public:
  Lifter(mlir::OpBuilder& builder, llvm::ArrayRef<int64_t> shape) : builder_(builder), shape_(shape) {}

  std::optional<Values> Block(mlir::Block& block, mlir::ValueRange arguments) {
    mapping_.map(block.getArguments(), arguments);
    for (Operation& op : block.without_terminator()) {
      if (!One(&op)) return std::nullopt;
    }
    Values results;
    for (Value value : block.getTerminator()->getOperands()) {
      results.push_back(Wide(value));
      if (!results.back()) return std::nullopt;
    }
    return results;
  }

 private:
  RankedTensorType WideType(Value scalar) const {
    return RankedTensorType::get(shape_, llvm::cast<RankedTensorType>(scalar.getType()).getElementType());
  }

  // Null for what is no scalar. One from outside is the same for all, and for all loops.
  Value Wide(Value value) {
    if (Value known = mapping_.lookupOrNull(value)) return known;
    if (!IsScalar(value.getType())) return {};
    mlir::OpBuilder outside(builder_);
    outside.setInsertionPointAfterValue(value);
    return BroadcastInDimOp::create(outside, value.getLoc(), WideType(value), value, llvm::ArrayRef<int64_t>());
  }

  bool One(Operation* op) {
    if (!llvm::all_of(op->getResultTypes(), IsScalar)) return false;
    for (Value operand : op->getOperands()) {
      Value wide = Wide(operand);
      if (!wide) return false;
      mapping_.map(operand, wide);
    }
    if (auto constant = llvm::dyn_cast<ConstantOp>(op)) {
      auto dense = llvm::dyn_cast<mlir::DenseElementsAttr>(constant.getValue());
      if (!dense) return false;
      mapping_.map(
          constant.getResult(),
          ConstantOp::create(builder_, op->getLoc(), dense.resizeSplat(WideType(constant.getResult()))).getResult());
      return true;
    }
    if (auto loop = llvm::dyn_cast<WhileOp>(op)) return Loop(loop);
    if (op->getNumRegions() > 0 || op->getNumOperands() == 0) return false;
    if (llvm::isa<ReshapeOp, BroadcastInDimOp, OptimizationBarrierOp>(op)) {
      for (auto [result, operand] : llvm::zip(op->getResults(), op->getOperands()))
        mapping_.map(result, mapping_.lookup(operand));
      return true;
    }
    Operation* copy = builder_.clone(*op, mapping_);
    for (auto [result, from] : llvm::zip(copy->getResults(), op->getResults())) {
      result.setType(WideType(from));
      mapping_.map(from, result);
    }
    return true;
  }

  // Carries what the loop does, and which elements go on.
  bool Loop(WhileOp op) {
    const mlir::Location location = op.getLoc();
    Values carried;
    for (Value operand : op->getOperands()) carried.push_back(mapping_.lookup(operand));
    std::optional<Values> going = Block(op.getCond().front(), carried);
    if (!going) return false;
    carried.push_back(going->front());
    llvm::SmallVector<mlir::Type> types;
    for (Value value : carried) types.push_back(value.getType());
    const llvm::SmallVector<mlir::Location> places(types.size(), location);
    auto loop = WhileOp::create(builder_, location, types, carried);
    mlir::OpBuilder::InsertionGuard guard(builder_);
    mlir::Block* cond = builder_.createBlock(&loop.getCond(), {}, types, places);
    ReturnOp::create(builder_, location, Any(location, cond->getArguments().back()));
    mlir::Block* body = builder_.createBlock(&loop.getBody(), {}, types, places);
    const Value active = body->getArguments().back();
    const std::optional<Values> stepped = Block(op.getBody().front(), body->getArguments().drop_back());
    if (!stepped) return false;
    Values next;
    for (auto [before, after] : llvm::zip(body->getArguments().drop_back(), *stepped)) {
      next.push_back(SelectOp::create(builder_, location, active, after, before));
    }
    going = Block(op.getCond().front(), next);
    if (!going) return false;
    next.push_back(AndOp::create(builder_, location, active, going->front()));
    ReturnOp::create(builder_, location, next);
    mapping_.map(op->getResults(), loop->getResults().drop_back());
    return true;
  }

  Value Any(mlir::Location location, Value predicates) {
    const auto scalar = RankedTensorType::get({}, builder_.getI1Type());
    Value none = ConstantOp::create(builder_, location, mlir::DenseElementsAttr::get(scalar, false));
    llvm::SmallVector<int64_t> dimensions;
    for (size_t d = 0; d < shape_.size(); ++d) dimensions.push_back(static_cast<int64_t>(d));
    auto any = ReduceOp::create(builder_, location, mlir::TypeRange{scalar}, mlir::ValueRange{predicates},
                                mlir::ValueRange{none}, dimensions);
    mlir::OpBuilder::InsertionGuard guard(builder_);
    mlir::Block* block = builder_.createBlock(&any.getBody(), {}, {scalar, scalar}, {location, location});
    Value either = OrOp::create(builder_, location, block->getArgument(0), block->getArgument(1));
    ReturnOp::create(builder_, location, either);
    return any.getResult(0);
  }

  mlir::OpBuilder& builder_;
  const llvm::ArrayRef<int64_t> shape_;
  mlir::IRMapping mapping_;
};

}  // namespace

llvm::SmallVector<Value> Lift(mlir::OpBuilder& builder, mlir::Block& body, mlir::ValueRange arguments,
                              llvm::ArrayRef<int64_t> shape) {
  return Lifter(builder, shape).Block(body, arguments).value_or(Values());
}

}  // namespace treadle::stablehlo

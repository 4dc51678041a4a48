#include "compiler/optimize/import_collectives.h"

#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "compiler/optimize/complex_tensors.h"
#include "compiler/optimize/describe.h"
#include "compiler/optimize/read_attributes.h"
#include "llvm/ADT/DenseMap.h"
#include "stablehlo/dialect/ops.h"

namespace treadle::compiler {
namespace {

using graph::OpCode;
using graph::RegionId;
using graph::ValueId;

// The operations of a region on scalars, done to arrays of shape `dims` instead.
class Lifted {
 public:
  Lifted(graph::Graph& graph, RegionId region, std::vector<int64_t> dims, int32_t location)
      : graph_(graph), region_(region), dims_(std::move(dims)), location_(location) {}

  StatusOr<ValueId> Run(mlir::Block& block, ValueId a, ValueId b) {
    values_[block.getArgument(0)] = a;
    values_[block.getArgument(1)] = b;
    for (mlir::Operation& op : block.without_terminator()) TREADLE_RETURN_IF_ERROR(Add(&op));
    return Find(block.getTerminator()->getOperand(0), block.getTerminator());
  }

 private:
  StatusOr<ValueId> Find(mlir::Value value, mlir::Operation* op) const {
    auto found = values_.find(value);
    if (found == values_.end()) return NotYet(op, "a value from outside the reduction");
    return ValueId(found->second);
  }

  Status Add(mlir::Operation* op) {
    if (llvm::isa<sdy::ShardingConstraintOp>(op)) {
      TREADLE_ASSIGN_OR_RETURN(values_[op->getResult(0)], Find(op->getOperand(0), op));
      return OkStatus();
    }
    const std::optional<OpCode> code = CodeOf(op->getName().getStringRef());
    if (!code || (OpClassOf(*code) != graph::OpClass::kElementwise && *code != OpCode::kConstant)) {
      return NotYet(op, "in the region of a collective");
    }
    TREADLE_ASSIGN_OR_RETURN(graph::Attributes attrs, ReadAttributes(op, *code));
    TREADLE_ASSIGN_OR_RETURN(Shape shape, ShapeOf(op->getResult(0).getType(), op));
    if (!shape.dims.empty()) return NotYet(op, "an array in the region of a collective");
    shape.dims = dims_;
    attrs.splat = *code == OpCode::kConstant;
    std::vector<ValueId> operands;
    for (mlir::Value operand : op->getOperands()) {
      TREADLE_ASSIGN_OR_RETURN(const ValueId value, Find(operand, op));
      operands.push_back(value);
    }
    const graph::OpId added =
        graph_.AddOp(region_, *code, std::move(operands), {std::move(shape)}, std::move(attrs), {}, location_);
    values_[op->getResult(0)] = graph_.ops[added].results[0];
    return OkStatus();
  }

  graph::Graph& graph_;
  const RegionId region_;
  const std::vector<int64_t> dims_;
  const int32_t location_;
  llvm::DenseMap<mlir::Value, ValueId> values_;
};

// The sum of its arguments: that of complex numbers is one of the parts.
bool IsSum(mlir::Block& block) {
  auto add = llvm::dyn_cast<stablehlo::AddOp>(block.front());
  return add && add->getNextNode() == block.getTerminator() &&
         block.getTerminator()->getOperand(0) == add->getResult(0) && add->getOperand(0) != add->getOperand(1);
}

}  // namespace

bool IsCollective(mlir::Operation* op) {
  return llvm::isa<stablehlo::AllGatherOp, stablehlo::AllReduceOp, stablehlo::AllToAllOp, stablehlo::ReduceScatterOp,
                   stablehlo::CollectivePermuteOp, stablehlo::CollectiveBroadcastOp, stablehlo::CollectiveReduceOp,
                   stablehlo::PartitionIdOp, stablehlo::ReplicaIdOp>(op);
}

Collectives::Combine CollectiveImporter::CombineBy(mlir::Operation* reduction, int32_t location) {
  return [this, reduction, location](ValueId a, ValueId b, RegionId region) -> StatusOr<ValueId> {
    mlir::Block& block = reduction->getRegion(0).front();
    if (llvm::isa<mlir::ComplexType>(mlir::getElementTypeOrSelf(block.getArgument(0)))) {  // a sum, of parts
      const graph::OpId sum = graph_.AddOp(region, OpCode::kAdd, {a, b}, {graph_.shape(a)}, {}, {}, location);
      return graph_.ops[sum].results[0];
    }
    return Lifted(graph_, region, graph_.shape(a).dims, location).Run(block, a, b);
  };
}

Status CollectiveImporter::Import(mlir::Operation* op, Collectives::Place place) {
  if (llvm::isa<stablehlo::PartitionIdOp>(op)) {
    values_[op->getResult(0)] = {collectives_.PartitionId(place)};
    return OkStatus();
  }
  if (llvm::isa<stablehlo::ReplicaIdOp>(op)) {
    values_[op->getResult(0)] = {collectives_.ReplicaId(place)};
    return OkStatus();
  }
  if (llvm::isa<stablehlo::CollectiveBroadcastOp>(op)) return ImportBroadcast(op, place);
  return op->getNumRegions() > 0 ? ImportReduction(op, place) : ImportMovement(op, place);
}

Status CollectiveImporter::ImportReduction(mlir::Operation* op, Collectives::Place place) {
  TREADLE_ASSIGN_OR_RETURN(const Groups groups, ReadGroups(op, participants_));
  const Collectives::Combine combine = CombineBy(op, place.location);
  auto scatter = llvm::dyn_cast<stablehlo::ReduceScatterOp>(op);
  const int64_t dim = scatter ? static_cast<int64_t>(scatter.getScatterDimension()) : 0;
  const bool to_root = llvm::isa<stablehlo::CollectiveReduceOp>(op);
  for (unsigned i = 0; i < op->getNumResults(); ++i) {
    TREADLE_ASSIGN_OR_RETURN(const Shape from, ShapeOf(op->getOperand(i).getType(), op));
    TREADLE_ASSIGN_OR_RETURN(const Shape to, ShapeOf(op->getResult(i).getType(), op));
    TREADLE_ASSIGN_OR_RETURN(const ValueId root, RootOf(op, i, place));
    if (from.type != to.type) return NotYet(op, "a reduction in another type than its operand's");
    if (IsComplex(from.type) && !IsSum(op->getRegion(0).front())) return NotYet(op, "of complex numbers, but sums");
    const auto reduce = [&](ValueId part) -> StatusOr<ValueId> {
      if (part < 0) return part;
      if (to_root) return collectives_.Reduce(part, groups, root, combine, place);
      if (!scatter) return collectives_.AllReduce(part, groups, combine, place);
      return collectives_.ReduceScatter(part, dim, groups, combine, place);
    };
    const Complex operand = values_.lookup(op->getOperand(i));
    TREADLE_ASSIGN_OR_RETURN(const ValueId re, reduce(operand.re));
    TREADLE_ASSIGN_OR_RETURN(const ValueId im, reduce(operand.im));
    values_[op->getResult(i)] = {re, im};
  }
  return OkStatus();
}

// What becomes of an operand, or of its real or imaginary part.
StatusOr<std::function<ValueId(ValueId)>> CollectiveImporter::Mover(mlir::Operation* op, Collectives::Place place) {
  if (llvm::isa<stablehlo::CollectivePermuteOp>(op)) {
    TREADLE_ASSIGN_OR_RETURN(const std::vector<int32_t> senders, ReadSenders(op, participants_));
    return std::function([=, this](ValueId part) { return collectives_.Permute(part, senders, place); });
  }
  TREADLE_ASSIGN_OR_RETURN(const Groups groups, ReadGroups(op, participants_));
  if (auto gather = llvm::dyn_cast<stablehlo::AllGatherOp>(op)) {
    const auto dim = static_cast<int64_t>(gather.getAllGatherDim());
    return std::function([=, this](ValueId part) { return collectives_.AllGather(part, dim, groups, place); });
  }
  if (auto all = llvm::dyn_cast<stablehlo::AllToAllOp>(op)) {
    const auto split = static_cast<int64_t>(all.getSplitDimension());
    const auto concat = static_cast<int64_t>(all.getConcatDimension());
    return std::function([=, this](ValueId part) { return collectives_.AllToAll(part, split, concat, groups, place); });
  }
  return NotYet(op, "a collective");
}

StatusOr<ValueId> CollectiveImporter::RootOf(mlir::Operation* op, unsigned i, Collectives::Place place) {
  if (!op->hasAttr("has_dynamic_root")) return -1;
  const ValueId roots = values_.lookup(op->getOperands().back()).re;
  const Shape& shape = graph_.shape(roots);
  if (shape.type != ElementType::kI32 || shape.dims.size() != 1 || shape.dims[0] <= i) return NotYet(op, "such a root");
  return collectives_.Element(roots, i, place);
}

Status CollectiveImporter::ImportBroadcast(mlir::Operation* op, Collectives::Place place) {
  TREADLE_ASSIGN_OR_RETURN(const Groups groups, ReadGroups(op, participants_));
  for (unsigned i = 0; i < op->getNumResults(); ++i) {
    TREADLE_ASSIGN_OR_RETURN(const ValueId root, RootOf(op, i, place));
    const Complex operand = values_.lookup(op->getOperand(i));
    const auto broadcast = [&](ValueId part) {
      return part < 0 ? part : collectives_.Broadcast(part, groups, root, place);
    };
    values_[op->getResult(i)] = {broadcast(operand.re), broadcast(operand.im)};
  }
  return OkStatus();
}

Status CollectiveImporter::ImportMovement(mlir::Operation* op, Collectives::Place place) {
  TREADLE_ASSIGN_OR_RETURN(const std::function<ValueId(ValueId)> move, Mover(op, place));
  for (unsigned i = 0; i < op->getNumOperands(); ++i) {
    TREADLE_ASSIGN_OR_RETURN(const Shape to, ShapeOf(op->getResult(i).getType(), op));
    const Complex operand = values_.lookup(op->getOperand(i));
    const Complex result = {move(operand.re), operand.im < 0 ? operand.im : move(operand.im)};
    if (graph_.shape(result.re).dims != to.dims) {
      return InvalidArgument("the groups do not fit the shapes: " + Describe(op));
    }
    values_[op->getResult(i)] = result;
  }
  return OkStatus();
}

Status CollectiveImporter::EnterManual(sdy::ManualComputationOp op, Collectives::Place place) {
  const auto axes = op.getManualAxes().getValue();
  const auto shardings = op.getInShardings().getShardings();
  for (unsigned i = 0; i < op->getNumOperands(); ++i) {
    const mlir::BlockArgument argument = op.getBody().front().getArgument(i);
    TREADLE_ASSIGN_OR_RETURN(const Shape whole, ShapeOf(op->getOperand(i).getType(), op));
    TREADLE_ASSIGN_OR_RETURN(const Shape part, ShapeOf(argument.getType(), op));
    TREADLE_ASSIGN_OR_RETURN(const Sharding sharding, ReadSharding(shardings[i], whole, op, participants_, axes));
    if (!(sharding.TileShape(whole) == part)) return InvalidArgument("a part has the wrong shape: " + Describe(op));
    if (sharding.whole()) {
      values_.Bind(argument, op->getOperand(i));
    } else {
      const Complex value = values_.Part(op->getOperand(i), sharding, place);
      values_[argument] = value;
    }
  }
  return OkStatus();
}

Status CollectiveImporter::LeaveManual(sdy::ManualComputationOp op, Collectives::Place place) {
  const auto axes = op.getManualAxes().getValue();
  const auto shardings = op.getOutShardings().getShardings();
  mlir::Operation* end = op.getBody().front().getTerminator();
  for (unsigned i = 0; i < op->getNumResults(); ++i) {
    TREADLE_ASSIGN_OR_RETURN(Shape whole, ShapeOf(op->getResult(i).getType(), op));
    TREADLE_ASSIGN_OR_RETURN(const Shape part, ShapeOf(end->getOperand(i).getType(), op));
    TREADLE_ASSIGN_OR_RETURN(Sharding sharding, ReadSharding(shardings[i], whole, op, participants_, axes));
    if (!(sharding.TileShape(whole) == part)) return InvalidArgument("a part has the wrong shape: " + Describe(op));
    if (sharding.whole()) {
      values_.Bind(op->getResult(i), end->getOperand(i));
    } else {
      const Complex value = values_.lookup(end->getOperand(i));
      if (value.im >= 0) whole = PartShape(whole);
      values_.DefineTile(op->getResult(i), {value, std::move(sharding), std::move(whole), place.location});
    }
  }
  return OkStatus();
}

}  // namespace treadle::compiler

#include "compiler/optimize/import_collectives.h"

#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "compiler/optimize/complex_tensors.h"
#include "compiler/optimize/describe.h"
#include "compiler/optimize/inline_region.h"
#include "compiler/optimize/read_attributes.h"
#include "stablehlo/dialect/ops.h"

namespace treadle::compiler {
namespace {

using graph::RegionId;
using graph::ValueId;

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

Collectives::Combine CollectiveImporter::CombineBy(mlir::Operation* op, RegionId body, int32_t location) {
  const auto apply = [=, this](ValueId a, ValueId b, RegionId region) -> StatusOr<ValueId> {
    Formula f(graph_, region, graph_.shape(a), location);
    if (IsSum(op->getRegion(0).front())) return f.Add(a, b);  // of complex numbers, one of the parts
    const auto results = InlineRegion(f, body, {a, b});
    if (!results) return NotYet(op, "with more than a formula in its region");
    return results->front();
  };
  return {apply};
}

Collectives::Combine CollectiveImporter::CombinePairsBy(mlir::Operation* op, RegionId body, int32_t location) {
  const auto apply = [=, this](ValueId a, ValueId b, RegionId region) -> StatusOr<ValueId> {
    Shape part = graph_.shape(a);
    part.dims.pop_back();
    Formula f(graph_, region, std::move(part), location);
    const Complex x = pairs_.Parts(f, a), y = pairs_.Parts(f, b);
    const auto results = InlineRegion(f, body, {x.re, x.im, y.re, y.im});
    if (!results) return NotYet(op, "with more than a formula in its region");
    return pairs_.Pairs(f, {(*results)[0], (*results)[1]});
  };
  return {apply, /*in_pairs=*/true};
}

Status CollectiveImporter::Import(mlir::Operation* op, const std::vector<RegionId>& regions, Collectives::Place place) {
  if (llvm::isa<stablehlo::PartitionIdOp>(op)) {
    values_[op->getResult(0)] = {collectives_.PartitionId(place)};
    return OkStatus();
  }
  if (llvm::isa<stablehlo::ReplicaIdOp>(op)) {
    values_[op->getResult(0)] = {collectives_.ReplicaId(place)};
    return OkStatus();
  }
  if (llvm::isa<stablehlo::CollectiveBroadcastOp>(op)) return ImportBroadcast(op, place);
  return regions.empty() ? ImportMovement(op, place) : ImportReduction(op, regions[0], place);
}

Status CollectiveImporter::ImportReduction(mlir::Operation* op, RegionId body, Collectives::Place place) {
  TREADLE_ASSIGN_OR_RETURN(const Groups groups, ReadGroups(op, participants_));
  auto scatter = llvm::dyn_cast<stablehlo::ReduceScatterOp>(op);
  const int64_t dim = scatter ? static_cast<int64_t>(scatter.getScatterDimension()) : 0;
  const bool to_root = llvm::isa<stablehlo::CollectiveReduceOp>(op);
  for (unsigned i = 0; i < op->getNumResults(); ++i) {
    TREADLE_ASSIGN_OR_RETURN(const Shape from, ShapeOf(op->getOperand(i).getType(), op));
    TREADLE_ASSIGN_OR_RETURN(const Shape to, ShapeOf(op->getResult(i).getType(), op));
    TREADLE_ASSIGN_OR_RETURN(const ValueId root, RootOf(op, i, place));
    if (from.type != to.type) return NotYet(op, "a reduction in another type than its operand's");
    const bool in_pairs = IsComplex(from.type) && !IsSum(op->getRegion(0).front());
    const Collectives::Combine combine =
        in_pairs ? CombinePairsBy(op, body, place.location) : CombineBy(op, body, place.location);
    const auto reduce = [&](ValueId part) -> StatusOr<ValueId> {
      if (part < 0) return part;
      if (to_root) return collectives_.Reduce(part, groups, root, combine, place);
      if (!scatter) return collectives_.AllReduce(part, groups, combine, place);
      return collectives_.ReduceScatter(part, dim, groups, combine, place);
    };
    const Complex operand = values_.lookup(op->getOperand(i));
    if (in_pairs) {
      Formula f(graph_, place.region, PartShape(from), place.location);
      TREADLE_ASSIGN_OR_RETURN(const ValueId pairs, reduce(pairs_.Pairs(f, operand)));
      Formula g(graph_, place.region, PartShape(to), place.location);
      values_[op->getResult(i)] = pairs_.Parts(g, pairs);
      continue;
    }
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

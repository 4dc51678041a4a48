// Generated code of the operations between devices, and their verifiers. (C1), (C2) ... are the constraints of the
// specification. How many devices there are is not known here, so that ids are too large is found by a later stage.
#include "llvm/ADT/SmallSet.h"
#include "llvm/Support/MathExtras.h"
#include "stablehlo/dialect/ops.h"
#include "stablehlo/dialect/shape_rules.h"

#define GET_OP_CLASSES
#include "stablehlo/dialect/collective.cc.inc"

namespace treadle::stablehlo {

using mlir::failure;
using mlir::LogicalResult;
using mlir::RankedTensorType;
using mlir::ShapedType;
using mlir::success;

void StablehloDialect::RegisterCollectiveOps() {
  addOperations<
#define GET_OP_LIST
#include "stablehlo/dialect/collective.cc.inc"
      >();
}

namespace {

// What replica_groups of an operation may be.
struct GroupRules {
  bool may_differ = false;      // in size: -1 fills up short groups
  bool may_leave_out = false;   // some of the devices 0 to n - 1
  bool use_global_ids = false;  // then there is a group
  int64_t size = mlir::ShapedType::kDynamic;
};

// Two dimensions; no device twice, and every device in one of the groups.
LogicalResult CheckGroups(mlir::Operation* op, mlir::Attribute groups, GroupRules rules) {
  auto dense = llvm::dyn_cast<mlir::DenseIntElementsAttr>(groups);
  if (!dense) return success();  // mesh axes: their mesh is another operation's matter
  if (dense.getType().getRank() != 2)
    return op->emitOpError() << "replica_groups must have rank 2, got " << dense.getType();
  if (rules.use_global_ids && dense.empty())
    return op->emitOpError() << "replica_groups must not be empty with use_global_device_ids";
  llvm::SmallSet<int64_t, 16> seen;
  int64_t largest = -1;
  for (int64_t id : dense.getValues<int64_t>()) {
    if (id == -1 && rules.may_differ && dense.isSplat()) break;  // of any size
    if (id == -1 && rules.may_differ) continue;
    if (id < 0) return op->emitOpError() << "replica_groups holds " << id;
    if (!seen.insert(id).second) return op->emitOpError() << "replica_groups holds " << id << " twice";
    largest = std::max(largest, id);
  }
  if (!rules.may_leave_out && largest >= static_cast<int64_t>(seen.size()))
    return op->emitOpError() << "replica_groups holds " << largest << " but not all ids below";
  if (mlir::ShapedType::isDynamic(rules.size) || dense.getType().getDimSize(1) == rules.size) return success();
  return op->emitOpError() << "has groups of " << dense.getType().getDimSize(1) << ", expected " << rules.size;
}

// Global ids name devices across programs, which a positive channel says too. all_gather may leave the channel out.
LogicalResult CheckChannel(mlir::Operation* op, bool use_global_ids, std::optional<ChannelHandleAttr> channel,
                           int64_t least) {
  const int64_t id = channel ? channel->getHandle() : 0;
  if (!use_global_ids || id >= least) return success();
  return op->emitOpError() << "has channel " << id << " with use_global_device_ids, expected at least " << least;
}

// With has_dynamic_root the last operand says, for each of the others, which of a group is the root. The others.
mlir::FailureOr<mlir::TypeRange> CheckRoot(mlir::Operation* op, bool has_dynamic_root) {
  const mlir::TypeRange types = op->getOperandTypes();
  const size_t values = types.size() - (has_dynamic_root && !types.empty());
  if (values == 0) return op->emitOpError() << "needs an operand", failure();
  if (failed(CheckCount(op, "result list", op->getNumResults(), static_cast<int64_t>(values)))) return failure();
  if (has_dynamic_root) {
    const auto root = llvm::cast<RankedTensorType>(types.back());
    if (!root.getElementType().isInteger(32) || root.getRank() != 1)
      return op->emitOpError() << "needs a root of type tensor<" << values << "xi32>, got " << root, failure();
    if (failed(CheckShape(op, "root", root, {static_cast<int64_t>(values)}))) return failure();
  }
  return types.take_front(values);
}

LogicalResult CheckOperands(mlir::Operation* op) {
  if (op->getNumOperands() == 0) return op->emitOpError() << "needs an operand";
  return CheckCount(op, "result list", op->getNumResults(), op->getNumOperands());
}

RankedTensorType TensorType(mlir::Type type) { return llvm::cast<RankedTensorType>(type); }

// Operands and results have one rank and one element type, pair by pair, and `dimension` is one of theirs.
LogicalResult CheckAlong(mlir::Operation* op, llvm::StringRef name, int64_t dimension) {
  if (failed(CheckOperands(op))) return failure();
  for (auto [from, to] : llvm::zip(op->getOperandTypes(), op->getResultTypes())) {
    if (failed(CheckDimension(op, name, dimension, TensorType(from).getRank()))) return failure();
    if (failed(CheckCount(op, "result shape", TensorType(to).getRank(), TensorType(from).getRank()))) return failure();
    for (int64_t i = 0; i < TensorType(from).getRank(); ++i) {
      if (i == dimension) continue;
      if (failed(CheckSameSize(op, "operand and result sizes", TensorType(from).getDimSize(i),
                               TensorType(to).getDimSize(i)))) {
        return failure();
      }
    }
  }
  return success();
}

// Results of the operands' shapes.
LogicalResult CheckSameShapes(mlir::Operation* op, mlir::TypeRange operands, mlir::TypeRange results) {
  for (auto [from, to] : llvm::zip(operands, results)) {
    if (failed(CheckShape(op, "result", TensorType(to), TensorType(from).getShape()))) return failure();
  }
  return success();
}

// What operands are folded by, and kept in.
LogicalResult CheckComputation(mlir::Operation* op, mlir::Region& computation, mlir::TypeRange operands,
                               mlir::TypeRange results) {
  if (failed(CheckReducer(op, "computation", computation, 1))) return failure();
  return CheckFolds(op, computation, operands, results);
}

}  // namespace

LogicalResult AllGatherOp::verify() {
  const bool global = getUseGlobalDeviceIds();
  const int64_t along = static_cast<int64_t>(getAllGatherDim());
  if (failed(CheckGroups(*this, getReplicaGroups(), {.use_global_ids = global})) ||  // (C2) (C3) (C4)
      failed(CheckChannel(*this, global, getChannelHandle(), 0)) ||                  // (C5), or no channel
      failed(CheckAlong(*this, "all_gather_dim", along))) {                          // (C1) (C6)
    return failure();
  }
  // (C6): by how much a result is larger depends on how replicas and partitions form groups.
  for (auto [from, to] : llvm::zip(getOperandTypes(), getResultTypes())) {
    if (failed(CheckElement(*this, TensorType(from), TensorType(to))) ||
        failed(CheckMultiple(*this, "result size", TensorType(to).getDimSize(along),
                             TensorType(from).getDimSize(along)))) {
      return failure();
    }
  }
  return success();
}

LogicalResult AllReduceOp::verify() {
  const bool global = getUseGlobalDeviceIds();
  if (failed(
          CheckGroups(*this, getReplicaGroups(), {.may_differ = true, .use_global_ids = global})) ||  // (C1) (C2) (C3)
      failed(CheckChannel(*this, global, getChannelHandle(), 1)) ||                                   // (C4)
      failed(CheckOperands(*this))) {
    return failure();
  }
  return CheckSameShapes(*this, getOperandTypes(), getResultTypes());  // (C6)
}

LogicalResult AllReduceOp::verifyRegions() {
  return CheckComputation(*this, getComputation(), getOperandTypes(), getResultTypes());  // (C5) (C7)
}

LogicalResult AllToAllOp::verify() {
  if (failed(CheckOperands(*this))) return failure();
  const int64_t split = static_cast<int64_t>(getSplitDimension());
  const int64_t concat = static_cast<int64_t>(getConcatDimension());
  const int64_t count = static_cast<int64_t>(getSplitCount());
  if (count < 1) return emitOpError() << "split_count must be at least 1, got " << count;  // (C4)
  for (auto [from_type, to_type] : llvm::zip(getOperandTypes(), getResultTypes())) {
    const RankedTensorType from = TensorType(from_type);
    if (failed(CheckDimension(*this, "split_dimension", split, from.getRank())) ||    // (C1)
        failed(CheckDimension(*this, "concat_dimension", concat, from.getRank()))) {  // (C3)
      return failure();
    }
    llvm::SmallVector<int64_t> shape = llvm::to_vector(from.getShape());
    if (!ShapedType::isDynamic(shape[split])) {
      if (shape[split] % count != 0)
        return emitOpError() << "cannot split " << from << " in " << count << " parts";  // (C2)
      shape[split] /= count;
    }
    if (!ShapedType::isDynamic(shape[concat]) && llvm::MulOverflow(shape[concat], count, shape[concat]))
      return emitOpError() << "result is too large";
    // (C9)
    if (failed(CheckElement(*this, from, TensorType(to_type))) ||
        failed(CheckShape(*this, "result", TensorType(to_type), shape))) {
      return failure();
    }
  }
  return CheckGroups(*this, getReplicaGroups(), {.size = count});  // (C5) to (C8)
}

LogicalResult ReduceScatterOp::verify() {
  const bool global = getUseGlobalDeviceIds();
  const int64_t along = static_cast<int64_t>(getScatterDimension());
  if (failed(CheckGroups(*this, getReplicaGroups(), {.use_global_ids = global})) ||  // (C3) (C4) (C5)
      failed(CheckChannel(*this, global, getChannelHandle(), 1)) ||                  // (C6)
      failed(CheckAlong(*this, "scatter_dimension", along))) {                       // (C2) (C8)
    return failure();
  }
  // (C1) (C8): by how much the result is smaller depends on how replicas and partitions form groups.
  return CheckMultiple(*this, "operand size", getOperand().getType().getDimSize(along),
                       getResult().getType().getDimSize(along));
}

LogicalResult ReduceScatterOp::verifyRegions() {
  return CheckComputation(*this, getComputation(), getOperation()->getOperandTypes(),
                          getOperation()->getResultTypes());  // (C7) (C9)
}

LogicalResult CollectivePermuteOp::verify() {
  if (failed(CheckSourcesAndTargets(*this, getSourceTargetPairs()))) return failure();  // (C1) to (C4)
  return CheckTypes(*this, "result", getResult().getType(), getOperand().getType());    // (C5)
}

LogicalResult CollectiveBroadcastOp::verify() {
  if (failed(CheckGroups(*this, getReplicaGroups(), {.may_leave_out = true}))) return failure();  // (C1) (C2)
  auto values = CheckRoot(*this, getHasDynamicRoot());                                            // (C4) (C5)
  if (failed(values)) return failure();
  return CheckTypes(*this, "result", getResultTypes(), *values);  // (C3) (C4); (C6) is known when it runs
}

LogicalResult CollectiveReduceOp::verify() {
  const bool global = getUseGlobalDeviceIds();
  if (failed(CheckGroups(*this, getReplicaGroups(), {.may_differ = true, .use_global_ids = global})) ||  // (C1) (C2)
      failed(CheckChannel(*this, global, getChannelHandle(), 1))) {
    return failure();
  }
  // (C3)
  auto values = CheckRoot(*this, getHasDynamicRoot());
  if (failed(values)) return failure();
  return CheckSameShapes(*this, *values, getResultTypes());
}

LogicalResult CollectiveReduceOp::verifyRegions() {
  return CheckComputation(*this, getComputation(), mlir::TypeRange(getOperandTypes()).take_front(getNumResults()),
                          getResultTypes());  // (C4), and results hold what the region gives
}

namespace {

LogicalResult CheckId(mlir::Operation* op, RankedTensorType type) {
  if (type.getRank() == 0 && type.getElementType().isUnsignedInteger(32)) return success();
  return op->emitOpError() << "gives tensor<ui32>, got " << type;
}

}  // namespace

LogicalResult PartitionIdOp::verify() { return CheckId(*this, getResult().getType()); }
LogicalResult ReplicaIdOp::verify() { return CheckId(*this, getResult().getType()); }

}  // namespace treadle::stablehlo

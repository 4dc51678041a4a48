// Generated code of the operations between devices, and their verifiers.
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

LogicalResult CheckGroups(mlir::Operation* op, mlir::Attribute groups) {
  auto dense = llvm::dyn_cast<mlir::DenseIntElementsAttr>(groups);
  if (!dense) return success();  // mesh axes: their mesh is another operation's matter
  if (dense.getType().getRank() != 2)
    return op->emitOpError() << "replica_groups must have rank 2, got " << dense.getType();
  for (int64_t id : dense.getValues<int64_t>()) {
    if (id < -1) return op->emitOpError() << "replica_groups holds " << id;  // -1 fills up a short group
  }
  return success();
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

}  // namespace

LogicalResult AllGatherOp::verify() {
  if (failed(CheckGroups(*this, getReplicaGroups()))) return failure();
  return CheckAlong(*this, "all_gather_dim", static_cast<int64_t>(getAllGatherDim()));
}

LogicalResult AllReduceOp::verify() {
  if (failed(CheckGroups(*this, getReplicaGroups())) || failed(CheckOperands(*this))) return failure();
  for (auto [from, to] : llvm::zip(getOperandTypes(), getResultTypes())) {
    if (failed(CheckShape(*this, "result", TensorType(to), TensorType(from).getShape()))) return failure();
  }
  return success();
}

LogicalResult AllReduceOp::verifyRegions() { return CheckReducer(*this, "computation", getComputation(), 1); }

LogicalResult AllToAllOp::verify() {
  if (failed(CheckGroups(*this, getReplicaGroups())) || failed(CheckOperands(*this))) return failure();
  const int64_t split = static_cast<int64_t>(getSplitDimension());
  const int64_t concat = static_cast<int64_t>(getConcatDimension());
  const int64_t count = static_cast<int64_t>(getSplitCount());
  if (count < 1) return emitOpError() << "split_count must be at least 1";
  for (auto [from_type, to_type] : llvm::zip(getOperandTypes(), getResultTypes())) {
    const RankedTensorType from = TensorType(from_type);
    if (failed(CheckDimension(*this, "split_dimension", split, from.getRank())) ||
        failed(CheckDimension(*this, "concat_dimension", concat, from.getRank()))) {
      return failure();
    }
    llvm::SmallVector<int64_t> shape = llvm::to_vector(from.getShape());
    if (!ShapedType::isDynamic(shape[split])) {
      if (shape[split] % count != 0) return emitOpError() << "cannot split " << from << " in " << count << " parts";
      shape[split] /= count;
    }
    if (!ShapedType::isDynamic(shape[concat])) shape[concat] *= count;
    if (failed(CheckShape(*this, "result", TensorType(to_type), shape))) return failure();
  }
  return success();
}

LogicalResult ReduceScatterOp::verify() {
  if (failed(CheckGroups(*this, getReplicaGroups()))) return failure();
  return CheckAlong(*this, "scatter_dimension", static_cast<int64_t>(getScatterDimension()));
}

LogicalResult ReduceScatterOp::verifyRegions() { return CheckReducer(*this, "computation", getComputation(), 1); }

LogicalResult CollectivePermuteOp::verify() {
  if (failed(CheckPairs(*this, "source_target_pairs", getSourceTargetPairs()))) return failure();
  return CheckTypes(*this, "result", getResult().getType(), getOperand().getType());
}

LogicalResult CollectiveBroadcastOp::verify() {
  if (failed(CheckGroups(*this, getReplicaGroups()))) return failure();
  // With has_dynamic_root the last operand says who sends.
  const size_t values = getNumOperands() - (getHasDynamicRoot() && getNumOperands() > 0);
  if (values == 0) return emitOpError() << "needs an operand";
  return CheckTypes(*this, "result", getResultTypes(), mlir::TypeRange(getOperandTypes()).take_front(values));
}

LogicalResult CollectiveReduceOp::verify() {
  if (getNumOperands() == 0) return emitOpError() << "needs an operand";
  return CheckGroups(*this, getReplicaGroups());
}

LogicalResult CollectiveReduceOp::verifyRegions() { return CheckReducer(*this, "computation", getComputation(), 1); }

}  // namespace treadle::stablehlo

// Generated code of the operations that the specification no longer lists, and their verifiers.
#include <map>

#include "llvm/ADT/StringExtras.h"
#include "stablehlo/dialect/assembly.h"
#include "stablehlo/dialect/convolution_rules.h"
#include "stablehlo/dialect/ops.h"
#include "stablehlo/dialect/quantized_rules.h"
#include "stablehlo/dialect/shape_rules.h"

#define GET_OP_CLASSES
#include "stablehlo/dialect/legacy.cc.inc"

namespace treadle::stablehlo {

using mlir::failure;
using mlir::LogicalResult;
using mlir::RankedTensorType;
using mlir::ShapedType;
using mlir::success;

void StablehloDialect::RegisterLegacyOps() {
  addOperations<
#define GET_OP_LIST
#include "stablehlo/dialect/legacy.cc.inc"
      >();
}

// Vectors and matrices: the last dimension of lhs with the first of rhs.
LogicalResult DotOp::verify() {
  const RankedTensorType lhs = getLhs().getType();
  const RankedTensorType rhs = getRhs().getType();
  const bool ranks = lhs.getRank() >= 1 && lhs.getRank() <= 2 && rhs.getRank() >= 1 && rhs.getRank() <= 2;
  if (!ranks) return emitOpError() << "needs vectors or matrices, got " << lhs << " and " << rhs;
  if (failed(CheckPrecisions(*this, getPrecisionConfig())) ||
      failed(CheckSameSize(*this, "contracting dimensions", lhs.getShape().back(), rhs.getShape().front()))) {
    return failure();
  }
  llvm::SmallVector<int64_t> shape = llvm::to_vector(lhs.getShape().drop_back());
  llvm::append_range(shape, rhs.getShape().drop_front());
  return CheckShape(*this, "result", getResult().getType(), shape);
}

// ---- Einsum: a letter for each dimension, "ij,jk->ik".

namespace {

// What einsum knows of letters while it reads operands: sizes. 1 gives way to other sizes.
using LetterSizes = std::map<char, int64_t>;

LogicalResult CheckLetters(mlir::Operation* op, llvm::StringRef letters, RankedTensorType type, LetterSizes* sizes) {
  if (failed(CheckCount(op, ("einsum_config part '" + letters + "'").str(), letters.size(), type.getRank())))
    return failure();
  for (auto [letter, size] : llvm::zip(letters, type.getShape())) {
    if (!llvm::isAlpha(letter)) return op->emitOpError() << "einsum_config holds '" << llvm::Twine(letter) << "'";
    int64_t& known = sizes->try_emplace(letter, size).first->second;
    if (known == 1 || ShapedType::isDynamic(known)) known = size;
    if (size != 1 &&
        failed(CheckSameSize(op, (llvm::Twine("sizes of '") + llvm::Twine(letter) + "'").str(), known, size)))
      return failure();
  }
  return success();
}

LogicalResult CheckEinsum(mlir::Operation* op, llvm::StringRef config, llvm::ArrayRef<RankedTensorType> operands,
                          RankedTensorType result) {
  if (config.contains("...")) return success();  // batch dimensions without letters: a later stage says what it can do
  const auto [left, out] = config.split("->");
  llvm::SmallVector<llvm::StringRef> parts;
  left.split(parts, ',');
  if (!config.contains("->") || parts.size() != operands.size())
    return op->emitOpError() << "einsum_config '" << config << "' needs " << operands.size()
                             << " operands and a result";
  LetterSizes sizes;
  for (auto [part, operand] : llvm::zip(parts, operands)) {
    if (failed(CheckLetters(op, part.trim(), operand, &sizes))) return failure();
  }
  llvm::SmallVector<int64_t> shape;
  for (char letter : out.trim()) {
    auto size = sizes.find(letter);
    if (size == sizes.end())
      return op->emitOpError() << "einsum_config '" << config << "' has a result of no operand's";
    shape.push_back(size->second);
  }
  return CheckShape(op, "result", result, shape);
}

}  // namespace

LogicalResult EinsumOp::verify() {
  return CheckEinsum(*this, getEinsumConfig(), {getLhs().getType(), getRhs().getType()}, getResult().getType());
}

LogicalResult UnaryEinsumOp::verify() {
  return CheckEinsum(*this, getEinsumConfig(), {getOperand().getType()}, getResult().getType());
}

// ---- Others.

LogicalResult BroadcastOp::verify() {
  if (failed(CheckAtLeast(*this, "broadcast_sizes", getBroadcastSizes(), 0))) return failure();
  llvm::SmallVector<int64_t> shape = llvm::to_vector(getBroadcastSizes());
  llvm::append_range(shape, getOperand().getType().getShape());
  return CheckShape(*this, "result", getResult().getType(), shape);
}

// The dimension `dim` of the operand becomes the dimensions of the index that follow the first `batch_dims`, which both
// have.
LogicalResult TorchIndexSelectOp::verify() {
  const RankedTensorType operand = getOperand().getType();
  const RankedTensorType index = getIndex().getType();
  const auto dim = static_cast<int64_t>(getDim());
  const auto batch = static_cast<int64_t>(getBatchDims());
  if (failed(CheckDimension(*this, "dim", dim, operand.getRank())) ||
      failed(CheckDimension(*this, "batch_dims", batch, std::min(dim, index.getRank()), /*at_end=*/true)) ||
      failed(CheckElement(*this, operand, getResult().getType()))) {
    return failure();
  }
  for (int64_t i = 0; i < batch; ++i) {
    if (failed(CheckSameSize(*this, "batch sizes of operand and index", operand.getDimSize(i), index.getDimSize(i))))
      return failure();
  }
  llvm::SmallVector<int64_t> shape = llvm::to_vector(operand.getShape().take_front(dim));
  llvm::append_range(shape, index.getShape().drop_front(batch));
  llvm::append_range(shape, operand.getShape().drop_front(dim + 1));
  return CheckShape(*this, "result", getResult().getType(), shape);
}

LogicalResult CrossReplicaSumOp::verify() {
  if (getReplicaGroups().getType().getRank() == 2) return success();
  return emitOpError() << "replica_groups must have rank 2, got " << getReplicaGroups().getType();
}

}  // namespace treadle::stablehlo

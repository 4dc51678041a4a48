#include "stablehlo/dialect/shape_operands.h"

#include "stablehlo/dialect/ops.h"
#include "stablehlo/dialect/shape_rules.h"

namespace treadle::stablehlo {

using mlir::failure;
using mlir::LogicalResult;
using mlir::RankedTensorType;

namespace {

constexpr int64_t kMaxEntries = 1024;  // no tensor has more dimensions

}  // namespace

std::optional<llvm::SmallVector<int64_t>> ConstantEntries(mlir::Value value) {
  auto constant = value.getDefiningOp<ConstantOp>();
  auto dense =
      constant ? llvm::dyn_cast<mlir::DenseIntElementsAttr>(constant.getValue()) : mlir::DenseIntElementsAttr();
  if (!dense || dense.getNumElements() > kMaxEntries) return std::nullopt;
  const bool is_unsigned = dense.getElementType().isUnsignedInteger();
  llvm::SmallVector<int64_t> entries;
  for (const llvm::APInt& entry : dense.getValues<llvm::APInt>()) {
    entries.push_back(is_unsigned ? static_cast<int64_t>(entry.getZExtValue()) : entry.getSExtValue());
  }
  return entries;
}

LogicalResult CheckEntries(mlir::Operation* op, llvm::StringRef name, mlir::Value value, int64_t count) {
  const auto type = llvm::cast<RankedTensorType>(value.getType());
  if (type.getRank() != 1) return op->emitOpError() << name << " must have one dimension, got " << type;
  return CheckSameSize(op, (name + " size and number of dimensions").str(), type.getDimSize(0), count);
}

LogicalResult CheckShapeOperand(mlir::Operation* op, llvm::StringRef name, mlir::Value value, RankedTensorType type) {
  if (failed(CheckEntries(op, name, value, type.getRank()))) return failure();
  const auto entries = ConstantEntries(value);
  if (!entries) return mlir::success();
  if (failed(CheckAtLeast(op, name, *entries, 0))) return failure();
  return CheckShape(op, "result", type, *entries);
}

}  // namespace treadle::stablehlo

// Generated code of the operations that fold, scan or order elements, and their verifiers.
#include "stablehlo/dialect/ops.h"
#include "stablehlo/dialect/shape_rules.h"

#define GET_OP_CLASSES
#include "stablehlo/dialect/reduction.cc.inc"

namespace treadle::stablehlo {

using mlir::failure;
using mlir::LogicalResult;
using mlir::RankedTensorType;
using mlir::success;

void StablehloDialect::RegisterReductionOps() {
  addOperations<
#define GET_OP_LIST
#include "stablehlo/dialect/reduction.cc.inc"
      >();
}

namespace {

RankedTensorType TensorType(mlir::Value value) { return llvm::cast<RankedTensorType>(value.getType()); }

// At least one input, all of one shape; every init a scalar.
LogicalResult CheckInputs(mlir::Operation* op, mlir::ValueRange inputs, mlir::ValueRange inits,
                          mlir::ValueRange results) {
  if (inputs.empty()) return op->emitOpError() << "needs an input";
  if (failed(CheckCount(op, "result list", results.size(), inputs.size()))) return failure();
  for (mlir::Value input : inputs) {
    if (failed(CheckShape(op, "input", TensorType(input), TensorType(inputs[0]).getShape()))) return failure();
  }
  for (mlir::Value init : inits) {
    if (failed(CheckScalar(op, "init value", init.getType()))) return failure();
  }
  return success();
}

// What the region gives is what the results hold.
LogicalResult CheckFolded(mlir::Operation* op, mlir::Region& region) {
  for (auto [result, argument] : llvm::zip(op->getResults(), region.getArguments())) {
    if (TensorType(result).getElementType() == TensorType(argument).getElementType()) continue;
    return op->emitOpError() << "folds " << argument.getType() << " into a result of type " << result.getType();
  }
  return success();
}

}  // namespace

LogicalResult ReduceOp::verify() {
  if (failed(CheckInputs(*this, getInputs(), getInitValues(), getResults()))) return failure();
  const RankedTensorType input = TensorType(getInputs()[0]);
  if (failed(CheckDimensions(*this, "dimensions", getDimensions(), input.getRank()))) return failure();
  llvm::SmallVector<int64_t> shape;
  for (int64_t i = 0; i < input.getRank(); ++i) {
    if (!llvm::is_contained(getDimensions(), i)) shape.push_back(input.getDimSize(i));
  }
  for (mlir::Value result : getResults()) {
    if (failed(CheckShape(*this, "result", TensorType(result), shape))) return failure();
  }
  return success();
}

LogicalResult ReduceOp::verifyRegions() {
  if (failed(CheckReducer(*this, "body", getBody(), static_cast<int64_t>(getInputs().size())))) return failure();
  return CheckFolded(*this, getBody());
}

LogicalResult ReduceWindowOp::verify() {
  if (failed(CheckInputs(*this, getInputs(), getInitValues(), getResults()))) return failure();
  const RankedTensorType input = TensorType(getInputs()[0]);
  if (failed(CheckCount(*this, "window_dimensions", getWindowDimensions().size(), input.getRank()))) return failure();
  auto window = CheckWindow(*this, getWindowDimensions(), getWindowStrides(), getPaddingAttr(), getBaseDilations(),
                            getWindowDilations());
  if (failed(window)) return failure();
  llvm::SmallVector<int64_t> shape;
  for (int64_t i = 0; i < input.getRank(); ++i) {
    auto places = WindowPlaces(*this, *window, i, input.getDimSize(i));
    if (failed(places)) return failure();
    shape.push_back(*places);
  }
  for (mlir::Value result : getResults()) {
    if (failed(CheckShape(*this, "result", TensorType(result), shape))) return failure();
  }
  return success();
}

LogicalResult ReduceWindowOp::verifyRegions() {
  if (failed(CheckReducer(*this, "body", getBody(), static_cast<int64_t>(getInputs().size())))) return failure();
  return CheckFolded(*this, getBody());
}

LogicalResult SelectAndScatterOp::verify() {
  const RankedTensorType operand = getOperand().getType();
  const llvm::SmallVector<int64_t> ones(operand.getRank(), 1);
  const llvm::ArrayRef<int64_t> size = getWindowDimensions().value_or(ones);
  if (failed(CheckScalar(*this, "init_value", getInitValue().getType())) ||
      failed(CheckCount(*this, "window_dimensions", size.size(), operand.getRank()))) {
    return failure();
  }
  auto window = CheckWindow(*this, size, getWindowStrides(), getPaddingAttr(), std::nullopt, std::nullopt);
  if (failed(window)) return failure();
  llvm::SmallVector<int64_t> shape;
  for (int64_t i = 0; i < operand.getRank(); ++i) {
    auto places = WindowPlaces(*this, *window, i, operand.getDimSize(i));
    if (failed(places)) return failure();
    shape.push_back(*places);
  }
  if (failed(CheckShape(*this, "source", getSource().getType(), shape))) return failure();
  return CheckShape(*this, "result", getResult().getType(), operand.getShape());
}

LogicalResult SelectAndScatterOp::verifyRegions() {
  mlir::Builder builder(getContext());
  const mlir::Type scalar = RankedTensorType::get({}, getOperand().getType().getElementType());
  const llvm::SmallVector<mlir::Type> pair = {scalar, scalar};
  const llvm::SmallVector<mlir::Type> pred = {RankedTensorType::get({}, builder.getI1Type())};
  if (failed(CheckRegion(*this, "select", getSelect(), &pair, &pred))) return failure();
  return CheckReducer(*this, "scatter", getScatter(), 1);
}

LogicalResult SortOp::verify() {
  if (getInputs().empty()) return emitOpError() << "needs an input";
  const int64_t rank = TensorType(getInputs()[0]).getRank();
  const int64_t dimension = static_cast<int64_t>(getDimension());
  if (dimension < -rank || dimension >= std::max<int64_t>(rank, 0)) {
    return emitOpError() << "dimension " << dimension << " is out of range for rank " << rank;
  }
  for (mlir::Value input : getInputs()) {
    if (failed(CheckShape(*this, "input", TensorType(input), TensorType(getInputs()[0]).getShape()))) return failure();
  }
  return CheckTypes(*this, "result", getResultTypes(), getInputs().getTypes());
}

LogicalResult SortOp::verifyRegions() {
  mlir::Builder builder(getContext());
  llvm::SmallVector<mlir::Type> arguments;
  for (mlir::Value input : getInputs())
    arguments.append(2, RankedTensorType::get({}, TensorType(input).getElementType()));
  const llvm::SmallVector<mlir::Type> pred = {RankedTensorType::get({}, builder.getI1Type())};
  return CheckRegion(*this, "comparator", getComparator(), &arguments, &pred);
}

LogicalResult MapOp::verify() {
  if (getInputs().empty()) return emitOpError() << "needs an input";
  const int64_t rank = TensorType(getInputs()[0]).getRank();
  if (failed(CheckCount(*this, "dimensions", getDimensions().size(), rank))) return failure();
  return CheckDimensions(*this, "dimensions", getDimensions(), rank);
}

LogicalResult MapOp::verifyRegions() {
  llvm::SmallVector<mlir::Type> arguments;
  for (mlir::Value input : getInputs())
    arguments.push_back(RankedTensorType::get({}, TensorType(input).getElementType()));
  const llvm::SmallVector<mlir::Type> result = {RankedTensorType::get({}, getResult().getType().getElementType())};
  return CheckRegion(*this, "computation", getComputation(), &arguments, &result);
}

// ---- Batch normalization: per feature one of scale, offset, mean and variance.

namespace {

LogicalResult CheckBatchNorm(mlir::Operation* op, int64_t feature_index, mlir::ValueRange full,
                             mlir::ValueRange per_feature) {
  const RankedTensorType operand = TensorType(full[0]);
  if (failed(CheckDimension(op, "feature_index", feature_index, operand.getRank()))) return failure();
  for (mlir::Value value : full) {
    if (failed(CheckShape(op, "value", TensorType(value), operand.getShape()))) return failure();
  }
  for (mlir::Value value : per_feature) {
    if (failed(CheckShape(op, "value per feature", TensorType(value), {operand.getDimSize(feature_index)})))
      return failure();
  }
  return success();
}

}  // namespace

LogicalResult BatchNormGradOp::verify() {
  return CheckBatchNorm(*this, static_cast<int64_t>(getFeatureIndex()),
                        {getOperand(), getGradOutput(), getGradOperand()},
                        {getScale(), getMean(), getVariance(), getGradScale(), getGradOffset()});
}

LogicalResult BatchNormInferenceOp::verify() {
  return CheckBatchNorm(*this, static_cast<int64_t>(getFeatureIndex()), {getOperand(), getResult()},
                        {getScale(), getOffset(), getMean(), getVariance()});
}

LogicalResult BatchNormTrainingOp::verify() {
  return CheckBatchNorm(*this, static_cast<int64_t>(getFeatureIndex()), {getOperand(), getOutput()},
                        {getScale(), getOffset(), getBatchMean(), getBatchVar()});
}

}  // namespace treadle::stablehlo

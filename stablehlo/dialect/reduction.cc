// Generated code of the operations that fold, scan or order elements, and their verifiers. (C1), (C2) ... are the
// constraints of the specification.
#include "stablehlo/dialect/ops.h"
#include "stablehlo/dialect/quantized_rules.h"
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

// At least one input, all of one shape; every init a scalar. As many inits as inputs is a trait's matter.
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

// The region of reduce and reduce_window. That inits have the inputs' element types is asked as of the inputs: they
// can be promoted to the accumulators.
LogicalResult CheckBody(mlir::Operation* op, mlir::Region& body, mlir::ValueRange inputs, mlir::ValueRange inits) {
  if (failed(CheckReducer(op, "body", body, static_cast<int64_t>(inputs.size()))) ||
      failed(CheckFolds(op, body, inputs.getTypes(), op->getResultTypes()))) {
    return failure();
  }
  return CheckFolds(op, body, inits.getTypes(), op->getResultTypes());
}

}  // namespace

LogicalResult ReduceOp::verify() {
  if (failed(CheckInputs(*this, getInputs(), getInitValues(), getResults()))) return failure();  // (C1) (C3)
  const RankedTensorType input = TensorType(getInputs()[0]);
  if (failed(CheckDimensions(*this, "dimensions", getDimensions(), input.getRank()))) return failure();  // (C4) (C5)
  llvm::SmallVector<int64_t> shape;
  for (int64_t i = 0; i < input.getRank(); ++i) {
    if (!llvm::is_contained(getDimensions(), i)) shape.push_back(input.getDimSize(i));
  }
  // (C7)
  for (mlir::Value result : getResults()) {
    if (failed(CheckShape(*this, "result", TensorType(result), shape))) return failure();
  }
  return success();
}

LogicalResult ReduceOp::verifyRegions() {
  return CheckBody(*this, getBody(), getInputs(), getInitValues());  // (C2) (C6) (C8)
}

LogicalResult ReduceWindowOp::verify() {
  if (failed(CheckInputs(*this, getInputs(), getInitValues(), getResults()))) return failure();  // (C1) (C2)
  const RankedTensorType input = TensorType(getInputs()[0]);
  // (C4)
  if (failed(CheckCount(*this, "window_dimensions", getWindowDimensions().size(), input.getRank()))) return failure();
  // (C5) to (C12)
  auto window = CheckWindow(*this, getWindowDimensions(), getWindowStrides(), getPaddingAttr(), getBaseDilations(),
                            getWindowDilations());
  if (failed(window)) return failure();
  llvm::SmallVector<int64_t> shape;
  for (int64_t i = 0; i < input.getRank(); ++i) {
    auto places = WindowPlaces(*this, *window, i, input.getDimSize(i));
    if (failed(places)) return failure();
    shape.push_back(*places);
  }
  // (C14) (C15)
  for (mlir::Value result : getResults()) {
    if (failed(CheckShape(*this, "result", TensorType(result), shape))) return failure();
  }
  return success();
}

LogicalResult ReduceWindowOp::verifyRegions() {
  return CheckBody(*this, getBody(), getInputs(), getInitValues());  // (C3) (C13) (C16)
}

LogicalResult SelectAndScatterOp::verify() {
  const RankedTensorType operand = getOperand().getType();
  const llvm::SmallVector<int64_t> ones(operand.getRank(), 1);
  const llvm::ArrayRef<int64_t> size = getWindowDimensions().value_or(ones);
  if (failed(CheckScalar(*this, "init_value", getInitValue().getType())) ||
      failed(CheckCount(*this, "window_dimensions", size.size(), operand.getRank()))) {  // (C4)
    return failure();
  }
  // (C1), but that floats may differ in width
  const mlir::Type from = getSource().getType().getElementType();
  const bool floats = llvm::isa<mlir::FloatType>(from) && llvm::isa<mlir::FloatType>(operand.getElementType());
  if (!floats && failed(CheckElement(*this, operand, getSource().getType()))) return failure();
  // (C5) to (C8)
  auto window = CheckWindow(*this, size, getWindowStrides(), getPaddingAttr(), std::nullopt, std::nullopt);
  if (failed(window)) return failure();
  llvm::SmallVector<int64_t> shape;
  for (int64_t i = 0; i < operand.getRank(); ++i) {
    auto places = WindowPlaces(*this, *window, i, operand.getDimSize(i));
    if (failed(places)) return failure();
    shape.push_back(*places);
  }
  if (failed(CheckShape(*this, "source", getSource().getType(), shape))) return failure();  // (C2)
  // (C11)
  return CheckShape(*this, "result", getResult().getType(), operand.getShape());
}

LogicalResult SelectAndScatterOp::verifyRegions() {
  mlir::Builder builder(getContext());
  const mlir::Type scalar = RankedTensorType::get({}, getOperand().getType().getElementType());
  const llvm::SmallVector<mlir::Type> pair = {scalar, scalar};
  const llvm::SmallVector<mlir::Type> pred = {RankedTensorType::get({}, builder.getI1Type())};
  if (failed(CheckRegion(*this, "select", getSelect(), &pair, &pred)) ||  // (C9)
      failed(CheckReducer(*this, "scatter", getScatter(), 1))) {          // (C10)
    return failure();
  }
  // (C3): promotable, as the operand is; (C10) (C12)
  if (failed(CheckFolds(*this, getScatter(), {getInitValue().getType()}, {getResult().getType()}))) return failure();
  return CheckFolds(*this, getScatter(), {getOperand().getType()}, {getResult().getType()});
}

LogicalResult SortOp::verify() {
  if (getInputs().empty()) return emitOpError() << "needs an input";  // (C1)
  const int64_t rank = TensorType(getInputs()[0]).getRank();
  // (C4)
  const int64_t dimension = static_cast<int64_t>(getDimension());
  if (dimension < -rank || dimension >= rank) {
    return emitOpError() << "dimension " << dimension << " is out of range for rank " << rank;
  }
  // (C3)
  for (mlir::Value input : getInputs()) {
    if (failed(CheckShape(*this, "input", TensorType(input), TensorType(getInputs()[0]).getShape()))) return failure();
  }
  // (C2)
  return CheckTypes(*this, "result", getResultTypes(), getInputs().getTypes());
}

LogicalResult SortOp::verifyRegions() {
  mlir::Builder builder(getContext());
  llvm::SmallVector<mlir::Type> arguments;
  for (mlir::Value input : getInputs())
    arguments.append(2, RankedTensorType::get({}, TensorType(input).getElementType()));
  const llvm::SmallVector<mlir::Type> pred = {RankedTensorType::get({}, builder.getI1Type())};
  return CheckRegion(*this, "comparator", getComparator(), &arguments, &pred);  // (C5)
}

LogicalResult MapOp::verify() {
  // (C1): trait
  if (getInputs().empty()) return emitOpError() << "needs an input";  // (C2)
  const int64_t rank = TensorType(getInputs()[0]).getRank();
  // (C3)
  if (failed(CheckCount(*this, "dimensions", getDimensions().size(), rank))) return failure();
  for (auto [index, dimension] : llvm::enumerate(getDimensions())) {
    if (dimension != static_cast<int64_t>(index))
      return emitOpError() << "dimensions must count from 0, got " << dimension << " at place " << index;
  }
  return success();
}

LogicalResult MapOp::verifyRegions() {
  llvm::SmallVector<mlir::Type> arguments;
  for (mlir::Value input : getInputs())
    arguments.push_back(RankedTensorType::get({}, TensorType(input).getElementType()));
  const llvm::SmallVector<mlir::Type> result = {RankedTensorType::get({}, getResult().getType().getElementType())};
  return CheckRegion(*this, "computation", getComputation(), &arguments, &result);  // (C4)
}

// ---- Batch normalization: per feature one of scale, offset, mean and variance.

namespace {

// Labels: batch_norm_grad, batch_norm_inference and batch_norm_training.
LogicalResult CheckBatchNorm(mlir::Operation* op, int64_t feature_index, mlir::ValueRange full,
                             mlir::ValueRange per_feature) {
  const RankedTensorType operand = TensorType(full[0]);
  if (failed(CheckDimension(op, "feature_index", feature_index, operand.getRank())) ||  // (C1), (C1), (C1)
      failed(CheckBaseline(op, full.getTypes())) ||                                     // (C2), (C2), (C2)
      failed(CheckBaseline(op, {full[0].getType(), per_feature[0].getType()})) ||       // (C2), (C2), (C2)
      failed(CheckBaseline(op, per_feature.getTypes()))) {                              // (C2), (C2), (C2)
    return failure();
  }
  // (C3), (C7), (C7)
  for (mlir::Value value : full) {
    if (failed(CheckShape(op, "value", TensorType(value), operand.getShape()))) return failure();
  }
  // (C4) (C5), (C3) to (C6), (C3) to (C6)
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

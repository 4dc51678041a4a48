// (C1), (C2) ... are the constraints of the specification; convolution and dynamic_conv have the same.
#include "stablehlo/dialect/convolution_rules.h"

#include "mlir/Dialect/Quant/IR/QuantTypes.h"
#include "stablehlo/dialect/quantized_rules.h"
#include "stablehlo/dialect/shape_rules.h"

namespace treadle::stablehlo {

using mlir::failure;
using mlir::LogicalResult;
using mlir::RankedTensorType;
using mlir::ShapedType;
using mlir::success;

LogicalResult CheckPrecisions(mlir::Operation* op, std::optional<mlir::ArrayAttr> precisions) {
  if (!precisions || precisions->empty() || precisions->size() == 2) return success();
  return op->emitOpError() << "precision_config has " << precisions->size() << " entries, expected 2";
}

namespace {

LogicalResult CheckLayout(mlir::Operation* op, llvm::StringRef name, int64_t a, int64_t b,
                          llvm::ArrayRef<int64_t> spaces, int64_t rank) {
  llvm::SmallVector<int64_t> all = llvm::to_vector(spaces);
  all.push_back(a);
  all.push_back(b);
  if (failed(CheckCount(op, name, all.size(), rank))) return failure();
  return CheckDimensions(op, name, all, rank);
}

LogicalResult CheckLayouts(mlir::Operation* op, const ConvolutionParts& c) {
  const int64_t rank = c.lhs.getRank();
  if (failed(CheckLayout(op, "input dimensions", c.numbers.getInputBatchDimension(),
                         c.numbers.getInputFeatureDimension(), c.numbers.getInputSpatialDimensions(),
                         rank)) ||  // (C12) (C13)
      failed(CheckLayout(op, "kernel dimensions", c.numbers.getKernelInputFeatureDimension(),
                         c.numbers.getKernelOutputFeatureDimension(), c.numbers.getKernelSpatialDimensions(),
                         rank)) ||  // (C17) (C18)
      failed(CheckLayout(op, "output dimensions", c.numbers.getOutputBatchDimension(),
                         c.numbers.getOutputFeatureDimension(), c.numbers.getOutputSpatialDimensions(),
                         rank)) ||                                         // (C19) (C20)
      failed(CheckCount(op, "kernel shape", c.rhs.getRank(), rank)) ||     // (C1)
      failed(CheckCount(op, "result shape", c.result.getRank(), rank))) {  // (C26)
    return failure();
  }
  return success();
}

LogicalResult CheckFeatures(mlir::Operation* op, const ConvolutionParts& c) {
  if (c.feature_group_count < 1 || c.batch_group_count < 1)
    return op->emitOpError() << "needs group counts of at least 1";  // (C21) (C22)
  if (c.feature_group_count > 1 && c.batch_group_count > 1)
    return op->emitOpError() << "has groups of features and of batches";  // (C23)
  const int64_t batch = c.lhs.getDimSize(c.numbers.getInputBatchDimension());
  const int64_t features = c.lhs.getDimSize(c.numbers.getInputFeatureDimension());
  const int64_t out_features = c.rhs.getDimSize(c.numbers.getKernelOutputFeatureDimension());
  if (failed(CheckMultiple(op, "input feature size", features, c.feature_group_count)) ||       // (C11)
      failed(CheckMultiple(op, "output feature size", out_features, c.feature_group_count)) ||  // (C16)
      failed(CheckMultiple(op, "output feature size", out_features, c.batch_group_count)) ||    // (C15)
      failed(CheckMultiple(op, "batch size", batch, c.batch_group_count))) {                    // (C10)
    return failure();
  }
  if (ShapedType::isDynamic(features)) return success();
  return CheckSameSize(op, "feature sizes of input and kernel", features / c.feature_group_count,
                       c.rhs.getDimSize(c.numbers.getKernelInputFeatureDimension()));  // (C14)
}

// (C27) is not asked: programs multiply different float types, and say by the result's type in which they sum.
LogicalResult CheckElements(mlir::Operation* op, const ConvolutionParts& c) {
  const mlir::Type lhs = c.lhs.getElementType();
  const mlir::Type rhs = c.rhs.getElementType();
  const mlir::Type result = c.result.getElementType();
  if (!IsQuantized(lhs) && !IsQuantized(rhs) && !IsQuantized(result)) return success();
  auto check_axis = [&](llvm::StringRef name, mlir::Type element, int64_t feature) -> LogicalResult {
    auto axis = llvm::dyn_cast<mlir::quant::UniformQuantizedPerAxisType>(element);
    if (!axis || axis.getQuantizedDimension() == feature) return success();
    return op->emitOpError() << "the quantized dimension of " << name << " is " << axis.getQuantizedDimension()
                             << ", expected its output feature dimension " << feature;
  };
  if (failed(check_axis("rhs", rhs, c.numbers.getKernelOutputFeatureDimension())) ||  // (C29)
      failed(check_axis("result", result, c.numbers.getOutputFeatureDimension()))) {  // (C30)
    return failure();
  }
  return CheckQuantizedProduct(op, lhs, rhs, result);  // (C28), (C31) to (C34)
}

}  // namespace

LogicalResult CheckConvolution(mlir::Operation* op, const ConvolutionParts& c, mlir::DenseIntElementsAttr padding,
                               bool padding_known) {
  if (failed(CheckPrecisions(op, c.precision_config)) ||  // (C24)
      failed(CheckLayouts(op, c)) || failed(CheckFeatures(op, c)) || failed(CheckElements(op, c))) {
    return failure();
  }
  // A kernel may be empty: its extent is 0. Sizes that are not known are left out below.
  llvm::SmallVector<int64_t> kernel;
  for (int64_t i : c.numbers.getKernelSpatialDimensions())
    kernel.push_back(c.rhs.isDynamicDim(i) ? 1 : c.rhs.getDimSize(i));
  llvm::SmallVector<int64_t> at_least_one;
  for (int64_t size : kernel) at_least_one.push_back(std::max<int64_t>(size, 1));
  // (C2) to (C8)
  auto window = CheckWindow(op, at_least_one, c.window_strides, padding, c.lhs_dilation, c.rhs_dilation);
  if (failed(window)) return failure();
  window->size = kernel;
  if (c.window_reversal && failed(CheckCount(op, "window_reversal", c.window_reversal->size(), kernel.size())))
    return failure();  // (C9)
  // (C25)
  llvm::SmallVector<int64_t> shape(c.lhs.getRank());
  const int64_t batch = c.lhs.getDimSize(c.numbers.getInputBatchDimension());
  shape[c.numbers.getOutputBatchDimension()] = ShapedType::isDynamic(batch) ? batch : batch / c.batch_group_count;
  shape[c.numbers.getOutputFeatureDimension()] = c.rhs.getDimSize(c.numbers.getKernelOutputFeatureDimension());
  for (size_t i = 0; i < kernel.size(); ++i) {
    const int64_t size = c.lhs.getDimSize(c.numbers.getInputSpatialDimensions()[i]);
    auto places = WindowPlaces(op, *window, static_cast<int64_t>(i), size);
    if (failed(places)) return failure();
    const bool known = padding_known && !c.rhs.isDynamicDim(c.numbers.getKernelSpatialDimensions()[i]);
    shape[c.numbers.getOutputSpatialDimensions()[i]] = known ? *places : ShapedType::kDynamic;
  }
  return CheckShape(op, "result", c.result, shape);
}

}  // namespace treadle::stablehlo

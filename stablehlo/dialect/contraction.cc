// Generated code of the operations that sum products, and their verifiers.
#include "stablehlo/dialect/assembly.h"
#include "stablehlo/dialect/ops.h"
#include "stablehlo/dialect/shape_rules.h"

#define GET_OP_CLASSES
#include "stablehlo/dialect/contraction.cc.inc"

namespace treadle::stablehlo {

using mlir::failure;
using mlir::LogicalResult;
using mlir::RankedTensorType;
using mlir::ShapedType;
using mlir::success;

void StablehloDialect::RegisterContractionOps() {
  addOperations<
#define GET_OP_LIST
#include "stablehlo/dialect/contraction.cc.inc"
      >();
}

namespace {

// Batching and contracting dimensions of one operand together: in range, none twice.
LogicalResult CheckDotOperand(mlir::Operation* op, llvm::StringRef name, llvm::ArrayRef<int64_t> batch,
                              llvm::ArrayRef<int64_t> contract, int64_t rank) {
  llvm::SmallVector<int64_t> both = llvm::to_vector(batch);
  llvm::append_range(both, contract);
  return CheckDimensions(op, name, both, rank);
}

LogicalResult CheckSameSizes(mlir::Operation* op, llvm::StringRef what, RankedTensorType lhs,
                             llvm::ArrayRef<int64_t> lhs_dims, RankedTensorType rhs, llvm::ArrayRef<int64_t> rhs_dims) {
  if (failed(CheckCount(op, what, rhs_dims.size(), lhs_dims.size()))) return failure();
  for (auto [l, r] : llvm::zip(lhs_dims, rhs_dims)) {
    if (failed(CheckSameSize(op, what, lhs.getDimSize(l), rhs.getDimSize(r)))) return failure();
  }
  return success();
}

LogicalResult CheckPrecisions(mlir::Operation* op, std::optional<mlir::ArrayAttr> precisions) {
  if (!precisions || precisions->empty() || precisions->size() == 2) return success();
  return op->emitOpError() << "precision_config has " << precisions->size() << " entries, expected 2";
}

}  // namespace

LogicalResult DotGeneralOp::verify() {
  const DotDimensionNumbersAttr numbers = getDotDimensionNumbers();
  const RankedTensorType lhs = getLhs().getType();
  const RankedTensorType rhs = getRhs().getType();
  const llvm::ArrayRef<int64_t> lhs_batch = numbers.getLhsBatchingDimensions();
  const llvm::ArrayRef<int64_t> rhs_batch = numbers.getRhsBatchingDimensions();
  const llvm::ArrayRef<int64_t> lhs_contract = numbers.getLhsContractingDimensions();
  const llvm::ArrayRef<int64_t> rhs_contract = numbers.getRhsContractingDimensions();
  if (failed(CheckPrecisions(*this, getPrecisionConfig())) ||
      failed(CheckDotOperand(*this, "lhs dimensions", lhs_batch, lhs_contract, lhs.getRank())) ||
      failed(CheckDotOperand(*this, "rhs dimensions", rhs_batch, rhs_contract, rhs.getRank())) ||
      failed(CheckSameSizes(*this, "batching dimensions", lhs, lhs_batch, rhs, rhs_batch)) ||
      failed(CheckSameSizes(*this, "contracting dimensions", lhs, lhs_contract, rhs, rhs_contract))) {
    return failure();
  }
  llvm::SmallVector<int64_t> shape;
  for (int64_t i : lhs_batch) shape.push_back(lhs.getDimSize(i));
  auto append_rest = [&](RankedTensorType type, llvm::ArrayRef<int64_t> batch, llvm::ArrayRef<int64_t> contract) {
    for (int64_t i = 0; i < type.getRank(); ++i) {
      if (!llvm::is_contained(batch, i) && !llvm::is_contained(contract, i)) shape.push_back(type.getDimSize(i));
    }
  };
  append_rest(lhs, lhs_batch, lhs_contract);
  append_rest(rhs, rhs_batch, rhs_contract);
  return CheckShape(*this, "result", getResult().getType(), shape);
}

// ---- Convolution.

namespace {

LogicalResult CheckLayout(mlir::Operation* op, llvm::StringRef name, int64_t a, int64_t b,
                          llvm::ArrayRef<int64_t> spaces, int64_t rank) {
  llvm::SmallVector<int64_t> all = llvm::to_vector(spaces);
  all.push_back(a);
  all.push_back(b);
  if (failed(CheckCount(op, name, all.size(), rank))) return failure();
  return CheckDimensions(op, name, all, rank);
}

LogicalResult CheckDivides(mlir::Operation* op, llvm::StringRef what, int64_t size, int64_t parts) {
  if (ShapedType::isDynamic(size) || size % parts == 0) return success();
  return op->emitOpError() << what << " " << size << " is no multiple of " << parts;
}

LogicalResult CheckFeatures(ConvolutionOp op, RankedTensorType lhs, RankedTensorType rhs) {
  const ConvDimensionNumbersAttr numbers = op.getDimensionNumbers();
  const int64_t feature_groups = static_cast<int64_t>(op.getFeatureGroupCount());
  const int64_t batch_groups = static_cast<int64_t>(op.getBatchGroupCount());
  if (feature_groups < 1 || batch_groups < 1) return op.emitOpError() << "needs group counts of at least 1";
  if (feature_groups > 1 && batch_groups > 1) return op.emitOpError() << "has groups of features and of batches";
  const int64_t features = lhs.getDimSize(numbers.getInputFeatureDimension());
  const int64_t out_features = rhs.getDimSize(numbers.getKernelOutputFeatureDimension());
  if (failed(CheckDivides(op, "input feature size", features, feature_groups)) ||
      failed(CheckDivides(op, "output feature size", out_features, feature_groups)) ||
      failed(CheckDivides(op, "output feature size", out_features, batch_groups)) ||
      failed(CheckDivides(op, "batch size", lhs.getDimSize(numbers.getInputBatchDimension()), batch_groups))) {
    return failure();
  }
  if (ShapedType::isDynamic(features)) return success();
  return CheckSameSize(op, "feature sizes of input and kernel", features / feature_groups,
                       rhs.getDimSize(numbers.getKernelInputFeatureDimension()));
}

}  // namespace

LogicalResult ConvolutionOp::verify() {
  const ConvDimensionNumbersAttr numbers = getDimensionNumbers();
  const RankedTensorType lhs = getLhs().getType();
  const RankedTensorType rhs = getRhs().getType();
  const RankedTensorType result = getResult().getType();
  if (failed(CheckPrecisions(*this, getPrecisionConfig())) ||
      failed(CheckLayout(*this, "input dimensions", numbers.getInputBatchDimension(),
                         numbers.getInputFeatureDimension(), numbers.getInputSpatialDimensions(), lhs.getRank())) ||
      failed(CheckLayout(*this, "kernel dimensions", numbers.getKernelInputFeatureDimension(),
                         numbers.getKernelOutputFeatureDimension(), numbers.getKernelSpatialDimensions(),
                         lhs.getRank())) ||
      failed(CheckLayout(*this, "output dimensions", numbers.getOutputBatchDimension(),
                         numbers.getOutputFeatureDimension(), numbers.getOutputSpatialDimensions(), lhs.getRank())) ||
      failed(CheckCount(*this, "kernel shape", rhs.getRank(), lhs.getRank())) ||
      failed(CheckFeatures(*this, lhs, rhs))) {
    return failure();
  }
  llvm::SmallVector<int64_t> kernel;
  for (int64_t i : numbers.getKernelSpatialDimensions()) kernel.push_back(rhs.isDynamicDim(i) ? 1 : rhs.getDimSize(i));
  // An empty kernel has no window; its result is a sum of nothing.
  llvm::SmallVector<int64_t> at_least_one;
  for (int64_t size : kernel) at_least_one.push_back(std::max<int64_t>(size, 1));
  auto window =
      CheckWindow(*this, at_least_one, getWindowStrides(), getPaddingAttr(), getLhsDilation(), getRhsDilation());
  if (failed(window)) return failure();
  if (getWindowReversal() && failed(CheckCount(*this, "window_reversal", getWindowReversal()->size(), kernel.size()))) {
    return failure();
  }
  llvm::SmallVector<int64_t> shape(lhs.getRank());
  const int64_t batch = lhs.getDimSize(numbers.getInputBatchDimension());
  shape[numbers.getOutputBatchDimension()] =
      ShapedType::isDynamic(batch) ? batch : batch / static_cast<int64_t>(getBatchGroupCount());
  shape[numbers.getOutputFeatureDimension()] = rhs.getDimSize(numbers.getKernelOutputFeatureDimension());
  for (size_t i = 0; i < kernel.size(); ++i) {
    auto places =
        WindowPlaces(*this, *window, static_cast<int64_t>(i), lhs.getDimSize(numbers.getInputSpatialDimensions()[i]));
    if (failed(places)) return failure();
    const bool known = !rhs.isDynamicDim(numbers.getKernelSpatialDimensions()[i]) && kernel[i] > 0;
    shape[numbers.getOutputSpatialDimensions()[i]] = known ? *places : ShapedType::kDynamic;
  }
  return CheckShape(*this, "result", result, shape);
}

// ---- Transforms and solvers.

LogicalResult FftOp::verify() {
  const int64_t rank = getOperand().getType().getRank();
  const int64_t count = static_cast<int64_t>(getFftLength().size());
  if (count < 1 || count > 3 || count > rank)
    return emitOpError() << "transforms " << count << " dimensions of " << rank;
  if (failed(CheckAtLeast(*this, "fft_length", getFftLength(), 0))) return failure();
  const bool real_in = getFftType() == FftType::RFFT;
  const bool real_out = getFftType() == FftType::IRFFT;
  auto is_complex = [](RankedTensorType type) { return llvm::isa<mlir::ComplexType>(type.getElementType()); };
  if (is_complex(getOperand().getType()) == real_in || is_complex(getResult().getType()) == real_out) {
    return emitOpError() << stringifyFftType(getFftType()) << " cannot take " << getOperand().getType() << " to "
                         << getResult().getType();
  }
  llvm::SmallVector<int64_t> in = llvm::to_vector(getOperand().getType().getShape());
  llvm::SmallVector<int64_t> out = in;
  for (int64_t i = 0; i < count; ++i) in[rank - count + i] = out[rank - count + i] = getFftLength()[i];
  // Half of a real signal's spectrum says all.
  const int64_t last = getFftLength().back();
  (real_in ? out : in)[rank - 1] = real_in || real_out ? (last == 0 ? 0 : last / 2 + 1) : last;
  if (failed(CheckShape(*this, "operand", getOperand().getType(), in))) return failure();
  return CheckShape(*this, "result", getResult().getType(), out);
}

LogicalResult CholeskyOp::verify() {
  const RankedTensorType a = getA().getType();
  if (a.getRank() < 2) return emitOpError() << "needs matrices, got " << a;
  return CheckSameSize(*this, "sizes of the matrix", a.getDimSize(a.getRank() - 1), a.getDimSize(a.getRank() - 2));
}

LogicalResult TriangularSolveOp::verify() {
  const RankedTensorType a = getA().getType();
  const RankedTensorType b = getB().getType();
  const int64_t rank = a.getRank();
  if (rank < 2 || b.getRank() != rank) return emitOpError() << "needs matrices of one rank, got " << a << " and " << b;
  if (getTransposeA() == Transpose::TRANSPOSE_INVALID) return emitOpError() << "has an invalid transpose_a";
  if (failed(CheckSameSize(*this, "sizes of the matrix", a.getDimSize(rank - 1), a.getDimSize(rank - 2))) ||
      failed(CheckSameSize(*this, "sizes of a and b", a.getDimSize(rank - 1),
                           b.getDimSize(rank - (getLeftSide() ? 2 : 1))))) {
    return failure();
  }
  for (int64_t i = 0; i + 2 < rank; ++i) {
    if (failed(CheckSameSize(*this, "batch sizes of a and b", a.getDimSize(i), b.getDimSize(i)))) return failure();
  }
  return CheckTypes(*this, "result", getResult().getType(), b);
}

}  // namespace treadle::stablehlo

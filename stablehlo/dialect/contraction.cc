// Generated code of the operations that sum products, and their verifiers. (C1), (C2) ... are the constraints of the
// specification.
#include "mlir/Dialect/Quant/IR/QuantTypes.h"
#include "stablehlo/dialect/assembly.h"
#include "stablehlo/dialect/convolution_rules.h"
#include "stablehlo/dialect/ops.h"
#include "stablehlo/dialect/quantized_rules.h"
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

LogicalResult CheckDotAlgorithm(DotGeneralOp op) {
  const std::optional<DotAlgorithmAttr> algorithm = op.getAlgorithm();
  if (!algorithm) return success();
  const auto precisions = op.getPrecisionConfig();
  for (mlir::Attribute precision : precisions ? precisions->getValue() : llvm::ArrayRef<mlir::Attribute>()) {
    if (llvm::cast<PrecisionAttr>(precision).getValue() != Precision::DEFAULT)  // (C21)
      return op.emitOpError() << "names both an algorithm and the precision " << precision;
  }
  const int64_t counts[] = {algorithm->getLhsComponentCount(), algorithm->getRhsComponentCount(),
                            algorithm->getNumPrimitiveOperations()};
  return CheckAtLeast(op, "counts of the algorithm", counts, 1);  // (C22) (C23) (C24)
}

LogicalResult CheckQuantizedDot(DotGeneralOp op) {
  const mlir::Type lhs = op.getLhs().getType().getElementType();
  const mlir::Type rhs = op.getRhs().getType().getElementType();
  const mlir::Type result = op.getResult().getType().getElementType();
  if (!IsQuantized(lhs) && !IsQuantized(rhs) && !IsQuantized(result)) return success();
  bool centered = true;
  if (auto tensor = llvm::dyn_cast<mlir::quant::UniformQuantizedType>(rhs)) centered = tensor.getZeroPoint() == 0;
  if (auto axis = llvm::dyn_cast<mlir::quant::UniformQuantizedPerAxisType>(rhs)) {
    centered = llvm::all_of(axis.getZeroPoints(), [](int64_t zero_point) { return zero_point == 0; });
    const int64_t dimension = axis.getQuantizedDimension();
    if (llvm::is_contained(op.getDotDimensionNumbers().getRhsContractingDimensions(), dimension))  // (C16)
      return op.emitOpError() << "contracts the quantized dimension " << dimension << " of rhs";
  }
  if (!centered) return op.emitOpError() << "needs zero points of 0 in rhs, got " << rhs;  // (C15)
  return CheckQuantizedProduct(op, lhs, rhs, result);                                      // (C14), (C17) to (C20)
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
  // (C13) is not asked: programs multiply different float types, and say by the result's type in which they sum.
  if (failed(CheckPrecisions(*this, getPrecisionConfig())) ||                                           // (C11)
      failed(CheckDotDimensions(*this, lhs, lhs_batch, lhs_contract, rhs, rhs_batch, rhs_contract)) ||  // (C1) to (C10)
      failed(CheckDotAlgorithm(*this)) || failed(CheckQuantizedDot(*this))) {
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
  // (C12)
  return CheckShape(*this, "result", getResult().getType(), shape);
}

LogicalResult ConvolutionOp::verify() {
  return CheckConvolution(*this, PartsOf(*this), getPaddingAttr(), /*padding_known=*/true);
}

// ---- Transforms and solvers.

LogicalResult FftOp::verify() {
  const int64_t rank = getOperand().getType().getRank();
  const int64_t count = static_cast<int64_t>(getFftLength().size());
  if (count < 1 || count > 3 || count > rank)  // (C1) (C3)
    return emitOpError() << "transforms " << count << " dimensions of " << rank;
  if (failed(CheckAtLeast(*this, "fft_length", getFftLength(), 0))) return failure();
  const bool real_in = getFftType() == FftType::RFFT;
  const bool real_out = getFftType() == FftType::IRFFT;
  // (C2)
  auto is_complex = [](RankedTensorType type) { return llvm::isa<mlir::ComplexType>(type.getElementType()); };
  auto part = [](RankedTensorType type) {
    auto complex = llvm::dyn_cast<mlir::ComplexType>(type.getElementType());
    return complex ? complex.getElementType() : type.getElementType();
  };
  if (is_complex(getOperand().getType()) == real_in || is_complex(getResult().getType()) == real_out ||
      part(getOperand().getType()) != part(getResult().getType())) {
    return emitOpError() << stringifyFftType(getFftType()) << " cannot take " << getOperand().getType() << " to "
                         << getResult().getType();
  }
  llvm::SmallVector<int64_t> in = llvm::to_vector(getOperand().getType().getShape());
  llvm::SmallVector<int64_t> out = in;
  for (int64_t i = 0; i < count; ++i) in[rank - count + i] = out[rank - count + i] = getFftLength()[i];
  // (C4) (C5), and of complex operands the lengths too. Half of a real signal's spectrum says all.
  const int64_t last = getFftLength().back();
  (real_in ? out : in)[rank - 1] = real_in || real_out ? (last == 0 ? 0 : last / 2 + 1) : last;
  if (failed(CheckShape(*this, "operand", getOperand().getType(), in))) return failure();
  return CheckShape(*this, "result", getResult().getType(), out);
}

LogicalResult CholeskyOp::verify() {
  // (C1): traits
  const RankedTensorType a = getA().getType();
  if (a.getRank() < 2) return emitOpError() << "needs matrices, got " << a;  // (C2)
  // (C3)
  return CheckSameSize(*this, "sizes of the matrix", a.getDimSize(a.getRank() - 1), a.getDimSize(a.getRank() - 2));
}

LogicalResult TriangularSolveOp::verify() {
  const RankedTensorType a = getA().getType();
  const RankedTensorType b = getB().getType();
  const int64_t rank = a.getRank();
  // (C1): trait; (C2)
  if (rank < 2 || b.getRank() != rank) return emitOpError() << "needs matrices of one rank, got " << a << " and " << b;
  if (getTransposeA() == Transpose::TRANSPOSE_INVALID) return emitOpError() << "has an invalid transpose_a";
  // (C3)
  if (failed(CheckSameSize(*this, "sizes of the matrix", a.getDimSize(rank - 1), a.getDimSize(rank - 2))) ||
      failed(CheckSameSize(*this, "sizes of a and b", a.getDimSize(rank - 1),
                           b.getDimSize(rank - (getLeftSide() ? 2 : 1))))) {
    return failure();
  }
  for (int64_t i = 0; i + 2 < rank; ++i) {
    if (failed(CheckSameSize(*this, "batch sizes of a and b", a.getDimSize(i), b.getDimSize(i)))) return failure();
  }
  return CheckTypes(*this, "result", getResult().getType(), b);  // (C4)
}

}  // namespace treadle::stablehlo

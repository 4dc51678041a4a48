#include "compiler/optimize/import_algorithms.h"

#include <algorithm>
#include <memory>
#include <utility>
#include <vector>

#include "compiler/optimize/describe.h"
#include "stablehlo/dialect/ops.h"

namespace treadle::compiler {
namespace {

using graph::Algorithm;
using graph::AlgorithmCall;
using graph::OpCode;
using graph::ValueId;

// The kinds of one-dimensional transforms, as kernels::fft::FftKind numbers them.
enum Transform : int64_t { kForward, kInverse, kRealInput, kRealResult };

graph::Attributes AttributesOf(AlgorithmCall call) {
  graph::Attributes attrs;
  attrs.call = std::make_shared<const AlgorithmCall>(std::move(call));
  return attrs;
}

bool IsComputed(ElementType type) { return type == ElementType::kF32 || type == ElementType::kF64; }
bool IsHalf(ElementType type) { return type == ElementType::kF16 || type == ElementType::kBF16; }

}  // namespace

bool IsAlgorithm(mlir::Operation* op) {
  return llvm::isa<stablehlo::FftOp, stablehlo::CholeskyOp, stablehlo::TriangularSolveOp>(op);
}

std::optional<Algorithm> AlgorithmOfTarget(llvm::StringRef target) {
  if (target == "LuDecomposition") return Algorithm::kLu;
  if (target == "Qr") return Algorithm::kQr;
  if (target == "ProductOfElementaryHouseholderReflectors") return Algorithm::kReflectorProduct;
  if (target == "Eigh") return Algorithm::kEigh;
  if (target == "treadle.svd") return Algorithm::kSvd;
  if (target == "treadle.tridiagonal_solve") return Algorithm::kTridiagonalSolve;
  return std::nullopt;
}

Status AlgorithmImporter::Import(mlir::Operation* op, graph::RegionId region, int32_t location) {
  const Place place = {region, location};
  if (llvm::isa<stablehlo::FftOp>(op)) return ImportFft(op, place);
  if (auto cholesky = llvm::dyn_cast<stablehlo::CholeskyOp>(op))
    return Call(op, {.algorithm = Algorithm::kCholesky, .numbers = {cholesky.getLower()}}, place);
  auto solve = llvm::cast<stablehlo::TriangularSolveOp>(op);
  const int64_t transpose = solve.getTransposeA() == stablehlo::Transpose::TRANSPOSE ? 1
                            : solve.getTransposeA() == stablehlo::Transpose::ADJOINT ? 2
                                                                                     : 0;
  return Call(op,
              {.algorithm = Algorithm::kTriangularSolve,
               .numbers = {solve.getLeftSide(), solve.getLower(), solve.getUnitDiagonal(), transpose}},
              place);
}

namespace {

// What a custom call has to look like for its kernel: the last dimensions of its operands and results, behind those of
// the batch, and the results' elements.
struct Signature {
  enum Element : uint8_t { kSame, kReal, kInt32 };
  struct Result {
    std::vector<int64_t> dims;
    Element element = kSame;
  };
  std::vector<std::vector<int64_t>> operands;
  std::vector<Result> results;
};

Signature SignatureOf(Algorithm algorithm, int64_t m, int64_t n, int64_t k, bool all) {
  const int64_t least = std::min(m, n);
  switch (algorithm) {
    case Algorithm::kLu:
      return {{{m, n}}, {{{m, n}}, {{least}, Signature::kInt32}, {{m}, Signature::kInt32}}};
    case Algorithm::kQr:
      return {{{m, n}}, {{{m, n}}, {{least}}}};
    case Algorithm::kReflectorProduct:
      return {{{m, n}, {k}}, {{{m, n}}}};
    case Algorithm::kEigh:
      return {{{n, n}}, {{{n, n}}, {{n}, Signature::kReal}}};
    case Algorithm::kSvd:
      return {{{m, n}}, {{{least}, Signature::kReal}, {{m, all ? m : least}}, {{all ? n : least, n}}}};
    default:  // kTridiagonalSolve
      return {{{m}, {m}, {m}, {m, n}}, {{{m, n}}}};
  }
}

bool Fits(mlir::Type type, llvm::ArrayRef<int64_t> batch, llvm::ArrayRef<int64_t> dims, mlir::Type element) {
  auto tensor = llvm::dyn_cast<mlir::RankedTensorType>(type);
  if (!tensor || tensor.getElementType() != element) return false;
  llvm::SmallVector<int64_t> shape(batch);
  llvm::append_range(shape, dims);
  return tensor.getShape() == llvm::ArrayRef<int64_t>(shape);
}

// Kernels write what they are sized for: a program that says anything else is none. `of`: the operand whose last
// dimensions are m and n.
Status CheckSignature(mlir::Operation* op, Algorithm algorithm, unsigned of, bool all) {
  if (op->getNumOperands() <= of) return InvalidArgument("a wrong number of operands or results: " + Describe(op));
  auto matrix = llvm::dyn_cast<mlir::RankedTensorType>(op->getOperand(of).getType());
  if (!matrix || matrix.getRank() < 2) return InvalidArgument("not a matrix: " + Describe(op));
  const int64_t m = matrix.getShape().end()[-2], n = matrix.getShape().back();
  int64_t k = 0;
  if (algorithm == Algorithm::kReflectorProduct && op->getNumOperands() == 2) {
    auto tau = llvm::dyn_cast<mlir::RankedTensorType>(op->getOperand(1).getType());
    if (tau && tau.getRank() > 0) k = tau.getShape().back();
    if (k > n || n > m) return InvalidArgument("more reflectors than columns, or columns than rows: " + Describe(op));
  }
  if (algorithm == Algorithm::kSvd && m * n == 0) return NotYet(op, "of nothing");  // but some of its results
  const Signature signature = SignatureOf(algorithm, m, n, k, all);
  if (op->getNumOperands() != signature.operands.size() || op->getNumResults() != signature.results.size())
    return InvalidArgument("a wrong number of operands or results: " + Describe(op));
  const llvm::ArrayRef<int64_t> batch = matrix.getShape().drop_back(2);
  const mlir::Type element = matrix.getElementType();
  auto complex = llvm::dyn_cast<mlir::ComplexType>(element);
  const mlir::Type real = complex ? complex.getElementType() : element, integer = mlir::Builder(op).getI32Type();
  bool fits = true;
  for (auto [operand, dims] : llvm::zip(op->getOperandTypes(), signature.operands))
    fits = fits && Fits(operand, batch, dims, element);
  for (auto [type, result] : llvm::zip(op->getResultTypes(), signature.results)) {
    const mlir::Type of_result = result.element == Signature::kReal    ? real
                                 : result.element == Signature::kInt32 ? integer
                                                                       : element;
    fits = fits && Fits(type, batch, result.dims, of_result);
  }
  return fits ? OkStatus() : InvalidArgument("operands or results of shapes that do not fit: " + Describe(op));
}

}  // namespace

Status AlgorithmImporter::ImportTarget(mlir::Operation* op, Algorithm algorithm, graph::RegionId region,
                                       int32_t location) {
  auto config = op->getAttrOfType<mlir::StringAttr>("backend_config");
  const llvm::StringRef says = config ? config.getValue() : "";
  AlgorithmCall call = {.algorithm = algorithm};
  if (algorithm == Algorithm::kEigh) {  // "lower,sorted,steps,tolerance"
    if (!config) return NotYet(op, "without a configuration");
    call.numbers = {!says.starts_with("0")};
  }
  if (algorithm == Algorithm::kSvd) call.numbers = {says == "all"};
  if (algorithm == Algorithm::kTridiagonalSolve) call.numbers = {says == "perturb"};
  const bool all = algorithm == Algorithm::kSvd && call.numbers[0] != 0;
  TREADLE_RETURN_IF_ERROR(CheckSignature(op, algorithm, algorithm == Algorithm::kTridiagonalSolve ? 3 : 0, all));
  return Call(op, std::move(call), {region, location});
}

// Dimension by dimension: the innermost one first where that makes complex numbers, and last where it makes real ones.
Status AlgorithmImporter::ImportFft(mlir::Operation* op, Place place) {
  auto fft = llvm::cast<stablehlo::FftOp>(op);
  TREADLE_ASSIGN_OR_RETURN(Shape shape, ShapeOf(op->getOperand(0).getType(), op));
  TREADLE_ASSIGN_OR_RETURN(const Shape result, ShapeOf(op->getResult(0).getType(), op));
  const ElementType part = IsComplex(shape.type) ? PartShape(shape).type : shape.type;
  if (!IsComputed(part)) return NotYet(op);
  const stablehlo::FftType type = fft.getFftType();
  const bool real_in = type == stablehlo::FftType::RFFT, real_out = type == stablehlo::FftType::IRFFT;
  const std::vector<int64_t> lengths = fft.getFftLength().vec();
  const int64_t rank = shape.rank(), first = rank - static_cast<int64_t>(lengths.size());

  const Complex operand = values_.lookup(op->getOperand(0));
  Formula f(graph_, place.region, real_in ? shape : PartShape(shape), place.location);
  ValueId value = real_in ? operand.re : pairs_.Pairs(f, operand);
  std::vector<int64_t> dims = shape.dims;
  auto transform = [&](Transform kind, int64_t dim) {
    const int64_t n = lengths[dim - first];
    if (kind == kRealInput) dims[dim] = n / 2 + 1;
    if (kind == kRealResult) dims[dim] = n;
    Shape out = {part, dims};
    if (kind != kRealResult) out.dims.push_back(2);
    value = f.Op(OpCode::kAlgorithm, {value}, std::move(out),
                 AttributesOf({.algorithm = Algorithm::kFft, .complex = true, .numbers = {kind, n, dim}}));
  };
  const Transform plain = type == stablehlo::FftType::FFT || real_in ? kForward : kInverse;
  if (real_in) transform(kRealInput, rank - 1);
  for (int64_t dim = real_in || real_out ? rank - 2 : rank - 1; dim >= first; --dim) transform(plain, dim);
  if (real_out) transform(kRealResult, rank - 1);
  if (real_out) {
    values_[op->getResult(0)] = {value};
  } else {
    Formula parts(graph_, place.region, PartShape(result), place.location);
    values_[op->getResult(0)] = pairs_.Parts(parts, value);
  }
  return OkStatus();
}

Status AlgorithmImporter::Call(mlir::Operation* op, AlgorithmCall call, Place place) {
  std::vector<ValueId> operands;
  for (mlir::Value operand : op->getOperands()) {
    TREADLE_ASSIGN_OR_RETURN(Shape shape, ShapeOf(operand.getType(), op));
    const Complex parts = values_.lookup(operand);
    if (parts.im >= 0) {
      Formula f(graph_, place.region, PartShape(shape), place.location);
      operands.push_back(pairs_.Pairs(f, parts));
      call.complex = true;
    } else if (IsHalf(shape.type)) {
      Formula f(graph_, place.region, {ElementType::kF32, shape.dims}, place.location);
      operands.push_back(f.Apply(OpCode::kConvert, {parts.re}));
    } else if (IsComputed(shape.type)) {
      operands.push_back(parts.re);
    } else {
      return NotYet(op);
    }
  }
  std::vector<Shape> wanted, shapes;
  for (mlir::Type type : op->getResultTypes()) {
    TREADLE_ASSIGN_OR_RETURN(Shape shape, ShapeOf(type, op));
    wanted.push_back(shape);
    if (IsHalf(shape.type)) shape.type = ElementType::kF32;
    shapes.push_back(IsComplex(shape.type) ? PairShape(shape) : shape);
  }
  const graph::OpId id = graph_.AddOp(place.region, OpCode::kAlgorithm, std::move(operands), std::move(shapes),
                                      AttributesOf(std::move(call)), {}, place.location);
  for (size_t k = 0; k < wanted.size(); ++k) {
    const ValueId value = graph_.ops[id].results[k];
    Complex& result = values_[op->getResult(k)];
    if (IsComplex(wanted[k].type)) {
      Formula f(graph_, place.region, PartShape(wanted[k]), place.location);
      result = pairs_.Parts(f, value);
    } else {
      Formula f(graph_, place.region, wanted[k], place.location);
      result = {IsHalf(wanted[k].type) ? f.Apply(OpCode::kConvert, {value}) : value};
    }
  }
  return OkStatus();
}

}  // namespace treadle::compiler

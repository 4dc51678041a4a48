// Conversions between element types, and quantized numbers.
#include <cmath>
#include <cstring>
#include <limits>

#include "mlir/Dialect/Quant/IR/QuantTypes.h"
#include "mlir/IR/TypeUtilities.h"
#include "stablehlo/dialect/ops.h"
#include "stablehlo/interpreter/evaluate.h"

namespace treadle::interpreter {

namespace {

// ---- convert.

// Truncated; what is out of range becomes the nearest integer of the type, NaN zero.
int64_t ToInteger(double value, ElementType type) {
  if (std::isnan(value)) return 0;
  const int bits = ElementBits(type) - (IsSigned(type) ? 1 : 0);
  const Extended limit = std::ldexp(Extended{1}, bits);
  const Extended low = IsSigned(type) ? -limit : 0;
  const Extended whole = std::trunc(static_cast<Extended>(value));
  if (whole <= low) return static_cast<int64_t>(low);
  if (whole >= limit) return static_cast<int64_t>(static_cast<uint64_t>(limit - 1));
  return IsSigned(type) ? static_cast<int64_t>(whole) : static_cast<int64_t>(static_cast<uint64_t>(whole));
}

Element ConvertElement(Element x, ElementType from, ElementType to) {
  const Kind kind = KindOf(from);
  const bool is_real = kind == Kind::kFloat || kind == Kind::kComplex;
  if (KindOf(to) == Kind::kBool) {
    return Element::OfBool(is_real ? x.real != 0 : x.integer != 0);  // of complex numbers the real part counts
  }
  if (IsInteger(to)) return Element::OfInteger(is_real ? ToInteger(x.real, to) : Wrap(x.integer, to));
  // Integers of 64 bits are exact in the extended format.
  const Extended value = is_real                 ? static_cast<Extended>(x.real)
                         : kind == Kind::kSigned ? static_cast<Extended>(x.integer)
                                                 : static_cast<Extended>(static_cast<uint64_t>(x.integer));
  return IsComplex(to) ? ComplexElement({value, x.imag}, to) : FloatElement(value, to);
}

StatusOr<Tensor> EvaluateConvert(stablehlo::ConvertOp, Frame& frame) {
  return ConvertTo(frame.tensor(0), mlir::getElementTypeOrSelf(frame.result_type(0)));
}

// ---- bitcast_convert.

// All bits of a tensor in order, those of an element from the lowest. Elements of less than a byte have fewer than
// memory has.
std::vector<bool> AllBits(const Tensor& tensor) {
  const int width = ElementBits(tensor.element_type());
  const int bytes = ElementBytes(tensor.element_type());
  std::vector<bool> bits;
  bits.reserve(tensor.size() * width);
  for (int64_t i = 0; i < tensor.size(); ++i) {
    for (int bit = 0; bit < width; ++bit) {
      bits.push_back((static_cast<unsigned char>(tensor.bytes()[i * bytes + bit / 8]) >> (bit % 8) & 1) != 0);
    }
  }
  return bits;
}

StatusOr<Tensor> EvaluateBitcastConvert(stablehlo::BitcastConvertOp, Frame& frame) {
  const Tensor& x = frame.tensor(0);
  TREADLE_ASSIGN_OR_RETURN(Tensor result, frame.Result());
  const int width = ElementBits(result.element_type());
  const int bytes = ElementBytes(result.element_type());
  const std::vector<bool> bits = AllBits(x);
  if (static_cast<int64_t>(bits.size()) != result.size() * width) return InvalidArgument("widths do not fit");
  std::string memory(result.size() * bytes, '\0');
  for (size_t i = 0; i < bits.size(); ++i) {
    const size_t bit = i % width;
    if (bits[i]) memory[i / width * bytes + bit / 8] |= static_cast<char>(1 << (bit % 8));
  }
  result.set_bytes(std::move(memory));
  // Narrow signed integers carry their sign through their byte.
  if (IsSigned(result.element_type()) && width < 8) {
    for (int64_t i = 0; i < result.size(); ++i) result.Set(i, result.Get(i));
  }
  return result;
}

// ---- reduce_precision.

// To a format with that many bits, and back: mantissas are rounded to nearest even, then numbers whose exponents are
// too large become infinite and those whose exponents are too small zero.
double ReducePrecision(double value, ElementType type, int exponent_bits, int mantissa_bits) {
  if (std::isnan(value)) {
    return mantissa_bits > 0 ? value : std::copysign(std::numeric_limits<double>::infinity(), value);
  }
  const FloatFormat format = FormatOf(type);
  const int width = ElementBits(type);
  const uint64_t sign_mask = uint64_t{1} << (width - 1);
  uint64_t bits = BitsOf(value, type);
  if (mantissa_bits < format.mantissa_bits) {
    const int dropped = format.mantissa_bits - mantissa_bits;
    const uint64_t last = uint64_t{1} << dropped;
    bits += (last >> 1) - 1 + ((bits & last) != 0 ? 1 : 0);
    bits &= ~(last - 1);
  }
  if (exponent_bits < format.exponent_bits) {
    const int bias = (1 << (format.exponent_bits - 1)) - 1;
    const int reduced_bias = (1 << (exponent_bits - 1)) - 1;
    const uint64_t exponent_mask = ((uint64_t{1} << format.exponent_bits) - 1) << format.mantissa_bits;
    const auto exponent = static_cast<int>((bits & exponent_mask) >> format.mantissa_bits);
    if (exponent > bias + reduced_bias) {
      bits = (bits & sign_mask) | exponent_mask;
    } else if (exponent <= bias - reduced_bias) {
      bits &= sign_mask;
    }
  }
  return FromBits(bits, type);
}

StatusOr<Tensor> EvaluateReducePrecision(stablehlo::ReducePrecisionOp op, Frame& frame) {
  const Tensor& x = frame.tensor(0);
  TREADLE_ASSIGN_OR_RETURN(Tensor result, frame.Result(0, x.shape()));
  for (int64_t i = 0; i < x.size(); ++i) {
    result.Set(i,
               Element::OfFloat(ReducePrecision(x.Get(i).real, x.element_type(), static_cast<int>(op.getExponentBits()),
                                                static_cast<int>(op.getMantissaBits()))));
  }
  return result;
}

// ---- Quantized numbers: real = (integer - zero_point) * scale.

struct Scales {
  ElementType expressed;
  Extended min;
  Extended max;
  int64_t dimension = -1;  // -1: one scale for all
  llvm::SmallVector<double> scales;
  llvm::SmallVector<int64_t> zero_points;
};

StatusOr<Scales> ScalesOf(mlir::Type element) {
  auto quantized = llvm::cast<mlir::quant::QuantizedType>(element);
  Scales scales;
  scales.expressed = StorageOf(quantized.getExpressedType());
  if (quantized.isSigned()) {
    scales.min = static_cast<Extended>(quantized.getStorageTypeMin());
    scales.max = static_cast<Extended>(quantized.getStorageTypeMax());
  } else {
    scales.min = static_cast<Extended>(static_cast<uint64_t>(quantized.getStorageTypeMin()));
    scales.max = static_cast<Extended>(static_cast<uint64_t>(quantized.getStorageTypeMax()));
  }
  if (auto uniform = llvm::dyn_cast<mlir::quant::UniformQuantizedType>(element)) {
    scales.scales.push_back(uniform.getScale());
    scales.zero_points.push_back(uniform.getZeroPoint());
    return scales;
  }
  auto per_axis = llvm::dyn_cast<mlir::quant::UniformQuantizedPerAxisType>(element);
  if (!per_axis) return Unimplemented("quantized numbers that are neither per tensor nor per axis");
  scales.dimension = per_axis.getQuantizedDimension();
  scales.scales.append(per_axis.getScales().begin(), per_axis.getScales().end());
  scales.zero_points.append(per_axis.getZeroPoints().begin(), per_axis.getZeroPoints().end());
  return scales;
}

// For each element f(place, scale, zero point).
template <typename F>
Status ForEachScale(const Scales& scales, const Tensor& tensor, F f) {
  if (scales.dimension >= tensor.rank() ||
      (scales.dimension >= 0 && tensor.dim(scales.dimension) != static_cast<int64_t>(scales.scales.size()))) {
    return InvalidArgument("scales do not fit the quantized dimension");
  }
  int64_t place = 0;
  ForEachIndex(tensor.shape(), [&](const Index& index) {
    const int64_t i = scales.dimension < 0 ? 0 : index[scales.dimension];
    f(place++, scales.scales[i], scales.zero_points[i]);
  });
  return OkStatus();
}

template <typename Op>
StatusOr<Tensor> EvaluateUniform(Op, Frame& frame) {  // either way: the wrapper does the rest
  TREADLE_ASSIGN_OR_RETURN(Tensor real, Dequantize(frame.tensor(0)));
  return Quantize(real, frame.result_type(0));
}

}  // namespace

StatusOr<Tensor> ConvertTo(const Tensor& tensor, mlir::Type element) {
  if (tensor.type().getElementType() == element) return tensor;
  TREADLE_ASSIGN_OR_RETURN(Tensor result, Tensor::Zeros(mlir::RankedTensorType::get(tensor.shape(), element)));
  for (int64_t i = 0; i < tensor.size(); ++i) {
    result.Set(i, ConvertElement(tensor.Get(i), tensor.element_type(), result.element_type()));
  }
  return result;
}

bool IsQuantized(mlir::Type type) { return llvm::isa<mlir::quant::QuantizedType>(mlir::getElementTypeOrSelf(type)); }

mlir::Type ExpressedType(mlir::Type type) {
  auto quantized = llvm::dyn_cast<mlir::quant::QuantizedType>(mlir::getElementTypeOrSelf(type));
  return quantized ? llvm::cast<mlir::RankedTensorType>(type).clone(quantized.getExpressedType()) : type;
}

// (integer - zero_point) * scale, in the expressed type.
StatusOr<Tensor> Dequantize(const Tensor& tensor) {
  if (!IsQuantized(tensor.type())) return tensor;
  TREADLE_ASSIGN_OR_RETURN(Scales scales, ScalesOf(tensor.type().getElementType()));
  TREADLE_ASSIGN_OR_RETURN(Tensor result,
                           Tensor::Zeros(llvm::cast<mlir::RankedTensorType>(ExpressedType(tensor.type()))));
  TREADLE_RETURN_IF_ERROR(ForEachScale(scales, tensor, [&](int64_t place, double scale, int64_t zero_point) {
    const Extended difference = static_cast<Extended>(tensor.Get(place).integer) - zero_point;
    const double factor = Round(scale, scales.expressed);
    result.Set(place, FloatElement(Round(difference, scales.expressed) * factor, scales.expressed));
  }));
  return result;
}

// clamp(min, real / scale + zero_point, max), rounded to the nearest even integer; every step in the expressed type.
StatusOr<Tensor> Quantize(const Tensor& tensor, mlir::Type type) {
  if (!IsQuantized(type) || IsQuantized(tensor.type())) return tensor;
  auto result_type = llvm::cast<mlir::RankedTensorType>(type).clone(tensor.shape());
  TREADLE_ASSIGN_OR_RETURN(Scales scales, ScalesOf(result_type.getElementType()));
  TREADLE_ASSIGN_OR_RETURN(Tensor result, Tensor::Zeros(llvm::cast<mlir::RankedTensorType>(result_type)));
  const ElementType expressed = scales.expressed;
  TREADLE_RETURN_IF_ERROR(ForEachScale(scales, result, [&](int64_t place, double scale, int64_t zero_point) {
    const double quotient = Round(tensor.Get(place).real / Round(scale, expressed), expressed);
    const double moved = Round(quotient + static_cast<double>(zero_point), expressed);
    if (std::isnan(moved)) return result.Set(place, Element::OfInteger(0));
    const Extended clamped = std::min(std::max(static_cast<Extended>(moved), scales.min), scales.max);
    result.Set(place, Element::OfInteger(static_cast<int64_t>(std::nearbyint(clamped))));
  }));
  return result;
}

void AddConversions(Evaluators& evaluators) {
  evaluators.Add(&EvaluateConvert);
  evaluators.Add(&EvaluateBitcastConvert, /*on_storage=*/true);
  evaluators.Add(&EvaluateReducePrecision);
  evaluators.Add(&EvaluateUniform<stablehlo::UniformQuantizeOp>, /*on_storage=*/true);
  evaluators.Add(&EvaluateUniform<stablehlo::UniformDequantizeOp>, /*on_storage=*/true);
}

}  // namespace treadle::interpreter

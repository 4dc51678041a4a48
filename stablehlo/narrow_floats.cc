#include "stablehlo/narrow_floats.h"

#include <cmath>

namespace treadle::stablehlo {

using chlo::MathBuilder;
using mlir::Value;

namespace {

// What the semantics of a float type come to.
struct Format {
  explicit Format(mlir::FloatType type) {
    const llvm::fltSemantics& semantics = type.getFloatSemantics();
    width = static_cast<int>(type.getWidth());
    mantissa = static_cast<int>(llvm::APFloat::semanticsPrecision(semantics)) - 1;
    min_exponent = llvm::APFloat::semanticsMinExponent(semantics);
    largest = llvm::APFloat::getLargest(semantics).convertToDouble();
    has_infinity = llvm::APFloat::semanticsHasInf(semantics);
    has_nan = llvm::APFloat::semanticsHasNaN(semantics);
    // FNUZ: the bits of -0 are those of the only NaN.
    has_negative_zero = !llvm::APFloat::getZero(semantics, /*Negative=*/true).bitcastToAPInt().isZero();
    if (has_nan) nan_bits = Bits(llvm::APFloat::getNaN(semantics));
    if (has_infinity) infinity_bits = Bits(llvm::APFloat::getInf(semantics));
  }

  static uint64_t Bits(const llvm::APFloat& value) { return value.bitcastToAPInt().getZExtValue(); }

  double smallest_normal() const { return std::ldexp(1.0, min_exponent); }
  // Distance of the numbers below it.
  double quantum() const { return std::ldexp(1.0, min_exponent - mantissa); }
  uint64_t sign() const { return uint64_t{1} << (width - 1); }

  int width;
  int mantissa;
  int min_exponent;
  double largest;
  bool has_infinity;
  bool has_nan;
  bool has_negative_zero;
  uint64_t nan_bits = 0;
  uint64_t infinity_bits = 0;
};

}  // namespace

bool IsNarrowFloat(mlir::Type element) {
  auto type = llvm::dyn_cast<mlir::FloatType>(element);
  return type && type.getWidth() <= 8;
}

namespace {

// f8E8M0FNU: powers of two from 2^-127 to 2^127, by their exponents alone, and NaN.

// To the nearest, by integers, for the smallest is subnormal in f32; a half goes up. NaN for what is not positive.
Value RoundToPower(MathBuilder& m, Value x) {
  const bool is_f64 = m.is_f64();
  MathBuilder u = m.WithElement(m.builder().getIntegerType(is_f64 ? 64 : 32, /*isSigned=*/false));
  const uint64_t infinity = is_f64 ? uint64_t{0x7ff} << 52 : uint64_t{0xff} << 23;
  const uint64_t half = is_f64 ? uint64_t{1} << 51 : uint64_t{1} << 22;
  const uint64_t least = is_f64 ? uint64_t{1023 - 127} << 52 : half;
  const uint64_t least_tie = is_f64 ? least + half : 3 * half / 2;
  const uint64_t largest = is_f64 ? uint64_t{1023 + 127} << 52 : uint64_t{0xfe} << 23;
  const Value bits = u.Bitcast(x);
  Value power = u.And(u.Add(bits, u.Integer(half)), u.Integer(infinity));
  power = u.Select(u.Less(bits, u.Integer(least_tie)), u.Integer(least), power);
  const Value bad = u.Or(u.Compare(u.Sub(bits, u.Integer(1)), ComparisonDirection::GE, u.Integer(infinity - 1)),
                         u.Greater(power, u.Integer(largest)));
  return m.Select(bad, m.NaN(), m.Bitcast(power));
}

// Of a power or NaN in f32, where 2^-127 may have become 0.
Value BitsOfPower(MathBuilder& m, Value x) {
  MathBuilder u = m.WithElement(m.builder().getIntegerType(32, /*isSigned=*/false));
  const Value code = u.Binary<ShiftRightLogicalOp>(u.Bitcast(x), u.Integer(23));
  const Value is_nan = m.Compare(x, ComparisonDirection::NE, x);
  return u.WithElement(m.builder().getIntegerType(8, /*isSigned=*/false))
      .ConvertTo(u.Select(is_nan, u.Integer(0xff), code));
}

}  // namespace

Value RoundNarrow(MathBuilder& m, Value x, mlir::FloatType element) {
  if (llvm::isa<mlir::Float8E8M0FNUType>(element)) return RoundToPower(m, x);
  const Format format(element);
  const Value size = m.Abs(x);
  // Normal numbers have a mantissa of fixed length, those below them a fixed distance.
  const Value normal = ReducePrecisionOp::create(m.builder(), m.location(), m.type(), size,
                                                 m.builder().getI32IntegerAttr(m.is_f64() ? 11 : 8),
                                                 m.builder().getI32IntegerAttr(format.mantissa));
  const Value steps = m.Unary<RoundNearestEvenOp>(m.Mul(size, m.Constant(1 / format.quantum())));
  Value rounded =
      m.Select(m.Less(size, m.Constant(format.smallest_normal())), m.Mul(steps, m.Constant(format.quantum())), normal);
  const Value beyond = format.has_infinity ? m.Infinity() : format.has_nan ? m.NaN() : m.Constant(format.largest);
  rounded = m.Select(m.Greater(rounded, m.Constant(format.largest)), beyond, rounded);
  const Value is_nan = m.Compare(x, ComparisonDirection::NE, x);
  if (!format.has_nan) return m.Select(is_nan, m.Constant(-0.0), m.CopySign(rounded, x));
  rounded = m.CopySign(rounded, x);
  if (!format.has_negative_zero) rounded = m.Select(m.Equal(rounded, m.Constant(0)), m.Constant(0), rounded);
  return m.Select(is_nan, x, rounded);
}

Value NarrowBits(MathBuilder& m, Value x, mlir::FloatType element) {
  if (llvm::isa<mlir::Float8E8M0FNUType>(element)) return BitsOfPower(m, x);
  const Format format(element);
  MathBuilder u = m.WithElement(m.builder().getIntegerType(32, /*isSigned=*/false));
  const Value bits = u.Bitcast(x);
  const Value size = m.Abs(x);
  // Exponent and mantissa as f32 has them; its exponents start elsewhere.
  const Value kept = u.Binary<ShiftRightLogicalOp>(u.And(bits, u.Integer(0x7fffffff)), u.Integer(23 - format.mantissa));
  const uint64_t offset = static_cast<uint64_t>(127 + format.min_exponent - 1) << format.mantissa;
  const Value steps = u.ConvertTo(m.Mul(size, m.Constant(1 / format.quantum())));
  Value code = u.Select(m.Less(size, m.Constant(format.smallest_normal())), steps, u.Sub(kept, u.Integer(offset)));
  if (format.has_infinity) code = u.Select(m.Equal(size, m.Infinity()), u.Integer(format.infinity_bits), code);
  const uint64_t nan = format.has_negative_zero ? format.nan_bits & ~format.sign() : format.nan_bits;
  if (format.has_nan) code = u.Select(m.Compare(x, ComparisonDirection::NE, x), u.Integer(nan), code);
  const Value sign =
      u.Binary<ShiftLeftOp>(u.Binary<ShiftRightLogicalOp>(bits, u.Integer(31)), u.Integer(format.width - 1));
  return u.WithElement(m.builder().getIntegerType(8, /*isSigned=*/false)).ConvertTo(u.Or(code, sign));
}

// A table of all of them.
Value FromNarrowBits(MathBuilder& m, Value bits, mlir::FloatType element) {
  const unsigned width = element.getWidth();
  llvm::SmallVector<float> numbers;
  for (unsigned code = 0; code < 1U << width; ++code) {
    numbers.push_back(llvm::APFloat(element.getFloatSemantics(), llvm::APInt(width, code)).convertToFloat());
  }
  const auto size = static_cast<int64_t>(numbers.size());
  auto type = mlir::RankedTensorType::get({size}, m.builder().getF32Type());
  const Value table =
      ConstantOp::create(m.builder(), m.location(), mlir::DenseElementsAttr::get(type, llvm::ArrayRef<float>(numbers)));
  const int64_t rank = m.type().getRank();
  auto dims = GatherDimensionNumbersAttr::get(m.builder().getContext(), {}, {0}, {}, {}, {0}, rank);
  return GatherOp::create(m.builder(), m.location(), m.type(), table, bits, dims, m.builder().getDenseI64ArrayAttr({1}),
                          m.builder().getBoolAttr(false));
}

}  // namespace treadle::stablehlo

#include "stablehlo/chlo/real_functions.h"

#include <cmath>
#include <numbers>

#include "stablehlo/chlo/coefficients.h"

namespace treadle::chlo {

using mlir::Value;

// ---- Inverse trigonometric functions, from atan2, which is accurate everywhere.

Value Atan(MathBuilder& m, Value x) { return m.Binary<stablehlo::Atan2Op>(x, m.Constant(1)); }

namespace {

// sqrt(1 - x * x) without cancellation.
Value CosineOfAsin(MathBuilder& m, Value x) {
  const Value one = m.Constant(1);
  return m.Sqrt(m.Mul(m.Sub(one, x), m.Add(one, x)));
}

}  // namespace

Value Asin(MathBuilder& m, Value x) { return m.Binary<stablehlo::Atan2Op>(x, CosineOfAsin(m, x)); }

Value Acos(MathBuilder& m, Value x) { return m.Binary<stablehlo::Atan2Op>(CosineOfAsin(m, x), x); }

// ---- Hyperbolic functions.

namespace {

// exp(x) / 2 for x >= 0, as exp(x - 1) * (e / 2): the difference is exact from 1 on, and the product overflows only
// where the result does.
Value HalfExp(MathBuilder& m, Value x) {
  return m.Mul(m.Exp(m.Sub(x, m.Constant(1))), m.Constant(std::numbers::e / 2));
}

// log(2 x) for x so large that x * x is not needed, or would overflow.
Value LogOfTwice(MathBuilder& m, Value x) { return m.Add(m.Log(x), m.Constant(std::numbers::ln2)); }

Value IsHuge(MathBuilder& m, Value magnitude) {
  return m.Greater(magnitude, m.Constant(m.is_f64() ? 0x1p+30 : 0x1p+14));
}

}  // namespace

Value Cosh(MathBuilder& m, Value x) {
  const Value magnitude = m.Abs(x);
  const Value half = m.Constant(0.5);
  return m.Add(HalfExp(m, magnitude), m.Mul(half, m.Exp(m.Neg(magnitude))));
}

Value Sinh(MathBuilder& m, Value x) {
  const Value magnitude = m.Abs(x);
  const Value half = m.Constant(0.5);
  const Value one = m.Constant(1);
  // Near 0 from expm1, for which exp(x) - exp(-x) = e + e / (1 + e).
  const Value e = m.Unary<stablehlo::Expm1Op>(magnitude);
  const Value small = m.Mul(half, m.Add(e, m.Div(e, m.Add(e, one))));
  const Value large = m.Sub(HalfExp(m, magnitude), m.Mul(half, m.Exp(m.Neg(magnitude))));
  return m.CopySign(m.Select(m.Less(magnitude, one), small, large), x);
}

Value SinhBySteps(MathBuilder& m, Value x) {
  if (m.is_f64()) return Sinh(m, x);
  const Value log_half = m.Constant(-std::numbers::ln2);
  const Value large = m.Sub(m.Exp(m.Add(x, log_half)), m.Exp(m.Sub(log_half, x)));
  return m.Select(m.Less(m.Abs(x), m.Constant(1)), Sinh(m, x), large);
}

Value Asinh(MathBuilder& m, Value x) {
  const Value magnitude = m.Abs(x);
  const Value one = m.Constant(1);
  const Value square = m.Mul(magnitude, magnitude);
  const Value small = m.Log1p(m.Add(magnitude, m.Div(square, m.Add(one, m.Sqrt(m.Add(one, square))))));
  return m.CopySign(m.Select(IsHuge(m, magnitude), LogOfTwice(m, magnitude), small), x);
}

Value Acosh(MathBuilder& m, Value x) {
  const Value one = m.Constant(1);
  const Value above = m.Sub(x, one);
  const Value small = m.Log1p(m.Add(above, m.Sqrt(m.Mul(above, m.Add(x, one)))));
  const Value result = m.Select(IsHuge(m, x), LogOfTwice(m, x), small);
  return m.Select(m.Less(x, one), m.NaN(), result);
}

Value Atanh(MathBuilder& m, Value x) {
  // log1p(2 |x| / (1 - |x|)) / 2
  const Value magnitude = m.Abs(x);
  const Value ratio = m.Div(m.Add(magnitude, magnitude), m.Sub(m.Constant(1), magnitude));
  const Value result = m.CopySign(m.Mul(m.Constant(0.5), m.Log1p(ratio)), x);
  return m.Select(m.Greater(magnitude, m.Constant(1)), m.NaN(), result);
}

// ---- Error functions.

namespace {

// erf where |x| <= 1.
Value ErfNearZero(MathBuilder& m, Value x) {
  const Value square = m.Mul(x, x);
  const Value factor =
      m.is_f64() ? m.Polynomial(square, kErfF64Middle, kErfF64) : m.Polynomial(square, kErfF32Middle, kErfF32);
  return m.Mul(x, factor);
}

// erfc where x >= 0.5.
Value ErfcOfTail(MathBuilder& m, Value x) {
  const Value one = m.Constant(1);
  const Value three = m.Constant(3);
  // Beyond, erfc underflows.
  const Value bounded = m.Binary<stablehlo::MinOp>(x, m.Constant(m.is_f64() ? 28 : 11));
  const Value t = m.Div(m.Sub(bounded, three), m.Add(bounded, three));
  const Value scaled =
      m.is_f64() ? m.Polynomial(t, kErfcF64Middle, kErfcF64) : m.Polynomial(t, kErfcF32Middle, kErfcF32);
  // exp(-x * x) from a part whose square is exact and the rest.
  auto& builder = m.builder();
  const Value coarse = stablehlo::ReducePrecisionOp::create(builder, m.location(), m.type(), bounded,
                                                            m.is_f64() ? 11 : 8, m.is_f64() ? 24 : 10);
  const Value rest = m.Mul(m.Sub(coarse, bounded), m.Add(coarse, bounded));
  // (A product of two exponentials may be contracted to one of the sum.)
  const Value most = m.Exp(m.Neg(m.Mul(coarse, coarse)));
  const Value gauss = m.Add(most, m.Mul(most, m.Unary<stablehlo::Expm1Op>(rest)));
  return m.Mul(gauss, m.Div(scaled, m.Add(one, m.Add(bounded, bounded))));
}

}  // namespace

Value Erf(MathBuilder& m, Value x) {
  const Value magnitude = m.Abs(x);
  const Value one = m.Constant(1);
  const Value tail = m.CopySign(m.Sub(one, ErfcOfTail(m, m.Binary<stablehlo::MaxOp>(magnitude, one))), x);
  return m.Select(m.Greater(magnitude, one), tail, ErfNearZero(m, x));
}

Value Erfc(MathBuilder& m, Value x) {
  const Value magnitude = m.Abs(x);
  const Value one = m.Constant(1);
  const Value half = m.Constant(0.5);
  const Value tail = ErfcOfTail(m, m.Binary<stablehlo::MaxOp>(magnitude, half));
  const Value outside = m.Select(m.Less(x, m.Constant(0)), m.Sub(m.Constant(2), tail), tail);
  return m.Select(m.Greater(magnitude, half), outside, m.Sub(one, ErfNearZero(m, x)));
}

Value ErfInv(MathBuilder& m, Value x) {
  const Value one = m.Constant(1);
  // -log(1 - x * x) without cancellation at either end.
  const Value w = m.Neg(m.Log1p(m.Neg(m.Mul(x, x))));
  const Value exact = m.Neg(m.Log(m.Mul(m.Sub(one, m.Abs(x)), m.Add(one, m.Abs(x)))));
  const Value safe = m.Select(m.Greater(m.Abs(x), m.Constant(0.5)), exact, w);
  const Value root = m.Sqrt(safe);
  const Value low = m.is_f64() ? m.Polynomial(safe, kErfInvLowF64Middle, kErfInvLowF64)
                               : m.Polynomial(safe, kErfInvLowF32Middle, kErfInvLowF32);
  Value high = m.is_f64() ? m.Polynomial(root, kErfInvHighF64Middle, kErfInvHighF64)
                          : m.Polynomial(root, kErfInvHighF32Middle, kErfInvHighF32);
  if (m.is_f64()) {
    high = m.Select(m.Less(root, m.Constant(3.8)), high, m.Polynomial(root, kErfInvTopF64Middle, kErfInvTopF64));
  }
  const Value inside = m.Mul(x, m.Select(m.Less(safe, m.Constant(5)), low, high));
  // erf_inv(+-1) is infinite; beyond there is none.
  const Value edge = m.CopySign(m.Infinity(), x);
  const Value result = m.Select(m.Equal(m.Abs(x), one), edge, inside);
  return m.Select(m.Greater(m.Abs(x), one), m.NaN(), result);
}

// ---- Gamma: Lanczos' approximation with g = 7 and 9 terms; left of 1/2 by reflection.

namespace {

constexpr double kLanczosG = 7;
constexpr double kLanczosBase = 0.99999999999980993;
constexpr double kLanczos[] = {676.5203681218851,  -1259.1392167224028,  771.32342877765313,    -176.61502916214059,
                               12.507343278686905, -0.13857109526572012, 9.9843695780195716e-6, 1.5056327351493116e-7};

struct Lanczos {
  Value z;  // x - 1, or -x where reflected
  Value t;  // z + g + 1/2
  Value log_t;
  Value sum;  // of the series, and its derivative
  Value slope;
};

Lanczos SumLanczos(MathBuilder& m, Value z) {
  Value sum = m.Constant(kLanczosBase);
  Value slope = m.Constant(0);
  for (size_t i = 0; i < std::size(kLanczos); ++i) {
    const Value pole = m.Add(z, m.Constant(static_cast<double>(i + 1)));
    const Value term = m.Div(m.Constant(kLanczos[i]), pole);
    sum = m.Add(sum, term);
    slope = m.Sub(slope, m.Div(term, pole));
  }
  const double shift = kLanczosG + 0.5;
  const Value t = m.Add(z, m.Constant(shift));
  // log(z + shift), also for small z without loss.
  const Value log_t = m.Add(m.Constant(std::log(shift)), m.Log1p(m.Div(z, m.Constant(shift))));
  return {z, t, log_t, sum, slope};
}

Value NeedsReflection(MathBuilder& m, Value x) { return m.Less(x, m.Constant(0.5)); }

}  // namespace

Value Lgamma(MathBuilder& m, Value x) {
  const Value reflect = NeedsReflection(m, x);
  const Lanczos l = SumLanczos(m, m.Select(reflect, m.Neg(x), m.Sub(x, m.Constant(1))));
  // (z + 1/2) log t - t, with t taken out of the product so that large arguments keep their digits.
  const Value power = m.Mul(m.Sub(m.Add(l.z, m.Constant(0.5)), m.Div(l.t, l.log_t)), l.log_t);
  const Value right = m.Add(m.Add(power, m.Log(l.sum)), m.Constant(0.5 * std::log(2 * std::numbers::pi)));
  // log(pi / |sin(pi x)|) - right, from the distance to the nearest pole.
  const Value magnitude = m.Abs(x);
  const Value fraction = m.Sub(magnitude, m.Unary<stablehlo::FloorOp>(magnitude));
  const Value distance = m.Binary<stablehlo::MinOp>(fraction, m.Sub(m.Constant(1), fraction));
  const Value log_sine = m.Log(m.Unary<stablehlo::SineOp>(m.Mul(m.Constant(std::numbers::pi), distance)));
  const Value left = m.Sub(m.Sub(m.Constant(std::log(std::numbers::pi)), log_sine), right);
  // At the poles the sine is 0 and its logarithm -inf; there the rest may be anything.
  const Value pole = m.And(reflect, m.Equal(distance, m.Constant(0)));
  const Value infinite = m.Or(pole, m.Equal(magnitude, m.Infinity()));
  return m.Select(infinite, m.Infinity(), m.Select(reflect, left, right));
}

Value Digamma(MathBuilder& m, Value x) {
  const Value reflect = NeedsReflection(m, x);
  const Lanczos l = SumLanczos(m, m.Select(reflect, m.Neg(x), m.Sub(x, m.Constant(1))));
  const Value right = m.Sub(m.Add(l.log_t, m.Div(l.slope, l.sum)), m.Div(m.Constant(kLanczosG), l.t));
  // digamma(1 - x) - pi / tan(pi x); the tangent has period 1, so take it near 0.
  const Value near = m.Sub(x, m.Unary<stablehlo::RoundNearestEvenOp>(x));
  const Value angle = m.Mul(m.Constant(std::numbers::pi), near);
  const Value cotangent = m.Div(m.Unary<stablehlo::CosineOp>(angle), m.Unary<stablehlo::SineOp>(angle));
  const Value left = m.Sub(right, m.Mul(m.Constant(std::numbers::pi), cotangent));
  const Value pole = m.And(m.Less(x, m.Constant(0)), m.Equal(near, m.Constant(0)));
  const Value result = m.Select(pole, m.NaN(), m.Select(reflect, left, right));
  // From either side of 0 it goes to the infinity of the other sign.
  return m.Select(m.Equal(x, m.Constant(0)), m.Neg(m.CopySign(m.Infinity(), x)), result);
}

// ---- Bits.

Value NextAfter(MathBuilder& m, Value x, Value y) {
  const unsigned width = m.type().getElementType().getIntOrFloatBitWidth();
  MathBuilder bits = m.WithElement(m.builder().getIntegerType(width));
  const Value sign = bits.Integer(uint64_t{1} << (width - 1));
  const Value rest = bits.Integer((uint64_t{1} << (width - 1)) - 1);
  const Value one = bits.Integer(1);
  const Value zero = bits.Integer(0);
  // Sign and magnitude, by integers, because comparisons of floats may take denormals for zeros.
  const Value x_bits = bits.Bitcast(x);
  const Value y_bits = bits.Bitcast(y);
  const Value x_magnitude = bits.And(x_bits, rest);
  const Value y_magnitude = bits.And(y_bits, rest);
  const Value y_sign = bits.And(y_bits, sign);
  const Value x_is_zero = bits.Equal(x_magnitude, zero);
  const Value same_sign = bits.Equal(bits.And(x_bits, sign), y_sign);
  const Value both_zero = bits.And(x_is_zero, bits.Equal(y_magnitude, zero));
  const Value equal = bits.Or(bits.Equal(x_bits, y_bits), both_zero);
  // Towards zero where y is nearer to it or beyond it.
  const Value outward = bits.And(same_sign, bits.Less(x_magnitude, y_magnitude));
  const Value step = bits.Select(outward, one, bits.Integer(~uint64_t{0}));
  const Value moved = bits.Select(x_is_zero, bits.Or(y_sign, one), bits.Add(x_bits, step));
  const Value result = m.Bitcast(bits.Select(equal, y_bits, moved));
  const Value is_nan =
      bits.Or(m.Compare(x, stablehlo::ComparisonDirection::NE, x), m.Compare(y, stablehlo::ComparisonDirection::NE, y));
  return m.Select(is_nan, m.NaN(), result);
}

}  // namespace treadle::chlo

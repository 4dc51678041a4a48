#include <cmath>

#include "compiler/optimize/complex_math.h"

namespace treadle::compiler {
namespace {

using graph::Direction;
using graph::OpCode;
using graph::ValueId;

// e^x beyond `limit` may overflow where its product with a sine does not: it is taken of x - step, and the factor
// e^step comes in last. x - step is exact, for step is a whole number and less than x.
struct Range {
  explicit Range(const Formula& f) : limit(f.is_f64() ? 709 : 88), step(f.is_f64() ? 354 : 44) {}
  const double limit, step;
};

struct Reduced {
  ValueId large;  // truth: beyond the limit
  ValueId x;
  ValueId factor;  // e^step or 1
};

Reduced Reduce(Formula& f, ValueId x) {
  const Range range(f);
  ValueId large = f.Greater(x, f.Constant(range.limit));
  return {large, f.Select(large, f.Sub(x, f.Constant(range.step)), x),
          f.Select(large, f.Constant(std::exp(range.step)), f.Constant(1))};
}

// Products of sines that are 0 with infinite factors are 0: `zero` there, else `value`.
ValueId ZeroAt(Formula& f, ValueId x, ValueId zero, ValueId value) {
  return f.Select(f.Equal(x, f.Constant(0)), zero, value);
}

struct Hyperbolic {
  ValueId sinh, cosh;
};

// Of a number in [0, limit], by its expm1, which is accurate near 0.
Hyperbolic HyperbolicOf(Formula& f, ValueId x) {
  ValueId minus = f.Apply(OpCode::kExponentialMinusOne, {x}), exp = f.Add(minus, f.Constant(1));
  ValueId inverse = f.Div(f.Constant(1), exp);
  ValueId ratio = f.Select(f.Greater(x, f.Constant(1)), f.Sub(f.Constant(1), inverse), f.Mul(minus, inverse));
  return {f.Half(f.Add(minus, ratio)), f.Half(f.Add(exp, inverse))};
}

// The sine and cosine of `angle` next to the hyperbolic sine and cosine of `x`; these have to be multiplied by
// `factor`.
struct Circular {
  ValueId sin, cos, sinh, cosh, factor;
};

Circular CircularOf(Formula& f, ValueId angle, ValueId x) {
  Reduced reduced = Reduce(f, f.Abs(x));
  Hyperbolic h = HyperbolicOf(f, reduced.x);
  return {f.Apply(OpCode::kSine, {angle}), f.Apply(OpCode::kCosine, {angle}), f.CopySign(h.sinh, x), h.cosh,
          reduced.factor};
}

// Numbers with twice the digits, as the sum of two, the first being the sum rounded.
struct Pair {
  ValueId hi, lo;
};

Pair TwoSum(Formula& f, ValueId a, ValueId b) {
  ValueId s = f.Add(a, b), bb = f.Sub(s, a);
  return {s, f.Add(f.Sub(a, f.Sub(s, bb)), f.Sub(b, bb))};
}

// a^2 of an f64 that is not large, exactly, without a fused multiply-add: by halves whose products are exact (Dekker).
Pair ExactSquare(Formula& f, ValueId a) {
  ValueId scaled = f.Mul(a, f.Constant(134217729.0));
  ValueId high = f.Sub(scaled, f.Sub(scaled, a)), low = f.Sub(a, high), square = f.Square(a);
  ValueId cross = f.Mul(f.Add(high, high), low);
  return {square, f.Add(f.Add(f.Sub(f.Square(high), square), cross), f.Square(low))};
}

// a + x^2 + y^2, where their sum may be much less than they are.
ValueId AddSquares(Formula& f, ValueId a, ValueId x, ValueId y) {
  Pair square_x = ExactSquare(f, x), square_y = ExactSquare(f, y);
  Pair first = TwoSum(f, a, square_x.hi), second = TwoSum(f, first.hi, square_y.hi);
  ValueId rest = f.Add(f.Add(first.lo, second.lo), f.Add(square_x.lo, square_y.lo));
  return f.Add(second.hi, rest);
}

// The same place, for f64.
Formula Wide(Formula& f) { return {f.graph(), f.region(), Shape{ElementType::kF64, f.shape().dims}, f.location()}; }

ValueId ConvertTo(Formula& f, ValueId x) {
  return f.graph().shape(x).type == f.shape().type ? x : f.Apply(OpCode::kConvert, {x});
}

// The logarithm of |1 + (a, b)|, where `re` is 1 + a, whichever of both is exact. Near the unit circle by log1p of
// |.|^2 - 1, elsewhere by the larger part and the ratio of both.
ValueId LogOfLength(Formula& f, ValueId re, ValueId im, ValueId squared_less_one) {
  ValueId x = f.Abs(re), y = f.Abs(im);
  ValueId swap = f.Greater(y, x);
  ValueId large = f.Select(swap, y, x), small = f.Select(swap, x, y);
  ValueId infinite = f.Or(f.Equal(x, f.Infinity()), f.Equal(y, f.Infinity()));
  large = f.Select(infinite, f.Infinity(), large);
  ValueId square = f.Add(f.Square(x), f.Square(y));
  ValueId near = f.And(f.Greater(square, f.Constant(0.5)), f.Greater(f.Constant(3), square));
  ValueId ratio = f.Div(small, large);
  ValueId plain = f.Or(infinite, f.Equal(large, f.Constant(0)));  // the ratio may be no number
  ValueId far = f.Select(plain, f.Constant(0), f.Square(ratio));
  ValueId log = f.Apply(OpCode::kLogPlusOne, {f.Select(near, squared_less_one, far)});
  return f.Add(f.Select(near, f.Constant(0), f.Apply(OpCode::kLog, {large})), f.Half(log));
}

ValueId Angle(Formula& f, ValueId re, ValueId im) { return f.Apply(OpCode::kAtan2, {im, re}); }

Complex FromPolar(Formula& f, ValueId length, ValueId angle) {
  return {f.Mul(length, f.Apply(OpCode::kCosine, {angle})),
          ZeroAt(f, angle, angle, f.Mul(length, f.Apply(OpCode::kSine, {angle})))};
}

}  // namespace

Complex ComplexExp(Formula& f, Complex z) {
  Reduced reduced = Reduce(f, z.re);
  Complex result = FromPolar(f, f.Apply(OpCode::kExponential, {reduced.x}), z.im);
  return {f.Mul(result.re, reduced.factor), f.Mul(result.im, reduced.factor)};
}

namespace {

// e^a cos b - 1 = expm1(a) cos b - 2 sin^2(b/2).
Complex WideExpm1(Formula& f, Complex z) {
  Reduced reduced = Reduce(f, z.re);
  ValueId versine = f.Mul(f.Constant(2), f.Square(f.Apply(OpCode::kSine, {f.Half(z.im)})));
  ValueId cos_b = f.Sub(f.Constant(1), versine), sin_b = f.Apply(OpCode::kSine, {z.im});
  ValueId minus = f.Apply(OpCode::kExponentialMinusOne, {reduced.x}), exp = f.Apply(OpCode::kExponential, {reduced.x});
  ValueId re = f.Sub(f.Mul(minus, cos_b), versine);
  re = f.Select(reduced.large, f.Mul(f.Mul(exp, cos_b), reduced.factor), re);
  return {re, ZeroAt(f, z.im, z.im, f.Mul(f.Mul(exp, sin_b), reduced.factor))};
}

}  // namespace

// In f64: the difference of the real part may be much less than its terms.
Complex ComplexExpm1(Formula& f, Complex z) {
  Formula wide = Wide(f);
  Complex result = WideExpm1(wide, {ConvertTo(wide, z.re), ConvertTo(wide, z.im)});
  return {ConvertTo(f, result.re), ConvertTo(f, result.im)};
}

// The real parts are computed in f64: in f32 the squares would lose what counts near the unit circle.
Complex ComplexLog(Formula& f, Complex z) {
  Formula wide = Wide(f);
  ValueId x = ConvertTo(wide, z.re), y = ConvertTo(wide, z.im);
  ValueId swap = wide.Greater(wide.Abs(y), wide.Abs(x));
  ValueId large = wide.Select(swap, y, x), small = wide.Select(swap, x, y);
  ValueId less_one = AddSquares(wide, wide.Constant(-1), large, small);
  return {ConvertTo(f, LogOfLength(wide, x, y, less_one)), Angle(f, z.re, z.im)};
}

Complex ComplexLog1p(Formula& f, Complex z) {
  Formula wide = Wide(f);
  ValueId x = ConvertTo(wide, z.re), y = ConvertTo(wide, z.im);
  ValueId less_one = AddSquares(wide, wide.Add(x, x), x, y);
  ValueId re = LogOfLength(wide, wide.Add(x, wide.Constant(1)), y, less_one);
  return {ConvertTo(f, re), Angle(f, f.Add(z.re, f.Constant(1)), z.im)};
}

Complex ComplexSin(Formula& f, Complex z) {
  Circular c = CircularOf(f, z.re, z.im);
  return {ZeroAt(f, z.re, z.re, f.Mul(f.Mul(c.sin, c.cosh), c.factor)), f.Mul(f.Mul(c.cos, c.sinh), c.factor)};
}

Complex ComplexCos(Formula& f, Complex z) {
  Circular c = CircularOf(f, z.re, z.im);
  ValueId zero = f.Mul(z.re, f.CopySign(f.Constant(1), z.im));
  ValueId im = f.Neg(ZeroAt(f, z.re, zero, f.Mul(f.Mul(c.sin, c.sinh), c.factor)));
  return {f.Mul(f.Mul(c.cos, c.cosh), c.factor), im};
}

// (sinh a cosh a + i sin b cos b) / (sinh^2 a + cos^2 b), and (+-1, +-0) where the squares would overflow.
Complex ComplexTanh(Formula& f, Complex z) {
  ValueId x = f.Abs(z.re), limit = f.Constant(f.is_f64() ? 354 : 43);
  ValueId large = f.Greater(x, limit);
  Hyperbolic h = HyperbolicOf(f, f.Select(large, limit, x));
  ValueId sin = f.Apply(OpCode::kSine, {z.im}), cos = f.Apply(OpCode::kCosine, {z.im});
  ValueId below = f.Add(f.Square(h.sinh), f.Square(cos));
  ValueId re = f.CopySign(f.Div(f.Mul(h.sinh, h.cosh), below), z.re);
  ValueId im = f.Div(f.Mul(sin, cos), below);
  im = f.Mul(im, f.Select(large, f.Constant(0), f.Constant(1)));
  ValueId infinite = f.Equal(x, f.Infinity());
  ValueId no_angle = f.And(infinite, f.Not(f.IsFinite(z.im)));
  return {f.Select(infinite, f.CopySign(f.Constant(1), z.re), re), f.Select(no_angle, f.Constant(0), im)};
}

// -i tanh(iz), where tanh is odd in both parts.
Complex ComplexTan(Formula& f, Complex z) {
  Complex turned = ComplexTanh(f, {z.im, z.re});
  return {turned.im, turned.re};
}

// 1 / (1 + w) with w = e^-z for the right half plane, 1 - 1 / (1 + 1/w) for the left one; |w| <= 1. Near the poles
// 1 + w is small: 1 + e^x cos b = expm1(x) cos b + 2 cos^2(b/2).
Complex ComplexLogistic(Formula& f, Complex z) {
  ValueId half = f.Half(z.im), sin = f.Apply(OpCode::kSine, {half}), cos = f.Apply(OpCode::kCosine, {half});
  ValueId two = f.Constant(2), one = f.Constant(1), versine = f.Mul(two, f.Square(cos));
  ValueId cos_b = f.Sub(versine, one), sin_b = f.Mul(two, f.Mul(sin, cos));
  ValueId x = f.Neg(f.Abs(z.re)), exp = f.Apply(OpCode::kExponential, {x});
  ValueId minus = f.Apply(OpCode::kExponentialMinusOne, {x});
  Complex below = {f.Add(f.Mul(minus, cos_b), versine), f.Mul(exp, sin_b)};
  ValueId square = f.Add(f.Square(below.re), f.Square(below.im));
  ValueId left = f.Mul(exp, f.Add(minus, versine));
  ValueId re = f.Select(f.Compare(z.re, Direction::kGe, f.Constant(0)), below.re, left);
  return {f.Div(re, square), f.Div(below.im, square)};
}

// Of an eighth where the length might overflow.
Complex ComplexCbrt(Formula& f, Complex z) {
  ValueId third = f.Div(Angle(f, z.re, z.im), f.Constant(3)), one = f.Constant(1);
  ValueId limit = f.Constant(f.is_f64() ? 0x1p1000 : 0x1p120);
  ValueId large = f.Or(f.Greater(f.Abs(z.re), limit), f.Greater(f.Abs(z.im), limit));
  ValueId scale = f.Select(large, f.Constant(0.125), one), back = f.Select(large, f.Constant(2), one);
  ValueId length = ComplexAbs(f, {f.Mul(z.re, scale), f.Mul(z.im, scale)});
  return FromPolar(f, f.Mul(f.Apply(OpCode::kCbrt, {length}), back), third);
}

// |z|^c e^(-d arg z) at the angle c arg z + d log|z|, for w = c + id.
Complex ComplexPower(Formula& f, Complex z, Complex w) {
  ValueId length = ComplexAbs(f, z), angle = Angle(f, z.re, z.im), zero = f.Constant(0);
  ValueId log = ZeroAt(f, length, zero, ComplexLog(f, z).re);
  ValueId decay = f.Apply(OpCode::kExponential, {f.Neg(f.Mul(w.im, angle))});
  ValueId magnitude = f.Mul(f.Apply(OpCode::kPower, {length, w.re}), decay);
  return FromPolar(f, magnitude, f.Add(f.Mul(w.re, angle), f.Mul(w.im, log)));
}

std::optional<Complex> ComplexElementwise(Formula& f, OpCode code, const std::vector<Complex>& z) {
  const auto by_part = [&] {
    std::vector<ValueId> re, im;
    for (Complex part : z) {
      re.push_back(part.re);
      im.push_back(part.im);
    }
    return Complex{f.Apply(code, re), f.Apply(code, im)};
  };
  switch (code) {
    case OpCode::kAdd:
    case OpCode::kSubtract:
    case OpCode::kNegate:
      return by_part();
    case OpCode::kMultiply:
      return ComplexMultiply(f, z[0], z[1]);
    case OpCode::kDivide:
      return ComplexDivide(f, z[0], z[1]);
    case OpCode::kPower:
      return ComplexPower(f, z[0], z[1]);
    case OpCode::kMaximum:
      return ComplexSelect(f, ComplexCompare(f, Direction::kGe, z[0], z[1]), z[0], z[1]);
    case OpCode::kMinimum:
      return ComplexSelect(f, ComplexCompare(f, Direction::kLe, z[0], z[1]), z[0], z[1]);
    case OpCode::kSign:
      return ComplexSign(f, z[0]);
    case OpCode::kSqrt:
      return ComplexSqrt(f, z[0]);
    case OpCode::kRsqrt:
      return ComplexRsqrt(f, z[0]);
    case OpCode::kCbrt:
      return ComplexCbrt(f, z[0]);
    case OpCode::kExponential:
      return ComplexExp(f, z[0]);
    case OpCode::kExponentialMinusOne:
      return ComplexExpm1(f, z[0]);
    case OpCode::kLog:
      return ComplexLog(f, z[0]);
    case OpCode::kLogPlusOne:
      return ComplexLog1p(f, z[0]);
    case OpCode::kSine:
      return ComplexSin(f, z[0]);
    case OpCode::kCosine:
      return ComplexCos(f, z[0]);
    case OpCode::kTan:
      return ComplexTan(f, z[0]);
    case OpCode::kTanh:
      return ComplexTanh(f, z[0]);
    case OpCode::kLogistic:
      return ComplexLogistic(f, z[0]);
    default:
      return std::nullopt;
  }
}

}  // namespace treadle::compiler

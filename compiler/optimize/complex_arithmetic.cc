#include "compiler/optimize/complex_math.h"

namespace treadle::compiler {
namespace {

using graph::Direction;
using graph::OpCode;
using graph::ValueId;

// How the element type lays out its exponents.
struct Layout {
  explicit Layout(const Formula& f) : shift(f.is_f64() ? 52 : 23), bias(f.is_f64() ? 1023 : 127) {}
  int64_t Field(int64_t exponent) const { return exponent << shift; }
  int64_t infinity() const { return Field(2 * bias + 1); }
  int64_t magnitude() const { return infinity() | (Field(1) - 1); }  // all bits but the sign

  const int shift;
  const int64_t bias;
};

// A complex number times a power of two (the same for both parts), which is exact: the larger part lies in [0.5, 8),
// so that squares, products and sums of them neither overflow nor lose what counts. Zero, infinity and NaN stay.
struct Scaled {
  Complex z;
  ValueId field;     // bits: the exponent field of the larger part, as clamped; z = original * 2^(bias - 1 - field)
  ValueId power;     // 2^(bias - 1 - field)
  ValueId infinite;  // truth: a part is infinite
};

// `even`: the exponent of `power` is even.
Scaled Scale(Formula& f, Complex z, bool even = false) {
  const Layout layout(f);
  ValueId re = f.And(f.ToBits(z.re), f.Bits(layout.magnitude())),
          im = f.And(f.ToBits(z.im), f.Bits(layout.magnitude()));
  const int64_t exponents = layout.Field(2 * layout.bias + (even ? 0 : 1));
  ValueId field = f.And(f.OnBits(OpCode::kMaximum, re, im), f.Bits(exponents));
  field = f.OnBits(OpCode::kMinimum, field, f.Bits(layout.Field(2 * layout.bias - 2)));
  ValueId power = f.FromBits(f.OnBits(OpCode::kSubtract, f.Bits(layout.Field(2 * layout.bias - 1)), field));
  ValueId infinity = f.Bits(layout.infinity());
  ValueId infinite = f.Or(f.Equal(re, infinity), f.Equal(im, infinity));
  return {{f.Mul(z.re, power), f.Mul(z.im, power)}, field, power, infinite};
}

ValueId SumOfSquares(Formula& f, Complex z) { return f.Add(f.Square(z.re), f.Square(z.im)); }

// 1 with the sign of an infinite part; the scaled other parts stay.
ValueId WithoutInfinity(Formula& f, ValueId part, ValueId scaled) {
  return f.Select(f.IsInfinite(part), f.CopySign(f.Constant(1), part), scaled);
}

}  // namespace

// large sqrt(1 + (small / large)^2): neither overflows nor loses what counts, and is what jaxlib's CPU backend
// computes.
ValueId ComplexAbs(Formula& f, Complex z) {
  ValueId re = f.Abs(z.re), im = f.Abs(z.im), infinity = f.Infinity();
  ValueId large = f.Apply(OpCode::kMaximum, {re, im}), small = f.Apply(OpCode::kMinimum, {re, im});
  ValueId ratio = f.Div(small, large), length = f.Mul(large, f.Sqrt(f.MulAdd(ratio, ratio, f.Constant(1))));
  length = f.Select(f.Equal(large, f.Constant(0)), large, length);
  return f.Select(f.Or(f.Equal(re, infinity), f.Equal(im, infinity)), infinity, length);
}

Complex ComplexSign(Formula& f, Complex z) {
  Scaled s = Scale(f, z);
  ValueId length = f.Sqrt(SumOfSquares(f, s.z)), zero = f.Equal(length, f.Constant(0));
  return ComplexSelect(f, zero, z, {f.Div(s.z.re, length), f.Div(s.z.im, length)});
}

// The real part with one rounding less, as jaxlib's CPU backend computes it: iterations such as Mandelbrot's tell the
// difference. The imaginary part without, so that z conj(z) is real; but with, in the regions of reductions, where no
// one multiplies so and XLA's results have it.
Complex ComplexMultiply(Formula& f, Complex z, Complex w) {
  ValueId re = f.MulAdd(z.re, w.re, f.Neg(f.Mul(z.im, w.im))), cross = f.Mul(z.re, w.im);
  return {re, f.in_reduction() ? f.MulAdd(z.im, w.re, cross) : f.Add(cross, f.Mul(z.im, w.re))};
}

// z conj(w) / |w|^2 of scaled numbers; then the two powers of two at once, in two halves that are in range.
Complex ComplexDivide(Formula& f, Complex z, Complex w) {
  const Layout layout(f);
  Scaled n = Scale(f, z), d = Scale(f, w);
  Complex by = {WithoutInfinity(f, w.re, d.z.re), WithoutInfinity(f, w.im, d.z.im)};
  ValueId square = SumOfSquares(f, by);
  Complex quotient = {f.Div(f.Add(f.Mul(n.z.re, by.re), f.Mul(n.z.im, by.im)), square),
                      f.Div(f.Sub(f.Mul(n.z.im, by.re), f.Mul(n.z.re, by.im)), square)};
  ValueId exponent = f.OnBits(OpCode::kSubtract, n.field, d.field);
  ValueId half = f.OnBits(OpCode::kShiftRightArithmetic, exponent, f.Bits(1));
  half = f.And(half, f.Bits(-layout.Field(1)));
  ValueId rest = f.OnBits(OpCode::kSubtract, exponent, half), one = f.Bits(layout.Field(layout.bias));
  ValueId first = f.FromBits(f.OnBits(OpCode::kAdd, half, one));
  ValueId second = f.FromBits(f.OnBits(OpCode::kAdd, rest, one));
  second = f.Select(d.infinite, f.Constant(0), second);
  quotient = {f.Mul(f.Mul(quotient.re, first), second), f.Mul(f.Mul(quotient.im, first), second)};
  // What is divided by zero becomes infinite, part by part.
  ValueId infinity = f.CopySign(f.Infinity(), w.re);
  return ComplexSelect(f, f.Equal(square, f.Constant(0)), {f.Mul(z.re, infinity), f.Mul(z.im, infinity)}, quotient);
}

namespace {

struct Root {
  Complex root;
  Scaled scaled;
  ValueId length;  // of scaled.z
};

// sqrt((|re| + |z|) / 2) is the larger part, |im| over twice that the other.
Root SqrtOf(Formula& f, Complex z) {
  const Layout layout(f);
  Scaled s = Scale(f, z, /*even=*/true);
  ValueId length = f.Sqrt(SumOfSquares(f, s.z));
  ValueId large = f.Sqrt(f.Half(f.Add(f.Abs(s.z.re), length)));
  ValueId half = f.OnBits(OpCode::kShiftRightArithmetic, s.field, f.Bits(1));
  ValueId back = f.OnBits(OpCode::kAdd, half, f.Bits(layout.Field((layout.bias + 1) / 2)));
  large = f.Mul(large, f.FromBits(back));
  ValueId infinite = f.IsInfinite(z.im), zero = f.Equal(large, f.Constant(0));
  large = f.Select(infinite, f.Infinity(), large);
  ValueId small = f.Select(zero, f.Constant(0), f.Div(f.Abs(z.im), f.Add(large, large)));
  small = f.Select(infinite, f.Infinity(), small);
  ValueId right = f.Compare(z.re, Direction::kGe, f.Constant(0));
  Complex root = {f.Select(right, large, small), f.CopySign(f.Select(right, small, large), z.im)};
  return {root, s, length};
}

}  // namespace

Complex ComplexSqrt(Formula& f, Complex z) { return SqrtOf(f, z).root; }

// conj(sqrt z) / |z|.
Complex ComplexRsqrt(Formula& f, Complex z) {
  Root r = SqrtOf(f, z);
  ValueId re = f.Mul(f.Div(r.root.re, r.length), r.scaled.power);
  ValueId im = f.Mul(f.Div(f.Neg(r.root.im), r.length), r.scaled.power);
  Complex at_infinity = {f.CopySign(f.Constant(0), r.root.re), f.CopySign(f.Constant(0), f.Neg(r.root.im))};
  Complex result = ComplexSelect(f, r.scaled.infinite, at_infinity, {re, im});
  return ComplexSelect(f, f.Equal(r.length, f.Constant(0)), {f.Infinity(), f.NaN()}, result);
}

ValueId ComplexCompare(Formula& f, Direction direction, Complex z, Complex w) {
  ValueId re = f.Compare(z.re, direction, w.re), im = f.Compare(z.im, direction, w.im);
  if (direction == Direction::kEq) return f.And(re, im);
  if (direction == Direction::kNe) return f.Or(re, im);
  Direction strict = direction == Direction::kGe || direction == Direction::kGt ? Direction::kGt : Direction::kLt;
  return f.Or(f.Compare(z.re, strict, w.re), f.And(f.Equal(z.re, w.re), im));
}

Complex ComplexSelect(Formula& f, ValueId pred, Complex z, Complex w) {
  return {f.Select(pred, z.re, w.re), f.Select(pred, z.im, w.im)};
}

}  // namespace treadle::compiler

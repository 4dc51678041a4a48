#include "stablehlo/chlo/complex_functions.h"

#include "stablehlo/chlo/math_builder.h"
#include "stablehlo/chlo/real_functions.h"

namespace treadle::chlo {

using mlir::Value;

namespace {

struct Parts {
  Value re, im;
};

// Formulas over the parts of tensors of complex numbers, all computed in f64.
class ComplexBuilder {
 public:
  ComplexBuilder(mlir::OpBuilder& builder, mlir::Location location, Value z)
      : type_(llvm::cast<mlir::RankedTensorType>(z.getType())),
        m_(builder, location, WithElementType(type_, builder.getF64Type())),
        part_(m_.WithElement(llvm::cast<mlir::ComplexType>(type_.getElementType()).getElementType())) {}

  Parts Split(Value z) {
    return {m_.ConvertTo(stablehlo::RealOp::create(m_.builder(), m_.location(), part_.type(), z)),
            m_.ConvertTo(stablehlo::ImagOp::create(m_.builder(), m_.location(), part_.type(), z))};
  }
  Value Join(Parts z) {
    return stablehlo::ComplexOp::create(m_.builder(), m_.location(), type_, part_.ConvertTo(z.re),
                                        part_.ConvertTo(z.im));
  }
  // i z and -i z.
  Parts Turned(Parts z) { return {m_.Neg(z.im), z.re}; }
  Parts TurnedBack(Parts z) { return {z.im, m_.Neg(z.re)}; }

  Parts Asin(Parts z) {
    const Arc arc = ArcOf(z);
    return {Angle(z.re, arc.root), m_.CopySign(arc.log, z.im)};
  }
  Parts Acos(Parts z) {
    const Arc arc = ArcOf(z);
    return {Angle(arc.root, z.re), m_.CopySign(arc.log, m_.Neg(z.im))};
  }
  Parts Acosh(Parts z) {
    const Arc arc = ArcOf(z);
    return {arc.log, m_.CopySign(Angle(arc.root, z.re), z.im)};
  }
  // What asin and acos are made of.
  Parts AsinAcosKernel(Parts z) {
    const Arc arc = ArcOf(z);
    return {arc.root, arc.log};
  }
  // Real part: log1p(4 x / ((1 - x)^2 + y^2)) / 4, of |x|. Where x or y is very large, x / |z|^2; next to 1, where the
  // squares underflow, log(2 / y) / 2.
  Parts Atanh(Parts z) {
    const Value one = m_.Constant(1), half = m_.Constant(0.5), x = m_.Abs(z.re), y = m_.Abs(z.im);
    const Value large = IsLarge(x, y), below = m_.Sub(one, x);
    const Value ratio = m_.Div(m_.Mul(m_.Constant(4), x), SumOfSquares(below, y));
    const Value usual = m_.Mul(m_.Constant(0.25), m_.Log1p(ratio));
    const Value pole = m_.And(m_.Equal(x, one), m_.Less(y, m_.Constant(0x1p-500)));
    const Value at_pole = m_.Mul(half, m_.Sub(m_.Constant(kLogOfTwo), m_.Log(y)));
    const Value most = m_.Binary<stablehlo::MaxOp>(x, y);
    const Value p = m_.Div(x, most), q = m_.Div(y, most);
    const Value far = m_.Div(m_.Div(p, SumOfSquares(p, q)), most);
    const Value beyond = m_.Select(m_.Equal(most, m_.Infinity()), m_.Constant(0), far);
    const Value re = m_.Select(large, beyond, m_.Select(pole, at_pole, usual));
    const Value inside = Angle(m_.Mul(m_.Constant(2), z.im), m_.Sub(m_.Mul(below, m_.Add(one, x)), m_.Mul(y, y)));
    const Value right = m_.CopySign(m_.Constant(1.5707963267948966), z.im);
    return {m_.CopySign(re, z.re), m_.Select(large, right, m_.Mul(half, inside))};
  }

 private:
  static constexpr double kLogOfTwo = 0.69314718055994531;

  // With a = (|z + 1| + |z - 1|) / 2: sqrt(a^2 - x^2) and acosh(a).
  struct Arc {
    Value root, log;
  };

  Value Angle(Value y, Value x) { return m_.Binary<stablehlo::Atan2Op>(y, x); }
  Value SumOfSquares(Value a, Value b) { return m_.Add(m_.Mul(a, a), m_.Mul(b, b)); }
  Value IsLarge(Value x, Value y) {  // for squares, or infinite
    const Value limit = m_.Constant(0x1p500);
    return m_.Or(m_.Greater(x, limit), m_.Greater(y, limit));
  }

  // The differences a - x and a - 1 are sums of positive numbers, for sqrt(u^2 + v^2) - u = v^2 / (sqrt(u^2 + v^2) +
  // u): one of them half of `with_distance`, the other half of y^2 `without`, depending on which side of 1 x lies.
  // After T. E. Hull, T. F. Fairgrieve and P. T. P. Tang, "Implementing the complex arcsine and arccosine functions
  // using exception handling" (1997).
  Arc ArcOf(Parts z) {
    const Value one = m_.Constant(1), half = m_.Constant(0.5), x = m_.Abs(z.re), y = m_.Abs(z.im);
    const Value above = m_.Add(x, one), below = m_.Abs(m_.Sub(x, one));
    const Value r = m_.Sqrt(SumOfSquares(above, y));
    const Value s = m_.Select(m_.Equal(x, one), y, m_.Sqrt(SumOfSquares(below, y)));
    const Value a = m_.Mul(half, m_.Add(r, s)), distance = m_.Add(s, below);
    const Value inverse = m_.Div(one, m_.Add(r, above));
    const Value with_distance = m_.Add(m_.Mul(m_.Mul(y, inverse), y), distance);
    const Value without = m_.Add(inverse, m_.Div(one, distance));
    const auto root_of = [&](Value inside, Value sum) {
      sum = m_.Mul(half, sum);
      return m_.Select(inside, m_.Mul(y, m_.Sqrt(m_.Mul(sum, without))), m_.Sqrt(m_.Mul(sum, with_distance)));
    };
    const Value root = root_of(m_.Greater(x, one), m_.Add(a, x));
    const Value inside = m_.Less(x, one);
    const Value less_one = m_.Mul(half, m_.Select(inside, m_.Mul(m_.Mul(y, without), y), with_distance));
    const Value log = m_.Log1p(m_.Add(less_one, root_of(inside, m_.Add(a, one))));
    const Value large = IsLarge(x, y);
    return {m_.Select(large, y, root), m_.Select(large, LogOfTwice(x, y), log)};
  }

  // log(2 |z|) of large numbers.
  Value LogOfTwice(Value x, Value y) {
    const Value most = m_.Binary<stablehlo::MaxOp>(x, y), ratio = m_.Div(m_.Binary<stablehlo::MinOp>(x, y), most);
    const Value log = m_.Add(m_.Log(most), m_.Constant(kLogOfTwo));
    const Value sum = m_.Add(log, m_.Mul(m_.Constant(0.5), m_.Log1p(m_.Mul(ratio, ratio))));
    const Value infinity = m_.Infinity();
    return m_.Select(m_.Or(m_.Equal(x, infinity), m_.Equal(y, infinity)), infinity, sum);
  }

  const mlir::RankedTensorType type_;
  MathBuilder m_;
  MathBuilder part_;
};

}  // namespace

Value ComplexAcos(mlir::OpBuilder& builder, mlir::Location location, Value z) {
  ComplexBuilder b(builder, location, z);
  return b.Join(b.Acos(b.Split(z)));
}

Value ComplexAcosh(mlir::OpBuilder& builder, mlir::Location location, Value z) {
  ComplexBuilder b(builder, location, z);
  return b.Join(b.Acosh(b.Split(z)));
}

Value ComplexAsin(mlir::OpBuilder& builder, mlir::Location location, Value z) {
  ComplexBuilder b(builder, location, z);
  return b.Join(b.Asin(b.Split(z)));
}

Value ComplexAsinAcosKernel(mlir::OpBuilder& builder, mlir::Location location, Value z) {
  ComplexBuilder b(builder, location, z);
  return b.Join(b.AsinAcosKernel(b.Split(z)));
}

Value ComplexAsinh(mlir::OpBuilder& builder, mlir::Location location, Value z) {
  ComplexBuilder b(builder, location, z);
  return b.Join(b.TurnedBack(b.Asin(b.Turned(b.Split(z)))));
}

Value ComplexAtan(mlir::OpBuilder& builder, mlir::Location location, Value z) {
  ComplexBuilder b(builder, location, z);
  return b.Join(b.TurnedBack(b.Atanh(b.Turned(b.Split(z)))));
}

Value ComplexAtanh(mlir::OpBuilder& builder, mlir::Location location, Value z) {
  ComplexBuilder b(builder, location, z);
  return b.Join(b.Atanh(b.Split(z)));
}

Value ComplexSquare(mlir::OpBuilder& builder, mlir::Location location, Value z) {
  const auto type = llvm::cast<mlir::RankedTensorType>(z.getType());
  MathBuilder m(builder, location,
                WithElementType(type, llvm::cast<mlir::ComplexType>(type.getElementType()).getElementType()));
  const Value re = stablehlo::RealOp::create(builder, location, m.type(), z);
  const Value im = stablehlo::ImagOp::create(builder, location, m.type(), z);
  // The difference of equal squares is 0, even where the squares overflow.
  const Value size = m.Abs(re);
  const Value equal = m.And(m.Equal(size, m.Abs(im)), m.Less(size, m.Infinity()));
  const Value difference = m.Select(equal, m.Constant(0), m.Mul(m.Sub(re, im), m.Add(re, im)));
  return stablehlo::ComplexOp::create(builder, location, type, difference, m.Mul(m.Constant(2), m.Mul(re, im)));
}

}  // namespace treadle::chlo

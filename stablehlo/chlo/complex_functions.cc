#include "stablehlo/chlo/complex_functions.h"

#include "stablehlo/chlo/math_builder.h"
#include "stablehlo/chlo/real_functions.h"

namespace treadle::chlo {

using mlir::Value;

namespace {

struct Parts {
  Value re, im;
};

// Formulas over the parts of tensors of complex numbers.
class ComplexBuilder {
 public:
  ComplexBuilder(mlir::OpBuilder& builder, mlir::Location location, Value z)
      : type_(llvm::cast<mlir::RankedTensorType>(z.getType())),
        m_(builder, location,
           WithElementType(type_, llvm::cast<mlir::ComplexType>(type_.getElementType()).getElementType())) {}

  MathBuilder& m() { return m_; }
  Parts Split(Value z) {
    return {stablehlo::RealOp::create(m_.builder(), m_.location(), m_.type(), z),
            stablehlo::ImagOp::create(m_.builder(), m_.location(), m_.type(), z)};
  }
  Value Join(Parts z) { return stablehlo::ComplexOp::create(m_.builder(), m_.location(), type_, z.re, z.im); }
  Parts Sqrt(Parts z) { return Split(stablehlo::SqrtOp::create(m_.builder(), m_.location(), Join(z))); }
  // sqrt(1 - z), sqrt(1 + z).
  Parts RootOfLess(Parts z) { return Sqrt({m_.Sub(m_.Constant(1), z.re), m_.Neg(z.im)}); }
  Parts RootOfMore(Parts z) { return Sqrt({m_.Add(m_.Constant(1), z.re), z.im}); }
  Value Angle(Value y, Value x) { return m_.Binary<stablehlo::Atan2Op>(y, x); }
  // i z and -i z.
  Parts Turned(Parts z) { return {m_.Neg(z.im), z.re}; }
  Parts TurnedBack(Parts z) { return {z.im, m_.Neg(z.re)}; }

  Parts Asin(Parts z) {
    const Parts less = RootOfLess(z), more = RootOfMore(z);
    return {Angle(z.re, m_.Sub(m_.Mul(less.re, more.re), m_.Mul(less.im, more.im))),
            Asinh(m_, m_.Sub(m_.Mul(less.re, more.im), m_.Mul(less.im, more.re)))};
  }
  Parts Acos(Parts z) {
    const Parts less = RootOfLess(z), more = RootOfMore(z);
    return {m_.Mul(m_.Constant(2), Angle(less.re, more.re)),
            Asinh(m_, m_.Sub(m_.Mul(more.re, less.im), m_.Mul(more.im, less.re)))};
  }
  Parts Acosh(Parts z) {
    const Parts below = Sqrt({m_.Sub(z.re, m_.Constant(1)), z.im}), above = RootOfMore(z);
    return {Asinh(m_, m_.Add(m_.Mul(below.re, above.re), m_.Mul(below.im, above.im))),
            m_.Mul(m_.Constant(2), Angle(below.im, above.re))};
  }
  // Real part: log1p(4 x / ((1 - x)^2 + y^2)) / 4, of |x|. Where x or y is very large, x / |z|^2.
  Parts Atanh(Parts z) {
    const Value one = m_.Constant(1), x = m_.Abs(z.re), y = m_.Abs(z.im);
    const Value huge = m_.Constant(m_.is_f64() ? 0x1p500 : 0x1p60);
    const Value large = m_.Or(m_.Greater(x, huge), m_.Greater(y, huge));
    const Value below = m_.Sub(one, x);
    const Value ratio = m_.Div(m_.Mul(m_.Constant(4), x), m_.Add(m_.Mul(below, below), m_.Mul(y, y)));
    const Value most = m_.Binary<stablehlo::MaxOp>(x, y);
    const Value p = m_.Div(x, most), q = m_.Div(y, most);
    const Value far = m_.Div(m_.Div(p, m_.Add(m_.Mul(p, p), m_.Mul(q, q))), most);
    const Value infinite = m_.Equal(most, m_.Infinity());
    const Value beyond = m_.Select(infinite, m_.Constant(0), far);
    const Value re = m_.Select(large, beyond, m_.Mul(m_.Constant(0.25), m_.Log1p(ratio)));
    const Value inside = Angle(m_.Mul(m_.Constant(2), z.im), m_.Sub(m_.Mul(below, m_.Add(one, x)), m_.Mul(y, y)));
    const Value right = m_.CopySign(m_.Constant(1.5707963267948966), z.im);
    return {m_.CopySign(re, z.re), m_.Select(large, right, m_.Mul(m_.Constant(0.5), inside))};
  }

 private:
  const mlir::RankedTensorType type_;
  MathBuilder m_;
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

}  // namespace treadle::chlo

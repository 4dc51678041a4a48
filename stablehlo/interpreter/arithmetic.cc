// Elementwise operations that are exact or rounded once: section "Ops" of the specification, each under its name.
// What it leaves to implementations is as jaxlib has it: x / 0 is all ones and x % 0 is x for integers, shifts by the
// width or more give 0 or the sign.
#include <bit>
#include <cmath>
#include <cstdlib>
#include <limits>

#include "mlir/IR/TypeUtilities.h"
#include "stablehlo/dialect/ops.h"
#include "stablehlo/interpreter/evaluate.h"

namespace treadle::interpreter {

namespace {

using stablehlo::ComparisonDirection;
using stablehlo::ComparisonType;

using Unary = Element (*)(Element x, ElementType type);
using Binary = Element (*)(Element x, Element y, ElementType type);

Element Integer(int64_t value, ElementType type) { return Element::OfInteger(Wrap(value, type)); }
Element Bits(uint64_t value, ElementType type) { return Integer(static_cast<int64_t>(value), type); }
uint64_t Unsigned(Element x) { return static_cast<uint64_t>(x.integer); }
bool IsInt(ElementType type) { return IsInteger(type); }
bool IsBool(ElementType type) { return type == ElementType::kI1; }

// ---- Two operands.

// Sums, differences, products and quotients of f64 are rounded once by the machine; those of narrower floats are exact
// enough in f64 (53 >= 2 * 24 + 2 bits) that rounding again changes nothing.
Element Add(Element x, Element y, ElementType type) {
  if (IsBool(type)) return Element::OfBool(x.integer != 0 || y.integer != 0);
  if (IsInt(type)) return Bits(Unsigned(x) + Unsigned(y), type);
  if (IsComplex(type)) return ComplexElement({x.real + y.real, x.imag + y.imag}, type);
  return FloatElement(x.real + y.real, type);
}

Element Subtract(Element x, Element y, ElementType type) {
  if (IsInt(type)) return Bits(Unsigned(x) - Unsigned(y), type);
  if (IsComplex(type)) return ComplexElement({x.real - y.real, x.imag - y.imag}, type);
  return FloatElement(x.real - y.real, type);
}

// One product of each sum is exact, as if by FMA: so does jaxlib, and long products of complex numbers show it.
Element MultiplyFused(Element x, Element y, ElementType type) {
  const ElementType part = PartOf(type);
  return Element::OfComplex(Round(std::fma(x.real, y.real, -Round(x.imag * y.imag, part)), part),
                            Round(std::fma(x.imag, y.real, Round(x.real * y.imag, part)), part));
}

Element Multiply(Element x, Element y, ElementType type) {
  if (IsBool(type)) return Element::OfBool(x.integer != 0 && y.integer != 0);
  if (IsInt(type)) return Bits(Unsigned(x) * Unsigned(y), type);
  if (IsComplex(type)) return MultiplyFused(x, y, type);
  return FloatElement(x.real * y.real, type);
}

Element Divide(Element x, Element y, ElementType type) {
  if (IsComplex(type)) return ComplexElement(x.complex() / y.complex(), type);
  if (IsFloat(type)) return FloatElement(x.real / y.real, type);
  if (y.integer == 0) return Integer(-1, type);
  if (IsUnsigned(type)) return Bits(Unsigned(x) / Unsigned(y), type);
  return y.integer == -1 ? Bits(-Unsigned(x), type) : Integer(x.integer / y.integer, type);
}

// The sign of the dividend.
Element Remainder(Element x, Element y, ElementType type) {
  if (IsComplex(type)) {  // a - trunc(a / b) * b
    const ComplexExtended quotient = x.complex() / y.complex();
    return ComplexElement(
        x.complex() - ComplexExtended(std::trunc(quotient.real()), std::trunc(quotient.imag())) * y.complex(), type);
  }
  if (IsFloat(type)) return FloatElement(std::fmod(x.real, y.real), type);
  if (y.integer == 0) return x;
  if (IsUnsigned(type)) return Bits(Unsigned(x) % Unsigned(y), type);
  return y.integer == -1 ? Element() : Integer(x.integer % y.integer, type);
}

Element Power(Element x, Element y, ElementType type) {
  if (IsComplex(type)) {
    if (y.real == 0 && y.imag == 0) return ComplexElement(1, type);
    if (x.real == 0 && x.imag == 0) return ComplexElement(0, type);
    return ComplexElement(std::exp(y.complex() * std::log(x.complex())), type);
  }
  if (IsFloat(type)) return FloatElement(std::pow(static_cast<Extended>(x.real), static_cast<Extended>(y.real)), type);
  if (IsSigned(type) && y.integer < 0) {
    if (x.integer == -1) return Integer(y.integer % 2 == 0 ? 1 : -1, type);
    return Integer(x.integer == 1 ? 1 : 0, type);
  }
  uint64_t result = 1;
  uint64_t base = Unsigned(x);
  for (uint64_t exponent = Unsigned(y); exponent != 0; exponent >>= 1) {
    if (exponent & 1) result *= base;
    base *= base;
  }
  return Bits(result, type);
}

// IEEE 754-2019 maximum and minimum: NaN wins, -0 < +0. Complex numbers in the order of their parts.
bool Less(Element x, Element y, ElementType type) {
  if (IsComplex(type)) return x.real < y.real || (x.real == y.real && x.imag < y.imag);
  if (IsFloat(type)) return x.real < y.real || (x.real == y.real && std::signbit(x.real) && !std::signbit(y.real));
  if (IsSigned(type)) return x.integer < y.integer;
  return Unsigned(x) < Unsigned(y);
}

bool IsNan(Element x, ElementType type) {
  if (IsComplex(type)) return std::isnan(x.real) || std::isnan(x.imag);
  return IsFloat(type) && std::isnan(x.real);
}

Element Maximum(Element x, Element y, ElementType type) {
  if (IsNan(x, type)) return x;
  if (IsNan(y, type)) return y;
  return Less(x, y, type) ? y : x;
}

Element Minimum(Element x, Element y, ElementType type) {
  if (IsNan(x, type)) return x;
  if (IsNan(y, type)) return y;
  return Less(y, x, type) ? y : x;
}

Element And(Element x, Element y, ElementType type) { return Integer(x.integer & y.integer, type); }
Element Or(Element x, Element y, ElementType type) { return Integer(x.integer | y.integer, type); }
Element Xor(Element x, Element y, ElementType type) { return Integer(x.integer ^ y.integer, type); }

bool ShiftsOut(Element amount, ElementType type) { return amount.integer < 0 || amount.integer >= ElementBits(type); }

Element ShiftLeft(Element x, Element y, ElementType type) {
  return ShiftsOut(y, type) ? Element() : Bits(Unsigned(x) << y.integer, type);
}

Element ShiftRightLogical(Element x, Element y, ElementType type) {
  if (ShiftsOut(y, type)) return Element();
  const uint64_t mask = ~uint64_t{0} >> (64 - ElementBits(type));
  return Bits((Unsigned(x) & mask) >> y.integer, type);
}

Element ShiftRightArithmetic(Element x, Element y, ElementType type) {
  const int width = ElementBits(type);
  const int64_t with_sign = static_cast<int64_t>(Unsigned(x) << (64 - width)) >> (64 - width);
  return Integer(with_sign >> (ShiftsOut(y, type) ? width - 1 : y.integer), type);
}

// ---- One operand.

Element Abs(Element x, ElementType type) {
  if (IsFloat(type)) return Element::OfFloat(std::fabs(x.real));
  return IsSigned(type) && x.integer < 0 ? Bits(-Unsigned(x), type) : x;
}

Element Negate(Element x, ElementType type) {
  if (IsComplex(type)) return Element::OfComplex(-x.real, -x.imag);
  if (IsFloat(type)) return Element::OfFloat(-x.real);
  return Bits(-Unsigned(x), type);
}

Element Not(Element x, ElementType type) {
  return IsBool(type) ? Element::OfBool(x.integer == 0) : Integer(~x.integer, type);
}

// Of complex numbers x / |x|.
Element Sign(Element x, ElementType type) {
  if (IsComplex(type)) {
    if (IsNan(x, type)) return ComplexElement({std::nanl(""), std::nanl("")}, type);
    if (x.real == 0 && x.imag == 0) return x;
    return ComplexElement(x.complex() / std::abs(x.complex()), type);
  }
  if (IsFloat(type)) {
    return IsNan(x, type) || x.real == 0 ? x : Element::OfFloat(std::copysign(1.0, x.real));
  }
  if (x.integer == 0) return x;
  return Integer(IsSigned(type) && x.integer < 0 ? -1 : 1, type);
}

Element Ceil(Element x, ElementType type) { return FloatElement(std::ceil(x.real), type); }
Element Floor(Element x, ElementType type) { return FloatElement(std::floor(x.real), type); }
Element RoundAwayFromZero(Element x, ElementType type) { return FloatElement(std::round(x.real), type); }
Element RoundToEven(Element x, ElementType type) { return FloatElement(std::nearbyint(x.real), type); }

Element CountLeadingZeros(Element x, ElementType type) {
  const int width = ElementBits(type);
  return Integer(std::countl_zero(Unsigned(x) << (64 - width) | (width == 64 ? 0 : ~uint64_t{0} >> width)), type);
}

Element PopulationCount(Element x, ElementType type) {
  return Integer(std::popcount(Unsigned(x) << (64 - ElementBits(type))), type);
}

// ---- Tensors of them.

Status CheckSameShape(const Tensor& x, const Tensor& y) {
  return x.shape() == y.shape() ? OkStatus() : InvalidArgument("operands have different shapes");
}

template <typename Op, Unary kFunction>
StatusOr<Tensor> EvaluateUnary(Op, Frame& frame) {
  const Tensor& x = frame.tensor(0);
  TREADLE_ASSIGN_OR_RETURN(Tensor result, frame.Result(0, x.shape()));
  for (int64_t i = 0; i < x.size(); ++i) result.Set(i, kFunction(x.Get(i), x.element_type()));
  return result;
}

template <typename Op, Binary kFunction>
StatusOr<Tensor> EvaluateBinary(Op, Frame& frame) {
  const Tensor& x = frame.tensor(0);
  const Tensor& y = frame.tensor(1);
  TREADLE_RETURN_IF_ERROR(CheckSameShape(x, y));
  TREADLE_ASSIGN_OR_RETURN(Tensor result, frame.Result(0, x.shape()));
  for (int64_t i = 0; i < x.size(); ++i) result.Set(i, kFunction(x.Get(i), y.Get(i), result.element_type()));
  return result;
}

// The length of complex numbers, a real result.
StatusOr<Tensor> EvaluateAbs(stablehlo::AbsOp op, Frame& frame) {
  const Tensor& x = frame.tensor(0);
  if (!IsComplex(x.element_type())) return EvaluateUnary<stablehlo::AbsOp, Abs>(op, frame);
  TREADLE_ASSIGN_OR_RETURN(Tensor result, frame.Result(0, x.shape()));
  for (int64_t i = 0; i < x.size(); ++i) {
    const Element z = x.Get(i);
    result.Set(i, FloatElement(std::hypot(static_cast<Extended>(z.real), static_cast<Extended>(z.imag)),
                               result.element_type()));
  }
  return result;
}

Element Real(Element x, ElementType) { return Element::OfFloat(x.real); }
Element Imag(Element x, ElementType) { return Element::OfFloat(x.imag); }  // 0 of real numbers
Element IsFinite(Element x, ElementType) { return Element::OfBool(std::isfinite(x.real)); }
Element MakeComplex(Element x, Element y, ElementType) { return Element::OfComplex(x.real, y.real); }

// ---- compare.

// Place of a float in the total order: -NaN < -inf < ... < -0 < +0 < ... < inf < NaN.
int64_t TotalOrder(double value, ElementType type) {
  const int width = ElementBits(type);
  const auto bits = static_cast<int64_t>(BitsOf(value, type) << (64 - width)) >> (64 - width);
  return bits < 0 ? ~(bits & std::numeric_limits<int64_t>::max()) : bits;
}

bool Holds(ComparisonDirection direction, bool less, bool equal, bool greater) {
  switch (direction) {
    case ComparisonDirection::EQ:
      return equal;
    case ComparisonDirection::NE:
      return !equal;
    case ComparisonDirection::GE:
      return greater || equal;
    case ComparisonDirection::GT:
      return greater;
    case ComparisonDirection::LE:
      return less || equal;
    case ComparisonDirection::LT:
      return less;
  }
  return false;
}

bool Compare(Element x, Element y, ElementType type, ComparisonDirection direction, bool total) {
  if (total && IsFloat(type)) {
    const int64_t a = TotalOrder(x.real, type);
    const int64_t b = TotalOrder(y.real, type);
    return Holds(direction, a<b, a == b, a> b);
  }
  // Quiet comparison of floats: nothing but NE holds for NaN.
  if (IsFloat(type)) return Holds(direction, x.real<y.real, x.real == y.real, x.real> y.real);
  if (IsComplex(type)) {
    const bool equal = x.real == y.real && x.imag == y.imag;
    return Holds(direction, Less(x, y, type), equal, Less(y, x, type));
  }
  return Holds(direction, Less(x, y, type), x.integer == y.integer, Less(y, x, type));
}

StatusOr<Tensor> EvaluateCompare(stablehlo::CompareOp op, Frame& frame) {
  const Tensor& x = frame.tensor(0);
  const Tensor& y = frame.tensor(1);
  TREADLE_RETURN_IF_ERROR(CheckSameShape(x, y));
  TREADLE_ASSIGN_OR_RETURN(Tensor result, frame.Result(0, x.shape()));
  const bool total = op.getCompareType() == ComparisonType::TOTALORDER;
  for (int64_t i = 0; i < x.size(); ++i) {
    result.Set(i, Element::OfBool(Compare(x.Get(i), y.Get(i), x.element_type(), op.getComparisonDirection(), total)));
  }
  return result;
}

// ---- Three operands.

// minimum(maximum(operand, min), max); the bounds may be scalars.
StatusOr<Tensor> EvaluateClamp(stablehlo::ClampOp, Frame& frame) {
  const Tensor& low = frame.tensor(0);
  const Tensor& x = frame.tensor(1);
  const Tensor& high = frame.tensor(2);
  if (low.rank() > 0) TREADLE_RETURN_IF_ERROR(CheckSameShape(low, x));
  if (high.rank() > 0) TREADLE_RETURN_IF_ERROR(CheckSameShape(high, x));
  TREADLE_ASSIGN_OR_RETURN(Tensor result, frame.Result(0, x.shape()));
  const ElementType type = x.element_type();
  for (int64_t i = 0; i < x.size(); ++i) {
    const Element bounded = Maximum(x.Get(i), low.Get(low.rank() == 0 ? 0 : i), type);
    result.Set(i, Minimum(bounded, high.Get(high.rank() == 0 ? 0 : i), type));
  }
  return result;
}

StatusOr<Tensor> EvaluateSelect(stablehlo::SelectOp, Frame& frame) {
  const Tensor& pred = frame.tensor(0);
  const Tensor& on_true = frame.tensor(1);
  const Tensor& on_false = frame.tensor(2);
  TREADLE_RETURN_IF_ERROR(CheckSameShape(on_true, on_false));
  if (pred.rank() > 0) TREADLE_RETURN_IF_ERROR(CheckSameShape(pred, on_true));
  TREADLE_ASSIGN_OR_RETURN(Tensor result, frame.Result(0, on_true.shape()));
  for (int64_t i = 0; i < result.size(); ++i) {
    result.Copy(i, pred.Get(pred.rank() == 0 ? 0 : i).integer != 0 ? on_true : on_false, i);
  }
  return result;
}

template <typename Op, Unary kFunction>
void AddUnary(Evaluators& evaluators) {
  evaluators.Add(&EvaluateUnary<Op, kFunction>);
}

template <typename Op, Binary kFunction>
void AddBinary(Evaluators& evaluators) {
  evaluators.Add(&EvaluateBinary<Op, kFunction>);
}

}  // namespace

void AddArithmetic(Evaluators& evaluators) {
  AddBinary<stablehlo::AddOp, Add>(evaluators);
  AddBinary<stablehlo::SubtractOp, Subtract>(evaluators);
  AddBinary<stablehlo::MulOp, Multiply>(evaluators);
  AddBinary<stablehlo::DivOp, Divide>(evaluators);
  AddBinary<stablehlo::RemOp, Remainder>(evaluators);
  AddBinary<stablehlo::PowOp, Power>(evaluators);
  AddBinary<stablehlo::MaxOp, Maximum>(evaluators);
  AddBinary<stablehlo::MinOp, Minimum>(evaluators);
  AddBinary<stablehlo::AndOp, And>(evaluators);
  AddBinary<stablehlo::OrOp, Or>(evaluators);
  AddBinary<stablehlo::XorOp, Xor>(evaluators);
  AddBinary<stablehlo::ShiftLeftOp, ShiftLeft>(evaluators);
  AddBinary<stablehlo::ShiftRightLogicalOp, ShiftRightLogical>(evaluators);
  AddBinary<stablehlo::ShiftRightArithmeticOp, ShiftRightArithmetic>(evaluators);
  AddBinary<stablehlo::ComplexOp, MakeComplex>(evaluators);
  AddUnary<stablehlo::NegOp, Negate>(evaluators);
  AddUnary<stablehlo::NotOp, Not>(evaluators);
  AddUnary<stablehlo::SignOp, Sign>(evaluators);
  AddUnary<stablehlo::CeilOp, Ceil>(evaluators);
  AddUnary<stablehlo::FloorOp, Floor>(evaluators);
  AddUnary<stablehlo::RoundNearestAfzOp, RoundAwayFromZero>(evaluators);
  AddUnary<stablehlo::RoundNearestEvenOp, RoundToEven>(evaluators);
  AddUnary<stablehlo::ClzOp, CountLeadingZeros>(evaluators);
  AddUnary<stablehlo::PopulationCountOp, PopulationCount>(evaluators);
  AddUnary<stablehlo::RealOp, Real>(evaluators);
  AddUnary<stablehlo::ImagOp, Imag>(evaluators);
  AddUnary<stablehlo::IsFiniteOp, IsFinite>(evaluators);
  evaluators.Add(&EvaluateAbs);
  evaluators.Add(&EvaluateCompare);
  evaluators.Add(&EvaluateClamp);
  evaluators.Add(&EvaluateSelect, /*on_storage=*/true);
}

}  // namespace treadle::interpreter

// CHLO: functions by their own definitions, not by the expansions that the compiler uses, so that each checks the
// other.
#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

#include "mlir/IR/TypeUtilities.h"
#include "stablehlo/chlo/ops.h"
#include "stablehlo/interpreter/evaluate.h"
#include "stablehlo/interpreter/functions.h"

namespace treadle::interpreter {

namespace {

constexpr Extended kPi = std::numbers::pi_v<Extended>;

// ---- Special functions of real numbers.

// Newton's method on erfc, which keeps its precision where erf is near 1.
Extended ErfInv(Extended x) {
  if (std::isnan(x) || x == 0) return x;
  const Extended rest = 1 - std::fabs(x);
  if (rest < 0) return std::nanl("");
  if (rest == 0) return std::copysign(HUGE_VALL, x);
  // A first guess within a percent or so.
  const Extended log = std::log(rest * (2 - rest));
  const Extended a = 2 / (kPi * 0.147L) + log / 2;
  Extended y = std::sqrt(std::sqrt(a * a - log / 0.147L) - a);
  for (int i = 0; i < 8; ++i) {
    const Extended slope = 2 / std::sqrt(kPi) * std::exp(-y * y);
    const Extended step = (rest < 0.5L ? std::erfc(y) - rest : (1 - rest) - std::erf(y)) / slope;
    y += step / (1 - y * step);  // Halley's correction
  }
  return std::copysign(y, x);
}

// sum of B_2k / (2k) x^-2k and so on, after moving x up by the recurrence psi(x) = psi(x + 1) - 1 / x.
Extended Digamma(Extended x) {
  if (std::isnan(x) || x == HUGE_VALL) return x;
  if (x <= 0 && std::floor(x) == x) return std::nanl("");
  if (std::isinf(x)) return std::nanl("");
  if (x < 0) {
    const Extended fraction = x - std::floor(x);
    return Digamma(1 - x) - kPi / std::tan(kPi * fraction);
  }
  Extended result = 0;
  for (; x < 20; ++x) result -= 1 / x;
  constexpr Extended kBernoulli[] = {1.0L / 12,  -1.0L / 120,     1.0L / 252, -1.0L / 240,
                                     1.0L / 132, -691.0L / 32760, 1.0L / 12,  -3617.0L / 8160};
  Extended power = 1;
  result += std::log(x) - 1 / (2 * x);
  for (Extended b : kBernoulli) {
    power /= x * x;
    result -= b * power;
  }
  return result;
}

// I1(x) exp(-|x|): the series has only terms of one sign; for large x the asymptotic one.
Extended BesselI1e(Extended x) {
  if (std::isnan(x)) return x;
  const Extended size = std::fabs(x);
  if (std::isinf(size)) return std::copysign(0.0L, x);
  Extended sum = 0;
  if (size <= 100) {
    Extended term = size / 2;
    for (int k = 1; term > sum * 1e-21L; ++k) {
      sum += term;
      term *= size * size / 4 / k / (k + 1);
    }
    sum *= std::exp(-size);
  } else {
    Extended term = 1;
    for (int k = 1; std::fabs(term) > 1e-21L; ++k) {
      sum += term;
      term *= -(4 - Extended(2 * k - 1) * (2 * k - 1)) / (k * 8 * size);
    }
    sum /= std::sqrt(2 * kPi * size);
  }
  return std::copysign(sum, x);
}

// Hurwitz's zeta: sum over n of (q + n)^-s by Euler and Maclaurin.
Extended Zeta(Extended s, Extended q) {
  if (std::isnan(s) || std::isnan(q) || s < 1) return std::nanl("");
  if (s == 1) return HUGE_VALL;
  if (q <= 0 && std::floor(q) == q) return std::floor(s) == s && std::fmod(s, 2) == 0 ? HUGE_VALL : std::nanl("");
  if (q <= 0 && std::floor(s) != s) return std::nanl("");
  Extended sum = 0;
  for (int n = 0; n < 24 || q < 24; ++n) {
    sum += std::pow(q, -s);
    q += 1;
    if (n > 100000) return std::nanl("");
  }
  sum += std::pow(q, 1 - s) / (s - 1) + std::pow(q, -s) / 2;
  // B_2k / (2k)!
  constexpr Extended kTerms[] = {1.0L / 12,
                                 -1.0L / 720,
                                 1.0L / 30240,
                                 -1.0L / 1209600,
                                 1.0L / 47900160,
                                 -691.0L / 1307674368000.0L,
                                 1.0L / 74724249600.0L,
                                 -3617.0L / 10670622842880000.0L};
  Extended factor = s * std::pow(q, -s - 1);
  int k = 1;
  for (Extended term : kTerms) {
    sum += term * factor;
    factor *= (s + 2 * k - 1) * (s + 2 * k) / (q * q);
    ++k;
  }
  return sum;
}

Extended Polygamma(Extended n, Extended x) {
  if (n == 0) return Digamma(x);
  if (n < 0 || std::floor(n) != n) return std::nanl("");
  const Extended size = std::tgamma(n + 1) * Zeta(n + 1, x);
  return std::fmod(n, 2) == 0 ? -size : size;
}

// ---- Functions of one operand.

template <typename Op>
void AddFunction(Evaluators& evaluators, RealFunction real, ComplexFunction complex) {
  evaluators.AddEntry<Op>(
      [real, complex](mlir::Operation*, Frame& frame) -> StatusOr<Values> {
        if (complex == nullptr && IsComplex(frame.tensor(0).element_type())) {
          return Unimplemented("complex numbers as its operand");
        }
        TREADLE_ASSIGN_OR_RETURN(Tensor result, EvaluateFunction(frame, real, complex));
        return Values{std::move(result)};
      },
      /*on_storage=*/false);
}

template <typename Op>
StatusOr<Tensor> EvaluateIsInf(Op op, Frame& frame) {
  const Tensor& x = frame.tensor(0);
  TREADLE_ASSIGN_OR_RETURN(Tensor result, frame.Result(0, x.shape()));
  for (int64_t i = 0; i < x.size(); ++i) {
    const double value = x.Get(i).real;
    const bool wanted = llvm::isa<chlo::IsInfOp>(op.getOperation()) ||
                        std::signbit(value) == llvm::isa<chlo::IsNegInfOp>(op.getOperation());
    result.Set(i, Element::OfBool(std::isinf(value) && wanted));
  }
  return result;
}

// The definition that programs were written for: e^(x + log 1/2) - e^(-x + log 1/2), near zero by expm1, every step
// rounded to f32 (f64 for that), which loses a few ulp where x is large.
StatusOr<Tensor> EvaluateSinh(chlo::SinhOp, Frame& frame) {
  const Tensor& x = frame.tensor(0);
  const ElementType type = x.element_type();
  if (IsComplex(type)) {
    return EvaluateFunction(frame, nullptr, [](ComplexExtended z) { return std::sinh(z); });
  }
  const ElementType step = type == ElementType::kF64 ? type : ElementType::kF32;
  TREADLE_ASSIGN_OR_RETURN(Tensor result, frame.Result(0, x.shape()));
  auto half_exp = [&](double value) {
    const Extended moved = Round(value + Round(std::log(0.5L), step), step);
    return Round(std::exp(moved), step);
  };
  for (int64_t i = 0; i < x.size(); ++i) {
    const double value = x.Get(i).real;
    const Extended sinh = std::fabs(value) < 1 ? std::sinh(static_cast<Extended>(value))
                                               : static_cast<Extended>(half_exp(value)) - half_exp(-value);
    result.Set(i, FloatElement(sinh, type));
  }
  return result;
}

StatusOr<Tensor> EvaluateConj(chlo::ConjOp, Frame& frame) {
  const Tensor& x = frame.tensor(0);
  TREADLE_ASSIGN_OR_RETURN(Tensor result, frame.Result(0, x.shape()));
  for (int64_t i = 0; i < x.size(); ++i) result.Set(i, Element::OfComplex(x.Get(i).real, -x.Get(i).imag));
  return result;
}

StatusOr<Tensor> EvaluateConstant(chlo::ConstantOp op, Frame&) {
  return Tensor::FromAttribute(op.getValue(), op.getOutput().getType());
}

StatusOr<Tensor> EvaluateConstantLike(chlo::ConstantLikeOp op, Frame& frame) {
  TREADLE_ASSIGN_OR_RETURN(Tensor result, frame.Result(0, frame.tensor(0).shape()));
  const auto scalar = mlir::RankedTensorType::get({}, result.type().getElementType());
  if (op.getValue().getType() != scalar.getElementType())
    return InvalidArgument("its value has another type than its result");
  TREADLE_ASSIGN_OR_RETURN(const Tensor value,
                           Tensor::FromAttribute(mlir::DenseElementsAttr::get(scalar, op.getValue()), scalar));
  for (int64_t i = 0; i < result.size(); ++i) result.Copy(i, value, 0);
  return result;
}

// ---- Functions of two operands.

template <typename Op, Extended (*kFunction)(Extended, Extended)>
StatusOr<Tensor> EvaluateBinary(Op, Frame& frame) {
  const Tensor& x = frame.tensor(0);
  const Tensor& y = frame.tensor(1);
  if (x.shape() != y.shape()) return InvalidArgument("operands have different shapes");
  TREADLE_ASSIGN_OR_RETURN(Tensor result, frame.Result(0, x.shape()));
  for (int64_t i = 0; i < x.size(); ++i) {
    result.Set(i, FloatElement(kFunction(x.Get(i).real, y.Get(i).real), x.element_type()));
  }
  return result;
}

// The neighbour of x in the direction of y, in x's own type.
StatusOr<Tensor> EvaluateNextAfter(chlo::NextAfterOp, Frame& frame) {
  const Tensor& x = frame.tensor(0);
  const Tensor& y = frame.tensor(1);
  if (x.shape() != y.shape()) return InvalidArgument("operands have different shapes");
  TREADLE_ASSIGN_OR_RETURN(Tensor result, frame.Result(0, x.shape()));
  const ElementType type = x.element_type();
  const uint64_t sign = uint64_t{1} << (ElementBits(type) - 1);
  for (int64_t i = 0; i < x.size(); ++i) {
    const double from = x.Get(i).real;
    const double to = y.Get(i).real;
    if (std::isnan(from) || std::isnan(to) || from == to) {
      result.Set(i, Element::OfFloat(std::isnan(from) ? from : to));
      continue;
    }
    uint64_t bits = BitsOf(from, type);
    if (from == 0) {
      bits = (to < 0 ? sign : 0) | 1;
    } else {
      bits += (from < to) == (from > 0) ? 1 : -1;
    }
    result.Set(i, Element::OfFloat(FromBits(bits, type)));
  }
  return result;
}

// The upper half of the product.
StatusOr<Tensor> EvaluateMulhi(chlo::MulhiOp, Frame& frame) {
  const Tensor& x = frame.tensor(0);
  const Tensor& y = frame.tensor(1);
  if (x.shape() != y.shape()) return InvalidArgument("operands have different shapes");
  TREADLE_ASSIGN_OR_RETURN(Tensor result, frame.Result(0, x.shape()));
  const int width = ElementBits(x.element_type());
  for (int64_t i = 0; i < x.size(); ++i) {
    const int64_t a = x.Get(i).integer;
    const int64_t b = y.Get(i).integer;
    const auto high =
        IsUnsigned(x.element_type())
            ? static_cast<int64_t>(
                  (static_cast<unsigned __int128>(static_cast<uint64_t>(a)) * static_cast<uint64_t>(b)) >> width)
            : static_cast<int64_t>((static_cast<__int128>(a) * b) >> width);
    result.Set(i, Element::OfInteger(Wrap(high, x.element_type())));
  }
  return result;
}

// ---- top_k: the largest of each row of the last dimension, by the total order; of equal ones the first.

StatusOr<Values> EvaluateTopK(chlo::TopKOp op, Frame& frame) {
  const Tensor& x = frame.tensor(0);
  const auto k = static_cast<int64_t>(op.getK());
  Index shape(x.shape());
  const int64_t length = shape.back();
  shape.back() = k;
  if (k > length) return InvalidArgument("k is more than there are");
  TREADLE_ASSIGN_OR_RETURN(Tensor values, frame.Result(0, shape));
  TREADLE_ASSIGN_OR_RETURN(Tensor indices, frame.Result(1, shape));
  const ElementType type = x.element_type();
  auto key = [&](int64_t place) {  // integers in the order of the elements
    const Element element = x.Get(place);
    if (!IsFloat(type)) return element.integer;
    const int width = ElementBits(type);
    const auto bits = static_cast<int64_t>(BitsOf(element.real, type) << (64 - width)) >> (64 - width);
    return bits < 0 ? bits ^ std::numeric_limits<int64_t>::max() : bits;
  };
  auto more = [&](int64_t a, int64_t b) {
    return IsUnsigned(type) ? static_cast<uint64_t>(key(a)) > static_cast<uint64_t>(key(b)) : key(a) > key(b);
  };
  for (int64_t row = 0; length > 0 && row < x.size() / length; ++row) {
    std::vector<int64_t> places(length);
    for (int64_t i = 0; i < length; ++i) places[i] = row * length + i;
    std::stable_sort(places.begin(), places.end(), more);
    for (int64_t i = 0; i < k; ++i) {
      values.Copy(row * k + i, x, places[i]);
      indices.Set(row * k + i, Element::OfInteger(places[i] - row * length));
    }
  }
  return Values{values, indices};
}

// What asin and acos are made of (stablehlo/chlo/complex_functions.h).
ComplexExtended AsinAcosKernel(ComplexExtended z) {
  const ComplexExtended one = 1;
  return {(std::sqrt(one - z) * std::sqrt(one + z)).real(), std::fabs(std::asin(z).imag())};
}

Extended Square(Extended x) { return x * x; }
ComplexExtended ComplexSquare(ComplexExtended z) {
  return {(z.real() - z.imag()) * (z.real() + z.imag()), 2 * z.real() * z.imag()};
}

}  // namespace

void AddChlo(Evaluators& evaluators) {
  using X = Extended;
  using Z = ComplexExtended;
  AddFunction<chlo::AcosOp>(evaluators, [](X x) { return std::acos(x); }, [](Z z) { return std::acos(z); });
  AddFunction<chlo::AcoshOp>(evaluators, [](X x) { return std::acosh(x); }, [](Z z) { return std::acosh(z); });
  AddFunction<chlo::AsinOp>(evaluators, [](X x) { return std::asin(x); }, [](Z z) { return std::asin(z); });
  AddFunction<chlo::AsinAcosKernelOp>(evaluators, nullptr, AsinAcosKernel);
  AddFunction<chlo::AsinhOp>(evaluators, [](X x) { return std::asinh(x); }, [](Z z) { return std::asinh(z); });
  AddFunction<chlo::AtanOp>(evaluators, [](X x) { return std::atan(x); }, [](Z z) { return std::atan(z); });
  AddFunction<chlo::AtanhOp>(evaluators, [](X x) { return std::atanh(x); }, [](Z z) { return std::atanh(z); });
  AddFunction<chlo::CoshOp>(evaluators, [](X x) { return std::cosh(x); }, [](Z z) { return std::cosh(z); });
  AddFunction<chlo::TanOp>(evaluators, [](X x) { return std::tan(x); }, [](Z z) { return std::tan(z); });
  AddFunction<chlo::SquareOp>(evaluators, Square, ComplexSquare);
  AddFunction<chlo::ErfOp>(evaluators, [](X x) { return std::erf(x); }, nullptr);
  AddFunction<chlo::ErfcOp>(evaluators, [](X x) { return std::erfc(x); }, nullptr);
  AddFunction<chlo::ErfInvOp>(evaluators, ErfInv, nullptr);
  AddFunction<chlo::LgammaOp>(evaluators, [](X x) { return std::lgamma(x); }, nullptr);
  AddFunction<chlo::DigammaOp>(evaluators, Digamma, nullptr);
  AddFunction<chlo::BesselI1eOp>(evaluators, BesselI1e, nullptr);
  evaluators.Add(&EvaluateIsInf<chlo::IsInfOp>);
  evaluators.Add(&EvaluateIsInf<chlo::IsPosInfOp>);
  evaluators.Add(&EvaluateIsInf<chlo::IsNegInfOp>);
  evaluators.Add(&EvaluateSinh);
  evaluators.Add(&EvaluateConj);
  evaluators.Add(&EvaluateConstant);
  evaluators.Add(&EvaluateConstantLike);
  evaluators.Add(&EvaluateBinary<chlo::ZetaOp, Zeta>);
  evaluators.Add(&EvaluateBinary<chlo::PolygammaOp, Polygamma>);
  evaluators.Add(&EvaluateNextAfter);
  evaluators.Add(&EvaluateMulhi);
  evaluators.Add(&EvaluateTopK);
}

}  // namespace treadle::interpreter

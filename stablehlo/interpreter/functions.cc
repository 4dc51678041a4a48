// Transcendental functions: computed with 64 bits of mantissa, rounded once to the element type.
#include "stablehlo/interpreter/functions.h"

#include <cmath>

#include "stablehlo/dialect/ops.h"
#include "stablehlo/interpreter/evaluate.h"

namespace treadle::interpreter {

namespace {

// 113 bits of mantissa: squares of f64 are exact, sums of two squares nearly.
using Quad = __float128;

ComplexExtended Exp(ComplexExtended z) {
  const Extended length = std::exp(z.real());
  if (z.imag() == 0) return {length, z.imag()};
  return {length * std::cos(z.imag()), length * std::sin(z.imag())};
}

// exp(x) cos(y) - 1 = expm1(x) cos(y) - 2 sin(y / 2)^2, without cancellation near 0.
ComplexExtended Expm1(ComplexExtended z) {
  if (z.imag() == 0) return {std::expm1(z.real()), z.imag()};
  if (!std::isfinite(z.real()) || !std::isfinite(z.imag())) return Exp(z) - ComplexExtended(1);
  const Extended half = std::sin(z.imag() / 2);
  return {std::expm1(z.real()) * std::cos(z.imag()) - 2 * half * half, std::exp(z.real()) * std::sin(z.imag())};
}

// log|1 + z| = log1p(x (2 + x) + y^2) / 2; the sum may cancel, so it is made with 113 bits.
ComplexExtended Log1p(ComplexExtended z) {
  const Extended angle = std::atan2(z.imag(), 1 + z.real());
  if (!std::isfinite(z.real()) || !std::isfinite(z.imag())) return std::log(ComplexExtended(1) + z);
  const Quad x = z.real();
  const Quad y = z.imag();
  const Quad square = x * (2 + x) + y * y;  // |1 + z|^2 - 1
  return {std::log1p(static_cast<Extended>(square)) / 2, angle};
}

ComplexExtended Logistic(ComplexExtended z) { return ComplexExtended(1) / (ComplexExtended(1) + Exp(-z)); }

ComplexExtended Cbrt(ComplexExtended z) {
  if (z.imag() == 0 && z.real() == 0) return z;
  return std::polar(std::cbrt(std::abs(z)), std::arg(z) / 3);
}

ComplexExtended Rsqrt(ComplexExtended z) { return ComplexExtended(1) / std::sqrt(z); }

// -i log((x + i y) / sqrt(x^2 + y^2))
ComplexExtended Atan2(ComplexExtended y, ComplexExtended x) {
  const ComplexExtended i(0, 1);
  return -i * std::log((x + i * y) / std::sqrt(x * x + y * y));
}

Extended LogisticOf(Extended x) { return 1 / (1 + std::exp(-x)); }
Extended RsqrtOf(Extended x) { return 1 / std::sqrt(x); }

template <typename Op>
StatusOr<Tensor> EvaluateAtan2(Op, Frame& frame) {
  const Tensor& y = frame.tensor(0);
  const Tensor& x = frame.tensor(1);
  if (x.shape() != y.shape()) return InvalidArgument("operands have different shapes");
  TREADLE_ASSIGN_OR_RETURN(Tensor result, frame.Result(0, x.shape()));
  const ElementType type = x.element_type();
  for (int64_t i = 0; i < x.size(); ++i) {
    const Element a = y.Get(i);
    const Element b = x.Get(i);
    result.Set(i, IsComplex(type)
                      ? ComplexElement(Atan2(a.complex(), b.complex()), type)
                      : FloatElement(std::atan2(static_cast<Extended>(a.real), static_cast<Extended>(b.real)), type));
  }
  return result;
}

}  // namespace

StatusOr<Tensor> EvaluateFunction(Frame& frame, RealFunction real, ComplexFunction complex) {
  const Tensor& x = frame.tensor(0);
  TREADLE_ASSIGN_OR_RETURN(Tensor result, frame.Result(0, x.shape()));
  const ElementType type = x.element_type();
  for (int64_t i = 0; i < x.size(); ++i) {
    const Element element = x.Get(i);
    result.Set(
        i, IsComplex(type) ? ComplexElement(complex(element.complex()), type) : FloatElement(real(element.real), type));
  }
  return result;
}

namespace {

template <typename Op>
void AddFunction(Evaluators& evaluators, RealFunction real, ComplexFunction complex) {
  evaluators.AddEntry<Op>(
      [real, complex](mlir::Operation*, Frame& frame) -> StatusOr<Values> {
        TREADLE_ASSIGN_OR_RETURN(Tensor result, EvaluateFunction(frame, real, complex));
        return Values{std::move(result)};
      },
      /*on_storage=*/false);
}

}  // namespace

void AddFunctions(Evaluators& evaluators) {
  AddFunction<stablehlo::CbrtOp>(evaluators, [](Extended x) { return std::cbrt(x); }, Cbrt);
  AddFunction<stablehlo::CosineOp>(
      evaluators, [](Extended x) { return std::cos(x); }, [](ComplexExtended z) { return std::cos(z); });
  AddFunction<stablehlo::ExpOp>(evaluators, [](Extended x) { return std::exp(x); }, Exp);
  AddFunction<stablehlo::Expm1Op>(evaluators, [](Extended x) { return std::expm1(x); }, Expm1);
  AddFunction<stablehlo::LogOp>(
      evaluators, [](Extended x) { return std::log(x); }, [](ComplexExtended z) { return std::log(z); });
  AddFunction<stablehlo::Log1pOp>(evaluators, [](Extended x) { return std::log1p(x); }, Log1p);
  AddFunction<stablehlo::LogisticOp>(evaluators, LogisticOf, Logistic);
  AddFunction<stablehlo::RsqrtOp>(evaluators, RsqrtOf, Rsqrt);
  AddFunction<stablehlo::SineOp>(
      evaluators, [](Extended x) { return std::sin(x); }, [](ComplexExtended z) { return std::sin(z); });
  AddFunction<stablehlo::SqrtOp>(
      evaluators, [](Extended x) { return std::sqrt(x); }, [](ComplexExtended z) { return std::sqrt(z); });
  AddFunction<stablehlo::TanOp>(
      evaluators, [](Extended x) { return std::tan(x); }, [](ComplexExtended z) { return std::tan(z); });
  AddFunction<stablehlo::TanhOp>(
      evaluators, [](Extended x) { return std::tanh(x); }, [](ComplexExtended z) { return std::tanh(z); });
  evaluators.Add(&EvaluateAtan2<stablehlo::Atan2Op>);
}

}  // namespace treadle::interpreter

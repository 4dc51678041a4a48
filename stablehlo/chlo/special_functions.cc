#include "stablehlo/chlo/special_functions.h"

#include "stablehlo/chlo/coefficients.h"
#include "stablehlo/chlo/real_functions.h"

namespace treadle::chlo {

using mlir::Value;

Value BesselI1e(MathBuilder& m, Value x) {
  const Value magnitude = m.Abs(x), eight = m.Constant(8);
  const Value small = m.Binary<stablehlo::MinOp>(magnitude, eight),
              large = m.Binary<stablehlo::MaxOp>(magnitude, eight);
  const Value near = m.Mul(small, m.Polynomial(small, kBesselNearMiddle, kBesselNear));
  const Value far = m.Div(m.Polynomial(m.Div(eight, large), kBesselFarMiddle, kBesselFar), m.Sqrt(large));
  return m.CopySign(m.Select(m.Greater(magnitude, eight), far, near), x);
}

// Euler's and Maclaurin's formula behind the first terms.
Value Zeta(MathBuilder& m, Value x, Value q) {
  constexpr int kTerms = 12;
  // (2 k)! / B_2k for k = 1, 2, ...
  constexpr double kDivisors[] = {12.0,
                                  -720.0,
                                  30240.0,
                                  -1209600.0,
                                  47900160.0,
                                  -1.8924375803183791606e9,
                                  7.47242496e10,
                                  -2.950130727918164224e12,
                                  1.1646782814350067249e14,
                                  -4.5979787224074726105e15,
                                  1.8152105401943546773e17,
                                  -7.1661652561756670113e18};
  auto power = [&](Value base) { return m.Binary<stablehlo::PowOp>(base, m.Neg(x)); };
  const Value one = m.Constant(1), half = m.Constant(0.5);
  Value sum = power(q);
  for (int i = 1; i < kTerms; ++i) sum = m.Add(sum, power(m.Add(q, m.Constant(i))));
  const Value a = m.Add(q, m.Constant(kTerms)), last = power(a);
  sum = m.Add(sum, m.Add(m.Div(m.Mul(last, a), m.Sub(x, one)), m.Mul(half, last)));
  Value factor = m.Div(m.Mul(x, last), a);
  const Value square = m.Mul(a, a);
  for (size_t k = 0; k < std::size(kDivisors); ++k) {
    sum = m.Add(sum, m.Div(factor, m.Constant(kDivisors[k])));
    const double at = 2 * static_cast<double>(k) + 1;
    factor = m.Div(m.Mul(factor, m.Mul(m.Add(x, m.Constant(at)), m.Add(x, m.Constant(at + 1)))), square);
  }
  // Where the last term is nothing beside the first ones, so is the rest, whatever became of it.
  const Value first = power(q);
  sum = m.Select(m.Equal(last, m.Constant(0)), m.Select(m.Equal(first, m.Infinity()), m.Infinity(), sum), sum);
  auto whole = [&](Value v) { return m.Equal(m.Unary<stablehlo::FloorOp>(v), v); };
  const Value zero = m.Constant(0), left = m.Compare(q, stablehlo::ComparisonDirection::LE, zero);
  const Value pole = m.And(left, whole(q));
  const Value nowhere = m.Or(
      m.Less(x, one), m.And(left, m.Compare(m.Unary<stablehlo::FloorOp>(x), stablehlo::ComparisonDirection::NE, x)));
  const Value result = m.Select(nowhere, m.NaN(), sum);
  const Value infinite = m.Or(m.Equal(x, one), m.And(pole, m.Compare(x, stablehlo::ComparisonDirection::GE, one)));
  return m.Select(infinite, m.Infinity(), result);
}

Value Polygamma(MathBuilder& m, Value n, Value x) {
  const Value one = m.Constant(1), zero = m.Constant(0), two = m.Constant(2), next = m.Add(n, one);
  const Value odd = m.Compare(m.Binary<stablehlo::RemOp>(next, two), stablehlo::ComparisonDirection::NE, zero);
  const Value size = m.Mul(m.Exp(Lgamma(m, next)), Zeta(m, next, x));
  const Value result = m.Select(m.Equal(n, zero), Digamma(m, x), m.Select(odd, m.Neg(size), size));
  const Value broken = m.Compare(m.Unary<stablehlo::FloorOp>(n), stablehlo::ComparisonDirection::NE, n);
  return m.Select(m.Or(m.Less(n, zero), broken), m.NaN(), result);
}

}  // namespace treadle::chlo

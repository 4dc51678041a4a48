// exp and what is made of it. x = k log(2) + r with |r| <= log(2)/2; e^r by a polynomial; 2^k by the exponent's bits.
// Coefficients: minimax in relative error, by Remez exchange.
#ifndef TREADLE_COMPILER_PLAN_MATH_EXP_H_
#define TREADLE_COMPILER_PLAN_MATH_EXP_H_

#include "compiler/plan/math/basic.h"

namespace treadle::plan::math {

template <class M>
struct ExpReduced {
  typename M::F r;
  typename M::I k;  // in the low bits; above them, rubbish
};

template <class M>
ExpReduced<M> ReduceExp(M& m, typename M::F x) {
  // The first part of log(2) has so few bits that its product with k is exact.
  constexpr double kHi = M::kBits == 32 ? 0x1.63p-1 : 0x1.62e42feep-1;
  constexpr double kLo = M::kBits == 32 ? -0x1.bd0105c610ca8p-13 : 0x1.a39ef35793c76p-33;
  typename M::F rounder = m.Const(kRounder<M>);
  typename M::F shifted = m.Fma(x, m.Const(0x1.71547652b82fep+0), rounder);
  typename M::F k = m.Sub(shifted, rounder);
  typename M::F r = m.Fma(k, m.Const(-kHi), x);
  return {m.Fma(k, m.Const(-kLo), r), m.Bits(shifted)};
}

// (e^r - 1 - r) / r^2.
template <class M>
typename M::F ExpTail(M& m, typename M::F r) {
  if constexpr (M::kBits == 32) {
    constexpr double kC[] = {0.49999997, 0.166665435, 0.0416672006, 0.00836652052, 0.00138825225};
    return Horner(m, r, kC);
  } else {
    constexpr double kC[] = {0x1.0000000000000p-1,  0x1.5555555555559p-3,  0x1.555555555553fp-5,  0x1.111111110f6dap-7,
                             0x1.6c16c16c1f07cp-10, 0x1.a01a01afd3dafp-13, 0x1.a01a017bc576ap-16, 0x1.71ddf87ec9118p-19,
                             0x1.27e5362e16076p-22, 0x1.af5e74ed0997dp-26, 0x1.1ee88524211c3p-29};
    return Horner(m, r, kC);
  }
}

// e^r.
template <class M>
typename M::F ExpSmall(M& m, typename M::F r) {
  typename M::F one = m.Const(1);
  if constexpr (M::kBits == 32) return m.Fma(m.Fma(ExpTail(m, r), r, one), r, one);
  return m.Add(one, m.Fma(m.Mul(r, r), ExpTail(m, r), r));
}

// x 2^k, where both are normal.
template <class M>
typename M::F Scale(M& m, typename M::F x, typename M::I k) {
  return m.FromBits(m.IAdd(m.Bits(x), m.Shl(k, kMantissa<M>)));
}

// Above this, e^x overflows; below the other it is less than the smallest normal number.
template <class M>
inline constexpr double kExpMax = M::kBits == 32 ? 88.72283172607422 : 709.782712893384;
template <class M>
inline constexpr double kExpMin = M::kBits == 32 ? -87.33654022216797 : -708.3964185322641;

// The exponential of this, and of less, rounds to 0 even where subnormal numbers are kept.
template <class M>
inline constexpr double kExpZero = M::kBits == 32 ? -105 : -750;

// y 2^k, about e^x with x in [kExpZero, kExpMin], rounded by the last product alone.
template <class M>
typename M::F ScaleToSubnormal(M& m, typename M::F y, typename M::I k) {
  constexpr int64_t kShift = M::kBits == 32 ? 64 : 128;
  constexpr double kFactor = M::kBits == 32 ? 0x1p-64 : 0x1p-128;
  return m.Mul(Scale(m, y, m.IAdd(k, m.Int(kShift))), m.Const(kFactor));
}

template <class M>
typename M::F Exp(M& m, typename M::F x) {
  typename M::B below = m.Lt(x, m.Const(kExpMin<M>));
  typename M::F least = m.Const(kExpZero<M>);
  ExpReduced<M> reduced = ReduceExp(m, m.keeps_subnormals() ? m.Select(m.Lt(x, least), least, x) : x);
  typename M::F small = ExpSmall(m, reduced.r), y = Scale(m, small, reduced.k);
  y = m.Select(below, m.keeps_subnormals() ? ScaleToSubnormal(m, small, reduced.k) : m.Const(0), y);
  return m.Select(m.Le(x, m.Const(kExpMax<M>)), y, m.Mul(x, m.Const(kInfinity)));  // infinity; NaN of NaN
}

// e^x - 1 from its parts: 2^k (e^r - 1) + (2^k - 1), halved so that k = 128 or 1024 stays finite. -0 gives 0.
template <class M>
typename M::F HalfExpm1(M& m, typename M::F x) {
  ExpReduced<M> reduced = ReduceExp(m, x);
  typename M::F r = reduced.r;
  typename M::F p = m.Fma(m.Mul(r, r), ExpTail(m, r), r);
  typename M::F half = m.Const(0.5);
  typename M::F scale = Scale(m, half, reduced.k);
  return m.Fma(scale, p, m.Sub(scale, half));
}

template <class M>
typename M::F Expm1(M& m, typename M::F x) {
  constexpr bool kSingle = M::kBits == 32;
  typename M::F low = m.Const(kSingle ? -30 : -60);  // the result is -1 from far above there
  typename M::F y = HalfExpm1(m, m.Select(m.Lt(x, low), low, x));
  y = m.Add(y, y);
  y = m.Select(m.Lt(Abs(m, x), m.Const(kSingle ? 0x1p-25 : 0x1p-54)), x, y);
  return m.Select(m.Le(x, m.Const(kExpMax<M>)), y, m.Mul(x, m.Const(kInfinity)));
}

// With t = e^(2|x|) - 1: t / (t + 2).
template <class M>
typename M::F Tanh(M& m, typename M::F x) {
  typename M::F a = Abs(m, x);
  typename M::F limit = m.Const(M::kBits == 32 ? 10 : 20);  // tanh is 1 from there on
  a = m.Select(m.Lt(limit, a), limit, a);
  typename M::F half = HalfExpm1(m, m.Add(a, a));
  return FlipSign(m, m.Div(half, m.Add(half, m.Const(1))), SignOf(m, x));
}

// e^x / (1 + e^x) for the small results that are kept.
template <class M>
typename M::F Logistic(M& m, typename M::F x) {
  typename M::F one = m.Const(1);
  if (m.keeps_subnormals()) {
    typename M::B negative = m.Lt(x, m.Const(0));
    typename M::F exp = Exp(m, Neg(m, Abs(m, x)));
    return m.Div(m.Select(negative, exp, one), m.Add(one, exp));
  }
  return m.Div(one, m.Add(one, Exp(m, Neg(m, x))));
}

}  // namespace treadle::plan::math

#endif  // TREADLE_COMPILER_PLAN_MATH_EXP_H_

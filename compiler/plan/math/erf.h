// erf: below 1, x times a polynomial of x^2; above, 1 - erfc. erfc: below 1/2, 1 - erf; above, a
// polynomial times e^(-x^2).
#ifndef TREADLE_COMPILER_PLAN_MATH_ERF_H_
#define TREADLE_COMPILER_PLAN_MATH_ERF_H_

#include "compiler/plan/math/basic.h"
#include "compiler/plan/math/exp.h"

namespace treadle::plan::math {

// erf(x) / x - kErfSlope, of z = x^2 <= 1.
template <class M>
inline constexpr double kErfSlope =
    M::kBits == 32 ? 0x1.20dd760000000p+0 : 0x1.20dd750429b6dp+0;  // 2 / sqrt(pi), rounded

template <class M>
typename M::F ErfSmall(M& m, typename M::F z) {
  if constexpr (M::kBits == 32) {
    constexpr double kC[] = {-5.86353834e-08, -0.37612626,    0.112835787,   -0.0268533472,
                             0.0051871622,    -0.00079978531, 7.80690389e-05};
    return Horner(m, z, kC);
  } else {
    constexpr double kC[] = {0x1.1ae3a914fed80p-56,  -0x1.812746b0379e6p-2,  0x1.ce2f21a042b20p-4,
                             -0x1.b82ce3128499dp-6,  0x1.565bcd0db02e8p-8,   -0x1.c02db3d8ed32bp-11,
                             0x1.f9a321a11f954p-14,  -0x1.f4d1df396ee6ep-17, 0x1.b9def19fc8d2ep-20,
                             -0x1.5f1d36d218d1ep-23, 0x1.f7a412da349dap-27,  -0x1.386ac2da682e8p-30,
                             0x1.0579b058b2a1cp-34};
    return Horner(m, z, kC);
  }
}

// erfc(a) for 1 <= a <= 4 or 6, as 1 - erfc needs it. In float the eighth power of a polynomial: a shorter chain than a
// logarithm and its exponential, and 1 - erfc forgives what the powers lose.
template <class M>
typename M::F ErfComplement(M& m, typename M::F a) {
  using F = typename M::F;
  if constexpr (M::kBits == 32) {
    constexpr double kRoot[] = {1.0008347,   -0.145060524,   -0.0614264645, -0.0113734594,
                                0.012925813, -0.00246971869, 0.000149848027};
    F root = Horner(m, a, kRoot), square = m.Mul(root, root), fourth = m.Mul(square, square);
    return m.Mul(fourth, fourth);
  } else {
    constexpr double kLog[] = {0x1.0df92b92105c4p-21,  0x1.20dd1fd358f68p+0,   0x1.45f6275916413p-1,
                               0x1.a4ac5c281683bp-4,   -0x1.372291c0caefdp-6,  -0x1.ae9454bac293fp-12,
                               0x1.f6411e53f97d0p-10,  -0x1.940a8f0559fb3p-11, 0x1.1b3a2f54839dep-13,
                               0x1.53fde76071c9fp-16,  -0x1.7ee31053e311ep-16, 0x1.22d0829c3d716p-17,
                               -0x1.1ea36d9a57bd2p-19, 0x1.90d1ccb6fe846p-22,  -0x1.8ec1b67b5691fp-25,
                               0x1.0e59acd57cd51p-28,  -0x1.c1ac57d04c0acp-33, 0x1.5acdfdb041867p-38};
    ExpReduced<M> reduced = ReduceExp(m, Neg(m, Horner(m, a, kLog)));
    return Scale(m, ExpSmall(m, reduced.r), reduced.k);
  }
}

// erf(x), |x| <= 1.
template <class M>
typename M::F ErfNear(M& m, typename M::F x) {
  return m.Fma(x, m.Const(kErfSlope<M>), m.Mul(x, ErfSmall(m, m.Mul(x, x))));
}

template <class M>
typename M::F Erf(M& m, typename M::F x) {
  using F = typename M::F;
  F a = Abs(m, x), one = m.Const(1), limit = m.Const(M::kBits == 32 ? 4 : 6);
  a = m.Select(m.Lt(limit, a), limit, a);  // 1 from there on
  F near = ErfNear(m, a);                  // finite up to the limit
  F far = m.Sub(one, ErfComplement(m, a));
  return FlipSign(m, m.Select(m.Lt(one, a), far, near), SignOf(m, x));
}

// (1 + 2 a) e^(a^2) erfc(a) - 1, a >= 0.45: between 0 and 0.3, and smooth in t = (a - c) / (a + c).
template <class M>
typename M::F ScaledErfc(M& m, typename M::F a) {
  const typename M::F centre = m.Const(M::kBits == 32 ? 2 : 3.5);
  const typename M::F t = m.Div(m.Sub(a, centre), m.Add(a, centre));
  if constexpr (M::kBits == 32) {
    constexpr double kC[] = {0.276978386,   -0.0927637728, -0.166030987,  0.164049184,    -0.0542087307,
                             -0.0080111321, 0.00864686961, 0.00117007765, -0.00124721801, -0.000258359271};
    return Horner(m, t, kC);
  } else {
    constexpr double kC[] = {
        0x1.f054cd07748a0p-3,   -0x1.1ebd220ea593cp-3,  -0x1.59e2c284b120fp-7,  0x1.8f702ec6b3432p-4,
        -0x1.d76830c3530fbp-4,  0x1.686106046c4ccp-4,   -0x1.8ff5ef76d48a7p-5,  0x1.38ec6671d491ep-6,
        -0x1.143c4ca603230p-8,  -0x1.3cf36b4a2266ep-12, 0x1.27e664910c9a5p-11,  -0x1.fda8e0c35afc6p-14,
        -0x1.66e2104e9ebbdp-15, 0x1.97067b19bb76dp-16,  0x1.387d9d97b83f9p-19,  -0x1.ffd969e28f0dfp-19,
        -0x1.7b4b99454d9ffp-25, 0x1.4191eba6a1bcep-21,  -0x1.123963fe62f24p-27, -0x1.8b67c6c26fda7p-24,
        0x1.4287092e7c524p-31,  0x1.5a0ecc456e176p-27};
    return Horner(m, t, kC);
  }
}

// e^(-x) (1 + q), 0 <= x <= -kExpZero.
template <class M>
typename M::F ExpOfNegativeTimes(M& m, Pair<M> x, typename M::F q) {
  const typename M::F negative = Neg(m, x.hi);
  const ExpReduced<M> reduced = ReduceExp(m, negative);
  const typename M::F r = m.Sub(reduced.r, x.lo);
  const typename M::F s = m.Fma(m.Mul(r, r), ExpTail(m, r), r);  // e^r - 1
  const typename M::F y = m.Add(m.Const(1), m.Fma(s, q, m.Add(s, q)));
  const typename M::F below = m.keeps_subnormals() ? ScaleToSubnormal(m, y, reduced.k) : m.Const(0);
  return m.Select(m.Lt(negative, m.Const(kExpMin<M>)), below, Scale(m, y, reduced.k));
}

template <class M>
typename M::F Erfc(M& m, typename M::F x) {
  using F = typename M::F;
  const F limit = m.Const(M::kBits == 32 ? 10.1 : 27.3), one = m.Const(1);  // nothing is left from there on
  F a = Abs(m, x);
  a = m.Select(m.Lt(limit, a), limit, a);
  const Pair<M> square = TwoProduct(m, a, a);
  const F scaled = ExpOfNegativeTimes(m, square, ScaledErfc(m, a));
  const F right = m.Div(scaled, m.Add(one, m.Add(a, a)));
  const F far = m.Select(m.Lt(x, m.Const(0)), m.Sub(m.Const(2), right), right);
  const F near = m.Sub(one, ErfNear(m, x));
  return m.Select(m.Lt(a, m.Const(0.5)), near, far);
}

}  // namespace treadle::plan::math

#endif  // TREADLE_COMPILER_PLAN_MATH_ERF_H_

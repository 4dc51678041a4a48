// log and log1p. x = 2^e m with m in [sqrt(1/2), sqrt(2)), f = m - 1, log(x) = e log(2) + log(1 + f).
#ifndef TREADLE_COMPILER_PLAN_MATH_LOG_H_
#define TREADLE_COMPILER_PLAN_MATH_LOG_H_

#include "compiler/plan/math/basic.h"

namespace treadle::plan::math {

template <class M>
struct LogReduced {
  typename M::F e, f;
};

// REQUIRES: x positive, normal, finite; else any finite or NaN values come out.
template <class M>
LogReduced<M> ReduceLog(M& m, typename M::F x) {
  constexpr int64_t kOne = M::kBits == 32 ? 0x3f800000 : 0x3ff0000000000000;
  constexpr int64_t kSqrtHalf = M::kBits == 32 ? 0x3f3504f3 : 0x3fe6a09e667f3bcd;
  constexpr int64_t kMask = (int64_t{1} << kMantissa<M>)-1;
  constexpr double kTwo = M::kBits == 32 ? 0x1p23 : 0x1p52;  // its low bits, as an integer, are a small number
  constexpr int64_t kTwoBits = M::kBits == 32 ? 0x4b000000 : 0x4330000000000000;
  typename M::I bits = m.IAdd(m.Bits(x), m.Int(kOne - kSqrtHalf));
  typename M::F mantissa = m.FromBits(m.IAdd(m.IAnd(bits, m.Int(kMask)), m.Int(kSqrtHalf)));
  typename M::I exponent = m.IOr(m.ShrL(bits, kMantissa<M>), m.Int(kTwoBits));
  typename M::F e = m.Sub(m.FromBits(exponent), m.Const(kTwo + (M::kBits == 32 ? 127 : 1023)));
  return {e, m.Sub(mantissa, m.Const(1))};
}

// log(x 2^more) for positive normal finite x.
template <class M>
typename M::F LogNormal(M& m, typename M::F x, typename M::F more) {
  auto [e, f] = ReduceLog(m, x);
  if (m.keeps_subnormals()) e = m.Add(e, more);
  if constexpr (M::kBits == 32) {
    constexpr double kC[] = {0.333333135,  -0.250000089, 0.200021192,  -0.166679963, 0.142195523,
                             -0.124055885, 0.118881606,  -0.116756551, 0.06746649};
    typename M::F z = m.Mul(f, f);
    typename M::F y = m.Mul(m.Mul(z, f), Horner(m, f, kC));
    y = m.Fma(e, m.Const(-0x1.bd0105c610ca8p-13), y);
    y = m.Fma(z, m.Const(-0.5), y);
    return m.Fma(e, m.Const(0x1.63p-1), m.Add(f, y));
  } else {
    // log(1+f) = 2 atanh(s), s = f / (2+f); written so that f itself enters exactly.
    constexpr double kC[] = {0x1.5555555555592p-1, 0x1.999999997fd37p-2, 0x1.24924941f8d1ep-2, 0x1.c71c5202b2bbep-3,
                             0x1.7466405be7994p-3, 0x1.39a1933605e37p-3, 0x1.2f07059192effp-3};
    typename M::F s = m.Div(f, m.Add(f, m.Const(2)));
    typename M::F z = m.Mul(s, s);
    typename M::F r = m.Mul(z, Horner(m, z, kC));
    typename M::F half_square = m.Mul(m.Mul(f, m.Const(0.5)), f);
    typename M::F y = m.Fma(e, m.Const(0x1.a39ef35793c76p-33), m.Mul(s, m.Add(half_square, r)));
    y = m.Sub(f, m.Sub(half_square, y));
    return m.Fma(e, m.Const(0x1.62e42feep-1), y);
  }
}

// `y` where 0 < x < infinity, else what log(x) is there.
template <class M>
typename M::F LogSpecial(M& m, typename M::F x, typename M::F y) {
  typename M::F zero = m.Const(0);
  typename M::F special = m.Select(m.Lt(x, zero), Nan(m), x);
  special = m.Select(m.Eq(x, zero), m.Const(-kInfinity), special);
  return m.Select(m.And(m.Lt(zero, x), m.Lt(x, m.Const(kInfinity))), y, special);
}

template <class M>
typename M::F Log(M& m, typename M::F x) {
  auto [scaled, e] = MakeNormal(m, x);
  return LogSpecial(m, x, LogNormal(m, scaled, e));
}

// log(u) + c/u, where u + c = 1 + x exactly.
template <class M>
typename M::F Log1p(M& m, typename M::F x) {
  Pair<M> u = TwoSum(m, m.Const(1), x);
  typename M::F y = m.Add(LogNormal(m, u.hi, m.Const(0)), m.Div(u.lo, u.hi));
  y = LogSpecial(m, u.hi, y);
  return m.Select(m.Lt(Abs(m, x), m.Const(M::kBits == 32 ? 0x1p-25 : 0x1p-54)), x, y);
}

}  // namespace treadle::plan::math

#endif  // TREADLE_COMPILER_PLAN_MATH_LOG_H_

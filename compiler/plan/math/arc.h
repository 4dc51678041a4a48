// atan2.
#ifndef TREADLE_COMPILER_PLAN_MATH_ARC_H_
#define TREADLE_COMPILER_PLAN_MATH_ARC_H_

#include "compiler/plan/math/basic.h"

namespace treadle::plan::math {

// (atan(t) - t) / t, of z = t^2, |t| <= sqrt(2) - 1.
template <class M>
typename M::F AtanTail(M& m, typename M::F z) {
  if constexpr (M::kBits == 32) {
    constexpr double kC[] = {-0.333333164, 0.199985281, -0.14244391, 0.105991684, -0.0609005205};
    return m.Mul(z, Horner(m, z, kC));
  } else {
    constexpr double kC[] = {-0x1.5555555555554p-2, 0x1.999999999964ap-3, -0x1.2492492475624p-3, 0x1.c71c71b7441e9p-4,
                             -0x1.745d14b8cfee5p-4, 0x1.3b136e193918dp-4, -0x1.110c71a8ee635p-4, 0x1.e171eaae78a5ap-5,
                             -0x1.ab7cff42bff02p-5, 0x1.70eb5fed0159bp-5, -0x1.1233a91f29398p-5, 0x1.f1d994f53234bp-7};
    return m.Mul(z, Horner(m, z, kC));
  }
}

// The angle of the point (x, y). With u <= v the coordinates' sizes, the angle in the first octant is atan(u/v), and
// pi/4 + atan((u-v)/(u+v)) in its upper half.
template <class M>
typename M::F Atan2(M& m, typename M::F y, typename M::F x) {
  using F = typename M::F;
  constexpr bool kSingle = M::kBits == 32;
  F ax = Abs(m, x), ay = Abs(m, y), zero = m.Const(0);
  // Very large ones are made smaller so that their sum is finite, very small ones larger so that their difference is
  // normal.
  F huge = m.Const(kSingle ? 0x1p100 : 0x1p1000), tiny = m.Const(kSingle ? 0x1p-60 : 0x1p-900), one = m.Const(1);
  F scale = m.Select(m.And(m.Lt(ax, tiny), m.Lt(ay, tiny)), m.Const(0x1p60), one);
  scale = m.Select(m.Or(m.Lt(huge, ax), m.Lt(huge, ay)), m.Const(0x1p-10), scale);
  ax = m.Mul(ax, scale);
  ay = m.Mul(ay, scale);
  typename M::B steep = m.Lt(ax, ay);
  F u = m.Select(steep, ax, ay), v = m.Select(steep, ay, ax);
  F infinity = m.Const(kInfinity);
  typename M::B infinite = m.And(m.Eq(u, infinity), m.Eq(v, infinity));
  typename M::B upper = m.Or(infinite, m.Lt(m.Mul(v, m.Const(0.41421356237309503)), u));
  F t = m.Div(m.Select(upper, m.Sub(u, v), u), m.Select(upper, m.Add(u, v), v));
  t = m.Select(m.Or(infinite, m.And(m.Eq(u, zero), m.Eq(v, zero))), zero, t);
  // The octants: a multiple of pi/4 (whose first part has zeros at its end), plus or minus atan(t).
  typename M::B left = m.Lt(m.FromBits(m.IOr(SignOf(m, x), m.Bits(m.Const(1)))), zero);
  typename M::B minus = m.Or(m.And(steep, m.Not(left)), m.And(left, m.Not(steep)));
  F octants = m.Select(steep, m.Const(2), m.Select(left, m.Const(4), zero));
  F sign = m.Select(minus, m.Const(-1), one);
  octants = m.Add(octants, m.Select(upper, sign, zero));
  t = m.Mul(t, sign);
  F angle = m.Fma(t, AtanTail(m, m.Mul(t, t)),
                  m.Mul(octants, m.Const(kSingle ? 0x1.5110b4611a626p-23 : 0x1.1a62633145c07p-55)));
  angle = m.Fma(octants, m.Const(kSingle ? 0x1.921fb00000000p-1 : 0x1.921fb54442d18p-1), m.Add(t, angle));
  return m.FromBits(m.IOr(m.Bits(Abs(m, angle)), SignOf(m, y)));
}

}  // namespace treadle::plan::math

#endif  // TREADLE_COMPILER_PLAN_MATH_ARC_H_

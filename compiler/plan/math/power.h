// cbrt and pow.
#ifndef TREADLE_COMPILER_PLAN_MATH_POWER_H_
#define TREADLE_COMPILER_PLAN_MATH_POWER_H_

#include "compiler/plan/math/basic.h"
#include "compiler/plan/math/exp.h"
#include "compiler/plan/math/log.h"

namespace treadle::plan::math {

// |x| = 2^(3q) m with m in [1, 8): z about m^(-1/3) by a polynomial and one step of the third order; m z^2, and one
// step of Newton's on it.
template <class M>
typename M::F Cbrt(M& m, typename M::F x) {
  using F = typename M::F;
  constexpr int64_t kMask = (int64_t{1} << kMantissa<M>)-1;
  constexpr int64_t kOne = M::kBits == 32 ? 0x3f800000 : 0x3ff0000000000000;
  constexpr double kTwo = M::kBits == 32 ? 0x1p23 : 0x1p52;
  constexpr int64_t kTwoBits = M::kBits == 32 ? 0x4b000000 : 0x4330000000000000;
  constexpr double kStart[] = {1.67000699, -1.17288101, 0.695483506, -0.221238256, 0.0285910927};
  F a = Abs(m, x), zero = m.Const(0), one = m.Const(1), third = m.Const(0x1.5555555555555p-2);
  auto [normal, more] = MakeNormal(m, a);
  typename M::I bits = m.Bits(normal);
  F e = m.Sub(m.FromBits(m.IOr(m.ShrL(bits, kMantissa<M>), m.Int(kTwoBits))),
              m.Const(kTwo + (M::kBits == 32 ? 127 : 1023)));
  if (m.keeps_subnormals()) e = m.Add(e, more);
  F mantissa = m.FromBits(m.IOr(m.IAnd(bits, m.Int(kMask)), m.Int(kOne)));
  F rounder = m.Const(kRounder<M>);
  F shifted = m.Add(m.Fma(e, third, m.Const(-1.0 / 3)), rounder);
  F rest = m.Fma(m.Sub(shifted, rounder), m.Const(-3), e);  // 0, 1 or 2
  typename M::B is0 = m.Lt(rest, m.Const(0.5)), is1 = m.Lt(rest, m.Const(1.5));
  F z = m.Mul(Horner(m, mantissa, kStart),
              m.Select(is0, one, m.Select(is1, m.Const(0.79370052598409974), m.Const(0.62996052494743658))));
  F v = m.Mul(mantissa, m.Select(is0, one, m.Select(is1, m.Const(2), m.Const(4))));
  F h = m.Fma(m.Mul(v, z), m.Mul(Neg(m, z), z), one);
  z = m.Fma(m.Mul(z, h), m.Fma(h, m.Const(2.0 / 9), third), z);
  F square = m.Mul(z, z), y = m.Mul(v, square);
  F residual = m.Fma(m.Mul(y, y), y, Neg(m, v));
  y = m.Fma(m.Mul(residual, square), Neg(m, third), y);
  y = Scale(m, y, m.Bits(shifted));
  y = FlipSign(m, y, SignOf(m, x));
  return m.Select(m.And(m.Lt(zero, a), m.Lt(a, m.Const(kInfinity))), y, x);
}

// |x|^y in double precision where x and y are floats: good to 2^-28. `w`: the evaluator of doubles.
template <class W>
typename W::F PowOfFloats(W& w, typename W::F x, typename W::F y) {
  using F = typename W::F;
  constexpr double kLog[] = {0x1.555555561e617p-1, 0x1.999996a8f1208p-2, 0x1.2494121662821p-2, 0x1.c62b068cc6c67p-3,
                             0x1.911666c957094p-3};
  constexpr double kExp[] = {0x1.fffffb9a57665p-2, 0x1.555491541e119p-3, 0x1.5558f17def8efp-5, 0x1.1239e2a64c12cp-7,
                             0x1.6a24338da9529p-10};
  auto [e, f] = ReduceLog(w, x);
  F s = w.Div(f, w.Add(f, w.Const(2))), z = w.Mul(s, s);
  F log = w.Fma(w.Mul(s, z), Horner(w, z, kLog), w.Add(s, s));
  log = LogSpecial(w, x, w.Fma(e, w.Const(0x1.62e42fefa39efp-1), log));
  F product = w.Mul(y, log), limit = w.Const(200), least = w.Const(-200);  // floats end long before
  product = w.Select(w.Lt(limit, product), limit, w.Select(w.Lt(product, least), least, product));
  ExpReduced<W> reduced = ReduceExp(w, product);
  F one = w.Const(1);
  F power = w.Fma(w.Fma(Horner(w, reduced.r, kExp), reduced.r, one), reduced.r, one);
  power = Scale(w, power, reduced.k);
  return w.Select(w.Eq(product, product), power, product);
}

// log(1 + f) = 2 atanh(s) with s = f / (2 + f), and e log(2), to about 2^-66. x: positive, finite.
template <class M>
Pair<M> LogPair(M& m, typename M::F x) {
  using F = typename M::F;
  constexpr double kTail[] = {0x1.999999999999ap-2, 0x1.2492492492522p-2, 0x1.c71c71c6ea82cp-3, 0x1.745d177aaed73p-3,
                              0x1.3b1395c86aa5fp-3, 0x1.1118c9d4795b1p-3, 0x1.df7c669ff6d2bp-4, 0x1.e03242c5af667p-4};
  auto [normal, more] = MakeNormal(m, x);
  auto [e, f] = ReduceLog(m, normal);
  if (m.keeps_subnormals()) e = m.Add(e, more);
  F two = m.Const(2), den = m.Add(two, f), den_lo = m.Sub(f, m.Sub(den, two));
  F s_hi = m.Div(f, den);
  Pair<M> back = TwoProduct(m, s_hi, den);
  F rest = m.Sub(m.Sub(m.Sub(f, back.hi), back.lo), m.Mul(s_hi, den_lo));
  Pair<M> s{s_hi, m.Div(rest, den)};
  Pair<M> z = Multiply(m, s, s), cube = Multiply(m, z, s);
  Pair<M> second = Multiply(m, cube, Pair<M>{m.Const(0x1.5555555555555p-1), m.Const(0x1.5555555555555p-55)});
  F tail = m.Mul(m.Mul(cube.hi, z.hi), Horner(m, z.hi, kTail));
  Pair<M> sum = Sum(m, Pair<M>{m.Add(s.hi, s.hi), m.Add(s.lo, s.lo)}, Sum(m, second, Pair<M>{tail, m.Const(0)}));
  Pair<M> scaled{m.Mul(e, m.Const(0x1.62e42fefa38p-1)), m.Mul(e, m.Const(0x1.ef35793c76730p-45))};
  Pair<M> head = TwoSum(m, scaled.hi, sum.hi);
  return FastTwoSum(m, head.hi, m.Add(head.lo, m.Add(scaled.lo, sum.lo)));
}

// |x|^y in double precision.
template <class M>
typename M::F PowOfDoubles(M& m, typename M::F x, typename M::F y) {
  using F = typename M::F;
  Pair<M> log = LogPair(m, x);
  log.hi = LogSpecial(m, x, log.hi);
  Pair<M> product = TwoProduct(m, y, log.hi);
  F lo = m.Fma(y, log.lo, product.lo);
  F exponent = product.hi;
  if (m.keeps_subnormals()) {
    F least = m.Const(kExpZero<M>);
    typename M::B nothing = m.Lt(exponent, least);
    exponent = m.Select(nothing, least, exponent);
    lo = m.Select(nothing, m.Const(0), lo);
  }
  ExpReduced<M> reduced = ReduceExp(m, exponent);
  F small = ExpSmall(m, m.Add(reduced.r, lo)), power = small;
  // 2^k in two steps where k > 0, so that the largest results overflow as they should.
  typename M::B up = m.Lt(m.Const(1), product.hi);
  F halved = Scale(m, power, m.IAdd(reduced.k, m.Int(-1)));
  power = m.Select(up, m.Mul(halved, m.Const(2)), Scale(m, power, reduced.k));
  F below = m.keeps_subnormals() ? ScaleToSubnormal(m, small, reduced.k) : m.Const(0);
  power = m.Select(m.Lt(product.hi, m.Const(kExpMin<M>)), below, power);
  return m.Select(m.Le(product.hi, m.Const(709.79)), power, m.Mul(product.hi, m.Const(kInfinity)));
}

template <class M>
typename M::F Pow(M& m, typename M::F x, typename M::F y) {
  using F = typename M::F;
  F a = Abs(m, x), one = m.Const(1), zero = m.Const(0), infinity = m.Const(kInfinity), power;
  if constexpr (M::kBits == 32) {
    auto& w = m.wide();
    power = m.Narrow(PowOfFloats(w, m.Widen(a), m.Widen(y)));
  } else {
    power = PowOfDoubles(m, a, y);
  }
  F half = m.Mul(y, m.Const(0.5));
  typename M::B whole = m.Eq(m.Floor(y), y), even = m.Eq(m.Floor(half), half);
  typename M::B negative = m.Lt(x, zero);
  // 1 to anything; anything to 0. -1 to infinity is 1 as well.
  power = m.Select(m.Or(m.Eq(y, zero), m.And(m.Eq(a, one), m.Eq(y, y))), one, power);
  F flipped = m.FromBits(m.IOr(m.Bits(power), SignOf(m, x)));
  power = m.Select(m.And(whole, m.Not(even)), flipped, power);
  typename M::B domain = m.And(m.And(negative, m.Lt(a, infinity)), m.Not(whole));
  power = m.Select(m.And(domain, m.Eq(y, y)), Nan(m), power);
  return m.Select(m.Eq(x, one), one, power);
}

}  // namespace treadle::plan::math

#endif  // TREADLE_COMPILER_PLAN_MATH_POWER_H_

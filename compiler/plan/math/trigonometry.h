// sin, cos, tan. x = n pi/2 + r with |r| <= pi/4. Usual arguments subtract n times pi/2 in parts whose products are
// exact; beyond kUsual the fraction of x * 2/pi is taken from its integer product with the right 192 bits of 2/pi
// (Payne and Hanek).
#ifndef TREADLE_COMPILER_PLAN_MATH_TRIGONOMETRY_H_
#define TREADLE_COMPILER_PLAN_MATH_TRIGONOMETRY_H_

#include <array>

#include "compiler/plan/math/basic.h"

namespace treadle::plan::math {

// Argument of [-pi/4, pi/4] as r + tail; n as a float, exact, its two low bits matter.
template <class M>
struct TrigReduced {
  typename M::F r, tail, n;
};

inline constexpr double kUsual = 0x1p20;
inline constexpr double kPiHalf[] = {0x1.921fb544p+0, 0x1.0b4611a6p-34, 0x1.3198a2ep-69, 0x1.b839a252049c1p-104};

// A zero word, then the fraction of 2/pi.
inline constexpr uint64_t kTwoOverPi[] = {0,
                                          0xa2f9836e4e441529,
                                          0xfc2757d1f534ddc0,
                                          0xdb6295993c439041,
                                          0xfe5163abdebbc561,
                                          0xb7246e3a424dd2e0,
                                          0x06492eea09d1921c,
                                          0xfe1deb1cb129a73e,
                                          0xe88235f52ebb4484,
                                          0xe99c7026b45f7e41,
                                          0x3991d639835339f4,
                                          0x9c845f8bbdf9283b,
                                          0x1ff897ffde05980f,
                                          0xef2f118b5a0a6d1f,
                                          0x6d367ecf27cb09b7,
                                          0x4f463f669e5fea2d,
                                          0x7527bac7ebe5f17b,
                                          0x3d0739f78a5292ea,
                                          0x6bfb5fb11f8d5d08,
                                          0x56033046fc7b6bab};

// `x` >= kUsual. Infinity and NaN give NaN.
template <class M>
std::array<typename M::F, 3> ReduceLarge(M& m, typename M::F x) {
  static_assert(M::kBits == 64);
  using F = typename M::F;
  using I = typename M::I;
  I mask = m.Int(0xffffffff);
  I bits = m.Bits(x);
  // x = mantissa * 2^(biased - 1075). Bits of 2/pi in front of `skip` make multiples of 4.
  I skip = m.IAdd(m.ShrL(bits, 52), m.Int(-1075 - 2 + 64));
  I mantissa = m.IOr(m.IAnd(bits, m.Int((int64_t{1} << 52) - 1)), m.Int(int64_t{1} << 52));
  I word = m.ShrL(skip, 6), shift = m.IAnd(skip, m.Int(63));
  I rest = m.ISub(m.Int(63), shift);
  I words[3];  // highest first
  I above = m.Lookup(kTwoOverPi, 20, word);
  for (int k = 0; k < 3; ++k) {
    I below = m.Lookup(kTwoOverPi, 20, m.IAdd(word, m.Int(k + 1)));
    words[k] = m.IOr(m.ShlV(above, shift), m.ShrLV(m.ShrL(below, 1), rest));
    above = below;
  }
  // The upper two words of the product modulo 2^192.
  I low = m.IMul(mantissa, words[1]), carried = m.MulHi(mantissa, words[2]);
  I carry = m.IAdd(m.IAdd(m.ShrL(low, 1), m.ShrL(carried, 1)), m.IAnd(m.IAnd(low, carried), m.Int(1)));
  low = m.IAdd(low, carried);
  I high = m.IAdd(m.IMul(mantissa, words[0]), m.IAdd(m.MulHi(mantissa, words[1]), m.ShrL(carry, 63)));
  I top_half = m.ShrL(high, 32);
  // The product is a fixed-point number with two bits before the point. n: rounded; the rest is signed.
  I n = m.ShrL(m.IAdd(top_half, m.Int(int64_t{1} << 29)), 30);
  I top = m.ISub(top_half, m.Shl(n, 30));
  auto to_float = [&](I small, double scale) {
    F rounder = m.Const(0x1.8p52);
    return m.Mul(m.Sub(m.FromBits(m.IAdd(small, m.Bits(rounder))), rounder), m.Const(scale));
  };
  Pair<M> s = TwoSum(m, to_float(top, 0x1p-30), to_float(m.IAnd(high, mask), 0x1p-62));
  Pair<M> t = TwoSum(m, s.hi, to_float(m.ShrL(low, 32), 0x1p-94));
  F lo = m.Add(m.Add(s.lo, t.lo), to_float(m.IAnd(low, mask), 0x1p-126));
  Pair<M> fraction = FastTwoSum(m, t.hi, lo);
  Pair<M> r = Multiply(m, fraction, Pair<M>{m.Const(0x1.921fb54442d18p+0), m.Const(0x1.1a62633145c07p-54)});
  return {m.Add(r.hi, m.Sub(x, x)), r.lo, to_float(n, 1)};
}

// Of x >= 0. Without `tail`: r is off by at most 2^-80, enough for a float.
template <class M>
TrigReduced<M> ReduceTrig(M& m, typename M::F x, bool tail) {
  static_assert(M::kBits == 64);
  using F = typename M::F;
  F rounder = m.Const(kRounder<M>);
  F n = m.Sub(m.Fma(x, m.Const(0x1.45f306dc9c883p-1), rounder), rounder);
  F a = m.Sub(x, m.Mul(n, m.Const(kPiHalf[0])));
  std::array<F, 3> usual;
  if (!tail) {
    usual = {m.Fma(n, m.Const(-0x1.0b4611a626331p-34), a), m.Const(0), n};
  } else {
    Pair<M> b = TwoSum(m, a, m.Mul(n, m.Const(-kPiHalf[1])));
    Pair<M> c = FastTwoSum(m, b.hi, m.Fma(n, m.Const(-kPiHalf[2]), b.lo));
    usual = {c.hi, m.Fma(n, m.Const(-kPiHalf[3]), c.lo), n};
  }
  auto [r, rest, quadrant] = m.Rare(m.Lt(m.Const(kUsual), x), usual, "reduce_large", x,
                                    [](auto& evaluator, auto value) { return ReduceLarge(evaluator, value); });
  return {r, rest, quadrant};
}

template <class M>
struct SinCos {
  typename M::F sin, cos;
  typename M::I n;
};

// (sin(r) - r) / r^3 and (cos(r) - 1 + r^2/2) / r^4, of r^2.
inline constexpr double kSinOfFloat[] = {-0.166666552, 0.00833218917, -0.000195182874};
inline constexpr double kCosOfFloat[] = {0.0416666456, -0.00138873095, 2.44323273e-05};

// Of |x|; the sine and cosine of r, which n says how to use.
template <class M>
SinCos<M> EvaluateSinCos(M& m, typename M::F x) {
  using F = typename M::F;
  F one = m.Const(1), rounder = m.Const(kRounder<M>);
  if constexpr (M::kBits == 32) {
    auto& w = m.wide();
    auto reduced = ReduceTrig(w, m.Widen(Abs(m, x)), /*tail=*/false);
    F r = m.Narrow(reduced.r), z = m.Mul(r, r);
    F sin = m.Fma(m.Mul(z, r), Horner(m, z, kSinOfFloat), r);
    F cos = m.Fma(m.Mul(z, z), Horner(m, z, kCosOfFloat), m.Fma(z, m.Const(-0.5), one));
    return {sin, cos, m.Bits(m.Add(m.Narrow(reduced.n), rounder))};
  } else {
    constexpr double kS[] = {0x1.111111110f7cdp-7, -0x1.a01a019bfd83bp-13, 0x1.71de356772ea1p-19,
                             -0x1.ae5e5a43976b0p-26, 0x1.5d8fba676fae8p-33};
    constexpr double kC[] = {0x1.555555555554bp-5,   -0x1.6c16c16c14f8ep-10, 0x1.a01a019c83f09p-16,
                             -0x1.27e4f7ea7e7b5p-22, 0x1.1ee9d783f1637p-29,  -0x1.8fa48016b4c82p-37};
    TrigReduced<M> reduced = ReduceTrig(m, Abs(m, x), /*tail=*/true);
    F r = reduced.r, tail = reduced.tail, z = m.Mul(r, r), v = m.Mul(z, r);
    F half_tail = m.Mul(tail, m.Const(0.5));
    F s = m.Sub(m.Mul(z, m.Sub(half_tail, m.Mul(v, Horner(m, z, kS)))), tail);
    F sin = m.Sub(r, m.Fma(v, m.Const(0x1.5555555555548p-3), s));
    F half_square = m.Mul(z, m.Const(0.5));
    F head = m.Sub(one, half_square);
    F rest = m.Sub(m.Sub(one, head), half_square);
    F c = m.Sub(m.Mul(m.Mul(z, z), Horner(m, z, kC)), m.Mul(r, tail));
    return {sin, m.Add(head, m.Add(rest, c)), m.Bits(m.Add(reduced.n, rounder))};
  }
}

template <class M>
typename M::B OddQuadrant(M& m, typename M::I n) {
  return m.ILt(m.Shl(n, M::kBits - 1), m.Int(0));
}

// The sign bit of the second half of the circle.
template <class M>
typename M::I HalfTurn(M& m, typename M::I n) {
  return m.Shl(m.ShrL(n, 1), M::kBits - 1);
}

template <class M>
typename M::F Sin(M& m, typename M::F x) {
  SinCos<M> v = EvaluateSinCos(m, x);
  typename M::F y = m.Select(OddQuadrant(m, v.n), v.cos, v.sin);
  return FlipSign(m, y, m.IXor(HalfTurn(m, v.n), SignOf(m, x)));
}

template <class M>
typename M::F Cos(M& m, typename M::F x) {
  SinCos<M> v = EvaluateSinCos(m, x);
  typename M::F y = m.Select(OddQuadrant(m, v.n), v.sin, v.cos);
  return FlipSign(m, y, HalfTurn(m, m.IAdd(v.n, m.Int(1))));
}

// sin / cos or -cos / sin. For floats in double precision throughout: the errors of both would add up.
template <class M>
typename M::F Tan(M& m, typename M::F x) {
  if constexpr (M::kBits == 32) {
    auto& w = m.wide();
    using W = typename M::Wide;
    auto [r, tail, n] = ReduceTrig(w, m.Widen(Abs(m, x)), /*tail=*/false);
    typename W::F z = w.Mul(r, r);
    typename W::F sin = w.Fma(w.Mul(z, r), Horner(w, z, kSinOfFloat), r);
    typename W::F cos = w.Fma(w.Mul(z, z), Horner(w, z, kCosOfFloat), w.Fma(z, w.Const(-0.5), w.Const(1)));
    typename W::B odd = OddQuadrant(w, w.Bits(w.Add(n, w.Const(kRounder<W>))));
    typename W::F y = w.Div(w.Select(odd, Neg(w, cos), sin), w.Select(odd, sin, cos));
    return FlipSign(m, m.Narrow(y), SignOf(m, x));
  } else {
    SinCos<M> v = EvaluateSinCos(m, x);
    typename M::B odd = OddQuadrant(m, v.n);
    typename M::F y = m.Div(m.Select(odd, Neg(m, v.cos), v.sin), m.Select(odd, v.sin, v.cos));
    return FlipSign(m, y, SignOf(m, x));
  }
}

}  // namespace treadle::plan::math

#endif  // TREADLE_COMPILER_PLAN_MATH_TRIGONOMETRY_H_

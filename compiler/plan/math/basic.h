// Pieces that the mathematical functions share. Evaluators: see math.h.
#ifndef TREADLE_COMPILER_PLAN_MATH_BASIC_H_
#define TREADLE_COMPILER_PLAN_MATH_BASIC_H_

#include <cstddef>
#include <cstdint>
#include <limits>

namespace treadle::plan::math {

template <class M>
inline constexpr int kMantissa = M::kBits == 32 ? 23 : 52;

// Adding it rounds a small float to an integer, which then stands in the low bits.
template <class M>
inline constexpr double kRounder = M::kBits == 32 ? 0x1.8p23 : 0x1.8p52;

template <class M>
inline constexpr int64_t kSignBit = M::kBits == 32 ? int64_t{-0x80000000} : std::numeric_limits<int64_t>::min();

inline constexpr double kInfinity = std::numeric_limits<double>::infinity();

// c[0] + x*(c[1] + x*(...)).
template <class M, size_t n>
typename M::F Horner(M& m, typename M::F x, const double (&c)[n]) {
  typename M::F sum = m.Const(c[n - 1]);
  for (size_t k = n - 1; k-- > 0;) sum = m.Fma(sum, x, m.Const(c[k]));
  return sum;
}

template <class M>
typename M::F Nan(M& m) {
  return m.Const(std::numeric_limits<double>::quiet_NaN());
}

template <class M>
typename M::F Neg(M& m, typename M::F x) {
  return m.FromBits(m.IXor(m.Bits(x), m.Int(kSignBit<M>)));
}

// x = normal * 2^e. For positive x; `normal` is x, and e is 0, where x is no subnormal number or such are zeros.
template <class M>
struct Normal {
  typename M::F normal, e;
};

template <class M>
Normal<M> MakeNormal(M& m, typename M::F x) {
  typename M::F zero = m.Const(0);
  if (!m.keeps_subnormals()) return {x, zero};
  constexpr double kLeast = M::kBits == 32 ? 0x1p-126 : 0x1p-1022;
  constexpr double kScale = M::kBits == 32 ? 0x1p24 : 0x1p54, kExponent = M::kBits == 32 ? -24 : -54;
  typename M::B small = m.Lt(x, m.Const(kLeast));
  return {m.Select(small, m.Mul(x, m.Const(kScale)), x), m.Select(small, m.Const(kExponent), zero)};
}

template <class M>
typename M::I SignOf(M& m, typename M::F x) {
  return m.IAnd(m.Bits(x), m.Int(kSignBit<M>));
}

template <class M>
typename M::F Abs(M& m, typename M::F x) {
  return m.FromBits(m.IAnd(m.Bits(x), m.Int(~kSignBit<M>)));
}

// `x` with its sign bit changed where `sign`, which has no other bit, has it.
template <class M>
typename M::F FlipSign(M& m, typename M::F x, typename M::I sign) {
  return m.FromBits(m.IXor(m.Bits(x), sign));
}

// A value as the sum of two, the first being the sum rounded.
template <class M>
struct Pair {
  typename M::F hi, lo;
};

// a + b exactly.
template <class M>
Pair<M> TwoSum(M& m, typename M::F a, typename M::F b) {
  typename M::F s = m.Add(a, b);
  typename M::F bb = m.Sub(s, a);
  return {s, m.Add(m.Sub(a, m.Sub(s, bb)), m.Sub(b, bb))};
}

// a + b exactly, where |a| >= |b| or a is 0.
template <class M>
Pair<M> FastTwoSum(M& m, typename M::F a, typename M::F b) {
  typename M::F s = m.Add(a, b);
  return {s, m.Sub(b, m.Sub(s, a))};
}

// a * b exactly, barring overflow.
template <class M>
Pair<M> TwoProduct(M& m, typename M::F a, typename M::F b) {
  typename M::F p = m.Mul(a, b);
  if (m.fma()) return {p, m.Fma(a, b, Neg(m, p))};
  auto split = [&](typename M::F x) {  // in halves whose products are exact
    typename M::F c = m.Mul(x, m.Const(M::kBits == 32 ? 4097.0 : 134217729.0));
    typename M::F hi = m.Sub(c, m.Sub(c, x));
    return Pair<M>{hi, m.Sub(x, hi)};
  };
  Pair<M> x = split(a), y = split(b);
  typename M::F e = m.Sub(m.Mul(x.hi, y.hi), p);
  e = m.Add(m.Add(e, m.Mul(x.hi, y.lo)), m.Mul(x.lo, y.hi));
  return {p, m.Add(e, m.Mul(x.lo, y.lo))};
}

template <class M>
Pair<M> Multiply(M& m, Pair<M> a, Pair<M> b) {
  Pair<M> p = TwoProduct(m, a.hi, b.hi);
  typename M::F lo = m.Add(p.lo, m.Fma(a.hi, b.lo, m.Mul(a.lo, b.hi)));
  return FastTwoSum(m, p.hi, lo);
}

// REQUIRES: |a| >= |b| about.
template <class M>
Pair<M> Sum(M& m, Pair<M> a, Pair<M> b) {
  Pair<M> s = FastTwoSum(m, a.hi, b.hi);
  return FastTwoSum(m, s.hi, m.Add(s.lo, m.Add(a.lo, b.lo)));
}

}  // namespace treadle::plan::math

#endif  // TREADLE_COMPILER_PLAN_MATH_BASIC_H_

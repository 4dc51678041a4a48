// The evaluator of math.h on single numbers.
#ifndef TREADLE_COMPILER_PLAN_MATH_SCALAR_H_
#define TREADLE_COMPILER_PLAN_MATH_SCALAR_H_

#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <type_traits>

namespace treadle::plan::math {

template <class T>
class ScalarOf {
 public:
  static constexpr int kBits = 8 * sizeof(T);
  using F = T;
  using I = std::conditional_t<kBits == 32, uint32_t, uint64_t>;
  using B = bool;

  // `fma`: as on processors that have it (x86-64-v3 and up). `keeps_subnormals`: as this thread's arithmetic does.
  ScalarOf(bool fma, bool keeps_subnormals) : fma_(fma), keeps_subnormals_(keeps_subnormals) {}

  bool fma() const { return fma_; }
  bool keeps_subnormals() const { return keeps_subnormals_; }
  F Const(double c) const { return static_cast<F>(c); }
  I Int(int64_t c) const { return static_cast<I>(c); }
  F Add(F a, F b) const { return a + b; }
  F Sub(F a, F b) const { return a - b; }
  F Mul(F a, F b) const { return a * b; }
  F Div(F a, F b) const { return a / b; }
  F Fma(F a, F b, F c) const { return fma_ ? std::fma(a, b, c) : a * b + c; }
  F Sqrt(F a) const { return std::sqrt(a); }
  F Floor(F a) const { return std::floor(a); }
  B Lt(F a, F b) const { return a < b; }
  B Le(F a, F b) const { return a <= b; }
  B Eq(F a, F b) const { return a == b; }
  B ILt(I a, I b) const { return static_cast<std::make_signed_t<I>>(a) < static_cast<std::make_signed_t<I>>(b); }
  B And(B a, B b) const { return a && b; }
  B Or(B a, B b) const { return a || b; }
  B Not(B a) const { return !a; }
  F Select(B p, F a, F b) const { return p ? a : b; }
  I Bits(F a) const { return std::bit_cast<I>(a); }
  F FromBits(I a) const { return std::bit_cast<F>(a); }
  I IAdd(I a, I b) const { return a + b; }
  I ISub(I a, I b) const { return a - b; }
  I IAnd(I a, I b) const { return a & b; }
  I IOr(I a, I b) const { return a | b; }
  I IXor(I a, I b) const { return a ^ b; }
  I Shl(I a, int n) const { return a << n; }
  I ShrL(I a, int n) const { return a >> n; }
  I ShlV(I a, I n) const { return a << n; }
  I ShrLV(I a, I n) const { return a >> n; }
  I IMul(I a, I b) const { return a * b; }
  I MulHi(I a, I b) const { return static_cast<I>((static_cast<unsigned __int128>(a) * b) >> kBits); }
  I Lookup(const uint64_t* table, int, I index) const { return static_cast<I>(table[index]); }
  template <size_t n, class Fn>
  std::array<F, n> Rare(B mask, std::array<F, n> usual, const char*, F x, Fn f) {
    return mask ? f(*this, x) : usual;
  }

 private:
  bool fma_, keeps_subnormals_;
};

using Scalar64 = ScalarOf<double>;

class Scalar32 : public ScalarOf<float> {
 public:
  using Wide = Scalar64;
  Scalar32(bool fma, bool keeps_subnormals) : ScalarOf(fma, keeps_subnormals), wide_(fma, keeps_subnormals) {}
  Wide& wide() { return wide_; }
  double Widen(float a) const { return a; }
  float Narrow(double a) const { return static_cast<float>(a); }

 private:
  Wide wide_;
};

}  // namespace treadle::plan::math

#endif  // TREADLE_COMPILER_PLAN_MATH_SCALAR_H_

// Every mathematical operation against the C library in long double, in ulp of the result's type, over random arguments
// of all sizes, the usual range, and special values; with and without fused multiply-add.
#include "compiler/plan/math.h"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <random>
#include <string>
#include <type_traits>

#include "compiler/plan/evaluate.h"
#include "compiler/plan/math/scalar.h"

namespace treadle::plan {
namespace {

long double Reference(Op op, long double x, long double y) {
  switch (op) {
    case Op::kExp:
      return std::exp(x);
    case Op::kExpm1:
      return std::expm1(x);
    case Op::kLog:
      return std::log(x);
    case Op::kLog1p:
      return std::log1p(x);
    case Op::kSin:
      return std::sin(x);
    case Op::kCos:
      return std::cos(x);
    case Op::kTan:
      return std::tan(x);
    case Op::kTanh:
      return std::tanh(x);
    case Op::kLogistic:
      return 1 / (1 + std::exp(-x));
    case Op::kSqrt:
      return std::sqrt(x);
    case Op::kRsqrt:
      return 1 / std::sqrt(x);
    case Op::kCbrt:
      return std::cbrt(x);
    case Op::kPow:
      return std::pow(x, y);
    case Op::kAtan2:
      return std::atan2(x, y);
    case Op::kErf:
      return std::erf(x);
    default:
      return std::erfc(x);
  }
}

template <class T>
T Evaluated(Op op, T x, T y, bool fma, bool keeps_subnormals) {
  if constexpr (sizeof(T) == 4) {
    math::Scalar32 m(fma, keeps_subnormals);
    return EvaluateMath(m, op, x, y);
  } else {
    math::Scalar64 m(fma, keeps_subnormals);
    return EvaluateMath(m, op, x, y);
  }
}

template <class T>
T Compute(Op op, T x, T y, bool fma) {
  FlushDenormals flush;  // as plans run
  return Evaluated(op, x, y, fma, false);
}

// The distance in ulp; infinite where one of both is special and the other is not the same.
template <class T>
double Ulp(T got, long double want) {
  constexpr T kMin = std::numeric_limits<T>::min(), kMax = std::numeric_limits<T>::max();
  if (std::isnan(want)) return std::isnan(got) ? 0 : INFINITY;
  T rounded = static_cast<T>(want);
  if (std::isinf(rounded)) return got == rounded || std::abs(got) >= kMax * T(0.9999995) ? 0 : INFINITY;
  if (std::isnan(got)) return INFINITY;
  if (std::isinf(got))
    return std::abs(want) > kMax * (1 - 3 * static_cast<long double>(std::numeric_limits<T>::epsilon())) ? 0 : INFINITY;
  if (std::abs(want) < kMin) return std::abs(static_cast<long double>(got)) <= kMin ? 0 : INFINITY;  // flushed or not
  int exponent;
  std::frexp(want, &exponent);
  long double ulp = std::ldexp(1.0L, exponent - std::numeric_limits<T>::digits);
  return static_cast<double>(std::abs(static_cast<long double>(got) - want) / ulp);
}

template <class T>
class Samples {
 public:
  explicit Samples(uint64_t seed) : random_(seed) {}
  T Any() {  // all bit patterns that are normal numbers, alike
    using I = std::conditional_t<sizeof(T) == 4, uint32_t, uint64_t>;
    for (;;) {
      T x = std::bit_cast<T>(static_cast<I>(random_()));
      if (std::isnormal(x)) return x;
    }
  }
  T Within(double lo, double hi) { return static_cast<T>(std::uniform_real_distribution<double>(lo, hi)(random_)); }
  T NearSize(int lo, int hi) {  // +-2^e with e in [lo, hi]
    return std::ldexp(Within(1, 2), std::uniform_int_distribution<int>(lo, hi)(random_)) * (random_() & 1 ? 1 : -1);
  }

 private:
  std::mt19937_64 random_;
};

template <class T>
void Check(Op op, bool fma, double bound) {
  Samples<T> samples(42);
  constexpr int kCount = 150000;
  double worst = 0;
  T worst_x = 0, worst_y = 0;
  for (int i = 0; i < kCount; ++i) {
    T x = i % 4 == 0   ? samples.Any()
          : i % 4 == 1 ? samples.Within(-10, 10)
          : i % 4 == 2 ? samples.NearSize(-8, 10)
                       : samples.Within(0, 2);
    T y = i % 3 == 0 ? samples.Any() : i % 3 == 1 ? samples.Within(-4, 4) : samples.NearSize(-6, 9);
    if (op == Op::kPow && i % 8 < 7) x = std::abs(x);
    if (op == Op::kPow && i % 16 == 15) y = std::floor(y);
    double ulp = Ulp(Compute(op, x, y, fma), Reference(op, x, y));
    if (!(ulp <= worst)) worst = ulp, worst_x = x, worst_y = y;
  }
  std::string name(OpText(op));
  testing::Test::RecordProperty(name + (fma ? "_fma" : "_nofma") + std::to_string(8 * sizeof(T)),
                                std::to_string(worst));
  EXPECT_LE(worst, bound) << name << " of " << double(worst_x) << ", " << double(worst_y) << ": "
                          << double(Compute(op, worst_x, worst_y, fma)) << ", want "
                          << double(Reference(op, worst_x, worst_y));
}

class MathTest : public testing::TestWithParam<Op> {};

TEST_P(MathTest, WithinThreeUlp) {
  for (bool fma : {true, false}) {
    Check<float>(GetParam(), fma, 3);
    Check<double>(GetParam(), fma, 3);
  }
}

template <class T>
void CheckSpecial(Op op) {
  constexpr T kInf = std::numeric_limits<T>::infinity(), kNan = std::numeric_limits<T>::quiet_NaN();
  constexpr T kMax = std::numeric_limits<T>::max(), kMin = std::numeric_limits<T>::min();
  const T values[] = {
      0,        T(-0.0),   1,      -1,      2,      -2,     3,     -3,   T(0.5), T(-0.5),
      T(1.5),   T(-1.5),   kInf,   -kInf,   kNan,   kMax,   -kMax, kMin, -kMin,  std::numeric_limits<T>::epsilon(),
      T(1e-30), T(-1e-30), T(1e5), T(-1e5), T(3e9), T(1e22)};
  for (bool fma : {true, false}) {
    for (T x : values) {
      for (T y : values) {
        T got = Compute(op, x, y, fma);
        long double want = Reference(op, x, y);
        EXPECT_LE(Ulp(got, want), 3) << OpText(op) << "(" << double(x) << ", " << double(y) << ") is " << double(got)
                                     << ", want " << double(want);
        if (want == 0 && got == 0) {
          EXPECT_EQ(std::signbit(got), std::signbit(want))
              << OpText(op) << "(" << double(x) << ", " << double(y) << ")";
        }
      }
    }
  }
}

TEST_P(MathTest, SpecialValues) {
  CheckSpecial<float>(GetParam());
  CheckSpecial<double>(GetParam());
}

// Where they are kept: subnormal arguments, and arguments whose results are subnormal, in units of the least number.
template <class T>
void CheckSubnormal(Op op, bool fma) {
  using I = std::conditional_t<sizeof(T) == 4, uint32_t, uint64_t>;
  constexpr T kLeast = std::numeric_limits<T>::denorm_min();
  constexpr int kLowest = sizeof(T) == 4 ? -149 : -1074;
  Samples<T> samples(7);
  std::mt19937_64 random(7);
  for (int i = 0; i < 20000; ++i) {
    T x =
        std::bit_cast<T>(static_cast<I>((random() & ((I{1} << (std::numeric_limits<T>::digits - 1)) - 1)) >> (i % 20)));
    if (i % 2 == 0) x = -x;
    T y = i % 3 == 0 ? samples.Within(-2, 2) : samples.NearSize(kLowest + 2, -kLowest / 2);
    if (i % 4 == 0) x = samples.Within(kLowest, kLowest * 0.6);  // an exponential of that
    if (op == Op::kPow) {
      x = std::abs(x);
      if (i % 4 == 1) x = samples.Within(1, 4), y = samples.Within(kLowest, kLowest * 0.6);
    }
    const T got = Evaluated(op, x, y, fma, true);
    const long double want = Reference(op, x, y);
    if (std::abs(want) < std::numeric_limits<T>::min()) {
      ASSERT_LE(std::abs(static_cast<long double>(got) - want), 1.01L * kLeast)
          << OpText(op) << " of " << double(x) << ", " << double(y);
      ASSERT_EQ(std::signbit(got), std::signbit(want)) << OpText(op) << " of " << double(x) << ", " << double(y);
    } else {
      ASSERT_LE(Ulp(got, want), 3) << OpText(op) << " of " << double(x) << ", " << double(y) << " is " << double(got);
    }
  }
}

TEST_P(MathTest, SubnormalNumbers) {
  for (bool fma : {true, false}) {
    CheckSubnormal<float>(GetParam(), fma);
    CheckSubnormal<double>(GetParam(), fma);
  }
}

INSTANTIATE_TEST_SUITE_P(, MathTest,
                         testing::Values(Op::kExp, Op::kExpm1, Op::kLog, Op::kLog1p, Op::kSin, Op::kCos, Op::kTan,
                                         Op::kTanh, Op::kLogistic, Op::kSqrt, Op::kRsqrt, Op::kCbrt, Op::kPow,
                                         Op::kAtan2, Op::kErf, Op::kErfc),
                         [](const auto& info) { return std::string(OpText(info.param)); });

// Doubles next to multiples of pi/2, where all leading digits cancel.
TEST(TrigonometryTest, NearMultiplesOfHalfPi) {
  for (double x : {0x1.921fb54442d18p+0, 0x1.921fb54442d18p+1, 6381956970095103.0 * 0x1p797, 0x1.6ac5b262ca1ffp+849,
                   0x1.91d4e77bcfe9fp+9, 3.6826e5, 0x1.0000000000001p20, 11.0, 355.0, 1e300}) {
    for (Op op : {Op::kSin, Op::kCos, Op::kTan}) {
      EXPECT_LE(Ulp(Compute(op, x, 0.0, true), Reference(op, x, 0)), 3) << OpText(op) << " of " << x;
      EXPECT_LE(Ulp(Compute(op, x, 0.0, false), Reference(op, x, 0)), 3) << OpText(op) << " of " << x;
      float f = static_cast<float>(x);
      if (std::isinf(f)) continue;
      EXPECT_LE(Ulp(Compute(op, f, 0.0f, true), Reference(op, f, 0)), 3) << OpText(op) << " of " << f;
    }
  }
}

}  // namespace
}  // namespace treadle::plan

#include "kernels/linalg/linalg.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <complex>
#include <cstring>
#include <functional>
#include <initializer_list>
#include <random>
#include <utility>
#include <vector>

#include "kernels/table.h"
#include "kernels/testing/targets.h"

namespace treadle::kernels::linalg {
namespace {

using executable::Target;
using kernels::testing::Targets;

// Rows and columns that every factorization meets: squares, wide and tall ones, below and above a block; and `more`.
std::vector<std::pair<int64_t, int64_t>> SizesAnd(std::initializer_list<std::pair<int64_t, int64_t>> more) {
  std::vector<std::pair<int64_t, int64_t>> sizes = {{1, 1},   {2, 2},   {3, 5},   {5, 3},   {16, 16},
                                                    {33, 33}, {64, 20}, {20, 90}, {130, 97}};
  sizes.insert(sizes.end(), more);
  return sizes;
}

template <typename Check>
void OfEveryType(Check check) {
  check.template operator()<float>();
  check.template operator()<double>();
  check.template operator()<std::complex<float>>();
  check.template operator()<std::complex<double>>();
}

template <typename E>
struct Of;
template <>
struct Of<float> {
  static constexpr ElementType kType = ElementType::kF32;
  using Part = float;
};
template <>
struct Of<double> {
  static constexpr ElementType kType = ElementType::kF64;
  using Part = double;
};
template <typename T>
struct Of<std::complex<T>> {
  static constexpr ElementType kType = sizeof(T) == 4 ? ElementType::kC64 : ElementType::kC128;
  using Part = T;
};

using Wide = std::complex<double>;

// Row-major, in the precision that results are checked in.
struct Matrix {
  int64_t m = 0, n = 0;
  std::vector<Wide> at;
  Matrix(int64_t rows, int64_t columns) : m(rows), n(columns), at(rows * columns) {}
  Wide& operator()(int64_t i, int64_t j) { return at[i * n + j]; }
  Wide operator()(int64_t i, int64_t j) const { return at[i * n + j]; }
};

Matrix operator*(const Matrix& a, const Matrix& b) {
  Matrix c(a.m, b.n);
  for (int64_t i = 0; i < a.m; ++i) {
    for (int64_t k = 0; k < a.n; ++k) {
      for (int64_t j = 0; j < b.n; ++j) c(i, j) += a(i, k) * b(k, j);
    }
  }
  return c;
}

Matrix Adjoint(const Matrix& a) {
  Matrix b(a.n, a.m);
  for (int64_t i = 0; i < a.m; ++i) {
    for (int64_t j = 0; j < a.n; ++j) b(j, i) = std::conj(a(i, j));
  }
  return b;
}

double Distance(const Matrix& a, const Matrix& b) {
  double sum = 0;
  for (size_t k = 0; k < a.at.size(); ++k) sum += std::norm(a.at[k] - b.at[k]);
  return std::sqrt(sum);
}

double Size(const Matrix& a) { return Distance(a, Matrix(a.m, a.n)); }

template <typename E>
Matrix MatrixOf(const std::vector<E>& from, int64_t number, int64_t m, int64_t n) {
  Matrix a(m, n);
  for (int64_t k = 0; k < m * n; ++k) a.at[k] = Wide(from[number * m * n + k]);
  return a;
}

template <typename E>
std::vector<E> Random(int64_t count, int seed) {
  std::mt19937 random(seed);
  std::uniform_real_distribution<double> uniform(-1, 1);
  std::vector<E> values(count);
  for (E& x : values) {
    if constexpr (std::is_floating_point_v<E>) {
      x = static_cast<E>(uniform(random));
    } else {
      x = E(static_cast<typename E::value_type>(uniform(random)), static_cast<typename E::value_type>(uniform(random)));
    }
  }
  return values;
}

// Runs all phases of a plan, tiles in ranges of `step`, last range first.
void RunAll(const LinalgPlan& plan, const Target& target, std::vector<void*> buffers, int64_t step) {
  std::vector<char> scratch(plan.scratch_bytes + 64, 0x7f);
  const auto aligned = [](std::vector<char>& v) {
    return v.data() + (64 - reinterpret_cast<uintptr_t>(v.data()) % 64) % 64;
  };
  for (const LinalgPhase& phase : plan.phases) {
    const TreadleKernel kernel = FindKernel(phase.symbol, target);
    ASSERT_NE(kernel, nullptr) << phase.symbol;
    for (int64_t end = phase.tiles; end > 0; end -= step) {
      std::vector<char> local(phase.local_bytes + 128, 0x7f);  // NaNs
      TreadleCallFrame frame = {buffers.data(),
                                phase.args.data(),
                                aligned(local),
                                aligned(scratch),
                                nullptr,
                                std::max<int64_t>(end - step, 0),
                                end};
      ASSERT_EQ(kernel(&frame), 0);
      ASSERT_TRUE(std::all_of(aligned(local) + phase.local_bytes, local.data() + local.size(), [](char c) {
        return c == 0x7f;
      })) << phase.symbol;
    }
  }
}

template <typename E>
double Unit() {
  return std::numeric_limits<typename Of<E>::Part>::epsilon();
}

constexpr int64_t kSizes[] = {1, 2, 3, 5, 8, 13, 16, 31, 33, 64, 65, 100, 130, 200};

template <typename E>
void CheckCholesky(const Target& target, int64_t batch, int64_t n, bool upper) {
  std::vector<E> a(batch * n * n);
  const std::vector<E> random = Random<E>(batch * n * n, static_cast<int>(n));
  for (int64_t b = 0; b < batch; ++b) {
    const Matrix x = MatrixOf(random, b, n, n), product = x * Adjoint(x);
    for (int64_t i = 0; i < n; ++i) {
      for (int64_t j = 0; j < n; ++j) {
        const bool read = upper ? j >= i : j <= i;
        const Wide value = read ? product(i, j) + (i == j ? 1.0 : 0.0) : Wide(std::nan(""));
        if constexpr (std::is_floating_point_v<E>) {
          a[(b * n + i) * n + j] = static_cast<E>(value.real());
        } else {
          a[(b * n + i) * n + j] = E(value);
        }
      }
    }
  }
  std::vector<E> l(a.size()), again(a.size());
  const LinalgPlan plan = PlanCholesky(Of<E>::kType, batch, n, upper, target);
  RunAll(plan, target, {a.data(), l.data()}, 1);
  RunAll(plan, target, {a.data(), again.data()}, 1000);
  EXPECT_EQ(0, std::memcmp(l.data(), again.data(), l.size() * sizeof(E)));
  for (int64_t b = 0; b < batch; ++b) {
    Matrix factor = MatrixOf(l, b, n, n), given = MatrixOf(a, b, n, n);
    for (int64_t i = 0; i < n; ++i) {
      for (int64_t j = 0; j < n; ++j) {
        if (upper ? j < i : j > i) {
          EXPECT_EQ(factor(i, j), Wide(0));
          given(i, j) = std::conj(given(j, i));
        }
      }
    }
    const Matrix back = upper ? Adjoint(factor) * factor : factor * Adjoint(factor);
    ASSERT_LE(Distance(back, given), 3 * Unit<E>() * std::sqrt(n + 3.0) * Size(given)) << n << " " << upper;
  }
}

TEST(Cholesky, FactorsMultiplyBack) {
  for (const Target& target : Targets()) {
    for (int64_t n : kSizes) {
      for (int64_t batch : {1, 9, 67}) {
        if ((batch > 1 && n > 100) || (batch > 9 && n > 24)) continue;
        for (bool upper : {false, true}) {
          OfEveryType([&]<typename E>() { CheckCholesky<E>(target, batch, n, upper); });
          if (HasFailure()) return;
        }
      }
    }
  }
}

TEST(Cholesky, NotPositiveDefiniteIsNan) {
  for (const Target& target : Targets()) {
    for (int64_t n : {1, 4, 24, 70, 200}) {
      for (double last : {-1.0, 0.0, std::nan("")}) {
        std::vector<float> a(n * n), l(n * n);
        for (int64_t i = 0; i < n; ++i) a[i * n + i] = i == n / 2 ? static_cast<float>(last) : 1.0f;
        RunAll(PlanCholesky(ElementType::kF32, 1, n, false, target), target, {a.data(), l.data()}, 1);
        for (int64_t i = 0; i < n; ++i) {
          for (int64_t j = 0; j < n; ++j) ASSERT_TRUE(j > i ? l[i * n + j] == 0 : std::isnan(l[i * n + j])) << i << j;
        }
      }
    }
  }
}

template <typename E>
void CheckSolve(const Target& target, const TriangularSolveRequest& given) {
  TriangularSolveRequest request = given;
  request.type = Of<E>::kType;
  const int64_t n = request.n, columns = request.columns;
  std::vector<E> a = Random<E>(request.batch * n * n, 1), b = Random<E>(request.batch * n * columns, 2), x(b.size());
  for (int64_t k = 0; k < request.batch * n; ++k) {
    a[k * n + k % n] += E(static_cast<typename Of<E>::Part>(2 + std::sqrt(static_cast<double>(n))));
    if (request.unit_diagonal) {
      for (int64_t j = 0; j < n; ++j)
        a[k * n + j] *= E(static_cast<typename Of<E>::Part>(1.0 / static_cast<double>(n)));
    }
  }
  const std::vector<E> whole = a;
  for (int64_t k = 0; k < request.batch * n; ++k) {  // nobody reads the other triangle
    for (int64_t j = 0; j < n; ++j) {
      if (request.lower ? j > k % n : j < k % n) a[k * n + j] = E(static_cast<typename Of<E>::Part>(std::nan("")));
      if (request.unit_diagonal && j == k % n) a[k * n + j] = E(static_cast<typename Of<E>::Part>(std::nan("")));
    }
  }
  const LinalgPlan plan = PlanTriangularSolve(request, target);
  RunAll(plan, target, {a.data(), b.data(), x.data()}, 1);
  for (int64_t k = 0; k < request.batch; ++k) {
    Matrix op = MatrixOf(whole, k, n, n);
    for (int64_t i = 0; i < n; ++i) {
      for (int64_t j = 0; j < n; ++j) {
        if (request.lower ? j > i : j < i) op(i, j) = 0;
        if (request.unit_diagonal && i == j) op(i, j) = 1;
      }
    }
    if (request.transpose) op = Adjoint(op);
    if (request.transpose != request.conjugate) {
      for (Wide& z : op.at) z = std::conj(z);
    }
    const Matrix right = request.left ? MatrixOf(b, k, n, columns) : MatrixOf(b, k, columns, n);
    const Matrix result = request.left ? MatrixOf(x, k, n, columns) : MatrixOf(x, k, columns, n);
    const double error = Distance(request.left ? op * result : result * op, right);
    ASSERT_LE(error, 4 * Unit<E>() * std::sqrt(n + 3.0) * Size(op) * Size(result))
        << n << " x " << columns << (request.left ? " left" : " right") << (request.lower ? " lower" : " upper")
        << request.unit_diagonal << request.transpose << request.conjugate;
  }
}

TEST(TriangularSolve, SolvesAllForms) {
  for (const Target& target : Targets()) {
    for (int64_t n : {1, 2, 5, 12, 13, 29, 64, 100}) {
      for (int64_t columns : {1, 3, 8, 17, 70}) {
        for (int form = 0; form < 32; ++form) {
          TriangularSolveRequest request = {.batch = 2, .n = n, .columns = columns};
          request.left = form & 1;
          request.lower = form & 2;
          request.unit_diagonal = form & 4;
          request.transpose = form & 8;
          request.conjugate = (form & 16) && request.transpose;
          CheckSolve<float>(target, request);
          if (n <= 29) CheckSolve<double>(target, request);
          if (n <= 64) CheckSolve<std::complex<float>>(target, request);
          if (n <= 13) CheckSolve<std::complex<double>>(target, request);
          if (HasFailure()) return;
        }
      }
    }
  }
}

template <typename E>
void CheckLu(const Target& target, int64_t batch, int64_t m, int64_t n) {
  const int64_t least = std::min(m, n);
  std::vector<E> a = Random<E>(batch * m * n, static_cast<int>(m * 7 + n)), lu(a.size()), again(a.size());
  std::vector<int32_t> pivots(batch * least), permutation(batch * m);
  const LinalgPlan plan = PlanLu(Of<E>::kType, batch, m, n, target);
  RunAll(plan, target, {a.data(), again.data(), pivots.data(), permutation.data()}, 1000);
  RunAll(plan, target, {a.data(), lu.data(), pivots.data(), permutation.data()}, 1);
  EXPECT_EQ(0, std::memcmp(lu.data(), again.data(), lu.size() * sizeof(E)));
  for (int64_t k = 0; k < batch; ++k) {
    const Matrix both = MatrixOf(lu, k, m, n), given = MatrixOf(a, k, m, n);
    Matrix l(m, least), u(least, n), permuted(m, n);
    for (int64_t i = 0; i < m; ++i) {
      for (int64_t j = 0; j < n; ++j) {
        permuted(i, j) = given(permutation[k * m + i], j);
        if (j < i && j < least) {
          l(i, j) = both(i, j);
          ASSERT_LE(std::abs(l(i, j)), 1.5);
        }
        if (j >= i) u(i, j) = both(i, j);
      }
      if (i < least) l(i, i) = 1;
      if (i < least) ASSERT_TRUE(pivots[k * least + i] >= i && pivots[k * least + i] < m);
    }
    ASSERT_LE(Distance(l * u, permuted), 4 * Unit<E>() * std::sqrt(least + 3.0) * Size(l) * Size(u)) << m << " x " << n;
  }
}

TEST(Lu, FactorsMultiplyBack) {
  for (const Target& target : Targets()) {
    for (auto [m, n] : SizesAnd({{100, 100}, {200, 200}, {97, 260}})) {
      for (int64_t batch : {1, 8}) {
        if (batch > 1 && m > 64) continue;
        OfEveryType([&]<typename E>() { CheckLu<E>(target, batch, m, n); });
        if (HasFailure()) return;
      }
    }
  }
}

template <typename E>
void CheckQr(const Target& target, int64_t batch, int64_t m, int64_t n) {
  const int64_t least = std::min(m, n);
  std::vector<E> a = Random<E>(batch * m * n, static_cast<int>(m * 5 + n)), r(a.size()), again(a.size());
  std::vector<E> tau(batch * least);
  const LinalgPlan plan = PlanQr(Of<E>::kType, batch, m, n, target);
  RunAll(plan, target, {a.data(), again.data(), tau.data()}, 1000);
  RunAll(plan, target, {a.data(), r.data(), tau.data()}, 1);
  EXPECT_EQ(0, std::memcmp(r.data(), again.data(), r.size() * sizeof(E)));
  // The first columns of the reflectors, and q as large as they allow.
  for (int64_t columns : {least, m}) {
    std::vector<E> v(batch * m * columns), q(v.size());
    for (int64_t i = 0; i < batch * m; ++i) {
      for (int64_t j = 0; j < std::min(columns, n); ++j) v[i * columns + j] = r[i * n + j];
    }
    RunAll(PlanReflectorProduct(Of<E>::kType, batch, m, columns, least, target), target,
           {v.data(), tau.data(), q.data()}, 1);
    for (int64_t k = 0; k < batch; ++k) {
      const Matrix given = MatrixOf(a, k, m, n), orthogonal = MatrixOf(q, k, m, columns);
      Matrix triangle(columns, n), identity(columns, columns);
      for (int64_t i = 0; i < std::min(columns, m); ++i) {
        for (int64_t j = i; j < n; ++j) triangle(i, j) = MatrixOf(r, k, m, n)(i, j);
      }
      for (int64_t i = 0; i < columns; ++i) identity(i, i) = 1;
      const double unit = 6 * Unit<E>() * std::sqrt(static_cast<double>(m + 3));
      ASSERT_LE(Distance(orthogonal * triangle, given), unit * Size(given)) << m << " x " << n << " " << columns;
      ASSERT_LE(Distance(Adjoint(orthogonal) * orthogonal, identity), unit * Size(identity)) << m << " x " << n;
    }
  }
}

TEST(Qr, FactorsMultiplyBack) {
  for (const Target& target : Targets()) {
    for (auto [m, n] : SizesAnd({{100, 100}, {97, 140}, {300, 5}})) {
      for (int64_t batch : {1, 8}) {
        if (batch > 1 && m > 33) continue;
        OfEveryType([&]<typename E>() { CheckQr<E>(target, batch, m, n); });
        if (HasFailure()) return;
      }
    }
  }
}

template <typename E>
void CheckEigh(const Target& target, int64_t batch, int64_t n, bool upper) {
  using T = typename Of<E>::Part;
  std::vector<E> a = Random<E>(batch * n * n, static_cast<int>(n) + 3), v(a.size());
  std::vector<T> w(batch * n), alone(batch * n);
  RunAll(PlanEigh(Of<E>::kType, batch, n, upper, true, target), target, {a.data(), v.data(), w.data()}, 1);
  RunAll(PlanEigh(Of<E>::kType, batch, n, upper, false, target), target, {a.data(), nullptr, alone.data()}, 1000);
  EXPECT_EQ(0, std::memcmp(w.data(), alone.data(), w.size() * sizeof(T)));
  for (int64_t k = 0; k < batch; ++k) {
    Matrix given = MatrixOf(a, k, n, n), vectors = MatrixOf(v, k, n, n), scaled = vectors, identity(n, n);
    for (int64_t i = 0; i < n; ++i) {
      given(i, i) = given(i, i).real();
      identity(i, i) = 1;
      for (int64_t j = 0; j < i; ++j) {
        if (upper)
          given(i, j) = std::conj(given(j, i));
        else
          given(j, i) = std::conj(given(i, j));
      }
      for (int64_t j = 0; j < n; ++j) scaled(i, j) *= w[k * n + j];
      if (i > 0) ASSERT_LE(w[k * n + i - 1], w[k * n + i]);
    }
    const double unit = 4 * Unit<E>() * std::sqrt(n + 3.0);
    ASSERT_LE(Distance(given * vectors, scaled), unit * Size(given)) << n;
    ASSERT_LE(Distance(Adjoint(vectors) * vectors, identity), unit * Size(identity)) << n;
  }
}

TEST(Eigh, VectorsAreEigenvectors) {
  for (const Target& target : Targets()) {
    for (int64_t n : {1, 2, 3, 5, 8, 17, 32, 70, 130}) {
      for (bool upper : {false, true}) {
        OfEveryType([&]<typename E>() { CheckEigh<E>(target, n < 10 ? 9 : 1, n, upper); });
        if (HasFailure()) return;
      }
    }
  }
}

TEST(Eigh, OddMatrices) {
  for (const Target& target : Targets()) {
    std::vector<float> a(36), v(36), w(6);
    const LinalgPlan plan = PlanEigh(ElementType::kF32, 1, 6, false, true, target);
    RunAll(plan, target, {a.data(), v.data(), w.data()}, 1);
    for (float x : w) EXPECT_EQ(x, 0);
    for (int64_t i = 0; i < 6; ++i) a[i * 7] = 1e30f * static_cast<float>(6 - i);
    RunAll(plan, target, {a.data(), v.data(), w.data()}, 1);
    for (int64_t i = 0; i < 6; ++i) EXPECT_FLOAT_EQ(w[i], 1e30f * static_cast<float>(i + 1));
    for (float bad : {std::numeric_limits<float>::infinity(), std::nanf("")}) {
      a[30] = bad;
      RunAll(plan, target, {a.data(), v.data(), w.data()}, 1);
      for (float x : w) EXPECT_TRUE(std::isnan(x));
      for (float x : v) EXPECT_TRUE(std::isnan(x));
    }
  }
}

// Of scaled diagonals: `scale` times 1 to 6.
template <typename T>
void CheckScale(const Target& target, T scale) {
  const ElementType type = Of<T>::kType;
  std::vector<T> a(36), w(6), s(6), u(36), v(36);
  for (int64_t i = 0; i < 6; ++i) a[i * 7] = scale * static_cast<T>(6 - i);
  RunAll(PlanEigh(type, 1, 6, false, true, target), target, {a.data(), v.data(), w.data()}, 1);
  RunAll(PlanSvd(type, 1, 6, 6, SvdVectors::kAll, target), target, {a.data(), s.data(), u.data(), v.data()}, 1);
  for (int64_t i = 0; i < 6; ++i) {
    EXPECT_EQ(w[i], scale * static_cast<T>(i + 1)) << scale;
    EXPECT_EQ(s[i], scale * static_cast<T>(6 - i)) << scale;
  }
}

TEST(Linalg, LargestAndSmallestNumbers) {
  for (const Target& target : Targets()) {
    for (int power : {125, 100, -100, -126, -140}) CheckScale<float>(target, std::ldexp(1.0f, power));
    for (int power : {1021, 800, -800, -1022, -1060}) CheckScale<double>(target, std::ldexp(1.0, power));
  }
}

template <typename E>
void CheckSvd(const Target& target, int64_t batch, int64_t m, int64_t n) {
  using T = typename Of<E>::Part;
  const int64_t least = std::min(m, n);
  const std::vector<E> a = Random<E>(batch * m * n, static_cast<int>(m * 7 + n));
  std::vector<T> alone(batch * least);
  RunAll(PlanSvd(Of<E>::kType, batch, m, n, SvdVectors::kNone, target), target,
         {const_cast<E*>(a.data()), alone.data(), nullptr, nullptr}, 1);
  for (const bool all : {false, true}) {
    const int64_t columns = all ? m : least, rows = all ? n : least;
    std::vector<T> s(batch * least);
    std::vector<E> u(batch * m * columns), v(batch * rows * n);
    RunAll(PlanSvd(Of<E>::kType, batch, m, n, all ? SvdVectors::kAll : SvdVectors::kSome, target), target,
           {const_cast<E*>(a.data()), s.data(), u.data(), v.data()}, 1000);
    EXPECT_EQ(0, std::memcmp(s.data(), alone.data(), s.size() * sizeof(T)));
    for (int64_t k = 0; k < batch; ++k) {
      const Matrix given = MatrixOf(a, k, m, n), left = MatrixOf(u, k, m, columns), right = MatrixOf(v, k, rows, n);
      Matrix scaled(columns, n), of_left(columns, columns), of_right(rows, rows);
      for (int64_t i = 0; i < columns; ++i) of_left(i, i) = 1;
      for (int64_t i = 0; i < rows; ++i) of_right(i, i) = 1;
      for (int64_t i = 0; i < least; ++i) {
        ASSERT_GE(s[k * least + i], 0);
        if (i > 0) ASSERT_GE(s[k * least + i - 1], s[k * least + i]);
        for (int64_t j = 0; j < n; ++j) scaled(i, j) = right(i, j) * static_cast<double>(s[k * least + i]);
      }
      const double unit = 6 * Unit<E>() * std::sqrt(static_cast<double>(m + n));
      ASSERT_LE(Distance(left * scaled, given), unit * Size(given)) << m << " x " << n;
      ASSERT_LE(Distance(Adjoint(left) * left, of_left), unit * Size(of_left)) << m << " x " << n;
      ASSERT_LE(Distance(right * Adjoint(right), of_right), unit * Size(of_right)) << m << " x " << n;
    }
  }
}

TEST(Svd, VectorsAndValuesMultiplyBack) {
  for (const Target& target : Targets()) {
    for (auto [m, n] : SizesAnd({{1, 4}, {4, 1}, {70, 70}})) {
      OfEveryType([&]<typename E>() { CheckSvd<E>(target, m < 10 ? 9 : 1, m, n); });
      if (HasFailure()) return;
    }
  }
}

TEST(Svd, OddMatrices) {
  for (const Target& target : Targets()) {
    std::vector<double> a(36), s(6), u(36), v(36);
    const LinalgPlan plan = PlanSvd(ElementType::kF64, 1, 6, 6, SvdVectors::kAll, target);
    const auto run = [&] { RunAll(plan, target, {a.data(), s.data(), u.data(), v.data()}, 1); };
    run();
    for (double x : s) EXPECT_EQ(x, 0);
    // Of rank 1, and bidiagonal with zeros on the diagonal.
    for (int64_t i = 0; i < 36; ++i) {
      const int64_t row = i / 6, column = i % 6;
      a[i] = static_cast<double>(row + 1) * static_cast<double>(column - 2);
    }
    run();
    EXPECT_NEAR(s[0], std::sqrt(91.0 * 19.0), 1e-12);
    for (int64_t i = 1; i < 6; ++i) EXPECT_NEAR(s[i], 0, 1e-13);
    std::fill(a.begin(), a.end(), 0);
    for (int64_t i = 0; i < 5; ++i) a[i * 7 + 1] = static_cast<double>(i + 1);
    run();
    for (int64_t i = 0; i < 6; ++i) EXPECT_NEAR(s[i], static_cast<double>(5 - i), 1e-14);
    // Values far apart keep their digits.
    std::fill(a.begin(), a.end(), 0);
    for (int64_t i = 0; i < 6; ++i) {
      a[i * 7] = std::ldexp(1.0, static_cast<int>(-40 * i));
      if (i < 5) a[i * 7 + 1] = std::ldexp(1.0, static_cast<int>(-40 * i - 21));
    }
    run();
    for (int64_t i = 0; i < 6; ++i) EXPECT_NEAR(std::ldexp(s[i], static_cast<int>(40 * i)), 1, 1e-6) << "value " << i;
    for (double bad : {std::numeric_limits<double>::infinity(), std::nan("")}) {
      a[30] = bad;
      run();
      for (double x : s) EXPECT_TRUE(std::isnan(x));
      for (double x : u) EXPECT_TRUE(std::isnan(x));
    }
  }
}

template <typename E>
void CheckTridiagonal(const Target& target, int64_t batch, int64_t m, int64_t n, bool perturb) {
  using T = typename Of<E>::Part;
  std::vector<E> lines[3], b = Random<E>(batch * m * n, 4), x(b.size());
  for (int line = 0; line < 3; ++line) lines[line] = Random<E>(batch * m, 11 * line + static_cast<int>(m));
  for (int64_t i = 0; i < batch * m; ++i) lines[1][i] *= static_cast<T>(i % 2 == 0 ? 0.1 : 1);  // rows that change
  for (int64_t k = 0; k < batch; ++k) lines[0][k * m] = lines[2][k * m + m - 1] = static_cast<T>(std::nan(""));
  RunAll(PlanTridiagonalSolve(Of<E>::kType, batch, m, n, perturb, target), target,
         {lines[0].data(), lines[1].data(), lines[2].data(), b.data(), x.data()}, 1);
  for (int64_t k = 0; k < batch; ++k) {
    Matrix t(m, m);
    for (int64_t i = 0; i < m; ++i) {
      t(i, i) = lines[1][k * m + i];
      if (i > 0) t(i, i - 1) = lines[0][k * m + i];
      if (i + 1 < m) t(i, i + 1) = lines[2][k * m + i];
    }
    const Matrix solution = MatrixOf(x, k, m, n), given = MatrixOf(b, k, m, n);
    ASSERT_LE(Distance(t * solution, given), 8 * Unit<E>() * Size(t) * Size(solution)) << m << " x " << n;
  }
}

TEST(Tridiagonal, SolvesSystems) {
  for (const Target& target : Targets()) {
    for (int64_t m : {1, 2, 3, 10, 57}) {
      for (int64_t n : {1, 5}) {
        for (bool perturb : {false, true}) {
          OfEveryType([&]<typename E>() { CheckTridiagonal<E>(target, 9, m, n, perturb); });
          if (HasFailure()) return;
        }
      }
    }
  }
}

TEST(Tridiagonal, SingularOnes) {
  for (const Target& target : Targets()) {
    std::vector<double> below = {0, 1, 0}, diagonal = {1, 1, 2}, above = {1, 0, 0}, b = {1, 2, 3}, x(3);
    const auto run = [&](bool perturb) {
      RunAll(PlanTridiagonalSolve(ElementType::kF64, 1, 3, 1, perturb, target), target,
             {below.data(), diagonal.data(), above.data(), b.data(), x.data()}, 1);
    };
    run(false);
    for (double value : x) EXPECT_TRUE(std::isnan(value));
    run(true);
    for (double value : x) EXPECT_TRUE(std::isfinite(value));
    EXPECT_EQ(x[2], 1.5);
    EXPECT_GT(std::abs(x[0]), 1e14);
  }
}

TEST(Linalg, NothingToDo) {
  EXPECT_TRUE(PlanSvd(ElementType::kF32, 1, 0, 3, SvdVectors::kAll, Target()).phases.empty());
  EXPECT_TRUE(PlanCholesky(ElementType::kF32, 0, 4, false, Target()).phases.empty());
  EXPECT_TRUE(PlanCholesky(ElementType::kF32, 2, 0, false, Target()).phases.empty());
  EXPECT_TRUE(PlanTriangularSolve({.columns = 0}, Target()).phases.empty());
  EXPECT_TRUE(PlanQr(ElementType::kF32, 1, 0, 3, Target()).phases.empty());
}

}  // namespace
}  // namespace treadle::kernels::linalg

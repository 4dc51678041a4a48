#include "kernels/fft/fft.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <random>
#include <utility>

#include "kernels/fft/roots.h"
#include "kernels/table.h"
#include "kernels/testing/targets.h"

namespace treadle::kernels::fft {
namespace {

using executable::Target;
using kernels::testing::Targets;

// Memory of one alignment, with a margin behind it that must stay as it is.
class Buffer {
 public:
  explicit Buffer(size_t bytes) : bytes_(bytes), memory_(bytes + 64 + kMargin, char{0x5a}) {}
  char* data() {
    auto at = reinterpret_cast<uintptr_t>(memory_.data());
    return memory_.data() + (64 - at % 64) % 64;
  }
  bool MarginIsWhole() {
    return std::all_of(data() + bytes_, data() + bytes_ + kMargin - 64, [](char c) { return c == 0x5a; });
  }

 private:
  static constexpr size_t kMargin = 256;
  size_t bytes_;
  std::vector<char> memory_;
};

int64_t InLength(const FftRequest& r) { return r.kind == FftKind::kRealResult ? r.n / 2 + 1 : r.n; }
int64_t OutLength(const FftRequest& r) { return r.kind == FftKind::kRealInput ? r.n / 2 + 1 : r.n; }
bool RealIn(const FftRequest& r) { return r.kind == FftKind::kRealInput; }
bool RealOut(const FftRequest& r) { return r.kind == FftKind::kRealResult; }

// Runs all phases; tiles in ranges of `step`, last range first.
template <typename T>
std::vector<T> Run(const FftRequest& request, const Target& target, const std::vector<T>& in, int64_t step) {
  const FftPlan plan = PlanFft(request, target);
  std::vector<T> out(request.outer * request.inner * OutLength(request) * (RealOut(request) ? 1 : 2));
  Buffer table(plan.table.size()), result(out.size() * sizeof(T)), scratch(plan.scratch_bytes);
  std::memcpy(table.data(), plan.table.data(), plan.table.size());
  for (const FftPhase& phase : plan.phases) {
    const TreadleKernel kernel = FindKernel(phase.symbol, target);
    EXPECT_NE(kernel, nullptr) << phase.symbol;
    if (kernel == nullptr) return out;
    for (int64_t end = phase.tiles; end > 0; end -= step) {
      Buffer local(phase.local_bytes);
      void* buffers[] = {const_cast<T*>(in.data()), table.data(), result.data()};
      TreadleCallFrame frame = {
          buffers, phase.args.data(), local.data(), scratch.data(), nullptr, std::max<int64_t>(end - step, 0), end};
      EXPECT_EQ(kernel(&frame), 0);
      EXPECT_TRUE(local.MarginIsWhole()) << phase.symbol;
    }
  }
  EXPECT_TRUE(result.MarginIsWhole() && scratch.MarginIsWhole());
  std::memcpy(out.data(), result.data(), out.size() * sizeof(T));
  return out;
}

// By the definition, or by a fast transform where that is long.
std::vector<Number> Exact(std::vector<Number> z, bool inverse) {
  const auto n = static_cast<int64_t>(z.size());
  if (inverse) {
    for (Number& x : z) x = std::conj(x);
  }
  if (n > 64 && FactorsOf(n).ok) {
    z = Transformed(std::move(z));
  } else {
    std::vector<Number> out(n), roots(n);
    for (int64_t k = 0; k < n; ++k) roots[k] = Root(k, n);
    for (int64_t k = 0; k < n; ++k) {
      for (int64_t j = 0; j < n; ++j) out[k] += z[j] * roots[j * k % n];
    }
    z = std::move(out);
  }
  if (inverse) {
    for (Number& x : z) x = std::conj(x) / static_cast<long double>(n);
  }
  return z;
}

template <typename T>
void Check(const FftRequest& request, const Target& target) {
  std::mt19937 random(static_cast<unsigned>(request.n));
  std::uniform_real_distribution<T> uniform(-1, 1);
  const int64_t in_parts = RealIn(request) ? 1 : 2, out_parts = RealOut(request) ? 1 : 2;
  std::vector<T> in(request.outer * request.inner * InLength(request) * in_parts);
  for (T& x : in) x = uniform(random);
  const std::vector<T> out = Run<T>(request, target, in, 1);
  EXPECT_EQ(0, std::memcmp(out.data(), Run<T>(request, target, in, 1000000).data(), out.size() * sizeof(T)));
  for (int64_t t = 0; t < request.outer * request.inner; ++t) {
    if (t > 1 && t + 1 < request.outer * request.inner && t % 13 != 0) continue;
    const auto at = [&](int64_t j, int64_t length) {
      return (t / request.inner * length + j) * request.inner + t % request.inner;
    };
    std::vector<Number> z(request.n);
    for (int64_t j = 0; j < InLength(request); ++j) {
      const T* x = in.data() + at(j, InLength(request)) * in_parts;
      z[j] = RealIn(request) ? Number(x[0]) : Number(x[0], x[1]);
      if (RealOut(request)) {
        if (j == 0 || 2 * j == request.n) z[j] = x[0];
        z[(request.n - j) % request.n] = std::conj(z[j]);
      }
    }
    const bool inverse = RealOut(request) || request.kind == FftKind::kInverse;
    const std::vector<Number> expected = Exact(z, inverse);
    long double error = 0, length = 0;
    for (int64_t k = 0; k < OutLength(request); ++k) {
      const T* x = out.data() + at(k, OutLength(request)) * out_parts;
      error += std::norm((RealOut(request) ? Number(x[0]) : Number(x[0], x[1])) - expected[k]);
      length += std::norm(expected[k]);
    }
    const long double unit = std::numeric_limits<T>::epsilon();
    EXPECT_LE(std::sqrt(error), unit * (1 + std::log2(static_cast<long double>(request.n))) * std::sqrt(length) * 0.6L)
        << "n " << request.n << " kind " << static_cast<int>(request.kind) << " outer " << request.outer << " inner "
        << request.inner << " transform " << t << " isa " << static_cast<int>(target.isa);
    if (::testing::Test::HasFailure()) return;
  }
}

void CheckAll(FftRequest request) {
  for (const Target& target : Targets()) {
    request.type = ElementType::kF32;
    Check<float>(request, target);
    request.type = ElementType::kF64;
    Check<double>(request, target);
    if (::testing::Test::HasFailure()) return;
  }
}

constexpr int64_t kLengths[] = {1,   2,   3,   4,   5,   6,   7,    8,    9,    10,   11,   12,  13,  14,
                                15,  16,  17,  18,  19,  20,  21,   24,   25,   30,   31,   32,  36,  48,
                                49,  64,  77,  96,  97,  100, 120,  127,  128,  144,  169,  192, 200, 243,
                                256, 263, 360, 500, 512, 625, 1000, 1009, 1024, 1331, 2048, 2500};

TEST(Fft, RowsOfEveryLength) {
  for (int64_t n : kLengths) {
    for (FftKind kind : {FftKind::kForward, FftKind::kInverse, FftKind::kRealInput, FftKind::kRealResult}) {
      for (int64_t outer : {1, 3, 8, 13}) CheckAll({.kind = kind, .n = n, .outer = outer});
      if (HasFailure()) return;
    }
  }
}

TEST(Fft, Columns) {
  for (int64_t n : {1, 2, 3, 8, 12, 17, 60, 128, 210, 1024}) {
    for (FftKind kind : {FftKind::kForward, FftKind::kInverse}) {
      for (int64_t inner : {2, 3, 8, 19, 40})
        CheckAll({.kind = kind, .n = n, .outer = n > 200 ? 1 : 3, .inner = inner});
      if (HasFailure()) return;
    }
  }
}

TEST(Fft, Long) {
  for (int64_t n : {32768, 65536, 46080, 78125 * 2, 131072}) {
    for (FftKind kind : {FftKind::kForward, FftKind::kInverse, FftKind::kRealInput, FftKind::kRealResult}) {
      CheckAll({.kind = kind, .n = n, .outer = 2});
      if (HasFailure()) return;
    }
  }
}

TEST(Fft, NothingToDo) {
  EXPECT_TRUE(PlanFft({.n = 8, .outer = 0}, Target()).phases.empty());
  EXPECT_TRUE(PlanFft({.n = 0, .outer = 3}, Target()).phases.empty());
}

TEST(Roots, AreExactWhereTheyCanBe) {
  for (int64_t n : {4, 8, 12, 1000, 4096}) {
    EXPECT_EQ(Root(0, n), Number(1, 0));
    EXPECT_EQ(Root(n / 4, n), Number(0, -1));
    EXPECT_EQ(Root(n / 2, n), Number(-1, 0));
    EXPECT_EQ(Root(3 * n / 4, n), Number(0, 1));
    for (int64_t k = 1; k < n; ++k) EXPECT_EQ(Root(k, n), std::conj(Root(n - k, n)));
  }
}

}  // namespace
}  // namespace treadle::kernels::fft

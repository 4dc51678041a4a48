#include "kernels/dense/dot.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <limits>
#include <random>

#include "kernels/dense/testing/tensors.h"
#include "kernels/table.h"

namespace treadle::kernels::dense {
namespace {

using executable::IsaLevel;
using executable::Target;
using testing::AlignedBytes;
using testing::Get;
using testing::MulAdd;
using testing::RunPlan;
using testing::Set;
using testing::Sum;
using testing::Targets;
using testing::Tensor;

// A product with sizes in groups, and for each operand the order of its dimensions in memory.
struct Problem {
  std::vector<int64_t> batch, m, n, k;
  ElementType lhs = ElementType::kF32, rhs = ElementType::kF32, out = ElementType::kF32;
  bool shuffle = false;  // any order of dimensions in memory, else batch, then rows, then columns
};

int64_t Product(const std::vector<int64_t>& sizes) {
  int64_t n = 1;
  for (int64_t size : sizes) n *= size;
  return n;
}

DotShape MakeShape(const Problem& p, std::mt19937_64& random) {
  DotShape shape;
  for (int64_t s : p.batch) shape.batch.push_back({s});
  for (int64_t s : p.m) shape.m.push_back({s});
  for (int64_t s : p.n) shape.n.push_back({s});
  for (int64_t s : p.k) shape.k.push_back({s});
  auto place = [&](std::vector<DotDim>& rows, std::vector<DotDim>& columns, int64_t DotDim::* stride) {
    std::vector<DotDim*> dims;
    for (auto* group : {&shape.batch, &rows, &columns}) {
      for (DotDim& dim : *group) dims.push_back(&dim);
    }
    if (p.shuffle) std::shuffle(dims.begin(), dims.end(), random);
    int64_t step = 1;
    for (size_t i = dims.size(); i-- > 0; step *= dims[i]->size) dims[i]->*stride = step;
  };
  place(shape.m, shape.k, &DotDim::lhs);
  place(shape.k, shape.n, &DotDim::rhs);
  place(shape.m, shape.n, &DotDim::out);
  return shape;
}

int64_t Offset(const std::vector<DotDim>& dims, int64_t index, int64_t DotDim::* stride) {
  int64_t offset = 0;
  for (size_t d = dims.size(); d-- > 0; index /= dims[d].size) offset += index % dims[d].size * (dims[d].*stride);
  return offset;
}

// All elements of an operand as T: [batch][outer][k], imaginary parts behind all the real ones.
template <typename T>
std::vector<T> Decode(const DotShape& shape, const std::vector<DotDim>& outer, int64_t DotDim::* stride, Tensor& tensor,
                      int64_t batch, int64_t count, int64_t k) {
  std::vector<T> all;
  all.reserve(batch * count * k * 2);
  std::vector<int64_t> k_offsets;
  for (int64_t at = 0; at < k; ++at) k_offsets.push_back(Offset(shape.k, at, stride));
  for (int part = 0; part < (IsComplex(tensor.type) ? 2 : 1); ++part) {
    for (int64_t b = 0; b < batch; ++b) {
      for (int64_t i = 0; i < count; ++i) {
        int64_t start = Offset(shape.batch, b, stride) + Offset(outer, i, stride);
        for (int64_t at = 0; at < k; ++at) all.push_back(Get<T>(tensor.type, tensor.At(start + k_offsets[at], part)));
      }
    }
  }
  return all;
}

template <typename T>
void ReferenceAs(const Problem& p, const DotShape& shape, bool fused, Tensor& lhs, Tensor& rhs, Tensor& out) {
  const int64_t batch = Product(p.batch), m = Product(p.m), n = Product(p.n), k = Product(p.k);
  const bool is_complex = IsComplex(p.out);
  const SumOrder order = DotSumOrder(m, n, k, DotAccumulator(p.lhs, p.rhs, p.out));
  const std::vector<T> left = Decode<T>(shape, shape.m, &DotDim::lhs, lhs, batch, m, k);
  const std::vector<T> right = Decode<T>(shape, shape.n, &DotDim::rhs, rhs, batch, n, k);
  for (int64_t row = 0; row < batch * m; ++row) {
    const int64_t b = row / m;
    for (int64_t j = 0; j < n; ++j) {
      const T *l = left.data() + row * k, *r = right.data() + (b * n + j) * k;
      const T *li = l + batch * m * k, *ri = r + batch * n * k;
      const int64_t o = Offset(shape.batch, b, &DotDim::out) + Offset(shape.m, row % m, &DotDim::out) +
                        Offset(shape.n, j, &DotDim::out);
      if (!is_complex) {
        Set<T>(p.out, out.At(o),
               Sum<T>(order, k, [&](int64_t at, T acc) { return MulAdd<T>(l[at], r[at], acc, fused); }));
        continue;
      }
      Set<T>(p.out, out.At(o), Sum<T>(order, k, [&](int64_t at, T acc) {
               return MulAdd<T>(li[at], -ri[at], MulAdd<T>(l[at], r[at], acc, fused), fused);
             }));
      Set<T>(p.out, out.At(o, 1), Sum<T>(order, k, [&](int64_t at, T acc) {
               return MulAdd<T>(li[at], r[at], MulAdd<T>(l[at], ri[at], acc, fused), fused);
             }));
    }
  }
}

void Reference(const Problem& p, const DotShape& shape, bool fused, Tensor& lhs, Tensor& rhs, Tensor& out) {
  switch (DotAccumulator(p.lhs, p.rhs, p.out)) {
    case ElementType::kC64:
    case ElementType::kF32:
      return ReferenceAs<float>(p, shape, fused, lhs, rhs, out);
    case ElementType::kC128:
    case ElementType::kF64:
      return ReferenceAs<double>(p, shape, fused, lhs, rhs, out);
    case ElementType::kI32:
      return ReferenceAs<uint32_t>(p, shape, fused, lhs, rhs, out);
    case ElementType::kI64:
      return ReferenceAs<uint64_t>(p, shape, fused, lhs, rhs, out);
    default:
      FAIL();
  }
}

std::string Describe(const Problem& p, const Target& target) {
  auto list = [](const std::vector<int64_t>& sizes) {
    std::string text = "[";
    for (int64_t size : sizes) text += std::to_string(size) + " ";
    return text + "]";
  };
  return "batch " + list(p.batch) + " m " + list(p.m) + " n " + list(p.n) + " k " + list(p.k) + " " +
         std::string(ElementTypeName(p.lhs)) + " " + std::string(ElementTypeName(p.rhs)) + " " +
         std::string(ElementTypeName(p.out)) + (p.shuffle ? " shuffled " : " ") + target.Key();
}

// The bits of every level against the order of summation in plain words.
void Check(const Problem& p, const DotShape& shape, uint64_t seed = 1) {
  std::mt19937_64 random(seed);
  int64_t b = Product(p.batch), m = Product(p.m), n = Product(p.n), k = Product(p.k);
  Tensor lhs(p.lhs, b * m * k), rhs(p.rhs, b * k * n);
  lhs.Fill(random);
  rhs.Fill(random);
  Tensor fused(p.out, b * m * n), rounded(p.out, b * m * n);
  Reference(p, shape, true, lhs, rhs, fused);
  Reference(p, shape, false, lhs, rhs, rounded);
  for (const Target& target : Targets()) {
    SCOPED_TRACE(Describe(p, target));
    StatusOr<DotPlan> plan = PlanDot(shape, p.lhs, p.rhs, p.out, target);
    ASSERT_TRUE(plan.ok()) << plan.status().ToString();
    Tensor out(p.out, b * m * n);
    std::memset(out.bytes.data(), 0xdd, out.bytes.size());
    RunPlan(*plan, target, {lhs.bytes.data(), rhs.bytes.data(), out.bytes.data()}, random);
    Tensor& expected = target.isa == IsaLevel::kV2 ? rounded : fused;
    ASSERT_EQ(out.bytes == expected.bytes, true);
  }
}

void Check(const Problem& p, uint64_t seed = 1) {
  std::mt19937_64 random(seed);
  Check(p, MakeShape(p, random), seed);
}

TEST(DotTest, ShapesOfAllKinds) {
  const int64_t sizes[][3] = {{1, 1, 1},      {3, 3, 3},      {1, 64, 64},     {64, 64, 64},  {14, 32, 16},
                              {15, 33, 17},   {29, 65, 40},   {1, 1000, 50},   {1000, 1, 50}, {130, 70, 330},
                              {300, 40, 20},  {40, 1100, 70}, {2, 500, 300},   {5, 700, 100}, {150, 200, 700},
                              {257, 129, 65}, {1, 1, 300},    {1, 1, 20000},   {3, 5, 1000},  {7, 9, 257},
                              {1, 54, 9000},  {54, 1, 9000},  {20, 20, 12345}, {64, 10, 128}, {1, 2000, 260},
                              {4, 4, 8200},   {1, 63, 8191},  {128, 3, 40},    {2000, 7, 33}, {12, 4100, 9}};
  for (auto [m, n, k] : sizes) {
    for (ElementType type : {ElementType::kF32, ElementType::kF64}) {
      Problem p{{}, {m}, {n}, {k}, type, type, type};
      Check(p);
      const uint64_t seeds = m * n * k > 500000 ? 1 : 3;
      for (uint64_t seed = 1; seed <= seeds; ++seed) {
        p.shuffle = true;
        Check(p, seed);
      }
    }
  }
}

// Rows of rhs that lie along k, and few rows of lhs.
TEST(DotTest, TurnedRhs) {
  for (auto [m, n, k] : {std::array<int64_t, 3>{1, 64, 64},
                         {1, 100, 54},
                         {2, 129, 1100},
                         {3, 32, 17},
                         {4, 70, 33},
                         {1, 96, 9000},
                         {3, 31, 40},
                         {130, 1, 70}}) {
    for (ElementType type : {ElementType::kF32, ElementType::kF64, ElementType::kI32}) {
      DotShape shape{{{3, m * k, k * n, m * n}}, {{m, k, 0, n}}, {{n, 0, k, 1}}, {{k, 1, 1, 0}}};
      Check({{3}, {m}, {n}, {k}, type, type, type}, shape);
    }
  }
}

TEST(DotTest, Batches) {
  for (auto [b, m, n, k] : {std::array<int64_t, 4>{1000, 3, 3, 3},
                            {12, 40, 64, 32},
                            {7, 1, 100, 64},
                            {5, 130, 64, 40},
                            {16, 20, 1, 300},
                            {3, 1, 1, 9000},
                            {96, 16, 16, 16}}) {
    Check({{b}, {m}, {n}, {k}});
    Check({{b}, {m}, {n}, {k}, ElementType::kF32, ElementType::kF32, ElementType::kF32, true}, b);
  }
}

TEST(DotTest, ManyDimensionsInAnyOrder) {
  for (uint64_t seed = 1; seed <= 12; ++seed) {
    Problem p{{2, 3}, {4, 5, 2}, {3, 7}, {6, 5}};
    p.shuffle = true;
    Check(p, seed);
    p = {{3}, {20, 9}, {5, 2, 11}, {2, 3, 4}, ElementType::kBF16, ElementType::kF32, ElementType::kF16};
    p.shuffle = true;
    Check(p, seed);
    p = {{2}, {5, 4}, {3, 6}, {4, 3}, ElementType::kC64, ElementType::kC64, ElementType::kC64};
    p.shuffle = true;
    Check(p, seed);
  }
}

TEST(DotTest, ElementTypes) {
  using enum ElementType;
  const ElementType types[][3] = {
      {kBF16, kBF16, kBF16}, {kBF16, kBF16, kF32}, {kF16, kF16, kF16},    {kF16, kBF16, kF32}, {kF32, kBF16, kBF16},
      {kF32, kF32, kF64},    {kF64, kF32, kF64},   {kF64, kF64, kF32},    {kF64, kF64, kBF16}, {kF64, kF64, kF16},
      {kI8, kI8, kI32},      {kI8, kI8, kI8},      {kU8, kI8, kI32},      {kU8, kU8, kU8},     {kI16, kI16, kI16},
      {kU16, kU16, kU32},    {kI16, kI8, kI32},    {kI16, kI16, kI32},    {kI32, kI32, kI32},  {kU32, kU32, kU32},
      {kI64, kI64, kI64},    {kU64, kU64, kU64},   {kI8, kI8, kI64},      {kI64, kI64, kI32},  {kI1, kI1, kI1},
      {kI1, kI1, kI32},      {kI4, kI4, kI4},      {kU4, kU4, kU2},       {kI2, kI4, kI8},     {kI8, kI8, kF32},
      {kI32, kF32, kF64},    {kC64, kC64, kC64},   {kC128, kC128, kC128}, {kC64, kC64, kC128}, {kC64, kC128, kC64}};
  for (auto [lhs, rhs, out] : types) {
    for (auto [m, n, k] : {std::array<int64_t, 3>{33, 47, 50},
                           {1, 70, 40},
                           {80, 1, 64},
                           {140, 70, 20},
                           {3, 4, 520},
                           {5, 6, 8193},
                           {2, 2, 2},
                           {150, 20, 340}}) {
      for (bool shuffle : {false, true}) Check({{2}, {m}, {n}, {k}, lhs, rhs, out, shuffle}, m);
    }
  }
}

TEST(DotTest, Bf16PairsHaveTheBitsOfFloats) {
  using enum ElementType;
  const bool before = PrefersBf16Pairs();
  for (bool pairs : {false, true}) {
    PrefersBf16Pairs() = pairs;
    for (auto [m, n, k] : {std::array<int64_t, 3>{33, 47, 51}, {1, 70, 40}, {140, 70, 333}, {5, 600, 8193}}) {
      for (bool shuffle : {false, true}) {
        Check({{2}, {m}, {n}, {k}, kBF16, kBF16, kBF16, shuffle}, m);
        Check({{2}, {m}, {n}, {k}, kBF16, kBF16, kF32, shuffle}, m);
      }
    }
  }
  PrefersBf16Pairs() = before;
}

TEST(DotTest, TypesThatDoNotGoTogether) {
  using enum ElementType;
  DotShape shape{{}, {{4, 4, 0, 4}}, {{4, 0, 1, 1}}, {{4, 1, 4, 0}}};
  for (auto [lhs, rhs, out] : {std::array{kF32, kF32, kI32},
                               {kC64, kF32, kC64},
                               {kF32, kF32, kC64},
                               {kI8, kI8, kI1},
                               {kF8E5M2, kF8E5M2, kF32},
                               {kF32, kF32, kF8E5M2}}) {
    StatusOr<DotPlan> plan = PlanDot(shape, lhs, rhs, out, Target());
    ASSERT_FALSE(plan.ok());
    EXPECT_EQ(plan.status().code(), StatusCode::kUnimplemented);
    EXPECT_NE(plan.status().message().find(ElementTypeName(out)), std::string::npos);
  }
}

TEST(DotTest, NothingToSum) {
  Check({{3}, {40}, {70}, {0}});
  Check({{}, {1}, {5}, {0}});
  Check({{}, {200}, {300}, {0}, ElementType::kBF16, ElementType::kBF16, ElementType::kBF16});
  Check({{}, {9}, {5}, {0}, ElementType::kC64, ElementType::kC64, ElementType::kC64});
}

TEST(DotTest, NothingToCompute) {
  for (Problem p : {Problem{{0}, {4}, {5}, {6}}, Problem{{2}, {0}, {5}, {6}}, Problem{{2}, {4}, {0}, {6}}}) {
    std::mt19937_64 random(1);
    StatusOr<DotPlan> plan = PlanDot(MakeShape(p, random), p.lhs, p.rhs, p.out, Target());
    ASSERT_TRUE(plan.ok());
    EXPECT_TRUE(plan->phases.empty());
  }
}

TEST(DotTest, NotFiniteStaysWhereItIs) {
  for (const Target& target : Targets()) {
    for (auto [m, n, k] : {std::array<int64_t, 3>{20, 37, 30}, {3, 3, 300}, {1, 90, 40}, {150, 300, 400}}) {
      std::mt19937_64 random(3);
      Problem p{{}, {m}, {n}, {k}};
      DotShape shape = MakeShape(p, random);
      std::vector<float> lhs(m * k, 1), rhs(k * n, 1), out(m * n, 5);
      lhs[(m - 1) * k + 3] = std::numeric_limits<float>::infinity();
      rhs[2 * n + n / 2] = std::numeric_limits<float>::quiet_NaN();
      StatusOr<DotPlan> plan = PlanDot(shape, p.lhs, p.rhs, p.out, target);
      RunPlan(*plan, target, {lhs.data(), rhs.data(), out.data()}, random);
      for (int64_t i = 0; i < m; ++i) {
        for (int64_t j = 0; j < n; ++j) {
          float value = out[i * n + j];
          if (j == n / 2)
            ASSERT_TRUE(std::isnan(value)) << i << " " << j;
          else if (i == m - 1)
            ASSERT_TRUE(std::isinf(value)) << i << " " << j;
          else
            ASSERT_EQ(value, static_cast<float>(k)) << i << " " << j;
        }
      }
    }
  }
}

// out[b][r][c] = panel * scale + bias[c], and counts what it was given.
struct Seen {
  int64_t calls, elements, longest, bad_rows;
};

int AffineEpilogue(const TreadleCallFrame* frame) {
  auto panel = static_cast<float*>(frame->buffers[0]);
  auto bias = static_cast<const float*>(frame->buffers[1]);
  auto out = static_cast<float*>(frame->buffers[2]);
  auto seen = static_cast<Seen*>(frame->buffers[3]);
  auto word = [&](int i) { return static_cast<int64_t>(frame->args[i]); };
  int64_t ld = word(0), row0 = word(1), col0 = word(2), rows = word(3), cols = word(4), batch = word(5);
  int64_t m = word(6), n = word(7);
  float scale = std::bit_cast<float>(static_cast<uint32_t>(frame->args[8]));
  std::memset(frame->local, 0x77, 100);
  for (int64_t r = 0; r < rows; ++r) {
    for (int64_t c = 0; c < cols; ++c) {
      out[(batch * m + row0 + r) * n + col0 + c] = panel[r * ld + c] * scale + bias[col0 + c];
      panel[r * ld + c] = -1;
    }
  }
  ++seen->calls;
  seen->elements += rows * cols;
  seen->longest = std::max(seen->longest, rows * ld);
  seen->bad_rows += cols != n;
  return frame->tile_begin == 0 && frame->tile_end == 1 ? TREADLE_KERNEL_OK : TREADLE_KERNEL_INTERNAL;
}

TEST(DotTest, EpilogueSeesEveryElementOnce) {
  for (const Target& target : Targets()) {
    for (auto [b, m, n, k] : {std::array<int64_t, 4>{1, 128, 300, 400},
                              {3, 33, 65, 20},
                              {1, 1, 5000, 64},
                              {1, 300, 1, 40},
                              {1, 4, 5, 1000},
                              {1, 54, 2, 9000},
                              {2, 100, 128, 0},
                              {40, 3, 3, 3},
                              {1, 70, 1, 9000},
                              {1, 140, 600, 350}}) {
      for (bool whole_rows : {false, true}) {
        Problem p{{b}, {m}, {n}, {k}};
        SCOPED_TRACE(Describe(p, target));
        std::mt19937_64 random(5);
        DotShape shape = MakeShape(p, random);
        Tensor lhs(p.lhs, b * m * k), rhs(p.rhs, b * k * n), bias(p.lhs, n), expected(p.out, b * m * n);
        lhs.Fill(random);
        rhs.Fill(random);
        bias.Fill(random);
        Reference(p, shape, target.isa != IsaLevel::kV2, lhs, rhs, expected);
        std::vector<float> out(b * m * n, -7);
        Seen seen = {};
        DotEpilogue epilogue{whole_rows, 3, 3, 100};
        StatusOr<DotPlan> plan = PlanDot(shape, p.lhs, p.rhs, p.out, target, &epilogue);
        ASSERT_TRUE(plan.ok());
        int64_t finishing = 0;
        for (const DotPhase& phase : plan->phases) finishing += phase.finishes;
        EXPECT_EQ(finishing, 1);
        uint64_t scale = std::bit_cast<uint32_t>(2.5f);
        RunPlan(*plan, target, {lhs.bytes.data(), rhs.bytes.data(), bias.bytes.data(), out.data(), &seen}, random,
                AffineEpilogue, {static_cast<uint64_t>(m), static_cast<uint64_t>(n), scale});
        EXPECT_EQ(seen.elements, b * m * n);
        EXPECT_LE(seen.longest, std::max<int64_t>(4096, (n + 31) / 32 * 32));
        if (whole_rows) EXPECT_EQ(seen.bad_rows, 0);
        for (int64_t i = 0; i < b * m * n; ++i) {
          float value = Get<float>(p.out, expected.At(i)) * 2.5f + Get<float>(p.lhs, bias.At(i % n));
          ASSERT_EQ(out[i], value) << i;
        }
      }
    }
  }
}

int FailingEpilogue(const TreadleCallFrame*) { return TREADLE_KERNEL_RESOURCE_EXHAUSTED; }

TEST(DotTest, EpilogueErrorIsReturned) {
  DotShape shape{{}, {{4, 4, 0, 4}}, {{4, 0, 1, 1}}, {{4, 1, 4, 0}}};
  DotEpilogue epilogue{false, 1, 0, 0};
  StatusOr<DotPlan> plan = PlanDot(shape, ElementType::kF32, ElementType::kF32, ElementType::kF32, Target(), &epilogue);
  std::vector<float> a(16), b(16), c(16);
  AlignedBytes local(plan->phases[0].local_bytes);
  std::vector<void*> buffers = {a.data(), b.data(), c.data()};
  TreadleKernel callback = FailingEpilogue;
  TreadleCallFrame frame = {buffers.data(), plan->phases[0].args.data(), local.data, nullptr, &callback, 0, 1};
  EXPECT_EQ(FindKernel(plan->phases[0].symbol, Target())(&frame), TREADLE_KERNEL_RESOURCE_EXHAUSTED);
}

// One plan of strides that repeat an operand: every row of lhs is the same.
TEST(DotTest, StrideZeroRepeats) {
  for (const Target& target : Targets()) {
    DotShape shape{{}, {{40, 0, 0, 50}}, {{50, 0, 1, 1}}, {{30, 1, 50, 0}}};
    std::vector<float> lhs(30, 2), rhs(30 * 50, 3), out(40 * 50);
    std::mt19937_64 random(1);
    StatusOr<DotPlan> plan = PlanDot(shape, ElementType::kF32, ElementType::kF32, ElementType::kF32, target);
    RunPlan(*plan, target, {lhs.data(), rhs.data(), out.data()}, random);
    for (float value : out) ASSERT_EQ(value, 180);
  }
}

TEST(TableTest, LevelsAreChosenByTarget) {
  Target v2, v3, v4;
  v3.isa = IsaLevel::kV3;
  v4.isa = IsaLevel::kV4;
  TreadleKernel a = FindKernel("dot_gemm_f32", v2), b = FindKernel("dot_gemm_f32", v3),
                c = FindKernel("dot_gemm_f32", v4);
  EXPECT_TRUE(a && b && c);
  EXPECT_NE(a, b);
  EXPECT_NE(b, c);
  EXPECT_EQ(FindKernel("dot_gemm_f33", v4), nullptr);
  EXPECT_EQ(FindKernel("dot_gemm_bf16", v4), nullptr);
  v4.avx512_bf16 = true;
  EXPECT_NE(FindKernel("dot_gemm_bf16", v4), nullptr);
  EXPECT_EQ(FindKernel("", v4), nullptr);
}

}  // namespace
}  // namespace treadle::kernels::dense

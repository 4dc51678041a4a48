#include "kernels/dense/conv.h"

#include <gtest/gtest.h>

#include <numeric>
#include <sstream>

#include "kernels/dense/testing/tensors.h"

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

// A convolution in the terms of the operation, and for each operand the order of its dimensions in memory: batch,
// feature, spatial ones (kernel: input features, output features, taps).
struct Problem {
  int64_t batch = 1, in_features = 1, out_features = 1, feature_groups = 1, batch_groups = 1;
  std::vector<int64_t> input, window, strides, low, high, lhs_dilation, rhs_dilation;
  std::vector<bool> reversed;
  std::vector<int> lhs_order, rhs_order, out_order;
  ElementType lhs = ElementType::kF32, rhs = ElementType::kF32, out = ElementType::kF32;

  size_t rank() const { return input.size(); }
  int64_t groups() const { return feature_groups * batch_groups; }
  int64_t Output(size_t d) const {
    const int64_t dilated = input[d] == 0 ? 0 : (input[d] - 1) * lhs_dilation[d] + 1;
    const int64_t reach = window[d] == 0 ? 0 : (window[d] - 1) * rhs_dilation[d] + 1;
    const int64_t padded = dilated + low[d] + high[d];
    return padded < reach || padded <= 0 ? 0 : (padded - reach) / strides[d] + 1;
  }
};

std::vector<int64_t> StridesIn(const std::vector<int64_t>& sizes, const std::vector<int>& order) {
  std::vector<int64_t> strides(sizes.size());
  int64_t step = 1;
  for (size_t i = order.size(); i-- > 0; step *= sizes[order[i]]) strides[order[i]] = step;
  return strides;
}

int64_t Elements(const std::vector<int64_t>& sizes) {
  return std::accumulate(sizes.begin(), sizes.end(), int64_t{1}, std::multiplies<>());
}

struct Sizes {
  std::vector<int64_t> lhs, rhs, out;
};

Sizes SizesOf(const Problem& p) {
  Sizes sizes{{p.batch, p.in_features},
              {p.in_features / p.feature_groups, p.out_features},
              {p.batch / p.batch_groups, p.out_features}};
  for (size_t d = 0; d < p.rank(); ++d) {
    sizes.lhs.push_back(p.input[d]);
    sizes.rhs.push_back(p.window[d]);
    sizes.out.push_back(p.Output(d));
  }
  return sizes;
}

ConvShape ShapeOf(const Problem& p) {
  const Sizes sizes = SizesOf(p);
  const std::vector<int64_t> lhs = StridesIn(sizes.lhs, p.lhs_order), rhs = StridesIn(sizes.rhs, p.rhs_order),
                             out = StridesIn(sizes.out, p.out_order);
  ConvShape shape;
  shape.batch = {.size = sizes.out[0], .lhs = lhs[0], .out = out[0]};
  shape.in_features = {.size = sizes.rhs[0], .lhs = lhs[1], .rhs = rhs[0]};
  shape.out_features = {.size = p.out_features / p.groups(), .rhs = rhs[1], .out = out[1]};
  shape.groups = {.size = p.groups(),
                  .lhs = p.batch_groups > 1 ? sizes.out[0] * lhs[0] : sizes.rhs[0] * lhs[1],
                  .rhs = shape.out_features.size * rhs[1],
                  .out = shape.out_features.size * out[1]};
  for (size_t d = 0; d < p.rank(); ++d) {
    shape.spatial.push_back({p.input[d], p.window[d], sizes.out[2 + d], lhs[2 + d], rhs[2 + d], out[2 + d],
                             p.strides[d], p.low[d], p.lhs_dilation[d], p.rhs_dilation[d], p.reversed[d]});
  }
  return shape;
}

std::vector<int64_t> Unravel(int64_t index, const std::vector<int64_t>& sizes, const std::vector<int>& order) {
  std::vector<int64_t> at(sizes.size());
  for (size_t i = order.size(); i-- > 0; index /= sizes[order[i]]) at[order[i]] = index % sizes[order[i]];
  return at;
}

int64_t Dot(const std::vector<int64_t>& a, const std::vector<int64_t>& b) {
  return std::inner_product(a.begin(), a.end(), b.begin(), int64_t{0});
}

// What one output is the sum of, in order: an element of lhs (-1: padding) and one of rhs. `places`: outputs that share
// these taps.
struct Terms {
  std::vector<std::pair<int64_t, int64_t>> of;
  int64_t places = 1;
};

Terms TermsOf(const Problem& p, const Sizes& sizes, const std::vector<int64_t>& out) {
  const std::vector<int64_t> lhs = StridesIn(sizes.lhs, p.lhs_order), rhs = StridesIn(sizes.rhs, p.rhs_order);
  const int64_t group = out[1] / std::max<int64_t>(p.out_features / p.groups(), 1);
  Terms terms;
  // The kernel in the order of its memory, but for the output feature, which is one.
  std::vector<int64_t> taps = sizes.rhs;
  taps[1] = 1;
  for (int64_t number = 0; number < Elements(taps); ++number) {
    std::vector<int64_t> tap = Unravel(number, taps, p.rhs_order), from(2 + p.rank());
    from[0] = out[0] + (p.batch_groups > 1 ? group * sizes.out[0] : 0);
    from[1] = tap[0] + (p.feature_groups > 1 ? group * sizes.rhs[0] : 0);
    bool inside = true, between = false;
    std::vector<int64_t> weight = tap;
    weight[1] = out[1];
    for (size_t d = 0; d < p.rank(); ++d) {
      const int64_t place = out[2 + d] * p.strides[d] - p.low[d] + tap[2 + d] * p.rhs_dilation[d];
      between = between || place % p.lhs_dilation[d] != 0;
      from[2 + d] = place / p.lhs_dilation[d];
      inside = inside && place >= 0 && from[2 + d] < p.input[d];
      if (p.reversed[d]) weight[2 + d] = p.window[d] - 1 - tap[2 + d];
    }
    if (!between) terms.of.push_back({inside ? Dot(from, lhs) : -1, Dot(weight, rhs)});
  }
  for (size_t d = 0; d < p.rank(); ++d) {
    const int64_t period = p.lhs_dilation[d] / std::gcd(p.lhs_dilation[d], p.strides[d]);
    terms.places *= (sizes.out[2 + d] - out[2 + d] % period + period - 1) / period;
  }
  return terms;
}

template <typename T>
void ReferenceAs(const Problem& p, bool fused, Tensor& lhs, Tensor& rhs, Tensor& out) {
  const Sizes sizes = SizesOf(p);
  const std::vector<int64_t> strides = StridesIn(sizes.out, p.out_order);
  const bool is_complex = IsComplex(p.out);
  for (int64_t i = 0; i < Elements(sizes.out); ++i) {
    const std::vector<int64_t> at = Unravel(i, sizes.out, p.out_order);
    const Terms terms = TermsOf(p, sizes, at);
    const auto count = static_cast<int64_t>(terms.of.size());
    const SumOrder order =
        ConvSumOrder(ShapeOf(p), sizes.out[0] * terms.places, count, DotAccumulator(p.lhs, p.rhs, p.out));
    auto l = [&](int64_t k, int part) {
      return terms.of[k].first < 0 ? T{0} : Get<T>(p.lhs, lhs.At(terms.of[k].first, part));
    };
    auto r = [&](int64_t k, int part) { return Get<T>(p.rhs, rhs.At(terms.of[k].second, part)); };
    uint8_t* to = out.At(Dot(at, strides));
    if (!is_complex) {
      Set<T>(p.out, to,
             Sum<T>(order, count, [&](int64_t k, T acc) { return MulAdd<T>(l(k, 0), r(k, 0), acc, fused); }));
      continue;
    }
    Set<T>(p.out, to, Sum<T>(order, count, [&](int64_t k, T acc) {
             return MulAdd<T>(l(k, 1), -r(k, 1), MulAdd<T>(l(k, 0), r(k, 0), acc, fused), fused);
           }));
    Set<T>(p.out, out.At(Dot(at, strides), 1), Sum<T>(order, count, [&](int64_t k, T acc) {
             return MulAdd<T>(l(k, 1), r(k, 0), MulAdd<T>(l(k, 0), r(k, 1), acc, fused), fused);
           }));
  }
}

void Reference(const Problem& p, bool fused, Tensor& lhs, Tensor& rhs, Tensor& out) {
  switch (DotAccumulator(p.lhs, p.rhs, p.out)) {
    case ElementType::kC64:
    case ElementType::kF32:
      return ReferenceAs<float>(p, fused, lhs, rhs, out);
    case ElementType::kC128:
    case ElementType::kF64:
      return ReferenceAs<double>(p, fused, lhs, rhs, out);
    case ElementType::kI32:
      return ReferenceAs<uint32_t>(p, fused, lhs, rhs, out);
    case ElementType::kI64:
      return ReferenceAs<uint64_t>(p, fused, lhs, rhs, out);
    default:
      FAIL();
  }
}

std::string Describe(const Problem& p, const Target& target) {
  std::ostringstream text;
  auto list = [&](const char* name, const auto& values) {
    text << name << "(";
    for (auto v : values) text << v << " ";
    text << ") ";
  };
  text << "isa " << static_cast<int>(target.isa) << ' ' << ElementTypeName(p.lhs) << ' ' << ElementTypeName(p.rhs)
       << ' ' << ElementTypeName(p.out) << " batch " << p.batch << " features " << p.in_features << " -> "
       << p.out_features << " groups " << p.feature_groups << " " << p.batch_groups << ' ';
  list("input", p.input);
  list("window", p.window);
  list("strides", p.strides);
  list("low", p.low);
  list("high", p.high);
  list("lhs dilation", p.lhs_dilation);
  list("rhs dilation", p.rhs_dilation);
  list("reversed", p.reversed);
  list("orders", p.lhs_order);
  list("", p.rhs_order);
  list("", p.out_order);
  return text.str();
}

void Check(const Problem& p, uint64_t seed = 1) {
  std::mt19937_64 random(seed);
  const Sizes sizes = SizesOf(p);
  Tensor lhs(p.lhs, Elements(sizes.lhs)), rhs(p.rhs, Elements(sizes.rhs));
  lhs.Fill(random);
  rhs.Fill(random);
  for (const Target& target : Targets()) {
    SCOPED_TRACE(Describe(p, target));
    Tensor expected(p.out, Elements(sizes.out)), out(p.out, Elements(sizes.out));
    Reference(p, target.isa != IsaLevel::kV2, lhs, rhs, expected);
    StatusOr<DotPlan> plan = PlanConv(ShapeOf(p), p.lhs, p.rhs, p.out, target);
    ASSERT_TRUE(plan.ok()) << plan.status().ToString();
    std::memset(out.bytes.data(), 0x5a, out.bytes.size());
    RunPlan(*plan, target, {lhs.bytes.data(), rhs.bytes.data(), out.bytes.data()}, random);
    for (int64_t i = 0; i < Elements(sizes.out); ++i) {
      ASSERT_EQ(std::memcmp(out.At(i), expected.At(i), ElementBytes(p.out)), 0)
          << i << ": " << Get<double>(p.out, out.At(i)) << " instead of " << Get<double>(p.out, expected.At(i));
    }
  }
}

// Channels last: images NHWC, kernels HWIO.
Problem ChannelsLast(std::vector<int64_t> input, std::vector<int64_t> window) {
  const size_t rank = input.size();
  Problem p;
  p.strides = p.lhs_dilation = p.rhs_dilation = std::vector<int64_t>(rank, 1);
  p.low = p.high = std::vector<int64_t>(rank, 0);
  p.reversed.assign(rank, false);
  p.lhs_order = {0};
  for (size_t d = 0; d < rank; ++d) {
    p.lhs_order.push_back(static_cast<int>(2 + d));
    p.rhs_order.push_back(static_cast<int>(2 + d));
    p.low[d] = (window[d] - 1) / 2;
    p.high[d] = window[d] / 2;
  }
  p.lhs_order.push_back(1);
  p.out_order = p.lhs_order;
  p.rhs_order.insert(p.rhs_order.end(), {0, 1});
  p.input = std::move(input);
  p.window = std::move(window);
  return p;
}

Problem ChannelsFirst(std::vector<int64_t> input, std::vector<int64_t> window) {
  Problem p = ChannelsLast(std::move(input), std::move(window));
  std::iota(p.lhs_order.begin(), p.lhs_order.end(), 0);
  p.out_order = p.lhs_order;
  p.rhs_order = p.lhs_order;
  std::swap(p.rhs_order[0], p.rhs_order[1]);
  return p;
}

Problem Random(uint64_t seed, ElementType lhs, ElementType rhs, ElementType out) {
  std::mt19937_64 random(seed);
  auto upto = [&](int64_t n) { return static_cast<int64_t>(random() % (n + 1)); };
  Problem p;
  const auto rank = static_cast<size_t>(upto(3));
  auto order = [&] {
    std::vector<int> list(2 + rank);
    std::iota(list.begin(), list.end(), 0);
    std::shuffle(list.begin(), list.end(), random);
    return list;
  };
  const int64_t kind = upto(3);
  p.feature_groups = kind == 0 ? 1 + upto(8) : 1;
  p.batch_groups = kind == 1 ? 1 + upto(8) : 1;
  const bool depthwise = upto(2) == 0;
  p.batch = p.batch_groups * (1 + upto(2));
  p.in_features = p.feature_groups * (depthwise ? 1 : 1 + upto(upto(4) == 0 ? 40 : 4));
  p.out_features = p.groups() * (depthwise ? 1 : 1 + upto(upto(4) == 0 ? 40 : 4));
  if (upto(30) == 0) p.batch = 0;
  if (upto(30) == 0) p.out_features = 0;
  if (upto(30) == 0) p.in_features = 0;
  for (size_t d = 0; d < rank; ++d) {
    p.input.push_back(upto(20) == 0 ? 0 : 1 + upto(rank == 1 ? 60 : 9));
    p.window.push_back(upto(30) == 0 ? 0 : 1 + upto(4));
    p.strides.push_back(1 + upto(upto(1) ? 3 : 0));
    p.lhs_dilation.push_back(1 + upto(upto(1) ? 3 : 0));
    p.rhs_dilation.push_back(1 + upto(upto(1) ? 3 : 0));
    p.low.push_back(upto(8) - 3);
    p.high.push_back(upto(8) - 3);
    p.reversed.push_back(upto(3) == 0);
  }
  p.lhs_order = order();
  p.rhs_order = order();
  p.out_order = order();
  p.lhs = lhs;
  p.rhs = rhs;
  p.out = out;
  return p;
}

TEST(ConvTest, RandomAttributes) {
  using enum ElementType;
  const ElementType types[][3] = {{kF32, kF32, kF32}, {kF32, kF32, kF32},  {kF32, kF32, kF32},    {kBF16, kBF16, kBF16},
                                  {kF16, kF16, kF32}, {kF64, kF64, kF64},  {kI8, kI8, kI32},      {kU8, kU8, kU8},
                                  {kI1, kI1, kI1},    {kC64, kC64, kC64},  {kC128, kC128, kC128}, {kI64, kI64, kI64},
                                  {kI16, kI16, kI16}, {kBF16, kBF16, kF32}};
  uint64_t seed = 0;
  for (int round = 0; round < 25; ++round) {
    for (auto [lhs, rhs, out] : types) {
      ++seed;
      Check(Random(seed, lhs, rhs, out), seed);
      if (HasFatalFailure()) return;
    }
  }
}

TEST(ConvTest, Images) {
  for (auto make : {ChannelsLast, ChannelsFirst}) {
    for (auto [in, out] : {std::pair<int64_t, int64_t>{3, 64}, {64, 64}, {17, 40}, {64, 3}, {1, 1}, {5, 130}}) {
      for (int64_t stride : {1, 2}) {
        Problem p = make({7, 9}, {3, 3});
        p.batch = 2;
        p.in_features = in;
        p.out_features = out;
        p.strides = {stride, stride};
        Check(p);
        p.window = {1, 1};
        p.low = p.high = {0, 0};
        Check(p);
      }
    }
  }
}

// As gradients of convolutions are written: of the input (a dilated lhs), of the kernel (a window as large as the
// image).
TEST(ConvTest, Gradients) {
  for (int64_t stride : {1, 2, 3}) {
    Problem p = ChannelsLast({6, 7}, {3, 3});
    p.batch = 3;
    p.in_features = 20;
    p.out_features = 18;
    p.lhs_dilation = {stride, stride};
    p.reversed = {true, true};
    p.low = {1, 1};
    p.high = {1 + stride, 2};
    std::swap(p.rhs_order[2], p.rhs_order[3]);
    Check(p);
    Problem q = ChannelsLast({13, 12}, {12 / stride, 12 / stride});
    q.batch = 9;
    q.in_features = 4;
    q.out_features = 20;
    q.rhs_dilation = {stride, stride};
    q.low = q.high = {1, 1};
    q.lhs_order = {1, 2, 3, 0};
    q.rhs_order = {0, 2, 3, 1};
    q.out_order = {2, 3, 0, 1};
    Check(q);
  }
}

TEST(ConvTest, FourSpatialDimensions) {
  Problem p = ChannelsFirst({3, 4, 3, 5}, {2, 3, 2, 3});
  p.in_features = 3;
  p.out_features = 5;
  p.lhs_dilation = {1, 2, 1, 2};
  Check(p);
  p.lhs = p.rhs = p.out = ElementType::kC64;
  Check(p);
}

TEST(ConvTest, FewOutputsOfLongSums) {
  Problem p = ChannelsLast({60, 70}, {60, 68});
  p.in_features = 8;
  p.out_features = 9;
  p.low = p.high = {1, 1};
  Check(p);
  p.in_features = 2;
  p.out_features = 2;
  Check(p);
  p.lhs = p.rhs = p.out = ElementType::kBF16;
  Check(p);
}

TEST(ConvTest, TypesThatDoNotGoTogether) {
  Problem p = ChannelsLast({4, 4}, {3, 3});
  StatusOr<DotPlan> plan = PlanConv(ShapeOf(p), ElementType::kF32, ElementType::kF32, ElementType::kI32, Target());
  ASSERT_FALSE(plan.ok());
  EXPECT_EQ(plan.status().code(), StatusCode::kUnimplemented);
}

}  // namespace
}  // namespace treadle::kernels::dense

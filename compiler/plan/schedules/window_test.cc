// reduce_window against the specification's formula: windows of every kind, and those that are prefixes or suffixes.
#include <cmath>
#include <cstdlib>
#include <string>
#include <utility>
#include <vector>

#include "compiler/plan/schedules/scan.h"
#include "compiler/plan/testing/program.h"
#include "compiler/plan/testing/random_windows.h"
#include "compiler/plan/testing/run_plans.h"
#include "gtest/gtest.h"

namespace treadle::plan {
namespace {

using graph::OpCode;
using graph::ValueId;
using testing::ExpectLikeReference;
using testing::Program;

constexpr ElementType kF32 = ElementType::kF32;

std::vector<ValueId> Sum(Program& p, const std::vector<ValueId>& v) { return {p.Binary(OpCode::kAdd, v[0], v[1])}; }

// Prefixes (or suffixes) of dimension `dim`.
graph::Attributes Cumulative(const std::vector<int64_t>& dims, size_t dim, bool reverse) {
  std::vector<int64_t> ones(dims.size(), 1), zeros(dims.size(), 0);
  graph::Attributes attrs{
      .limits = ones, .strides = ones, .low = zeros, .high = zeros, .interior = zeros, .dilations = ones};
  attrs.limits[dim] = dims[dim];
  (reverse ? attrs.high : attrs.low)[dim] = dims[dim] - 1;
  return attrs;
}

// TREADLE_SEEDS=n tries so many.
TEST(ReduceWindow, Random) {
  const char* count = std::getenv("TREADLE_SEEDS");
  uint32_t seeds = count != nullptr ? static_cast<uint32_t>(std::strtoul(count, nullptr, 10)) : 300;
  for (uint32_t seed = 0; seed < seeds; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    Program p = testing::MakeRandomReduceWindow(seed);
    ExpectLikeReference(p.graph(), seed);
    if (::testing::Test::HasFailure()) return;
  }
}

TEST(ReduceWindow, Pools) {
  for (int64_t channels : {1, 3, 40}) {
    Program p;
    ValueId x = p.Argument({kF32, {2, 13, 14, channels}});
    graph::Attributes attrs{.limits = {1, 3, 3, 1},
                            .strides = {1, 2, 2, 1},
                            .low = {0, 1, 0, 0},
                            .high = {0, 1, 1, 0},
                            .interior = {0, 0, 0, 0},
                            .dilations = {1, 1, 1, 1}};
    ValueId least = p.Splat({kF32, {}}, -INFINITY), zero = p.Splat({kF32, {}}, 0);
    ValueId max = p.ReduceWindow({x}, {least}, attrs, [](Program& q, const std::vector<ValueId>& v) {
      return std::vector<ValueId>{q.Binary(OpCode::kMaximum, v[0], v[1])};
    })[0];
    p.Return({max, p.ReduceWindow({x}, {zero}, attrs, Sum)[0]});
    ExpectLikeReference(p.graph(), 1);
  }
}

// The second of two results alone: by windows and by prefixes.
TEST(ReduceWindow, ResultsThatNobodyReads) {
  for (bool prefixes : {false, true}) {
    Program p;
    const std::vector<int64_t> dims{4, 6};
    const Shape shape{ElementType::kI32, dims};
    ValueId x = p.Argument(shape), y = p.Argument(shape), zero = p.Splat({ElementType::kI32, {}}, 0);
    graph::Attributes attrs = Cumulative(dims, 1, false);
    if (!prefixes) {
      attrs.limits = {2, 2};
      attrs.strides = {2, 3};
      attrs.low = {0, 0};
    }
    p.Return({p.ReduceWindow({x, y}, {zero, zero}, attrs, [](Program& q, const std::vector<ValueId>& v) {
      return std::vector<ValueId>{q.Binary(OpCode::kMaximum, v[0], v[2]), q.Binary(OpCode::kAdd, v[1], v[3])};
    })[1]});
    ExpectLikeReference(p.graph(), 1);
  }
}

TEST(Scan, LengthsAroundLeaves) {
  for (int64_t length : {1, 2, 4095, 4096, 4097, 20000}) {
    for (int64_t rows : {1, 3, 5}) {
      if (rows * length > 30000) continue;
      for (bool reverse : {false, true}) {
        Program p;
        std::vector<int64_t> dims{rows, length};
        ValueId x = p.Argument({kF32, dims});
        p.Return(p.ReduceWindow({x}, {p.Splat({kF32, {}}, 0)}, Cumulative(dims, 1, reverse), Sum));
        // Short suffixes are no scans.
        ASSERT_EQ(ScanOf(p.graph(), p.graph().ops.back()).has_value(), length > (reverse ? 16 : 1));
        // The reference takes time by the square of the length: prefixes of short rows only.
        if (length > 100) {
          testing::Values values = testing::RandomArguments(p.graph(), 2), want = values;
          Status status = testing::RunPlans(p.graph(), values, {});
          ASSERT_TRUE(status.ok()) << status.ToString();
          const testing::Tensor& in = values.at(x);
          const testing::Tensor& out = values.at(p.graph().regions[0].results[0]);
          for (int64_t r = 0; r < rows; ++r) {
            double sum = 0;
            for (int64_t i = 0; i < length; ++i) {
              int64_t at = r * length + (reverse ? length - 1 - i : i);
              sum += in.Float(at);
              ASSERT_EQ(out.Float(at), sum) << length << " " << r << " " << i;
            }
          }
        } else {
          ExpectLikeReference(p.graph(), 2);
        }
      }
    }
  }
}

TEST(Scan, OperationsThatDoNotCommuteKeepTheirOrder) {
  for (bool reverse : {false, true}) {
    Program p;  // affine maps: (a, b) after (c, d)
    std::vector<int64_t> dims{3, 21};
    Shape shape{ElementType::kU32, dims}, scalar{ElementType::kU32, {}};
    ValueId a = p.Argument(shape), b = p.Argument(shape), one = p.Splat(scalar, 1), zero = p.Splat(scalar, 0);
    p.Return(p.ReduceWindow(
        {a, b}, {one, zero}, Cumulative(dims, 1, reverse), [](Program& q, const std::vector<ValueId>& v) {
          return std::vector<ValueId>{q.Binary(OpCode::kMultiply, v[0], v[2]),
                                      q.Binary(OpCode::kAdd, q.Binary(OpCode::kMultiply, v[1], v[2]), v[3])};
        }));
    ASSERT_TRUE(ScanOf(p.graph(), p.graph().ops.back()).has_value());
    ExpectLikeReference(p.graph(), 3);
  }
}

TEST(Scan, InitialValuesThatShowInPaddingAreNoScan) {
  Program p;
  std::vector<int64_t> dims{5};
  ValueId x = p.Argument({kF32, dims});
  p.Return(p.ReduceWindow({x}, {p.Splat({kF32, {}}, 1)}, Cumulative(dims, 0, false), Sum));
  EXPECT_FALSE(ScanOf(p.graph(), p.graph().ops.back()).has_value());
  ExpectLikeReference(p.graph(), 4);
}

}  // namespace
}  // namespace treadle::plan

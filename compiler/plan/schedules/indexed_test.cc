// gather and scatter against the specification's formulas.
#include <cstdlib>
#include <string>
#include <utility>
#include <vector>

#include "compiler/plan/group.h"
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

// TREADLE_SEEDS=n tries so many.
uint32_t Seeds() {
  const char* count = std::getenv("TREADLE_SEEDS");
  return count != nullptr ? static_cast<uint32_t>(std::strtoul(count, nullptr, 10)) : 300;
}

TEST(Gather, RandomWindows) {
  for (uint32_t seed = 0; seed < Seeds(); ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    Program p = testing::MakeRandomGather(seed);
    ExpectLikeReference(p.graph(), seed);
    if (::testing::Test::HasFailure()) return;
  }
}

TEST(Scatter, RandomWindows) {
  for (uint32_t seed = 0; seed < Seeds(); ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    Program p = testing::MakeRandomScatter(seed);
    ExpectLikeReference(p.graph(), seed);
    if (::testing::Test::HasFailure()) return;
  }
}

graph::IndexedWindows Rows() { return {.window = {1}, .dropped = {0}, .index_map = {0}, .index_vector = 1}; }

std::vector<ValueId> Sum(Program& p, const std::vector<ValueId>& v) { return {p.Binary(OpCode::kAdd, v[0], v[1])}; }

TEST(Gather, FollowsItsIndicesAndItsReadersJoinIt) {
  Program p;  // -table[i + 1], i and the result of one size: one kernel
  ValueId table = p.Argument({kF32, {40}}), i = p.Argument({ElementType::kI32, {100}});
  ValueId next = p.Binary(OpCode::kAdd, i, p.Splat({ElementType::kI32, {100}}, 1));
  ValueId taken = p.Add(OpCode::kGather, {table, next}, {kF32, {100}},
                        {.limits = {1}, .windows = {.dropped = {0}, .index_map = {0}, .index_vector = 1}});
  p.Return({p.Unary(OpCode::kNegate, taken)});
  ExpectLikeReference(p.graph(), 3);
  auto groups = GroupRegion(p.graph(), 0, executable::Target());
  ASSERT_TRUE(groups.ok());
  EXPECT_EQ(groups->size(), 1);
}

TEST(Gather, RowsAreNormalisedInPlace) {
  Program p;  // rows of a table, and their sums
  ValueId table = p.Argument({kF32, {20, 64}}), i = p.Argument({ElementType::kI32, {50, 1}});
  ValueId rows = p.Add(OpCode::kGather, {table, i}, {kF32, {50, 64}}, {.limits = {1, 64}, .windows = Rows()});
  ValueId sums = p.Reduce(OpCode::kAdd, rows, 0, {1});
  p.Return({p.Binary(OpCode::kSubtract, rows, p.Broadcast(sums, {0}, {50, 64}))});
  ExpectLikeReference(p.graph(), 4);
  auto groups = GroupRegion(p.graph(), 0, executable::Target());
  ASSERT_TRUE(groups.ok());
  EXPECT_EQ(groups->size(), 1);
}

TEST(Scatter, ReadsTheMemoryThatItWrites) {
  Program p;  // x.at[i].add(x[::-1])
  ValueId x = p.Argument({kF32, {6, 8}}), i = p.Argument({ElementType::kI32, {6, 1}});
  ValueId reversed = p.Add(OpCode::kReverse, {x}, {kF32, {6, 8}}, {.dims = {0}});
  p.Return(p.Scatter({x}, i, {reversed}, Rows(), false, Sum));
  ExpectLikeReference(p.graph(), 5);
}

TEST(Scatter, OneAfterTheOther) {
  Program p;
  ValueId x = p.Argument({kF32, {6, 300}}), i = p.Argument({ElementType::kI32, {5, 1}}),
          u = p.Argument({kF32, {5, 300}});
  ValueId once = p.Scatter({x}, i, {u}, Rows(), false, Sum)[0];
  ValueId twice = p.Scatter({once}, i, {p.Unary(OpCode::kNegate, u)}, Rows(), false, Sum)[0];
  p.Return({once, twice, p.Unary(OpCode::kNegate, twice)});
  ExpectLikeReference(p.graph(), 6);
}

TEST(Scatter, Empty) {
  for (auto [rows, updates] : std::vector<std::pair<int64_t, int64_t>>{{0, 0}, {0, 3}, {4, 0}}) {
    Program p;
    ValueId x = p.Argument({kF32, {rows, 8}}), i = p.Argument({ElementType::kI32, {updates, 1}}),
            u = p.Argument({kF32, {updates, 8}});
    p.Return(p.Scatter({x}, i, {u}, Rows(), false, Sum));
    ExpectLikeReference(p.graph(), 7);
  }
}

TEST(Scatter, UniqueIndices) {
  Program p;
  int64_t n = 20000;
  ValueId x = p.Argument({kF32, {n}}), u = p.Argument({kF32, {n}});
  ValueId i = p.Add(OpCode::kReverse, {p.Add(OpCode::kIota, {}, {ElementType::kI32, {n}}, {.dims = {0}})},
                    {ElementType::kI32, {n}}, {.dims = {0}});
  p.Return(p.Scatter({x}, i, {u}, {.dropped = {0}, .index_map = {0}, .index_vector = 1}, true, Sum));
  ExpectLikeReference(p.graph(), 8);
}

}  // namespace
}  // namespace treadle::plan

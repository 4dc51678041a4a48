// Random graphs: whatever the grouping, the results are the reference's.
#include <cstdlib>
#include <string>

#include "compiler/plan/testing/random_graph.h"
#include "compiler/plan/testing/run_plans.h"
#include "gtest/gtest.h"

namespace treadle::plan {
namespace {

// TREADLE_SEED=n tries that one only; TREADLE_SEEDS=n so many.
TEST(GroupProperty, AnyGroupingGivesTheReferencesResults) {
  const char* one = std::getenv("TREADLE_SEED");
  const char* count = std::getenv("TREADLE_SEEDS");
  uint32_t first = one ? static_cast<uint32_t>(std::strtoul(one, nullptr, 10)) : 0;
  uint32_t seeds = one ? 1 : count ? static_cast<uint32_t>(std::strtoul(count, nullptr, 10)) : 1500;
  for (uint32_t seed = first; seed < first + seeds; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    testing::Program program = testing::MakeRandomGraph(seed);
    ASSERT_NO_FATAL_FAILURE(testing::ExpectLikeReference(program.graph(), seed));
    if (::testing::Test::HasFailure()) return;
  }
}

// Nothing recurses over the length of a program, or takes time quadratic in it.
TEST(Grouping, LongChains) {
  testing::Program p;
  graph::ValueId x = p.Argument({ElementType::kF32, {1000}}), y = x, z = x;
  for (int k = 0; k < 20'000; ++k) y = p.Binary(graph::OpCode::kMultiply, y, x);
  for (int k = 0; k < 20'000; ++k) z = p.Reshape(z, k % 2 ? std::vector<int64_t>{1000} : std::vector<int64_t>{10, 100});
  p.Return({y, z});
  auto groups = GroupRegion(p.graph(), 0, executable::Target());
  ASSERT_TRUE(groups.ok());
  EXPECT_LT(groups->size(), 100);
}

// What one operation reads may have been made at different stages: makers that nobody else reads yet are lifted.
TEST(Grouping, ScalarsDoNotKeepMapsApart) {
  testing::Program p;
  Shape shape{ElementType::kF32, {1000}};
  graph::ValueId x = p.Argument(shape), g = p.Argument(shape), t = p.Argument({ElementType::kF32, {}});
  graph::ValueId mean = p.Binary(graph::OpCode::kAdd, x, g), square = p.Binary(graph::OpCode::kMultiply, g, g);
  graph::ValueId scale = p.Broadcast(p.Binary(graph::OpCode::kPower, t, t), {}, {1000});
  p.Return({p.Binary(graph::OpCode::kMultiply, p.Binary(graph::OpCode::kAdd, mean, square), scale), mean, square});
  auto groups = GroupRegion(p.graph(), 0, executable::Target());
  ASSERT_TRUE(groups.ok());
  EXPECT_EQ(groups->size(), 2);
}

}  // namespace
}  // namespace treadle::plan

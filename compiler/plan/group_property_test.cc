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

}  // namespace
}  // namespace treadle::plan

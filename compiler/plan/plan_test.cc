// Random plans: they verify, print and parse, and mean the same for every split of their tiles.
#include "compiler/plan/plan.h"

#include <gtest/gtest.h>

#include "compiler/plan/interpret.h"
#include "compiler/plan/parse.h"
#include "compiler/plan/print.h"
#include "compiler/plan/testing/random_plan.h"
#include "compiler/plan/verify.h"

namespace treadle::plan {
namespace {

class RandomPlanTest : public testing::TestWithParam<int> {};

TEST_P(RandomPlanTest, VerifiesPrintsParsesAndRuns) {
  for (int seed = 100 * GetParam(); seed < 100 * (GetParam() + 1); ++seed) {
    RandomPlan random = MakeRandomPlan(seed, {.narrow_floats = seed % 2 == 1, .narrow_integers = seed % 2 == 1});
    std::string text = Print(random.plan);
    Status status = Verify(random.plan);
    ASSERT_TRUE(status.ok()) << status.ToString() << "\n" << text;
    StatusOr<Plan> parsed = Parse(text);
    ASSERT_TRUE(parsed.ok()) << parsed.status().ToString() << "\n" << text;
    EXPECT_EQ(Print(*parsed), text);
    auto original = RunPhases(
        random, 0, [&](int phase, const TreadleCallFrame& frame) { return Interpret(random.plan, phase, frame); });
    ASSERT_TRUE(original.ok()) << original.status().ToString() << "\n" << text;
    auto split = RunPhases(random, seed + 1,
                           [&](int phase, const TreadleCallFrame& frame) { return Interpret(*parsed, phase, frame); });
    ASSERT_TRUE(split.ok()) << split.status().ToString();
    EXPECT_EQ(Difference(random, *original, *split), "") << text;
    EXPECT_EQ(random.memory[0], (*original)[0]) << "inputs stay as they are";
  }
}

INSTANTIATE_TEST_SUITE_P(, RandomPlanTest, testing::Range(0, 8));

}  // namespace
}  // namespace treadle::plan

// Random plans: they verify, print and parse, and mean the same for every split of their tiles.
#include "compiler/plan/plan.h"

#include <gtest/gtest.h>

#include <iterator>
#include <string>
#include <string_view>
#include <vector>

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

// Whatever stands in a text, it is a plan or an error.
TEST(ParseTest, DamagedTextIsAnErrorOrAPlan) {
  uint64_t state = 1;
  auto below = [&](size_t n) {
    state = state * 6364136223846793005 + 1442695040888963407;
    return static_cast<size_t>(state >> 33) % n;
  };
  constexpr std::string_view kPieces[] = {"%",   "$",     "@",  "[",  "]",           "{",    "}",    "yield",
                                          "f32", "token", "u0", "-1", "99999999999", "load", "lanes"};
  std::vector<std::string> texts;
  for (int seed = 0; seed < 20; ++seed) texts.push_back(Print(MakeRandomPlan(seed).plan));
  int plans = 0, errors = 0;
  for (int round = 0; round < 2000; ++round) {
    std::string text = texts[round % texts.size()];
    for (size_t k = 1 + below(3); k > 0; --k) {
      std::string_view piece = kPieces[below(std::size(kPieces))];
      text.replace(below(text.size()), below(8), below(2) ? piece : text.substr(below(text.size()), below(12)));
    }
    (Parse(text).ok() ? plans : errors) += 1;
  }
  EXPECT_GT(plans, 10);
  EXPECT_GT(errors, 500);
}

INSTANTIATE_TEST_SUITE_P(, RandomPlanTest, testing::Range(0, 8));

}  // namespace
}  // namespace treadle::plan

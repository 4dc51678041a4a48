// The main property of the emitter: a random plan gives the interpreter's bits on every instruction set and tier, for
// every split of its tiles.
#include <cstdlib>
#include <string>
#include <vector>

#include "compiler/emit/emit.h"
#include "compiler/emit/testing/object_loader.h"
#include "compiler/plan/evaluate.h"
#include "compiler/plan/identity.h"
#include "compiler/plan/interpret.h"
#include "compiler/plan/print.h"
#include "compiler/plan/testing/random_plan.h"
#include "gtest/gtest.h"

namespace treadle::emit {
namespace {

using Memory = std::vector<std::vector<uint8_t>>;

StatusOr<Memory> RunEmitted(const plan::RandomPlan& random, const EmitOptions& options, uint64_t split_seed) {
  const plan::Plan* plans[] = {&random.plan};
  TREADLE_ASSIGN_OR_RETURN(std::string object, EmitPlans(plans, options));
  ObjectLoader loader;
  TREADLE_RETURN_IF_ERROR(loader.Add(std::move(object)));
  std::vector<TreadleKernel> kernels;
  for (size_t phase = 0; phase < random.plan.phases.size(); ++phase) {
    std::string symbol = plan::KernelSymbol(random.plan, options.target, static_cast<int>(phase));
    TREADLE_ASSIGN_OR_RETURN(TreadleKernel kernel, loader.Find(symbol));
    kernels.push_back(kernel);
  }
  return plan::RunPhases(random, split_seed, [&](int phase, const TreadleCallFrame& frame) {
    plan::FlushDenormals flush;
    return kernels[phase](&frame) == 0 ? OkStatus() : Internal("the kernel failed");
  });
}

void Check(uint64_t seed) {
  bool narrow = seed % 4 == 3;
  plan::RandomPlan random = plan::MakeRandomPlan(seed, {.narrow_floats = narrow, .narrow_integers = narrow});
  for (const executable::Target& target : HostTargets()) {
    plan::InterpretOptions interpret{.fma = target.isa >= executable::IsaLevel::kV3};
    auto expected = plan::RunPhases(random, 0, [&](int phase, const TreadleCallFrame& frame) {
      return plan::Interpret(random.plan, phase, frame, interpret);
    });
    ASSERT_TRUE(expected.ok()) << expected.status().ToString();
    // As it is, at both tiers; with every block cut into functions of a few operations.
    for (const EmitOptions& options : {EmitOptions{.target = target, .tier = Tier::kQuick, .verify = true},
                                       EmitOptions{.target = target, .tier = Tier::kFull, .verify = true},
                                       EmitOptions{.target = target, .verify = true, .cut = {.least = 2, .most = 4}}}) {
      SCOPED_TRACE("seed " + std::to_string(seed) + " " + target.Key() +
                   (options.tier == Tier::kQuick ? " quick" : " full") + " parts of " +
                   std::to_string(options.cut.most));
      StatusOr<Memory> memory = RunEmitted(random, options, seed);
      ASSERT_TRUE(memory.ok()) << memory.status().ToString() << "\n" << plan::Print(random.plan);
      ASSERT_EQ(plan::Difference(random, *expected, *memory), "") << plan::Print(random.plan);
    }
  }
}

// TREADLE_SEED=n tries that one only; TREADLE_SEEDS=n so many.
TEST(EmitPropertyTest, SameBitsAsTheInterpreter) {
  if (const char* seed = std::getenv("TREADLE_SEED")) return Check(std::strtoull(seed, nullptr, 10));
  const char* count = std::getenv("TREADLE_SEEDS");
  uint64_t seeds = count != nullptr ? std::strtoull(count, nullptr, 10) : 40;
  for (uint64_t seed = 1; seed <= seeds; ++seed) {
    Check(seed);
    if (HasFatalFailure()) return;
  }
}

}  // namespace
}  // namespace treadle::emit

// Random plans with memory to run them on, for the property "the interpreter's bits are the emitted code's bits".
//
// The plans use every kind of loop, tree, access and operation; what the operations leave open is kept out of sight:
// NaNs never become integers or enter a total order, denormals reach neither max nor min.
#ifndef TREADLE_COMPILER_PLAN_TESTING_RANDOM_PLAN_H_
#define TREADLE_COMPILER_PLAN_TESTING_RANDOM_PLAN_H_

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "base/status.h"
#include "compiler/plan/plan.h"
#include "executable/kernel_abi.h"

namespace treadle::plan {

struct RandomPlanOptions {
  bool narrow_floats = false;    // types of 8 bits and less
  bool narrow_integers = false;  // 2 and 4 bits
  bool math = true;              // functions of IsMathOp
};

struct RandomPlan {
  Plan plan;
  std::vector<uint64_t> args;
  std::vector<int64_t> tiles;                // per phase
  std::vector<std::vector<uint8_t>> memory;  // per buffer; empty for local and scratch
};

// The same for the same seed, on every machine.
RandomPlan MakeRandomPlan(uint64_t seed, const RandomPlanOptions& options = {});

// Runs all phases on a copy of the memory and returns it. `run` is called with ranges of tiles that together are all of
// a phase, cut at random by `split_seed` and in random order; 0: one range.
StatusOr<std::vector<std::vector<uint8_t>>> RunPhases(
    const RandomPlan& random, uint64_t split_seed,
    const std::function<Status(int phase, const TreadleCallFrame& frame)>& run);

// Where two results of RunPhases differ, NaNs being equal to NaNs; empty if nowhere.
std::string Difference(const RandomPlan& random, const std::vector<std::vector<uint8_t>>& a,
                       const std::vector<std::vector<uint8_t>>& b);

}  // namespace treadle::plan

#endif  // TREADLE_COMPILER_PLAN_TESTING_RANDOM_PLAN_H_

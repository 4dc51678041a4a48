// Runs graphs by their plans: grouped, scheduled, verified, interpreted (or otherwise run), against the reference.
#ifndef TREADLE_COMPILER_PLAN_TESTING_RUN_PLANS_H_
#define TREADLE_COMPILER_PLAN_TESTING_RUN_PLANS_H_

#include <cstdint>
#include <functional>
#include <vector>

#include "base/status.h"
#include "compiler/graph/graph.h"
#include "compiler/plan/group.h"
#include "compiler/plan/plan.h"
#include "compiler/plan/testing/program.h"
#include "compiler/plan/testing/reference.h"
#include "executable/kernel_abi.h"
#include "executable/target.h"

namespace treadle::plan::testing {

struct RunOptions {
  GroupLimits limits;
  executable::Target target;
  // Runs tiles of a phase; null: interprets them.
  std::function<Status(const Plan&, int phase, const TreadleCallFrame&)> run;
  bool one_tile_at_a_time = false;  // in reverse order
  bool in_place = false;            // outputs take the memory of inputs where plans allow it
};

// The values of all groups' outputs. Fails where a plan does not verify.
Status RunPlans(const graph::Graph& graph, Values& values, const RunOptions& options,
                std::vector<Instance>* instances = nullptr);

// Runs with several options; expects the reference's results, and the same bits from every option. `tolerance`:
// relative, for floats.
void ExpectLikeReference(const graph::Graph& graph, uint32_t seed, double tolerance = 0, bool real = false);

}  // namespace treadle::plan::testing

#endif  // TREADLE_COMPILER_PLAN_TESTING_RUN_PLANS_H_

// Writes the steps of placed tasks into an executable.
#ifndef TREADLE_COMPILER_PLAN_STEPS_H_
#define TREADLE_COMPILER_PLAN_STEPS_H_

#include <map>

#include "base/status.h"
#include "compiler/graph/graph.h"
#include "compiler/plan/program.h"
#include "compiler/plan/storage.h"
#include "compiler/plan/tasks.h"

namespace treadle::plan {

// Fills values, constants, kernels, sequences and arena_bytes of `program`, and its plans.
Status WriteSteps(const graph::Graph& graph, const TaskList& tasks, const std::map<graph::OpId, int32_t>& constant_of,
                  Placement placement, Program& program);

}  // namespace treadle::plan

#endif  // TREADLE_COMPILER_PLAN_STEPS_H_

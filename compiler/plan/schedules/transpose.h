// A transpose that changes the innermost dimension: blocks go through a local array, so that both memories are read and
// written in runs of several cache lines.
#ifndef TREADLE_COMPILER_PLAN_SCHEDULES_TRANSPOSE_H_
#define TREADLE_COMPILER_PLAN_SCHEDULES_TRANSPOSE_H_

#include "base/status.h"
#include "compiler/graph/graph.h"
#include "compiler/plan/group.h"
#include "compiler/plan/plan.h"
#include "executable/target.h"

namespace treadle::plan {

// REQUIRES: the group's last operation is a transpose of its only input. Narrow ones (a side below 8) become maps.
StatusOr<Instance> ScheduleTranspose(const graph::Graph& graph, const Group& group, const executable::Target& target);

}  // namespace treadle::plan

#endif  // TREADLE_COMPILER_PLAN_SCHEDULES_TRANSPOSE_H_

// reduce_window: each element of the result folds the elements under a window, row-major, starting from the initial
// value. Where the window lies wholly inside the operand, taps are plain loads; along borders they are loads at clamped
// places and a choice between them and the initial value, which is what padding holds.
#ifndef TREADLE_COMPILER_PLAN_SCHEDULES_WINDOW_H_
#define TREADLE_COMPILER_PLAN_SCHEDULES_WINDOW_H_

#include "base/status.h"
#include "compiler/graph/graph.h"
#include "compiler/plan/group.h"
#include "compiler/plan/plan.h"
#include "executable/target.h"

namespace treadle::plan {

// REQUIRES: the group's last operation is a reduce_window. Windows that are prefixes or suffixes: see scan.h.
StatusOr<Instance> ScheduleWindow(const graph::Graph& graph, const Group& group, const executable::Target& target);

}  // namespace treadle::plan

#endif  // TREADLE_COMPILER_PLAN_SCHEDULES_WINDOW_H_

// scatter: windows of the operand's memory, one for each index vector, are combined with windows of the updates.
//
// Index vectors are taken in order, so that updates of the same element come in order. Tiles are parts of the windows'
// innermost dimension where that is long, runs of index vectors where no element is updated twice, or else there is
// one. A window that lies partly outside of the operand is left out as a whole, as in XLA.
#ifndef TREADLE_COMPILER_PLAN_SCHEDULES_SCATTER_H_
#define TREADLE_COMPILER_PLAN_SCHEDULES_SCATTER_H_

#include "base/status.h"
#include "compiler/graph/graph.h"
#include "compiler/plan/group.h"
#include "compiler/plan/plan.h"
#include "executable/target.h"

namespace treadle::plan {

// REQUIRES: the group's last operation is a scatter, whose results start from its operands.
StatusOr<Instance> ScheduleScatter(const graph::Graph& graph, const Group& group, const executable::Target& target);

}  // namespace treadle::plan

#endif  // TREADLE_COMPILER_PLAN_SCHEDULES_SCATTER_H_

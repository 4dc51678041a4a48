// From a group to a loop plan with its push constants: picks one of the schedules in schedules/ by the group's
// operations, its sizes and the target.
#ifndef TREADLE_COMPILER_PLAN_SCHEDULE_H_
#define TREADLE_COMPILER_PLAN_SCHEDULE_H_

#include "base/status.h"
#include "compiler/graph/graph.h"
#include "compiler/plan/group.h"
#include "compiler/plan/plan.h"
#include "executable/target.h"

namespace treadle::plan {

// The plan's buffers of roles kIn, kOut and kInOut, in order, are the group's inputs (without those that an output
// starts from), then its outputs (kInOut where they start from an input, else kOut). A pure function of its arguments.
// REQUIRES: group.kind == GroupKind::kPlan.
// Errors: UNIMPLEMENTED naming the operation, its types and its source location.
StatusOr<Instance> ScheduleGroup(const graph::Graph& graph, const Group& group, const executable::Target& target);

}  // namespace treadle::plan

#endif  // TREADLE_COMPILER_PLAN_SCHEDULE_H_

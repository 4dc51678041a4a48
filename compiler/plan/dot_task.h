// A dot_general or convolution as phases of kernels/dense.
#ifndef TREADLE_COMPILER_PLAN_DOT_TASK_H_
#define TREADLE_COMPILER_PLAN_DOT_TASK_H_

#include "base/status.h"
#include "compiler/graph/graph.h"
#include "compiler/plan/group.h"
#include "executable/target.h"
#include "kernels/dense/dot.h"

namespace treadle::plan {

// The group is the operation, perhaps with a transpose of its result. Buffers of every phase: lhs, rhs, the group's
// output. REQUIRES: group.kind == GroupKind::kDot.
StatusOr<kernels::dense::DotPlan> PlanDotTask(const graph::Graph& graph, const Group& group,
                                              const executable::Target& target);

}  // namespace treadle::plan

#endif  // TREADLE_COMPILER_PLAN_DOT_TASK_H_

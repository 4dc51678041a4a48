// A loop of pointwise maps as a map of loops: all trips of an element before the next element's, its carries in
// registers. The step-by-step form goes through memory once a trip.
#ifndef TREADLE_COMPILER_PLAN_SCHEDULES_MAP_LOOP_H_
#define TREADLE_COMPILER_PLAN_SCHEDULES_MAP_LOOP_H_

#include <functional>

#include "base/status.h"
#include "compiler/graph/graph.h"
#include "compiler/plan/group.h"
#include "compiler/plan/plan.h"
#include "executable/target.h"

namespace treadle::plan {

// Whether the operation is a while
// - whose carries are scalars and arrays of one number of elements,
// - whose arrays' elements depend on scalars and on the elements at the same index, those of other carries and of
//   arrays that stay as they are (which may be seen through slices, transposes and the like), and
// - whose scalars, the condition among them, depend on scalars alone,
// and whose body is not too long to be one kernel.
bool IsMapLoop(const graph::Graph& graph, graph::OpId op);

// The group of such an operation. Outputs: the results that `is_used`.
Group MapLoopGroup(const graph::Graph& graph, graph::OpId op, const std::function<bool(graph::ValueId)>& is_used);

// A map, and where scalar results are wanted, a second phase that goes through the loop for them alone. REQUIRES:
// IsMapLoop(graph, group.ops.front()), a group of MapLoopGroup's.
StatusOr<Instance> ScheduleMapLoop(const graph::Graph& graph, const Group& group, const executable::Target& target);

}  // namespace treadle::plan

#endif  // TREADLE_COMPILER_PLAN_SCHEDULES_MAP_LOOP_H_

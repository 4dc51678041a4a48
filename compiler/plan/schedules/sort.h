// Sorts by any comparator. Those that order by keys in a plain way are a matter of kernels/sort (sort_task.h).
#ifndef TREADLE_COMPILER_PLAN_SCHEDULES_SORT_H_
#define TREADLE_COMPILER_PLAN_SCHEDULES_SORT_H_

#include "base/status.h"
#include "compiler/graph/graph.h"
#include "compiler/plan/group.h"
#include "compiler/plan/plan.h"
#include "executable/target.h"

namespace treadle::plan {

// The group is one sort. A stable merge sort of element numbers, from runs of one up, a row a tile; then every output
// takes its elements in their order. Whatever the comparator answers, each row ends as some permutation of itself.
// Errors: UNIMPLEMENTED for element types that plans do not have, and for comparators that do more than compute with
// scalars.
StatusOr<Instance> ScheduleSort(const graph::Graph& graph, const Group& group, const executable::Target& target);

}  // namespace treadle::plan

#endif  // TREADLE_COMPILER_PLAN_SCHEDULES_SORT_H_

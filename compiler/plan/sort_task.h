// Sorts that kernels/sort does: those whose comparator orders by keys in a plain way.
#ifndef TREADLE_COMPILER_PLAN_SORT_TASK_H_
#define TREADLE_COMPILER_PLAN_SORT_TASK_H_

#include <functional>
#include <optional>
#include <vector>

#include "compiler/graph/graph.h"
#include "compiler/plan/group.h"
#include "executable/target.h"
#include "kernels/sort/sort.h"

namespace treadle::plan {

// What a comparator orders by, the first key first; the keys' buffers are numbers of operands. Known are comparisons LT
// and GT of an operand's two scalars, as they are or with zeros or NaNs made one (as JAX does), and such comparisons
// one after the other: lt(x) or (eq(x) and the rest). Nothing for any other comparator. Where a comparator is no strict
// weak order (FLOAT comparisons where there are NaNs) its order is refined to one.
std::optional<std::vector<kernels::sort::SortKey>> KeysOf(const graph::Graph& graph, const graph::Op& sort);

// Whether kernels/sort does it.
bool IsPlainSort(const graph::Graph& graph, const graph::Op& sort);

// The operands of a plain sort that must be in memory, each once: keys, and those whose results are used unless they
// are iotas along the dimension, which the kernel knows by itself.
std::vector<graph::ValueId> SortReads(const graph::Graph& graph, const graph::Op& sort,
                                      const std::function<bool(graph::ValueId)>& is_used);

// Buffers of every phase: the group's inputs, then its outputs. REQUIRES: group.kind == GroupKind::kSort.
kernels::sort::SortPlan PlanSortTask(const graph::Graph& graph, const Group& group, const executable::Target& target);

}  // namespace treadle::plan

#endif  // TREADLE_COMPILER_PLAN_SORT_TASK_H_

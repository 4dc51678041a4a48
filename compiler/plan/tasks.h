// What has to be done for a region, in order: its groups, scheduled, with the regions of control flow inside them.
// Tasks have *positions* on one time line for the whole program, which is what placing values goes by.
#ifndef TREADLE_COMPILER_PLAN_TASKS_H_
#define TREADLE_COMPILER_PLAN_TASKS_H_

#include <cstdint>
#include <vector>

#include "base/status.h"
#include "compiler/graph/graph.h"
#include "compiler/plan/algorithm_task.h"
#include "compiler/plan/group.h"
#include "compiler/plan/plan.h"
#include "executable/target.h"
#include "kernels/dense/dot.h"
#include "kernels/sort/sort.h"

namespace treadle::plan {

using Position = int32_t;

struct TaskList;

struct Task {
  Group group;
  Instance instance;              // GroupKind::kPlan
  kernels::dense::DotPlan dot;    // GroupKind::kDot
  kernels::sort::SortPlan sort;   // GroupKind::kSort
  AlgorithmPlan algorithm;        // GroupKind::kAlgorithm
  std::vector<TaskList> regions;  // GroupKind::kControl: one a region of the operation
  // A task reads from `begin` to `end` and writes from `begin` to `end`; regions lie strictly between.
  Position begin = 0;
  Position end = 0;
  // At most `begin`: memory for its outputs and scratch is its own from here on, so that it can run beside the tasks
  // since then (batch_steps.h).
  Position earliest = 0;

  graph::OpId control_op() const { return group.ops.front(); }
};

struct TaskList {
  graph::RegionId region = 0;
  std::vector<Task> tasks;
  Position begin = 0;  // before every task: arguments are there
  Position end = 0;    // after every task: results are read
};

// Groups, orders and schedules `region` and the regions inside.
StatusOr<TaskList> BuildTasks(const graph::Graph& graph, graph::RegionId region, const executable::Target& target,
                              Position& clock);

// Splats that are needed as memory and are larger than this are filled by a group of their own, not kept in the
// executable.
inline constexpr int64_t kLargestPooledSplat = 4096;  // bytes

}  // namespace treadle::plan

#endif  // TREADLE_COMPILER_PLAN_TASKS_H_

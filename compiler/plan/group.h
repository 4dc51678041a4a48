// Divides a region's operations into groups: each becomes one kernel, one library call or one control-flow step.
#ifndef TREADLE_COMPILER_PLAN_GROUP_H_
#define TREADLE_COMPILER_PLAN_GROUP_H_

#include <cstdint>
#include <vector>

#include "base/status.h"
#include "compiler/graph/graph.h"
#include "executable/target.h"

namespace treadle::plan {

enum class GroupKind : uint8_t {
  kPlan,       // a loop plan, see schedule.h
  kDot,        // a dot_general or convolution on kernels/dense; further operations, if any, are its epilogue
  kSort,       // a sort on kernels/sort
  kAlgorithm,  // an algorithm of kernels/, see algorithm_task.h
  kControl,    // one while, if, case or exchange, whose regions become sequences of steps, or transfer
};

struct Group {
  GroupKind kind = GroupKind::kPlan;
  // In program order. Free operations (constants, iota, broadcasts, ...) may be in several groups.
  std::vector<graph::OpId> ops;
  // Values that the group reads and other groups (or the region's arguments, or constants too large to bake) provide.
  std::vector<graph::ValueId> inputs;
  // Values that the group defines and others, or the region's results, read.
  std::vector<graph::ValueId> outputs;
  // Per output: the number of the input whose contents it starts from (dynamic_update_slice writes a window of it), or
  // -1. The planner of buffers lets both be one memory, or copies first. That input is not passed to the kernel by
  // itself.
  std::vector<int32_t> starts_from;
  // Groups of a stage do not depend on each other; every edge leads to a higher stage.
  int32_t stage = 0;
};

// How large a group may grow.
struct GroupLimits {
  int uops = 1200;  // vector operations an element, about 2000 machine operations after unrolling
  size_t members = 250;
  size_t inputs = 48;
};

// The groups of `region`, ordered by stage, then by first operation. Deterministic; O(n log n) in the number of
// operations. Operations whose results nothing needs are in no group. Region arguments and values of outer regions that
// are results of the region as they are, are in no group either; nor are constants that are needed as memory. Errors:
// UNIMPLEMENTED naming the operation, its types and its source location.
StatusOr<std::vector<Group>> GroupRegion(const graph::Graph& graph, graph::RegionId region,
                                         const executable::Target& target, const GroupLimits& limits = {});

}  // namespace treadle::plan

#endif  // TREADLE_COMPILER_PLAN_GROUP_H_

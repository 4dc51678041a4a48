// Small loops as one kernel: a while, if or case on scalars and small arrays, which become scalars in registers. Larger
// arrays are read in place, or, as carries, written in place, at positions that the loop computes.
#ifndef TREADLE_COMPILER_PLAN_SCHEDULES_SERIAL_H_
#define TREADLE_COMPILER_PLAN_SCHEDULES_SERIAL_H_

#include <functional>

#include "base/status.h"
#include "compiler/graph/graph.h"
#include "compiler/plan/group.h"
#include "compiler/plan/plan.h"
#include "executable/target.h"

namespace treadle::plan {

// Whether the while, if or case can and should be one kernel: no array above 64 elements is computed with, none is
// needed both before and after it was written, and the code is not too long: tens of thousands of operations on
// scalars, which the emitter cuts into functions, or a few thousand on the elements of arrays, which vectors do better.
bool IsSerial(const graph::Graph& graph, graph::OpId op);

// The group of one such operation. Inputs: operands and what its regions read, but for small constants. Outputs:
// results that `is_used`, and large carries that the loop writes; these start from their operands.
Group SerialGroup(const graph::Graph& graph, graph::OpId op, const std::function<bool(graph::ValueId)>& is_used);

// REQUIRES: IsSerial(graph, group.ops.front()), a group of SerialGroup's.
StatusOr<Instance> ScheduleSerial(const graph::Graph& graph, const Group& group, const executable::Target& target);

}  // namespace treadle::plan

#endif  // TREADLE_COMPILER_PLAN_SCHEDULES_SERIAL_H_

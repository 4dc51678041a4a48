#include "compiler/plan/schedule.h"

#include "compiler/plan/operation_class.h"
#include "compiler/plan/schedules/map.h"
#include "compiler/plan/schedules/serial.h"

namespace treadle::plan {

StatusOr<Instance> ScheduleGroup(const graph::Graph& graph, const Group& group, const executable::Target& target) {
  if (ClassOf(graph, graph.ops[group.ops.front()]) == OperationClass::kControl)
    return ScheduleSerial(graph, group, target);
  return ScheduleMap(graph, group, target);
}

}  // namespace treadle::plan

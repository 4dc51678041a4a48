#include "compiler/plan/schedule.h"

#include "compiler/plan/schedules/map.h"

namespace treadle::plan {

StatusOr<Instance> ScheduleGroup(const graph::Graph& graph, const Group& group, const executable::Target& target) {
  return ScheduleMap(graph, group, target);
}

}  // namespace treadle::plan

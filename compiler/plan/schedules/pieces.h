// concatenate and pad: boxes of the output that come from different places, one MapBox each.
#ifndef TREADLE_COMPILER_PLAN_SCHEDULES_PIECES_H_
#define TREADLE_COMPILER_PLAN_SCHEDULES_PIECES_H_

#include <cstdint>
#include <memory>
#include <vector>

#include "base/status.h"
#include "compiler/plan/schedules/map.h"

namespace treadle::plan {

using Boxes = std::vector<std::unique_ptr<MapBox>>;

// Phases whose tiles are those of the boxes, one box after another. Small ones are one tile.
Status WriteBoxes(Kernel& kernel, const Boxes& boxes);

// REQUIRES: the group's last operation is a concatenate (pad); its only output.
StatusOr<Instance> ScheduleConcatenate(const graph::Graph& graph, const Group& group, const executable::Target& target);
StatusOr<Instance> SchedulePad(const graph::Graph& graph, const Group& group, const executable::Target& target);

}  // namespace treadle::plan

#endif  // TREADLE_COMPILER_PLAN_SCHEDULES_PIECES_H_

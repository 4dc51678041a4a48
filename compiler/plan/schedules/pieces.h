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

// A box of an array: where it begins, and its sizes.
struct Box {
  std::vector<int64_t> first, sizes;
};

// What remains of an array without a box inside it: along each dimension a slab below and one above, as large as the
// box in the dimensions before and as the array in those after. Empty ones are left out.
std::vector<Box> BoxesAround(const Box& inside, const std::vector<int64_t>& all);

// Phases whose tiles are those of the boxes, one box after another. Small ones are one tile.
Status WriteBoxes(Kernel& kernel, const Boxes& boxes);

// REQUIRES: the group's last operation is a concatenate (pad); its only output.
StatusOr<Instance> ScheduleConcatenate(const graph::Graph& graph, const Group& group, const executable::Target& target);
StatusOr<Instance> SchedulePad(const graph::Graph& graph, const Group& group, const executable::Target& target);

}  // namespace treadle::plan

#endif  // TREADLE_COMPILER_PLAN_SCHEDULES_PIECES_H_

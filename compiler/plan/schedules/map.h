// Pointwise code over a box of the output: any group without reductions, and the pieces of concatenate, pad and
// dynamic_update_slice.
#ifndef TREADLE_COMPILER_PLAN_SCHEDULES_MAP_H_
#define TREADLE_COMPILER_PLAN_SCHEDULES_MAP_H_

#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "base/status.h"
#include "compiler/plan/schedules/nest.h"

namespace treadle::plan {

// One box. Life: construct, AddOutput, Prepare; then tiles() and cost() hold and Emit writes the code of one tile.
class MapBox {
 public:
  // `inner`: axes of the nest that are left to the body; they count as reduced ones.
  MapBox(Kernel& kernel, const std::vector<int64_t>& dims, const std::vector<int64_t>& inner = {});

  // Stores `value` at every point of the box: read at `from`, written to `buffer` of shape `dims` at `to`.
  void AddOutput(graph::ValueId value, Nest::IndexOf from, uint16_t buffer, const std::vector<int64_t>& dims,
                 Nest::IndexOf to);

  // The same with the values that a body makes at each point, in order, from roots of the nest.
  using Body = std::function<StatusOr<std::vector<Id>>()>;
  void AddTarget(uint16_t buffer, const std::vector<int64_t>& dims, Nest::IndexOf to);
  // `uops`: of the body at one point.
  void SetBody(Body body, int uops);
  // The body is a loop of so many rounds, of `uops` each.
  void SetRounds(double rounds) { rounds_ = rounds; }

  int64_t points() const { return points_; }  // of the box

  // `most_unroll`: where code should be small rather than fast.
  Status Prepare(int most_unroll = 4);
  int64_t tiles() const { return tiles_; }
  const Cost& cost() const { return cost_; }
  Nest& nest() { return nest_; }

  // Inside a phase; `tile` counts from 0.
  Status Emit(Id tile);

 private:
  // How the axes are spread over tiles and loops.
  enum class Form : uint8_t {
    kPoint,   // no axes: one element
    kChunks,  // a tile is a chunk of one row (the last axis)
    kRows,    // a tile is a block of whole rows
    kAcross,  // rows are short: lanes along another axis, of which a tile is a chunk; all other axes are loops
  };

  Status EmitPoint();
  Status EmitLanes(Id lo, Id hi);
  Status EmitChunks(Id tile);
  Status EmitRows(Id tile);
  Status EmitAcross(Id tile);

  StatusOr<std::vector<Id>> PointValues();

  Kernel& kernel_;
  Nest nest_;
  int64_t points_ = 1;
  std::vector<int> roots_, stores_;
  Body body_;
  int body_uops_ = 0;
  std::optional<double> rounds_;
  Form form_ = Form::kPoint;
  int lane_ = -1;
  std::vector<int> others_;  // the axes but the lanes', outermost first
  int64_t per_tile_ = 1;     // kChunks, kAcross: lanes; kRows: rows
  int64_t rows_ = 1;         // product of others_
  int64_t tiles_ = 0;
  Cost cost_;
  int unroll_ = 1;
};

// Groups of elementwise and movement operations over one domain; outputs may be dynamic_update_slices of it.
StatusOr<Instance> ScheduleMap(const graph::Graph& graph, const Group& group, const executable::Target& target);

}  // namespace treadle::plan

#endif  // TREADLE_COMPILER_PLAN_SCHEDULES_MAP_H_

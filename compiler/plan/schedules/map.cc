#include "compiler/plan/schedules/map.h"

#include <algorithm>
#include <utility>

namespace treadle::plan {
namespace {

constexpr int64_t kShortRow = 16;  // below, vectors along a row would be mostly tail

std::vector<Axis> AxesOf(const std::vector<int64_t>& dims, const std::vector<int64_t>& inner) {
  std::vector<Axis> axes;
  for (int64_t size : dims) axes.push_back({size, false});
  for (int64_t size : inner) axes.push_back({size, true});
  return axes;
}

}  // namespace

MapBox::MapBox(Kernel& kernel, const std::vector<int64_t>& dims, const std::vector<int64_t>& inner)
    : kernel_(kernel), nest_(kernel, AxesOf(dims, inner)) {
  for (int64_t size : dims) points_ *= size;
}

void MapBox::AddOutput(graph::ValueId value, Nest::IndexOf from, uint16_t buffer, const std::vector<int64_t>& dims,
                       Nest::IndexOf to) {
  roots_.push_back(nest_.AddRoot(value, std::move(from)));
  stores_.push_back(nest_.AddStore(buffer, dims, std::move(to)));
}

void MapBox::AddTarget(uint16_t buffer, const std::vector<int64_t>& dims, Nest::IndexOf to) {
  stores_.push_back(nest_.AddStore(buffer, dims, std::move(to)));
}

void MapBox::SetBody(Body body, int uops) {
  body_ = std::move(body);
  body_uops_ = uops;
}

Status MapBox::Prepare(int most_unroll) {
  TREADLE_RETURN_IF_ERROR(nest_.Analyse());
  std::vector<Axis> axes = nest_.axes();
  while (!axes.empty() && axes.back().reduced) axes.pop_back();
  double total = static_cast<double>(points_);
  double uops = nest_.Uops() + total * body_uops_ / (kernel_.target().vector_bytes() / 4.0);
  cost_ = Estimate(kernel_.target(), nest_.Bytes(), nest_.Bytes(), uops);
  unroll_ = std::min(most_unroll, UnrollFor(nest_.UopsPerIteration() + body_uops_));
  if (axes.empty()) {
    tiles_ = points_;
    return OkStatus();
  }
  lane_ = static_cast<int>(axes.size()) - 1;
  int64_t tile = TileElements(nest_.Bytes() / std::max(total, 1.0), uops / std::max(total, 1.0));
  if (axes[lane_].size < kShortRow && axes.size() > 1) {
    int largest = lane_;
    for (int axis = lane_; axis >= 0; --axis) {
      if (axes[axis].size > axes[largest].size) largest = axis;
    }
    lane_ = largest;
  }
  for (int axis = 0; axis < static_cast<int>(axes.size()); ++axis) {
    if (axis == lane_) continue;
    others_.push_back(axis);
    rows_ *= axes[axis].size;
  }
  nest_.SetLaneAxis(lane_);
  int64_t length = axes[lane_].size;
  if (lane_ + 1 < static_cast<int>(axes.size())) {
    form_ = Form::kAcross;
    per_tile_ = std::max<int64_t>(64, tile / std::max<int64_t>(rows_, 1) / 64 * 64);
    tiles_ = rows_ == 0 ? 0 : (length + per_tile_ - 1) / per_tile_;
  } else if (others_.empty() || length >= tile) {
    form_ = Form::kChunks;
    per_tile_ = tile;
    tiles_ = rows_ * ((length + tile - 1) / tile);
  } else {
    form_ = Form::kRows;
    per_tile_ = std::max<int64_t>(1, tile / std::max<int64_t>(length, 1));
    tiles_ = length == 0 ? 0 : (rows_ + per_tile_ - 1) / per_tile_;
  }
  return OkStatus();
}

Status MapBox::Emit(Id tile) {
  nest_.OpenScope();
  TREADLE_RETURN_IF_ERROR(nest_.Hoist());
  switch (form_) {
    case Form::kPoint:
      TREADLE_RETURN_IF_ERROR(EmitPoint());
      break;
    case Form::kChunks:
      TREADLE_RETURN_IF_ERROR(EmitChunks(tile));
      break;
    case Form::kRows:
      TREADLE_RETURN_IF_ERROR(EmitRows(tile));
      break;
    case Form::kAcross:
      TREADLE_RETURN_IF_ERROR(EmitAcross(tile));
      break;
  }
  nest_.CloseScope();
  return OkStatus();
}

StatusOr<std::vector<Id>> MapBox::PointValues() {
  if (body_) return body_();
  std::vector<Id> values;
  for (int root : roots_) {
    TREADLE_ASSIGN_OR_RETURN(Id value, nest_.Value(nest_.Root(root)));
    values.push_back(value);
  }
  return values;
}

// All loads before all stores: outputs may take the memory of inputs.
Status MapBox::EmitPoint() {
  std::vector<std::pair<Access, Id>> writes;
  TREADLE_ASSIGN_OR_RETURN(std::vector<Id> values, PointValues());
  for (size_t k = 0; k < values.size(); ++k) {
    TREADLE_ASSIGN_OR_RETURN(Access access, nest_.StoreAccess(stores_[k]));
    writes.push_back({std::move(access), values[k]});
  }
  for (auto& [access, value] : writes) kernel_.b().Store(std::move(access), value);
  return OkStatus();
}

Status MapBox::EmitLanes(Id lo, Id hi) {
  Builder& b = kernel_.b();
  TREADLE_RETURN_IF_ERROR(nest_.Hoist());
  nest_.Bind(lane_, b.BeginLanes(lo, hi, unroll_));
  nest_.OpenScope();
  TREADLE_RETURN_IF_ERROR(EmitPoint());
  nest_.CloseScope();
  b.EndLoop();
  nest_.Bind(lane_, kNone);
  return OkStatus();
}

Status MapBox::EmitChunks(Id tile) {
  Builder& b = kernel_.b();
  Id length = kernel_.AddI64(nest_.axes()[lane_].size), chunk = kernel_.AddI64(per_tile_);
  Id number = tile;
  if (!others_.empty()) {
    Id chunks = kernel_.AddI64((nest_.axes()[lane_].size + per_tile_ - 1) / per_tile_);
    auto [row, rest] = kernel_.DivRem(tile, chunks);
    nest_.BindDigits(others_, row);
    number = rest;
  }
  Id lo = b.Mul(number, chunk);
  return EmitLanes(lo, b.Min(b.Add(lo, chunk), length));
}

Status MapBox::EmitRows(Id tile) {
  Builder& b = kernel_.b();
  Id block = kernel_.AddI64(per_tile_), rows = kernel_.AddI64(rows_), length = kernel_.AddI64(nest_.axes()[lane_].size);
  Id lo = b.Mul(tile, block);
  Id row = b.BeginFor(lo, b.Min(b.Add(lo, block), rows));
  nest_.OpenScope();
  nest_.BindDigits(others_, row);
  TREADLE_RETURN_IF_ERROR(EmitLanes(b.ConstI64(0), length));
  nest_.CloseScope();
  b.EndLoop();
  return OkStatus();
}

Status MapBox::EmitAcross(Id tile) {
  Builder& b = kernel_.b();
  Id chunk = kernel_.AddI64(per_tile_), length = kernel_.AddI64(nest_.axes()[lane_].size);
  Id lo = b.Mul(tile, chunk), hi = b.Min(b.Add(lo, chunk), length);
  Id row = b.BeginFor(b.ConstI64(0), kernel_.AddI64(rows_));
  nest_.OpenScope();
  nest_.BindDigits(others_, row);
  TREADLE_RETURN_IF_ERROR(EmitLanes(lo, hi));
  nest_.CloseScope();
  b.EndLoop();
  return OkStatus();
}

StatusOr<Instance> ScheduleMap(const graph::Graph& graph, const Group& group, const executable::Target& target) {
  Kernel kernel("map", graph, group, target);
  auto update_of = [&](graph::ValueId output) -> const graph::Op* {
    graph::OpId def = graph.values[output].def;
    return def >= 0 && graph.ops[def].code == graph::OpCode::kDynamicUpdateSlice && kernel.InputBuffer(output) < 0
               ? &graph.ops[def]
               : nullptr;
  };
  auto source = [&](graph::ValueId output) {
    const graph::Op* update = update_of(output);
    return update ? update->operands[1] : output;
  };
  // The domain: the output of highest rank, so that fewest axes have to be cut.
  graph::ValueId widest = source(group.outputs[0]);
  for (graph::ValueId output : group.outputs) {
    if (graph.shape(source(output)).rank() > graph.shape(widest).rank()) widest = source(output);
  }
  MapBox box(kernel, graph.shape(widest).dims);
  for (size_t k = 0; k < group.outputs.size(); ++k) {
    graph::ValueId output = group.outputs[k], value = source(output);
    std::vector<int64_t> dims = graph.shape(value).dims, all = graph.shape(output).dims;
    auto at = [dims](IndexSpace& space) { return Nest::Whole(space, dims); };
    const graph::Op* update = update_of(output);
    if (update == nullptr) {
      box.AddOutput(value, at, kernel.OutputBuffer(static_cast<int>(k)), all, at);
      continue;
    }
    std::vector<graph::ValueId> starts(update->operands.begin() + 2, update->operands.end());
    auto window = [dims, all, starts](IndexSpace& space) {
      Index index = Nest::Whole(space, dims);
      for (size_t d = 0; d < dims.size(); ++d) index[d].Add(space.Start(starts[d], {}, all[d] - dims[d]), 1);
      return index;
    };
    box.AddOutput(value, at, kernel.OutputBuffer(static_cast<int>(k)), all, window);
  }
  TREADLE_RETURN_IF_ERROR(box.Prepare());
  Id tile = kernel.b().BeginPhase();
  TREADLE_RETURN_IF_ERROR(box.Emit(tile));
  kernel.EndPhase(box.tiles(), box.cost());
  std::vector<std::pair<uint16_t, int16_t>> shares;
  for (size_t k = 0; k < group.outputs.size(); ++k) {
    shares.push_back({kernel.OutputBuffer(static_cast<int>(k)), box.nest().SharedInput(static_cast<int>(k))});
  }
  Instance instance = kernel.Finish();
  SetShares(shares, instance.plan);
  return instance;
}

}  // namespace treadle::plan

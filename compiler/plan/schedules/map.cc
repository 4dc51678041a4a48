#include "compiler/plan/schedules/map.h"

#include <algorithm>
#include <memory>
#include <utility>

#include "compiler/plan/operation_class.h"
#include "compiler/plan/schedules/pieces.h"

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
  double uops = nest_.Uops() + total * body_uops_ * rounds_.value_or(1) / (kernel_.target().vector_bytes() / 4.0);
  cost_ = Estimate(kernel_.target(), nest_.Bytes(), nest_.Bytes(), uops);
  unroll_ = rounds_ ? UnrollForRounds(body_uops_) : UnrollFor(nest_.UopsPerIteration() + body_uops_);
  unroll_ = std::min(most_unroll, unroll_);
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

namespace {

constexpr size_t kMostBoxes = 8;

// The outputs of a group over its domain, or over a box of it.
class MapOutputs {
 public:
  explicit MapOutputs(Kernel& kernel) : kernel_(kernel), graph_(kernel.graph()), outputs_(kernel.group().outputs) {}

  // Of the output whose source has the highest rank, so that fewest axes have to be cut.
  const std::vector<int64_t>& Domain() const {
    graph::ValueId widest = Source(outputs_[0]);
    for (graph::ValueId output : outputs_) {
      if (graph_.shape(Source(output)).rank() > graph_.shape(widest).rank()) widest = Source(output);
    }
    return graph_.shape(widest).dims;
  }

  // Where the group chooses between the operands of pads and concatenations along the innermost dimension the domain is
  // cut, so that each box has made its choices.
  StatusOr<std::vector<Box>> Boxes() {
    const std::vector<int64_t>& domain = Domain();
    std::vector<Box> boxes{{std::vector<int64_t>(domain.size()), domain}};
    const std::vector<graph::OpId>& ops = kernel_.group().ops;
    const bool chooses = std::any_of(ops.begin(), ops.end(), [&](graph::OpId op) {
      const graph::OpCode code = graph_.ops[op].code;
      return code == graph::OpCode::kPad || code == graph::OpCode::kConcatenate;
    });
    if (!chooses) return boxes;
    auto is_long = [](int64_t size) { return size != 1; };
    auto last = std::find_if(domain.rbegin(), domain.rend(), is_long);
    if (last == domain.rend()) return boxes;
    const size_t dim = domain.rend() - last - 1;
    for (size_t k = 0; k < boxes.size() && boxes.size() < kMostBoxes;) {
      MapBox probe(kernel_, boxes[k].sizes);
      AddTo(probe, boxes[k]);
      TREADLE_RETURN_IF_ERROR(probe.nest().Analyse());
      std::vector<int64_t> turns = probe.nest().TurnsAlongInnermost(boxes[k].sizes[dim]);
      if (turns.empty() || boxes.size() + turns.size() > kMostBoxes) {
        ++k;
        continue;
      }
      for (size_t t = turns.size(); t-- > 0;) {
        Box after = boxes[k];
        after.first[dim] += turns[t];
        after.sizes[dim] -= turns[t];
        boxes[k].sizes[dim] = turns[t];
        boxes.insert(boxes.begin() + static_cast<int64_t>(k) + 1, std::move(after));
      }
    }
    return boxes;
  }

  void AddTo(MapBox& box, const Box& part) {
    stores_.clear();
    number_ = 0;
    const std::vector<int64_t>& domain = Domain();
    for (size_t k = 0; k < outputs_.size(); ++k) {
      const uint16_t buffer = kernel_.OutputBuffer(static_cast<int>(k));
      const std::vector<int64_t> dims = graph_.shape(Source(outputs_[k])).dims, all = graph_.shape(outputs_[k]).dims;
      auto at = [part, domain, dims](IndexSpace& space) {
        Index index = Nest::Whole(space, part.sizes);
        for (size_t d = 0; d < index.size(); ++d) index[d].offset += part.first[d];
        return dims == domain ? index : space.Reshape(index, domain, dims);
      };
      stores_.emplace_back();
      if (const graph::Op* pairs = Special(outputs_[k], OperationClass::kInterleave)) {
        for (int half = 0; half < 2; ++half) {
          auto place = [at, half](IndexSpace& space) {
            Index index = at(space);
            index.back().offset += half;
            return index;
          };
          stores_.back().push_back(number_++);
          box.AddOutput(pairs->operands[half], at, buffer, all, place);
        }
        continue;
      }
      stores_.back().push_back(number_++);
      const graph::Op* update = Special(outputs_[k], OperationClass::kUpdate);
      box.AddOutput(Source(outputs_[k]), at, buffer, all, update ? Window(*update, at, dims, all) : at);
    }
  }

  // Whose memory the outputs may take. Before Kernel::Finish.
  std::vector<std::pair<uint16_t, int16_t>> Shares(MapBox& box) const {
    std::vector<std::vector<int16_t>> fitting;
    for (const std::vector<int>& stores : stores_) fitting.push_back(box.nest().SharedInputs(stores));
    return ChooseShares(kernel_, fitting);
  }

 private:
  // The operation that makes the output here, if it is of that class.
  const graph::Op* Special(graph::ValueId output, OperationClass cls) const {
    graph::OpId def = graph_.values[output].def;
    const bool is = def >= 0 && ClassOf(graph_, graph_.ops[def]) == cls && kernel_.InputBuffer(output) < 0;
    return is ? &graph_.ops[def] : nullptr;
  }

  // A value whose elements are the points of the domain.
  graph::ValueId Source(graph::ValueId output) const {
    if (const graph::Op* update = Special(output, OperationClass::kUpdate)) return update->operands[1];
    if (const graph::Op* pairs = Special(output, OperationClass::kInterleave)) return pairs->operands[0];
    return output;
  }

  static Nest::IndexOf Window(const graph::Op& update, const Nest::IndexOf& at, const std::vector<int64_t>& dims,
                              const std::vector<int64_t>& all) {
    std::vector<graph::ValueId> starts(update.operands.begin() + 2, update.operands.end());
    return [at, dims, all, starts](IndexSpace& space) {
      Index index = at(space);
      for (size_t d = 0; d < dims.size(); ++d) index[d].Add(space.Start(starts[d], {}, all[d] - dims[d]), 1);
      return index;
    };
  }

  Kernel& kernel_;
  const graph::Graph& graph_;
  const std::vector<graph::ValueId>& outputs_;
  std::vector<std::vector<int>> stores_;  // of each output
  int number_ = 0;
};

}  // namespace

StatusOr<Instance> ScheduleMap(const graph::Graph& graph, const Group& group, const executable::Target& target) {
  Kernel kernel("map", graph, group, target);
  MapOutputs outputs(kernel);
  TREADLE_ASSIGN_OR_RETURN(const std::vector<Box> parts, outputs.Boxes());
  if (parts.size() > 1) {
    Boxes boxes;
    for (const Box& part : parts) {
      boxes.push_back(std::make_unique<MapBox>(kernel, part.sizes));
      outputs.AddTo(*boxes.back(), part);
    }
    TREADLE_RETURN_IF_ERROR(WriteBoxes(kernel, boxes));
    return kernel.Finish();
  }
  MapBox box(kernel, outputs.Domain());
  outputs.AddTo(box, parts[0]);
  TREADLE_RETURN_IF_ERROR(box.Prepare());
  Id tile = kernel.b().BeginPhase();
  TREADLE_RETURN_IF_ERROR(box.Emit(tile));
  kernel.EndPhase(box.tiles(), box.cost());
  const auto shares = outputs.Shares(box);
  Instance instance = kernel.Finish();
  SetShares(shares, instance.plan);
  return instance;
}

}  // namespace treadle::plan

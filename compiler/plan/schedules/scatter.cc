#include "compiler/plan/schedules/scatter.h"

#include <algorithm>
#include <limits>
#include <optional>
#include <utility>
#include <vector>

#include "compiler/plan/schedules/combiner.h"
#include "compiler/plan/schedules/nest.h"

namespace treadle::plan {
namespace {

using graph::ValueId;

constexpr int64_t kLeastChunk = 64;  // elements of a window that a tile takes, at least
constexpr int64_t kChunks = 8;       // tiles that windows are cut into, at most

class Scatter {
 public:
  Scatter(Kernel& kernel, const graph::Op& op)
      : kernel_(kernel),
        op_(op),
        windows_(op.attrs.windows),
        count_(op.results.size()),
        updates_(kernel.graph().shape(op.operands.back()).dims),
        dims_(kernel.graph().shape(op.operands[0]).dims),
        sizes_(WindowSizes(windows_, updates_, dims_.size())) {
    FindOrder();
    std::vector<Axis> axes;
    for (int64_t d : order_) axes.push_back({updates_[d], IsWindow(d)});
    nest_.emplace(kernel_, axes);
  }

  Status Write() {
    AddPlaces();
    TREADLE_RETURN_IF_ERROR(nest_->Analyse());
    ChooseTiles();
    Builder& b = kernel_.b();
    Id tile = b.BeginPhase();
    nest_->OpenScope();
    TREADLE_RETURN_IF_ERROR(nest_->Hoist());
    Id vectors = kernel_.AddI64(nest_->Extent(batch_)), first = b.ConstI64(0), end = vectors;
    if (split_vectors_) {
      Id size = kernel_.AddI64(per_tile_);
      first = b.Mul(tile, size);
      end = b.Min(b.Add(first, size), vectors);
    }
    Id vector = b.BeginFor(first, end);
    nest_->OpenScope();
    nest_->BindDigits(batch_, vector);
    TREADLE_RETURN_IF_ERROR(WriteVector(tile));
    nest_->CloseScope();
    b.EndLoop();
    nest_->CloseScope();
    kernel_.EndPhase(tiles_, CostOf());
    return OkStatus();
  }

 private:
  bool IsWindow(int64_t d) const {
    return std::find(windows_.window.begin(), windows_.window.end(), d) != windows_.window.end();
  }

  // Dimensions of the updates: those of index vectors, then those of windows.
  void FindOrder() {
    for (bool window : {false, true}) {
      for (size_t d = 0; d < updates_.size(); ++d) {
        if (IsWindow(static_cast<int64_t>(d)) == window) order_.push_back(static_cast<int64_t>(d));
      }
    }
  }

  // The nest's index as one of the updates.
  Index UpdatesIndex(IndexSpace& space) const {
    std::vector<int64_t> sizes;
    for (int64_t d : order_) sizes.push_back(updates_[d]);
    Index ordered = Nest::Whole(space, sizes), index(updates_.size());
    for (size_t k = 0; k < order_.size(); ++k) index[order_[k]] = ordered[k];
    return index;
  }

  // Where component `c` of the index vector lies.
  Index ComponentIndex(IndexSpace& space, size_t c) const {
    return ComponentPlace(windows_, PlaceOf(windows_, UpdatesIndex(space), dims_.size()), c,
                          kernel_.graph().shape(op_.operands[count_]).rank());
  }

  int64_t Limit(size_t component) const {
    int64_t dim = windows_.index_map[component];
    return dims_[dim] - sizes_[dim];
  }

  void AddPlaces() {
    ValueId indices = op_.operands[count_];
    for (size_t c = 0; c < windows_.index_map.size(); ++c) {
      starts_.push_back(nest_->AddRoot(indices, [this, c](IndexSpace& space) { return ComponentIndex(space, c); }));
    }
    // Addresses go by starts as they are: they are made where windows are known to lie inside.
    auto place = [this, indices](IndexSpace& space) {
      Index index = PlaceOf(windows_, UpdatesIndex(space), dims_.size()).window;
      for (size_t c = 0; c < windows_.index_map.size(); ++c) {
        index[windows_.index_map[c]].Add(space.Start(indices, ComponentIndex(space, c), Limit(c)), 1);
      }
      return index;
    };
    for (size_t k = 0; k < count_; ++k) {
      values_.push_back(
          nest_->AddRoot(op_.operands[count_ + 1 + k], [this](IndexSpace& space) { return UpdatesIndex(space); }));
      stores_.push_back(nest_->AddStore(kernel_.OutputBuffer(static_cast<int>(k)), dims_, place));
    }
  }

  // Whether equal places in windows of different index vectors that share elements are the same element. Then tiles may
  // be parts of windows.
  bool WindowsCoincide() const {
    for (size_t c = 0; c < windows_.index_map.size(); ++c) {
      if (Limit(c) > 0 && sizes_[windows_.index_map[c]] > 1) return false;
    }
    return true;
  }

  void ChooseTiles() {
    const std::vector<Axis>& axes = nest_->axes();
    for (int axis = 0; axis < static_cast<int>(axes.size()); ++axis) {
      (axes[axis].reduced ? window_ : batch_).push_back(axis);
    }
    if (!window_.empty()) {
      lane_ = window_.back();
      window_.pop_back();
      nest_->SetLaneAxis(lane_);
    }
    int64_t lanes = lane_ >= 0 ? axes[lane_].size : 1, vectors = nest_->Extent(batch_);
    if (lanes >= 2 * kLeastChunk && WindowsCoincide()) {
      chunk_ = std::max(kLeastChunk, (lanes / kChunks + kLeastChunk - 1) / kLeastChunk * kLeastChunk);
      tiles_ = (lanes + chunk_ - 1) / chunk_;
    } else if (op_.attrs.unique && WindowsCoincide()) {
      double total = std::max(nest_->Iterations(), 1.0);
      int64_t elements = TileElements(nest_->Bytes() / total, nest_->UopsPerIteration());
      per_tile_ = std::max<int64_t>(1, elements / std::max<int64_t>(lanes * nest_->Extent(window_), 1));
      split_vectors_ = per_tile_ < vectors;
      tiles_ = split_vectors_ ? (vectors + per_tile_ - 1) / per_tile_ : 1;
    }
    if (nest_->Iterations() == 0) tiles_ = 0;
  }

  // One window: nothing if it is not wholly inside.
  Status WriteVector(Id tile) {
    Builder& b = kernel_.b();
    Id inside = b.Const(ElementType::kI1, 1);
    std::vector<Id> starts;
    for (size_t c = 0; c < starts_.size(); ++c) {
      TREADLE_ASSIGN_OR_RETURN(Id start, nest_->Value(nest_->Root(starts_[c])));
      inside = b.Binary(Op::kAnd, inside, InRange(start, Limit(c)));
      starts.push_back(start);
    }
    b.BeginIf(inside, {});
    nest_->OpenScope();
    for (size_t c = 0; c < starts.size(); ++c) {
      nest_->ProvideStart(nest_->Root(starts_[c]), b.Convert(ElementType::kI64, starts[c]));
    }
    TREADLE_RETURN_IF_ERROR(WriteWindow(tile));
    nest_->CloseScope();
    b.Yield({});
    b.BeginElse();
    b.EndLoop();
    return OkStatus();
  }

  // 0 <= start <= limit: one comparison of unsigned numbers, of which those below 0 are the largest.
  Id InRange(Id start, int64_t limit) {
    Builder& b = kernel_.b();
    const bool wide = ElementBytes(b.elt(start)) == 8 || limit > std::numeric_limits<int32_t>::max();
    const bool is_signed = !IsUnsigned(b.elt(start));
    const ElementType as_unsigned = wide ? ElementType::kU64 : ElementType::kU32;
    Id value = start;
    if (is_signed) {
      value = b.Convert(wide ? ElementType::kI64 : ElementType::kI32, start);
      value = b.Emit(Op::kBitcast, as_unsigned, {value});
    } else {
      value = b.Convert(as_unsigned, start);
    }
    return b.Compare(Predicate::kLe, value, b.Convert(as_unsigned, kernel_.AddI64(limit)));
  }

  Status WriteWindow(Id tile) {
    Builder& b = kernel_.b();
    if (lane_ < 0) return WriteElement();
    Id lo = b.ConstI64(0), hi = kernel_.AddI64(nest_->axes()[lane_].size);
    if (chunk_ > 0) {
      Id size = kernel_.AddI64(chunk_);
      lo = b.Mul(tile, size);
      hi = b.Min(b.Add(lo, size), hi);
    }
    if (!window_.empty()) {
      Id row = b.BeginFor(b.ConstI64(0), kernel_.AddI64(nest_->Extent(window_)));
      nest_->OpenScope();
      nest_->BindDigits(window_, row);
    }
    TREADLE_RETURN_IF_ERROR(nest_->Hoist());
    nest_->Bind(lane_, b.BeginLanes(lo, hi, UnrollFor(nest_->UopsPerIteration())));
    nest_->OpenScope();
    TREADLE_RETURN_IF_ERROR(WriteElement());
    nest_->CloseScope();
    b.EndLoop();
    nest_->Bind(lane_, kNone);
    if (!window_.empty()) {
      nest_->CloseScope();
      nest_->Unbind(window_);
      b.EndLoop();
    }
    return OkStatus();
  }

  // An update computation that returns the update alone, as in a plain write, does not read what was there.
  bool ReadsCurrent(size_t k) const {
    const graph::Graph& graph = kernel_.graph();
    const graph::Region& region = graph.regions[op_.regions[0]];
    ValueId argument = region.arguments[k];
    auto reads = [&](const std::vector<ValueId>& values) {
      return std::find(values.begin(), values.end(), argument) != values.end();
    };
    return reads(region.results) || std::any_of(region.ops.begin(), region.ops.end(),
                                                [&](graph::OpId op) { return reads(graph.ops[op].operands); });
  }

  Status WriteElement() {
    Builder& b = kernel_.b();
    const graph::Graph& graph = kernel_.graph();
    std::vector<Access> places;
    std::vector<Id> current, updates;
    for (size_t k = 0; k < count_; ++k) {
      TREADLE_ASSIGN_OR_RETURN(Access place, nest_->StoreAccess(stores_[k]));
      current.push_back(ReadsCurrent(k) ? b.Load(place) : b.Const(b.buffer_elt(place.buffer), 0));
      places.push_back(std::move(place));
      TREADLE_ASSIGN_OR_RETURN(Id update, nest_->Value(nest_->Root(values_[k])));
      updates.push_back(update);
    }
    Combiner combiner{.region = op_.regions[0]};
    TREADLE_ASSIGN_OR_RETURN(std::vector<Id> results, EmitCombine(b, graph, combiner, current, updates));
    for (size_t k = 0; k < count_; ++k) b.Store(std::move(places[k]), results[k]);
    return OkStatus();
  }

  Cost CostOf() const {
    double vectors = static_cast<double>(nest_->Extent(batch_));
    return Estimate(kernel_.target(), nest_->Bytes(), nest_->Bytes(), nest_->Uops() + 8 * vectors);
  }

  Kernel& kernel_;
  const graph::Op& op_;
  const graph::IndexedWindows& windows_;
  const size_t count_;  // of operands, updates and results
  const std::vector<int64_t>&updates_, &dims_;
  const std::vector<int64_t> sizes_;  // of windows, along the operand's dimensions
  std::vector<int64_t> order_;
  std::optional<Nest> nest_;
  std::vector<int> starts_, values_, stores_;
  std::vector<int> batch_, window_;  // axes; window_ without the lanes'
  int lane_ = -1;
  bool split_vectors_ = false;
  int64_t chunk_ = 0;     // elements of the lane axis a tile, 0: all
  int64_t per_tile_ = 0;  // index vectors, if split_vectors_
  int64_t tiles_ = 1;
};

}  // namespace

StatusOr<Instance> ScheduleScatter(const graph::Graph& graph, const Group& group, const executable::Target& target) {
  Kernel kernel("scatter", graph, group, target);
  TREADLE_RETURN_IF_ERROR(Scatter(kernel, graph.ops[group.ops.back()]).Write());
  return kernel.Finish();
}

}  // namespace treadle::plan

#include "compiler/plan/schedules/scan.h"

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include "compiler/plan/operation_class.h"
#include "compiler/plan/schedules/combiner.h"
#include "compiler/plan/schedules/elementwise.h"
#include "compiler/plan/schedules/nest.h"

namespace treadle::plan {
namespace {

constexpr int kChains = 4;                // stretches that advance side by side
constexpr int64_t kTileElements = 16384;  // of a tile, about
constexpr int64_t kShortWindow = 16;      // of suffixes, combined element by element in each window's order
constexpr int64_t kVectorLanes = 8;       // a dimension with fewer elements makes no good lanes

// Whether the initial value combined with itself is itself, for all that the operation's padding adds to a prefix.
bool PaddingIsSilent(const graph::Graph& graph, const graph::Op& op) {
  size_t count = op.results.size();
  Builder b("fold");
  b.BeginPhase();
  std::vector<Id> inits;
  for (size_t k = 0; k < count; ++k) {
    graph::ValueId init = op.operands[count + k];
    if (!IsConstant(graph, init)) return false;
    ElementType type = graph.shape(init).type;
    if (!IsPlanType(type)) return false;
    inits.push_back(b.Const(type, LiteralBits(graph.ops[graph.values[init].def], type, 0)));
  }
  Combiner combiner = CombinerOf(graph, op);
  StatusOr<std::vector<Id>> twice = EmitCombine(b, graph, combiner, inits, inits);
  return twice.ok() && *twice == inits;  // constants are folded, and equal ones are one node
}

class Scan {
 public:
  Scan(Kernel& kernel, const graph::Op& op, ScanShape shape)
      : kernel_(kernel),
        op_(op),
        shape_(shape),
        dims_(kernel.graph().shape(op.results[0]).dims),
        count_(op.results.size()),
        combiner_(CombinerOf(kernel.graph(), op)),
        nest_(kernel, Axes()) {}

  Status Write() {
    AddPlaces();
    TREADLE_RETURN_IF_ERROR(nest_.Analyse());
    SplitAxes();
    length_ = nest_.Extent(scanned_);
    if (lane_ >= 0) return WriteAcross();
    rows_ = nest_.Extent(kept_);
    leaves_ = std::max<int64_t>(1, (length_ + kScanLeaf - 1) / kScanLeaf);
    return leaves_ == 1 ? WriteRows() : WriteLeaves();
  }

 private:
  std::vector<Axis> Axes() const {
    std::vector<Axis> axes;
    for (size_t d = 0; d < dims_.size(); ++d) axes.push_back({dims_[d], d == shape_.dim});
    return axes;
  }

  void AddPlaces() {
    auto at = [this](IndexSpace& space) {
      Index index = Nest::Whole(space, dims_);
      if (!shape_.reverse) return index;
      Affine mirrored{dims_[shape_.dim] - 1, {}};
      mirrored.Add(index[shape_.dim], -1);
      index[shape_.dim] = std::move(mirrored);
      return index;
    };
    for (size_t k = 0; k < count_; ++k) {
      values_.push_back(nest_.AddRoot(op_.operands[k], at));
      inits_.push_back(nest_.AddRoot(op_.operands[count_ + k], [](IndexSpace&) { return Index{}; }));
      stores_.push_back(nest_.AddStore(kernel_.OutputBuffer(static_cast<int>(k)), dims_, at));
    }
  }

  // Lanes go along the innermost dimension that is kept, or the largest if that is short; if the scanned one is the
  // innermost there are none.
  void SplitAxes() {
    const std::vector<Axis>& axes = nest_.axes();
    for (int axis = 0; axis < static_cast<int>(axes.size()); ++axis) {
      (axes[axis].reduced ? scanned_ : kept_).push_back(axis);
    }
    if (kept_.empty() || (!scanned_.empty() && scanned_.back() > kept_.back())) return;
    lane_ = kept_.back();
    if (axes[lane_].size < kVectorLanes) {
      for (int axis : kept_) {
        if (axes[axis].size > axes[lane_].size) lane_ = axis;
      }
    }
    std::erase(kept_, lane_);
    nest_.SetLaneAxis(lane_);
  }

  StatusOr<std::vector<Id>> Values(const std::vector<int>& roots) {
    std::vector<Id> values;
    for (int root : roots) {
      TREADLE_ASSIGN_OR_RETURN(Id value, nest_.Value(nest_.Root(root)));
      values.push_back(value);
    }
    return values;
  }

  // What comes before in the scan's order stands before it in the operand's, unless the scan runs backwards.
  StatusOr<std::vector<Id>> Combine(const std::vector<Id>& before, const std::vector<Id>& next) {
    return shape_.reverse ? EmitCombine(kernel_.b(), kernel_.graph(), combiner_, next, before)
                          : EmitCombine(kernel_.b(), kernel_.graph(), combiner_, before, next);
  }

  // The initial value comes first in any direction.
  StatusOr<std::vector<Id>> AfterInit(const std::vector<Id>& values) {
    TREADLE_ASSIGN_OR_RETURN(std::vector<Id> inits, Values(inits_));
    return EmitCombine(kernel_.b(), kernel_.graph(), combiner_, inits, values);
  }

  Status Store(const std::vector<Id>& values) {
    for (size_t k = 0; k < count_; ++k) {
      TREADLE_ASSIGN_OR_RETURN(Access access, nest_.StoreAccess(stores_[k]));
      kernel_.b().Store(std::move(access), values[k]);
    }
    return OkStatus();
  }

  // Push constants, each one number in all phases.
  Id Sized(std::optional<Size>& size, int64_t value) {
    if (!size) size = kernel_.AddSize(value);
    return kernel_.b().SizeValue(*size);
  }
  Id Length() { return Sized(length_size_, length_); }
  Id Rows() { return Sized(rows_size_, rows_); }
  Id Leaves() { return Sized(leaves_size_, leaves_); }
  Id LeafSize() { return Sized(leaf_size_, kScanLeaf); }

  Cost CostOf(double uops_an_element) const {
    double elements = nest_.Iterations();
    double uops = elements * (uops_an_element + CombineUops(kernel_.graph(), combiner_));
    return Estimate(kernel_.target(), nest_.Bytes(), nest_.Bytes(), uops);
  }

  // --- across lanes ---

  Status WriteAcross() {
    Builder& b = kernel_.b();
    int64_t lanes = nest_.axes()[lane_].size, others = nest_.Extent(kept_);
    int64_t chunk = std::max<int64_t>(64, kTileElements / std::max<int64_t>(length_, 1) / 64 * 64);
    int64_t chunks = (lanes + chunk - 1) / chunk;
    Id tile = b.BeginPhase();
    nest_.OpenScope();
    TREADLE_RETURN_IF_ERROR(nest_.Hoist());
    auto [row, part] = kernel_.DivRem(tile, kernel_.AddI64(chunks));
    nest_.BindDigits(kept_, row);
    Id size = kernel_.AddI64(chunk), lo = b.Mul(part, size);
    nest_.Bind(lane_, b.BeginLanes(lo, b.Min(b.Add(lo, size), kernel_.AddI64(lanes)), 2));
    nest_.OpenScope();
    TREADLE_ASSIGN_OR_RETURN(std::vector<Id> inits, Values(inits_));
    Id i = b.BeginFor(b.ConstI64(0), Length(), kNone, inits);
    std::vector<Id> before;
    for (size_t k = 0; k < count_; ++k) before.push_back(b.Carry(static_cast<int>(k)));
    nest_.OpenScope();
    nest_.BindDigits(scanned_, i);
    TREADLE_ASSIGN_OR_RETURN(std::vector<Id> values, Values(values_));
    TREADLE_ASSIGN_OR_RETURN(std::vector<Id> folded, Combine(before, values));
    TREADLE_RETURN_IF_ERROR(Store(folded));
    nest_.CloseScope();
    b.Yield(folded);
    b.EndLoop();
    nest_.CloseScope();
    b.EndLoop();
    nest_.CloseScope();
    kernel_.EndPhase(nest_.Iterations() == 0 ? 0 : others * chunks, CostOf(2));
    return OkStatus();
  }

  // --- along rows ---

  // A stretch of a row: `begin` to `begin + length` of the scanned dimension, in row `row`.
  struct Stretch {
    Id row = kNone, begin = kNone;
  };

  // The stretches' scans, side by side. `each` gets the number of a stretch and its running values, in a scope where
  // the element's place is bound. Returns the last values of all stretches, one stretch after the other.
  template <typename Each>
  StatusOr<std::vector<Id>> Advance(const std::vector<Stretch>& stretches, Id length, const Each& each) {
    Builder& b = kernel_.b();
    std::vector<Id> running;
    for (size_t s = 0; s < stretches.size(); ++s) {
      TREADLE_ASSIGN_OR_RETURN(std::vector<Id> first, Step(stretches[s], b.ConstI64(0), {}, s, each));
      running.insert(running.end(), first.begin(), first.end());
    }
    Id i = b.BeginFor(b.ConstI64(1), length, kNone, running);
    for (size_t k = 0; k < running.size(); ++k) running[k] = b.Carry(static_cast<int>(k));
    std::vector<Id> next;
    for (size_t s = 0; s < stretches.size(); ++s) {
      auto mine = running.begin() + static_cast<int64_t>(s * count_);
      std::vector<Id> before(mine, mine + static_cast<int64_t>(count_));
      TREADLE_ASSIGN_OR_RETURN(std::vector<Id> folded, Step(stretches[s], i, before, s, each));
      next.insert(next.end(), folded.begin(), folded.end());
    }
    b.Yield(next);
    return b.EndLoop();
  }

  // Element `i` of the stretch; `before` is empty for the first.
  template <typename Each>
  StatusOr<std::vector<Id>> Step(const Stretch& stretch, Id i, const std::vector<Id>& before, size_t number,
                                 const Each& each) {
    nest_.OpenScope();
    nest_.BindDigits(kept_, stretch.row);
    nest_.BindDigits(scanned_, kernel_.b().Add(stretch.begin, i));
    TREADLE_ASSIGN_OR_RETURN(std::vector<Id> values, Values(values_));
    if (!before.empty()) {
      TREADLE_ASSIGN_OR_RETURN(values, Combine(before, values));
    }
    TREADLE_RETURN_IF_ERROR(each(number, values));
    nest_.CloseScope();
    nest_.Unbind(kept_);
    nest_.Unbind(scanned_);
    return values;
  }

  // Runs `block(stretches, length)` for the units of the tile: kChains at once where they are equally long, else one
  // by one. Unit u is leaf u % leaves of row u / leaves.
  template <typename Block>
  Status ForUnits(Id tile, int64_t blocks_a_tile, const Block& block) {
    Builder& b = kernel_.b();
    int64_t units = rows_ * leaves_;
    Id per_tile = kernel_.AddI64(blocks_a_tile * kChains), all = kernel_.AddI64(units);
    Id lo = b.Mul(tile, per_tile), hi = b.Min(b.Add(lo, per_tile), all);
    Id first = b.BeginFor(lo, hi, b.ConstI64(kChains));
    std::vector<Id> chain;
    for (int k = 0; k < kChains; ++k) chain.push_back(b.Min(b.Add(first, b.ConstI64(k)), b.Sub(all, b.ConstI64(1))));
    Id full = b.Compare(Predicate::kLe, b.Add(first, b.ConstI64(kChains)), hi);
    std::vector<Id> lengths;
    for (Id unit : chain) lengths.push_back(LengthOf(unit));
    for (int k = 1; k < kChains && leaves_ > 1; ++k) {
      full = b.Binary(Op::kAnd, full, b.Compare(Predicate::kEq, lengths[0], lengths[k]));
    }
    b.BeginIf(full, {});
    std::vector<Stretch> stretches;
    for (Id unit : chain) stretches.push_back(StretchOf(unit));
    TREADLE_RETURN_IF_ERROR(block(chain, stretches, lengths[0]));
    b.Yield({});
    b.BeginElse();
    Id unit = b.BeginFor(first, b.Min(b.Add(first, b.ConstI64(kChains)), hi));
    TREADLE_RETURN_IF_ERROR(block(std::vector<Id>{unit}, std::vector<Stretch>{StretchOf(unit)}, LengthOf(unit)));
    b.EndLoop();
    b.EndLoop();
    b.EndLoop();
    return OkStatus();
  }

  Stretch StretchOf(Id unit) {
    if (leaves_ == 1) return {unit, kernel_.b().ConstI64(0)};
    auto [row, leaf] = kernel_.DivRem(unit, Leaves());
    return {row, kernel_.b().Mul(leaf, LeafSize())};
  }

  Id LengthOf(Id unit) {
    Builder& b = kernel_.b();
    if (leaves_ == 1) return Length();
    return b.Min(b.Sub(Length(), StretchOf(unit).begin), LeafSize());
  }

  int64_t BlocksATile() const {
    return std::max<int64_t>(1, kTileElements / (kChains * std::max<int64_t>(1, std::min(length_, kScanLeaf))));
  }

  int64_t Tiles() const {
    int64_t per_tile = BlocksATile() * kChains;
    return nest_.Iterations() == 0 ? 0 : (rows_ * leaves_ + per_tile - 1) / per_tile;
  }

  Status WriteRows() {
    Id tile = kernel_.b().BeginPhase();
    nest_.OpenScope();
    TREADLE_RETURN_IF_ERROR(nest_.Hoist());
    TREADLE_RETURN_IF_ERROR(ForUnits(
        tile, BlocksATile(), [&](const std::vector<Id>&, const std::vector<Stretch>& stretches, Id length) -> Status {
          return Advance(stretches, length,
                         [&](size_t, const std::vector<Id>& values) -> Status {
                           TREADLE_ASSIGN_OR_RETURN(std::vector<Id> results, AfterInit(values));
                           return Store(results);
                         })
              .status();
        }));
    nest_.CloseScope();
    kernel_.EndPhase(Tiles(), CostOf(2));
    return OkStatus();
  }

  Status WriteLeaves() {
    Size units = kernel_.AddSize(rows_ * leaves_);
    for (size_t k = 0; k < count_; ++k) {
      ElementType type = kernel_.graph().shape(op_.results[k]).type;
      totals_.push_back(kernel_.b().AddBuffer(type, Role::kScratch, units));
      offsets_.push_back(kernel_.b().AddBuffer(type, Role::kScratch, units));
    }
    TREADLE_RETURN_IF_ERROR(WriteTotals());
    TREADLE_RETURN_IF_ERROR(WriteOffsets());
    return WriteResults();
  }

  Status WriteTotals() {
    Builder& b = kernel_.b();
    Id tile = b.BeginPhase();
    nest_.OpenScope();
    TREADLE_RETURN_IF_ERROR(nest_.Hoist());
    auto block = [&](const std::vector<Id>& units, const std::vector<Stretch>& stretches, Id length) -> Status {
      auto nothing = [](size_t, const std::vector<Id>&) { return OkStatus(); };
      TREADLE_ASSIGN_OR_RETURN(std::vector<Id> totals, Advance(stretches, length, nothing));
      for (size_t s = 0; s < units.size(); ++s) {
        for (size_t k = 0; k < count_; ++k) b.Store({totals_[k], {}, {{units[s], {-1, 1}}}}, totals[s * count_ + k]);
      }
      return OkStatus();
    };
    TREADLE_RETURN_IF_ERROR(ForUnits(tile, BlocksATile(), block));
    nest_.CloseScope();
    kernel_.EndPhase(Tiles(), CostOf(1));
    return OkStatus();
  }

  // What comes before each leaf: the initial value and all leaves before it.
  Status WriteOffsets() {
    Builder& b = kernel_.b();
    b.BeginPhase();
    nest_.OpenScope();
    Id row = b.BeginFor(b.ConstI64(0), Rows());
    nest_.OpenScope();
    TREADLE_ASSIGN_OR_RETURN(std::vector<Id> inits, Values(inits_));
    Id first = b.Mul(row, Leaves());
    Id leaf = b.BeginFor(b.ConstI64(0), Leaves(), kNone, inits);
    Id unit = b.Add(first, leaf);
    std::vector<Id> before, totals;
    for (size_t k = 0; k < count_; ++k) {
      before.push_back(b.Carry(static_cast<int>(k)));
      b.Store({offsets_[k], {}, {{unit, {-1, 1}}}}, before[k]);
      totals.push_back(b.Load({totals_[k], {}, {{unit, {-1, 1}}}}));
    }
    TREADLE_ASSIGN_OR_RETURN(std::vector<Id> after, Combine(before, totals));
    b.Yield(after);
    b.EndLoop();
    nest_.CloseScope();
    b.EndLoop();
    nest_.CloseScope();
    double units = static_cast<double>(rows_ * leaves_);
    kernel_.EndPhase(1, Estimate(kernel_.target(), 16 * units, 16 * units, 8 * units));
    return OkStatus();
  }

  Status WriteResults() {
    Builder& b = kernel_.b();
    Id tile = b.BeginPhase();
    nest_.OpenScope();
    TREADLE_RETURN_IF_ERROR(nest_.Hoist());
    auto block = [&](const std::vector<Id>& units, const std::vector<Stretch>& stretches, Id length) -> Status {
      std::vector<std::vector<Id>> offsets(units.size());
      for (size_t s = 0; s < units.size(); ++s) {
        for (size_t k = 0; k < count_; ++k) offsets[s].push_back(b.Load({offsets_[k], {}, {{units[s], {-1, 1}}}}));
      }
      return Advance(stretches, length,
                     [&](size_t s, const std::vector<Id>& values) -> Status {
                       TREADLE_ASSIGN_OR_RETURN(std::vector<Id> results, Combine(offsets[s], values));
                       return Store(results);
                     })
          .status();
    };
    TREADLE_RETURN_IF_ERROR(ForUnits(tile, BlocksATile(), block));
    nest_.CloseScope();
    kernel_.EndPhase(Tiles(), CostOf(2));
    return OkStatus();
  }

  Kernel& kernel_;
  const graph::Op& op_;
  const ScanShape shape_;
  const std::vector<int64_t>& dims_;
  const size_t count_;
  const Combiner combiner_;
  Nest nest_;
  std::vector<int> values_, inits_, stores_;
  std::vector<int> kept_, scanned_;  // axes; kept_ without the lanes'
  int lane_ = -1;
  int64_t length_ = 0, rows_ = 0, leaves_ = 1;
  std::optional<Size> length_size_, rows_size_, leaves_size_, leaf_size_;
  std::vector<uint16_t> totals_, offsets_;  // scratch, by unit
};

}  // namespace

std::optional<ScanShape> ScanOf(const graph::Graph& graph, const graph::Op& op) {
  const std::vector<int64_t>& dims = graph.shape(op.operands[0]).dims;
  const graph::Attributes& a = op.attrs;
  std::optional<ScanShape> shape;
  for (size_t d = 0; d < dims.size(); ++d) {
    if (a.strides[d] != 1 || a.interior[d] != 0) return std::nullopt;
    if (a.limits[d] == 1 && a.low[d] == 0 && a.high[d] == 0) continue;
    bool prefixes = a.low[d] == dims[d] - 1 && a.high[d] == 0, suffixes = a.low[d] == 0 && a.high[d] == dims[d] - 1;
    if (shape || a.limits[d] != dims[d] || a.dilations[d] != 1 || (!prefixes && !suffixes)) return std::nullopt;
    shape = ScanShape{d, suffixes && dims[d] > 1};
    if (shape->reverse && dims[d] <= kShortWindow && IsFloat(graph.shape(op.results[0]).type)) return std::nullopt;
  }
  if (!shape || !PaddingIsSilent(graph, op)) return std::nullopt;
  return shape;
}

StatusOr<Instance> ScheduleScan(const graph::Graph& graph, const Group& group, ScanShape shape,
                                const executable::Target& target) {
  const graph::Op& op = graph.ops[group.ops.back()];
  Kernel kernel("scan", graph, group, target);
  TREADLE_RETURN_IF_ERROR(Scan(kernel, op, shape).Write());
  return kernel.Finish();
}

}  // namespace treadle::plan

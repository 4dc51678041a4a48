#include "compiler/plan/schedules/window.h"

#include <algorithm>
#include <memory>
#include <utility>
#include <vector>

#include "compiler/plan/schedules/combiner.h"
#include "compiler/plan/schedules/pieces.h"

namespace treadle::plan {
namespace {

// Up to here taps are written out; larger windows are loops.
constexpr int64_t kMostTaps = 32;
constexpr int64_t kMostUops = 256;

// One dimension of the window over one of the operand.
struct Reach {
  int64_t size = 0;    // of the operand's dimension
  int64_t window = 1;  // taps
  int64_t stride = 1, dilation = 1, base = 1;
  int64_t low = 0;  // padding

  int64_t last() const { return (size - 1) * base; }  // place of the last element, dilated
  int64_t span() const { return (window - 1) * dilation; }
};

// Results of a stretch of a dimension whose windows lie inside.
std::pair<int64_t, int64_t> Inside(const Reach& reach, int64_t results) {
  if (reach.base > 1 || reach.size == 0 || reach.last() + reach.low < reach.span()) return {0, 0};
  int64_t first = reach.low <= 0 ? 0 : (reach.low + reach.stride - 1) / reach.stride;
  int64_t end = std::min(results, (reach.last() + reach.low - reach.span()) / reach.stride + 1);
  return end > first ? std::pair(first, end - first) : std::pair<int64_t, int64_t>(0, 0);
}

// The results of one box.
class WindowBox {
 public:
  WindowBox(Kernel& kernel, const graph::Op& op, const std::vector<Reach>& reaches, Box box)
      : kernel_(kernel), op_(op), combiner_(CombinerOf(kernel.graph(), op)), reaches_(reaches), box_(std::move(box)) {
    for (const Reach& reach : reaches_) window_.push_back(reach.window);
    for (int64_t taps : window_) taps_ *= taps;
  }

  std::unique_ptr<MapBox> Make() {
    auto map = std::make_unique<MapBox>(kernel_, box_.sizes, window_);
    Nest& nest = map->nest();
    nest_ = &nest;
    AddRoots();
    AddChecks();
    const std::vector<int64_t>& all = kernel_.graph().shape(op_.results[0]).dims;
    for (size_t k = 0; k < kernel_.group().outputs.size(); ++k) {
      map->AddTarget(kernel_.OutputBuffer(static_cast<int>(k)), all,
                     [this](IndexSpace& space) { return ResultIndex(space); });
    }
    int uops = CombineUops(kernel_.graph(), combiner_) + 2 + static_cast<int>(checked_.size()) * 2;
    int64_t all_uops = uops * taps_;
    unrolled_ = taps_ <= kMostTaps && all_uops <= kMostUops;
    map->SetBody([this] { return Wanted(); }, static_cast<int>(std::min<int64_t>(all_uops, 1 << 20)));
    return map;
  }

 private:
  Index ResultIndex(IndexSpace& space) const {
    Index index = nest_->Kept(space, box_.sizes);
    for (size_t d = 0; d < index.size(); ++d) index[d].offset += box_.first[d];
    return index;
  }

  // Where the tap lies along dimension `d` of the dilated operand; negative and too large ones are padding.
  Affine Place(IndexSpace& space, size_t d) const {
    Affine place{-reaches_[d].low, {}};
    place.Add(ResultIndex(space)[d], reaches_[d].stride);
    place.Add(nest_->Reduced(space, window_)[d], reaches_[d].dilation);
    return place;
  }

  void AddRoots() {
    size_t count = op_.results.size();
    auto tap = [this](IndexSpace& space) {
      Index index;
      for (size_t d = 0; d < reaches_.size(); ++d) {
        Affine place = space.Clamp(Place(space, d), reaches_[d].last() + 1);
        index.push_back(reaches_[d].base > 1 ? space.DivMod(place, reaches_[d].base).first : place);
      }
      return index;
    };
    for (size_t k = 0; k < count; ++k) {
      if (kernel_.graph().shape(op_.operands[0]).elements() > 0)
        taps_of_.push_back(nest_->AddRoot(op_.operands[k], tap));
      inits_.push_back(nest_->AddRoot(op_.operands[count + k], [](IndexSpace&) { return Index{}; }));
    }
  }

  // The dimensions along which some tap of the box may be padding.
  void AddChecks() {
    for (size_t d = 0; d < reaches_.size(); ++d) {
      const Reach& reach = reaches_[d];
      int64_t least = box_.first[d] * reach.stride - reach.low;
      int64_t most = least + (box_.sizes[d] - 1) * reach.stride + reach.span();
      if (least >= 0 && most <= reach.last() && reach.base == 1) continue;
      checked_.push_back({d, nest_->AddNumber([this, d](IndexSpace& space) { return Place(space, d); })});
    }
  }

  // The results that someone reads.
  StatusOr<std::vector<Id>> Wanted() {
    TREADLE_ASSIGN_OR_RETURN(std::vector<Id> folded, Fold());
    std::vector<Id> wanted;
    for (graph::ValueId output : kernel_.group().outputs) {
      wanted.push_back(folded[std::find(op_.results.begin(), op_.results.end(), output) - op_.results.begin()]);
    }
    return wanted;
  }

  StatusOr<std::vector<Id>> Fold() {
    Builder& b = kernel_.b();
    std::vector<Id> inits;
    for (int root : inits_) {
      TREADLE_ASSIGN_OR_RETURN(Id init, nest_->Value(nest_->Root(root)));
      inits.push_back(init);
    }
    std::vector<int> axes;
    for (int axis = 0; axis < static_cast<int>(nest_->axes().size()); ++axis) {
      if (nest_->axes()[axis].reduced) axes.push_back(axis);
    }
    std::vector<Id> folded = inits;
    if (unrolled_) {
      for (int64_t tap = 0; tap < taps_; ++tap) {
        BindTap(axes, tap);
        TREADLE_ASSIGN_OR_RETURN(folded, FoldTap(folded, inits));
      }
    } else {
      Id tap = b.BeginFor(b.ConstI64(0), kernel_.AddI64(taps_), kNone, inits);
      for (size_t k = 0; k < inits.size(); ++k) folded[k] = b.Carry(static_cast<int>(k));
      nest_->BindDigits(axes, tap);
      TREADLE_ASSIGN_OR_RETURN(folded, FoldTap(folded, inits));
      b.Yield(folded);
      folded = b.EndLoop();
    }
    nest_->Unbind(axes);
    return folded;
  }

  void BindTap(const std::vector<int>& axes, int64_t tap) {
    for (size_t k = axes.size(); k-- > 0;) {
      int64_t size = nest_->axes()[axes[k]].size;
      nest_->Bind(axes[k], kernel_.b().ConstI64(tap % size));
      tap /= size;
    }
  }

  StatusOr<std::vector<Id>> FoldTap(const std::vector<Id>& folded, const std::vector<Id>& inits) {
    Builder& b = kernel_.b();
    nest_->OpenScope();
    Id inside = kNone;
    for (auto [d, number] : checked_) {
      TREADLE_ASSIGN_OR_RETURN(Id valid, IsElement(reaches_[d], number));
      inside = inside == kNone ? valid : b.Binary(Op::kAnd, inside, valid);
    }
    std::vector<Id> values = inits;
    for (size_t k = 0; k < taps_of_.size(); ++k) {
      TREADLE_ASSIGN_OR_RETURN(Id value, nest_->Value(nest_->Root(taps_of_[k])));
      values[k] = inside == kNone ? value : b.Select(inside, value, inits[k]);
    }
    nest_->CloseScope();
    return EmitCombine(b, kernel_.graph(), combiner_, folded, values);
  }

  StatusOr<Id> IsElement(const Reach& reach, int number) {
    Builder& b = kernel_.b();
    TREADLE_ASSIGN_OR_RETURN(Id place, nest_->Number(number));
    Id valid = b.Binary(Op::kAnd, b.Compare(Predicate::kGe, place, b.ConstI64(0)),
                        b.Compare(Predicate::kLe, place, kernel_.AddI64(reach.last())));
    if (reach.base == 1) return valid;
    Id positive = b.Max(place, b.ConstI64(0));
    Id rest = kernel_.DivRem(positive, kernel_.AddI64(reach.base)).second;
    return b.Binary(Op::kAnd, valid, b.Compare(Predicate::kEq, rest, b.ConstI64(0)));
  }

  Kernel& kernel_;
  const graph::Op& op_;
  const Combiner combiner_;
  const std::vector<Reach>& reaches_;
  const Box box_;
  std::vector<int64_t> window_;
  int64_t taps_ = 1;
  bool unrolled_ = true;
  Nest* nest_ = nullptr;
  std::vector<int> taps_of_, inits_;             // roots
  std::vector<std::pair<size_t, int>> checked_;  // dimension, number of the nest
};

std::vector<Reach> ReachesOf(const graph::Graph& graph, const graph::Op& op) {
  std::vector<Reach> reaches;
  const std::vector<int64_t>& dims = graph.shape(op.operands[0]).dims;
  for (size_t d = 0; d < dims.size(); ++d) {
    reaches.push_back({dims[d], op.attrs.limits[d], op.attrs.strides[d], op.attrs.dilations[d],
                       op.attrs.interior[d] + 1, op.attrs.low[d]});
  }
  return reaches;
}

}  // namespace

StatusOr<Instance> ScheduleWindow(const graph::Graph& graph, const Group& group, const executable::Target& target) {
  const graph::Op& op = graph.ops[group.ops.back()];
  Kernel kernel("window", graph, group, target);
  std::vector<Reach> reaches = ReachesOf(graph, op);
  const std::vector<int64_t>& all = graph.shape(op.results[0]).dims;
  Box inside;
  bool some = true;
  for (size_t d = 0; d < all.size(); ++d) {
    auto [first, count] = Inside(reaches[d], all[d]);
    inside.first.push_back(first);
    inside.sizes.push_back(count);
    some = some && count > 0;
  }
  std::vector<Box> boxes{{std::vector<int64_t>(all.size()), all}};
  if (some) {
    boxes = BoxesAround(inside, all);
    boxes.push_back(inside);
  }
  std::vector<std::unique_ptr<WindowBox>> windows;
  Boxes maps;
  for (Box& box : boxes) {
    windows.push_back(std::make_unique<WindowBox>(kernel, op, reaches, std::move(box)));
    maps.push_back(windows.back()->Make());
  }
  TREADLE_RETURN_IF_ERROR(WriteBoxes(kernel, maps));
  return kernel.Finish();
}

}  // namespace treadle::plan

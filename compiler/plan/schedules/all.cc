// Few long rows: phase 0 folds leaves of kLeafElements, phase 1 folds their results pairwise and finishes. The
// association is that of Tree::kLanes over the row, so whether this schedule is taken never changes a bit.
#include <algorithm>
#include <tuple>

#include "compiler/plan/schedules/reduce_group.h"
#include "compiler/plan/schedules/row_loops.h"

namespace treadle::plan {
namespace {

constexpr int64_t kManyRows = 64;
constexpr int64_t kWorthSplittingNs = 30'000;

class All {
 public:
  explicit All(ReduceGroup& group)
      : group_(group), nest_(group.nest()), kernel_(group.kernel()), b_(group.b()), loops_(group) {}

  bool Pays() const {
    double bytes = nest_.Bytes();
    return IsRows(group_.extents()) && group_.rows() > 0 && group_.rows() < kManyRows &&
           group_.row_length() > 2 * kLeafElements && group_.SplitsAll() && !group_.ReadsBack() &&
           Estimate(kernel_.target(), bytes, bytes, nest_.Uops()).ns > kWorthSplittingNs;
  }

  Status Write() {
    leaves_ = (group_.row_length() + kLeafElements - 1) / kLeafElements;
    loops_.ChooseLocals(kLeafElements, 0, /*stays=*/true);
    for (const Reduction& reduction : group_.reductions()) {
      for (graph::ValueId result : reduction.op->results) {
        parts_.push_back(
            b_.AddBuffer(kernel_.graph().shape(result).type, Role::kScratch, kernel_.AddSize(leaves_ * group_.rows())));
      }
    }
    TREADLE_RETURN_IF_ERROR(WriteLeaves());
    return WriteFold();
  }

 private:
  Access Part(size_t number, Id row, Id leaf) {
    return {parts_[number], {}, {{row, kernel_.AddFactor(leaves_)}, {leaf, {-1, 1}}}};
  }

  Status WriteLeaves() {
    Id tile = b_.BeginPhase();
    nest_.OpenScope();
    TREADLE_RETURN_IF_ERROR(nest_.Hoist());
    Id count = kernel_.AddI64(leaves_);
    Id row = b_.ConstI64(0), leaf = tile;
    if (!group_.kept().empty()) {
      std::tie(row, leaf) = kernel_.DivRem(tile, count);
      nest_.BindDigits(group_.kept(), row);
      TREADLE_RETURN_IF_ERROR(nest_.Hoist());
    }
    Id lo = b_.Mul(leaf, b_.ConstI64(kLeafElements));
    Id hi = b_.Min(b_.Add(lo, b_.ConstI64(kLeafElements)), kernel_.AddI64(group_.row_length()));
    size_t number = 0;
    for (size_t pass = 0; pass < group_.reductions().size(); ++pass) {
      TREADLE_ASSIGN_OR_RETURN(std::vector<Id> part, ReduceLeaf(group_, loops_, static_cast<int>(pass), lo, hi));
      for (Id value : part) b_.Store(Part(number++, row, leaf), value);
    }
    if (group_.has_whole_outputs()) TREADLE_RETURN_IF_ERROR(loops_.WriteWhole(lo, hi));
    nest_.Unbind(group_.kept());
    nest_.CloseScope();
    double bytes = nest_.Bytes();
    kernel_.EndPhase(leaves_ * group_.rows(), Estimate(kernel_.target(), bytes, bytes, nest_.Uops()));
    return OkStatus();
  }

  Status WriteFold() {
    b_.BeginPhase();
    nest_.OpenScope();
    TREADLE_RETURN_IF_ERROR(nest_.Hoist());
    bool loops = !group_.kept().empty();
    Id row = loops ? b_.BeginFor(b_.ConstI64(0), kernel_.AddI64(group_.rows())) : b_.ConstI64(0);
    nest_.OpenScope();
    if (loops) nest_.BindDigits(group_.kept(), row);
    TREADLE_RETURN_IF_ERROR(nest_.Hoist());
    size_t number = 0;
    for (const Reduction& reduction : group_.reductions()) {
      TREADLE_ASSIGN_OR_RETURN(std::vector<Id> init, group_.Values(reduction.inits));
      Id leaf = b_.BeginReduce(LoopKind::kFor, Tree::kPairwise, b_.ConstI64(0), kernel_.AddI64(leaves_), init);
      std::vector<Id> values;
      for (size_t k = 0; k < init.size(); ++k) values.push_back(b_.Load(Part(number++, row, leaf)));
      b_.Yield(values);
      b_.BeginCombine();
      TREADLE_RETURN_IF_ERROR(YieldCombined(group_, reduction));
      group_.Provide(reduction, b_.EndLoop());
    }
    TREADLE_RETURN_IF_ERROR(group_.StoreKept());
    nest_.CloseScope();
    nest_.Unbind(group_.kept());
    if (loops) b_.EndLoop();
    nest_.CloseScope();
    const int64_t folds = leaves_ * group_.rows() * static_cast<int64_t>(group_.reductions().size());
    kernel_.EndPhase(1, {50 + 2 * folds, 50 + 4 * folds});
    return OkStatus();
  }

  ReduceGroup& group_;
  Nest& nest_;
  Kernel& kernel_;
  Builder& b_;
  RowLoops loops_;
  int64_t leaves_ = 0;
  std::vector<uint16_t> parts_;
};

}  // namespace

StatusOr<std::optional<Instance>> ScheduleAll(const graph::Graph& graph, const Group& group,
                                              const executable::Target& target) {
  ReduceGroup rows("all", graph, group, target);
  TREADLE_RETURN_IF_ERROR(rows.Prepare());
  All all(rows);
  if (!all.Pays()) return std::optional<Instance>();
  TREADLE_RETURN_IF_ERROR(all.Write());
  return std::optional<Instance>(rows.Finish());
}

}  // namespace treadle::plan

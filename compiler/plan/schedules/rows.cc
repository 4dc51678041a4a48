// Row-wise groups: a tile is a block of rows. Long rows are reduced with lanes along the row and Tree::kLanes; rows of
// up to kOrderedRow elements are reduced many at once, lanes across rows, element after element. Which one depends on
// the row's length alone, because the order of combination does.
#include <algorithm>

#include "compiler/plan/schedules/elementwise.h"
#include "compiler/plan/schedules/reduce_group.h"
#include "compiler/plan/schedules/row_loops.h"

namespace treadle::plan {
namespace {

class Rows {
 public:
  explicit Rows(ReduceGroup& group)
      : group_(group), nest_(group.nest()), kernel_(group.kernel()), b_(group.b()), loops_(group) {}

  Status Write() {
    CheckStaging();
    int64_t reduced = group_.row_length() * nest_.Extent(group_.outer());
    return IsRows(group_.extents()) && reduced <= kOrderedRow ? WriteAcross(reduced) : WriteAlong();
  }

 private:
  void CheckStaging();
  // The row's length; that it is one leaf at most shows in the plan, as it saves code.
  Id RowEnd() { return group_.row_length() <= kLeafElements ? b_.Min(length_, b_.ConstI64(kLeafElements)) : length_; }
  Cost CostOf(double uops_a_row) const;
  Status WriteAlong();
  Status WriteRow();
  StatusOr<std::vector<Id>> ReduceInLeaves(int pass, std::span<const Id> init);
  StatusOr<std::vector<Id>> ReduceOuter(int pass, std::span<const Id> init);
  Status WriteWhole();
  Status WriteAcross(int64_t length);
  Status WriteOrderedRow(int64_t length, int lane, Id place, Id stride);

  ReduceGroup& group_;
  Nest& nest_;
  Kernel& kernel_;
  Builder& b_;
  RowLoops loops_;
  Id length_ = kNone;       // of a row
  bool in_leaves_ = false;  // the row is too long for a local array: staged a leaf at a time
};

// A row that must go through local arrays goes there as a whole if it fits, so that later passes find it; else by
// leaves.
void Rows::CheckStaging() {
  int64_t bytes = group_.row_length() * 8 * static_cast<int64_t>(group_.reductions().size());
  in_leaves_ = loops_.IsStaged() && bytes > kernel_.target().l2_bytes;
}

Cost Rows::CostOf(double uops_a_row) const {
  double rows = static_cast<double>(group_.rows());
  double uops = nest_.Uops() + nest_.Iterations() * static_cast<double>(group_.reductions().size()) / 8;
  double bytes = nest_.Bytes();
  return Estimate(kernel_.target(), bytes, bytes, uops + rows * uops_a_row);
}

Status Rows::WriteAlong() {
  int64_t passes = static_cast<int64_t>(group_.reductions().size()) + group_.has_whole_outputs();
  int64_t rows = group_.rows(), length = group_.row_length() * nest_.Extent(group_.outer());
  bool stays = !in_leaves_ && group_.outer().empty();
  loops_.ChooseLocals(in_leaves_ ? kLeafElements : group_.row_length(), kernel_.target().l2_bytes / 2, stays);
  double total = std::max(nest_.Iterations(), 1.0);
  int64_t tile = TileElements(nest_.Bytes() / total, nest_.Uops() / total);
  int64_t block = std::max<int64_t>(1, tile / std::max<int64_t>(length, 64));
  Id number = b_.BeginPhase();
  length_ = kernel_.AddI64(group_.row_length());
  nest_.OpenScope();
  TREADLE_RETURN_IF_ERROR(nest_.Hoist());
  if (group_.kept().empty()) {
    TREADLE_RETURN_IF_ERROR(WriteRow());
  } else {
    Id size = kernel_.AddI64(block), lo = b_.Mul(number, size);
    Id row = b_.BeginFor(lo, b_.Min(b_.Add(lo, size), kernel_.AddI64(rows)));
    nest_.OpenScope();
    nest_.BindDigits(group_.kept(), row);
    TREADLE_RETURN_IF_ERROR(nest_.Hoist());
    TREADLE_RETURN_IF_ERROR(WriteRow());
    nest_.Unbind(group_.kept());
    nest_.CloseScope();
    b_.EndLoop();
  }
  nest_.CloseScope();
  kernel_.EndPhase((rows + block - 1) / block, CostOf(60.0 * static_cast<double>(passes)));
  return OkStatus();
}

Status Rows::WriteRow() {
  int passes = static_cast<int>(group_.reductions().size());
  for (int pass = 0; pass < passes; ++pass) {
    const Reduction& reduction = group_.reductions()[pass];
    TREADLE_ASSIGN_OR_RETURN(std::vector<Id> init, group_.Values(reduction.inits));
    std::vector<Id> results;
    if (!group_.outer().empty()) {
      TREADLE_ASSIGN_OR_RETURN(results, ReduceOuter(pass, init));
    } else if (in_leaves_) {
      TREADLE_ASSIGN_OR_RETURN(results, ReduceInLeaves(pass, init));
    } else {
      TREADLE_ASSIGN_OR_RETURN(results, loops_.Reduce(pass, b_.ConstI64(0), RowEnd(), init));
    }
    group_.Provide(reduction, results);
    TREADLE_RETURN_IF_ERROR(nest_.Hoist());
  }
  if (group_.has_whole_outputs()) TREADLE_RETURN_IF_ERROR(WriteWhole());
  return group_.StoreKept();
}

Status Rows::WriteWhole() {
  if (group_.outer().empty()) return loops_.WriteWhole(b_.ConstI64(0), length_);
  Id row = b_.BeginFor(b_.ConstI64(0), kernel_.AddI64(nest_.Extent(group_.outer())));
  nest_.OpenScope();
  nest_.BindDigits(group_.outer(), row);
  TREADLE_RETURN_IF_ERROR(loops_.WriteWhole(b_.ConstI64(0), length_));
  nest_.Unbind(group_.outer());
  nest_.CloseScope();
  b_.EndLoop();
  return OkStatus();
}

// The leaves of Tree::kLanes by hand: each staged and folded, then pairwise.
StatusOr<std::vector<Id>> Rows::ReduceInLeaves(int pass, std::span<const Id> init) {
  const Reduction& reduction = group_.reductions()[pass];
  if (!reduction.combiner.splits()) {
    return Unsupported(kernel_.graph(), *reduction.op,
                       "a region that is not known to commute, over rows this long, with fused operands");
  }
  int64_t length = group_.row_length();
  Id leaf = b_.BeginReduce(LoopKind::kFor, Tree::kPairwise, b_.ConstI64(0),
                           kernel_.AddI64((length + kLeafElements - 1) / kLeafElements), init);
  nest_.OpenScope();
  Id lo = b_.Mul(leaf, b_.ConstI64(kLeafElements));
  Id hi = b_.Min(b_.Add(lo, b_.ConstI64(kLeafElements)), length_);
  TREADLE_ASSIGN_OR_RETURN(std::vector<Id> part, ReduceLeaf(group_, loops_, pass, lo, hi));
  b_.Yield(part);
  nest_.CloseScope();
  b_.BeginCombine();
  TREADLE_RETURN_IF_ERROR(YieldCombined(group_, reduction));
  return b_.EndLoop();
}

// Reduced axes on both sides of a kept one: the outer ones one after another, each stretch of inner ones as a row.
StatusOr<std::vector<Id>> Rows::ReduceOuter(int pass, std::span<const Id> init) {
  Id row = b_.BeginFor(b_.ConstI64(0), kernel_.AddI64(nest_.Extent(group_.outer())), kNone, init);
  std::vector<Id> carries;
  for (int k = 0; k < static_cast<int>(init.size()); ++k) carries.push_back(b_.Carry(k));
  nest_.OpenScope();
  nest_.BindDigits(group_.outer(), row);
  TREADLE_ASSIGN_OR_RETURN(std::vector<Id> next, loops_.Reduce(pass, b_.ConstI64(0), RowEnd(), carries));
  b_.Yield(next);
  nest_.Unbind(group_.outer());
  nest_.CloseScope();
  return b_.EndLoop();
}

Status Rows::WriteAcross(int64_t length) {
  const std::vector<Axis>& axes = nest_.axes();
  int lane = -1;
  std::vector<int> others;
  for (int axis : group_.kept()) {
    if (lane < 0 || axes[axis].size >= axes[lane].size) lane = axis;
  }
  for (int axis : group_.kept()) {
    if (axis != lane) others.push_back(axis);
  }
  int64_t lanes = lane < 0 ? 1 : axes[lane].size;
  double total = std::max(nest_.Iterations(), 1.0);
  int64_t tile = TileElements(nest_.Bytes() / total, nest_.Uops() / total);
  int64_t chunk = std::clamp<int64_t>(tile / std::max<int64_t>(length, 1) / 64 * 64, 64, 1024);
  int64_t chunks = (lanes + chunk - 1) / chunk;
  loops_.ChooseLocals(length * chunk, kernel_.target().l2_bytes / 2, /*stays=*/true);
  Id number = b_.BeginPhase();
  nest_.OpenScope();
  TREADLE_RETURN_IF_ERROR(nest_.Hoist());
  Id size = kernel_.AddI64(chunk);
  if (lane < 0) {
    TREADLE_RETURN_IF_ERROR(WriteOrderedRow(length, lane, b_.ConstI64(0), size));
  } else {
    Id within = number;
    if (!others.empty()) {
      Id count = kernel_.AddI64(chunks);
      auto [other, rest] = kernel_.DivRem(number, count);
      within = rest;
      nest_.BindDigits(others, other);
      TREADLE_RETURN_IF_ERROR(nest_.Hoist());
    }
    Id lo = b_.Mul(within, size), hi = b_.Min(b_.Add(lo, size), kernel_.AddI64(lanes));
    Id i = b_.BeginLanes(lo, hi, std::min(2, UnrollFor(nest_.UopsPerIteration())));
    nest_.OpenScope();
    nest_.SetLaneAxis(lane);
    nest_.Bind(lane, i);
    TREADLE_RETURN_IF_ERROR(nest_.Hoist());
    TREADLE_RETURN_IF_ERROR(WriteOrderedRow(length, lane, b_.Sub(i, lo), size));
    nest_.Bind(lane, kNone);
    nest_.CloseScope();
    b_.EndLoop();
  }
  nest_.Unbind(group_.kept());
  nest_.CloseScope();
  kernel_.EndPhase(nest_.Extent(others) * chunks, CostOf(static_cast<double>(length)));
  return OkStatus();
}

// One lane's row. Local arrays hold element r of it at r * stride + place.
Status Rows::WriteOrderedRow(int64_t length, int lane, Id place, Id stride) {
  int passes = static_cast<int>(group_.reductions().size());
  Id end = kernel_.AddI64(length);
  auto open = [&](Id r, int pass, RowLoops::LocalAt& at) -> Status {
    nest_.OpenScope();
    nest_.BindDigits(group_.inner(), r);
    Id row = b_.Mul(r, stride);
    at = [row, place, lane](uint16_t buffer) {
      Access access{buffer, {}, {{row, {-1, 1}}}};
      if (lane >= 0) access.terms.push_back({place, {-1, 1}});
      return access;
    };
    loops_.LoadLocals(pass, at);
    return OkStatus();
  };
  auto close = [&] {
    nest_.Unbind(group_.inner());
    nest_.CloseScope();
  };
  for (int pass = 0; pass < passes; ++pass) {
    const Reduction& reduction = group_.reductions()[pass];
    TREADLE_ASSIGN_OR_RETURN(std::vector<Id> init, group_.Values(reduction.inits));
    Id r = b_.BeginFor(b_.ConstI64(0), end, kNone, init);
    std::vector<Id> carries;
    for (int k = 0; k < static_cast<int>(init.size()); ++k) carries.push_back(b_.Carry(k));
    RowLoops::LocalAt at;
    TREADLE_RETURN_IF_ERROR(open(r, pass, at));
    TREADLE_ASSIGN_OR_RETURN(std::vector<Id> values, group_.Values(reduction.operands));
    TREADLE_RETURN_IF_ERROR(loops_.StoreLocals(pass, at));
    TREADLE_ASSIGN_OR_RETURN(std::vector<Id> next,
                             EmitCombine(b_, kernel_.graph(), reduction.combiner, carries, values));
    b_.Yield(next);
    close();
    group_.Provide(reduction, b_.EndLoop());
    TREADLE_RETURN_IF_ERROR(nest_.Hoist());
  }
  if (group_.has_whole_outputs()) {
    Id r = b_.BeginFor(b_.ConstI64(0), end);
    RowLoops::LocalAt at;
    TREADLE_RETURN_IF_ERROR(open(r, passes, at));
    TREADLE_RETURN_IF_ERROR(group_.StoreWhole());
    close();
    b_.EndLoop();
  }
  return group_.StoreKept();
}

}  // namespace

StatusOr<Instance> ScheduleRows(const graph::Graph& graph, const Group& group, const executable::Target& target) {
  ReduceGroup rows("rows", graph, group, target);
  TREADLE_RETURN_IF_ERROR(rows.Prepare());
  TREADLE_RETURN_IF_ERROR(Rows(rows).Write());
  return rows.Finish();
}

}  // namespace treadle::plan

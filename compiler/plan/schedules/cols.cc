// Reductions that keep the innermost axis: lanes along it, strips of up to kStrip columns at a time, so that a row's
// piece is read in long runs. A leaf is kLeafRows rows: the first row starts the accumulators (in L1), then eight rows
// are combined in registers and added at once, then the rest row by row. Leaves are combined one after another. All of
// this is in the order of rows, so it serves any region.
#include <algorithm>
#include <tuple>

#include "compiler/plan/schedules/reduce_group.h"

namespace treadle::plan {
namespace {

constexpr int64_t kStrip = 4096, kNarrowStrip = 1024;
constexpr int64_t kFoldStrip = 512;  // columns of a tile of phase 1

class Cols {
 public:
  explicit Cols(ReduceGroup& group) : group_(group), nest_(group.nest()), kernel_(group.kernel()), b_(group.b()) {}

  Status Write();

 private:
  using Digits = std::vector<Id>;  // of a row number, per reduced axis

  Digits DigitsOf(Id row);
  void BindRow(const Digits& digits);
  // The operands of every reduction in a row, and its whole outputs written. In the lanes' scope.
  StatusOr<std::vector<std::vector<Id>>> RowValues(const Digits& digits);
  StatusOr<std::vector<std::vector<Id>>> Combine(const std::vector<std::vector<Id>>& a,
                                                 const std::vector<std::vector<Id>>& b);
  Access Accumulator(size_t number, Id column) const {
    return {accumulators_[number], {}, {{column, {-1, 1}}, {base_, {-1, 1}}}};
  }
  std::vector<std::vector<Id>> LoadAccumulators(Id column);
  void StoreAccumulators(const std::vector<std::vector<Id>>& values, Id column);
  // lanes over the strip: accumulators = combine(accumulators, rows [first, first + count)); `start`: without the
  // accumulators.
  Status AddRows(Id first, int64_t count, bool start);
  Status WriteLeaf(Id lo, Id hi);
  Status WriteResults(Id leaves);
  Id OpenLanes();
  void CloseLanes();
  Status OpenTile(Id tile, int64_t strip, int64_t leaves, Id& leaf);
  void CloseTile();

  ReduceGroup& group_;
  Nest& nest_;
  Kernel& kernel_;
  Builder& b_;
  int lane_ = -1;
  std::vector<int> others_;  // kept axes but the lanes'
  int64_t columns_ = 0, blocks_ = 1, rows_ = 0, leaves_ = 0;
  std::vector<uint16_t> accumulators_;  // one a result of a reduction, in order
  Id lo_ = kNone, hi_ = kNone;          // the strip's columns
  Id block_ = kNone;                    // number of the kept axes but the lanes', in elements of the whole
  Id base_ = kNone;                     // accumulator of column c: at base_ + c
};

Cols::Digits Cols::DigitsOf(Id row) {
  Digits digits(group_.outer().size());
  for (size_t k = digits.size(); k-- > 0;) {
    if (k == 0) {
      digits[k] = row;
      break;
    }
    Id size = kernel_.AddI64(nest_.axes()[group_.outer()[k]].size);
    std::tie(row, digits[k]) = kernel_.DivRem(row, size);
  }
  return digits;
}

void Cols::BindRow(const Digits& digits) {
  for (size_t k = 0; k < digits.size(); ++k) nest_.Bind(group_.outer()[k], digits[k]);
}

StatusOr<std::vector<std::vector<Id>>> Cols::RowValues(const Digits& digits) {
  nest_.OpenScope();
  BindRow(digits);
  std::vector<std::vector<Id>> values;
  for (const Reduction& reduction : group_.reductions()) {
    TREADLE_ASSIGN_OR_RETURN(std::vector<Id> ids, group_.Values(reduction.operands));
    values.push_back(std::move(ids));
  }
  TREADLE_RETURN_IF_ERROR(group_.StoreWhole());
  nest_.Unbind(group_.outer());
  nest_.CloseScope();
  return values;
}

StatusOr<std::vector<std::vector<Id>>> Cols::Combine(const std::vector<std::vector<Id>>& a,
                                                     const std::vector<std::vector<Id>>& b) {
  std::vector<std::vector<Id>> values;
  for (size_t k = 0; k < a.size(); ++k) {
    TREADLE_ASSIGN_OR_RETURN(std::vector<Id> ids,
                             EmitCombine(b_, kernel_.graph(), group_.reductions()[k].combiner, a[k], b[k]));
    values.push_back(std::move(ids));
  }
  return values;
}

std::vector<std::vector<Id>> Cols::LoadAccumulators(Id column) {
  std::vector<std::vector<Id>> values;
  size_t number = 0;
  for (const Reduction& reduction : group_.reductions()) {
    values.emplace_back();
    for (size_t k = 0; k < reduction.operands.size(); ++k)
      values.back().push_back(b_.Load(Accumulator(number++, column)));
  }
  return values;
}

void Cols::StoreAccumulators(const std::vector<std::vector<Id>>& values, Id column) {
  size_t number = 0;
  for (const std::vector<Id>& ids : values) {
    for (Id id : ids) b_.Store(Accumulator(number++, column), id);
  }
}

Id Cols::OpenLanes() {
  Id column = b_.BeginLanes(lo_, hi_);
  nest_.OpenScope();
  nest_.Bind(lane_, column);
  return column;
}

void Cols::CloseLanes() {
  nest_.Bind(lane_, kNone);
  nest_.CloseScope();
  b_.EndLoop();
}

Status Cols::AddRows(Id first, int64_t count, bool start) {
  std::vector<Digits> rows;
  for (int64_t k = 0; k < count; ++k) rows.push_back(DigitsOf(k == 0 ? first : b_.Add(first, b_.ConstI64(k))));
  // Eight rows at once keep the machine busy, single rows are few: no unrolling, which would be code for nothing.
  Id column = OpenLanes();
  std::vector<std::vector<std::vector<Id>>> values;
  for (const Digits& row : rows) {
    TREADLE_ASSIGN_OR_RETURN(std::vector<std::vector<Id>> ids, RowValues(row));
    values.push_back(std::move(ids));
  }
  for (size_t width = 1; width < values.size(); width *= 2) {
    for (size_t k = 0; k + width < values.size(); k += 2 * width) {
      TREADLE_ASSIGN_OR_RETURN(values[k], Combine(values[k], values[k + width]));
    }
  }
  if (!start) {
    TREADLE_ASSIGN_OR_RETURN(values[0], Combine(LoadAccumulators(column), values[0]));
  }
  StoreAccumulators(values[0], column);
  CloseLanes();
  return OkStatus();
}

Status Cols::WriteLeaf(Id lo, Id hi) {
  TREADLE_RETURN_IF_ERROR(AddRows(lo, 1, /*start=*/true));
  Id next = b_.Add(lo, b_.ConstI64(1)), at_once = b_.ConstI64(kRowsAtOnce);
  Id end = b_.Add(next, b_.Mul(b_.Div(b_.Sub(hi, next), at_once), at_once));
  Id block = b_.BeginFor(next, end, at_once);
  TREADLE_RETURN_IF_ERROR(AddRows(block, kRowsAtOnce, false));
  b_.EndLoop();
  Id row = b_.BeginFor(end, hi);
  TREADLE_RETURN_IF_ERROR(AddRows(row, 1, false));
  b_.EndLoop();
  return OkStatus();
}

// combine(... combine(init, leaf 0) ..., leaf n-1) of every column of the strip, and what is made from it. base_: leaf
// 0.
Status Cols::WriteResults(Id leaves) {
  Id distance = kernel_.AddI64(columns_ * blocks_);
  Id column = OpenLanes();
  TREADLE_RETURN_IF_ERROR(nest_.Hoist());
  size_t number = 0;
  for (const Reduction& reduction : group_.reductions()) {
    TREADLE_ASSIGN_OR_RETURN(std::vector<Id> results, group_.Values(reduction.inits));
    size_t first = number;
    number += results.size();
    auto load = [&](Id offset) {
      std::vector<Id> values;
      for (size_t k = 0; k < results.size(); ++k) {
        Access access = Accumulator(first + k, column);
        if (offset != kNone) access.terms.push_back({offset, {-1, 1}});
        values.push_back(b_.Load(std::move(access)));
      }
      return values;
    };
    if (leaves == kNone) {
      TREADLE_ASSIGN_OR_RETURN(results, EmitCombine(b_, kernel_.graph(), reduction.combiner, results, load(kNone)));
    } else {
      Id leaf = b_.BeginFor(b_.ConstI64(0), leaves, kNone, results);
      std::vector<Id> carries;
      for (int k = 0; k < static_cast<int>(results.size()); ++k) carries.push_back(b_.Carry(k));
      TREADLE_ASSIGN_OR_RETURN(std::vector<Id> next, EmitCombine(b_, kernel_.graph(), reduction.combiner, carries,
                                                                 load(b_.Mul(leaf, distance))));
      b_.Yield(next);
      results = b_.EndLoop();
    }
    group_.Provide(reduction, results);
  }
  TREADLE_RETURN_IF_ERROR(group_.StoreKept());
  CloseLanes();
  return OkStatus();
}

Status Cols::OpenTile(Id tile, int64_t strip, int64_t leaves, Id& leaf) {
  nest_.OpenScope();
  TREADLE_RETURN_IF_ERROR(nest_.Hoist());
  leaf = b_.ConstI64(0);
  if (leaves != 1) {
    Id count = kernel_.AddI64(leaves);
    std::tie(tile, leaf) = kernel_.DivRem(tile, count);
  }
  Id length = kernel_.AddI64(columns_), size = kernel_.AddI64(strip);
  block_ = b_.ConstI64(0);
  if (!others_.empty()) {
    Id strips = kernel_.AddI64((columns_ + strip - 1) / strip);
    Id number;
    std::tie(number, tile) = kernel_.DivRem(tile, strips);
    nest_.BindDigits(others_, number);
    TREADLE_RETURN_IF_ERROR(nest_.Hoist());
    block_ = b_.Mul(number, length);
  }
  lo_ = b_.Mul(tile, size);
  hi_ = b_.Min(b_.Add(lo_, size), length);
  return OkStatus();
}

void Cols::CloseTile() {
  nest_.Unbind(others_);
  nest_.CloseScope();
}

Status Cols::Write() {
  if (group_.ReadsBack()) return Internal("a group that reduces columns reads a result back over them");
  lane_ = group_.kept().back();
  others_.assign(group_.kept().begin(), group_.kept().end() - 1);
  nest_.SetLaneAxis(lane_);
  columns_ = nest_.axes()[lane_].size;
  blocks_ = nest_.Extent(others_);
  rows_ = nest_.Extent(group_.outer());
  leaves_ = (rows_ + kLeafRows - 1) / kLeafRows;
  int64_t strip = leaves_ * blocks_ * ((columns_ + kStrip - 1) / kStrip) >= 8 ? kStrip : kNarrowStrip;
  int64_t strips = (columns_ + strip - 1) / strip;
  bool one_phase = leaves_ == 1;
  Size elements = one_phase ? kernel_.AddSize(strip) : kernel_.AddSize(leaves_ * columns_ * blocks_);
  for (const Reduction& reduction : group_.reductions()) {
    for (graph::ValueId result : reduction.op->results) {
      accumulators_.push_back(
          b_.AddBuffer(kernel_.graph().shape(result).type, one_phase ? Role::kLocal : Role::kScratch, elements));
    }
  }
  double bytes = nest_.Bytes();
  const Cost cost = Estimate(kernel_.target(), bytes, bytes, nest_.Uops());

  Id tile = b_.BeginPhase(), leaf = kNone;
  TREADLE_RETURN_IF_ERROR(OpenTile(tile, strip, one_phase ? 1 : leaves_, leaf));
  Id leaf_rows = b_.ConstI64(kLeafRows);
  Id first = b_.Mul(leaf, leaf_rows), last = b_.Min(b_.Add(first, leaf_rows), kernel_.AddI64(rows_));
  if (one_phase) {
    base_ = b_.Sub(b_.ConstI64(0), lo_);
  } else {
    base_ = b_.Add(b_.Mul(leaf, kernel_.AddI64(columns_ * blocks_)), block_);
  }
  TREADLE_RETURN_IF_ERROR(WriteLeaf(first, last));
  if (one_phase) TREADLE_RETURN_IF_ERROR(WriteResults(kNone));
  CloseTile();
  kernel_.EndPhase(leaves_ * blocks_ * strips, cost);
  if (one_phase) return OkStatus();

  tile = b_.BeginPhase();
  TREADLE_RETURN_IF_ERROR(OpenTile(tile, kFoldStrip, 1, leaf));
  base_ = block_;
  TREADLE_RETURN_IF_ERROR(WriteResults(kernel_.AddI64(leaves_)));
  CloseTile();
  double parts = static_cast<double>(leaves_ * columns_ * blocks_);
  kernel_.EndPhase(blocks_ * ((columns_ + kFoldStrip - 1) / kFoldStrip),
                   Estimate(kernel_.target(), parts * 4, parts * 4, parts / 8));
  return OkStatus();
}

}  // namespace

StatusOr<Instance> ScheduleCols(const graph::Graph& graph, const Group& group, const executable::Target& target) {
  ReduceGroup cols("cols", graph, group, target);
  TREADLE_RETURN_IF_ERROR(cols.Prepare());
  TREADLE_RETURN_IF_ERROR(Cols(cols).Write());
  return cols.Finish();
}

}  // namespace treadle::plan

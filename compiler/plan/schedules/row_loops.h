// Loops over one row of a group with reductions, with lanes along the row: what `rows` and `all` are made of.
//
// A row whose reduced axes did not merge into one (an operand is broadcast or cut along some of them) is computed into
// a local array first, so that the order of summation is that of the row's elements whatever was fused into it.
#ifndef TREADLE_COMPILER_PLAN_SCHEDULES_ROW_LOOPS_H_
#define TREADLE_COMPILER_PLAN_SCHEDULES_ROW_LOOPS_H_

#include <cstdint>
#include <functional>
#include <map>
#include <span>
#include <vector>

#include "compiler/plan/schedules/reduce_group.h"

namespace treadle::plan {

class RowLoops {
 public:
  explicit RowLoops(ReduceGroup& group) : group_(group), nest_(group.nest()) {}

  // Decides what is kept in local arrays of `elements` from pass to pass. Passes: the reductions, then the whole
  // outputs.
  // `stays`: what a pass wrote is still there in later ones; else only staged operands go through local arrays.
  void ChooseLocals(int64_t elements, int64_t most_bytes, bool stays);
  // Whether reductions read their operands from local arrays, filled by a loop of its own.
  bool IsStaged() const { return group_.inner().size() > 1; }

  // The item's copy in a local array, at an element; stored by the pass that first needs it, loaded by later ones.
  using LocalAt = std::function<Access(uint16_t buffer)>;
  void LoadLocals(int pass, const LocalAt& at);
  Status StoreLocals(int pass, const LocalAt& at);

  // combine(init, fold of the row's elements [lo, hi)). The other axes are bound.
  StatusOr<std::vector<Id>> Reduce(int pass, Id lo, Id hi, std::span<const Id> init);
  // Writes the whole outputs of the row's elements [lo, hi).
  Status WriteWhole(Id lo, Id hi);

 private:
  // A loop over elements [lo, hi) of the row, by rows of the last axis; `body` gets the element's place, counted from
  // lo.
  Status Range(Id lo, Id hi, int unroll, const std::function<Status(const std::vector<Term>&)>& body);
  std::vector<int> PassRoots(int pass) const;
  bool IsStoredBy(int pass, int item) const;

  ReduceGroup& group_;
  Nest& nest_;
  struct Local {
    uint16_t buffer;
    int first_pass;
  };
  std::map<int, Local> locals_;  // by item
  bool stays_ = true;
};

// Folds one leaf of the row without the initial value. REQUIRES: the combiner splits; lo < hi <= lo + kLeafElements.
StatusOr<std::vector<Id>> ReduceLeaf(ReduceGroup& group, RowLoops& loops, int pass, Id lo, Id hi);

// The body of an open combine block.
Status YieldCombined(ReduceGroup& group, const Reduction& reduction);

}  // namespace treadle::plan

#endif  // TREADLE_COMPILER_PLAN_SCHEDULES_ROW_LOOPS_H_

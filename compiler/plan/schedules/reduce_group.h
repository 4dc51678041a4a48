// A group with reductions over one domain: its passes over the domain and what they share. The schedules rows, all and
// cols build their loops around it.
//
// Values are *whole* (one element a point of the domain) or *kept* (one a row: what remains when the reduced axes are
// gone). Each reduction is a pass of its own over the row, in program order; outputs that are whole are written by a
// last pass. What an earlier pass computed at some cost is kept in a local row and read by later ones.
#ifndef TREADLE_COMPILER_PLAN_SCHEDULES_REDUCE_GROUP_H_
#define TREADLE_COMPILER_PLAN_SCHEDULES_REDUCE_GROUP_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/status.h"
#include "compiler/plan/operation_class.h"
#include "compiler/plan/schedules/combiner.h"
#include "compiler/plan/schedules/nest.h"

namespace treadle::plan {

struct Reduction {
  const graph::Op* op;
  Combiner combiner;
  std::vector<int> operands, inits;  // roots
};

class ReduceGroup {
 public:
  ReduceGroup(std::string schedule, const graph::Graph& graph, const Group& group, const executable::Target& target);

  Status Prepare();

  Kernel& kernel() { return kernel_; }
  Nest& nest() { return nest_; }
  Builder& b() { return kernel_.b(); }
  const std::vector<Reduction>& reductions() const { return reductions_; }
  const std::vector<Extent>& extents() const { return extents_; }

  // Merged axes. `inner`: the reduced ones after the last kept one; `outer`: the reduced ones before.
  const std::vector<int>& kept() const { return kept_; }
  const std::vector<int>& inner() const { return inner_; }
  const std::vector<int>& outer() const { return outer_; }
  int64_t rows() const { return nest_.Extent(kept_); }
  int64_t row_length() const { return nest_.Extent(inner_); }

  bool has_whole_outputs() const { return !whole_.empty(); }
  // Whether a reduction or a whole output reads the result of a reduction: the row must be finished before it goes on.
  bool ReadsBack() const;
  bool SplitsAll() const;  // every combiner may form partial results

  // Values of roots in the open scope.
  StatusOr<std::vector<Id>> Values(const std::vector<int>& roots);
  StatusOr<std::vector<Id>> Identities(
      const Reduction& reduction);  // exact where there are; REQUIRES: identity or idempotent
  std::vector<int> WholeRoots() const;
  Status StoreWhole() { return Store(whole_); }
  Status StoreKept() { return Store(kept_outputs_); }
  void Provide(const Reduction& reduction, const std::vector<Id>& results);

  // Items that change along the reduced axes and that `roots` need, without those below `stop`.
  std::vector<int> Reach(const std::vector<int>& roots, const std::vector<bool>& stop) const;
  bool IsWhole(int item) const { return varies_[item]; }
  int UopsOf(const std::vector<int>& roots) const;

  // Fills may_share of the outputs' buffers.
  Instance Finish();

 private:
  struct Output {
    int root, store;
  };
  Status Store(const std::vector<Output>& outputs);

  Kernel kernel_;
  Nest nest_;
  std::vector<Extent> extents_;
  std::vector<Reduction> reductions_;
  std::vector<Output> whole_, kept_outputs_;
  std::vector<int> kept_, inner_, outer_;
  std::vector<bool> varies_;  // per item: along a reduced axis
};

// Row-wise groups: every reduction over the innermost axes, perhaps over others too.
StatusOr<Instance> ScheduleRows(const graph::Graph& graph, const Group& group, const executable::Target& target);
// Few long rows: leaves of a row are spread over tiles. The same bits as ScheduleRows. nullopt: not worth it, or not
// possible.
StatusOr<std::optional<Instance>> ScheduleAll(const graph::Graph& graph, const Group& group,
                                              const executable::Target& target);
// Reductions that keep the innermost axis.
StatusOr<Instance> ScheduleCols(const graph::Graph& graph, const Group& group, const executable::Target& target);

}  // namespace treadle::plan

#endif  // TREADLE_COMPILER_PLAN_SCHEDULES_REDUCE_GROUP_H_

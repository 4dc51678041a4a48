// What the operations of a region read from memory, when free operations are looked through.
//
// A value is *free* if its readers compute it again instead of reading it: constants, broadcasts, reshapes, slices and
// the like, and pointwise values that are cheap and read little. What is left at the bottom are its *bases*.
#ifndef TREADLE_COMPILER_PLAN_SOURCES_H_
#define TREADLE_COMPILER_PLAN_SOURCES_H_

#include <cstdint>
#include <map>
#include <set>
#include <vector>

#include "compiler/graph/graph.h"

namespace treadle::plan {

struct Source {
  graph::ValueId base;
  enum Path : uint8_t {
    kLinear,  // the same elements in the same order
    kRows,    // each element repeated for a whole row of the reader: base[k] is read at (k, r)
    kOther,
  } path;
};

// Whether the constant stands in kernels as a literal, not as memory.
bool IsBaked(const graph::Graph& graph, graph::ValueId constant);

// Of one region. The graph must outlive this. Not thread-safe.
class Sources {
 public:
  Sources(const graph::Graph& graph, graph::RegionId region);

  bool IsLive(graph::OpId op) const { return live_[op]; }  // something needs its results
  // Whether the value must be in memory: results of the region, operands of products and control flow, and so on.
  bool IsNeeded(graph::ValueId value) const { return needed_.contains(value); }
  bool IsFree(graph::ValueId value) const;
  // Whether something live reads it.
  bool IsUsed(graph::ValueId value) const { return used_.contains(value); }
  // The operands that a sort reads from memory.
  std::vector<graph::ValueId> SortOperands(const graph::Op& sort) const;

  // Declares the result of a pointwise operation free if that pays. Operations must be asked about in program order.
  bool MakeFree(const graph::Op& op);

  // The bases behind a value; a value that is not free is its own. Of operations in program order, so that nothing
  // recurses far.
  const std::vector<Source>& Trace(graph::ValueId value);
  // The bases behind all operands of an operation, as its result sees them.
  std::vector<Source> Of(const graph::Op& op);

 private:
  std::vector<Source> OfGather(const graph::Op& op);
  void FindLive();
  void FindNeeded();
  void FindFused();
  using Readers = std::map<graph::ValueId, std::vector<const graph::Op*>>;
  void BoundFused();
  bool OnlyShifts(graph::ValueId value, const Readers& readers) const;
  void NeedNested(graph::RegionId region);

  const graph::Graph& graph_;
  graph::RegionId region_id_;
  const graph::Region& region_;
  std::vector<bool> live_;
  std::set<graph::ValueId> used_;
  std::set<graph::ValueId> needed_;
  std::set<graph::ValueId> fused_;       // results of pad and concatenate that their readers choose from anew
  std::set<graph::ValueId> shifted_;     // pointwise values that are read at other places than their own only
  std::map<graph::ValueId, int> cheap_;  // pointwise values made free, and what they cost with what they read
  std::map<graph::ValueId, std::vector<Source>> traces_;
};

}  // namespace treadle::plan

#endif  // TREADLE_COMPILER_PLAN_SOURCES_H_

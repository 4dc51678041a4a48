// What a reduction's region computes, as far as the choice of its tree needs to know, and its code.
#ifndef TREADLE_COMPILER_PLAN_SCHEDULES_COMBINER_H_
#define TREADLE_COMPILER_PLAN_SCHEDULES_COMBINER_H_

#include <map>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "base/status.h"
#include "compiler/graph/graph.h"
#include "compiler/plan/builder.h"

namespace treadle::plan {

struct Combiner {
  graph::RegionId region = -1;
  bool commutes = false;             // any order of elements: Tree::kLanes may be used
  bool idempotent = false;           // combining a value twice changes nothing
  std::optional<uint64_t> identity;  // exact for every value, -0 included
  // argmin and argmax as JAX writes them: two results, value and index, NaN first, ties to the lowest index.
  enum Best : uint8_t { kNone, kLeast, kGreatest } best = kNone;

  // Whether partial results of stretches may be formed without the initial value.
  bool splits() const { return identity.has_value() || idempotent; }
  Tree tree() const { return commutes ? Tree::kLanes : Tree::kInOrder; }
};

// The order in which reductions combine, wherever they stand: rows of up to kOrderedRow elements one after the other;
// longer ones as Combiner::tree() has it. Where the innermost dimension is kept, stretches of kLeafRows: the first
// element, then each kRowsAtOnce as a balanced tree, then the rest one by one.
inline constexpr int64_t kOrderedRow = 32;
inline constexpr int64_t kLeafRows = 256;
inline constexpr int64_t kRowsAtOnce = 8;

Combiner CombinerOf(const graph::Graph& graph, const graph::Op& reduce);

// combine(accumulated, values). Errors: UNIMPLEMENTED for operations that are not elementwise.
StatusOr<std::vector<Id>> EmitCombine(Builder& builder, const graph::Graph& graph, const Combiner& combiner,
                                      std::span<const Id> accumulated, std::span<const Id> values);

// The results of a region of elementwise operations on scalars, of an operation named `owner`. `ids`: its arguments,
// and what it reads of values outside; constants need not be there. Errors: UNIMPLEMENTED for other operations.
StatusOr<std::vector<Id>> EmitScalarRegion(Builder& builder, const graph::Graph& graph, graph::RegionId region,
                                           std::map<graph::ValueId, Id> ids, std::string_view owner);

// Rough machine operations a vector.
int CombineUops(const graph::Graph& graph, const Combiner& combiner);

}  // namespace treadle::plan

#endif  // TREADLE_COMPILER_PLAN_SCHEDULES_COMBINER_H_

// What kind of operation this is to grouping and to the choice of a schedule.
#ifndef TREADLE_COMPILER_PLAN_OPERATION_CLASS_H_
#define TREADLE_COMPILER_PLAN_OPERATION_CLASS_H_

#include <cstdint>
#include <set>
#include <vector>

#include "compiler/graph/graph.h"

namespace treadle::plan {

enum class OperationClass : uint8_t {
  kFree,  // costs index arithmetic only: copied into every reader
  kPointwise,
  kReduce,
  kUpdate,  // dynamic_update_slice
  kScatter,
  kWindow,      // reduce_window
  kPieces,      // concatenate, pad: boxes of the output with different sources
  kInterleave,  // concatenate of two columns: pointwise code that writes pairs, complex numbers mostly
  kTranspose,   // one that changes the innermost dimension of something larger: moved in blocks
  kSort,
  kDot,  // dot_general, convolution
  kAlgorithm,
  kControl,
};

OperationClass ClassOf(const graph::Graph& graph, const graph::Op& op);

// The operands that the results start from: dynamic_update_slice and scatter write parts of their memory. The first so
// many; 0 for all other operations.
size_t WrittenOver(const graph::Op& op);

// Whether the operation is of class kInterleave: (..., 1) and (..., 1) become (..., 2).
bool IsInterleave(const graph::Graph& graph, const graph::Op& op);

bool IsConstant(const graph::Graph& graph, graph::ValueId value);

// How a free operation's result relates to its (first) operand.
enum class PathStep : uint8_t {
  kLinear,  // the same elements in the same order
  kRows,    // each element repeated for a row
  kOther,
};
PathStep StepOf(const graph::Graph& graph, const graph::Op& op);

// A stretch of dimensions, merged, that a reduction keeps or reduces.
struct Extent {
  int64_t size = 1;
  bool reduced = false;
  bool operator==(const Extent&) const = default;
};

// Dimensions as the fewest stretches; those of size 1 are dropped. Never empty: a domain of one element is {1,
// reduced}.
std::vector<Extent> ReductionOf(const std::vector<int64_t>& dims, const std::vector<int64_t>& reduced);

// Whether the stretches are one kept, then one reduced; either may be missing.
bool IsRows(const std::vector<Extent>& reduction);

// Values that `region` reads and does not define, constants left out.
void AddFreeValues(const graph::Graph& graph, graph::RegionId region, std::set<graph::ValueId>& values);

}  // namespace treadle::plan

#endif  // TREADLE_COMPILER_PLAN_OPERATION_CLASS_H_

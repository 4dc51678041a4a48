// Operations on small arrays held as one scalar an element: no memory, no index arithmetic at run time.
#ifndef TREADLE_COMPILER_PLAN_SCHEDULES_UNROLLED_H_
#define TREADLE_COMPILER_PLAN_SCHEDULES_UNROLLED_H_

#include <span>
#include <vector>

#include "base/status.h"
#include "compiler/graph/graph.h"
#include "compiler/plan/builder.h"

namespace treadle::plan {

// Row-major.
using Elements = std::vector<Id>;

// The results of any operation but control flow. Reductions and dot_general combine in the order that they have on
// arrays in memory. Errors: UNIMPLEMENTED for element types and regions that plans do not have.
StatusOr<std::vector<Elements>> EmitUnrolled(Builder& builder, const graph::Graph& graph, const graph::Op& op,
                                             std::span<const Elements> operands);

// A constant's elements.
Elements UnrolledConstant(Builder& builder, const graph::Graph& graph, const graph::Op& constant);

// The index of an element by its row-major number.
std::vector<int64_t> IndexOf(int64_t element, const std::vector<int64_t>& dims);

// A window's start along a dimension, clamped to [0, limit], as an i64.
Id ClampStart(Builder& builder, Id start, int64_t limit);

}  // namespace treadle::plan

#endif  // TREADLE_COMPILER_PLAN_SCHEDULES_UNROLLED_H_

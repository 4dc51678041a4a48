// A naive evaluator of graphs for tests: one element at a time, no sharing of code with schedules or the plan's
// interpreter.
#ifndef TREADLE_COMPILER_PLAN_TESTING_REFERENCE_H_
#define TREADLE_COMPILER_PLAN_TESTING_REFERENCE_H_

#include <map>

#include "compiler/graph/graph.h"
#include "compiler/plan/testing/tensor.h"

namespace treadle::plan::testing {

using Values = std::map<graph::ValueId, Tensor>;

// Evaluates the operations of `region`; `values` has its arguments and gets everything else. Elementwise operations,
// movements, reduce, while; anything else aborts.
void Evaluate(const graph::Graph& graph, graph::RegionId region, Values& values);

}  // namespace treadle::plan::testing

#endif  // TREADLE_COMPILER_PLAN_TESTING_REFERENCE_H_

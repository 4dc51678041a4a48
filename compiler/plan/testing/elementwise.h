// Elementwise operations of the naive evaluator.
#ifndef TREADLE_COMPILER_PLAN_TESTING_ELEMENTWISE_H_
#define TREADLE_COMPILER_PLAN_TESTING_ELEMENTWISE_H_

#include <cstdint>
#include <vector>

#include "compiler/graph/graph.h"
#include "compiler/plan/testing/tensor.h"

namespace treadle::plan::testing {

// Element i of the result of `op`; scalars among the operands stand for all elements. Aborts for other operations.
void ElementwiseAt(const graph::Op& op, const std::vector<const Tensor*>& in, Tensor& out, int64_t i);

}  // namespace treadle::plan::testing

#endif  // TREADLE_COMPILER_PLAN_TESTING_ELEMENTWISE_H_

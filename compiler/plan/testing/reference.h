// A naive evaluator of graphs for tests: one element at a time, no sharing of code with schedules or the plan's
// interpreter.
#ifndef TREADLE_COMPILER_PLAN_TESTING_REFERENCE_H_
#define TREADLE_COMPILER_PLAN_TESTING_REFERENCE_H_

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "compiler/graph/graph.h"

namespace treadle::plan::testing {

struct Tensor {
  Shape shape;
  std::string bytes;  // row-major, memory format

  static Tensor Zeros(Shape shape);
  // The element as a double or, for integers and i1, as a wide integer (unsigned ones wrap into it).
  double Float(int64_t number) const;
  int64_t Integer(int64_t number) const;
  void SetFloat(int64_t number, double value);  // rounds to nearest even
  void SetInteger(int64_t number, int64_t value);
};

using Values = std::map<graph::ValueId, Tensor>;

// Evaluates the operations of `region`; `values` has its arguments and gets everything else. Elementwise operations,
// movements, reduce, while; anything else aborts.
void Evaluate(const graph::Graph& graph, graph::RegionId region, Values& values);

}  // namespace treadle::plan::testing

#endif  // TREADLE_COMPILER_PLAN_TESTING_REFERENCE_H_

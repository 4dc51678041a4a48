// Graphs written down in tests and benchmarks.
#ifndef TREADLE_COMPILER_PLAN_TESTING_PROGRAM_H_
#define TREADLE_COMPILER_PLAN_TESTING_PROGRAM_H_

#include <cstdint>
#include <functional>
#include <vector>

#include "compiler/graph/graph.h"
#include "compiler/plan/testing/reference.h"

namespace treadle::plan::testing {

class Program {
 public:
  Program() { graph_.AddRegion(); }

  graph::Graph& graph() { return graph_; }
  graph::ValueId Argument(Shape shape);
  graph::ValueId Add(graph::OpCode code, std::vector<graph::ValueId> operands, Shape result,
                     graph::Attributes attrs = {});
  graph::ValueId Unary(graph::OpCode code, graph::ValueId x) { return Add(code, {x}, graph_.shape(x)); }
  graph::ValueId Binary(graph::OpCode code, graph::ValueId x, graph::ValueId y) {
    return Add(code, {x, y}, graph_.shape(x));
  }
  graph::ValueId Splat(Shape shape, double value);
  graph::ValueId Broadcast(graph::ValueId x, std::vector<int64_t> dims, std::vector<int64_t> to);
  graph::ValueId Reshape(graph::ValueId x, std::vector<int64_t> to);
  graph::ValueId Transpose(graph::ValueId x, std::vector<int64_t> permutation);
  // `body` gets the region's arguments (accumulated values, then new ones) and returns its results.
  using Body = std::function<std::vector<graph::ValueId>(Program&, const std::vector<graph::ValueId>&)>;
  std::vector<graph::ValueId> Reduce(std::vector<graph::ValueId> inputs, std::vector<graph::ValueId> inits,
                                     std::vector<int64_t> dims, const Body& body);
  graph::ValueId Reduce(graph::OpCode code, graph::ValueId input, double init, std::vector<int64_t> dims);
  // `body` gets pairs of scalars (one of each operand after the other) and returns the comparator's answer.
  using Comparator = std::function<graph::ValueId(Program&, const std::vector<graph::ValueId>&)>;
  std::vector<graph::ValueId> Sort(std::vector<graph::ValueId> operands, int64_t dimension, const Comparator& body);
  graph::ValueId Compare(graph::Direction direction, graph::ValueId x, graph::ValueId y, bool total_order = false);
  // `body` as in Reduce: current values, then updates.
  std::vector<graph::ValueId> Scatter(std::vector<graph::ValueId> inputs, graph::ValueId indices,
                                      std::vector<graph::ValueId> updates, graph::IndexedWindows windows, bool unique,
                                      const Body& body);
  // `body` as in Reduce. `attrs`: limits, strides, low, high, interior, dilations.
  std::vector<graph::ValueId> ReduceWindow(std::vector<graph::ValueId> inputs, std::vector<graph::ValueId> inits,
                                           graph::Attributes attrs, const Body& body);
  // `cond` returns one value; both get the carries.
  std::vector<graph::ValueId> While(std::vector<graph::ValueId> init, const Body& cond, const Body& body);
  // JAX's argmax (or argmin) over the last dimension: values and i32 indices.
  std::vector<graph::ValueId> ArgBest(bool greatest, graph::ValueId input);
  void Return(std::vector<graph::ValueId> results) { graph_.regions[0].results = std::move(results); }

 private:
  // A region over scalars of the types of `like`, twice.
  graph::RegionId AddBody(const std::vector<graph::ValueId>& like, const Body& body);
  graph::RegionId AddRegion(const std::vector<Shape>& arguments, const Body& body);

  graph::Graph graph_;
  graph::RegionId open_ = 0;  // where operations go
};

// Values of every argument: small integers (exact in every type), or for `real` floats anything about 1.
Values RandomArguments(const graph::Graph& graph, uint32_t seed, bool real = false);

}  // namespace treadle::plan::testing

#endif  // TREADLE_COMPILER_PLAN_TESTING_PROGRAM_H_

#include "compiler/plan/testing/program.h"

#include <algorithm>
#include <cmath>
#include <random>

namespace treadle::plan::testing {

using graph::OpCode;
using graph::ValueId;

ValueId Program::Argument(Shape shape) {
  ValueId value = graph_.AddValue(std::move(shape), 0);
  graph_.regions[0].arguments.push_back(value);
  graph_.donated.push_back(false);
  graph_.aliased_result.push_back(-1);
  return value;
}

ValueId Program::Add(OpCode code, std::vector<ValueId> operands, Shape result, graph::Attributes attrs) {
  graph::OpId op = graph_.AddOp(open_, code, std::move(operands), {std::move(result)}, std::move(attrs));
  return graph_.ops[op].results[0];
}

ValueId Program::Splat(Shape shape, double value) {
  Tensor one = Tensor::Zeros({shape.type, {}});
  IsFloat(shape.type) ? one.SetFloat(0, value) : one.SetInteger(0, static_cast<int64_t>(value));
  graph::Attributes attrs;
  attrs.literal = std::make_shared<std::string>(one.bytes);
  attrs.splat = true;
  return Add(OpCode::kConstant, {}, std::move(shape), std::move(attrs));
}

ValueId Program::Broadcast(ValueId x, std::vector<int64_t> dims, std::vector<int64_t> to) {
  return Add(OpCode::kBroadcastInDim, {x}, {graph_.shape(x).type, std::move(to)}, {.dims = std::move(dims)});
}

ValueId Program::Reshape(ValueId x, std::vector<int64_t> to) {
  return Add(OpCode::kReshape, {x}, {graph_.shape(x).type, std::move(to)});
}

ValueId Program::Transpose(ValueId x, std::vector<int64_t> permutation) {
  Shape shape{graph_.shape(x).type, {}};
  for (int64_t dim : permutation) shape.dims.push_back(graph_.shape(x).dims[dim]);
  return Add(OpCode::kTranspose, {x}, std::move(shape), {.dims = std::move(permutation)});
}

graph::RegionId Program::AddBody(const std::vector<ValueId>& like, const Body& body) {
  std::vector<Shape> arguments;
  for (int copy = 0; copy < 2; ++copy) {
    for (ValueId value : like) arguments.push_back({graph_.shape(value).type, {}});
  }
  return AddRegion(arguments, body);
}

graph::RegionId Program::AddRegion(const std::vector<Shape>& shapes, const Body& body) {
  graph::RegionId region = graph_.AddRegion(), outer = open_;
  std::vector<ValueId> arguments;
  for (const Shape& shape : shapes) arguments.push_back(graph_.AddValue(shape, region));
  graph_.regions[region].arguments = arguments;
  open_ = region;
  std::vector<ValueId> yielded = body(*this, arguments);
  open_ = outer;
  graph_.regions[region].results = yielded;
  return region;
}

std::vector<ValueId> Program::Reduce(std::vector<ValueId> inputs, std::vector<ValueId> inits, std::vector<int64_t> dims,
                                     const Body& body) {
  graph::RegionId region = AddBody(inits, body);
  std::vector<Shape> results;
  for (ValueId input : inputs) {
    Shape shape{graph_.shape(input).type, {}};
    for (int64_t k = 0; k < graph_.shape(input).rank(); ++k) {
      if (std::find(dims.begin(), dims.end(), k) == dims.end()) shape.dims.push_back(graph_.shape(input).dims[k]);
    }
    results.push_back(shape);
  }
  std::vector<ValueId> operands = inputs;
  operands.insert(operands.end(), inits.begin(), inits.end());
  graph::OpId op = graph_.AddOp(open_, OpCode::kReduce, operands, results, {.dims = std::move(dims)}, {region});
  return graph_.ops[op].results;
}

std::vector<ValueId> Program::While(std::vector<ValueId> init, const Body& cond, const Body& body) {
  std::vector<Shape> shapes;
  for (ValueId value : init) shapes.push_back(graph_.shape(value));
  std::vector<graph::RegionId> regions = {AddRegion(shapes, cond), AddRegion(shapes, body)};
  graph::OpId op = graph_.AddOp(open_, OpCode::kWhile, std::move(init), std::move(shapes), {}, std::move(regions));
  return graph_.ops[op].results;
}

std::vector<ValueId> Program::Scatter(std::vector<ValueId> inputs, ValueId indices, std::vector<ValueId> updates,
                                      graph::IndexedWindows windows, bool unique, const Body& body) {
  std::vector<Shape> results;
  for (ValueId input : inputs) results.push_back(graph_.shape(input));
  graph::RegionId region = AddBody(inputs, body);
  std::vector<ValueId> operands = std::move(inputs);
  operands.push_back(indices);
  operands.insert(operands.end(), updates.begin(), updates.end());
  graph::OpId op = graph_.AddOp(open_, OpCode::kScatter, operands, results,
                                {.windows = std::move(windows), .unique = unique}, {region});
  return graph_.ops[op].results;
}

std::vector<ValueId> Program::ReduceWindow(std::vector<ValueId> inputs, std::vector<ValueId> inits,
                                           graph::Attributes attrs, const Body& body) {
  std::vector<Shape> results;
  for (ValueId input : inputs) {
    Shape shape = graph_.shape(input);
    for (size_t d = 0; d < shape.dims.size(); ++d) {
      int64_t base = shape.dims[d] == 0 ? 0 : (shape.dims[d] - 1) * (attrs.interior[d] + 1) + 1;
      int64_t padded = base + attrs.low[d] + attrs.high[d], span = (attrs.limits[d] - 1) * attrs.dilations[d] + 1;
      shape.dims[d] = padded < span ? 0 : (padded - span) / attrs.strides[d] + 1;
    }
    results.push_back(std::move(shape));
  }
  graph::RegionId region = AddBody(inits, body);
  std::vector<ValueId> operands = std::move(inputs);
  operands.insert(operands.end(), inits.begin(), inits.end());
  graph::OpId op = graph_.AddOp(open_, OpCode::kReduceWindow, operands, results, std::move(attrs), {region});
  return graph_.ops[op].results;
}

ValueId Program::Reduce(OpCode code, ValueId input, double init, std::vector<int64_t> dims) {
  ValueId start = Splat({graph_.shape(input).type, {}}, init);
  return Reduce({input}, {start}, std::move(dims), [&](Program& p, const std::vector<ValueId>& args) {
    return std::vector<ValueId>{p.Binary(code, args[0], args[1])};
  })[0];
}

std::vector<ValueId> Program::Sort(std::vector<ValueId> operands, int64_t dimension, const Comparator& body) {
  graph::RegionId region = graph_.AddRegion(), outer = open_;
  std::vector<ValueId> arguments;
  std::vector<Shape> results;
  for (ValueId operand : operands) {
    for (int side = 0; side < 2; ++side) arguments.push_back(graph_.AddValue({graph_.shape(operand).type, {}}, region));
    results.push_back(graph_.shape(operand));
  }
  graph_.regions[region].arguments = arguments;
  open_ = region;
  ValueId answer = body(*this, arguments);
  open_ = outer;
  graph_.regions[region].results = {answer};
  graph::OpId op =
      graph_.AddOp(open_, OpCode::kSort, std::move(operands), std::move(results), {.dims = {dimension}}, {region});
  return graph_.ops[op].results;
}

ValueId Program::Compare(graph::Direction direction, ValueId x, ValueId y, bool total_order) {
  return Add(OpCode::kCompare, {x, y}, {ElementType::kI1, graph_.shape(x).dims},
             {.direction = direction, .total_order = total_order});
}

std::vector<ValueId> Program::ArgBest(bool greatest, ValueId input) {
  Shape shape = graph_.shape(input), index{ElementType::kI32, shape.dims};
  int64_t last = shape.rank() - 1;
  ValueId iota = Add(OpCode::kIota, {}, index, {.dims = {last}});
  ValueId worst = Splat({shape.type, {}}, greatest ? -INFINITY : INFINITY), zero = Splat({ElementType::kI32, {}}, 0);
  return Reduce({input, iota}, {worst, zero}, {last}, [&](Program& p, const std::vector<ValueId>& v) {
    Shape i1{ElementType::kI1, {}};
    auto compare = [&](graph::Direction direction, ValueId x, ValueId y) {
      return p.Add(OpCode::kCompare, {x, y}, i1, {.direction = direction});
    };
    ValueId better = compare(greatest ? graph::Direction::kGt : graph::Direction::kLt, v[0], v[2]);
    ValueId pick = p.Binary(OpCode::kOr, better, compare(graph::Direction::kNe, v[0], v[0]));
    ValueId tie =
        p.Binary(OpCode::kAnd, compare(graph::Direction::kEq, v[0], v[2]), compare(graph::Direction::kLt, v[1], v[3]));
    ValueId pick_index = p.Binary(OpCode::kOr, pick, tie);
    return std::vector<ValueId>{p.Add(OpCode::kSelect, {pick, v[0], v[2]}, p.graph().shape(v[0])),
                                p.Add(OpCode::kSelect, {pick_index, v[1], v[3]}, p.graph().shape(v[1]))};
  });
}

Values RandomArguments(const graph::Graph& graph, uint32_t seed, bool real) {
  std::mt19937 random(seed);
  Values values;
  for (ValueId argument : graph.regions[0].arguments) {
    Tensor tensor = Tensor::Zeros(graph.shape(argument));
    for (int64_t i = 0; i < tensor.shape.elements(); ++i) {
      int64_t small = static_cast<int64_t>(random() % 9) - 4;
      if (IsFloat(tensor.shape.type)) {
        tensor.SetFloat(i, real ? (static_cast<double>(random() % 4001) - 2000) / 1000 : static_cast<double>(small));
      } else if (tensor.shape.type == ElementType::kI1) {
        tensor.SetInteger(i, small & 1);
      } else {
        tensor.SetInteger(i, IsUnsigned(tensor.shape.type) ? small + 4 : small);
      }
    }
    values[argument] = std::move(tensor);
  }
  return values;
}

}  // namespace treadle::plan::testing

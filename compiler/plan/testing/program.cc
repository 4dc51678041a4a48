#include "compiler/plan/testing/program.h"

#include <cmath>
#include <random>
#include <set>

#include "compiler/plan/interpret.h"
#include "compiler/plan/print.h"
#include "compiler/plan/schedule.h"
#include "compiler/plan/verify.h"
#include "gtest/gtest.h"

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

std::vector<ValueId> Program::Reduce(std::vector<ValueId> inputs, std::vector<ValueId> inits, std::vector<int64_t> dims,
                                     const Body& body) {
  graph::RegionId region = graph_.AddRegion(), outer = open_;
  std::vector<ValueId> arguments;
  for (int copy = 0; copy < 2; ++copy) {
    for (ValueId init : inits) arguments.push_back(graph_.AddValue({graph_.shape(init).type, {}}, region));
  }
  graph_.regions[region].arguments = arguments;
  open_ = region;
  std::vector<ValueId> yielded = body(*this, arguments);
  open_ = outer;
  graph_.regions[region].results = yielded;
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

ValueId Program::Reduce(OpCode code, ValueId input, double init, std::vector<int64_t> dims) {
  ValueId start = Splat({graph_.shape(input).type, {}}, init);
  return Reduce({input}, {start}, std::move(dims), [&](Program& p, const std::vector<ValueId>& args) {
    return std::vector<ValueId>{p.Binary(code, args[0], args[1])};
  })[0];
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

namespace {

Status RunGroup(const graph::Graph& graph, const Group& group, const Instance& instance, Values& values,
                const RunOptions& options) {
  const Plan& plan = instance.plan;
  std::vector<void*> pointers;
  std::set<int32_t> started(group.starts_from.begin(), group.starts_from.end());
  std::vector<std::string> inputs, outputs;
  for (size_t k = 0; k < group.inputs.size(); ++k) {
    if (started.contains(static_cast<int32_t>(k))) continue;
    if (!values.contains(group.inputs[k])) {  // a constant in memory
      const graph::Op& op = graph.ops[graph.values[group.inputs[k]].def];
      values[group.inputs[k]] = {graph.shape(group.inputs[k]), *op.attrs.literal};
    }
    inputs.push_back(values.at(group.inputs[k]).bytes);
  }
  for (size_t k = 0; k < group.outputs.size(); ++k) {
    int32_t from = group.starts_from[k];
    outputs.push_back(from >= 0 ? values.at(group.inputs[from]).bytes
                                : std::string(graph.shape(group.outputs[k]).bytes(), '\x5a'));
  }
  for (std::string& bytes : inputs) pointers.push_back(bytes.data());
  for (std::string& bytes : outputs) pointers.push_back(bytes.data());
  std::vector<int> shared(outputs.size(), -1);
  for (size_t k = 0; options.in_place && k < outputs.size(); ++k) {
    int16_t input = plan.buffers[inputs.size() + k].may_share;
    if (input < 0) continue;
    EXPECT_EQ(inputs[input].size(), outputs[k].size());
    pointers[inputs.size() + k] = pointers[input];
    shared[k] = input;
  }
  std::string local(LocalBytes(plan, instance.args), '\x5a'), scratch(ScratchBytes(plan, instance.args), '\x5a');
  TreadleCallFrame frame{
      .buffers = pointers.data(), .args = instance.args.data(), .local = local.data(), .scratch = scratch.data()};
  for (size_t phase = 0; phase < plan.phases.size(); ++phase) {
    int64_t tiles = instance.tiles[phase];
    EXPECT_GE(instance.cost_ns[phase], 0);
    for (int64_t tile = tiles; options.one_tile_at_a_time && tile-- > 0;) {
      frame.tile_begin = tile;
      frame.tile_end = tile + 1;
      TREADLE_RETURN_IF_ERROR(Interpret(plan, static_cast<int>(phase), frame));
    }
    frame.tile_begin = 0;
    frame.tile_end = tiles;
    if (!options.one_tile_at_a_time) TREADLE_RETURN_IF_ERROR(Interpret(plan, static_cast<int>(phase), frame));
  }
  for (size_t k = 0; k < outputs.size(); ++k) {
    values[group.outputs[k]] = {graph.shape(group.outputs[k]), shared[k] >= 0 ? inputs[shared[k]] : outputs[k]};
  }
  return OkStatus();
}

}  // namespace

Status RunPlans(const graph::Graph& graph, Values& values, const RunOptions& options,
                std::vector<Instance>* instances) {
  executable::Target target;
  TREADLE_ASSIGN_OR_RETURN(std::vector<Group> groups, GroupRegion(graph, 0, target, options.limits));
  for (const Group& group : groups) {
    TREADLE_ASSIGN_OR_RETURN(Instance instance, ScheduleGroup(graph, group, target));
    TREADLE_RETURN_IF_ERROR(Verify(instance.plan).WithContext(Print(instance.plan)));
    TREADLE_RETURN_IF_ERROR(RunGroup(graph, group, instance, values, options).WithContext(Print(instance.plan)));
    if (instances) instances->push_back(std::move(instance));
  }
  return OkStatus();
}

void ExpectLikeReference(const graph::Graph& graph, uint32_t seed, double tolerance, bool real) {
  Values arguments = RandomArguments(graph, seed, real), expected = arguments;
  Evaluate(graph, 0, expected);
  Values first;
  for (int option = 0; option < 4; ++option) {
    RunOptions options{.one_tile_at_a_time = option == 1, .in_place = option == 2};
    if (option == 3) options.limits.members = 1;
    Values actual = arguments;
    std::vector<Instance> instances;
    Status status = RunPlans(graph, actual, options, &instances);
    ASSERT_TRUE(status.ok()) << status.ToString() << graph::Print(graph);
    if (option == 0) first = actual;
    for (ValueId result : graph.regions[0].results) {
      const Tensor &want = expected.at(result), &got = actual.at(result);
      ASSERT_TRUE(got.bytes == first.at(result).bytes) << "other bits with option " << option << "\n"
                                                       << graph::Print(graph);
      for (int64_t i = 0; i < want.shape.elements(); ++i) {
        bool same =
            IsFloat(want.shape.type)
                ? (std::isnan(want.Float(i)) && std::isnan(got.Float(i))) || want.Float(i) == got.Float(i) ||
                      std::abs(want.Float(i) - got.Float(i)) <= tolerance * std::max(1.0, std::abs(want.Float(i)))
                : want.Integer(i) == got.Integer(i);
        if (same) continue;
        std::string plans;
        for (const Instance& instance : instances) plans += Print(instance.plan);
        FAIL() << "%" << result << "[" << i << "] = " << got.Float(i) << ", not " << want.Float(i) << ", option "
               << option << "\n"
               << graph::Print(graph) << plans;
      }
    }
  }
}

}  // namespace treadle::plan::testing

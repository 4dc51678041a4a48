#include "compiler/plan/testing/run_plans.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <set>

#include "compiler/plan/interpret.h"
#include "compiler/plan/print.h"
#include "compiler/plan/schedule.h"
#include "compiler/plan/sort_task.h"
#include "compiler/plan/verify.h"
#include "gtest/gtest.h"
#include "kernels/table.h"

namespace treadle::plan::testing {

using graph::ValueId;

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
  auto run = options.run ? options.run
                         : [](const Plan& p, int phase, const TreadleCallFrame& f) { return Interpret(p, phase, f); };
  for (size_t phase = 0; phase < plan.phases.size(); ++phase) {
    int64_t tiles = instance.tiles[phase];
    EXPECT_GE(instance.costs[phase].ns, 0);
    for (int64_t tile = tiles; options.one_tile_at_a_time && tile-- > 0;) {
      frame.tile_begin = tile;
      frame.tile_end = tile + 1;
      TREADLE_RETURN_IF_ERROR(run(plan, static_cast<int>(phase), frame));
    }
    frame.tile_begin = 0;
    frame.tile_end = tiles;
    if (!options.one_tile_at_a_time) TREADLE_RETURN_IF_ERROR(run(plan, static_cast<int>(phase), frame));
  }
  for (size_t k = 0; k < outputs.size(); ++k) {
    values[group.outputs[k]] = {graph.shape(group.outputs[k]), shared[k] >= 0 ? inputs[shared[k]] : outputs[k]};
  }
  return OkStatus();
}

Status RunSort(const graph::Graph& graph, const Group& group, const executable::Target& target, Values& values,
               bool one_tile_at_a_time) {
  const kernels::sort::SortPlan plan = PlanSortTask(graph, group, target);
  std::vector<std::string> memory;
  for (ValueId input : group.inputs) {
    const graph::OpId def = graph.values[input].def;
    memory.push_back(values.contains(input) ? values.at(input).bytes : *graph.ops[def].attrs.literal);
    if (!values.contains(input) && graph.ops[def].attrs.splat) {
      const std::string one = memory.back();
      memory.back().clear();
      for (int64_t i = 0; i < graph.shape(input).elements(); ++i) memory.back() += one;
    }
  }
  for (ValueId output : group.outputs) memory.emplace_back(graph.shape(output).bytes(), '\x5a');
  std::vector<void*> pointers;
  for (std::string& bytes : memory) pointers.push_back(bytes.data());
  std::vector<std::max_align_t> scratch(plan.scratch_bytes / sizeof(std::max_align_t) + 1);
  for (const kernels::sort::SortPhase& phase : plan.phases) {
    TreadleKernel kernel = FindKernel(phase.symbol, target);
    if (!kernel) return Internal("no kernel " + phase.symbol);
    std::vector<std::max_align_t> local(phase.local_bytes / sizeof(std::max_align_t) + 1);
    TreadleCallFrame frame{.buffers = pointers.data(),
                           .args = phase.args.data(),
                           .local = local.data(),
                           .scratch = scratch.data(),
                           .tile_end = phase.tiles};
    for (int64_t tile = phase.tiles; one_tile_at_a_time && tile-- > 0;) {
      frame.tile_begin = tile;
      frame.tile_end = tile + 1;
      if (kernel(&frame) != 0) return Internal("the kernel failed");
    }
    if (!one_tile_at_a_time && kernel(&frame) != 0) return Internal("the kernel failed");
  }
  for (size_t k = 0; k < group.outputs.size(); ++k) {
    values[group.outputs[k]] = {graph.shape(group.outputs[k]), memory[group.inputs.size() + k]};
  }
  return OkStatus();
}

}  // namespace

Status RunPlans(const graph::Graph& graph, Values& values, const RunOptions& options,
                std::vector<Instance>* instances) {
  const executable::Target& target = options.target;
  TREADLE_ASSIGN_OR_RETURN(std::vector<Group> groups, GroupRegion(graph, 0, target, options.limits));
  for (const Group& group : groups) {
    if (group.kind == GroupKind::kSort) {
      TREADLE_RETURN_IF_ERROR(RunSort(graph, group, target, values, options.one_tile_at_a_time));
      continue;
    }
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

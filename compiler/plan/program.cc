#include "compiler/plan/program.h"

#include <map>
#include <set>
#include <unordered_set>
#include <utility>

#include "compiler/plan/batch_steps.h"
#include "compiler/plan/print.h"
#include "compiler/plan/steps.h"
#include "compiler/plan/storage.h"
#include "compiler/plan/tasks.h"

namespace treadle::plan {
namespace {

using graph::Graph;
using graph::OpCode;
using graph::ValueId;

// The constants that steps read as memory: inputs of groups, operands of control flow, results of regions.
void CollectConstants(const Graph& graph, const TaskList& list, std::set<graph::OpId>& constants) {
  std::unordered_set<ValueId> made;
  for (const Task& task : list.tasks) made.insert(task.group.outputs.begin(), task.group.outputs.end());
  auto need = [&](ValueId value) {
    graph::OpId def = graph.values[value].def;
    if (def == graph::kNoOp || made.count(value)) return;
    if (graph.ops[def].code == OpCode::kConstant) constants.insert(def);
  };
  for (const Task& task : list.tasks) {
    for (ValueId value : task.group.inputs) need(value);
    for (const TaskList& inner : task.regions) CollectConstants(graph, inner, constants);
  }
  for (ValueId value : graph.regions[list.region].results) need(value);
}

// Constants that a group of an outer region fills are not constants of the executable.
void DropFilled(const Graph& graph, const TaskList& list, std::set<graph::OpId>& constants) {
  for (const Task& task : list.tasks) {
    for (ValueId value : task.group.outputs) {
      if (graph.values[value].def != graph::kNoOp) constants.erase(graph.values[value].def);
    }
    for (const TaskList& inner : task.regions) DropFilled(graph, inner, constants);
  }
}

// Floating point operations and bytes of one execution, bodies of loops counted once.
void AddCost(const Graph& graph, const TaskList& list, executable::Executable& exe) {
  for (const Task& task : list.tasks) {
    for (const TaskList& inner : task.regions) AddCost(graph, inner, exe);
    if (task.group.kind == GroupKind::kControl) continue;
    for (ValueId value : task.group.inputs) exe.bytes_accessed += static_cast<double>(graph.shape(value).bytes());
    for (ValueId value : task.group.outputs) exe.bytes_accessed += static_cast<double>(graph.shape(value).bytes());
    for (graph::OpId id : task.group.ops) {
      const graph::Op& op = graph.ops[id];
      if (op.results.empty()) continue;
      double elements = static_cast<double>(graph.shape(op.results[0]).elements());
      if (op.code == OpCode::kDotGeneral) {
        for (int64_t d : op.attrs.dot.lhs_contracting)
          elements *= static_cast<double>(graph.shape(op.operands[0]).dims[d]);
        exe.flops += (op.attrs.pairs ? 4 : 2) * elements;
      } else if (op.code == OpCode::kConvolution) {
        const Shape& kernel = graph.shape(op.operands[1]);  // zeros count as well
        const int64_t outputs = kernel.dims[op.attrs.conv->rhs.feature];
        const int64_t taps = outputs > 0 ? kernel.elements() / outputs : 0;
        exe.flops += (op.attrs.pairs ? 4 : 2) * elements * static_cast<double>(taps);
      } else if (op.code == OpCode::kReduce) {
        exe.flops += static_cast<double>(graph.shape(op.operands[0]).elements());
      } else if (OpClassOf(op.code) == graph::OpClass::kElementwise) {
        exe.flops += elements;
      }
    }
  }
}

std::string OperandText(const executable::Operand& operand) {
  std::string text = "v" + std::to_string(operand.value);
  return operand.offset == 0 ? text : text + "+" + std::to_string(operand.offset);
}

struct StepPrinter {
  const executable::Executable& exe;

  std::string operator()(const executable::KernelStep& step) const {
    std::string text;
    for (const executable::Frame& frame : step.frames) {
      text += (text.empty() ? "" : "\n  | ") + exe.kernels[frame.kernel].symbol + " (";
      for (size_t i = 0; i < frame.buffers.size(); ++i) text += (i ? ", " : "") + OperandText(frame.buffers[i]);
      text += ") args [";
      for (size_t i = 0; i < frame.args.size(); ++i)
        text += (i ? ", " : "") + std::to_string(static_cast<int64_t>(frame.args[i]));
      text += "] tiles " + std::to_string(frame.tiles) + " cost " + std::to_string(frame.cost_ns) + " ns";
      if (frame.scratch >= 0) text += " scratch v" + std::to_string(frame.scratch);
    }
    if (step.local_bytes > 0) text += " local " + std::to_string(step.local_bytes);
    return text;
  }
  std::string operator()(const executable::CopyStep& step) const {
    return "copy " + OperandText(step.src) + " to " + OperandText(step.dst) + " bytes " + std::to_string(step.bytes);
  }
  std::string operator()(const executable::WhileStep& step) const {
    return "while sequence " + std::to_string(step.cond) + " leaves " + OperandText(step.predicate) + " do sequence " +
           std::to_string(step.body);
  }
  std::string operator()(const executable::CaseStep& step) const {
    std::string text = (step.predicate ? "if " : "case ") + OperandText(step.index) + " of sequences";
    for (int32_t branch : step.branches) text += " " + std::to_string(branch);
    return text;
  }
  std::string operator()(const executable::ExchangeStep& step) const {
    std::string text = "exchange";
    for (const executable::Operand& operand : step.operands) text += " " + OperandText(operand);
    text += " in groups";
    for (const std::vector<int32_t>& group : step.groups) text += " " + ListText(group);
    text += " from";
    for (const std::vector<int32_t>& sources : step.sources) text += " " + ListText(sources);
    return text + " members from " + std::to_string(step.first_member) + " do sequence " + std::to_string(step.body);
  }
  std::string operator()(const executable::TransferStep& step) const {
    std::string text = step.puts ? "put" : "take";
    for (const executable::Operand& array : step.arrays) text += " " + OperandText(array);
    text += step.puts ? " into" : " from";
    for (const std::string& channel : step.channels) text += " '" + channel + "'";
    return text + (step.of_device ? " of the device" : "");
  }
  static std::string ListText(const std::vector<int32_t>& list) {
    std::string text;
    for (int32_t number : list) text += (text.empty() ? "" : ",") + std::to_string(number);
    return "[" + text + "]";
  }
};

std::string_view HomeName(executable::Home home) {
  constexpr std::string_view kNames[] = {"parameter", "constant", "arena", "result", "member"};
  return kNames[static_cast<size_t>(home)];
}

}  // namespace

StatusOr<Program> PlanProgram(const Graph& graph, const executable::Target& target) {
  Position clock = 1;
  TREADLE_ASSIGN_OR_RETURN(TaskList tasks, BuildTasks(graph, 0, target, clock));
  std::set<graph::OpId> constants;
  CollectConstants(graph, tasks, constants);
  DropFilled(graph, tasks, constants);
  std::map<graph::OpId, int32_t> constant_of;
  for (graph::OpId op : constants) constant_of.emplace(op, static_cast<int32_t>(constant_of.size()));

  Program program;
  program.executable.name = graph.name;
  program.executable.target = target;
  const graph::Region& main = graph.regions[0];
  for (size_t i = 0; i < main.arguments.size(); ++i) {
    program.executable.parameters.push_back({graph.ArgumentShape(i), static_cast<bool>(graph.donated[i])});
    if (i < graph.argument_shardings.size()) {
      program.executable.parameters.back().sharding = graph.argument_shardings[i];
    }
  }
  if (graph.knows_participant) program.executable.parameters.back().giver = executable::Giver::kRuntime;
  if (graph.global_view) program.executable.view = executable::View::kGlobal;
  AddCost(graph, tasks, program.executable);
  Placement placement = PlaceValues(graph, tasks, constant_of);
  TREADLE_RETURN_IF_ERROR(WriteSteps(graph, tasks, constant_of, std::move(placement), program));
  BatchSteps(program.executable);
  return program;
}

std::string PrintProgram(const Program& program) {
  const executable::Executable& exe = program.executable;
  std::string text;
  for (const PlannedKernel& kernel : program.kernels) text += Print(kernel.plan) + "\n";
  for (size_t v = 0; v < exe.values.size(); ++v) {
    const executable::Value& value = exe.values[v];
    text += "v" + std::to_string(v) + " = " + std::string(HomeName(value.home)) + " " +
            std::to_string(value.home == executable::Home::kArena ? value.offset : value.index) + " bytes " +
            std::to_string(value.bytes) + "\n";
  }
  for (size_t s = 0; s < exe.sequences.size(); ++s) {
    text += "sequence " + std::to_string(s) + "\n";
    for (const executable::Step& step : exe.sequences[s].steps) {
      text += "  " + std::visit(StepPrinter{exe}, step.what) + "  # " + step.name + "\n";
    }
  }
  text += "arena " + std::to_string(exe.arena_bytes) + "\n";
  return text;
}

}  // namespace treadle::plan

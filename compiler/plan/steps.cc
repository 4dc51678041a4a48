#include "compiler/plan/steps.h"

#include <algorithm>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <utility>

#include "compiler/plan/identity.h"
#include "compiler/plan/work.h"

namespace treadle::plan {
namespace {

using executable::CaseStep;
using executable::CopyStep;
using executable::ExchangeStep;
using executable::Executable;
using executable::Frame;
using executable::KernelStep;
using executable::Operand;
using executable::TransferStep;
using executable::WhileStep;
using graph::Graph;
using graph::OpCode;
using graph::ValueId;

// Up to here a kernel's time is lost in the overhead of calling the program.
constexpr int64_t kQuickNs = 1'000;
// What code that is compiled fast saves, for each unit of CodegenCost.
constexpr int64_t kSavedNs = 30'000;
constexpr int64_t kGuessedTrips = 64;  // of a loop whose count nobody knows

Effort EffortOf(const Instance& instance, int loops_around) {
  if (MayRunForever(instance.plan)) return Effort::kAtOnce;  // nothing replaces code in the middle of a call
  Cost cost;
  for (const Cost& phase : instance.costs) cost += phase;
  if (loops_around == 0 && cost.ns < kQuickNs) return Effort::kQuick;
  const int64_t saved = kSavedNs * CodegenCost(instance.plan);
  int64_t lost = cost.quick_ns - cost.ns;
  for (int i = 0; i < loops_around && lost < saved; ++i) lost *= kGuessedTrips;
  return lost < saved ? Effort::kSoon : Effort::kAtOnce;
}

class Writer {
 public:
  Writer(const Graph& graph, Placement placement, Program& program)
      : graph_(graph), placement_(std::move(placement)), program_(program), exe_(program.executable) {}

  Status Run(const TaskList& tasks) {
    exe_.values = placement_.values;
    exe_.sequences.emplace_back();
    TREADLE_RETURN_IF_ERROR(WriteList(tasks, 0));
    const auto& results = graph_.regions[0].results;
    for (size_t r = 0; r < results.size(); ++r) {
      exe_.results.push_back({graph_.ResultShape(r), placement_.donor[r]});
      if (!graph_.result_shardings.empty()) exe_.results.back().sharding = graph_.result_shardings[r];
      CopyToResult(results[r], static_cast<int32_t>(r));
    }
    PlaceScratch();
    return OkStatus();
  }

 private:
  Operand At(ValueId value) const { return {placement_.value_of[value], 0}; }

  // --- results and copies ---

  void Copy(int32_t sequence, Operand src, Operand dst, int64_t bytes, std::string name) {
    if (src.value == dst.value && src.offset == dst.offset) return;
    if (bytes == 0) return;
    exe_.sequences[sequence].steps.push_back({CopyStep{src, dst, bytes}, std::move(name), {src.value}, {dst.value}});
  }

  void CopyToResult(ValueId value, int32_t result) {
    executable::ValueId placed = placement_.value_of[value];
    const executable::Value home = exe_.values[placed];  // not a reference: `values` grows
    if (home.home == executable::Home::kResult && home.index == result) return;
    exe_.values.push_back({executable::Home::kResult, result, 0, home.bytes});
    Copy(0, {placed, 0}, {static_cast<executable::ValueId>(exe_.values.size() - 1), 0}, home.bytes, "copy to result");
  }

  executable::ValueId Temporary(int64_t bytes, Position first, Position last) {
    exe_.values.push_back({executable::Home::kArena, 0, 0, bytes});
    auto id = static_cast<executable::ValueId>(exe_.values.size() - 1);
    scratch_.push_back({first, last, bytes, 0});
    scratch_value_.push_back(id);
    return id;
  }

  // Scratch and temporaries lie behind the placed values, packed by time.
  void PlaceScratch() {
    int64_t bytes = PackIntervals(scratch_);
    for (size_t i = 0; i < scratch_.size(); ++i) {
      exe_.values[scratch_value_[i]].offset = placement_.arena_bytes + scratch_[i].offset;
    }
    exe_.arena_bytes = placement_.arena_bytes + bytes;
  }

  // --- kernels ---

  int32_t KernelNumber(const std::string& symbol) {
    auto [it, inserted] = kernel_number_.emplace(symbol, static_cast<int32_t>(exe_.kernels.size()));
    if (inserted) exe_.kernels.push_back({symbol, -1});
    return it->second;
  }

  // The effort of a kernel is the greatest of those that its uses ask for.
  void AddKernel(const Instance& instance, const std::vector<std::string>& symbols) {
    auto [known, fresh] = known_.emplace(symbols[0], program_.kernels.size());
    if (fresh) program_.kernels.push_back({instance.plan, symbols, Effort::kQuick});
    Effort& effort = program_.kernels[known->second].effort;
    effort = std::max(effort, EffortOf(instance, loops_around_));
  }

  std::string NameOf(const Group& group) const {
    std::string name;
    for (graph::OpId op : group.ops) {
      if (!name.empty()) name += " ";
      name += graph_.ops[op].code == OpCode::kAlgorithm
                  ? graph::AlgorithmName(graph_.ops[op].attrs.call->algorithm)
                  : OpName(graph_.ops[op].code).substr(10);  // without "stablehlo."
      if (name.size() > 60) return name + " ...";
    }
    return name;
  }

  void Push(int32_t sequence, KernelStep step, const Group& group, const std::string& name) {
    std::vector<executable::ValueId> reads, writes;
    for (ValueId v : group.inputs) reads.push_back(placement_.value_of[v]);
    for (ValueId v : group.outputs) writes.push_back(placement_.value_of[v]);
    const executable::ValueId scratch = step.frames.front().scratch;
    if (scratch != executable::kNoValue) writes.push_back(scratch);
    exe_.sequences[sequence].steps.push_back({std::move(step), name, std::move(reads), std::move(writes)});
  }

  std::vector<Operand> Buffers(const Group& group) const {
    std::vector<Operand> buffers;
    for (size_t i = 0; i < group.inputs.size(); ++i) {
      bool starts = std::find(group.starts_from.begin(), group.starts_from.end(), static_cast<int32_t>(i)) !=
                    group.starts_from.end();
      if (!starts) buffers.push_back(At(group.inputs[i]));
    }
    for (ValueId output : group.outputs) buffers.push_back(At(output));
    return buffers;
  }

  Status WritePlan(const Task& task, int32_t sequence) {
    const Group& group = task.group;
    const Instance& instance = task.instance;
    for (size_t k = 0; k < group.starts_from.size(); ++k) {
      if (group.starts_from[k] < 0) continue;
      Copy(sequence, At(group.inputs[group.starts_from[k]]), At(group.outputs[k]),
           graph_.shape(group.outputs[k]).bytes(), "copy before update");
    }
    int64_t scratch_bytes = ScratchBytes(instance.plan, instance.args);
    executable::ValueId scratch =
        scratch_bytes > 0 ? Temporary(scratch_bytes, task.earliest, task.end) : executable::kNoValue;
    const std::vector<std::string> symbols = KernelSymbols(instance.plan, exe_.target);
    AddKernel(instance, symbols);
    for (size_t phase = 0; phase < instance.plan.phases.size(); ++phase) {
      KernelStep step;
      step.frames.push_back({.kernel = KernelNumber(symbols[phase]),
                             .buffers = Buffers(group),
                             .args = instance.args,
                             .tiles = instance.tiles[phase],
                             .scratch = scratch,
                             .cost_ns = instance.costs[phase].ns});
      step.local_bytes = LocalBytes(instance.plan, instance.args);
      Push(sequence, std::move(step), group, NameOf(group));
    }
    return OkStatus();
  }

  // Buffers: the operands, the table if there is one, the results.
  void WriteAlgorithm(const Task& task, int32_t sequence) {
    std::vector<Operand> buffers = Buffers(task.group);
    if (const std::string& table = task.algorithm.table; !table.empty()) {
      buffers.insert(buffers.begin() + static_cast<int64_t>(task.group.inputs.size()), {TableValue(table), 0});
    }
    WritePhases(task, sequence, buffers, task.algorithm);
  }

  // A constant that the program does not have by itself.
  executable::ValueId TableValue(const std::string& bytes) {
    auto [known, fresh] = tables_.try_emplace(bytes, static_cast<executable::ValueId>(exe_.values.size()));
    if (fresh) {
      exe_.values.push_back({executable::Home::kConstant, static_cast<int32_t>(exe_.constants.size()), 0,
                             static_cast<int64_t>(bytes.size())});
      exe_.constants.push_back({bytes});
    }
    return known->second;
  }

  // The phases of a plan of kernels/, which share their buffers and scratch.
  template <typename KernelPlan>
  void WritePhases(const Task& task, int32_t sequence, const std::vector<Operand>& buffers, const KernelPlan& plan) {
    executable::ValueId scratch =
        plan.scratch_bytes > 0 ? Temporary(plan.scratch_bytes, task.earliest, task.end) : executable::kNoValue;
    for (const auto& phase : plan.phases) {
      Frame frame{.kernel = KernelNumber(phase.symbol),
                  .buffers = buffers,
                  .args = phase.args,
                  .tiles = phase.tiles,
                  .scratch = scratch,
                  .cost_ns = phase.cost_ns};
      if constexpr (requires { phase.with_previous; }) {
        if (phase.with_previous) {
          auto& step = std::get<KernelStep>(exe_.sequences[sequence].steps.back().what);
          step.frames.push_back(std::move(frame));
          step.local_bytes = std::max(step.local_bytes, phase.local_bytes);
          continue;
        }
      }
      KernelStep step;
      step.frames.push_back(std::move(frame));
      step.local_bytes = phase.local_bytes;
      Push(sequence, std::move(step), task.group, NameOf(task.group));
    }
  }

  // --- control flow ---

  int32_t NewSequence() {
    exe_.sequences.emplace_back();
    return static_cast<int32_t>(exe_.sequences.size() - 1);
  }

  Status WriteWhile(const Task& task, int32_t sequence) {
    const graph::Op& op = graph_.ops[task.control_op()];
    for (size_t k = 0; k < op.results.size(); ++k) {
      Copy(sequence, At(op.operands[k]), At(op.results[k]), graph_.shape(op.results[k]).bytes(), "copy to carry");
    }
    WhileStep step{NewSequence(), NewSequence(), {}};
    ++loops_around_;
    TREADLE_RETURN_IF_ERROR(WriteList(task.regions[0], step.cond));
    TREADLE_RETURN_IF_ERROR(WriteList(task.regions[1], step.body));
    --loops_around_;
    step.predicate = At(graph_.regions[task.regions[0].region].results[0]);
    CopyCarries(task, step.body);
    Finish(sequence, step, task, "while");
    return OkStatus();
  }

  // All carries change at once: what another copy overwrites is put aside first.
  void CopyCarries(const Task& task, int32_t body) {
    const graph::Op& op = graph_.ops[task.control_op()];
    const graph::Region& region = graph_.regions[task.regions[1].region];
    std::unordered_set<executable::ValueId> written;
    for (size_t k = 0; k < op.results.size(); ++k) {
      if (At(region.results[k]).value != At(op.results[k]).value) written.insert(At(op.results[k]).value);
    }
    std::vector<std::pair<Operand, size_t>> copies;
    for (size_t k = 0; k < op.results.size(); ++k) {
      Operand src = At(region.results[k]);
      if (src.value == At(op.results[k]).value) continue;
      int64_t bytes = graph_.shape(op.results[k]).bytes();
      if (written.count(src.value)) {
        Operand aside{Temporary(bytes, task.begin, task.end), 0};
        Copy(body, src, aside, bytes, "put carry aside");
        src = aside;
      }
      copies.push_back({src, k});
    }
    for (auto [src, k] : copies)
      Copy(body, src, At(op.results[k]), graph_.shape(op.results[k]).bytes(), "copy to carry");
  }

  Status WriteCase(const Task& task, int32_t sequence) {
    const graph::Op& op = graph_.ops[task.control_op()];
    CaseStep step;
    step.predicate = op.code == OpCode::kIf;
    step.index = At(op.operands[0]);
    for (const TaskList& branch : task.regions) {
      int32_t inner = NewSequence();
      step.branches.push_back(inner);
      TREADLE_RETURN_IF_ERROR(WriteList(branch, inner));
      for (size_t k = 0; k < op.results.size(); ++k) {
        Copy(inner, At(graph_.regions[branch.region].results[k]), At(op.results[k]),
             graph_.shape(op.results[k]).bytes(), "copy to branch result");
      }
    }
    Finish(sequence, std::move(step), task, op.code == OpCode::kIf ? "if" : "case");
    return OkStatus();
  }

  // Exchanges are written in the order in which storage.cc numbers their members.
  Status WriteExchange(const Task& task, int32_t sequence) {
    const graph::Op& op = graph_.ops[task.control_op()];
    const TaskList& body = task.regions[0];
    ExchangeStep step;
    for (ValueId operand : op.operands) step.operands.push_back(At(operand));
    step.groups = op.attrs.exchange->groups;
    step.sources = op.attrs.exchange->sources;
    step.members = static_cast<int32_t>(step.sources[0].size());
    step.first_member = members_;
    members_ += static_cast<int32_t>(graph_.regions[body.region].arguments.size());
    step.body = NewSequence();
    const int32_t inner = step.body;
    TREADLE_RETURN_IF_ERROR(WriteList(body, inner));
    for (size_t k = 0; k < op.results.size(); ++k) {
      Copy(inner, At(graph_.regions[body.region].results[k]), At(op.results[k]), graph_.shape(op.results[k]).bytes(),
           "copy to result");
    }
    Finish(sequence, std::move(step), task, "exchange, " + graph_.location(op));
    return OkStatus();
  }

  void WriteTransfer(const Task& task, int32_t sequence) {
    const graph::Op& op = graph_.ops[task.control_op()];
    const graph::Transfer& transfer = *op.attrs.transfer;
    TransferStep step{.puts = transfer.puts,
                      .channels = transfer.channels,
                      .of_device = transfer.of_device,
                      .config = transfer.config,
                      .arrays = {},
                      .shapes = transfer.shapes};
    const std::vector<ValueId>& arrays = transfer.puts ? op.operands : op.results;
    for (size_t k = 0; k < transfer.shapes.size(); ++k) step.arrays.push_back(At(arrays[k]));
    const std::string name = (transfer.puts ? "put into " : "take from ") + transfer.channels[0];
    Finish(sequence, std::move(step), task, name + ", " + graph_.location(op));
  }

  template <typename ControlStep>
  void Finish(int32_t sequence, ControlStep step, const Task& task, std::string name) {
    const graph::Op& op = graph_.ops[task.control_op()];
    std::vector<executable::ValueId> reads, writes;
    for (ValueId v : task.group.inputs) reads.push_back(At(v).value);
    for (ValueId v : op.results) writes.push_back(At(v).value);
    exe_.sequences[sequence].steps.push_back({std::move(step), std::move(name), std::move(reads), std::move(writes)});
  }

  Status WriteControl(const Task& task, int32_t sequence) {
    switch (graph_.ops[task.control_op()].code) {
      case OpCode::kWhile:
        return WriteWhile(task, sequence);
      case OpCode::kExchange:
        return WriteExchange(task, sequence);
      case OpCode::kTransfer:
        WriteTransfer(task, sequence);
        return OkStatus();
      default:
        return WriteCase(task, sequence);
    }
  }

  Status WriteList(const TaskList& list, int32_t sequence) {
    for (const Task& task : list.tasks) {
      switch (task.group.kind) {
        case GroupKind::kPlan:
          TREADLE_RETURN_IF_ERROR(WritePlan(task, sequence));
          break;
        case GroupKind::kDot:
          WritePhases(task, sequence, Buffers(task.group), task.dot);
          break;
        case GroupKind::kAlgorithm:
          WriteAlgorithm(task, sequence);
          break;
        case GroupKind::kSort:
          WritePhases(task, sequence, Buffers(task.group), task.sort);
          break;
        case GroupKind::kControl:
          TREADLE_RETURN_IF_ERROR(WriteControl(task, sequence));
          break;
      }
    }
    return OkStatus();
  }

  const Graph& graph_;
  Placement placement_;
  Program& program_;
  Executable& exe_;
  std::unordered_map<std::string, int32_t> kernel_number_;
  std::unordered_map<std::string, size_t> known_;  // by symbol: position in program_.kernels
  std::unordered_map<std::string, executable::ValueId> tables_;
  int32_t members_ = 0;   // of exchanges so far
  int loops_around_ = 0;  // that the steps being written lie in
  std::vector<Interval> scratch_;
  std::vector<executable::ValueId> scratch_value_;
};

}  // namespace

Status WriteSteps(const Graph& graph, const TaskList& tasks, const std::map<graph::OpId, int32_t>& constant_of,
                  Placement placement, Program& program) {
  program.executable.constants.resize(constant_of.size());
  for (auto [op_id, number] : constant_of) {
    const graph::Op& op = graph.ops[op_id];
    const std::string& literal = *op.attrs.literal;
    std::string& bytes = program.executable.constants[number].bytes;
    if (op.attrs.splat) {
      int64_t count = graph.shape(op.results[0]).elements();
      bytes.reserve(count * literal.size());
      for (int64_t i = 0; i < count; ++i) bytes += literal;
    } else {
      bytes = literal;
    }
  }
  return Writer(graph, std::move(placement), program).Run(tasks);
}

}  // namespace treadle::plan

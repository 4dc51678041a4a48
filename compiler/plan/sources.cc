#include "compiler/plan/sources.h"

#include <algorithm>
#include <utility>

#include "compiler/plan/operation_class.h"
#include "compiler/plan/schedules/elementwise.h"
#include "compiler/plan/sort_task.h"

namespace treadle::plan {

using graph::OpCode;
using graph::OpId;
using graph::RegionId;
using graph::ValueId;

namespace {

// A pointwise value is computed again by every reader, like a free one, if that is cheap and reads little: scalars,
// masks, one-hot rows.
constexpr int kCheapUops = 8;
constexpr int64_t kMuchSmaller = 8;
constexpr size_t kScalarReads = 4;
constexpr size_t kMostFusedOperands = 4;  // of a concatenate
constexpr int kMostReads = 8;             // that one element of a value chosen from others may stand for

Source::Path After(Source::Path path, PathStep step) {
  if (step == PathStep::kLinear) return path;
  return step == PathStep::kRows && path == Source::kLinear ? Source::kRows : Source::kOther;
}

}  // namespace

bool IsBaked(const graph::Graph& graph, ValueId constant) {
  return graph.ops[graph.values[constant].def].attrs.splat || graph.shape(constant).elements() <= 1;
}

Sources::Sources(const graph::Graph& graph, RegionId region)
    : graph_(graph), region_id_(region), region_(graph.regions[region]) {
  FindLive();
  FindNeeded();
  FindFused();
}

bool Sources::IsFree(ValueId value) const {
  OpId def = graph_.values[value].def;
  if (def < 0 || graph_.values[value].region != region_id_) return false;
  return ClassOf(graph_, graph_.ops[def]) == OperationClass::kFree || cheap_.contains(value) || fused_.contains(value);
}

void Sources::FindLive() {
  live_.assign(graph_.ops.size(), false);
  std::vector<ValueId> stack(region_.results.begin(), region_.results.end());
  for (OpId op : region_.ops) {
    if (Transfers(graph_, graph_.ops[op])) stack.push_back(graph_.ops[op].results.back());
  }
  std::set<OpId> mine(region_.ops.begin(), region_.ops.end());
  auto visit_region = [&](auto&& self, RegionId region) -> void {
    const graph::Region& nested = graph_.regions[region];
    stack.insert(stack.end(), nested.results.begin(), nested.results.end());
    for (OpId op : nested.ops) {
      stack.insert(stack.end(), graph_.ops[op].operands.begin(), graph_.ops[op].operands.end());
      for (RegionId inner : graph_.ops[op].regions) self(self, inner);
    }
  };
  while (!stack.empty()) {
    ValueId value = stack.back();
    stack.pop_back();
    used_.insert(value);
    OpId def = graph_.values[value].def;
    if (def < 0 || !mine.contains(def) || live_[def]) continue;
    live_[def] = true;
    stack.insert(stack.end(), graph_.ops[def].operands.begin(), graph_.ops[def].operands.end());
    for (RegionId region : graph_.ops[def].regions) visit_region(visit_region, region);
  }
}

std::vector<ValueId> Sources::SortOperands(const graph::Op& sort) const {
  if (!IsPlainSort(graph_, sort)) return sort.operands;
  return SortReads(graph_, sort, [this](ValueId value) { return IsUsed(value); });
}

void Sources::NeedNested(RegionId region) {
  const graph::Region& nested = graph_.regions[region];
  auto need = [&](ValueId value) {
    if (graph_.values[value].region == region_id_ && !IsConstant(graph_, value)) needed_.insert(value);
  };
  for (ValueId value : nested.results) need(value);
  for (OpId op : nested.ops) {
    for (ValueId value : graph_.ops[op].operands) need(value);
    for (RegionId inner : graph_.ops[op].regions) NeedNested(inner);
  }
}

void Sources::FindNeeded() {
  needed_.insert(region_.results.begin(), region_.results.end());
  for (OpId number : region_.ops) {
    const graph::Op& op = graph_.ops[number];
    if (!live_[number]) continue;
    switch (ClassOf(graph_, op)) {
      case OperationClass::kControl:
      case OperationClass::kSort:
        for (RegionId nested : op.regions) NeedNested(nested);
        [[fallthrough]];
      case OperationClass::kDot:
      case OperationClass::kAlgorithm:
      case OperationClass::kTranspose:
        for (ValueId operand : op.code == OpCode::kSort ? SortOperands(op) : op.operands) {
          if (!IsConstant(graph_, operand)) needed_.insert(operand);
        }
        break;
      case OperationClass::kUpdate:
      case OperationClass::kScatter:
        needed_.insert(op.operands.begin(), op.operands.begin() + static_cast<int64_t>(WrittenOver(op)));
        break;
      default:
        break;
    }
  }
}

namespace {

// Whether readers may choose between the operands element by element: few of them, each walked without gaps.
bool MayFuse(const graph::Graph& graph, const graph::Op& op) {
  if (ClassOf(graph, op) != OperationClass::kPieces) return false;
  if (op.code == OpCode::kConcatenate) return op.operands.size() <= kMostFusedOperands;
  return std::all_of(op.attrs.interior.begin(), op.attrs.interior.end(), [](int64_t gap) { return gap == 0; });
}

}  // namespace

// Whether all that reads the value is a move that other pointwise values are made of, or such a value.
bool Sources::OnlyShifts(ValueId value, const Readers& readers) const {
  auto found = readers.find(value);
  if (found == readers.end()) return false;
  return std::all_of(found->second.begin(), found->second.end(), [&](const graph::Op* reader) {
    return fused_.contains(reader->results[0]) || shifted_.contains(reader->results[0]);
  });
}

// From the readers backwards. Slices and reverses of pads and concatenations count as such where their own readers do;
// what nothing reads but the region's results may be made by the group that writes it.
void Sources::FindFused() {
  Readers readers;
  std::set<ValueId> chosen;  // values that may be read at any place for little
  auto reads_well = [&](const graph::Op* reader) {
    bool pointwise = ClassOf(graph_, *reader) == OperationClass::kPointwise &&
                     graph::OpClassOf(reader->code) == graph::OpClass::kElementwise;
    return pointwise || chosen.contains(reader->results[0]);
  };
  for (size_t k = region_.ops.size(); k-- > 0;) {
    const graph::Op& op = graph_.ops[region_.ops[k]];
    if (!live_[region_.ops[k]] || op.results.size() != 1) {
      for (ValueId operand : op.operands) readers[operand].push_back(&op);
      continue;
    }
    const ValueId result = op.results[0];
    const bool is_read = readers.contains(result), needed = needed_.contains(result);
    const bool well = !is_read || std::all_of(readers[result].begin(), readers[result].end(), reads_well);
    const bool moves = op.code == OpCode::kSlice || op.code == OpCode::kReverse;
    if (moves && well && (is_read || needed)) chosen.insert(result);
    if (MayFuse(graph_, op) && well && is_read && !needed) {
      chosen.insert(result);
      fused_.insert(result);
    }
    bool elementwise = graph::OpClassOf(op.code) == graph::OpClass::kElementwise;
    if (moves && is_read && !needed) shifted_.insert(result);
    if (elementwise && is_read && !needed && OnlyShifts(result, readers)) shifted_.insert(result);
    for (ValueId operand : op.operands) readers[operand].push_back(&op);
  }
  BoundFused();
}

// A value that is chosen from values that are chosen from others, ... is as many reads as all of these together. What
// would become too many is written to memory.
void Sources::BoundFused() {
  std::map<ValueId, int> reads;
  auto reads_of = [&](ValueId value) {
    auto found = reads.find(value);
    return found == reads.end() ? 1 : found->second;
  };
  for (OpId number : region_.ops) {
    const graph::Op& op = graph_.ops[number];
    if (!live_[number] || op.results.size() != 1) continue;
    const ValueId result = op.results[0];
    const bool chosen = fused_.contains(result), again = shifted_.contains(result);
    if (!chosen && !again && ClassOf(graph_, op) != OperationClass::kFree) continue;
    int all = 0;
    for (ValueId operand : op.operands) all = std::min(all + reads_of(operand), kMostReads + 1);
    if (all <= kMostReads) {
      reads[result] = std::max(all, 1);
    } else if (chosen || again) {
      fused_.erase(result);
      shifted_.erase(result);
    } else {
      reads[result] = all;
    }
  }
}

const std::vector<Source>& Sources::Trace(ValueId value) {
  if (auto found = traces_.find(value); found != traces_.end()) return found->second;
  // Free operations stand in program order, so that tracing every one as it comes needs no deep recursion.
  std::vector<Source> sources;
  OpId def = graph_.values[value].def;
  if (IsConstant(graph_, value)) {
    if (!IsBaked(graph_, value)) sources.push_back({value, Source::kLinear});
  } else if (!IsFree(value)) {
    sources.push_back({value, Source::kLinear});
  } else if (cheap_.contains(value)) {
    sources = Of(graph_.ops[def]);
  } else {
    const graph::Op& op = graph_.ops[def];
    for (size_t k = 0; k < op.operands.size(); ++k) {
      if (op.code == OpCode::kOptimizationBarrier && op.results[k] != value) continue;
      PathStep step = k == 0 || op.code == OpCode::kOptimizationBarrier ? StepOf(graph_, op) : PathStep::kOther;
      for (const Source& source : Trace(op.operands[k])) {
        Source::Path path = After(source.path, step);
        bool again = std::any_of(sources.begin(), sources.end(),
                                 [&](const Source& s) { return s.base == source.base && s.path == path; });
        if (!again) sources.push_back({source.base, path});
      }
    }
  }
  return traces_.emplace(value, std::move(sources)).first->second;
}

bool Sources::MakeFree(const graph::Op& op) {
  if (needed_.contains(op.results[0])) return false;
  int uops = UopsOf(graph_, op);
  for (ValueId value : op.operands) {
    while (!cheap_.contains(value) && IsFree(value) && !graph_.ops[graph_.values[value].def].operands.empty()) {
      value = graph_.ops[graph_.values[value].def].operands[0];
    }
    if (auto cheap = cheap_.find(value); cheap != cheap_.end()) uops += cheap->second;
  }
  if (uops > kCheapUops) return false;
  int64_t elements = graph_.shape(op.results[0]).elements(), read = 0;
  std::vector<Source> sources = Of(op);
  for (const Source& source : sources) read += graph_.shape(source.base).elements();
  bool little = read * kMuchSmaller <= elements || (elements == 1 && sources.size() <= kScalarReads);
  // Read elsewhere only, it would have to be written and read again: more than it takes to make it anew.
  little = little || (shifted_.contains(op.results[0]) && sources.size() <= kScalarReads);
  if (little) cheap_.emplace(op.results[0], uops);
  return little;
}

// Indices with one component that the result's leading dimensions walk are read like a broadcast's operand.
std::vector<Source> Sources::OfGather(const graph::Op& op) {
  const graph::IndexedWindows& windows = op.attrs.windows;
  const Shape& indices = graph_.shape(op.operands[1]);
  int64_t elements = graph_.shape(op.results[0]).elements();
  bool one = windows.index_map.size() == 1 && elements > 0;
  auto rank = static_cast<int64_t>(graph_.shape(op.results[0]).dims.size());
  int64_t walked = static_cast<int64_t>(windows.window.size());
  bool leading =
      std::all_of(windows.window.begin(), windows.window.end(), [&](int64_t d) { return d >= rank - walked; });
  PathStep step = !one                                            ? PathStep::kOther
                  : indices.elements() == elements                ? PathStep::kLinear
                  : leading && elements % indices.elements() == 0 ? PathStep::kRows
                                                                  : PathStep::kOther;
  std::vector<Source> sources;
  for (const Source& source : Trace(op.operands[0])) sources.push_back({source.base, Source::kOther});
  for (const Source& source : Trace(op.operands[1])) sources.push_back({source.base, After(source.path, step)});
  return sources;
}

std::vector<Source> Sources::Of(const graph::Op& op) {
  std::vector<Source> sources;
  int64_t elements = graph_.shape(op.results[0]).elements();
  bool pointwise = ClassOf(graph_, op) == OperationClass::kPointwise;
  if (op.code == OpCode::kGather) return OfGather(op);
  for (ValueId operand : op.operands) {
    bool scalar = pointwise && graph_.shape(operand).rank() == 0 && graph_.shape(op.results[0]).rank() > 0;
    for (const Source& source : Trace(operand)) {
      Source::Path path = source.path;
      if (scalar) path = source.path == Source::kOther || elements == 0 ? Source::kOther : Source::kRows;
      sources.push_back({source.base, path});
    }
  }
  return sources;
}

}  // namespace treadle::plan

#include "compiler/plan/group.h"

#include <algorithm>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <tuple>
#include <utility>

#include "compiler/plan/operation_class.h"
#include "compiler/plan/schedules/elementwise.h"
#include "compiler/plan/schedules/map_loop.h"
#include "compiler/plan/schedules/scan.h"
#include "compiler/plan/schedules/serial.h"
#include "compiler/plan/sort_task.h"
#include "compiler/plan/sources.h"

namespace treadle::plan {
namespace {

using graph::Graph;
using graph::OpCode;
using graph::OpId;
using graph::RegionId;
using graph::ValueId;

// Rows up to here are reduced many at once, so what is done once a row is vector code too.
constexpr int64_t kVectorRows = 16;

// A loop, or a branch, that is one kernel.
Group LoopGroup(const Graph& graph, OpId op, const std::function<bool(ValueId)>& is_used) {
  return IsMapLoop(graph, op) ? MapLoopGroup(graph, op, is_used) : SerialGroup(graph, op, is_used);
}

// A group in the making.
struct Working {
  GroupKind kind = GroupKind::kPlan;
  bool closed = false;            // takes no further members
  int64_t elements = 0;           // of the domain
  std::vector<Extent> reduction;  // empty: no reductions; else the domain, cut in kept and reduced stretches
  int64_t kept = 0;               // product of the stretches kept
  int32_t stage = 0;
  int32_t read_at = INT32_MAX;  // a lower bound of the stages of groups that read this one
  int uops = 0;
  size_t size = 0;                 // number of members
  std::vector<ValueId> members;    // results of operations that are not free, and free values that memory needs
  std::set<ValueId> reads;         // bases outside
  std::set<ValueId> written_over;  // operands of dynamic_update_slices: nothing else here may read them
  bool interleaves = false;        // has a member of class kInterleave

  // Outputs that only the schedule of maps can write.
  bool needs_map() const { return interleaves || !written_over.empty(); }
};

class Grouper {
 public:
  Grouper(const Graph& graph, RegionId region, const executable::Target& target, const GroupLimits& limits)
      : graph_(graph), region_(graph.regions[region]), target_(target), limits_(limits), sources_(graph, region) {}

  StatusOr<std::vector<Group>> Run();

 private:
  bool IsUpdate(ValueId value) const {
    OpId def = graph_.values[value].def;
    return def >= 0 && graph_.ops[def].code == OpCode::kDynamicUpdateSlice;
  }
  bool IsWritten(ValueId value) const {  // whoever reads it
    OpId def = graph_.values[value].def;
    if (def < 0) return false;
    const graph::Op& op = graph_.ops[def];
    return op.code == OpCode::kScatter || (op.code == OpCode::kReduceWindow && ScanOf(graph_, op).has_value());
  }
  int Find(int group);
  int GroupOf(ValueId base);
  int NewGroup(GroupKind kind, int64_t elements, int32_t stage);
  int32_t StageAfter(const std::vector<Source>& sources);
  void AddMember(int group, ValueId value, int uops, const std::vector<Source>& sources);
  bool CanMerge(const Working& a, const Working& b) const;
  static void Absorb(Working& into, const Working& from);
  void Merge(int into, int from);
  // The groups, of those that the sources lie in, that a new member should join and thereby merge, and the stage that
  // it then has. `fits`: whether the member can be in the (merged) group, all other sources being read from memory.
  struct Choice {
    std::vector<int> groups;
    int32_t stage = 0;
  };
  using Fits = std::function<bool(const Working&, const std::vector<int>& groups)>;
  Choice Choose(const std::vector<Source>& sources, const Fits& fits);
  int Join(const Choice& choice, int64_t elements);

  void PlacePointwise(ValueId value, int uops, const std::vector<Source>& sources);
  bool PointwiseFits(const Working& group, const std::vector<int>& groups, int64_t elements, int uops,
                     const std::vector<Source>& sources);
  Status PlaceReduce(const graph::Op& op);
  std::vector<Source> UpdateSources(const graph::Op& op);
  void PlaceUpdate(const graph::Op& op);
  void PlaceScatter(const graph::Op& op);
  void PlaceInterleave(const graph::Op& op);
  void PlaceAlone(const graph::Op& op, GroupKind kind);
  std::optional<OpId> SerialOp(GroupKind kind, const std::vector<ValueId>& members) const;
  Group Finish(const Working& working);

  const Graph& graph_;
  const graph::Region& region_;
  const executable::Target& target_;
  const GroupLimits limits_;
  Sources sources_;
  std::map<ValueId, int> group_of_;                        // members
  std::set<std::pair<const graph::Op*, ValueId>> copied_;  // operands of updates that are read from memory though free
  std::vector<Working> groups_;
  std::vector<int> parents_;
};

int Grouper::Find(int group) {
  while (parents_[group] != group) group = parents_[group] = parents_[parents_[group]];
  return group;
}

int Grouper::GroupOf(ValueId base) {
  auto found = group_of_.find(base);
  return found == group_of_.end() ? -1 : Find(found->second);
}

int32_t Grouper::StageAfter(const std::vector<Source>& sources) {
  int32_t stage = 0;
  for (const Source& source : sources) {
    if (int group = GroupOf(source.base); group >= 0) stage = std::max(stage, groups_[group].stage + 1);
  }
  return stage;
}

int Grouper::NewGroup(GroupKind kind, int64_t elements, int32_t stage) {
  Working working;
  working.kind = kind;
  working.elements = elements;
  working.stage = stage;
  groups_.push_back(std::move(working));
  parents_.push_back(static_cast<int>(parents_.size()));
  return parents_.back();
}

void Grouper::AddMember(int group, ValueId value, int uops, const std::vector<Source>& sources) {
  Working& working = groups_[group];
  working.members.push_back(value);
  ++working.size;
  working.uops += uops;
  group_of_[value] = group;
  for (const Source& source : sources) {
    int other = GroupOf(source.base);
    if (other == group) continue;
    working.reads.insert(source.base);
    if (other >= 0) groups_[other].read_at = std::min(groups_[other].read_at, working.stage);
  }
}

bool Grouper::CanMerge(const Working& a, const Working& b) const {
  if (a.closed || b.closed || a.kind != GroupKind::kPlan || b.kind != GroupKind::kPlan) return false;
  if (a.uops + b.uops > limits_.uops || a.size + b.size > limits_.members) return false;
  if (a.reads.size() + b.reads.size() > limits_.inputs) return false;
  for (const auto& [one, other] : {std::pair(&a, &b), std::pair(&b, &a)}) {
    for (ValueId value : one->written_over) {
      if (other->reads.contains(value) || other->written_over.contains(value)) return false;
    }
  }
  if (a.reduction.empty() && b.reduction.empty()) return a.elements == b.elements;
  if (a.needs_map() || b.needs_map()) return false;
  if (a.reduction.empty()) return a.elements == b.elements || a.elements == b.kept;
  if (b.reduction.empty()) return a.elements == b.elements || b.elements == a.kept;
  return a.reduction == b.reduction;
}

void Grouper::Absorb(Working& a, const Working& b) {
  if (a.reduction.empty() && !b.reduction.empty()) {
    a.elements = b.elements;
    a.reduction = b.reduction;
    a.kept = b.kept;
  }
  a.read_at = std::min(a.read_at, b.read_at);
  a.uops += b.uops;
  a.size += b.size;
  a.members.insert(a.members.end(), b.members.begin(), b.members.end());
  a.reads.insert(b.reads.begin(), b.reads.end());
  a.written_over.insert(b.written_over.begin(), b.written_over.end());
  a.interleaves = a.interleaves || b.interleaves;
}

void Grouper::Merge(int into, int from) {
  Absorb(groups_[into], groups_[from]);
  parents_[from] = into;
  groups_[from] = {};
}

// Every edge between groups must lead to a higher stage. The new stage is the highest of those joined, and above those
// of all other sources; a group that is lifted to it must not have a reader at or below it.
Grouper::Choice Grouper::Choose(const std::vector<Source>& sources, const Fits& fits) {
  std::vector<int> joined;
  int32_t floor = 0;
  for (const Source& source : sources) {
    int group = GroupOf(source.base);
    if (group < 0 || std::find(joined.begin(), joined.end(), group) != joined.end()) continue;
    const Working& working = groups_[group];
    if (working.kind == GroupKind::kPlan && !working.closed && fits(working, {group})) {
      joined.push_back(group);
    } else {
      floor = std::max(floor, working.stage + 1);
    }
  }
  std::sort(joined.begin(), joined.end(),
            [&](int a, int b) { return std::pair(-groups_[a].stage, a) < std::pair(-groups_[b].stage, b); });
  auto drop = [&](std::vector<int>::iterator which) {
    floor = std::max(floor, groups_[*which].stage + 1);
    joined.erase(which);
  };
  while (!joined.empty()) {
    int32_t stage = std::max(floor, groups_[joined.front()].stage);
    auto held = std::find_if(joined.begin(), joined.end(), [&](int group) {
      return groups_[group].stage < stage && groups_[group].read_at <= stage;
    });
    if (held != joined.end()) {
      drop(held);
      continue;
    }
    if (joined.size() == 1) return {joined, stage};
    Working merged;  // all but the members
    auto apart = joined.begin();
    for (auto group = joined.begin(); group != joined.end(); ++group) {
      const Working& working = groups_[*group];
      Working summary{working.kind,  working.closed,       working.elements,   working.reduction, working.kept,
                      working.stage, working.read_at,      working.uops,       working.size,      {},
                      working.reads, working.written_over, working.interleaves};
      if (group == joined.begin()) {
        merged = std::move(summary);
      } else if (CanMerge(merged, summary)) {
        Absorb(merged, summary);
      } else {
        apart = group;
        break;
      }
    }
    if (apart == joined.begin() && fits(merged, joined)) return {joined, stage};
    drop(apart == joined.begin() ? joined.end() - 1 : apart);
  }
  return {{}, floor};
}

int Grouper::Join(const Choice& choice, int64_t elements) {
  if (choice.groups.empty()) return NewGroup(GroupKind::kPlan, elements, choice.stage);
  int group = choice.groups[0];
  for (size_t k = 1; k < choice.groups.size(); ++k) Merge(group, choice.groups[k]);
  groups_[group].stage = choice.stage;
  return group;
}

// Whether `value` can be a member of `group` (perhaps the merger of several).
bool Grouper::PointwiseFits(const Working& group, const std::vector<int>& groups, int64_t elements, int uops,
                            const std::vector<Source>& sources) {
  if (group.uops + uops > limits_.uops || group.size >= limits_.members) return false;
  if (group.reads.size() + sources.size() > limits_.inputs) return false;
  bool rows = IsRows(group.reduction);
  bool whole = group.reduction.empty() || elements == group.elements;
  if (!whole) {
    int64_t length = group.kept == 0 ? 0 : group.elements / group.kept;
    if (elements != group.kept) return false;
    if (group.kept > 1 && length > kVectorRows && uops * 2 > length) return false;  // scalar code once a row would show
  } else if (group.reduction.empty() && elements != group.elements) {
    return false;
  }
  for (const Source& source : sources) {
    if (group.written_over.contains(source.base)) return false;
    if (std::find(groups.begin(), groups.end(), GroupOf(source.base)) == groups.end()) continue;
    if (IsUpdate(source.base)) return false;
    int64_t base = graph_.shape(source.base).elements();
    if (source.path == Source::kLinear && base == elements) continue;
    bool back = whole && rows && source.path == Source::kRows && base == group.kept;
    if (!back) return false;
    int64_t row_bytes = group.elements / std::max<int64_t>(group.kept, 1) * 8;
    if (row_bytes > (group.kept == 1 ? target_.l1_bytes : target_.l2_bytes / 2)) return false;
  }
  return true;
}

void Grouper::PlacePointwise(ValueId value, int uops, const std::vector<Source>& sources) {
  int64_t elements = graph_.shape(value).elements();
  Choice choice = Choose(sources, [&](const Working& group, const std::vector<int>& groups) {
    return PointwiseFits(group, groups, elements, uops, sources);
  });
  AddMember(Join(choice, elements), value, uops, sources);
}

Status Grouper::PlaceReduce(const graph::Op& op) {
  size_t inputs = op.results.size();
  std::vector<Source> operands, sources;
  for (size_t k = 0; k < op.operands.size(); ++k) {
    const std::vector<Source>& traced = sources_.Trace(op.operands[k]);
    sources.insert(sources.end(), traced.begin(), traced.end());
    if (k < inputs) operands.insert(operands.end(), traced.begin(), traced.end());
  }
  const Shape& shape = graph_.shape(op.operands[0]);
  std::vector<Extent> reduction = ReductionOf(shape.dims, op.attrs.dims);
  int64_t kept = graph_.shape(op.results[0]).elements();
  Choice choice = Choose(sources, [&](const Working& group, const std::vector<int>& groups) {
    if (group.needs_map() || group.elements != shape.elements() || group.uops + 4 > limits_.uops) return false;
    if (!group.reduction.empty() && group.reduction != reduction) return false;
    return std::all_of(sources.begin(), sources.end(), [&](const Source& source) {
      if (std::find(groups.begin(), groups.end(), GroupOf(source.base)) == groups.end()) return true;
      bool is_operand =
          std::any_of(operands.begin(), operands.end(), [&](const Source& s) { return s.base == source.base; });
      return is_operand && source.path == Source::kLinear && graph_.shape(source.base).elements() == shape.elements();
    });
  });
  int group = Join(choice, shape.elements());
  groups_[group].reduction = std::move(reduction);
  groups_[group].kept = kept;
  for (ValueId result : op.results) AddMember(group, result, 2, sources);
  return OkStatus();
}

// What an update reads besides the memory that it writes. Where that would be the same memory, seen through free
// operations, a group of an earlier stage makes a copy first.
std::vector<Source> Grouper::UpdateSources(const graph::Op& op) {
  std::vector<Source> sources;
  const auto written = op.operands.begin() + static_cast<int64_t>(WrittenOver(op));
  for (size_t k = WrittenOver(op); k < op.operands.size(); ++k) {
    std::vector<Source> traced = sources_.Trace(op.operands[k]);
    bool reads = std::any_of(traced.begin(), traced.end(), [&](const Source& s) {
      return std::find(op.operands.begin(), written, s.base) != written;
    });
    if (reads) {
      if (!group_of_.contains(op.operands[k])) PlacePointwise(op.operands[k], 1, traced);
      copied_.insert({&op, op.operands[k]});
      traced = {{op.operands[k], Source::kLinear}};
    }
    for (const Source& source : traced) sources.push_back({source.base, k == 1 ? source.path : Source::kOther});
  }
  return sources;
}

// Writes a window of its operand's memory. Joins the group that makes the window, unless that group reads the operand.
void Grouper::PlaceUpdate(const graph::Op& op) {
  std::vector<Source> sources = UpdateSources(op);
  std::vector<Source> all = sources;
  all.push_back({op.operands[0], Source::kOther});
  int64_t elements = graph_.shape(op.operands[1]).elements();
  Choice choice = Choose(all, [&](const Working& group, const std::vector<int>& groups) {
    if (!group.reduction.empty() || group.elements != elements || group.reads.contains(op.operands[0]) ||
        group.written_over.contains(op.operands[0])) {
      return false;
    }
    return std::all_of(all.begin(), all.end(), [&](const Source& source) {
      if (std::find(groups.begin(), groups.end(), GroupOf(source.base)) == groups.end()) return true;
      return source.path == Source::kLinear && !IsUpdate(source.base);
    });
  });
  bool joins = !choice.groups.empty();
  int group = Join(choice, elements);
  groups_[group].written_over.insert(op.operands[0]);
  AddMember(group, op.results[0], 1, all);
  // Nothing that comes later may read the window, whose contents depend on the order of loops.
  if (!joins) groups_[group].closed = true;
}

// A kernel of its own: it reads and writes its operands' memory, window after window.
void Grouper::PlaceScatter(const graph::Op& op) {
  std::vector<Source> sources = UpdateSources(op);
  const auto written = op.operands.begin() + static_cast<int64_t>(WrittenOver(op));
  std::for_each(op.operands.begin(), written, [&](ValueId operand) { sources.push_back({operand, Source::kOther}); });
  int64_t elements = graph_.shape(op.operands.back()).elements();
  int group = NewGroup(GroupKind::kPlan, elements, StageAfter(sources));
  groups_[group].closed = true;
  groups_[group].written_over.insert(op.operands.begin(), written);
  for (ValueId result : op.results) AddMember(group, result, 0, sources);
}

// Joins the groups that make what it puts side by side, unless they reduce.
void Grouper::PlaceInterleave(const graph::Op& op) {
  const int64_t elements = graph_.shape(op.operands[0]).elements();
  std::vector<Source> sources;
  for (ValueId operand : op.operands) {
    const std::vector<Source>& traced = sources_.Trace(operand);
    sources.insert(sources.end(), traced.begin(), traced.end());
  }
  Choice choice = Choose(sources, [&](const Working& group, const std::vector<int>& groups) {
    return group.reduction.empty() && PointwiseFits(group, groups, elements, 2, sources);
  });
  int group = Join(choice, elements);
  groups_[group].interleaves = true;
  AddMember(group, op.results[0], 2, sources);
}

void Grouper::PlaceAlone(const graph::Op& op, GroupKind kind) {
  std::vector<Source> sources;
  for (ValueId operand : kind == GroupKind::kSort ? sources_.SortOperands(op) : op.operands) {
    OperationClass cls = ClassOf(graph_, op);
    bool in_memory = kind != GroupKind::kPlan || cls == OperationClass::kTranspose || cls == OperationClass::kSort ||
                     cls == OperationClass::kControl;
    if (in_memory) {
      sources.push_back({operand, Source::kOther});
    } else {
      const std::vector<Source>& traced = sources_.Trace(operand);
      sources.insert(sources.end(), traced.begin(), traced.end());
    }
  }
  std::set<ValueId> free;
  for (RegionId region : op.regions) AddFreeValues(graph_, region, free);
  for (ValueId value : free) sources.push_back({value, Source::kOther});
  int group =
      NewGroup(kind, graph_.shape(op.results.empty() ? op.operands[0] : op.results[0]).elements(), StageAfter(sources));
  groups_[group].closed = true;
  for (ValueId result : op.results) AddMember(group, result, 0, sources);
}

// The operation, if the group is a loop that became one kernel.
std::optional<OpId> Grouper::SerialOp(GroupKind kind, const std::vector<ValueId>& members) const {
  if (kind != GroupKind::kPlan || members.empty()) return std::nullopt;
  OpId def = graph_.values[members.front()].def;
  return ClassOf(graph_, graph_.ops[def]) == OperationClass::kControl ? std::optional(def) : std::nullopt;
}

Group Grouper::Finish(const Working& working) {
  Group group;
  if (working.kind == GroupKind::kSort) {
    const OpId number = graph_.values[working.members.front()].def;
    return {.kind = GroupKind::kSort,
            .ops = {number},
            .inputs = sources_.SortOperands(graph_.ops[number]),
            .stage = working.stage};
  }
  if (std::optional<OpId> serial = SerialOp(working.kind, working.members)) {
    group = LoopGroup(graph_, *serial, [](ValueId) { return false; });  // outputs: when all readers are known
    group.stage = working.stage;
    return group;
  }
  group.kind = working.kind;
  group.stage = working.stage;
  std::set<ValueId> members(working.members.begin(), working.members.end()), inputs, visited;
  std::set<OpId> ops;
  std::vector<ValueId> stack(working.members.rbegin(), working.members.rend());
  while (!stack.empty()) {
    ValueId value = stack.back();
    stack.pop_back();
    if (!visited.insert(value).second) continue;
    OpId def = graph_.values[value].def;
    bool constant = IsConstant(graph_, value);
    bool baked = constant && IsBaked(graph_, value);
    bool inside = members.contains(value) || (!constant && sources_.IsFree(value));
    if (baked) {
      ops.insert(def);
      continue;
    }
    if (!inside) {
      inputs.insert(value);
      continue;
    }
    const graph::Op& op = graph_.ops[def];
    const bool again = !ops.insert(def).second;  // by another of its results
    if (again && op.code != OpCode::kOptimizationBarrier) continue;
    OperationClass cls = ClassOf(graph_, op);
    bool direct = cls == OperationClass::kDot || cls == OperationClass::kAlgorithm || cls == OperationClass::kControl ||
                  cls == OperationClass::kTranspose || cls == OperationClass::kSort;
    for (const ValueId& operand : op.operands) {
      if (op.code == OpCode::kOptimizationBarrier && op.results[&operand - op.operands.data()] != value) continue;
      bool overwritten = &operand - op.operands.data() < static_cast<int64_t>(WrittenOver(op));
      if (direct || overwritten || copied_.contains({&op, operand})) {
        inputs.insert(operand);
      } else {
        stack.push_back(operand);
      }
    }
    if (cls == OperationClass::kControl || cls == OperationClass::kSort) {
      for (RegionId region : op.regions) AddFreeValues(graph_, region, inputs);
    }
  }
  group.ops.assign(ops.begin(), ops.end());
  group.inputs.assign(inputs.begin(), inputs.end());
  if (group.kind == GroupKind::kDot || group.kind == GroupKind::kAlgorithm)
    group.inputs = graph_.ops[group.ops.front()].operands;
  return group;
}

StatusOr<std::vector<Group>> Grouper::Run() {
  for (OpId number : region_.ops) {
    if (!sources_.IsLive(number)) continue;
    const graph::Op& op = graph_.ops[number];
    switch (ClassOf(graph_, op)) {
      case OperationClass::kFree:
        for (ValueId result : op.results) {
          const std::vector<Source>& sources = sources_.Trace(result);
          if (sources_.IsNeeded(result) && op.code != OpCode::kConstant) PlacePointwise(result, 1, sources);
        }
        break;
      case OperationClass::kPointwise:
        if (!sources_.MakeFree(op)) PlacePointwise(op.results[0], UopsOf(graph_, op), sources_.Of(op));
        break;
      case OperationClass::kReduce:
        TREADLE_RETURN_IF_ERROR(PlaceReduce(op));
        break;
      case OperationClass::kUpdate:
        PlaceUpdate(op);
        break;
      case OperationClass::kScatter:
        PlaceScatter(op);
        break;
      case OperationClass::kInterleave:
        PlaceInterleave(op);
        break;
      case OperationClass::kPieces:
        if (!sources_.IsFree(op.results[0])) PlaceAlone(op, GroupKind::kPlan);
        break;
      case OperationClass::kWindow:
      case OperationClass::kTranspose:
        PlaceAlone(op, GroupKind::kPlan);
        break;
      case OperationClass::kSort:
        PlaceAlone(op, IsPlainSort(graph_, op) ? GroupKind::kSort : GroupKind::kPlan);
        break;
      case OperationClass::kDot:
        PlaceAlone(op, GroupKind::kDot);
        break;
      case OperationClass::kAlgorithm:
        PlaceAlone(op, GroupKind::kAlgorithm);
        break;
      case OperationClass::kControl:
        PlaceAlone(op, IsMapLoop(graph_, number) || IsSerial(graph_, number) ? GroupKind::kPlan : GroupKind::kControl);
        break;
    }
  }
  std::vector<Group> result;
  std::vector<const Working*> workings;
  std::set<ValueId> read;
  for (size_t k = 0; k < groups_.size(); ++k) {
    if (Find(static_cast<int>(k)) != static_cast<int>(k)) continue;
    result.push_back(Finish(groups_[k]));
    workings.push_back(&groups_[k]);
    read.insert(result.back().inputs.begin(), result.back().inputs.end());
  }
  for (size_t k = 0; k < result.size(); ++k) {
    Group& group = result[k];
    std::vector<ValueId> members = workings[k]->members;
    std::sort(members.begin(), members.end());
    if (std::optional<OpId> serial = SerialOp(group.kind, members)) {
      Group whole = LoopGroup(graph_, *serial, [&](ValueId v) { return read.contains(v) || sources_.IsNeeded(v); });
      group.outputs = std::move(whole.outputs);
      group.starts_from = std::move(whole.starts_from);
      continue;
    }
    bool all =
        group.kind == GroupKind::kDot || group.kind == GroupKind::kAlgorithm || group.kind == GroupKind::kControl;
    for (ValueId value : members) {
      bool wanted = all || read.contains(value) || sources_.IsNeeded(value);
      if (!wanted && !IsWritten(value)) continue;
      group.outputs.push_back(value);
      const graph::Op& op = graph_.ops[graph_.values[value].def];
      int32_t from = -1;
      if (WrittenOver(op) > 0) {
        auto number = std::find(op.results.begin(), op.results.end(), value) - op.results.begin();
        auto at = std::find(group.inputs.begin(), group.inputs.end(), op.operands[number]);
        from = static_cast<int32_t>(at - group.inputs.begin());
      }
      group.starts_from.push_back(from);
    }
  }
  std::sort(result.begin(), result.end(), [](const Group& a, const Group& b) {
    return std::tuple(a.stage, a.ops.front(), a.outputs) < std::tuple(b.stage, b.ops.front(), b.outputs);
  });
  return result;
}

}  // namespace

StatusOr<std::vector<Group>> GroupRegion(const Graph& graph, RegionId region, const executable::Target& target,
                                         const GroupLimits& limits) {
  return Grouper(graph, region, target, limits).Run();
}

}  // namespace treadle::plan

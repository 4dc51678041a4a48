#include "compiler/plan/tasks.h"

#include <algorithm>
#include <queue>
#include <unordered_map>
#include <unordered_set>
#include <utility>

#include "compiler/plan/batch_steps.h"
#include "compiler/plan/dot_task.h"
#include "compiler/plan/schedule.h"
#include "compiler/plan/sort_task.h"

namespace treadle::plan {
namespace {

using graph::Graph;
using graph::OpCode;
using graph::RegionId;
using graph::ValueId;

// Of the outputs of a task that may run earlier, and so take memory earlier.
constexpr int64_t kMostMovedBytes = 1 << 20;

// Large splats that someone needs as memory (results, carries, operands of control flow) become groups that fill them.
void AddFillGroups(const Graph& graph, RegionId region, std::vector<Group>& groups) {
  std::unordered_set<ValueId> defined;
  for (const Group& group : groups) defined.insert(group.outputs.begin(), group.outputs.end());
  std::vector<Group> fills;
  auto need = [&](ValueId value) {
    const graph::Value& v = graph.values[value];
    if (v.def == graph::kNoOp || v.region != region || defined.count(value)) return;
    const graph::Op& op = graph.ops[v.def];
    if (op.code != OpCode::kConstant || !op.attrs.splat || v.shape.bytes() <= kLargestPooledSplat) return;
    defined.insert(value);
    fills.push_back({.ops = {v.def}, .outputs = {value}, .starts_from = {-1}});
  };
  for (ValueId value : graph.regions[region].results) need(value);
  for (const Group& group : groups) {
    if (group.kind == GroupKind::kPlan) continue;
    for (ValueId value : group.inputs) need(value);
  }
  groups.insert(groups.end(), std::make_move_iterator(fills.begin()), std::make_move_iterator(fills.end()));
}

// Products write their result in any order of dimensions: a transpose of one that nobody else reads becomes part of it.
void FoldTransposes(const Graph& graph, RegionId region, std::vector<Group>& groups) {
  std::unordered_map<ValueId, size_t> dot_of;
  std::unordered_map<ValueId, int> readers;
  for (size_t g = 0; g < groups.size(); ++g) {
    const bool dot = groups[g].kind == GroupKind::kDot && groups[g].ops.size() == 1;
    if (dot && !graph.ops[groups[g].ops[0]].attrs.pairs) dot_of[groups[g].outputs[0]] = g;
    for (ValueId value : groups[g].inputs) ++readers[value];
  }
  for (ValueId value : graph.regions[region].results) ++readers[value];
  for (Group& group : groups) {
    if (group.kind != GroupKind::kPlan || group.ops.size() != 1) continue;
    if (graph.ops[group.ops[0]].code != OpCode::kTranspose) continue;
    auto found = dot_of.find(group.inputs[0]);
    if (found == dot_of.end() || readers[group.inputs[0]] != 1) continue;
    Group& dot = groups[found->second];
    dot.ops.push_back(group.ops[0]);
    dot.outputs = std::move(group.outputs);
    group.ops.clear();
  }
  std::erase_if(groups, [](const Group& group) { return group.ops.empty(); });
}

// Near program order keeps few values alive at a time: among the groups that are ready, the one whose last operation
// stands first goes first.
std::vector<Group> Ordered(const Graph& graph, std::vector<Group> groups) {
  std::unordered_map<ValueId, size_t> producer;
  for (size_t g = 0; g < groups.size(); ++g) {
    for (ValueId value : groups[g].outputs) producer[value] = g;
  }
  std::vector<std::vector<size_t>> consumers(groups.size());
  std::vector<int> waiting(groups.size(), 0);
  for (size_t g = 0; g < groups.size(); ++g) {
    for (ValueId value : groups[g].inputs) {
      auto found = producer.find(value);
      if (found == producer.end() || found->second == g) continue;
      consumers[found->second].push_back(g);
      ++waiting[g];
    }
  }
  using Key = std::pair<graph::OpId, size_t>;
  std::priority_queue<Key, std::vector<Key>, std::greater<>> ready;
  auto last_op = [&](size_t g) { return *std::max_element(groups[g].ops.begin(), groups[g].ops.end()); };
  for (size_t g = 0; g < groups.size(); ++g) {
    if (waiting[g] == 0) ready.push({last_op(g), g});
  }
  std::vector<Group> ordered;
  ordered.reserve(groups.size());
  while (!ready.empty()) {
    size_t g = ready.top().second;
    ready.pop();
    for (size_t next : consumers[g]) {
      if (--waiting[next] == 0) ready.push({last_op(next), next});
    }
    ordered.push_back(std::move(groups[g]));
  }
  return ordered;
}

// Control flow reads, besides its operands, the values of outer regions that its regions use.
void AddCapturedInputs(const Graph& graph, Group& group, const TaskList& list) {
  std::unordered_set<ValueId> known(group.inputs.begin(), group.inputs.end());
  auto add = [&](ValueId value) {
    const graph::Value& v = graph.values[value];
    if (v.region != list.region && known.insert(value).second) group.inputs.push_back(value);
  };
  for (const Task& task : list.tasks) {
    for (ValueId value : task.group.inputs) add(value);
  }
  for (ValueId value : graph.regions[list.region].results) add(value);
}

// Tiles and time of the phase that takes longest.
std::pair<int64_t, int64_t> DearestPhase(const Task& task) {
  std::pair<int64_t, int64_t> dearest{0, -1};
  const auto see = [&](int64_t tiles, int64_t cost_ns) {
    if (cost_ns > dearest.second) dearest = {tiles, cost_ns};
  };
  for (size_t phase = 0; phase < task.instance.tiles.size(); ++phase) {
    see(task.instance.tiles[phase], task.instance.costs[phase].ns);
  }
  for (const auto& phase : task.dot.phases) see(phase.tiles, phase.cost_ns);
  for (const auto& phase : task.sort.phases) see(phase.tiles, phase.cost_ns);
  for (const auto& phase : task.algorithm.phases) see(phase.tiles, phase.cost_ns);
  return dearest;
}

int64_t OutputBytes(const Graph& graph, const Group& group) {
  int64_t bytes = 0;
  for (ValueId value : group.outputs) bytes += std::min(graph.shape(value).bytes(), kMostMovedBytes);
  return bytes;
}

// Lets tasks run beside those before that they do not wait for, where one of the two is narrow.
void AllowTogether(const Graph& graph, std::vector<Task>& tasks) {
  std::unordered_map<ValueId, size_t> producer;
  std::vector<bool> narrow(tasks.size(), false);
  size_t last_narrow = 0;
  for (size_t i = 0; i < tasks.size(); ++i) {
    Task& task = tasks[i];
    for (ValueId value : task.group.outputs) producer[value] = i;
    if (task.group.kind == GroupKind::kControl) continue;
    const auto [tiles, cost_ns] = DearestPhase(task);
    narrow[i] = IsNarrow(tiles, cost_ns);
    if (narrow[i]) last_narrow = i;
    if (OutputBytes(graph, task.group) >= kMostMovedBytes) continue;
    size_t first = std::max(i - std::min(i, kBatchReach), narrow[i] ? 0 : last_narrow);
    for (ValueId value : task.group.inputs) {
      const auto found = producer.find(value);
      if (found != producer.end()) first = std::max(first, found->second + 1);
    }
    for (size_t k = i; k-- > first;) {
      if (tasks[k].group.kind == GroupKind::kControl) break;
      if (narrow[i] || narrow[k]) task.earliest = tasks[k].begin;
    }
  }
}

}  // namespace

StatusOr<TaskList> BuildTasks(const Graph& graph, RegionId region, const executable::Target& target, Position& clock) {
  TREADLE_ASSIGN_OR_RETURN(std::vector<Group> groups, GroupRegion(graph, region, target));
  AddFillGroups(graph, region, groups);
  FoldTransposes(graph, region, groups);
  size_t count = groups.size();
  groups = Ordered(graph, std::move(groups));
  if (groups.size() != count)
    return Internal("the groups of region " + std::to_string(region) + " depend on each other in a cycle");

  TaskList list;
  list.region = region;
  list.begin = clock++;
  for (Group& group : groups) {
    Task task;
    task.group = std::move(group);
    task.begin = task.earliest = clock++;
    switch (task.group.kind) {
      case GroupKind::kPlan: {
        TREADLE_ASSIGN_OR_RETURN(task.instance, ScheduleGroup(graph, task.group, target));
        break;
      }
      case GroupKind::kDot: {
        TREADLE_ASSIGN_OR_RETURN(task.dot, PlanDotTask(graph, task.group, target));
        break;
      }
      case GroupKind::kAlgorithm:
        task.algorithm = PlanAlgorithmTask(graph, task.group, target);
        break;
      case GroupKind::kSort:
        task.sort = PlanSortTask(graph, task.group, target);
        break;
      case GroupKind::kControl:
        for (RegionId nested : graph.ops[task.control_op()].regions) {
          TREADLE_ASSIGN_OR_RETURN(TaskList inner, BuildTasks(graph, nested, target, clock));
          AddCapturedInputs(graph, task.group, inner);
          task.regions.push_back(std::move(inner));
        }
        break;
    }
    task.end = clock++;
    list.tasks.push_back(std::move(task));
  }
  list.end = clock++;
  AllowTogether(graph, list.tasks);
  return list;
}

}  // namespace treadle::plan

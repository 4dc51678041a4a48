#include "compiler/plan/storage.h"

#include <algorithm>
#include <numeric>
#include <utility>

namespace treadle::plan {
namespace {

using executable::Home;
using executable::kNoValue;
using graph::Graph;
using graph::OpCode;
using graph::ValueId;

// Positions at which the contents of one value matter, first to last, both included.
struct Span {
  Position first = 0;
  Position last = -1;
  bool used() const { return last >= first; }
};

class Placer {
 public:
  Placer(const Graph& graph, const TaskList& tasks, const std::map<graph::OpId, int32_t>& constant_of)
      : graph_(graph), tasks_(tasks), constant_of_(constant_of) {
    size_t count = graph.values.size();
    span_.resize(count);
    parent_.resize(count);
    std::iota(parent_.begin(), parent_.end(), 0);
    spans_of_.resize(count);
    home_.resize(count, Home::kArena);
    index_.resize(count, -1);
    memory_.resize(count, false);
    producer_.resize(count, nullptr);
  }

  Placement Run() {
    PinArguments();
    int32_t members = 0;
    PinMembers(tasks_, members);
    FindProducers(tasks_);
    Live(tasks_, {});
    for (size_t v = 0; v < span_.size(); ++v) {
      if (memory_[v] && span_[v].used())
        spans_of_[v].emplace(span_[v].first, std::pair(span_[v].last, static_cast<ValueId>(v)));
    }
    JoinLoops(tasks_);
    JoinInPlace(tasks_);
    PinResults();
    JoinEnds(tasks_);
    return Assign();
  }

 private:
  ValueId Find(ValueId v) {
    while (parent_[v] != v) v = parent_[v] = parent_[parent_[v]];
    return v;
  }

  bool Pinned(ValueId v) { return home_[Find(v)] != Home::kArena; }

  void PinArguments() {
    const auto& arguments = graph_.regions[0].arguments;
    for (size_t i = 0; i < arguments.size(); ++i) Pin(arguments[i], Home::kParameter, static_cast<int32_t>(i));
    for (auto [op, number] : constant_of_) Pin(graph_.ops[op].results[0], Home::kConstant, number);
  }

  // What others lend lives with them.
  void PinMembers(const TaskList& list, int32_t& next) {
    for (const Task& task : list.tasks) {
      if (IsExchange(task)) {
        for (ValueId member : graph_.regions[task.regions[0].region].arguments) Pin(member, Home::kMember, next++);
      }
      for (const TaskList& inner : task.regions) PinMembers(inner, next);
    }
  }

  bool IsExchange(const Task& task) const {
    return task.group.kind == GroupKind::kControl && graph_.ops[task.control_op()].code == OpCode::kExchange;
  }

  void Pin(ValueId value, Home home, int32_t index) {
    memory_[value] = true;
    ValueId root = Find(value);
    home_[root] = home;
    index_[root] = index;
  }

  // --- liveness ---

  void Define(ValueId value, Position at) {
    memory_[value] = true;
    if (!span_[value].used()) span_[value] = {at, at};
    span_[value].first = std::min(span_[value].first, at);
  }

  // A use inside control flow of a value from outside it lasts to the end of the outermost such control flow: another
  // iteration may come.
  void Use(ValueId value, Position at, const std::vector<const Task*>& around,
           const std::vector<graph::RegionId>& regions) {
    const graph::Value& v = graph_.values[value];
    for (size_t depth = 0; depth < around.size(); ++depth) {
      if (regions[depth] == v.region) {
        at = std::max(at, around[depth]->end);
        break;
      }
    }
    if (!span_[value].used()) span_[value] = {0, at};  // arguments and constants of the program: there from the start
    span_[value].last = std::max(span_[value].last, at);
  }

  void Live(const TaskList& list, std::vector<const Task*> around) {
    std::vector<graph::RegionId> regions;  // regions[d]: the region that around[d] stands in
    for (const Task* task : around)
      regions.push_back(graph_.ops[task->control_op()].results.empty()
                            ? RegionOf(task)
                            : graph_.values[graph_.ops[task->control_op()].results[0]].region);
    for (const Task& task : list.tasks) {
      for (ValueId value : task.group.inputs) {
        // The operands of an exchange are read, by others, up to its end.
        Position at = task.group.kind == GroupKind::kControl && !IsExchange(task) ? task.begin : task.end;
        Use(value, at, around, regions);
      }
      if (task.group.kind == GroupKind::kControl) {
        LiveControl(task, around);
      } else {
        for (ValueId value : task.group.outputs) Define(value, task.begin);
      }
    }
    for (ValueId value : graph_.regions[list.region].results) Use(value, list.end, around, regions);
  }

  graph::RegionId RegionOf(const Task* task) const {
    for (size_t r = 0; r < graph_.regions.size(); ++r) {
      const auto& ops = graph_.regions[r].ops;
      if (std::find(ops.begin(), ops.end(), task->control_op()) != ops.end()) return static_cast<graph::RegionId>(r);
    }
    return 0;
  }

  void LiveControl(const Task& task, const std::vector<const Task*>& around) {
    const graph::Op& op = graph_.ops[task.control_op()];
    std::vector<const Task*> inner = around;
    inner.push_back(&task);
    if (op.code == OpCode::kWhile) {
      const TaskList& cond = task.regions[0];
      const TaskList& body = task.regions[1];
      for (ValueId v : graph_.regions[cond.region].arguments) span_[v] = {task.begin, body.begin}, memory_[v] = true;
      for (ValueId v : graph_.regions[body.region].arguments) span_[v] = {body.begin, body.begin}, memory_[v] = true;
      for (ValueId v : op.results) span_[v] = {task.end, task.end}, memory_[v] = true;
    } else {
      for (ValueId v : op.results) Define(v, task.end);
    }
    for (const TaskList& list : task.regions) Live(list, inner);
  }

  // --- joining ---

  // Whether the classes of a and b ever hold two different contents at once. `dying` and `born` (values, or -1) may
  // touch: the last use of the first is the task that makes the second.
  bool Conflict(ValueId a, ValueId b, ValueId dying, ValueId born) {
    a = Find(a), b = Find(b);
    if (spans_of_[a].size() > spans_of_[b].size()) std::swap(a, b);
    for (const auto& [first, rest] : spans_of_[a]) {
      auto [last, value] = rest;
      auto it = spans_of_[b].upper_bound(last);
      while (it != spans_of_[b].begin()) {
        --it;
        auto [other_last, other] = it->second;
        if (other_last < first) break;
        bool touch = (value == dying && other == born && last <= it->first + 1) ||
                     (value == born && other == dying && other_last <= first + 1);
        if (!touch) return true;
      }
    }
    return false;
  }

  bool SameBytes(ValueId a, ValueId b) const { return graph_.shape(a).bytes() == graph_.shape(b).bytes(); }

  void Unite(ValueId a, ValueId b) {
    a = Find(a), b = Find(b);
    if (a == b) return;
    if (spans_of_[a].size() < spans_of_[b].size()) std::swap(a, b);
    parent_[b] = a;
    spans_of_[a].merge(spans_of_[b]);
    for (auto& [first, rest] : spans_of_[b]) {  // touching spans that begin at the same place
      auto& mine = spans_of_[a][first];
      if (rest.first > mine.first) mine = rest;
    }
    spans_of_[b].clear();
    if (home_[a] == Home::kArena) home_[a] = home_[b], index_[a] = index_[b];
  }

  bool TryUnite(ValueId a, ValueId b, ValueId dying, ValueId born) {
    if (Find(a) == Find(b)) return true;
    if (!SameBytes(a, b) || Pinned(a) || Pinned(b) || Conflict(a, b, dying, born)) return false;
    Unite(a, b);
    return true;
  }

  // The carries of a loop, in cond, body and as results, are one class each.
  void JoinLoops(const TaskList& list) {
    for (const Task& task : list.tasks) {
      if (task.group.kind != GroupKind::kControl) continue;
      const graph::Op& op = graph_.ops[task.control_op()];
      if (op.code == OpCode::kWhile) {
        for (size_t k = 0; k < op.results.size(); ++k) {
          Unite(op.results[k], graph_.regions[task.regions[0].region].arguments[k]);
          Unite(op.results[k], graph_.regions[task.regions[1].region].arguments[k]);
        }
      }
      for (const TaskList& inner : task.regions) JoinLoops(inner);
    }
  }

  // Outputs that start from an input take its memory; body results take the memory of their carries.
  void JoinInPlace(const TaskList& list) {
    for (const Task& task : list.tasks) {
      const Group& group = task.group;
      for (size_t k = 0; k < group.starts_from.size(); ++k) {
        if (group.starts_from[k] < 0) continue;
        ValueId input = group.inputs[group.starts_from[k]];
        TryUnite(input, group.outputs[k], input, group.outputs[k]);
      }
      for (const TaskList& inner : task.regions) JoinInPlace(inner);
    }
  }

  // The input of `task` whose memory output `value` may take by the kernel's word, or -1.
  ValueId MayShare(const Task& task, ValueId value) const {
    const Group& group = task.group;
    size_t k = std::find(group.outputs.begin(), group.outputs.end(), value) - group.outputs.begin();
    if (group.kind != GroupKind::kPlan || k == group.outputs.size()) return -1;
    if (k < group.starts_from.size() && group.starts_from[k] >= 0) return group.inputs[group.starts_from[k]];
    std::vector<ValueId> passed = PassedInputs(group);
    size_t number = 0;
    for (const Buffer& buffer : task.instance.plan.buffers) {
      if (buffer.role == Role::kLocal || buffer.role == Role::kScratch) continue;
      if (number++ != passed.size() + k) continue;
      if (buffer.may_share < 0 || static_cast<size_t>(buffer.may_share) >= passed.size()) return -1;
      return passed[buffer.may_share];
    }
    return -1;
  }

  static std::vector<ValueId> PassedInputs(const Group& group) {
    std::vector<ValueId> passed;
    for (size_t i = 0; i < group.inputs.size(); ++i) {
      if (std::find(group.starts_from.begin(), group.starts_from.end(), static_cast<int32_t>(i)) ==
          group.starts_from.end()) {
        passed.push_back(group.inputs[i]);
      }
    }
    return passed;
  }

  void FindProducers(const TaskList& list) {
    for (const Task& task : list.tasks) {
      for (ValueId value : task.group.outputs) producer_[value] = &task;
      for (const TaskList& inner : task.regions) FindProducers(inner);
    }
  }

  // The task of `list` that makes a value, or null.
  const Task* Producer(const TaskList& list, ValueId value) const {
    return graph_.values[value].region == list.region ? producer_[value] : nullptr;
  }

  // Where control flow begins and ends: initial values, body results and branch results take the place they would be
  // copied to.
  void JoinEnds(const TaskList& list) {
    for (const Task& task : list.tasks) {
      if (task.group.kind != GroupKind::kControl) continue;
      const graph::Op& op = graph_.ops[task.control_op()];
      for (const TaskList& inner : task.regions) JoinEnds(inner);
      if (op.code == OpCode::kWhile) {
        const TaskList& body = task.regions[1];
        const graph::Region& region = graph_.regions[body.region];
        for (size_t k = 0; k < op.results.size(); ++k) {
          ValueId result = region.results[k];
          if (result == region.arguments[k]) continue;
          const Task* producer = Producer(body, result);
          ValueId sharing = producer ? MayShare(*producer, result) : -1;
          bool ours = sharing >= 0 && sharing == region.arguments[k];
          if (graph_.values[result].region == body.region &&
              std::find(region.arguments.begin(), region.arguments.end(), result) == region.arguments.end()) {
            JoinResult(op.results[k], result, ours ? region.arguments[k] : -1);
          }
          JoinInit(task, op.operands[k], op.results[k], graph_.regions[task.regions[0].region].arguments[k]);
        }
      } else {
        for (const TaskList& branch : task.regions) {
          for (size_t k = 0; k < op.results.size(); ++k) {
            ValueId result = graph_.regions[branch.region].results[k];
            if (graph_.values[result].region == branch.region) TryUniteKeepingPin(op.results[k], result, -1, -1);
          }
        }
      }
    }
  }

  void JoinResult(ValueId carry, ValueId result, ValueId dying) { TryUniteKeepingPin(carry, result, dying, result); }

  void JoinInit(const Task& task, ValueId init, ValueId carry, ValueId cond_argument) {
    if (graph_.values[init].def == graph::kNoOp && Pinned(init)) return;
    if (span_[init].last > task.begin) return;  // needed again
    TryUniteKeepingPin(carry, init, init, cond_argument);
  }

  // As TryUnite, but the first class may live in a result already.
  bool TryUniteKeepingPin(ValueId pinned, ValueId other, ValueId dying, ValueId born) {
    if (Find(pinned) == Find(other)) return true;
    bool result_home = home_[Find(pinned)] == Home::kResult;
    if ((Pinned(pinned) && !result_home) || Pinned(other) || !SameBytes(pinned, other) || !memory_[other]) return false;
    if (Conflict(pinned, other, dying, born)) return false;
    Unite(pinned, other);
    return true;
  }

  // --- results of the program ---

  void PinResults() {
    const auto& results = graph_.regions[0].results;
    for (size_t r = 0; r < results.size(); ++r) {
      if (memory_[results[r]] && !Pinned(results[r])) Pin(results[r], Home::kResult, static_cast<int32_t>(r));
    }
  }

  std::vector<int32_t> Donors() {
    const graph::Region& main = graph_.regions[0];
    std::vector<int32_t> donor(main.results.size(), -1);
    std::vector<bool> taken(main.arguments.size(), false);
    auto try_donor = [&](size_t r, size_t p) {
      ValueId result = main.results[r], argument = main.arguments[p];
      ValueId root = Find(result);
      if (donor[r] >= 0 || taken[p] || !graph_.donated[p] || home_[root] != Home::kResult ||
          !SameBytes(result, argument))
        return;
      if (static_cast<size_t>(index_[root]) != r) return;
      if (!DonorConflict(argument, result)) donor[r] = static_cast<int32_t>(p), taken[p] = true;
    };
    for (size_t p = 0; p < main.arguments.size(); ++p) {
      if (graph_.aliased_result[p] >= 0) try_donor(graph_.aliased_result[p], p);
    }
    for (size_t r = 0; r < main.results.size(); ++r) {
      for (size_t p = 0; p < main.arguments.size(); ++p) try_donor(r, p);
    }
    return donor;
  }

  // The argument's contents must be done with before the result's class begins, or end in the task that makes its first
  // member from it in place, or where it is copied there.
  bool DonorConflict(ValueId argument, ValueId result) {
    const auto& spans = spans_of_[Find(result)];
    if (spans.empty() || !span_[argument].used()) return false;
    auto [first, rest] = *spans.begin();
    if (span_[argument].last < first) return false;
    ValueId born = rest.second;
    if (span_[argument].last > first + 1) return true;
    return !StartsFrom(tasks_, argument, born);
  }

  bool StartsFrom(const TaskList& list, ValueId argument, ValueId born) const {
    const Task* producer = Producer(list, born);
    if (producer != nullptr && producer->group.kind != GroupKind::kControl)
      return MayShare(*producer, born) == argument;
    for (const Task& task : list.tasks) {
      if (task.group.kind != GroupKind::kControl || task.begin != span_[argument].last) continue;
      const graph::Op& op = graph_.ops[task.control_op()];
      if (op.code != OpCode::kWhile) continue;
      const auto& carries = graph_.regions[task.regions[0].region].arguments;
      for (size_t k = 0; k < carries.size(); ++k) {
        if (carries[k] == born && op.operands[k] == argument) return true;
      }
    }
    return false;
  }

  // --- addresses ---

  Placement Assign() {
    Placement placement;
    placement.donor = Donors();
    placement.value_of.assign(graph_.values.size(), kNoValue);
    std::vector<executable::ValueId> of_root(graph_.values.size(), kNoValue);
    std::vector<Interval> intervals;
    std::vector<size_t> interval_value;
    for (size_t v = 0; v < graph_.values.size(); ++v) {
      if (!memory_[v]) continue;
      ValueId root = Find(static_cast<ValueId>(v));
      if (of_root[root] == kNoValue) {
        of_root[root] = static_cast<executable::ValueId>(placement.values.size());
        placement.values.push_back({home_[root], index_[root], 0, graph_.shape(static_cast<ValueId>(v)).bytes()});
        if (home_[root] == Home::kArena && !spans_of_[root].empty()) {
          Interval interval{spans_of_[root].begin()->first, 0, placement.values.back().bytes, 0};
          for (const auto& [first, rest] : spans_of_[root]) {
            const Task* producer = producer_[rest.second];
            if (producer != nullptr) interval.first = std::min(interval.first, producer->earliest);
            interval.last = std::max(interval.last, rest.first);
          }
          intervals.push_back(interval);
          interval_value.push_back(of_root[root]);
        }
      }
      placement.value_of[v] = of_root[root];
    }
    placement.arena_bytes = PackIntervals(intervals);
    for (size_t i = 0; i < intervals.size(); ++i) placement.values[interval_value[i]].offset = intervals[i].offset;
    return placement;
  }

  const Graph& graph_;
  const TaskList& tasks_;
  const std::map<graph::OpId, int32_t>& constant_of_;
  std::vector<Span> span_;
  std::vector<bool> memory_;
  std::vector<const Task*> producer_;
  // Classes, by root: members' spans (first -> last, member), disjoint but for touching ends.
  std::vector<ValueId> parent_;
  std::vector<std::map<Position, std::pair<Position, ValueId>>> spans_of_;
  std::vector<Home> home_;
  std::vector<int32_t> index_;
};

}  // namespace

Placement PlaceValues(const Graph& graph, const TaskList& tasks, const std::map<graph::OpId, int32_t>& constant_of) {
  return Placer(graph, tasks, constant_of).Run();
}

}  // namespace treadle::plan

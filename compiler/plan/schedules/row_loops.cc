#include "compiler/plan/schedules/row_loops.h"

#include <algorithm>

namespace treadle::plan {
namespace {

constexpr int kWorthKeeping = 12;  // vector operations that cost more than a store and a load in L1

}  // namespace

std::vector<int> RowLoops::PassRoots(int pass) const {
  if (pass < static_cast<int>(group_.reductions().size())) return group_.reductions()[pass].operands;
  return group_.WholeRoots();
}

void RowLoops::ChooseLocals(int64_t elements, int64_t most_bytes, bool stays) {
  stays_ = stays;
  int passes = static_cast<int>(group_.reductions().size()) + 1;
  std::vector<int> first(nest_.items(), -1);
  std::map<int, int> chosen;  // item -> first pass
  std::vector<bool> stop(nest_.items());
  int64_t bytes = 0;
  auto choose = [&](int item, int pass, bool must) {
    int64_t more = elements * ElementBytes(group_.kernel().graph().shape(nest_.ItemValue(item)).type);
    if (stop[item] || (!must && bytes + more > most_bytes)) return;
    bytes += more;
    stop[item] = true;
    chosen[item] = pass;
  };
  auto cost = [&](int item) {  // of computing it again
    int uops = 0;
    std::vector<int> stack = {item};
    std::vector<bool> seen(nest_.items());
    while (!stack.empty()) {
      int top = stack.back();
      stack.pop_back();
      if (seen[top] || !group_.IsWhole(top) || stop[top]) continue;
      seen[top] = true;
      uops += nest_.ItemUops(top);
      for (int operand : nest_.ItemOperands(top)) stack.push_back(operand);
    }
    return uops;
  };
  for (int pass = 0; pass < passes; ++pass) {
    std::vector<int> roots = PassRoots(pass);
    std::vector<int> reached = group_.Reach(roots, stop);
    for (size_t k = reached.size(); k-- > 0;) {
      int item = reached[k];
      if (!stays || first[item] < 0 || first[item] == pass || stop[item] || cost(item) < kWorthKeeping) continue;
      std::vector<int> still = group_.Reach(roots, stop);
      if (std::binary_search(still.begin(), still.end(), item)) choose(item, first[item], /*must=*/false);
    }
    for (int item : group_.Reach(roots, stays ? stop : std::vector<bool>())) {
      if (first[item] < 0) first[item] = pass;
    }
    if (!IsStaged() || pass + 1 == passes) continue;
    for (int root : roots) {
      if (group_.IsWhole(nest_.Root(root))) choose(nest_.Root(root), first[nest_.Root(root)], /*must=*/true);
    }
  }
  Size size = chosen.empty() ? Size{} : group_.kernel().AddSize(elements);
  for (auto [item, pass] : chosen) {
    ElementType type = group_.kernel().graph().shape(nest_.ItemValue(item)).type;
    locals_[item] = {group_.b().AddBuffer(type, Role::kLocal, size), pass};
  }
}

void RowLoops::LoadLocals(int pass, const LocalAt& at) {
  if (!stays_) return;
  std::vector<bool> stop(nest_.items());
  for (const auto& [item, local] : locals_) stop[item] = local.first_pass < pass;
  for (int item : group_.Reach(PassRoots(pass), stop)) {
    if (stop[item]) nest_.SetItem(item, group_.b().Load(at(locals_.at(item).buffer)));
  }
}

bool RowLoops::IsStoredBy(int pass, int item) const {
  if (stays_) return locals_.at(item).first_pass == pass;
  std::vector<int> roots = PassRoots(pass);
  return std::any_of(roots.begin(), roots.end(), [&](int root) { return nest_.Root(root) == item; });
}

Status RowLoops::StoreLocals(int pass, const LocalAt& at) {
  for (const auto& [item, local] : locals_) {
    if (!IsStoredBy(pass, item)) continue;
    TREADLE_ASSIGN_OR_RETURN(Id value, nest_.Value(item));
    group_.b().Store(at(local.buffer), value);
  }
  return OkStatus();
}

Status RowLoops::Range(Id lo, Id hi, int unroll, const std::function<Status(const std::vector<Term>&)>& body) {
  Builder& b = group_.b();
  if (group_.inner().empty()) return body({});
  std::vector<int> rows = group_.inner();
  int lane = rows.back();
  rows.pop_back();
  nest_.SetLaneAxis(lane);
  auto lanes = [&](Id first, Id last, Id base) -> Status {
    Id j = b.BeginLanes(first, last, unroll);
    nest_.OpenScope();
    nest_.Bind(lane, j);
    std::vector<Term> place{{j, {-1, 1}}};
    if (base != kNone) place.push_back({base, {-1, 1}});
    TREADLE_RETURN_IF_ERROR(body(place));
    nest_.Bind(lane, kNone);
    nest_.CloseScope();
    b.EndLoop();
    return OkStatus();
  };
  if (rows.empty()) {
    bool from_start = b.SizeValue({-1, 0}) == lo;
    return lanes(lo, hi, from_start ? kNone : b.Sub(b.ConstI64(0), lo));
  }
  Id length = group_.kernel().AddI64(nest_.axes()[lane].size);
  Id end = b.Div(b.Add(hi, b.Sub(length, b.ConstI64(1))), length);
  Id row = b.BeginFor(b.Div(lo, length), end);
  nest_.OpenScope();
  nest_.BindDigits(rows, row);
  TREADLE_RETURN_IF_ERROR(nest_.Hoist());
  Id base = b.Sub(b.Mul(row, length), lo);
  Id negative = b.Sub(b.ConstI64(0), base);
  TREADLE_RETURN_IF_ERROR(lanes(b.Max(negative, b.ConstI64(0)), b.Min(length, b.Sub(hi, b.Mul(row, length))), base));
  nest_.Unbind(rows);
  nest_.CloseScope();
  b.EndLoop();
  return OkStatus();
}

StatusOr<std::vector<Id>> RowLoops::Reduce(int pass, Id lo, Id hi, std::span<const Id> init) {
  const Reduction& reduction = group_.reductions()[pass];
  Builder& b = group_.b();
  const graph::Graph& graph = group_.kernel().graph();
  if (group_.inner().empty()) {
    TREADLE_ASSIGN_OR_RETURN(std::vector<Id> values, group_.Values(reduction.operands));
    return EmitCombine(b, graph, reduction.combiner, init, values);
  }
  int unroll = UnrollFor(group_.UopsOf(reduction.operands));
  if (IsStaged()) {
    TREADLE_RETURN_IF_ERROR(Range(lo, hi, unroll, [&](const std::vector<Term>& place) -> Status {
      auto at = [&](uint16_t buffer) { return Access{buffer, {}, place}; };
      LoadLocals(pass, at);
      return StoreLocals(pass, at);
    }));
    hi = b.Sub(hi, lo);
    lo = b.ConstI64(0);
  }
  Id j = b.BeginReduce(LoopKind::kLanes, reduction.combiner.tree(), lo, hi, init, unroll);
  nest_.OpenScope();
  std::vector<Term> place{{j, {-1, 1}}};
  if (lo != b.SizeValue({-1, 0})) place.push_back({b.Sub(b.ConstI64(0), lo), {-1, 1}});
  auto at = [&](uint16_t buffer) { return Access{buffer, {}, place}; };
  if (IsStaged()) {
    for (int root : reduction.operands) {
      auto local = locals_.find(nest_.Root(root));
      if (local != locals_.end() && !nest_.HasItem(local->first))
        nest_.SetItem(local->first, b.Load(at(local->second.buffer)));
    }
  } else {
    nest_.SetLaneAxis(group_.inner()[0]);
    nest_.Bind(group_.inner()[0], j);
    LoadLocals(pass, at);
  }
  TREADLE_ASSIGN_OR_RETURN(std::vector<Id> values, group_.Values(reduction.operands));
  if (!IsStaged()) TREADLE_RETURN_IF_ERROR(StoreLocals(pass, at));
  b.Yield(values);
  nest_.Unbind(group_.inner());
  nest_.CloseScope();
  b.BeginCombine();
  TREADLE_RETURN_IF_ERROR(YieldCombined(group_, reduction));
  return b.EndLoop();
}

Status RowLoops::WriteWhole(Id lo, Id hi) {
  int pass = static_cast<int>(group_.reductions().size());
  int unroll = UnrollFor(group_.UopsOf(group_.WholeRoots()));
  return Range(lo, hi, unroll, [&](const std::vector<Term>& place) -> Status {
    LoadLocals(pass, [&](uint16_t buffer) { return Access{buffer, {}, place}; });
    return group_.StoreWhole();
  });
}

StatusOr<std::vector<Id>> ReduceLeaf(ReduceGroup& group, RowLoops& loops, int pass, Id lo, Id hi) {
  Nest& nest = group.nest();
  nest.OpenScope();
  nest.BindDigits(group.inner(), lo);  // a stand-in for the identity may be the first element
  TREADLE_ASSIGN_OR_RETURN(std::vector<Id> identities, group.Identities(group.reductions()[pass]));
  nest.Unbind(group.inner());
  nest.CloseScope();
  return loops.Reduce(pass, lo, hi, identities);
}

Status YieldCombined(ReduceGroup& group, const Reduction& reduction) {
  Builder& b = group.b();
  std::vector<Id> accumulated, added;
  for (int k = 0; k < static_cast<int>(reduction.operands.size()); ++k) {
    accumulated.push_back(b.Carry(k));
    added.push_back(b.NewValue(k));
  }
  TREADLE_ASSIGN_OR_RETURN(std::vector<Id> combined,
                           EmitCombine(b, group.kernel().graph(), reduction.combiner, accumulated, added));
  b.Yield(combined);
  return OkStatus();
}

}  // namespace treadle::plan

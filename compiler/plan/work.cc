#include "compiler/plan/work.h"

#include <algorithm>
#include <optional>

#include "compiler/plan/math.h"

namespace treadle::plan {
namespace {

int64_t MachineOps(const Node& node) {
  switch (node.op) {
    case Op::kConst:
    case Op::kBlockArg:
    case Op::kResult:
    case Op::kYield:
      return 0;
    default:
      return node.op != Op::kSqrt && IsMathOp(node.op) ? 25 : 1;
  }
}

// How often a while goes round that counts a carry from one constant to another.
std::optional<double> KnownTrips(const Plan& plan, const Loop& loop) {
  auto number = [&](Id id) -> std::optional<double> {
    if (plan.nodes[id].op != Op::kConst || !IsInteger(plan.nodes[id].elt)) return std::nullopt;
    return static_cast<double>(static_cast<int64_t>(plan.nodes[id].imm));
  };
  Id condition = plan.arg(loop.cond.end - 1, 0);
  const Node& compare = plan.nodes[condition];
  if (compare.op != Op::kCmp || compare.imm != static_cast<uint64_t>(Predicate::kLt)) return std::nullopt;
  const Node& counter = plan.nodes[plan.arg(condition, 0)];
  std::optional<double> limit = number(plan.arg(condition, 1));
  if (counter.op != Op::kBlockArg || !limit || plan.arg(condition, 0) < loop.cond.first) return std::nullopt;
  std::optional<double> start = number(plan.operands[loop.init.first + counter.imm]);
  Id next = plan.arg(loop.body.end - 1, static_cast<int>(counter.imm));
  if (!start || plan.nodes[next].op != Op::kAdd) return std::nullopt;
  auto is_counter = [&](Id id) {
    return plan.nodes[id].op == Op::kBlockArg && plan.nodes[id].imm == counter.imm && id >= loop.body.first &&
           id < loop.body.end;
  };
  std::optional<double> step;
  for (int k = 0; k < 2; ++k) {
    if (is_counter(plan.arg(next, 1 - k))) step = number(plan.arg(next, k));
  }
  if (!step || *step <= 0) return std::nullopt;
  return std::max(0.0, (*limit - *start) / *step);
}

double Trips(const Plan& plan, const Loop& loop) {
  constexpr double kGuess = 10'000;  // enough for good code, should there be many
  return loop.kind == LoopKind::kWhile ? KnownTrips(plan, loop).value_or(kGuess) : kGuess;
}

// Machine operations that a block takes in all its iterations.
double Work(const Plan& plan, const Block& block) {
  double work = 0;
  for (Id id = block.first; id < block.end; id = plan.Next(id)) {
    if (plan.nodes[id].op != Op::kLoop) {
      work += static_cast<double>(MachineOps(plan.nodes[id]));
      continue;
    }
    const Loop& loop = plan.loop(id);
    double body = Work(plan, loop.body), other = loop.cond.empty() ? 0 : Work(plan, loop.cond);
    work += loop.kind == LoopKind::kIf ? std::max(body, other) : Trips(plan, loop) * (2 + body + other);
  }
  return work;
}

}  // namespace

int64_t CodegenCost(const Plan& plan) {
  int64_t cost = 60 + 3 * static_cast<int64_t>(plan.nodes.size());
  for (const Node& node : plan.nodes) cost += IsMathOp(node.op) ? 40 : 0;
  return cost;
}

int64_t CodeSize(const Plan& plan) {
  int64_t size = 0;
  for (const Node& node : plan.nodes) size += MachineOps(node);
  return size;
}

bool MayRunForever(const Plan& plan) {
  return std::ranges::any_of(
      plan.loops, [&](const Loop& loop) { return loop.kind == LoopKind::kWhile && !KnownTrips(plan, loop); });
}

double WorkOf(const Plan& plan) {
  double work = 0;
  for (const Phase& phase : plan.phases) work += Work(plan, phase.body);
  return work;
}

}  // namespace treadle::plan

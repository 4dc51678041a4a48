// What a node of a plan refers to.
#ifndef TREADLE_COMPILER_PLAN_USES_H_
#define TREADLE_COMPILER_PLAN_USES_H_

#include <cstdint>

#include "compiler/plan/plan.h"

namespace treadle::plan {

// Calls `use` with every value that node `id` itself reads: operands, indices of accesses, bounds and first values of
// loops. What the blocks of a loop read is read by their nodes.
template <typename Use>
void ForEachUse(const Plan& plan, Id id, Use&& use) {
  const Node& node = plan.nodes[id];
  auto use_if = [&](Id value) {
    if (value != kNone) use(value);
  };
  auto use_range = [&](Range range) {
    for (uint32_t k = 0; k < range.count; ++k) use(plan.operands[range.first + k]);
  };
  auto use_access = [&](const Access& access) {
    for (const Term& term : access.terms) use_if(term.index);
  };
  use_range(node.args);
  if (node.op == Op::kLoad || node.op == Op::kStore) use_access(plan.accesses[node.imm]);
  if (node.op == Op::kLoop) {
    const Loop& loop = plan.loops[node.imm];
    use_if(loop.lo);
    use_if(loop.hi);
    use_if(loop.step);
    use_range(loop.init);
  } else if (node.op == Op::kMove) {
    const Move& move = plan.moves[node.imm];
    use_access(move.from);
    use_access(move.to);
    use_if(move.extent[0]);
    use_if(move.extent[1]);
  } else if (node.op == Op::kCall) {
    for (const Access& access : plan.calls[node.imm].buffers) use_access(access);
  }
}

}  // namespace treadle::plan

#endif  // TREADLE_COMPILER_PLAN_USES_H_

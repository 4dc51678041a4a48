// What a pure operation is without being computed at run time: constants folded by the interpreter's own definition,
// and identities that hold for every bit. The builder asks for each operation it is given.
#ifndef TREADLE_COMPILER_PLAN_SIMPLIFY_H_
#define TREADLE_COMPILER_PLAN_SIMPLIFY_H_

#include <cstdint>
#include <optional>
#include <span>

#include "compiler/plan/plan.h"

namespace treadle::plan {

struct Simpler {
  Id value = kNone;    // this one, or
  uint64_t bits = 0;   // a constant of the operation's type, or,
  Op op = Op::kConst;  // if this is another operation: it, of `value` and the constant
};

// Operations whose bits depend on the target (fma, mathematics) stay. Floats have no identities: x * 1 flushes
// denormals.
std::optional<Simpler> Simplify(const Plan& plan, Op op, ElementType elt, std::span<const Id> args, uint64_t imm);

}  // namespace treadle::plan

#endif  // TREADLE_COMPILER_PLAN_SIMPLIFY_H_

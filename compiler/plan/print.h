// The text of a plan: what people read (`--emit=plan`), what parse.h reads back, and, without the name, the plan's
// identity.
//
//   plan "map add"
//   push i64 f32
//   buffer in f32
//   buffer out f32 share 0
//   phase %0 {
//     %1 = mul i64 %0 8192
//     %2 = add i64 %1 8192
//     %3 = min i64 %2 $0
//     lanes %4 in %1..%3 u4 {
//       %5 = load f32 @0[%4]
//       %6 = add f32 %5 $1
//       store @1[%4] %6
//     }
//   }
//
// Values are numbered as they are printed. Constants and push constants stand where they are used: 8192 is an i64,
// f32#3f800000 the bits of another type, $1 a push constant. An element is @buffer[offset + %index*stride + ...], its
// sizes `c`, `$n` or `$n+c`. Pure nodes that nothing needs are left out. Reductions read `%9 = lanes %4 in 0..$0 u8
// tree lanes (f32#0) { ... } combine ...`.
#ifndef TREADLE_COMPILER_PLAN_PRINT_H_
#define TREADLE_COMPILER_PLAN_PRINT_H_

#include <string>
#include <vector>

#include "compiler/plan/plan.h"

namespace treadle::plan {

std::string Print(const Plan& plan);

// Without the line of the name.
std::string PrintWithoutName(const Plan& plan);

// Per node: whether it has an effect or something that has one needs it.
std::vector<bool> LiveNodes(const Plan& plan);

// "eq", "total_lt".
std::string_view PredicateText(Predicate predicate);
std::string_view RoleText(Role role);
std::string_view TreeText(Tree tree);

}  // namespace treadle::plan

#endif  // TREADLE_COMPILER_PLAN_PRINT_H_

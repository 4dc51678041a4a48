// What makes two plans the same kernel: their text, the target's key and the version of the compiler.
#ifndef TREADLE_COMPILER_PLAN_IDENTITY_H_
#define TREADLE_COMPILER_PLAN_IDENTITY_H_

#include <string>
#include <vector>

#include "compiler/plan/plan.h"
#include "executable/target.h"

namespace treadle::plan {

// The canonical text: print.h's without the name.
std::string IdentityText(const Plan& plan);

// The exported symbol of a phase: "treadle_<32 hex digits of XXH3-128>_<phase>".
std::string KernelSymbol(const Plan& plan, const executable::Target& target, int phase);

// Those of all phases, in order.
std::vector<std::string> KernelSymbols(const Plan& plan, const executable::Target& target);

}  // namespace treadle::plan

#endif  // TREADLE_COMPILER_PLAN_IDENTITY_H_

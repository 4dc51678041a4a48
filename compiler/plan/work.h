// How much code a plan is and how much of it runs: estimates.
#ifndef TREADLE_COMPILER_PLAN_WORK_H_
#define TREADLE_COMPILER_PLAN_WORK_H_

#include <cstdint>

#include "compiler/plan/plan.h"

namespace treadle::plan {

// Machine operations of a plan without tiles, about: its nodes as scalar code.
int64_t CodeSize(const Plan& plan);

// Machine operations of a kernel, roughly, as the code generator sees them: a node is written several times (whole
// vectors, tails), a mathematical function is long, and every kernel has its frame and loops.
int64_t CodegenCost(const Plan& plan);

// Whether it has a loop of which nobody knows how often it goes round.
bool MayRunForever(const Plan& plan);

// Machine operations that all phases' first tiles take, in all iterations of their loops. Trips are counted where
// constants tell them, and guessed elsewhere.
double WorkOf(const Plan& plan);

}  // namespace treadle::plan

#endif  // TREADLE_COMPILER_PLAN_WORK_H_

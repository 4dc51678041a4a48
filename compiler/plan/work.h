// How much scalar code a plan is and how much of it runs: estimates for plans without tiles.
#ifndef TREADLE_COMPILER_PLAN_WORK_H_
#define TREADLE_COMPILER_PLAN_WORK_H_

#include <cstdint>

#include "compiler/plan/plan.h"

namespace treadle::plan {

// Machine operations, about.
int64_t CodeSize(const Plan& plan);

// Machine operations that all phases' first tiles take, in all iterations of their loops. Trips are counted where
// constants tell them, and guessed elsewhere.
double WorkOf(const Plan& plan);

}  // namespace treadle::plan

#endif  // TREADLE_COMPILER_PLAN_WORK_H_

// Kernel steps that do not wait for one another, as one step.
#ifndef TREADLE_COMPILER_PLAN_BATCH_STEPS_H_
#define TREADLE_COMPILER_PLAN_BATCH_STEPS_H_

#include "executable/executable.h"

namespace treadle::plan {

// In every sequence, a kernel step becomes further frames of an earlier one of the same kernel where their memory, and
// that of the steps between, is independent: what an optimiser does to each parameter is one step, whose tiles are
// spread over the threads together. Results are the same bits: every frame does what its step did. Values must be
// placed. O(steps).
void BatchSteps(executable::Executable& executable);

}  // namespace treadle::plan

#endif  // TREADLE_COMPILER_PLAN_BATCH_STEPS_H_

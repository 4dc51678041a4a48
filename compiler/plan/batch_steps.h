// Kernel steps that do not wait for one another, as one step: what runs side by side.
#ifndef TREADLE_COMPILER_PLAN_BATCH_STEPS_H_
#define TREADLE_COMPILER_PLAN_BATCH_STEPS_H_

#include <cstddef>
#include <cstdint>

#include "executable/executable.h"

namespace treadle::plan {

// How far apart steps may stand that become one.
inline constexpr size_t kBatchReach = 32;

// Work that takes a while, and such work with too few tiles to keep threads busy by itself.
inline bool IsLong(int64_t cost_ns) { return cost_ns >= 4'000; }
inline bool IsNarrow(int64_t tiles, int64_t cost_ns) { return tiles < 8 && IsLong(cost_ns); }

// In every sequence, a kernel step becomes further frames of an earlier one where their memory, and that of the steps
// between, is independent: one of the same kernel, or any where both are long and one is narrow. What an optimiser does
// to each parameter is one step, and two loops that know nothing of each other are one, whose tiles are spread over the
// threads together, the dearest first. Short steps go before narrow ones that they do not wait for, as others may wait
// for them. Results are the same bits: every frame does what its step did. Values must be placed. O(steps).
void BatchSteps(executable::Executable& executable);

}  // namespace treadle::plan

#endif  // TREADLE_COMPILER_PLAN_BATCH_STEPS_H_

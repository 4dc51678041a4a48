// Random gathers and scatters: every form of dimension numbers, indices of every type, some out of bounds. Random
// reduce_windows: strides, dilations, padding of either sign, prefixes and suffixes.
#ifndef TREADLE_COMPILER_PLAN_TESTING_RANDOM_WINDOWS_H_
#define TREADLE_COMPILER_PLAN_TESTING_RANDOM_WINDOWS_H_

#include <cstdint>

#include "compiler/plan/testing/program.h"

namespace treadle::plan::testing {

Program MakeRandomGather(uint32_t seed);
// Update computations: addition, maximum, the update alone, or of two operands at once.
Program MakeRandomScatter(uint32_t seed);
Program MakeRandomReduceWindow(uint32_t seed);

}  // namespace treadle::plan::testing

#endif  // TREADLE_COMPILER_PLAN_TESTING_RANDOM_WINDOWS_H_

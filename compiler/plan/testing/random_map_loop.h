// Random loops of pointwise maps, for properties.
#ifndef TREADLE_COMPILER_PLAN_TESTING_RANDOM_MAP_LOOP_H_
#define TREADLE_COMPILER_PLAN_TESTING_RANDOM_MAP_LOOP_H_

#include <cstdint>

#include "compiler/plan/testing/program.h"

namespace treadle::plan::testing {

// A while that IsMapLoop, over carries of several types and shapes, with what it reads from outside; a few trips, by a
// constant or an argument. Values are small whole numbers where arguments are.
Program MakeRandomMapLoop(uint32_t seed);

}  // namespace treadle::plan::testing

#endif  // TREADLE_COMPILER_PLAN_TESTING_RANDOM_MAP_LOOP_H_

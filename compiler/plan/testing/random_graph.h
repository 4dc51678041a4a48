// A random graph of every operation that plans know, on i32 values (exact in any order of combination). The same seed,
// the same graph.
#ifndef TREADLE_COMPILER_PLAN_TESTING_RANDOM_GRAPH_H_
#define TREADLE_COMPILER_PLAN_TESTING_RANDOM_GRAPH_H_

#include <cstdint>

#include "compiler/plan/testing/program.h"

namespace treadle::plan::testing {

Program MakeRandomGraph(uint32_t seed);

}  // namespace treadle::plan::testing

#endif  // TREADLE_COMPILER_PLAN_TESTING_RANDOM_GRAPH_H_

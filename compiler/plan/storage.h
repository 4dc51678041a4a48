// Which values share memory, and where it lies.
//
// Every value that is memory belongs to a *class* of values that share one piece of it. Carries of a loop are one class
// with the loop's results; a value joins the class of one that dies where it is born if the kernel allows it (in-place
// updates), or if a copy is saved. Classes live in an argument, a constant, a result, or the arena.
#ifndef TREADLE_COMPILER_PLAN_STORAGE_H_
#define TREADLE_COMPILER_PLAN_STORAGE_H_

#include <cstdint>
#include <map>
#include <vector>

#include "compiler/graph/graph.h"
#include "compiler/plan/tasks.h"
#include "executable/executable.h"

namespace treadle::plan {

struct Placement {
  std::vector<executable::ValueId>
      value_of;  // per graph value: the executable's value, or kNoValue where it is not memory
  std::vector<executable::Value> values;
  std::vector<int32_t> donor;  // per result of the program
  int64_t arena_bytes = 0;     // without scratch
};

// `constant_of`: the constants that are needed as memory, and their numbers in the executable.
Placement PlaceValues(const graph::Graph& graph, const TaskList& tasks,
                      const std::map<graph::OpId, int32_t>& constant_of);

// Assigns offsets to intervals of positions so that those that overlap do not share memory: best fit over a list of
// free holes, by time. Multiples of 64. Returns the bytes needed in all.
struct Interval {
  Position first = 0;
  Position last = 0;
  int64_t bytes = 0;
  int64_t offset = 0;  // out
};
int64_t PackIntervals(std::vector<Interval>& intervals);

}  // namespace treadle::plan

#endif  // TREADLE_COMPILER_PLAN_STORAGE_H_

// The planner: a graph becomes an executable without machine code, and the loop plans that the emitter has to compile
// for it.
#ifndef TREADLE_COMPILER_PLAN_PROGRAM_H_
#define TREADLE_COMPILER_PLAN_PROGRAM_H_

#include <cstdint>
#include <string>
#include <vector>

#include "base/status.h"
#include "compiler/graph/graph.h"
#include "compiler/plan/plan.h"
#include "executable/executable.h"
#include "executable/target.h"

namespace treadle::plan {

// How good the code of a kernel has to be, and when.
enum class Effort : uint8_t {
  kQuick,   // it runs once an execution, for next to no time: code that is compiled fast will do for good
  kSoon,    // code that is compiled fast will do for the first executions
  kAtOnce,  // one execution of code that is compiled fast may lose more time than its compilation saves
};

struct PlannedKernel {
  Plan plan;
  std::vector<std::string> symbols;  // of its phases
  Effort effort = Effort::kAtOnce;
};

struct Program {
  // Complete but for `objects`: kernels that come from plans have object -1 and the symbol of KernelSymbol().
  executable::Executable executable;
  std::vector<PlannedKernel> kernels;  // each once, in order of first use
};

// Every operation goes to a group, every group to steps; steps are ordered and their values placed.
// Errors: UNIMPLEMENTED naming the operation, its types and its source location.
StatusOr<Program> PlanProgram(const graph::Graph& graph, const executable::Target& target);

// Plans, steps and values, for `treadle compile --emit=plan` and tests.
std::string PrintProgram(const Program& program);

}  // namespace treadle::plan

#endif  // TREADLE_COMPILER_PLAN_PROGRAM_H_

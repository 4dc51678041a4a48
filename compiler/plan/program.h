// The planner: a graph becomes an executable without machine code, and the loop plans that the emitter has to compile
// for it.
#ifndef TREADLE_COMPILER_PLAN_PROGRAM_H_
#define TREADLE_COMPILER_PLAN_PROGRAM_H_

#include <string>
#include <vector>

#include "base/status.h"
#include "compiler/graph/graph.h"
#include "compiler/plan/plan.h"
#include "executable/executable.h"
#include "executable/target.h"

namespace treadle::plan {

struct Program {
  // Complete but for `objects`: kernels that come from `plans` have object -1 and the symbol of KernelSymbol().
  executable::Executable executable;
  std::vector<Plan> plans;  // each kernel once, in order of first use
};

// Every operation goes to a group, every group to steps; steps are ordered and their values placed.
// Errors: UNIMPLEMENTED naming the operation, its types and its source location.
StatusOr<Program> PlanProgram(const graph::Graph& graph, const executable::Target& target);

// Plans, steps and values, for `treadle compile --emit=plan` and tests.
std::string PrintProgram(const Program& program);

}  // namespace treadle::plan

#endif  // TREADLE_COMPILER_PLAN_PROGRAM_H_

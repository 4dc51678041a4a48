// Runs a plan as it stands, one scalar at a time: the oracle of emitted code.
#ifndef TREADLE_COMPILER_PLAN_INTERPRET_H_
#define TREADLE_COMPILER_PLAN_INTERPRET_H_

#include <functional>
#include <string_view>

#include "base/status.h"
#include "compiler/plan/plan.h"
#include "executable/kernel_abi.h"

namespace treadle::plan {

struct InterpretOptions {
  bool fma = true;                // as code for x86-64-v3 and up does; without: multiply, then add
  bool keeps_subnormals = false;  // as code for targets that keep them does
  std::function<TreadleKernel(std::string_view symbol)> resolve;  // of kernels that the plan calls; null: not found
};

// Tiles [frame.tile_begin, frame.tile_end) of a phase.
// REQUIRES: a verified plan; buffers, push constants, local and scratch memory as the plan wants them.
// Errors: those of called kernels; OUT_OF_RANGE for an access outside of a local or scratch buffer.
Status Interpret(const Plan& plan, int phase, const TreadleCallFrame& frame, const InterpretOptions& options = {});

}  // namespace treadle::plan

#endif  // TREADLE_COMPILER_PLAN_INTERPRET_H_

// Kernels of a program to objects, each compiled once a process: a plan with the text of an earlier one takes its code.
#ifndef TREADLE_COMPILER_EMIT_KERNEL_CACHE_H_
#define TREADLE_COMPILER_EMIT_KERNEL_CACHE_H_

#include <cstdint>
#include <span>
#include <vector>

#include "base/status.h"
#include "compiler/emit/emit.h"
#include "compiler/plan/plan.h"
#include "executable/executable.h"

namespace treadle::emit {

struct CompiledKernels {
  std::vector<executable::Object> objects;
  // By plan of the call: the index of the object that defines plan::KernelSymbol of all of its phases. Objects may
  // define further kernels.
  std::vector<int32_t> object_of_plan;
};

// Plans may repeat. Those that this process has not compiled yet go to about as many modules as there are threads to
// compile them (affinity, at most 8), balanced by cost. Thread-safe; needs little stack: code is generated on threads
// of its own. Errors: those of EmitPlans, naming the plan.
StatusOr<CompiledKernels> CompileKernels(std::span<const plan::Plan* const> plans, const executable::Target& target,
                                         Tier tier);

// Kernels asked for so far in this process: compiled, and taken from the cache. TREADLE_LOG=compile prints them at its
// end.
struct KernelCounts {
  int64_t compiled = 0;
  int64_t cached = 0;
};
KernelCounts CountKernels();

}  // namespace treadle::emit

#endif  // TREADLE_COMPILER_EMIT_KERNEL_CACHE_H_

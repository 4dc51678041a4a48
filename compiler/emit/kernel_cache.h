// Kernels of a program to objects, each compiled once a process: a plan with the text of an earlier one takes its code,
// and one that was compiled when Treadle was built (kernels/builtin_code.h) needs no object.
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

struct KernelRequest {
  const plan::Plan* plan = nullptr;
  Tier tier = Tier::kFull;
};

struct CompiledKernels {
  std::vector<executable::Object> objects;
  // By request: the index of the object that defines plan::KernelSymbol of all phases, or -1 for builtin code. Objects
  // may define further kernels.
  std::vector<int32_t> object_of_request;
};

// Plans may repeat. Those that this process has not compiled yet go to about `threads` modules, balanced by cost, and
// are compiled side by side. Thread-safe; needs little stack. Errors: those of EmitPlans, naming the plan.
StatusOr<CompiledKernels> CompileKernels(std::span<const KernelRequest> requests, const executable::Target& target,
                                         int threads);

// As many as there are CPUs for the process, at most 8.
int CodegenThreads();

// Whether the kernel is there at this tier or a better one: compiled earlier, or builtin. Thread-safe.
bool IsCompiled(const plan::Plan& plan, const executable::Target& target, Tier tier);

// Kernels asked for so far in this process: compiled, and taken from the cache or builtin. TREADLE_LOG=compile prints
// them at its end, TREADLE_LOG=kernels each plan that is compiled.
struct KernelCounts {
  int64_t compiled = 0;
  int64_t cached = 0;
};
KernelCounts CountKernels();

}  // namespace treadle::emit

#endif  // TREADLE_COMPILER_EMIT_KERNEL_CACHE_H_

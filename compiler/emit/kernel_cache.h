// Kernels of a program to objects, each compiled once: a plan with the text of an earlier one takes its code, in this
// process and, where a cache on disk is in use, in later ones; one that was compiled when Treadle was built
// (kernels/builtin_code.h) needs no object.
#ifndef TREADLE_COMPILER_EMIT_KERNEL_CACHE_H_
#define TREADLE_COMPILER_EMIT_KERNEL_CACHE_H_

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "base/status.h"
#include "compiler/cache/disk_cache.h"
#include "compiler/emit/emit.h"
#include "compiler/plan/plan.h"
#include "executable/executable.h"

namespace treadle::emit {

struct KernelRequest {
  const plan::Plan* plan = nullptr;
  Tier tier = Tier::kFull;
};

// Where the code of kernels came from, by request.
struct KernelCounts {
  int64_t compiled = 0;
  int64_t from_build = 0;
  int64_t from_memory = 0;
  int64_t from_disk = 0;

  int64_t cached() const { return from_build + from_memory + from_disk; }
};

// "1 from the build, 2 from memory, 0 from disk"
std::string OriginsText(const KernelCounts& counts);

struct CompiledKernels {
  std::vector<executable::Object> objects;
  // By request: the index of the object that defines plan::KernelSymbol of all phases, or -1 for builtin code. Objects
  // may define further kernels.
  std::vector<int32_t> object_of_request;
  KernelCounts counts;
};

// Plans may repeat. Those that are not compiled yet, at their tier or a better one, go to about `threads` modules,
// balanced by cost, and are compiled side by side. Thread-safe; needs little stack. Errors: those of EmitPlans, naming
// the plan.
StatusOr<CompiledKernels> CompileKernels(std::span<const KernelRequest> requests, const executable::Target& target,
                                         int threads);

// The same for what no program asked for: it is neither counted nor logged.
StatusOr<CompiledKernels> CompileUncounted(std::span<const KernelRequest> requests, const executable::Target& target,
                                           int threads);

// Compiled code is kept on disk from now on, and looked for there. The first call in a process counts. Thread-safe.
void UseDiskCache(cache::DiskCacheOptions options);
bool HasDiskCache();

// As many as there are CPUs for the process, at most 8.
int CodegenThreads();

// Whether the kernel is there at this tier or a better one: compiled earlier, on disk, or builtin. Thread-safe.
bool IsCompiled(const plan::Plan& plan, const executable::Target& target, Tier tier);

// Kernels of CompileKernels so far in this process. TREADLE_LOG=compile prints them at its end, TREADLE_LOG=kernels
// each plan that is compiled.
KernelCounts CountKernels();

}  // namespace treadle::emit

#endif  // TREADLE_COMPILER_EMIT_KERNEL_CACHE_H_

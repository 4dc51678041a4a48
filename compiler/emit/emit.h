// Loop plans to machine code: one walk over a plan writes LLVM IR as explicit vector code; LLVM's code generator does
// the rest.
#ifndef TREADLE_COMPILER_EMIT_EMIT_H_
#define TREADLE_COMPILER_EMIT_EMIT_H_

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "base/status.h"
#include "compiler/plan/cut.h"
#include "compiler/plan/plan.h"
#include "executable/target.h"

namespace treadle::emit {

enum class Tier : uint8_t {
  kQuick,  // FastISel: 3 to 5 times faster to compile, 1.5 to 5 times slower code, the same bits
  kFull,
};

enum class Output : uint8_t { kObject, kAssembly, kLlvmIr };

struct EmitOptions {
  executable::Target target;
  Tier tier = Tier::kFull;
  Output output = Output::kObject;
  bool verify = false;  // check the LLVM IR; costs a third of writing it
  plan::CutLimits cut;  // how long a function may be
};

// One relocatable object (or text) that defines plan::KernelSymbol of every phase of every plan. Thread-safe: each call
// has its own LLVM context. Plans must be verified; an unsupported one is an error, never a crash.
StatusOr<std::string> EmitPlans(std::span<const plan::Plan* const> plans, const EmitOptions& options);

// Compiles one small kernel at both tiers: touches the code generator's code and tables (about 5 ms). Does nothing
// where that kernel is on disk: then what the process compiles is likely to be there, too. For a background thread at
// start-up.
void WarmUp(const executable::Target& target);

}  // namespace treadle::emit

#endif  // TREADLE_COMPILER_EMIT_EMIT_H_

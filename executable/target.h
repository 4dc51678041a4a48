// The machine that code is made for, as a value: part of every cache key and of every executable.
#ifndef TREADLE_EXECUTABLE_TARGET_H_
#define TREADLE_EXECUTABLE_TARGET_H_

#include <cstdint>
#include <string>
#include <string_view>

#include "base/status.h"

namespace treadle::executable {

// Levels of the x86-64 psABI. Within a level all code gives the same bits; contractions may differ between levels.
enum class IsaLevel : uint8_t {
  kV2 = 2,  // SSE4.2: 16-byte vectors, no FMA
  kV3 = 3,  // AVX2, FMA, F16C: 32-byte vectors
  kV4 = 4,  // AVX-512 F BW CD DQ VL: 64-byte vectors
};

struct Target {
  IsaLevel isa = IsaLevel::kV2;
  bool avx512_bf16 = false;       // vdpbf16ps, vcvtneps2bf16; only with kV4
  bool avx512_vnni = false;       // vpdpbusd; only with kV4
  std::string cpu = "x86-64-v2";  // LLVM's name of the microarchitecture to schedule for
  int64_t l1_bytes = 32 << 10;    // data cache of a core
  int64_t l2_bytes = 512 << 10;
  int64_t l3_bytes = 8 << 20;
  // Arithmetic takes and gives subnormal numbers, as IEEE 754 has it. Else they are zeros of their sign, as XLA's CPU
  // backend has it; copies keep them in any case.
  bool keeps_subnormals = false;

  int vector_bytes() const { return isa == IsaLevel::kV4 ? 64 : isa == IsaLevel::kV3 ? 32 : 16; }

  // "x86-64-v4+bf16+vnni": what code depends on, "+subnormals" where it keeps them. Caches and executables compare this
  // text.
  std::string Key() const;

  bool operator==(const Target&) const = default;
};

// The machine that this process runs on, lowered by TREADLE_ISA=v2|v3|v4|native where that is set (it can only lower).
// An unknown value of TREADLE_ISA is an error. Thread-safe; reads CPUID and the environment on each call.
StatusOr<Target> HostTarget();

// The same machine, for code that keeps subnormal numbers: without bf16's products, which flush them whatever is asked.
Target KeepingSubnormals(Target target);

// Whether code made for `target` runs on this machine.
bool HostRuns(const Target& target);

}  // namespace treadle::executable

#endif  // TREADLE_EXECUTABLE_TARGET_H_

#include "executable/target.h"

#include <cpuid.h>
#include <unistd.h>

#include <algorithm>

#include "base/log.h"

namespace treadle::executable {
namespace {

bool HostHas(IsaLevel isa) {
  __builtin_cpu_init();
  switch (isa) {
    case IsaLevel::kV2:
      return __builtin_cpu_supports("x86-64-v2");
    case IsaLevel::kV3:
      return __builtin_cpu_supports("x86-64-v3");
    case IsaLevel::kV4:
      return __builtin_cpu_supports("x86-64-v4");
  }
  return false;
}

int64_t CacheBytes(int name, int64_t fallback) {
  long bytes = sysconf(name);
  return bytes > 0 ? bytes : fallback;
}

}  // namespace

std::string Target::Key() const {
  std::string key = "x86-64-v" + std::to_string(static_cast<int>(isa));
  if (avx512_bf16) key += "+bf16";
  if (avx512_vnni) key += "+vnni";
  if (keeps_subnormals) key += "+subnormals";
  return key;
}

StatusOr<Target> HostTarget() {
  if (!HostHas(IsaLevel::kV2)) return FailedPrecondition("this CPU lacks SSE4.2; Treadle needs x86-64-v2 or better");
  IsaLevel isa = HostHas(IsaLevel::kV4) ? IsaLevel::kV4 : HostHas(IsaLevel::kV3) ? IsaLevel::kV3 : IsaLevel::kV2;
  std::string_view limit = Environment("TREADLE_ISA");
  if (limit == "v2" || limit == "v3" || limit == "v4") {
    isa = std::min(isa, static_cast<IsaLevel>(limit[1] - '0'));
  } else if (!limit.empty() && limit != "native") {
    return InvalidArgument("TREADLE_ISA is '" + std::string(limit) + "'; it may be v2, v3, v4 or native");
  }
  Target target;
  target.isa = isa;
  target.cpu = "x86-64-v" + std::to_string(static_cast<int>(isa));
  if (isa == IsaLevel::kV4) {
    target.avx512_bf16 = __builtin_cpu_supports("avx512bf16");
    target.avx512_vnni = __builtin_cpu_supports("avx512vnni");
  }
  target.l1_bytes = CacheBytes(_SC_LEVEL1_DCACHE_SIZE, target.l1_bytes);
  target.l2_bytes = CacheBytes(_SC_LEVEL2_CACHE_SIZE, target.l2_bytes);
  target.l3_bytes = CacheBytes(_SC_LEVEL3_CACHE_SIZE, target.l3_bytes);
  return target;
}

Target KeepingSubnormals(Target target) {
  target.keeps_subnormals = true;
  target.avx512_bf16 = false;
  return target;
}

bool HostRuns(const Target& target) {
  return HostHas(target.isa) && (!target.avx512_bf16 || __builtin_cpu_supports("avx512bf16")) &&
         (!target.avx512_vnni || __builtin_cpu_supports("avx512vnni"));
}

}  // namespace treadle::executable

#include "benchmarks/peak.h"

#include <immintrin.h>

namespace treadle::benchmarks {
namespace {

// 24 chains hide the latency of any multiply-add unit. The asm keeps the compiler from knowing the values.
#define TREADLE_PEAK_LOOP(name, isa, type, set1, step, lanes, chains)                                         \
  __attribute__((target(isa), noinline)) void name() {                                                        \
    type acc[chains], a = set1(0.999f), b = set1(1e-3f);                                                      \
    _Pragma("clang loop unroll(full)") for (int j = 0; j < chains; ++j) {                                     \
      acc[j] = set1(1.0f);                                                                                    \
      __asm__ volatile("" : "+v"(acc[j]));                                                                    \
    }                                                                                                         \
    const int rounds = static_cast<int>(kPeakFlops / (2.0 * lanes * chains));                                 \
    for (int i = 0; i < rounds; ++i) {                                                                        \
      _Pragma("clang loop unroll(full)") for (int j = 0; j < chains; ++j) acc[j] = step;                      \
    }                                                                                                         \
    _Pragma("clang loop unroll(full)") for (int j = 0; j < chains; ++j) __asm__ volatile("" : : "v"(acc[j])); \
  }

TREADLE_PEAK_LOOP(PeakV4, "avx512f", __m512, _mm512_set1_ps, _mm512_fmadd_ps(acc[j], a, b), 16, 24)
TREADLE_PEAK_LOOP(PeakV3, "avx2,fma", __m256, _mm256_set1_ps, _mm256_fmadd_ps(acc[j], a, b), 8, 12)
TREADLE_PEAK_LOOP(PeakV2, "sse4.2", __m128, _mm_set1_ps, _mm_add_ps(_mm_mul_ps(acc[j], a), b), 4, 12)

}  // namespace

void RunPeakF32(executable::IsaLevel isa) {
  switch (isa) {
    case executable::IsaLevel::kV4:
      return PeakV4();
    case executable::IsaLevel::kV3:
      return PeakV3();
    case executable::IsaLevel::kV2:
      return PeakV2();
  }
}

}  // namespace treadle::benchmarks

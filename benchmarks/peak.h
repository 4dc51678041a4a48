// What the machine could do at best, measured, so that a kernel's speed can be told as a fraction of it.
#ifndef TREADLE_BENCHMARKS_PEAK_H_
#define TREADLE_BENCHMARKS_PEAK_H_

#include "executable/target.h"

namespace treadle::benchmarks {

// Floating-point operations of one call of the loops below.
inline constexpr double kPeakFlops = 2e6;

// Runs kPeakFlops of independent multiply-adds in registers on the calling thread, with the vectors of `isa` (v2:
// multiply and add apart, two operations). The time it takes is that of the peak.
void RunPeakF32(executable::IsaLevel isa);

}  // namespace treadle::benchmarks

#endif  // TREADLE_BENCHMARKS_PEAK_H_

// Fourier transforms along one dimension, as steps of kernels.
//
// PlanFft turns a description of transforms into phases, each a kernel of kernels/table.h with its push constants,
// tiles and memory: what the compiler writes into KernelSteps, in this order, and a table of roots of unity that all
// phases read. All is fixed by sizes, types and target. Every tile is independent, so any split of a phase's tiles over
// any threads gives the same bits.
//
// Meaning. Operand and result are [outer, length along the dimension, inner]; each of the outer * inner transforms is
//   out[k] = sum over j of in[j] * exp(-+2 pi i j k / n), the inverse one divided by n.
// Errors grow with the logarithm of n, as usual: twiddle factors are those of double precision, rounded once.
//
// Buffers of a frame, in every phase: [operand, table, result]. The phases share one scratch value.
//
// Thread-safe: no state.
#ifndef TREADLE_KERNELS_FFT_FFT_H_
#define TREADLE_KERNELS_FFT_FFT_H_

#include <cstdint>
#include <string>
#include <vector>

#include "base/element_type.h"
#include "executable/target.h"

namespace treadle::kernels::fft {

enum class FftKind : uint8_t {
  kForward,    // n complex numbers to n
  kInverse,    // the same, back
  kRealInput,  // n real numbers to the first n / 2 + 1 of their transform
  kRealResult  // back; imaginary parts that would have to be 0 are not read
};

struct FftRequest {
  FftKind kind = FftKind::kForward;
  ElementType type = ElementType::kF32;  // of the parts: f32 or f64
  int64_t n = 1;                         // of the real numbers, or else of the complex ones
  int64_t outer = 1, inner = 1;          // real kinds: inner is 1
};

struct FftPhase {
  std::string symbol;  // of kernels/table.h
  std::vector<uint64_t> args;
  int64_t tiles = 1;
  int64_t local_bytes = 0;
  int64_t cost_ns = 0;  // estimate, one thread
};

struct FftPlan {
  std::vector<FftPhase> phases;  // empty where the result has no elements
  std::string table;             // bytes, of the parts' type; not empty if there are phases
  int64_t scratch_bytes = 0;
};

// Any n: products of 2, 3, 5, 7, 11 and 13 by mixed radices, others as convolutions (Bluestein).
FftPlan PlanFft(const FftRequest& request, const executable::Target& target);

}  // namespace treadle::kernels::fft

#endif  // TREADLE_KERNELS_FFT_FFT_H_

// The push constants of the FFT kernels: what fft.cc decides and the kernels of every ISA level obey.
//
// Numbers are worked on as *planes*: the real parts of many numbers, then the imaginary ones, [count][lanes] each, so
// that all arithmetic is that of whole vectors. Lanes are transforms next to each other (kernel `lanes`), or the rows
// or columns of one transform that is done in two steps (kernel `rows`).
#ifndef TREADLE_KERNELS_FFT_FFT_ARGS_H_
#define TREADLE_KERNELS_FFT_FFT_ARGS_H_

#include <stdint.h>

namespace treadle::kernels::fft {

inline constexpr int kMaxPasses = 24;

// A transform of `count` numbers by passes of small radices. Its twiddle factors, (re, im), stand at `table` in the
// order in which the passes take them. All table offsets are in elements.
struct Chain {
  int64_t count;
  int64_t passes;
  int64_t table;
  int64_t radix[kMaxPasses];
};

// A transform whose count is no product of small primes: a convolution with a chirp, by a longer transform. Counts
// that are have no `chirp`.
struct Core {
  int64_t count;
  int64_t chirp;   // table of `count` numbers; -1: the chain is the transform
  int64_t kernel;  // table of chain.count numbers: the other factor of the convolution, transformed
  Chain chain;
};

// Where the numbers of a transform lie: number j of transform t is at element
//   t / inner * outer_stride + t % inner * lane_stride + j * stride
// of buffer `buffer`, or of the scratch value from byte `scratch` on where buffer is -1. Elements are complex numbers,
// or real ones where the transform's kind says so.
struct Place {
  int64_t buffer, scratch;
  int64_t inner, outer_stride, lane_stride, stride;
};

// What is done besides the transform of `core.count` complex numbers.
enum Form : int64_t {
  kComplex,
  kHalvedInput,   // 2 * count real numbers, read as complex ones; the result is unpacked to their transform
  kHalvedResult,  // back
  kRealParts,     // `count` real numbers (odd) with imaginary parts of 0; the first half of the result is stored
  kRealOut,       // the first half of the transform of such numbers is read; the real parts of the result are stored
};

struct LanesArgs {
  Core core;
  int64_t form;
  int64_t swap_in, swap_out;  // real and imaginary parts change roles: both for an inverse transform
  uint64_t scale;             // bits of a double
  int64_t group;              // transforms of a tile, a multiple of the vector's lanes
  int64_t span;               // transforms that are divided into groups, the last one perhaps smaller
  Place in, out;
  int64_t unpack;  // table of roots for kHalved...
  // The first of two steps: number k of lane j is multiplied by w^(j k), w^(j (k - k % block)) times w^(j (k % block)).
  // Planes of the former, then of the latter, [..][twiddle_lanes]. -1: none.
  int64_t twiddle, twiddle_block, twiddle_lanes;
};

struct RowsArgs {
  Chain first, second;  // n1 columns, n2 rows
  int64_t form, swap;
  uint64_t scale;
  int64_t rows, tile_rows;
  int64_t in_stride, out_stride;  // parts between rows
  int64_t lanes1, lanes2;         // n1 and n2, rounded up to whole vectors
  int64_t twiddle;                // planes [n1][lanes2] of real, then of imaginary parts
  int64_t unpack;
};

// Long transforms of real numbers: unpacks `count` complex numbers of each row, or packs them.
struct UnpackArgs {
  int64_t count, chunk, chunks;  // of a row; a tile is a chunk of it
  int64_t pack;                  // from the operand to scratch; else from scratch to the result
  int64_t unpack;                // table of roots
  int64_t scratch;               // bytes
};

}  // namespace treadle::kernels::fft

#endif  // TREADLE_KERNELS_FFT_FFT_ARGS_H_

// The push constants of the kernels of linear algebra: what linalg.cc decides and the kernels of every ISA level obey.
//
// Matrices are worked on as *planes*, one of real parts and for complex numbers one of imaginary parts. A matrix's
// *work* memory has all that is kept between phases; offsets are in elements.
#ifndef TREADLE_KERNELS_LINALG_LINALG_ARGS_H_
#define TREADLE_KERNELS_LINALG_LINALG_ARGS_H_

#include <stdint.h>

namespace treadle::kernels::linalg {

// Columns of a block that is done without the register tiles of products.
inline constexpr int64_t kMaxBlock = 64;

struct LinalgArgs {
  int64_t m, n;                // of a matrix
  int64_t k;                   // reflectors; of cholesky_lanes: matrices; of eigh, svd: which vectors
  int64_t begin, end;          // columns of the block that a phase is about
  int64_t block;               // columns of a block
  int64_t chunk;               // rows or columns of a tile
  int64_t chunks;              // tiles of a matrix
  int64_t padded_m, padded_n;  // rounded up to two vectors
  int64_t work;                // elements of a matrix
  int64_t work_scratch;        // bytes before the first matrix's work memory in scratch; -1: it is local, of one matrix
  int64_t matrix, factor, panel, minus;  // offsets in the work memory
  int64_t upper;
};

struct SolveArgs {
  int64_t n, columns, chunk, chunks, padded;
  int64_t left, upper, unit, conjugate;
  int64_t row_stride, column_stride;  // of op(a), or its transpose on the right: complex numbers count as one
};

}  // namespace treadle::kernels::linalg

#endif  // TREADLE_KERNELS_LINALG_LINALG_ARGS_H_

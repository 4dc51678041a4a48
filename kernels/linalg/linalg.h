// Decompositions of matrices and triangular systems as steps of kernels.
//
// Plan... turns a description into phases, each a kernel of kernels/table.h with its push constants, tiles and memory.
// All is fixed by sizes, types and target. Every tile is independent, so any split of a phase's tiles over any threads
// gives the same bits; nor does the number of matrices change those of one of them. Matrices are row-major, one after
// the other; large ones are worked on by blocks, most of whose work is that of the register tiles of kernels/dense.
//
// Buffers of a frame, in every phase: the operands, then the results. The phases share one scratch value.
//
// Thread-safe: no state.
#ifndef TREADLE_KERNELS_LINALG_LINALG_H_
#define TREADLE_KERNELS_LINALG_LINALG_H_

#include <cstdint>
#include <string>
#include <vector>

#include "base/element_type.h"
#include "executable/target.h"

namespace treadle::kernels::linalg {

struct LinalgPhase {
  std::string symbol;  // of kernels/table.h
  std::vector<uint64_t> args;
  int64_t tiles = 1;
  int64_t local_bytes = 0;
  int64_t cost_ns = 0;  // estimate, one thread
};

struct LinalgPlan {
  std::vector<LinalgPhase> phases;  // empty where there is nothing to do
  int64_t scratch_bytes = 0;
};

// f32, f64, c64, c128 are `type`s.

// a [batch, n, n] -> l: l l^H = a, from the lower triangle of a; 0 above. All of l's triangle is NaN where a is not
// positive definite. With `upper`: from the upper triangle, l^H.
LinalgPlan PlanCholesky(ElementType type, int64_t batch, int64_t n, bool upper, const executable::Target& target);

struct TriangularSolveRequest {
  ElementType type = ElementType::kF32;
  int64_t batch = 1, n = 1, columns = 1;  // a [batch, n, n]; b [batch, n, columns], or [.., columns, n] on the right
  bool left = true, lower = true, unit_diagonal = false;
  bool transpose = false, conjugate = false;  // of a, where op is
};

// a, b -> x: op(a) x = b, or x op(a) = b; from one triangle of a.
LinalgPlan PlanTriangularSolve(const TriangularSolveRequest& request, const executable::Target& target);

// below, diagonal, above [batch, m], b [batch, m, n] -> x [batch, m, n]: t x = b with t tridiagonal; the first of below
// and the last of above are not read. Partial pivoting; a singular t gives NaNs, or with `perturb` pivots that are next
// to nothing become about epsilon times the largest number of the upper triangle.
LinalgPlan PlanTridiagonalSolve(ElementType type, int64_t batch, int64_t m, int64_t n, bool perturb,
                                const executable::Target& target);

// a [batch, m, n] -> l and u in one matrix (l's diagonal is 1 and left out), pivots [batch, min(m, n)], permutation
// [batch, m], both i32: row i was exchanged with row pivots[i] >= i, so that row i of l u is row permutation[i] of a.
// Partial pivoting; a column of zeros is left as it is.
LinalgPlan PlanLu(ElementType type, int64_t batch, int64_t m, int64_t n, const executable::Target& target);

// a [batch, m, n] -> r on and above the diagonal, below it the reflectors v (whose diagonal is 1), and tau [batch,
// min(m, n)]: a = h_0 h_1 .. r with h_i = 1 - tau_i v_i v_i^H; the diagonal of r is real.
LinalgPlan PlanQr(ElementType type, int64_t batch, int64_t m, int64_t n, const executable::Target& target);

// reflectors [batch, m, n], tau [batch, k] as above -> the first n columns of h_0 h_1 .. h_(k-1). REQUIRES: k <= n <=
// m.
LinalgPlan PlanReflectorProduct(ElementType type, int64_t batch, int64_t m, int64_t n, int64_t k,
                                const executable::Target& target);

// a [batch, n, n], Hermitian, from its lower or upper triangle -> vectors [batch, n, n] as columns, and values
// [batch, n], real, ascending: a v = v w. Without `vectors` the buffer of the vectors is not written. What has
// infinities or NaNs gives NaNs.
LinalgPlan PlanEigh(ElementType type, int64_t batch, int64_t n, bool upper, bool vectors,
                    const executable::Target& target);

// a [batch, m, n] -> values [batch, k], real, descending, with k = min(m, n); u [batch, m, k] and the adjoint of v
// [batch, k, n]: a = u diag(values) v^H. With kAll, u is [batch, m, m] and v^H [batch, n, n]; with kNone their buffers
// are not written. What has infinities or NaNs gives NaNs.
enum class SvdVectors : int64_t { kNone, kSome, kAll };
LinalgPlan PlanSvd(ElementType type, int64_t batch, int64_t m, int64_t n, SvdVectors vectors,
                   const executable::Target& target);

}  // namespace treadle::kernels::linalg

#endif  // TREADLE_KERNELS_LINALG_LINALG_H_

// Matrix products (dot_general) as steps of kernels.
//
// PlanDot turns a description of a product into one to three *phases*, each a kernel of kernels/table.h with its push
// constants, tiles and memory: what the compiler writes into KernelSteps, in this order. All is fixed by sizes,
// strides, types and target. Every tile is independent, so any split of a phase's tiles over any threads gives the same
// bits.
//
// Meaning. out[b, m, n] = sum over k of lhs[b, m, k] * rhs[b, k, n], computed in the accumulator type (DotAccumulator)
// and rounded once, to the output type. Integers wrap; i1 means `or of and`.
//
// The order of summation is part of the meaning. It follows from m, n, k, the accumulator and whether the CPU level has
// FMA, and from nothing else (not from strides, batch, tiles, epilogue or vector width); SumOrder tells it:
// - An output is a chain from k = 0 up: acc = fma(lhs, rhs, acc), starting at +0. Complex outputs: re = fma(lr, rr,
// re),
//   then re = fma(li, -ri, re); im = fma(lr, ri, im), then im = fma(li, rr, im). Below v3 a rounded product and a
//   rounded sum stand for fma.
// - lanes: where there are few outputs and k is long, lane j of 256 bytes of lanes is the chain over k = j modulo their
//   number; then the lower half of the lanes adds the upper half, and so on down to one.
// - parts: where outputs are few and k is very long, k is cut in parts of part_k, each summed as above; neighbouring
//   sums are added (0 + 1, 2 + 3, ...), an odd last one is carried, until one is left.
//
// Buffers of a frame, in every phase: [lhs, rhs, out], or with an epilogue [lhs, rhs, then the epilogue's own]. The
// phases share one scratch value.
//
// Epilogue: a kernel, callbacks[0] of the phases that say so, called on every panel of finished accumulators while it
// is in L1. It replaces the conversion to the output type and the store. Its frame:
//   buffers   [panel, then the step's buffers from index 2 on]
//   args      [ld, row0, col0, rows, cols, batch, then the step's args behind those of the phase]
//   local     64-byte aligned, `local_bytes` of the request
//   scratch   that of the step; callbacks: null; tiles 0 to 1
// The panel holds the accumulators of rows [row0, row0 + rows) and columns [col0, col0 + cols) of batch `batch`, all
// linear indices over the dims given (last dim fastest); element (r, c) is at panel[r * ld + c]. It may be overwritten.
// 16 KiB or less, unless one row is longer. Panels come in no particular order, from any thread. With whole_rows, col0
// = 0 and cols = n. The error that it returns is that of the phase.
//
// Thread-safe: no state.
#ifndef TREADLE_KERNELS_DENSE_DOT_H_
#define TREADLE_KERNELS_DENSE_DOT_H_

#include <cstdint>
#include <string>
#include <vector>

#include "base/element_type.h"
#include "base/status.h"
#include "executable/target.h"

namespace treadle::kernels::dense {

// One dimension of the product: its size and how far apart its elements are in each operand that has it, in elements of
// that operand (any sign; 0 where an operand repeats). Unused strides are ignored.
struct DotDim {
  int64_t size = 1;
  int64_t lhs = 0;  // batch, m, k
  int64_t rhs = 0;  // batch, n, k
  int64_t out = 0;  // batch, m, n
};

// An m and a k dimension that walk one dimension of lhs together, as windows do: outside of it, lhs is 0. Inside is
// where 0 <= start + (index along m) * m_step + (index along k) * k_step < size.
struct DotWindow {
  size_t m = 0, k = 0;             // which of DotShape::m and DotShape::k
  int64_t m_step = 1, k_step = 1;  // 0 or more
  int64_t start = 0, size = 0;
};

// The four kinds of dimension, outermost first; an empty list counts as one element. No operand needs a transpose
// first: any order of dimensions in memory will do. Neighbours that can be one dimension for an operand are merged;
// what is left may have six dims a kind and operand (five for complex types) and five windows, else PlanDot returns
// UNIMPLEMENTED.
struct DotShape {
  std::vector<DotDim> batch, m, n, k;
  int64_t lhs_start = 0, rhs_start = 0, out_start = 0;  // of the elements with indices 0, in elements
  std::vector<DotWindow> windows = {};
  bool chains = false;  // sums have no lanes (SumOrder), however few outputs there are
};

struct DotEpilogue {
  bool whole_rows = false;
  int64_t buffers = 1;  // that the step has behind lhs and rhs
  int64_t args = 0;     // that the step has behind those of the phase
  int64_t local_bytes = 0;
};

struct DotPhase {
  std::string symbol;          // of kernels/table.h
  std::vector<uint64_t> args;  // the caller appends the epilogue's
  int64_t tiles = 1;
  int64_t local_bytes = 0;
  int64_t cost_ns = 0;  // estimate, one thread
  bool reads_lhs = false;
  bool reads_rhs = false;
  bool finishes = false;  // writes the output, or calls the epilogue
  // Does not wait for the phase before, which is of the same kernel: both can be one step of several frames.
  bool with_previous = false;
};

struct DotPlan {
  std::vector<DotPhase> phases;  // empty where the output has no elements
  int64_t scratch_bytes = 0;
};

// UNIMPLEMENTED where the types do not go together or the strides are too many; the message says which.
StatusOr<DotPlan> PlanDot(const DotShape& shape, ElementType lhs, ElementType rhs, ElementType out,
                          const executable::Target& target, const DotEpilogue* epilogue = nullptr);

// What a product is computed in and what a panel holds: f32, f64, i32, i64 (wrapping, for all integers; i1 counts, any
// other value than 0 is true), c64 or c128. kInvalid where the types do not go together.
ElementType DotAccumulator(ElementType lhs, ElementType rhs, ElementType out);

// Whether products of bf16 use vdpbf16ps where the target has it; the bits are the same either way. At first what suits
// this machine: Zen multiplies bf16 twice as fast as f32, Golden Cove half as fast. For tests to set.
bool& PrefersBf16Pairs();

struct SumOrder {
  int64_t parts = 1;  // of part_k each, the last one shorter
  int64_t part_k = 0;
  int64_t lanes = 1;  // 1: a chain
};
SumOrder DotSumOrder(int64_t m, int64_t n, int64_t k, ElementType accumulator);

}  // namespace treadle::kernels::dense

#endif  // TREADLE_KERNELS_DENSE_DOT_H_

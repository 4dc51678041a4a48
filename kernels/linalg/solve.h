// Triangular systems. All forms become one: a lower triangle on the left. What stands on the right is turned, and an
// upper triangle is read from its end. Compiled once per ISA level.
#ifndef TREADLE_KERNELS_LINALG_SOLVE_H_
#define TREADLE_KERNELS_LINALG_SOLVE_H_

#include "kernels/linalg/job.h"

namespace treadle::kernels::linalg::TREADLE_ISA {

// Columns `chunk` of one matrix. Local: two blocks of n rows.
template <typename T, bool kComplex>
void SolveColumns(const TreadleCallFrame* frame, int64_t tile) {
  const SolveArgs& args = *reinterpret_cast<const SolveArgs*>(frame->args);
  constexpr int64_t kParts = kComplex ? 2 : 1, kPair = 2 * kLanes<T>;
  const int64_t n = args.n, number = tile / args.chunks;
  const int64_t first = tile % args.chunks * args.chunk, count = Min(args.chunk, args.columns - first);
  const T* a = static_cast<const T*>(frame->buffers[0]) + number * n * n * kParts;
  const T* b = static_cast<const T*>(frame->buffers[1]) + number * n * args.columns * kParts;
  T* result = static_cast<T*>(frame->buffers[2]) + number * n * args.columns * kParts;
  T* local = static_cast<T*>(frame->local);
  const Block<T> x = {local, kComplex ? local + n * args.padded : nullptr, args.padded};
  T* next = local + kParts * n * args.padded;
  const Block<T> minus = {next, kComplex ? next + n * args.padded : nullptr, args.padded};

  View<T> view = {a, kComplex ? a + 1 : nullptr, kParts * args.row_stride, kParts * args.column_stride,
                  args.conjugate != 0};
  if (args.upper) {
    view = view.At(n - 1, n - 1);
    view.rows = -view.rows;
    view.columns = -view.columns;
  }
  const auto row_of = [&](int64_t i) { return args.upper ? n - 1 - i : i; };
  const auto number_at = [&](int64_t i, int64_t c) {
    return args.left ? row_of(i) * args.columns + first + c : (first + c) * n + row_of(i);
  };
  for (int64_t i = 0; i < n; ++i) {
    const Block<T> row = x.At(i, 0);
    for (int64_t c = 0; c < count; ++c) {
      const T* from = PartAt(b, kComplex, number_at(i, c), 0);
      row.re[c] = from[0];
      if (kComplex) row.im[c] = from[1];
    }
    for (int64_t c = count; c < args.padded; ++c) {
      row.re[c] = 0;
      if (kComplex) row.im[c] = 0;
    }
  }
  SolveLower<T>(view, n, args.unit != 0, x, minus, (count + kPair - 1) / kPair * kPair);
  for (int64_t i = 0; i < n; ++i) {
    const Block<T> row = x.At(i, 0);
    for (int64_t c = 0; c < count; ++c) {
      T* to = PartAt(result, kComplex, number_at(i, c), 0);
      to[0] = row.re[c];
      if (kComplex) to[1] = row.im[c];
    }
  }
}

}  // namespace treadle::kernels::linalg::TREADLE_ISA

#endif  // TREADLE_KERNELS_LINALG_SOLVE_H_

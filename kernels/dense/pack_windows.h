// Copies of blocks of an operand that windows walk: what lies outside of it reads as 0. Compiled once per ISA level, as
// vec.h.
#ifndef TREADLE_KERNELS_DENSE_PACK_WINDOWS_H_
#define TREADLE_KERNELS_DENSE_PACK_WINDOWS_H_

#include "kernels/dense/dot_args.h"
#include "kernels/dense/pack.h"

namespace treadle::kernels::dense::TREADLE_ISA {

// Indices of one group of the operand; `m`: of m's dims, else of k's.
struct WindowRange {
  const Group& group;
  Range range;
  bool m;
};

// An index of a group, counted up, with its offset and how far it moves the windows.
class WindowIndex {
 public:
  TREADLE_INLINE WindowIndex(const DotArgs& args, const WindowRange& range, int64_t index)
      : args_(args), group_(range.group), m_(range.m) {
    for (int64_t d = group_.dims; d-- > 0; index /= group_.size[d]) at_[d] = d == 0 ? index : index % group_.size[d];
  }

  TREADLE_INLINE int64_t Offset() const {
    int64_t offset = 0;
    for (int64_t d = 0; d < group_.dims; ++d) offset += at_[d] * group_.stride[d];
    return offset;
  }

  // Along dim `without` windows stay where they are.
  TREADLE_INLINE int64_t Move(int64_t window, int64_t without = -1) const {
    const WindowSide& side = m_ ? args_.window[window].m : args_.window[window].k;
    if (side.dim < 0 || side.dim == without) return 0;
    const int64_t at = at_[side.dim];
    return (side.unit == 1 ? at : at / side.unit) * side.step;
  }

  TREADLE_INLINE int64_t At(int64_t dim) const { return at_[dim]; }

  // By `count`, which leads along the last dim at most to its end.
  TREADLE_INLINE void Next(int64_t count = 1) {
    for (int64_t d = group_.dims; d-- > 0; count = 1) {
      at_[d] += count;
      if (at_[d] < group_.size[d] || d == 0) return;
      at_[d] = 0;
    }
  }

 private:
  const DotArgs& args_;
  const Group& group_;
  const bool m_;
  int64_t at_[kMaxDims] = {};
};

// Columns that follow one another along the last dim of their group.
struct WindowRun {
  int64_t offset, stride, count;
  int64_t first;              // index along the last dim
  int64_t move[kMaxWindows];  // of the windows, but for those along the last dim
};

// Where windows stand for a row.
struct WindowRow {
  // `along`: for windows that move along the columns' last dim, how; null for others.
  TREADLE_INLINE WindowRow(const DotArgs& args, const WindowIndex& row, const WindowSide* const* along)
      : args(args), along(along) {
    for (int64_t w = 0; w < args.windows; ++w) {
      place[w] = args.window[w].start + row.Move(w);
      if (along[w] != nullptr) NarrowLast(*along[w], place[w], args.window[w].size);
    }
  }

  // Steps b along the dim with 0 <= at + b * step < size; each is `unit` columns.
  TREADLE_INLINE void NarrowLast(const WindowSide& side, int64_t at, int64_t size) {
    int64_t begin = -at, end = size - at;
    if (side.step == 0) {
      if (at < 0 || at >= size) last = {0, 0};
      return;
    }
    if (side.step != 1) {
      begin = begin > 0 ? (begin + side.step - 1) / side.step : 0;
      end = end > 0 ? (end + side.step - 1) / side.step : 0;
    }
    if (begin * side.unit > last.begin) last.begin = begin * side.unit;
    if (end * side.unit < last.end) last.end = end * side.unit;
  }

  // The columns of a run that lie inside of the operand.
  TREADLE_INLINE Range Inside(const WindowRun& run) const {
    for (int64_t w = 0; w < args.windows; ++w) {
      const int64_t at = place[w] + run.move[w];
      if (along[w] == nullptr && (at < 0 || at >= args.window[w].size)) return {0, 0};
    }
    const int64_t begin = last.begin - run.first, end = last.end - run.first;
    const Range inside = {begin > 0 ? begin : 0, end < run.count ? end : run.count};
    return inside.begin < inside.end ? inside : Range{0, 0};
  }

  const DotArgs& args;
  const WindowSide* const* along;
  int64_t place[kMaxWindows];
  Range last = {0, INT64_MAX};  // the indices along the columns' last dim that are inside
};

template <typename S>
TREADLE_INLINE void FillZeros(S* to, int64_t n) {
  static constexpr S kZeros[kLanes<S>] = {};
  for (; n > kLanes<S>; n -= kLanes<S>, to += kLanes<S>) Store<S>(to, Vec<S>(0));
  CopyRow<S>(kZeros, n, to);
}

// How windows move along the last dim of the columns' group: null for those that do not.
struct WindowsAlong {
  TREADLE_INLINE WindowsAlong(const DotArgs& args, const WindowRange& cols) {
    for (int64_t w = 0; w < args.windows; ++w) {
      const WindowSide& side = cols.m ? args.window[w].m : args.window[w].k;
      if (cols.group.dims > 0 && side.dim == cols.group.dims - 1) side_of[w] = &side;
    }
  }
  const WindowSide* side_of[kMaxWindows] = {};
};

// The run that begins at `col` and ends before column `end`.
TREADLE_INLINE WindowRun RunAt(const DotArgs& args, const WindowRange& cols, const WindowIndex& col, int64_t at) {
  const int64_t last = cols.group.dims - 1;
  WindowRun run = {col.Offset(), 1, 1, 0, {}};
  if (last >= 0) {
    run.first = col.At(last);
    run.stride = cols.group.stride[last];
    run.count = Min(cols.group.size[last] - run.first, cols.range.end - at);
  }
  for (int64_t w = 0; w < args.windows; ++w) run.move[w] = col.Move(w, last);
  return run;
}

// dst[r * ld + c] = the element at row r and column c of the two ranges.
template <typename S>
void PackWindows(const DotArgs& args, const char* src, int64_t bytes, PackFunction<S> pack, const WindowRange& rows,
                 const WindowRange& cols, S* dst, int64_t ld) {
  constexpr int kRuns = 32;
  WindowRun runs[kRuns];
  const bool plain = pack == static_cast<PackFunction<S>>(Pack<S, S>);
  const WindowsAlong along(args, cols);
  WindowIndex col(args, cols, cols.range.begin);
  for (int64_t c = cols.range.begin; c < cols.range.end;) {
    int count = 0;
    int64_t width = 0, least[kMaxWindows], most[kMaxWindows];  // of all runs, how far windows move
    for (; count < kRuns && c < cols.range.end; ++count) {
      WindowRun& run = runs[count];
      run = RunAt(args, cols, col, c);
      for (int64_t w = 0; w < args.windows; ++w) {
        int64_t low = run.move[w], high = low;
        if (const WindowSide* side = along.side_of[w]) {
          low += run.first / side->unit * side->step;
          high += (run.first + run.count - 1) / side->unit * side->step;
        }
        least[w] = count == 0 ? low : Min(least[w], low);
        most[w] = count == 0 || high > most[w] ? high : most[w];
      }
      col.Next(run.count);
      c += run.count;
      width += run.count;
    }
    WindowIndex row(args, rows, rows.range.begin);
    S* to = dst;
    for (int64_t r = rows.range.begin; r < rows.range.end; ++r, row.Next(), to += ld) {
      const int64_t offset = row.Offset();
      const WindowRow at_row(args, row, along.side_of);
      bool whole = true;
      for (int64_t w = 0; w < args.windows; ++w) {
        whole = whole && at_row.place[w] + least[w] >= 0 && at_row.place[w] + most[w] < args.window[w].size;
      }
      S* at = to;
      for (int i = 0; i < count; ++i) {
        const WindowRun& run = runs[i];
        const Range inside = whole ? Range{0, run.count} : at_row.Inside(run);
        const int64_t n = inside.end - inside.begin;
        const char* from = src + (offset + run.offset + inside.begin * run.stride) * bytes;
        if (inside.begin > 0) FillZeros<S>(at, inside.begin);
        if (n > 0 && plain && run.stride == 1)
          CopyRow<S>(reinterpret_cast<const S*>(from), n, at + inside.begin);
        else if (n > 0)
          pack(from, 0, n == 1 ? 1 : run.stride, 1, n, at + inside.begin, ld);
        if (inside.end < run.count) FillZeros<S>(at + inside.end, run.count - inside.end);
        at += run.count;
      }
    }
    dst += width;
  }
}

// Rows of lhs that follow one another in memory and that no window tells apart: so many at most are known to be zeros
// where they lie outside.
inline constexpr int64_t kMostRunRows = 2048;
template <typename S>
inline constexpr S kZeroRows[kMostRunRows] = {};

// table[i]: where the run of rows of lhs that begins with `row` lies for the i-th index of `k`.
template <typename S>
void FillTable(const DotArgs& args, const S* lhs, int64_t row, Range k, const S** table) {
  const WindowIndex first(args, {args.lhs_m, {row, row + 1}, true}, row);
  const WindowRange cols = {args.lhs_k, k, false};
  const WindowsAlong along(args, cols);
  const WindowRow windows(args, first, along.side_of);
  const S* const base = lhs + first.Offset();
  WindowIndex col(args, cols, k.begin);
  for (int64_t at = k.begin; at < k.end;) {
    const WindowRun run = RunAt(args, cols, col, at);
    const Range inside = windows.Inside(run);
    for (int64_t i = 0; i < inside.begin; ++i) *table++ = kZeroRows<S>;
    const S* from = base + run.offset + inside.begin * run.stride;
    for (int64_t i = inside.begin; i < inside.end; ++i, from += run.stride) *table++ = from;
    for (int64_t i = inside.end; i < run.count; ++i) *table++ = kZeroRows<S>;
    col.Next(run.count);
    at += run.count;
  }
}

}  // namespace treadle::kernels::dense::TREADLE_ISA

#endif  // TREADLE_KERNELS_DENSE_PACK_WINDOWS_H_

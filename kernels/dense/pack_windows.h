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

// The columns of a run that lie inside of the operand, for a row that moves windows to `place`.
TREADLE_INLINE Range Inside(const DotArgs& args, const WindowRun& run, const int64_t* place,
                            const WindowSide* const* along) {
  Range inside = {0, run.count};
  for (int64_t w = 0; w < args.windows; ++w) {
    const int64_t at = place[w] + run.move[w], size = args.window[w].size;
    if (along[w] == nullptr) {
      if (at < 0 || at >= size) return {0, 0};
      continue;
    }
    // Steps b along the dim with 0 <= at + b * step < size; each is `unit` columns.
    const int64_t step = along[w]->step, unit = along[w]->unit;
    int64_t begin = -at, end = size - at;
    if (step != 1) {
      if (step == 0) {
        if (at < 0 || at >= size) return {0, 0};
        continue;
      }
      begin = begin > 0 ? (begin + step - 1) / step : 0;
      end = end > 0 ? (end + step - 1) / step : 0;
    }
    begin = begin * unit - run.first;
    end = end * unit - run.first;
    if (begin > inside.begin) inside.begin = begin;
    if (end < inside.end) inside.end = end;
  }
  if (inside.begin >= inside.end) return {0, 0};
  return inside;
}

// dst[r * ld + c] = the element at row r and column c of the two ranges.
template <typename S>
void PackWindows(const DotArgs& args, const char* src, int64_t bytes, PackFunction<S> pack, const WindowRange& rows,
                 const WindowRange& cols, S* dst, int64_t ld) {
  constexpr int kRuns = 32;
  WindowRun runs[kRuns];
  const bool plain = pack == static_cast<PackFunction<S>>(Pack<S, S>);
  const WindowSide* along[kMaxWindows] = {};
  const int64_t last = cols.group.dims - 1;
  for (int64_t w = 0; w < args.windows; ++w) {
    const WindowSide& side = cols.m ? args.window[w].m : args.window[w].k;
    if (last >= 0 && side.dim == last) along[w] = &side;
  }
  WindowIndex col(args, cols, cols.range.begin);
  for (int64_t c = cols.range.begin; c < cols.range.end;) {
    int count = 0;
    int64_t width = 0, least[kMaxWindows], most[kMaxWindows];  // of all runs, how far windows move
    for (; count < kRuns && c < cols.range.end; ++count) {
      WindowRun& run = runs[count];
      run = {col.Offset(), 1, 1, 0, {}};
      if (last >= 0) {
        run.first = col.At(last);
        run.stride = cols.group.stride[last];
        run.count = Min(cols.group.size[last] - run.first, cols.range.end - c);
      }
      for (int64_t w = 0; w < args.windows; ++w) {
        run.move[w] = col.Move(w, last);
        int64_t low = run.move[w], high = low;
        if (along[w]) {
          low += run.first / along[w]->unit * along[w]->step;
          high += (run.first + run.count - 1) / along[w]->unit * along[w]->step;
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
      int64_t place[kMaxWindows];
      bool whole = true;
      for (int64_t w = 0; w < args.windows; ++w) {
        place[w] = args.window[w].start + row.Move(w);
        whole = whole && place[w] + least[w] >= 0 && place[w] + most[w] < args.window[w].size;
      }
      S* at = to;
      for (int i = 0; i < count; ++i) {
        const WindowRun& run = runs[i];
        const Range inside = whole ? Range{0, run.count} : Inside(args, run, place, along);
        const int64_t n = inside.end - inside.begin;
        const char* from = src + (offset + run.offset + inside.begin * run.stride) * bytes;
        if (inside.begin > 0) memset(at, 0, inside.begin * sizeof(S));
        if (n > 0 && plain && run.stride == 1)
          CopyRow<S>(reinterpret_cast<const S*>(from), n, at + inside.begin);
        else if (n > 0)
          pack(from, 0, n == 1 ? 1 : run.stride, 1, n, at + inside.begin, ld);
        if (inside.end < run.count) memset(at + inside.end, 0, (run.count - inside.end) * sizeof(S));
        at += run.count;
      }
    }
    dst += width;
  }
}

}  // namespace treadle::kernels::dense::TREADLE_ISA

#endif  // TREADLE_KERNELS_DENSE_PACK_WINDOWS_H_

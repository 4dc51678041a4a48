// Packing of rows of lhs: as they are, or by the register tiles that they are divided in. Compiled once per ISA level,
// as vec.h.
#ifndef TREADLE_KERNELS_DENSE_PACK_LHS_H_
#define TREADLE_KERNELS_DENSE_PACK_LHS_H_

#include "kernels/dense/dot_panels.h"

namespace treadle::kernels::dense::TREADLE_ISA {

// The register tiles that rows are divided in, of equal height but for one row.
template <typename K>
struct RowTiles {
  TREADLE_INLINE explicit RowTiles(int64_t rows)
      : count((rows + kTileRows<K> - 1) / kTileRows<K>), each(rows / count), rest(rows % count) {}
  TREADLE_INLINE int64_t Height(int64_t tile) const { return each + (tile < rest ? 1 : 0); }
  int64_t count, each, rest;
};

// How many rows of lhs follow one another in memory and are the same to all windows, run after run; 0 where they cannot
// be copied as they are.
template <typename K>
int64_t RunOfRows(const Dot<K>& dot) {
  using S = typename K::Element;
  const DotArgs& args = dot.args;
  const int64_t last = args.lhs_m.dims - 1;
  if (last < 0 || args.lhs_m.stride[last] != 1 || dot.pack_lhs != static_cast<PackFunction<S>>(Pack<S, S>)) return 0;
  int64_t run = args.lhs_m.size[last];
  for (int64_t w = 0; dot.windowed_lhs && w < args.windows; ++w) {
    const WindowSide& side = args.window[w].m;
    if (side.dim == last) run = Min(run, side.unit);
  }
  return run <= kMostRunRows ? run : 0;
}

// Some rows of one register tile for some k, to[k * height]. `left`: how much may be written, and how many rows are
// there to read; what is written beyond the rows is written over by the next k.
template <typename K>
TREADLE_INLINE void CopyTileRows(const typename K::Element* const* table, int64_t row, Range k, int64_t rows,
                                 int64_t readable, int64_t height, int64_t left, typename K::Element* to) {
  using S = typename K::Element;
  constexpr int64_t n = kLanes<S>, kWide = (kTileRows<K> + n - 1) / n * n;
  int64_t i = k.begin;
  if (rows == height && readable >= kWide) {
    const int64_t safe = left >= kWide ? Min(k.end, (left - kWide) / height + 1) : 0;
    for (; i < safe; ++i) {
      const S* from = table[i] + row;
#pragma clang loop unroll(full)
      for (int64_t r = 0; r < kWide; r += n) Store<S>(to + i * height + r, Load<S>(from + r));
    }
  }
  for (; i < k.end; ++i) {
    const S* from = table[i] + row;
    for (int64_t r = 0; r < rows; r += n) CopyRow<S>(from + r, Min(n, rows - r), to + i * height + r);
  }
}

// Packs columns along m: for every register tile [k][row]. `run` rows at a time follow one another in memory.
template <typename K>
void PackLhsRuns(const Dot<K>& dot, const char* lhs, Range rows, int64_t k0, int64_t kc, int64_t run) {
  using S = typename K::Element;
  constexpr int64_t kBlock = 16, kDepth = 512;  // k that are copied together; k of a table
  const RowTiles<K> tiles(rows.end - rows.begin);
  S* const packed = dot.Packed(dot.args.local_lhs);
  const S* table[kDepth];
  for (int64_t first_k = 0; first_k < kc; first_k += kDepth) {
    const int64_t depth = Min(kDepth, kc - first_k);
    int64_t tile = 0, tile_begin = rows.begin;  // the one that `row` falls into
    for (int64_t row = rows.begin; row < rows.end;) {
      const int64_t in_run = row % run, run_end = Min(row - in_run + run, rows.end);
      FillTable<S>(dot.args, reinterpret_cast<const S*>(lhs), row - in_run, {k0 + first_k, k0 + first_k + depth},
                   table);
      int64_t next_tile = tile, next_begin = tile_begin;
      for (int64_t k = 0; k < depth; k += kBlock) {
        int64_t t = tile, begin = tile_begin;
        for (int64_t r = row; r < run_end;) {
          const int64_t height = tiles.Height(t), end = Min(begin + height, run_end);
          S* const to = packed + (begin - rows.begin) * kc + first_k * height + (r - begin);
          CopyTileRows<K>(table, in_run + r - row, {k, Min(k + kBlock, depth)}, end - r, run - (in_run + r - row),
                          height, (kc - first_k) * height - (r - begin), to);
          r = end;
          if (end < begin + height) break;
          ++t;
          begin += height;
        }
        next_tile = t;
        next_begin = begin;
      }
      tile = next_tile;
      tile_begin = next_begin;
      row = run_end;
    }
  }
}

// The same for any rows.
template <typename K>
void PackLhsAlongM(const Dot<K>& dot, const char* lhs, Range rows, int64_t k0, int64_t kc) {
  using S = typename K::Element;
  const DotArgs& args = dot.args;
  constexpr int64_t n = kLanes<S>, kBlock = 8, kRows = 512, kLd = kRows + 16;
  const RowTiles<K> tiles(rows.end - rows.begin);
  S block[kBlock * kLd];
  for (int64_t k = 0; k < kc; k += kBlock) {
    const int64_t count = Min(kBlock, kc - k);
    const Range ks = {k0 + k, k0 + k + count};
    if (dot.windowed_lhs)
      PackWindows<S>(args, lhs, dot.lhs_bytes, dot.pack_lhs, {args.lhs_k, ks, false}, {args.lhs_m, rows, true}, block,
                     kLd);
    else
      PackRegion<S>(lhs, dot.lhs_bytes, dot.pack_lhs, args.lhs_k, ks, args.lhs_m, rows, block, kLd);
    S* tile = dot.Packed(args.local_lhs);
    const S* from = block;
    for (int64_t t = 0; t < tiles.count; ++t) {
      const int64_t height = tiles.Height(t);
      S *to = tile + k * height, *const end = tile + kc * height;
      for (int64_t i = 0; i < count; ++i, to += height) {
        // What is written beyond the height is written over by the next k, if there is one.
        for (int64_t r = 0; r < height; r += n) {
          if (to + r + n <= end)
            Store<S>(to + r, Load<S>(from + i * kLd + r));
          else
            memcpy(to + r, from + i * kLd + r, Min(n, height - r) * sizeof(S));
        }
      }
      tile = end;
      from += height;
    }
  }
}

template <typename K>
void PackLhs(const Dot<K>& dot, const char* lhs, Range rows, int64_t k0, int64_t kc) {
  using S = typename K::Element;
  const DotArgs& args = dot.args;
  S* dst = dot.Packed(args.local_lhs);
  if constexpr (K::kDepth == 1) {
    const int64_t run = args.lhs_along_m ? RunOfRows(dot) : 0;
    if (run >= kTileRows<K>)
      PackLhsRuns(dot, lhs, rows, k0, kc, run);
    else if (args.lhs_along_m)
      PackLhsAlongM(dot, lhs, rows, k0, kc);
    else
      PackLhsRegion<K>(dot, lhs, rows, {k0, k0 + kc}, dst, args.lhs_ld);
  } else {
    constexpr int64_t kRows = 16, kColumns = 128, kLd = kColumns + 16;
    S block[kRows * kLd];
    for (int64_t r = rows.begin; r < rows.end; r += kRows, dst += kRows * args.lhs_ld) {
      const int64_t count = Min(kRows, rows.end - r);
      for (int64_t c = 0; c < kc; c += kColumns) {
        const int64_t columns = Min(kColumns, kc - c);
        if (columns < kColumns) memset(block, 0, sizeof(block));
        PackLhsRegion<K>(dot, lhs, {r, r + count}, {k0 + c, k0 + c + columns}, block, kLd);
        for (int64_t i = 0; i < count; ++i) {
          PairAlong(block + i * kLd, (columns + 1) / 2, dst + i * args.lhs_ld + c / 2);
        }
      }
    }
  }
}

}  // namespace treadle::kernels::dense::TREADLE_ISA

#endif  // TREADLE_KERNELS_DENSE_PACK_LHS_H_

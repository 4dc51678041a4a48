// Register tiles: C[rows][cols] (+)= A[rows][kc] * B[kc][cols], a chain of multiply-adds over k for every element, kept
// in registers. Compiled once per ISA level, as vec.h.
#ifndef TREADLE_KERNELS_DENSE_MICRO_H_
#define TREADLE_KERNELS_DENSE_MICRO_H_

#include "kernels/dense/kinds.h"

namespace treadle::kernels::dense::TREADLE_ISA {

// A is read one broadcast element at a time and may have any strides: a[r * rs + k * cs]. B's rows are contiguous: b[k
// * ldb + c]. A masked tile has `lanes` lanes in the last of the vectors of a row.
template <typename K>
struct Tile {
  const typename K::Element* a;
  int64_t rs, cs;
  const typename K::Element* b;
  int64_t ldb;
  int64_t kc;  // elements, of K::kDepth k each
  typename K::Acc* c;
  int64_t ldc;
  int64_t lanes;    // in the last vector, for masked tiles
  bool accumulate;  // else C starts at 0
  // One cache line is fetched into L2 with every k: what the tiles after this one are about to read.
  const char* ahead;
  int64_t ahead_step;
};

template <typename K>
using TileFunction = void (*)(const Tile<K>&);

// Two vectors by 14 rows: 28 accumulators, two for B, one for A, of the 32 registers of AVX-512; by 6 rows of 16
// before.
template <typename K>
inline constexpr int kTileRows = kVecBytes < 64                                               ? 6
                                 : std::is_floating_point_v<typename K::Acc> || K::kDepth > 1 ? 14
                                                                                              : 8;
// Few rows cannot hide the latency of the multiply-add with two vectors; up to here they take four or eight.
inline constexpr int kWideRows = 4;

template <typename K, int kRows, int kVecs, bool kMasked>
void RunTile(const Tile<K>& tile) {
  using T = typename K::Acc;
  using S = typename K::Element;
  constexpr int n = kLanes<T>, kBases = (kRows + 2) / 3;
  constexpr int kFirstMasked = kMasked ? kVecs - 1 : kVecs;
  const Mask<T> mask(kMasked ? tile.lanes : 0);
  Vec<T> acc[kRows][kVecs];
  T* c = tile.c;
  const int64_t ldc = tile.ldc;
#pragma clang loop unroll(full)
  for (int r = 0; r < kRows; ++r) {
#pragma clang loop unroll(full)
    for (int v = 0; v < kVecs; ++v) acc[r][v] = Vec<T>(0);
  }
  if (tile.accumulate) {
#pragma clang loop unroll(full)
    for (int r = 0; r < kRows; ++r) {
#pragma clang loop unroll(full)
      for (int v = 0; v < kVecs; ++v) {
        const T* p = c + r * ldc + v * n;
        acc[r][v] = v < kFirstMasked ? Load<T>(p) : mask.Load(p);
      }
    }
  } else {
#pragma clang loop unroll(full)
    for (int r = 0; r < kRows; ++r) {
#pragma clang loop unroll(full)
      for (int v = 0; v < kVecs; v += 64 / kVecBytes) __builtin_prefetch(c + r * ldc + v * n, 1);
    }
  }
  // Three rows share a base register: 14 pointers would not fit, and the compiler must not see that they are related.
  const S* base[kBases];
  int64_t rs = tile.rs;
  __asm__("" : "+r"(rs));
#pragma clang loop unroll(full)
  for (int g = 0; g < kBases; ++g) {
    base[g] = tile.a + 3 * g * rs;
    __asm__("" : "+r"(base[g]));
  }
  const S* b = tile.b;
  const char* ahead = tile.ahead;
  const int64_t ahead_step = tile.ahead_step;
  const int64_t cs = tile.cs, ldb = tile.ldb;
  for (int64_t k = tile.kc; k > 0; --k) {
    Vec<S> row[kVecs];
#pragma clang loop unroll(full)
    for (int v = 0; v < kVecs; ++v) {
      row[v] = v < kFirstMasked ? Load<S>(b + v * n) : (Vec<S>)mask.Load(b + v * n);
    }
#pragma clang loop unroll(full)
    for (int r = 0; r < kRows; ++r) {
      Vec<S> a = Vec<S>(base[r / 3][(r % 3) * rs]);
#pragma clang loop unroll(full)
      for (int v = 0; v < kVecs; ++v) acc[r][v] = K::MulAdd(a, row[v], acc[r][v]);
    }
    b += ldb;
    __builtin_prefetch(ahead, 0, 2);
    ahead += ahead_step;
#pragma clang loop unroll(full)
    for (int g = 0; g < kBases; ++g) {
      base[g] += cs;
      __asm__("" : "+r"(base[g]));
    }
  }
#pragma clang loop unroll(full)
  for (int r = 0; r < kRows; ++r) {
#pragma clang loop unroll(full)
    for (int v = 0; v < kVecs; ++v) {
      T* p = c + r * ldc + v * n;
      if (v < kFirstMasked)
        Store<T>(p, acc[r][v]);
      else
        mask.Store(p, acc[r][v]);
    }
  }
}

// Few rows of any number of columns: B, which is read once, is walked along its rows.
template <typename K, int kRows>
void RunRows(Tile<K> tile, int64_t columns) {
  constexpr int n = kLanes<typename K::Acc>, kVecs = kRows == 1 ? 8 : kRows == 2 || kVecBytes == 64 ? 4 : 2;
  for (; columns >= kVecs * n; columns -= kVecs * n, tile.b += kVecs * n, tile.c += kVecs * n) {
    RunTile<K, kRows, kVecs, false>(tile);
  }
  for (; columns >= 2 * n; columns -= 2 * n, tile.b += 2 * n, tile.c += 2 * n) RunTile<K, kRows, 2, false>(tile);
  tile.lanes = columns > n ? columns - n : columns;
  if (columns > n)
    RunTile<K, kRows, 2, true>(tile);
  else if (columns > 0)
    RunTile<K, kRows, 1, true>(tile);
}

template <typename K>
inline constexpr void (*kRowTiles[kWideRows])(Tile<K>, int64_t) = {RunRows<K, 1>, RunRows<K, 2>, RunRows<K, 3>,
                                                                   RunRows<K, 4>};

// The same for a B that is contiguous along k, b[c * ldb + k], and two full vectors of columns: blocks of it are turned
// in registers.
template <typename T, int kRows>
void RunTurnedTile(const Tile<Plain<T>>& tile) {
  constexpr int n = kLanes<T>;
  Vec<T> acc[kRows][2];
#pragma clang loop unroll(full)
  for (int r = 0; r < kRows; ++r) {
#pragma clang loop unroll(full)
    for (int v = 0; v < 2; ++v) acc[r][v] = tile.accumulate ? Load<T>(tile.c + r * tile.ldc + v * n) : Vec<T>(0);
  }
  int64_t k = 0;
  for (; k + n <= tile.kc; k += n) {
#pragma clang loop unroll(full)
    for (int v = 0; v < 2; ++v) {
      Vec<T> b[n];
      LoadTurned<T>(tile.b + v * n * tile.ldb + k, tile.ldb, b);
      const T* a = tile.a + k * tile.cs;
#pragma clang loop unroll(full)
      for (int i = 0; i < n; ++i, a += tile.cs) {
        // Else the broadcasts are kept for the second vector, in more registers than there are.
        __asm__("" : "+r"(a));
#pragma clang loop unroll(full)
        for (int r = 0; r < kRows; ++r) acc[r][v] = MulAdd<T>(Vec<T>(a[r * tile.rs]), b[i], acc[r][v]);
      }
    }
  }
  if (k < tile.kc) {
    const Mask<T> mask(tile.kc - k);
    for (int v = 0; v < 2; ++v) {
      Vec<T> b[n];
      for (int i = 0; i < n; ++i) b[i] = mask.Load(tile.b + (v * n + i) * tile.ldb + k);
      Transpose<T>(b);
      for (int64_t i = 0; i < tile.kc - k; ++i) {
#pragma clang loop unroll(full)
        for (int r = 0; r < kRows; ++r) {
          acc[r][v] = MulAdd<T>(Vec<T>(tile.a[r * tile.rs + (k + i) * tile.cs]), b[i], acc[r][v]);
        }
      }
    }
  }
#pragma clang loop unroll(full)
  for (int r = 0; r < kRows; ++r) {
#pragma clang loop unroll(full)
    for (int v = 0; v < 2; ++v) Store<T>(tile.c + r * tile.ldc + v * n, acc[r][v]);
  }
}

template <typename T>
inline constexpr TileFunction<Plain<T>> kTurnedTiles[kWideRows] = {RunTurnedTile<T, 1>, RunTurnedTile<T, 2>,
                                                                   RunTurnedTile<T, 3>, RunTurnedTile<T, 4>};

enum TileShape { kTwoFull, kTwoMasked, kOneMasked, kTileShapes };

template <typename K>
struct TileTable {
  TileFunction<K> of[kTileRows<K>][kTileShapes];  // [rows - 1]

  template <int... kRow>
  static constexpr TileTable Make(std::integer_sequence<int, kRow...>) {
    return {{{RunTile<K, kRow + 1, 2, false>, RunTile<K, kRow + 1, 2, true>, RunTile<K, kRow + 1, 1, true>}...}};
  }
};

template <typename K>
inline constexpr TileTable<K> kTiles = TileTable<K>::Make(std::make_integer_sequence<int, kTileRows<K>>());

}  // namespace treadle::kernels::dense::TREADLE_ISA

#endif  // TREADLE_KERNELS_DENSE_MICRO_H_

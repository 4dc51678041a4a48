// Many products of one column each, as of depthwise convolutions: out[m, b] = sum over k of lhs[m, k, b] * rhs[k, b].
// Batches lie next to each other in both operands, so vectors of them are what is multiplied. Compiled once per ISA
// level, as vec.h.
#ifndef TREADLE_KERNELS_DENSE_CHANNELS_H_
#define TREADLE_KERNELS_DENSE_CHANNELS_H_

#include "kernels/dense/dot_args.h"
#include "kernels/dense/pack_windows.h"

namespace treadle::kernels::dense::TREADLE_ISA {

// A register tile is so many rows by two vectors of batches.
inline constexpr int kChannelRows = 4;

// c[r][b] (+)= sum over k of a[r][k][b] * rhs[k][b] for kRows rows and `lanes` batches, at most kVecs vectors of them.
// The elements of row r start at table[k * kChannelRows + r] + b, or without a table at base[r] + offset[k] + b; those
// of rhs at rhs + rhs_offset[k] + b.
template <typename T>
struct ChannelTile {
  const T* const* table;
  const T* base[kChannelRows];
  const int64_t* offset;
  const T* rhs;
  const int64_t* rhs_offset;
  int64_t kc;
  T* c[kChannelRows];
  bool accumulate;
};

template <typename T, int kRows, int kVecs, bool kTable, bool kMasked>
void RunChannelTile(const ChannelTile<T>& tile, int64_t b, int64_t lanes) {
  constexpr int n = kLanes<T>;
  const Mask<T> mask(kMasked ? lanes : 0);
  auto load = [&](const T* from) { return kMasked ? mask.Load(from) : Load<T>(from); };
  Vec<T> acc[kRows][kVecs];
#pragma clang loop unroll(full)
  for (int r = 0; r < kRows; ++r) {
#pragma clang loop unroll(full)
    for (int v = 0; v < kVecs; ++v) acc[r][v] = tile.accumulate ? load(tile.c[r] + b + v * n) : Vec<T>(0);
  }
  const T* rhs = tile.rhs + b;
  for (int64_t k = 0; k < tile.kc; ++k) {
    Vec<T> w[kVecs];
#pragma clang loop unroll(full)
    for (int v = 0; v < kVecs; ++v) w[v] = load(rhs + tile.rhs_offset[k] + v * n);
    const int64_t offset = kTable ? b : tile.offset[k] + b;
#pragma clang loop unroll(full)
    for (int r = 0; r < kRows; ++r) {
      const T* a = (kTable ? tile.table[k * kChannelRows + r] : tile.base[r]) + offset;
#pragma clang loop unroll(full)
      for (int v = 0; v < kVecs; ++v) acc[r][v] = MulAdd<T>(load(a + v * n), w[v], acc[r][v]);
    }
  }
#pragma clang loop unroll(full)
  for (int r = 0; r < kRows; ++r) {
#pragma clang loop unroll(full)
    for (int v = 0; v < kVecs; ++v) {
      if (kMasked)
        mask.Store(tile.c[r] + b + v * n, acc[r][v]);
      else
        Store<T>(tile.c[r] + b + v * n, acc[r][v]);
    }
  }
}

template <typename T, int kRows, bool kTable>
void RunChannels(const ChannelTile<T>& tile, int64_t batches) {
  constexpr int n = kLanes<T>;
  int64_t b = 0;
  for (; b + 2 * n <= batches; b += 2 * n) RunChannelTile<T, kRows, 2, kTable, false>(tile, b, n);
  for (; b + n <= batches; b += n) RunChannelTile<T, kRows, 1, kTable, false>(tile, b, n);
  if (b < batches) RunChannelTile<T, kRows, 1, kTable, true>(tile, b, batches - b);
}

// Elements that windows read outside of their operand.
template <typename T>
inline constexpr T kNothing[kChannelBatches] = {};

// A block of k.
struct ChannelTaps {
  static constexpr int64_t kMost = 64;

  ChannelTaps(const DotArgs& args, int64_t begin, int64_t end) : args_(args), count_(end - begin) {
    if (count_ == 0) return;
    WindowIndex index(args, {args.lhs_k, {begin, end}, false}, begin);
    for (int64_t k = 0; k < count_; ++k, index.Next()) {
      offset_[k] = index.Offset();
      rhs_offset_[k] = OffsetOf(args.rhs_k, begin + k);
      for (int64_t w = 0; w < args.windows; ++w) {
        const int64_t move = move_[w][k] = index.Move(w);
        if (k == 0 || move < least_[w]) least_[w] = move;
        if (k == 0 || move > most_[w]) most_[w] = move;
      }
    }
  }

  // Whether all taps meet elements where windows stand at `place`.
  bool Inside(const int64_t* place) const {
    bool inside = true;
    for (int64_t w = 0; w < args_.windows; ++w) {
      inside = inside && place[w] + least_[w] >= 0 && place[w] + most_[w] < args_.window[w].size;
    }
    return inside;
  }
  bool Inside(const int64_t* place, int64_t k) const {
    bool inside = true;
    for (int64_t w = 0; w < args_.windows; ++w) {
      const int64_t at = place[w] + move_[w][k];
      inside = inside && at >= 0 && at < args_.window[w].size;
    }
    return inside;
  }

  int64_t count() const { return count_; }
  const int64_t* offset() const { return offset_; }
  const int64_t* rhs_offset() const { return rhs_offset_; }

 private:
  const DotArgs& args_;
  const int64_t count_;
  int64_t offset_[kMost], rhs_offset_[kMost];  // in lhs and in rhs
  int64_t move_[kMaxWindows][kMost];
  int64_t least_[kMaxWindows] = {}, most_[kMaxWindows] = {};
};

// Up to kChannelRows rows from `row` on, which is moved past them, over one block of k. tile.c and tile.rhs are set.
template <typename T>
void MultiplyChannelRows(const DotArgs& args, const T* lhs, const ChannelTaps& taps, WindowIndex& row, int64_t rows,
                         int64_t batches, ChannelTile<T>& tile) {
  int64_t place[kChannelRows][kMaxWindows];
  bool inside = true;
  for (int64_t r = 0; r < rows; ++r, row.Next()) {
    tile.base[r] = lhs + row.Offset();
    for (int64_t w = 0; w < args.windows; ++w) place[r][w] = args.window[w].start + row.Move(w);
    inside = inside && taps.Inside(place[r]);
  }
  tile.kc = taps.count();
  tile.offset = taps.offset();
  tile.rhs_offset = taps.rhs_offset();
  if (inside && rows == kChannelRows) return RunChannels<T, kChannelRows, false>(tile, batches);
  const T* table[ChannelTaps::kMost * kChannelRows];
  for (int64_t k = 0; k < taps.count(); ++k) {
    for (int64_t r = 0; r < rows; ++r) {
      table[k * kChannelRows + r] = taps.Inside(place[r], k) ? tile.base[r] + taps.offset()[k] : kNothing<T>;
    }
  }
  tile.table = table;
  if (rows == kChannelRows) return RunChannels<T, kChannelRows, true>(tile, batches);
  T* const* c = tile.c;
  for (int64_t r = 0; r < rows; ++r) {
    ChannelTile<T> one = tile;
    one.table = table + r;
    one.c[0] = c[r];
    RunChannels<T, 1, true>(one, batches);
  }
}

}  // namespace treadle::kernels::dense::TREADLE_ISA

#endif  // TREADLE_KERNELS_DENSE_CHANNELS_H_

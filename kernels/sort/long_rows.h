// Rows so long that many threads share one. Five kernels, one after the other:
//   load    items of a chunk of the row, and in which bits they differ
//   count   how many items of the chunk go to each bucket, by the highest bits that differ anywhere in the row
//   spread  the chunk's items to their buckets, behind those of the chunks before it
//   sort    buckets, those that begin in a stretch of the row; their outputs
//   place   what items do not tell (PlaceMerged), a row a tile
// Compiled once per ISA level, as dense/vec.h.
#ifndef TREADLE_KERNELS_SORT_LONG_ROWS_H_
#define TREADLE_KERNELS_SORT_LONG_ROWS_H_

#include <cstdint>
#include <cstring>

#include "executable/kernel_abi.h"
#include "kernels/sort/keys.h"
#include "kernels/sort/radix.h"
#include "kernels/sort/sort_args.h"

namespace treadle::kernels::sort::TREADLE_ISA {

// Where a row's things lie in scratch memory, and which part of it a tile is about.
template <typename T>
struct LongRow {
  int64_t row, chunk;  // the tile
  int64_t begin, end;  // of the chunk
  T *loaded, *spread;
  T *first, *differing;  // of each chunk
  uint64_t* merged;      // of each chunk: whether elements are not told by their items
  uint32_t* counts;      // of each chunk, each bucket's

  LongRow(const TreadleCallFrame* frame, const SortArgs& args, int64_t tile)
      : row(tile / args.chunks),
        chunk(tile % args.chunks),
        begin(args.length * chunk / args.chunks),
        end(args.length * (chunk + 1) / args.chunks) {
    char* at = static_cast<char*>(frame->scratch) + row * args.row_bytes;
    auto next = [&](int64_t bytes) {
      char* here = at;
      at += AlignedBytes(bytes);
      return here;
    };
    loaded = reinterpret_cast<T*>(next(args.length * sizeof(T)));
    spread = reinterpret_cast<T*>(next(args.length * sizeof(T)));
    first = reinterpret_cast<T*>(next(args.chunks * sizeof(T)));
    differing = reinterpret_cast<T*>(next(args.chunks * sizeof(T)));
    merged = reinterpret_cast<uint64_t*>(next(args.chunks * sizeof(uint64_t)));
    counts = reinterpret_cast<uint32_t*>(next(args.chunks * kBuckets * sizeof(uint32_t)));
  }

  bool Merged(const SortArgs& args) const {
    uint64_t any = 0;
    for (int64_t c = 0; c < args.chunks; ++c) any |= merged[c];
    return any != 0;
  }

  // Buckets are told by the bits from here on.
  int BucketShift(const SortArgs& args) const {
    T bits = 0;
    for (int64_t c = 0; c < args.chunks; ++c) bits |= differing[c] | (first[c] ^ first[0]);
    const int lowest = static_cast<int>(args.position_bits), width = BitWidth(static_cast<T>(bits >> lowest));
    return lowest + (width > kBucketBits ? width - kBucketBits : 0);
  }

  // How many items each bucket has in chunks [from, to).
  void AddCounts(int64_t from, int64_t to, uint32_t* sums) const {
    memset(sums, 0, kBuckets * sizeof(uint32_t));
    for (int64_t c = from; c < to; ++c) {
      for (int64_t bucket = 0; bucket < kBuckets; ++bucket) sums[bucket] += counts[c * kBuckets + bucket];
    }
  }
};

template <typename T>
TREADLE_INLINE uint32_t BucketOf(T item, int shift) {
  return static_cast<uint32_t>(item >> shift) & (kBuckets - 1);
}

template <typename T>
int LoadLongRows(const TreadleCallFrame* frame) {
  const SortArgs& args = *reinterpret_cast<const SortArgs*>(frame->args);
  for (int64_t tile = frame->tile_begin; tile < frame->tile_end; ++tile) {
    LongRow<T> part(frame, args, tile);
    Block<T> block = StretchOf<T>(args, part.row, part.begin, part.end);
    block.items[0] = part.loaded + part.begin;
    LoadItems(frame, args, block);
    part.first[part.chunk] = block.items[0][0];
    part.differing[part.chunk] = DifferingBits(block.items[0], part.end - part.begin);
    part.merged[part.chunk] = block.merged;
  }
  return TREADLE_KERNEL_OK;
}

template <typename T>
int CountLongRows(const TreadleCallFrame* frame) {
  const SortArgs& args = *reinterpret_cast<const SortArgs*>(frame->args);
  for (int64_t tile = frame->tile_begin; tile < frame->tile_end; ++tile) {
    LongRow<T> part(frame, args, tile);
    const int shift = part.BucketShift(args);
    uint32_t* counts = part.counts + part.chunk * kBuckets;
    memset(counts, 0, kBuckets * sizeof(uint32_t));
    for (int64_t i = part.begin; i < part.end; ++i) ++counts[BucketOf(part.loaded[i], shift)];
  }
  return TREADLE_KERNEL_OK;
}

// Local: a number a bucket, twice.
template <typename T>
int SpreadLongRows(const TreadleCallFrame* frame) {
  const SortArgs& args = *reinterpret_cast<const SortArgs*>(frame->args);
  auto totals = static_cast<uint32_t*>(frame->local), places = totals + kBuckets;
  for (int64_t tile = frame->tile_begin; tile < frame->tile_end; ++tile) {
    LongRow<T> part(frame, args, tile);
    const int shift = part.BucketShift(args);
    part.AddCounts(0, args.chunks, totals);
    part.AddCounts(0, part.chunk, places);
    uint32_t before = 0;
    for (int64_t bucket = 0; bucket < kBuckets; ++bucket) {
      places[bucket] += before;
      before += totals[bucket];
    }
    for (int64_t i = part.begin; i < part.end; ++i) {
      part.spread[places[BucketOf(part.loaded[i], shift)]++] = part.loaded[i];
    }
  }
  return TREADLE_KERNEL_OK;
}

// Local: a number a bucket, then counters of radix sorts.
template <typename T>
int SortLongRows(const TreadleCallFrame* frame) {
  const SortArgs& args = *reinterpret_cast<const SortArgs*>(frame->args);
  auto totals = static_cast<uint32_t*>(frame->local), counters = totals + kBuckets;
  for (int64_t tile = frame->tile_begin; tile < frame->tile_end; ++tile) {
    LongRow<T> part(frame, args, tile);
    part.AddCounts(0, args.chunks, totals);
    const bool merged = args.position_bits > 0 && part.Merged(args);
    int64_t begin = 0;
    for (int64_t bucket = 0; bucket < kBuckets && begin < part.end && begin < args.take; begin += totals[bucket++]) {
      const int64_t count = totals[bucket];
      if (begin < part.begin || count == 0) continue;
      const int64_t end = begin + count < args.take ? begin + count : args.take;
      Block<T> block = StretchOf<T>(args, part.row, begin, end);
      block.items[0] =
          RadixSort(part.spread + begin, part.loaded + begin, count, static_cast<int>(args.position_bits), counters);
      block.merged = merged;
      StoreOutputs(frame, args, block);
    }
  }
  return TREADLE_KERNEL_OK;
}

template <typename T>
int PlaceLongRows(const TreadleCallFrame* frame) {
  const SortArgs& args = *reinterpret_cast<const SortArgs*>(frame->args);
  for (int64_t row = frame->tile_begin; row < frame->tile_end; ++row) {
    LongRow<T> part(frame, args, row * args.chunks);
    if (!part.Merged(args)) continue;
    PlaceOutputs(frame, args, StretchOf<T>(args, row, 0, args.length));
  }
  return TREADLE_KERNEL_OK;
}

}  // namespace treadle::kernels::sort::TREADLE_ISA

#endif  // TREADLE_KERNELS_SORT_LONG_ROWS_H_

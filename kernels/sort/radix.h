// Radix sorts of unsigned integers, byte by byte, and selection of the least. Compiled once per ISA
// level, as dense/vec.h; nothing here calls the standard library's algorithms, whose code the levels would share.
#ifndef TREADLE_KERNELS_SORT_RADIX_H_
#define TREADLE_KERNELS_SORT_RADIX_H_

#include <cstdint>
#include <cstring>

#include "kernels/dense/vec.h"
#include "kernels/sort/sort_args.h"

namespace treadle::kernels::sort::TREADLE_ISA {

using namespace dense::TREADLE_ISA;

using Wide = unsigned __int128;

template <typename T>
void InsertionSort(T* a, int64_t n) {
  for (int64_t i = 1; i < n; ++i) {
    const T item = a[i];
    int64_t j = i;
    for (; j > 0 && item < a[j - 1]; --j) a[j] = a[j - 1];
    a[j] = item;
  }
}

// The bits in which not all items agree.
template <typename T>
T DifferingBits(const T* a, int64_t n) {
  T differing = 0;
  const T first = a[0];
  for (int64_t i = 1; i < n; ++i) differing |= a[i] ^ first;
  return differing;
}

// Moves items from `from` to `to` in the order of the byte at `shift`; counters[d] is then where those with byte d end.
// Even and odd items are counted apart, as equal neighbours would wait for each other's counter.
template <typename T>
void SortByByte(const T* from, T* to, int64_t n, int shift, uint32_t* counters) {
  uint32_t *even = counters, *odd = counters + 256;
  memset(counters, 0, kCounterBytes);
  int64_t i = 0;
  for (; i + 1 < n; i += 2) {
    ++even[static_cast<uint8_t>(from[i] >> shift)];
    ++odd[static_cast<uint8_t>(from[i + 1] >> shift)];
  }
  if (i < n) ++even[static_cast<uint8_t>(from[i] >> shift)];
  uint32_t sum = 0;
  for (int digit = 0; digit < 256; ++digit) {
    const uint32_t count = even[digit] + odd[digit];
    even[digit] = sum;
    sum += count;
  }
  for (i = 0; i < n; ++i) to[even[static_cast<uint8_t>(from[i] >> shift)]++] = from[i];
}

template <typename T>
TREADLE_INLINE int BitWidth(T bits) {
  if constexpr (sizeof(T) == 16) {
    const auto high = static_cast<uint64_t>(bits >> 64);
    return high != 0 ? 128 - __builtin_clzll(high) : BitWidth(static_cast<uint64_t>(bits));
  } else {
    return bits != 0 ? 64 - __builtin_clzll(static_cast<uint64_t>(bits)) : 0;
  }
}

// Items are sorted by all bytes in which they differ, the lowest first, but for two cases in which they are parted by
// the highest byte and the parts sorted by themselves: items that do not fit a near cache; and few items with many such
// bytes, each of which costs the walk through the counters.
inline constexpr int64_t kNearBytes = 256 << 10;
template <typename T>
inline constexpr int64_t kFewItems = sizeof(T) > 8 ? 150 : 20;  // a byte

template <typename T>
TREADLE_INLINE bool GoesByParts(int64_t n, int width) {
  const int bytes = (width + 7) / 8;
  return (n * static_cast<int64_t>(sizeof(T)) > kNearBytes && bytes > 1) || (n < kFewItems<T> * bytes && bytes > 3);
}

// Up to here all short parts are sorted in one go: each item is near its place.
inline constexpr int64_t kOneInsertion = 4096;

template <typename T>
T* RadixSort(T* a, T* b, int64_t n, int lowest, uint32_t* counters);

// Sorts a[0, n) into b, first by the byte at `shift`, above which items agree.
template <typename T>
void SortByParts(T* a, T* b, int64_t n, int shift, int lowest, uint32_t* counters) {
  SortByByte(a, b, n, shift, counters);
  uint32_t ends[256];
  memcpy(ends, counters, sizeof(ends));
  for (int64_t part = 0, begin = 0; part < 256; begin = ends[part++]) {
    const int64_t count = ends[part] - begin;
    if (count <= (n <= kOneInsertion ? kInsertionLength : 1)) continue;
    const T* sorted = RadixSort(b + begin, a + begin, count, lowest, counters);
    if (sorted != b + begin) memcpy(static_cast<void*>(b + begin), sorted, count * sizeof(T));
  }
  if (n <= kOneInsertion) InsertionSort(b, n);
}

// Sorts a[0, n) by the bits from `lowest` on, stably; b is as large. Returns where the result is: a or b. n < 2^32.
template <typename T>
T* RadixSort(T* a, T* b, int64_t n, int lowest, uint32_t* counters) {
  if (n <= kInsertionLength) {
    InsertionSort(a, n);
    return a;
  }
  T left = static_cast<T>(DifferingBits(a, n) >> lowest);
  const int width = BitWidth(left);
  if (GoesByParts<T>(n, width)) {
    SortByParts(a, b, n, lowest + width - 8, lowest, counters);
    return b;
  }
  for (int shift = lowest; left != 0; shift += 8, left = static_cast<T>(left >> 8)) {
    for (; (left & 1) == 0; left = static_cast<T>(left >> 1)) ++shift;  // begins at the lowest bit that tells anything
    SortByByte(a, b, n, shift, counters);
    T* sorted = b;
    b = a;
    a = sorted;
    if (sizeof(T) * 8 - shift <= 8) break;
  }
  return a;
}

inline constexpr int64_t kSelectionEnd = 16;  // items that are sorted by insertion in the end

// Brings the k least to the front, in any order. 0 < k < n; items differ.
template <typename T>
void SelectLeast(T* a, int64_t n, int64_t k) {
  int64_t begin = 0, end = n;  // where the k-th is
  while (end - begin > kSelectionEnd) {
    // The middle one of three.
    T x = a[begin], y = a[begin + (end - begin) / 2], z = a[end - 1];
    const T low = x < y ? x : y, high = x < y ? y : x;
    const T pivot = z < low ? low : z > high ? high : z;
    int64_t below = begin;  // what is below the pivot goes in front; no branch on data
    for (int64_t i = begin; i < end; ++i) {
      const T item = a[i];
      a[i] = a[below];
      a[below] = item;
      below += item < pivot;
    }
    // The pivot is in [below, end), and something is below it or above it, so both ways get shorter.
    if (k <= below) {
      if (below == k) return;
      end = below;
    } else if (below > begin) {
      begin = below;
    } else {  // the pivot is the least: it goes first
      int64_t at = begin;
      while (a[at] != pivot) ++at;
      a[at] = a[begin];
      a[begin] = pivot;
      if (++begin >= k) return;
    }
  }
  InsertionSort(a + begin, end - begin);
}

}  // namespace treadle::kernels::sort::TREADLE_ISA

#endif  // TREADLE_KERNELS_SORT_RADIX_H_

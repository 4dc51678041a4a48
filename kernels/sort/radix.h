// Radix sorts of unsigned integers, byte by byte from the lowest, and selection of the least. Compiled once per ISA
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

// Moves items from `from` to `to` in the order of the byte at `shift`. Even and odd items are counted apart, as equal
// neighbours would wait for each other's counter.
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

// Sorts a[0, n) by the bits from `lowest` on, stably; b is as large. Returns where the result is: a or b. n < 2^32.
template <typename T>
T* RadixSort(T* a, T* b, int64_t n, int lowest, uint32_t* counters) {
  if (n <= kInsertionLength) {
    InsertionSort(a, n);
    return a;
  }
  T left = static_cast<T>(DifferingBits(a, n) >> lowest);
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

// Brings the k least to the front, in any order. 0 < k < n; items differ.
template <typename T>
void SelectLeast(T* a, int64_t n, int64_t k) {
  int64_t begin = 0, end = n;  // where the k-th is
  while (end - begin > kInsertionLength) {
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

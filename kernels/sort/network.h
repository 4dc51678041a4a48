// Sorting networks over vectors: lane l of n vectors is a column of its own, sorted by minima and maxima alone, with no
// shuffles and no branches on data. Batcher's odd-even merge sort, in which positions from n on count as infinite.
// Compiled once per ISA level, as dense/vec.h.
#ifndef TREADLE_KERNELS_SORT_NETWORK_H_
#define TREADLE_KERNELS_SORT_NETWORK_H_

#include <cstdint>

#include "kernels/dense/vec.h"

namespace treadle::kernels::sort::TREADLE_ISA {

using namespace dense::TREADLE_ISA;

template <typename T>
class Network {
 public:
  // Sorts every column of n vectors.
  static void Sort(T* items, int64_t n) {
    int64_t size = kLeaf;
    while (size < n) size *= 2;
    SortBlock(items, size, n);
  }

 private:
  using V = Vec<T>;
  static constexpr int64_t kL = kLanes<T>;
  static constexpr int kLeaf = kVecBytes == 64 ? 16 : 8;  // half of the registers

  static TREADLE_INLINE void Exchange(V& a, V& b) {
    V least = __builtin_elementwise_min(a, b);
    b = __builtin_elementwise_max(a, b);
    a = least;
  }

  static TREADLE_INLINE void Exchange(T* a, T* b) {
    V x = Load<T>(a), y = Load<T>(b);
    Exchange(x, y);
    Store<T>(a, x);
    Store<T>(b, y);
  }

  // One step of the network of kLeaf, in registers.
  template <int kRun, int kDistance>
  static TREADLE_INLINE void Steps(V* r) {
#pragma clang loop unroll(full)
    for (int j = kDistance % kRun; j + kDistance < kLeaf; j += 2 * kDistance) {
#pragma clang loop unroll(full)
      for (int i = j; i < j + kDistance; ++i) {
        if (i + kDistance < kLeaf && i / (2 * kRun) == (i + kDistance) / (2 * kRun)) Exchange(r[i], r[i + kDistance]);
      }
    }
    if constexpr (kDistance > 1) {
      Steps<kRun, kDistance / 2>(r);
    } else if constexpr (2 * kRun < kLeaf) {
      Steps<2 * kRun, 2 * kRun>(r);
    }
  }

  static void SortLeaf(T* a) {
    V r[kLeaf];
#pragma clang loop unroll(full)
    for (int i = 0; i < kLeaf; ++i) r[i] = Load<T>(a + i * kL);
    Steps<1, 1>(r);
#pragma clang loop unroll(full)
    for (int i = 0; i < kLeaf; ++i) Store<T>(a + i * kL, r[i]);
  }

  // Of two sorted runs, `run` vectors and what is left up to n, one. The last two steps go over the vectors once.
  static void Merge(T* a, int64_t run, int64_t n) {
    for (int64_t i = 0; i + run < n; ++i) Exchange(a + i * kL, a + (i + run) * kL);
    int64_t distance = run / 2;
    for (; distance > 2; distance /= 2) {
      for (int64_t j = distance; j + distance < n; j += 2 * distance) {
        const int64_t end = j + distance < n - distance ? j + distance : n - distance;
        for (int64_t i = j; i < end; ++i) Exchange(a + i * kL, a + (i + distance) * kL);
      }
    }
    if (distance == 2) return MergeLast(a, n);
    if (distance == 1) MergeNeighbours(a, n, 1);
  }

  static void MergeNeighbours(T* a, int64_t n, int64_t from) {
    for (int64_t i = from; i + 1 < n; i += 2) Exchange(a + i * kL, a + (i + 1) * kL);
  }

  // Distances 2 and 1: vector j meets j + 2 and j + 1 meets j + 3 for j = 2, 6, ...; then odd ones meet the next.
  static void MergeLast(T* a, int64_t n) {
    int64_t j = 2;
    if (j + 3 < n) {
      V last = Load<T>(a + kL);
      for (; j + 3 < n; j += 4) {
        V r0 = Load<T>(a + j * kL), r1 = Load<T>(a + (j + 1) * kL), r2 = Load<T>(a + (j + 2) * kL),
          r3 = Load<T>(a + (j + 3) * kL);
        Exchange(r0, r2);
        Exchange(r1, r3);
        Exchange(last, r0);
        Exchange(r1, r2);
        Store<T>(a + (j - 1) * kL, last);
        Store<T>(a + j * kL, r0);
        Store<T>(a + (j + 1) * kL, r1);
        Store<T>(a + (j + 2) * kL, r2);
        last = r3;
      }
      Store<T>(a + (j - 1) * kL, last);
    }
    if (j + 2 < n) Exchange(a + j * kL, a + (j + 2) * kL);
    MergeNeighbours(a, n, j - 1);
  }

  // The first n of `size` vectors, a power of two.
  static void SortBlock(T* a, int64_t size, int64_t n) {
    if (size == kLeaf && n == kLeaf) return SortLeaf(a);
    if (size == 1 || n <= 1) return;
    const int64_t half = size / 2;
    SortBlock(a, half, n < half ? n : half);
    if (n <= half) return;
    SortBlock(a + half * kL, half, n - half);
    Merge(a, half, n);
  }
};

}  // namespace treadle::kernels::sort::TREADLE_ISA

#endif  // TREADLE_KERNELS_SORT_NETWORK_H_

// Numbers in memory to planes and back. Compiled once per ISA level.
#ifndef TREADLE_KERNELS_FFT_PLANES_H_
#define TREADLE_KERNELS_FFT_PLANES_H_

#include "kernels/fft/passes.h"

namespace treadle::kernels::fft::TREADLE_ISA {

TREADLE_INLINE int64_t Min(int64_t a, int64_t b) { return a < b ? a : b; }

// Two vectors of complex numbers as their parts, and back.
template <typename T, int... kLane>
TREADLE_INLINE void Split(Vec<T> low, Vec<T> high, Vec<T>* re, Vec<T>* im, std::integer_sequence<int, kLane...>) {
  *re = __builtin_shufflevector(low, high, (2 * kLane)...);
  *im = __builtin_shufflevector(low, high, (2 * kLane + 1)...);
}
template <typename T, int... kLane>
TREADLE_INLINE void Join(Vec<T> re, Vec<T> im, Vec<T>* low, Vec<T>* high, std::integer_sequence<int, kLane...>) {
  constexpr int n = kLanes<T>;
  *low = __builtin_shufflevector(re, im, (kLane % 2 * n + kLane / 2)...);
  *high = __builtin_shufflevector(re, im, (kLane % 2 * n + n / 2 + kLane / 2)...);
}
template <typename T, int... kLane>
TREADLE_INLINE Vec<T> Reversed(Vec<T> v, std::integer_sequence<int, kLane...>) {
  return __builtin_shufflevector(v, v, (kLanes<T> - 1 - kLane)...);
}
template <typename T>
using LaneNumbers = std::make_integer_sequence<int, kLanes<T>>;

// `n` complex numbers, one after the other, to parts; beyond them whatever there is.
template <typename T>
TREADLE_INLINE void LoadRun(const T* from, int64_t n, T* re, T* im) {
  constexpr int w = kLanes<T>;
  int64_t i = 0;
  for (; i + w <= n; i += w) {
    Vec<T> a, b;
    Split<T>(Load<T>(from + 2 * i), Load<T>(from + 2 * i + w), &a, &b, LaneNumbers<T>());
    Store<T>(re + i, a);
    Store<T>(im + i, b);
  }
  for (; i < n; ++i) {
    re[i] = from[2 * i];
    im[i] = from[2 * i + 1];
  }
}

// Back, times `scale`.
template <typename T>
TREADLE_INLINE void StoreRun(const T* re, const T* im, int64_t n, T scale, T* to) {
  constexpr int w = kLanes<T>;
  int64_t i = 0;
  for (; i + w <= n; i += w) {
    Vec<T> a, b;
    Join<T>(Load<T>(re + i) * Vec<T>(scale), Load<T>(im + i) * Vec<T>(scale), &a, &b, LaneNumbers<T>());
    Store<T>(to + 2 * i, a);
    Store<T>(to + 2 * i + w, b);
  }
  for (; i < n; ++i) {
    to[2 * i] = re[i] * scale;
    to[2 * i + 1] = im[i] * scale;
  }
}

// Up to kMaxLanes transforms that are worked on together, as they lie in memory.
inline constexpr int64_t kMaxLanes = 64;

template <typename T>
struct Lanes {
  T* at[kMaxLanes];  // number 0 of each
  int64_t count;     // of lanes that there are
  int64_t group;     // of lanes of the planes
  int64_t stride;    // between the numbers of a transform, in complex numbers
  bool neighbours;   // the lanes lie next to each other
};

// Lanes of complex numbers to planes [n][group]; lanes beyond `count` keep what they have.
template <typename T>
void LoadLanes(const Lanes<T>& lanes, int64_t n, Planes<T> to) {
  constexpr int w = kLanes<T>;
  const int64_t group = lanes.group;
  if (lanes.neighbours) {
    for (int64_t j = 0; j < n; ++j) {
      LoadRun<T>(lanes.at[0] + 2 * j * lanes.stride, lanes.count, to.re + j * group, to.im + j * group);
    }
    return;
  }
  for (int64_t l = 0; l < lanes.count; l += w) {
    int64_t j = 0;
    if (l + w <= lanes.count && lanes.stride == 1) {  // rows: squares of them are turned in registers
      for (; j + w / 2 <= n; j += w / 2) {
        Vec<T> rows[w];
#pragma clang loop unroll(full)
        for (int r = 0; r < w; ++r) rows[r] = Load<T>(lanes.at[l + r] + 2 * j);
        Transpose<T>(rows);
#pragma clang loop unroll(full)
        for (int r = 0; r < w / 2; ++r) {
          Store<T>(to.re + (j + r) * group + l, rows[2 * r]);
          Store<T>(to.im + (j + r) * group + l, rows[2 * r + 1]);
        }
      }
    }
    for (int64_t r = l; r < Min(l + w, lanes.count); ++r) {
      const T* from = lanes.at[r];
      for (int64_t i = j; i < n; ++i) {
        to.re[i * group + r] = from[2 * i * lanes.stride];
        to.im[i * group + r] = from[2 * i * lanes.stride + 1];
      }
    }
  }
}

template <typename T>
void StoreLanes(const Lanes<T>& lanes, int64_t n, T scale, Planes<T> from) {
  constexpr int w = kLanes<T>;
  const int64_t group = lanes.group;
  if (lanes.neighbours) {
    for (int64_t j = 0; j < n; ++j) {
      StoreRun<T>(from.re + j * group, from.im + j * group, lanes.count, scale, lanes.at[0] + 2 * j * lanes.stride);
    }
    return;
  }
  for (int64_t l = 0; l < lanes.count; l += w) {
    int64_t j = 0;
    if (l + w <= lanes.count && lanes.stride == 1) {
      for (; j + w / 2 <= n; j += w / 2) {
        Vec<T> rows[w];
#pragma clang loop unroll(full)
        for (int r = 0; r < w / 2; ++r) {
          rows[2 * r] = Load<T>(from.re + (j + r) * group + l) * Vec<T>(scale);
          rows[2 * r + 1] = Load<T>(from.im + (j + r) * group + l) * Vec<T>(scale);
        }
        Transpose<T>(rows);
#pragma clang loop unroll(full)
        for (int r = 0; r < w; ++r) Store<T>(lanes.at[l + r] + 2 * j, rows[r]);
      }
    }
    for (int64_t r = l; r < Min(l + w, lanes.count); ++r) {
      T* to = lanes.at[r];
      for (int64_t i = j; i < n; ++i) {
        to[2 * i * lanes.stride] = from.re[i * group + r] * scale;
        to[2 * i * lanes.stride + 1] = from.im[i * group + r] * scale;
      }
    }
  }
}

}  // namespace treadle::kernels::fft::TREADLE_ISA

#endif  // TREADLE_KERNELS_FFT_PLANES_H_

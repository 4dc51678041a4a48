// Vectors of the ISA level that the including file is compiled for (TREADLE_ISA: v2, v3 or v4), from clang's vector
// extensions; intrinsics only where those have no word for it. Everything lives in a namespace of that level: no
// function compiled for one level may stand in for that of another.
#ifndef TREADLE_KERNELS_DENSE_VEC_H_
#define TREADLE_KERNELS_DENSE_VEC_H_

#include <immintrin.h>
#include <stdint.h>
#include <string.h>

#include <type_traits>
#include <utility>

#define TREADLE_INLINE inline __attribute__((always_inline))

namespace treadle::kernels::dense::TREADLE_ISA {

#if defined(__AVX512F__)
inline constexpr int kVecBytes = 64;
#elif defined(__AVX2__)
inline constexpr int kVecBytes = 32;
#else
inline constexpr int kVecBytes = 16;
#endif

template <typename T, int N>
struct VecOf {
  typedef T type __attribute__((ext_vector_type(N)));
};
template <typename T>
inline constexpr int kLanes = kVecBytes / sizeof(T);
template <typename T, int N = kLanes<T>>
using Vec = typename VecOf<T, N>::type;

template <typename V>
TREADLE_INLINE V LoadAny(const void* from) {
  V v;
  memcpy(&v, from, sizeof(V));
  return v;
}
template <typename T>
TREADLE_INLINE Vec<T> Load(const void* from) {
  return LoadAny<Vec<T>>(from);
}
template <typename T>
TREADLE_INLINE void Store(void* to, Vec<T> v) {
  memcpy(to, &v, sizeof(v));
}

// a * b + c, fused where the level has FMA: part of a contraction's meaning (see dot.h).
template <typename T>
TREADLE_INLINE Vec<T> MulAdd(Vec<T> a, Vec<T> b, Vec<T> c) {
#if defined(__FMA__)
  if constexpr (std::is_floating_point_v<T>) return __builtin_elementwise_fma(a, b, c);
#endif
  return a * b + c;
}

// The first n lanes (0 <= n <= kLanes<T>) of 4- or 8-byte elements.
#if defined(__AVX512F__)
template <typename T>
struct Mask {
  uint32_t bits;
  TREADLE_INLINE explicit Mask(int64_t n) : bits((1u << n) - 1) {}
  TREADLE_INLINE Vec<T> Load(const void* from) const {
    if constexpr (sizeof(T) == 4)
      return (Vec<T>)_mm512_maskz_loadu_epi32((__mmask16)bits, from);
    else
      return (Vec<T>)_mm512_maskz_loadu_epi64((__mmask8)bits, from);
  }
  TREADLE_INLINE void Store(void* to, Vec<T> v) const {
    if constexpr (sizeof(T) == 4)
      _mm512_mask_storeu_epi32(to, (__mmask16)bits, (__m512i)v);
    else
      _mm512_mask_storeu_epi64(to, (__mmask8)bits, (__m512i)v);
  }
};
#elif defined(__AVX2__)
template <typename T>
struct Mask {
  __m256i bits;
  TREADLE_INLINE explicit Mask(int64_t n) {
    static const int32_t kOnes[16] = {-1, -1, -1, -1, -1, -1, -1, -1, 0, 0, 0, 0, 0, 0, 0, 0};
    bits = _mm256_loadu_si256((const __m256i*)(kOnes + 8 - n * (sizeof(T) / 4)));
  }
  TREADLE_INLINE Vec<T> Load(const void* from) const {
    if constexpr (sizeof(T) == 4)
      return (Vec<T>)_mm256_maskload_epi32((const int*)from, bits);
    else
      return (Vec<T>)_mm256_maskload_epi64((const long long*)from, bits);
  }
  TREADLE_INLINE void Store(void* to, Vec<T> v) const {
    if constexpr (sizeof(T) == 4)
      _mm256_maskstore_epi32((int*)to, bits, (__m256i)v);
    else
      _mm256_maskstore_epi64((long long*)to, bits, (__m256i)v);
  }
};
#else
template <typename T>
struct Mask {
  int64_t n;
  TREADLE_INLINE explicit Mask(int64_t n) : n(n) {}
  TREADLE_INLINE Vec<T> Load(const void* from) const {
    T lanes[kLanes<T>] = {};
    for (int64_t i = 0; i < n; ++i) memcpy(&lanes[i], (const char*)from + i * sizeof(T), sizeof(T));
    return LoadAny<Vec<T>>(lanes);
  }
  TREADLE_INLINE void Store(void* to, Vec<T> v) const {
    T lanes[kLanes<T>];
    memcpy(lanes, &v, sizeof(v));
    for (int64_t i = 0; i < n; ++i) memcpy((char*)to + i * sizeof(T), &lanes[i], sizeof(T));
  }
};
#endif

// One stage of a transposition: swaps bit kBit of the row number with bit kBit of the lane number.
template <typename T, int kBit, int... kLane>
TREADLE_INLINE void Exchange(Vec<T>& a, Vec<T>& b, std::integer_sequence<int, kLane...>) {
  constexpr int n = kLanes<T>;
  Vec<T> low = __builtin_shufflevector(a, b, ((kLane & kBit) ? n + kLane - kBit : kLane)...);
  Vec<T> high = __builtin_shufflevector(a, b, ((kLane & kBit) ? n + kLane : kLane + kBit)...);
  a = low;
  b = high;
}

// The stages from kBit up to kEnd; all of them by default.
template <typename T, int kBit = 1, int kEnd = kLanes<T>>
TREADLE_INLINE void Transpose(Vec<T>* rows) {
  if constexpr (kBit < kEnd) {
#pragma clang loop unroll(full)
    for (int i = 0; i < kLanes<T>; ++i) {
      if (!(i & kBit)) Exchange<T, kBit>(rows[i], rows[i + kBit], std::make_integer_sequence<int, kLanes<T>>());
    }
    Transpose<T, kBit * 2, kEnd>(rows);
  }
}

template <typename T, int... kLane>
TREADLE_INLINE Vec<T> Join(Vec<T, kLanes<T> / 2> low, Vec<T, kLanes<T> / 2> high,
                           std::integer_sequence<int, kLane...>) {
  return __builtin_shufflevector(low, high, kLane...);
}

}  // namespace treadle::kernels::dense::TREADLE_ISA

#endif  // TREADLE_KERNELS_DENSE_VEC_H_

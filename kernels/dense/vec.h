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

// a * b + c of floats or vectors of them, fused where the level has FMA.
template <typename V>
TREADLE_INLINE V FloatMulAdd(V a, V b, V c) {
#if defined(__FMA__)
  return __builtin_elementwise_fma(a, b, c);
#else
  return a * b + c;
#endif
}

// The same for any T: part of a contraction's meaning (see dot.h).
template <typename T>
TREADLE_INLINE Vec<T> MulAdd(Vec<T> a, Vec<T> b, Vec<T> c) {
  if constexpr (std::is_floating_point_v<T>)
    return FloatMulAdd(a, b, c);
  else
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

// The even and the odd elements of two vectors that follow each other.
template <int... kLane>
TREADLE_INLINE void SplitPairs(Vec<uint32_t> low, Vec<uint32_t> high, Vec<uint32_t>* even, Vec<uint32_t>* odd,
                               std::integer_sequence<int, kLane...>) {
  *even = __builtin_shufflevector(low, high, (2 * kLane)...);
  *odd = __builtin_shufflevector(low, high, (2 * kLane + 1)...);
}

// One stage of a transposition: swaps bit kBit of the row number with bit kBit of the lane number.
template <typename T, int kBit, int... kLane>
TREADLE_INLINE void Exchange(Vec<T>& a, Vec<T>& b, std::integer_sequence<int, kLane...>) {
  constexpr int n = kLanes<T>;
  Vec<T> low = __builtin_shufflevector(a, b, ((kLane & kBit) ? n + kLane - kBit : kLane)...);
  Vec<T> high = __builtin_shufflevector(a, b, ((kLane & kBit) ? n + kLane : kLane + kBit)...);
  a = low;
  b = high;
}

template <typename T, int kBit = 1>
TREADLE_INLINE void Transpose(Vec<T>* rows) {
  if constexpr (kBit < kLanes<T>) {
#pragma clang loop unroll(full)
    for (int i = 0; i < kLanes<T>; ++i) {
      if (!(i & kBit)) Exchange<T, kBit>(rows[i], rows[i + kBit], std::make_integer_sequence<int, kLanes<T>>());
    }
    Transpose<T, kBit * 2>(rows);
  }
}

// The 16 bytes `offset` elements behind each of kVecBytes / 16 places, as one vector.
template <typename T>
TREADLE_INLINE Vec<T> Gather16(const T* const* from, int64_t offset) {
#if defined(__AVX512F__)
  __m512i v = _mm512_castsi128_si512(LoadAny<__m128i>(from[0] + offset));
  v = _mm512_inserti32x4(v, LoadAny<__m128i>(from[1] + offset), 1);
  v = _mm512_inserti32x4(v, LoadAny<__m128i>(from[2] + offset), 2);
  return (Vec<T>)_mm512_inserti32x4(v, LoadAny<__m128i>(from[3] + offset), 3);
#elif defined(__AVX2__)
  __m256i v = _mm256_castsi128_si256(LoadAny<__m128i>(from[0] + offset));
  return (Vec<T>)_mm256_inserti128_si256(v, LoadAny<__m128i>(from[1] + offset), 1);
#else
  return Load<T>(from[0] + offset);
#endif
}

// The elements of a and b in turn, within each 16 bytes: from the first halves, or from the second.
template <typename T, bool kSecond, int... kLane>
TREADLE_INLINE Vec<T> Interleave(Vec<T> a, Vec<T> b, std::integer_sequence<int, kLane...>) {
  constexpr int n = kLanes<T>, quad = 16 / sizeof(T);
  return __builtin_shufflevector(
      a, b, (kLane / quad * quad + (kSecond ? quad / 2 : 0) + kLane % quad / 2 + (kLane % 2 ? n : 0))...);
}
template <typename T, bool kSecond>
TREADLE_INLINE Vec<T> Interleave(Vec<T> a, Vec<T> b) {
  return Interleave<T, kSecond>(a, b, std::make_integer_sequence<int, kLanes<T>>());
}

// Transposes the squares that the corresponding 16 bytes of 16 / sizeof(T) rows are.
template <typename T>
TREADLE_INLINE void TransposeSquares(Vec<T>* rows) {
  if constexpr (sizeof(T) == 8) {
    Vec<T> a = rows[0], b = rows[1];
    rows[0] = Interleave<T, false>(a, b);
    rows[1] = Interleave<T, true>(a, b);
  } else {
    using D = uint64_t;
    using V = Vec<T>;
    Vec<D> a = (Vec<D>)Interleave<T, false>(rows[0], rows[1]), b = (Vec<D>)Interleave<T, false>(rows[2], rows[3]);
    Vec<D> c = (Vec<D>)Interleave<T, true>(rows[0], rows[1]), d = (Vec<D>)Interleave<T, true>(rows[2], rows[3]);
    rows[0] = (V)Interleave<D, false>(a, b);
    rows[1] = (V)Interleave<D, true>(a, b);
    rows[2] = (V)Interleave<D, false>(c, d);
    rows[3] = (V)Interleave<D, true>(c, d);
  }
}

}  // namespace treadle::kernels::dense::TREADLE_ISA

#endif  // TREADLE_KERNELS_DENSE_VEC_H_

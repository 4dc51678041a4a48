// Loads of any element type into vectors of the compute type (float, double, uint32_t or uint64_t) and rounding stores
// back. Compiled once per ISA level, as vec.h.
#ifndef TREADLE_KERNELS_DENSE_CONVERT_H_
#define TREADLE_KERNELS_DENSE_CONVERT_H_

#include "kernels/dense/vec.h"

namespace treadle::kernels::dense::TREADLE_ISA {

// How elements lie in memory, where C++ has no type of that meaning.
struct Bf16 {
  uint16_t bits;
};
struct F16 {
  uint16_t bits;
};
struct Bool {
  uint8_t bits;
};
template <int kBits>
struct SmallInt {
  int8_t bits;
};
template <int kBits>
struct SmallUint {
  uint8_t bits;
};

template <int N>
TREADLE_INLINE Vec<float, N> HalfToFloat(Vec<uint16_t, N> h) {
#if defined(__AVX512F__)
  if constexpr (N == 16) return (Vec<float, 16>)_mm512_cvtph_ps((__m256i)h);
#endif
#if defined(__F16C__)
  if constexpr (N == 8) return (Vec<float, 8>)_mm256_cvtph_ps((__m128i)h);
  if constexpr (N == 4) return (Vec<float, 4>)_mm_cvtph_ps(_mm_cvtsi64_si128(__builtin_bit_cast(long long, h)));
#endif
  // Half subnormals are made from their integer, as a float subnormal would be flushed.
  using U = Vec<uint32_t, N>;
  U x = __builtin_convertvector(h, U);
  U sign = (x & 0x8000) << 16, exponent = (x >> 10) & 31, mantissa = x & 0x3ff;
  U normal = ((exponent + 112) << 23) | (mantissa << 13);
  U special = 0x7f800000 | (mantissa << 13) | (mantissa != 0 ? U(0x400000) : U(0));
  U subnormal = (U)(__builtin_convertvector((Vec<int32_t, N>)mantissa, Vec<float, N>) * 0x1p-24f);
  U result = exponent == 0 ? subnormal : (exponent == 31 ? special : normal);
  return (Vec<float, N>)(sign | result);
}

template <int N>
TREADLE_INLINE Vec<uint16_t, N> FloatToHalf(Vec<float, N> f) {
#if defined(__AVX512F__)
  if constexpr (N == 16) return (Vec<uint16_t, 16>)_mm512_cvtps_ph((__m512)f, _MM_FROUND_TO_NEAREST_INT);
#endif
#if defined(__F16C__)
  if constexpr (N == 8) return (Vec<uint16_t, 8>)_mm256_cvtps_ph((__m256)f, _MM_FROUND_TO_NEAREST_INT);
#endif
  using U = Vec<uint32_t, N>;
  U x = (U)f, sign = (x >> 16) & 0x8000, a = x & 0x7fffffff;
  U normal = (a - (112u << 23) + 0xfff + ((a >> 13) & 1)) >> 13;
  // Below 2^-14 the result counts units of 2^-24: adding 0.5 lets the addition round to them.
  U subnormal = (U)((Vec<float, N>)a + 0.5f) - 0x3f000000;
  U nan = 0x7e00 | ((a >> 13) & 0x3ff);
  U result = a < 0x38800000 ? subnormal : normal;
  result = a >= 0x47800000 ? U(0x7c00) : result;
  result = a > 0x7f800000 ? nan : result;
  return __builtin_convertvector(sign | result, Vec<uint16_t, N>);
}

template <int N>
TREADLE_INLINE Vec<uint16_t, N> FloatToBf16(Vec<float, N> f) {
  using U = Vec<uint32_t, N>;
  U x = (U)f;
  U rounded = (x + 0x7fff + ((x >> 16) & 1)) >> 16;
  U nan = (x >> 16) | 0x40;
  return __builtin_convertvector((x & 0x7fffffff) > 0x7f800000 ? nan : rounded, Vec<uint16_t, N>);
}

// Nearest float of a double that is about to be rounded once more: rounded to odd, so that the second rounding is the
// only one that counts.
template <int N>
TREADLE_INLINE Vec<float, N> DoubleToOddFloat(Vec<double, N> d) {
  using U64 = Vec<uint64_t, N>;
  using U32 = Vec<uint32_t, N>;
  Vec<float, N> f = __builtin_convertvector(d, Vec<float, N>);
  Vec<double, N> back = __builtin_convertvector(f, Vec<double, N>);
  U64 a = (U64)d & 0x7fffffffffffffff, b = (U64)back & 0x7fffffffffffffff;
  U32 bits = (U32)f;
  U32 greater = __builtin_convertvector(b > a ? U64(1) : U64(0), U32);
  U32 inexact = __builtin_convertvector(b != a ? U64(1) : U64(0), U32);
  bits -= greater;  // towards zero
  bits |= inexact;  // odd
  U32 is_nan = __builtin_convertvector(d != d ? U64(1) : U64(0), U32);
  U32 is_infinite = __builtin_convertvector(a == 0x7ff0000000000000 ? U64(1) : U64(0), U32);
  return (Vec<float, N>)(((is_nan | is_infinite) != 0) ? (U32)f : bits);
}

// kLanes<T> elements of type Src as T.
template <typename T, typename Src>
TREADLE_INLINE Vec<T> LoadAs(const Src* from) {
  constexpr int n = kLanes<T>;
  if constexpr (std::is_same_v<T, Src>) {
    return Load<T>(from);
  } else if constexpr (std::is_same_v<Src, Bf16>) {
    auto f = (Vec<float, n>)(__builtin_convertvector(LoadAny<Vec<uint16_t, n>>(from), Vec<uint32_t, n>) << 16);
    return __builtin_convertvector(f, Vec<T>);
  } else if constexpr (std::is_same_v<Src, F16>) {
    return __builtin_convertvector(HalfToFloat<n>(LoadAny<Vec<uint16_t, n>>(from)), Vec<T>);
  } else {
    return __builtin_convertvector(LoadAny<Vec<Src, n>>(from), Vec<T>);
  }
}

// The first n < kLanes<T> of them, the others 0.
template <typename T, typename Src>
TREADLE_INLINE Vec<T> LoadAsPart(const Src* from, int64_t n) {
  if constexpr (std::is_same_v<T, Src>) return Mask<T>(n).Load(from);
  Src part[kLanes<T>];
  memset(part, 0, sizeof(part));
  for (int64_t i = 0; i < n; ++i) part[i] = from[i];
  return LoadAs<T>(part);
}

// v[i] = the i-th elements of kLanes rows, `step` apart.
template <typename T, typename Src>
TREADLE_INLINE void LoadTurned(const Src* rows, int64_t step, Vec<T>* v) {
  constexpr int n = kLanes<T>, kQuad = 16 / sizeof(T);
  if constexpr (std::is_same_v<T, Src>) {
    // Squares of 16 bytes are put beside each other by loads, which leaves half of the shuffles of Transpose: one unit
    // does those.
    const T* from[n / kQuad];
    int64_t offset[kQuad];
    // Few registers address all rows, if the compiler does not see how they are related.
#pragma clang loop unroll(full)
    for (int j = 0; j < n / kQuad; ++j) {
      from[j] = rows + j * kQuad * step;
      __asm__("" : "+r"(from[j]));
    }
#pragma clang loop unroll(full)
    for (int i = 0; i < kQuad; ++i) {
      offset[i] = i * step;
      if (i != 0) __asm__("" : "+r"(offset[i]));
    }
#pragma clang loop unroll(full)
    for (int g = 0; g < n; g += kQuad) {
#pragma clang loop unroll(full)
      for (int i = 0; i < kQuad; ++i) v[g + i] = Gather16<T>(from, offset[i] + g);
      TransposeSquares<T>(v + g);
    }
  } else {
#pragma clang loop unroll(full)
    for (int i = 0; i < n; ++i) v[i] = LoadAs<T>(rows + i * step);
    Transpose<T>(v);
  }
}

template <typename Out, typename T>
TREADLE_INLINE void StoreAs(Out* to, Vec<T> v) {
  constexpr int n = kLanes<T>;
  if constexpr (std::is_same_v<T, Out>) {
    Store<T>(to, v);
  } else if constexpr (std::is_same_v<Out, Bf16> || std::is_same_v<Out, F16>) {
    Vec<float, n> f;
    if constexpr (std::is_same_v<T, double>)
      f = DoubleToOddFloat<n>(v);
    else
      f = v;
    Vec<uint16_t, n> h;
    if constexpr (std::is_same_v<Out, Bf16>)
      h = FloatToBf16<n>(f);
    else
      h = FloatToHalf<n>(f);
    memcpy(to, &h, sizeof(h));
  } else if constexpr (std::is_same_v<Out, Bool>) {
    auto b = __builtin_convertvector(v != 0 ? Vec<T>(1) : Vec<T>(0), Vec<uint8_t, n>);
    memcpy(to, &b, sizeof(b));
  } else if constexpr (std::is_same_v<Out, SmallInt<4>> || std::is_same_v<Out, SmallInt<2>>) {
    constexpr int shift = std::is_same_v<Out, SmallInt<4>> ? 28 : 30;
    auto b = __builtin_convertvector(((Vec<int32_t, n>)v << shift) >> shift, Vec<int8_t, n>);
    memcpy(to, &b, sizeof(b));
  } else if constexpr (std::is_same_v<Out, SmallUint<4>> || std::is_same_v<Out, SmallUint<2>>) {
    auto b = __builtin_convertvector(v & (std::is_same_v<Out, SmallUint<4>> ? 15 : 3), Vec<uint8_t, n>);
    memcpy(to, &b, sizeof(b));
  } else {
    auto o = __builtin_convertvector(v, Vec<Out, n>);
    memcpy(to, &o, sizeof(o));
  }
}

template <typename Out, typename T>
TREADLE_INLINE void StoreAsPart(Out* to, Vec<T> v, int64_t n) {
  if constexpr (std::is_same_v<T, Out>) {
    Mask<T>(n).Store(to, v);
  } else {
    Out part[kLanes<T>];
    StoreAs<Out, T>(part, v);
    for (int64_t i = 0; i < n; ++i) to[i] = part[i];
  }
}

}  // namespace treadle::kernels::dense::TREADLE_ISA

#endif  // TREADLE_KERNELS_DENSE_CONVERT_H_

// What a register tile multiplies: accumulators, elements of lhs and rhs as they are packed, and how many k an element
// holds. Compiled once per ISA level, as vec.h.
#ifndef TREADLE_KERNELS_DENSE_KINDS_H_
#define TREADLE_KERNELS_DENSE_KINDS_H_

#include "kernels/dense/pack.h"

namespace treadle::kernels::dense::TREADLE_ISA {

template <typename T>
struct Plain {
  using Acc = T;
  using Element = T;
  static constexpr int kDepth = 1;
  static TREADLE_INLINE Vec<T> MulAdd(Vec<T> a, Vec<T> b, Vec<T> c) { return TREADLE_ISA::MulAdd<T>(a, b, c); }
  static PackFunction<T> PackFrom(int64_t type) { return PackOf<T>(type); }
};

// Pairs of 16-bit elements in 32 bits, the earlier k in the upper half: vdpbf16ps adds that product first, so its sums
// are the bits of the chain in float (products of two bf16 are exact in float; denormals are flushed in any case).
#if defined(__AVX512BF16__) && defined(__AVX512VNNI__)
struct Bf16Pairs {
  using Acc = float;
  using Element = uint32_t;
  static constexpr int kDepth = 2;
  static TREADLE_INLINE Vec<float> MulAdd(Vec<uint32_t> a, Vec<uint32_t> b, Vec<float> c) {
    return (Vec<float>)_mm512_dpbf16_ps((__m512)c, (__m512bh)a, (__m512bh)b);
  }
  static PackFunction<uint32_t> PackFrom(int64_t) { return Pack<uint32_t, uint16_t>; }
};
#endif

// Integers that fit 16 signed bits; products and sums wrap in 32.
struct Int16Pairs {
  using Acc = uint32_t;
  using Element = uint32_t;
  static constexpr int kDepth = 2;
  static TREADLE_INLINE Vec<uint32_t> MulAdd(Vec<uint32_t> a, Vec<uint32_t> b, Vec<uint32_t> c) {
#if defined(__AVX512VNNI__)
    return (Vec<uint32_t>)_mm512_dpwssd_epi32((__m512i)c, (__m512i)a, (__m512i)b);
#elif defined(__AVX512BW__)
    return c + (Vec<uint32_t>)_mm512_madd_epi16((__m512i)a, (__m512i)b);
#elif defined(__AVX2__)
    return c + (Vec<uint32_t>)_mm256_madd_epi16((__m256i)a, (__m256i)b);
#else
    return c + (Vec<uint32_t>)_mm_madd_epi16((__m128i)a, (__m128i)b);
#endif
  }
  static PackFunction<uint32_t> PackFrom(int64_t type) { return PackOf<uint32_t>(type); }
};

// dst[j] = the pair of the lower halves of src[2j] and src[2j + 1], for `pairs` pairs rounded up to whole vectors.
TREADLE_INLINE void PairAlong(const uint32_t* src, int64_t pairs, uint32_t* dst) {
  constexpr int n = kLanes<uint32_t>;
  for (int64_t j = 0; j < pairs; j += n) {
    Vec<uint32_t> even, odd, low = Load<uint32_t>(src + 2 * j), high = Load<uint32_t>(src + 2 * j + n);
    SplitPairs(low, high, &even, &odd, std::make_integer_sequence<int, n>());
    Store<uint32_t>(dst + j, (even << 16) | (odd & 0xffff));
  }
}

}  // namespace treadle::kernels::dense::TREADLE_ISA

#endif  // TREADLE_KERNELS_DENSE_KINDS_H_

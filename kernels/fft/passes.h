// Transforms of planes by passes of small radices (Stockham's form: every pass reads one pair of planes and writes
// another, and the result is in natural order). Compiled once per ISA level.
#ifndef TREADLE_KERNELS_FFT_PASSES_H_
#define TREADLE_KERNELS_FFT_PASSES_H_

#include <utility>

#include "kernels/dense/vec.h"
#include "kernels/fft/fft_args.h"

namespace treadle::kernels::fft::TREADLE_ISA {

using namespace kernels::dense::TREADLE_ISA;  // vectors

// Real and imaginary parts, [count][lanes] each.
template <typename T>
struct Planes {
  T* re;
  T* im;
};

// cos and sin of 2 pi k / R, k = 1 .. (R - 1) / 2.
template <int R>
struct OddRoots;
template <>
struct OddRoots<3> {
  static constexpr double kCos[] = {-0x1.0p-1};
  static constexpr double kSin[] = {0x1.bb67ae8584caap-1};
};
template <>
struct OddRoots<5> {
  static constexpr double kCos[] = {0x1.3c6ef372fe950p-2, -0x1.9e3779b97f4a8p-1};
  static constexpr double kSin[] = {0x1.e6f0e134454ffp-1, 0x1.2cf2304755a5ep-1};
};
template <>
struct OddRoots<7> {
  static constexpr double kCos[] = {0x1.3f3a0e28bedd1p-1, -0x1.c7b90e3024582p-3, -0x1.cd4bca9cb5c71p-1};
  static constexpr double kSin[] = {0x1.904c37505de4bp-1, 0x1.f329c0558e969p-1, 0x1.bc4c04d71abc1p-2};
};
template <>
struct OddRoots<11> {
  static constexpr double kCos[] = {0x1.aeb8c8764f0bap-1, 0x1.a9628d9c712b6p-2, -0x1.2375f640f44dbp-3,
                                    -0x1.4f49e7f775887p-1, -0x1.eb42a9bcd5057p-1};
  static constexpr double kSin[] = {0x1.14cedf8bb580bp-1, 0x1.d1bb48eee2c13p-1, 0x1.fac9e043842efp-1,
                                    0x1.82f19bb3a28a1p-1, 0x1.207e7fd768dbfp-2};
};
template <>
struct OddRoots<13> {
  static constexpr double kCos[] = {0x1.c55a7e00740e9p-1,  0x1.22d961ea71119p-1,  0x1.edb7debaa3ed8p-4,
                                    -0x1.6b1d8b2365da1p-2, -0x1.7f3ccd0032e0cp-1, -0x1.f11f493053d00p-1};
  static constexpr double kSin[] = {0x1.dbe064267c47cp-2, 0x1.a55e242a4c3d2p-1, 0x1.fc44566966769p-1,
                                    0x1.deba72ef20147p-1, 0x1.5384d024c2f84p-1, 0x1.ea1e54bc48dbfp-3};
};

// The transform of R numbers in place.
template <typename T, int R>
struct Butterfly {  // odd R: numbers k and R - k together
  static TREADLE_INLINE void Run(Vec<T>* re, Vec<T>* im) {
    constexpr int h = (R - 1) / 2;
    using Roots = OddRoots<R>;
    const Vec<T> re0 = re[0], im0 = im[0];
    Vec<T> sum_re[h], sum_im[h], diff_re[h], diff_im[h];
#pragma clang loop unroll(full)
    for (int k = 0; k < h; ++k) {
      sum_re[k] = re[k + 1] + re[R - 1 - k];
      sum_im[k] = im[k + 1] + im[R - 1 - k];
      diff_re[k] = re[k + 1] - re[R - 1 - k];
      diff_im[k] = im[k + 1] - im[R - 1 - k];
      re[0] += sum_re[k];
      im[0] += sum_im[k];
    }
#pragma clang loop unroll(full)
    for (int j = 1; j <= h; ++j) {
      Vec<T> even_re = re0, even_im = im0, odd_re = Vec<T>(0), odd_im = Vec<T>(0);
#pragma clang loop unroll(full)
      for (int k = 1; k <= h; ++k) {
        const int turn = j * k % R;
        const T cos = T(Roots::kCos[(turn <= h ? turn : R - turn) - 1]);
        const T sin = T(turn <= h ? Roots::kSin[turn - 1] : -Roots::kSin[R - turn - 1]);
        even_re = MulAdd<T>(Vec<T>(cos), sum_re[k - 1], even_re);
        even_im = MulAdd<T>(Vec<T>(cos), sum_im[k - 1], even_im);
        odd_re = k == 1 ? Vec<T>(sin) * diff_re[0] : MulAdd<T>(Vec<T>(sin), diff_re[k - 1], odd_re);
        odd_im = k == 1 ? Vec<T>(sin) * diff_im[0] : MulAdd<T>(Vec<T>(sin), diff_im[k - 1], odd_im);
      }
      re[j] = even_re + odd_im;
      im[j] = even_im - odd_re;
      re[R - j] = even_re - odd_im;
      im[R - j] = even_im + odd_re;
    }
  }
};

template <typename T>
struct Butterfly<T, 2> {
  static TREADLE_INLINE void Run(Vec<T>* re, Vec<T>* im) {
    const Vec<T> a = re[0], b = im[0];
    re[0] = a + re[1];
    im[0] = b + im[1];
    re[1] = a - re[1];
    im[1] = b - im[1];
  }
};

template <typename T>
struct Butterfly<T, 4> {
  static TREADLE_INLINE void Run(Vec<T>* re, Vec<T>* im) {
    const Vec<T> a = re[0] + re[2], b = im[0] + im[2], c = re[0] - re[2], d = im[0] - im[2];
    const Vec<T> e = re[1] + re[3], f = im[1] + im[3], g = re[1] - re[3], h = im[1] - im[3];
    re[0] = a + e;
    im[0] = b + f;
    re[1] = c + h;
    im[1] = d - g;
    re[2] = a - e;
    im[2] = b - f;
    re[3] = c - h;
    im[3] = d + g;
  }
};

template <typename T>
struct Butterfly<T, 8> {
  static TREADLE_INLINE void Run(Vec<T>* re, Vec<T>* im) {
    Vec<T> even_re[4] = {re[0], re[2], re[4], re[6]}, even_im[4] = {im[0], im[2], im[4], im[6]};
    Vec<T> odd_re[4] = {re[1], re[3], re[5], re[7]}, odd_im[4] = {im[1], im[3], im[5], im[7]};
    Butterfly<T, 4>::Run(even_re, even_im);
    Butterfly<T, 4>::Run(odd_re, odd_im);
    const Vec<T> half = Vec<T>(T(0x1.6a09e667f3bcdp-1));  // sqrt(1/2)
    const Vec<T> re1 = (odd_re[1] + odd_im[1]) * half, im1 = (odd_im[1] - odd_re[1]) * half;
    const Vec<T> re3 = (odd_im[3] - odd_re[3]) * half, im3 = (odd_re[3] + odd_im[3]) * half;
    re[0] = even_re[0] + odd_re[0];
    im[0] = even_im[0] + odd_im[0];
    re[4] = even_re[0] - odd_re[0];
    im[4] = even_im[0] - odd_im[0];
    re[1] = even_re[1] + re1;
    im[1] = even_im[1] + im1;
    re[5] = even_re[1] - re1;
    im[5] = even_im[1] - im1;
    re[2] = even_re[2] + odd_im[2];
    im[2] = even_im[2] - odd_re[2];
    re[6] = even_re[2] - odd_im[2];
    im[6] = even_im[2] + odd_re[2];
    re[3] = even_re[3] + re3;
    im[3] = even_im[3] - im3;
    re[7] = even_re[3] - re3;
    im[7] = even_im[3] + im3;
  }
};

// (re, im) * (c, d).
template <typename T>
TREADLE_INLINE void Multiply(Vec<T>& re, Vec<T>& im, Vec<T> c, Vec<T> d) {
  const Vec<T> a = re;
  re = MulAdd<T>(a, c, -(im * d));
  im = MulAdd<T>(a, d, im * c);
}

// Number k of butterfly p is `run` elements at (p + count * k) * run; its results go to (R * p + k) * run, times the
// twiddle factor k of p.
template <typename T, int R>
void Pass(Planes<const T> in, Planes<T> out, int64_t count, int64_t run, const T* twiddle) {
  const int64_t step = count * run;
  for (int64_t p = 0; p < count; ++p, twiddle += 2 * (R - 1)) {
    const T* re_in = in.re + p * run;
    const T* im_in = in.im + p * run;
    T* re_out = out.re + p * R * run;
    T* im_out = out.im + p * R * run;
    for (int64_t v = 0; v < run; v += kLanes<T>) {
      Vec<T> re[R], im[R];
#pragma clang loop unroll(full)
      for (int k = 0; k < R; ++k) {
        re[k] = Load<T>(re_in + k * step + v);
        im[k] = Load<T>(im_in + k * step + v);
      }
      Butterfly<T, R>::Run(re, im);
      Store<T>(re_out + v, re[0]);
      Store<T>(im_out + v, im[0]);
#pragma clang loop unroll(full)
      for (int k = 1; k < R; ++k) {
        if (p > 0) Multiply<T>(re[k], im[k], Vec<T>(twiddle[2 * k - 2]), Vec<T>(twiddle[2 * k - 1]));
        Store<T>(re_out + k * run + v, re[k]);
        Store<T>(im_out + k * run + v, im[k]);
      }
    }
  }
}

// Transforms the planes `data`, of chain.count * lanes elements, with `spare` for room. Returns which of both has the
// result. REQUIRES: lanes a multiple of kLanes<T>.
template <typename T>
Planes<T> RunChain(const Chain& chain, const T* table, Planes<T> data, Planes<T> spare, int64_t lanes) {
  const T* twiddle = table + chain.table;
  int64_t left = chain.count, run = lanes;
  for (int64_t i = 0; i < chain.passes; ++i) {
    const int64_t radix = chain.radix[i], count = left / radix;
    const Planes<const T> in = {data.re, data.im};
    switch (radix) {
      case 2:
        Pass<T, 2>(in, spare, count, run, twiddle);
        break;
      case 3:
        Pass<T, 3>(in, spare, count, run, twiddle);
        break;
      case 4:
        Pass<T, 4>(in, spare, count, run, twiddle);
        break;
      case 5:
        Pass<T, 5>(in, spare, count, run, twiddle);
        break;
      case 7:
        Pass<T, 7>(in, spare, count, run, twiddle);
        break;
      case 8:
        Pass<T, 8>(in, spare, count, run, twiddle);
        break;
      case 11:
        Pass<T, 11>(in, spare, count, run, twiddle);
        break;
      default:
        Pass<T, 13>(in, spare, count, run, twiddle);
    }
    std::swap(data, spare);
    twiddle += 2 * (radix - 1) * count;
    left = count;
    run *= radix;
  }
  return data;
}

}  // namespace treadle::kernels::fft::TREADLE_ISA

#endif  // TREADLE_KERNELS_FFT_PASSES_H_

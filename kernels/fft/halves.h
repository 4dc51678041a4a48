// Transforms of n = 2 m real numbers by those of m complex ones, z[j] = (x[2j], x[2j+1]): with Z the transform of z,
//   E = (Z[k] + conj Z[m-k]) / 2,  O = (Z[k] - conj Z[m-k]) / 2i,  X[k] = E + w^k O,  w = exp(-2 pi i / n),
// and back. Compiled once per ISA level.
#ifndef TREADLE_KERNELS_FFT_HALVES_H_
#define TREADLE_KERNELS_FFT_HALVES_H_

#include "kernels/fft/planes.h"

namespace treadle::kernels::fft::TREADLE_ISA {

template <typename V>
struct ComplexOf {
  V re, im;
};

// X[k] of (a, b) = Z[k] and (c, d) = Z[m - k], w = (p, q) = w^k.
template <typename V>
TREADLE_INLINE ComplexOf<V> Unpacked(V a, V b, V c, V d, V p, V q, V half) {
  const V even_re = half * (a + c), even_im = half * (b - d), odd_re = half * (b + d), odd_im = half * (c - a);
  return {FloatMulAdd(odd_re, p, even_re - odd_im * q), FloatMulAdd(odd_re, q, FloatMulAdd(odd_im, p, even_im))};
}

// Z[k] of (a, b) = X[k] and (c, d) = X[m - k].
template <typename V>
TREADLE_INLINE ComplexOf<V> Packed(V a, V b, V c, V d, V p, V q, V half) {
  const V even_re = half * (a + c), even_im = half * (b - d), diff_re = half * (a - c), diff_im = half * (b + d);
  const V odd_re = FloatMulAdd(diff_re, p, diff_im * q),
          odd_im = FloatMulAdd(diff_im, p, -(diff_re * q));  // times conj(w^k)
  return {even_re - odd_im, even_im + odd_re};
}

// Of planes [..][group], in place: the numbers k and m - k, 0 < k < m, become change(number k, number m - k, w^k) and
// change(number m - k, number k, w^(m - k)), each given as its parts.
template <typename T, typename Change>
TREADLE_INLINE void ChangePairs(Planes<T> z, int64_t m, int64_t group, const T* roots, Change change) {
  constexpr int w = kLanes<T>;
  for (int64_t k = 1; 2 * k <= m; ++k) {
    const int64_t j = m - k;
    const Vec<T> p = Vec<T>(roots[2 * k]), q = Vec<T>(roots[2 * k + 1]);
    const Vec<T> r = Vec<T>(roots[2 * j]), s = Vec<T>(roots[2 * j + 1]);
    for (int64_t v = 0; v < group; v += w) {
      const Vec<T> a = Load<T>(z.re + k * group + v), b = Load<T>(z.im + k * group + v);
      const Vec<T> c = Load<T>(z.re + j * group + v), d = Load<T>(z.im + j * group + v);
      const ComplexOf<Vec<T>> x = change(a, b, c, d, p, q), y = change(c, d, a, b, r, s);
      Store<T>(z.re + k * group + v, x.re);
      Store<T>(z.im + k * group + v, x.im);
      Store<T>(z.re + j * group + v, y.re);
      Store<T>(z.im + j * group + v, y.im);
    }
  }
}

// Of planes [m][group] to planes [m + 1][group], in place: the numbers k and m - k at a time.
template <typename T>
void UnpackLanes(Planes<T> z, int64_t m, int64_t group, const T* roots) {
  constexpr int w = kLanes<T>;
  const Vec<T> half = Vec<T>(T(0.5));
  for (int64_t v = 0; v < group; v += w) {
    const Vec<T> re = Load<T>(z.re + v), im = Load<T>(z.im + v);
    Store<T>(z.re + v, re + im);
    Store<T>(z.im + v, Vec<T>(0));
    Store<T>(z.re + m * group + v, re - im);
    Store<T>(z.im + m * group + v, Vec<T>(0));
  }
  ChangePairs<T>(z, m, group, roots, [&](auto... parts) { return Unpacked<Vec<T>>(parts..., half); });
}

// Back: planes [m + 1][group] to [m][group].
template <typename T>
void PackLanes(Planes<T> x, int64_t m, int64_t group, const T* roots) {
  constexpr int w = kLanes<T>;
  const Vec<T> half = Vec<T>(T(0.5));
  for (int64_t v = 0; v < group; v += w) {
    const Vec<T> first = Load<T>(x.re + v), last = Load<T>(x.re + m * group + v);
    Store<T>(x.re + v, half * (first + last));
    Store<T>(x.im + v, half * (first - last));
  }
  ChangePairs<T>(x, m, group, roots, [&](auto... parts) { return Packed<Vec<T>>(parts..., half); });
}

// Of one transform, its numbers one after the other in `z`: X[k], begin <= k < end <= m + 1, to `to`, times `scale`.
template <typename T>
void UnpackRow(Planes<const T> z, int64_t m, int64_t begin, int64_t end, T scale, const T* roots, T* to) {
  constexpr int w = kLanes<T>;
  const T half = T(0.5) * scale;
  const auto store = [&](int64_t k, T re, T im) {
    to[2 * k] = re;
    to[2 * k + 1] = im;
  };
  int64_t k = begin;
  if (k == 0) {
    store(0, (z.re[0] + z.im[0]) * scale, T(0));
    ++k;
  }
  for (; k + w <= Min(end, m); k += w) {
    const int64_t j = m - k - w + 1;
    Vec<T> p, q, low, high;
    Split<T>(Load<T>(roots + 2 * k), Load<T>(roots + 2 * k + w), &p, &q, LaneNumbers<T>());
    const auto x = Unpacked(Load<T>(z.re + k), Load<T>(z.im + k), Reversed<T>(Load<T>(z.re + j), LaneNumbers<T>()),
                            Reversed<T>(Load<T>(z.im + j), LaneNumbers<T>()), p, q, Vec<T>(half));
    Join<T>(x.re, x.im, &low, &high, LaneNumbers<T>());
    Store<T>(to + 2 * k, low);
    Store<T>(to + 2 * k + w, high);
  }
  for (; k < Min(end, m); ++k) {
    const auto x = Unpacked(z.re[k], z.im[k], z.re[m - k], z.im[m - k], roots[2 * k], roots[2 * k + 1], half);
    store(k, x.re, x.im);
  }
  if (end > m) store(m, (z.re[0] - z.im[0]) * scale, T(0));
}

// The same of numbers in memory.
template <typename T>
void UnpackMemory(const T* z, int64_t m, int64_t begin, int64_t end, const T* roots, T* to) {
  constexpr int w = kLanes<T>;
  const T half = T(0.5);
  const auto store = [&](int64_t k, T re, T im) {
    to[2 * k] = re;
    to[2 * k + 1] = im;
  };
  int64_t k = begin;
  if (k == 0) store(k++, z[0] + z[1], T(0));
  for (; k + w <= Min(end, m); k += w) {
    const int64_t j = m - k - w + 1;
    Vec<T> a, b, c, d, p, q, low, high;
    Split<T>(Load<T>(z + 2 * k), Load<T>(z + 2 * k + w), &a, &b, LaneNumbers<T>());
    Split<T>(Load<T>(z + 2 * j), Load<T>(z + 2 * j + w), &c, &d, LaneNumbers<T>());
    Split<T>(Load<T>(roots + 2 * k), Load<T>(roots + 2 * k + w), &p, &q, LaneNumbers<T>());
    const auto x =
        Unpacked(a, b, Reversed<T>(c, LaneNumbers<T>()), Reversed<T>(d, LaneNumbers<T>()), p, q, Vec<T>(half));
    Join<T>(x.re, x.im, &low, &high, LaneNumbers<T>());
    Store<T>(to + 2 * k, low);
    Store<T>(to + 2 * k + w, high);
  }
  for (; k < Min(end, m); ++k) {
    const T *x = z + 2 * k, *y = z + 2 * (m - k);
    const auto unpacked = Unpacked(x[0], x[1], y[0], y[1], roots[2 * k], roots[2 * k + 1], half);
    store(k, unpacked.re, unpacked.im);
  }
  if (end > m) store(m, z[0] - z[1], T(0));
}

// Back: Z[k], begin <= k < end <= m, of the m + 1 complex numbers `from`, as parts, from z[0] on.
template <typename T>
void PackRow(const T* from, int64_t m, int64_t begin, int64_t end, const T* roots, Planes<T> z) {
  constexpr int w = kLanes<T>;
  const T half = T(0.5);
  int64_t k = begin;
  if (k == 0) {
    z.re[0] = half * (from[0] + from[2 * m]);
    z.im[0] = half * (from[0] - from[2 * m]);
    ++k;
  }
  for (; k + w <= end; k += w) {
    const int64_t j = m - k - w + 1;
    Vec<T> a, b, c, d, p, q;
    Split<T>(Load<T>(from + 2 * k), Load<T>(from + 2 * k + w), &a, &b, LaneNumbers<T>());
    Split<T>(Load<T>(from + 2 * j), Load<T>(from + 2 * j + w), &c, &d, LaneNumbers<T>());
    Split<T>(Load<T>(roots + 2 * k), Load<T>(roots + 2 * k + w), &p, &q, LaneNumbers<T>());
    const auto y = Packed(a, b, Reversed<T>(c, LaneNumbers<T>()), Reversed<T>(d, LaneNumbers<T>()), p, q, Vec<T>(half));
    Store<T>(z.re + k - begin, y.re);
    Store<T>(z.im + k - begin, y.im);
  }
  for (; k < end; ++k) {
    const T *x = from + 2 * k, *y = from + 2 * (m - k);
    const auto packed = Packed(x[0], x[1], y[0], y[1], roots[2 * k], roots[2 * k + 1], half);
    z.re[k - begin] = packed.re;
    z.im[k - begin] = packed.im;
  }
}

}  // namespace treadle::kernels::fft::TREADLE_ISA

#endif  // TREADLE_KERNELS_FFT_HALVES_H_

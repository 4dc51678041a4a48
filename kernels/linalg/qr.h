// Householder's reflectors, block by block of columns: h_0 h_1 .. = 1 - v t v^H with v the reflectors as columns and t
// an upper triangle. Compiled once per ISA level.
#ifndef TREADLE_KERNELS_LINALG_QR_H_
#define TREADLE_KERNELS_LINALG_QR_H_

#include "kernels/linalg/job.h"

namespace treadle::kernels::linalg::TREADLE_ISA {

// Sums of products of the first n numbers of two rows, the first conjugated.
template <typename T>
Complex<T> Inner(Block<T> a, Block<T> b, int64_t n) {
  constexpr int64_t w = kLanes<T>;
  const auto dot = [n](const T* x, const T* y) {
    Vec<T> sums[4] = {};
    int64_t i = 0;
    for (; i + 4 * w <= n; i += 4 * w) {
#pragma clang loop unroll(full)
      for (int k = 0; k < 4; ++k) sums[k] = MulAdd<T>(Load<T>(x + i + k * w), Load<T>(y + i + k * w), sums[k]);
    }
    for (; i + w <= n; i += w) sums[0] = MulAdd<T>(Load<T>(x + i), Load<T>(y + i), sums[0]);
    const Vec<T> sum = (sums[0] + sums[1]) + (sums[2] + sums[3]);
    T total = 0;
    for (int64_t k = 0; k < w; ++k) total += sum[k];
    for (; i < n; ++i) total = FloatMulAdd(x[i], y[i], total);
    return total;
  };
  if (!a.im) return {dot(a.re, b.re), T(0)};
  return {dot(a.re, b.re) + dot(a.im, b.im), dot(a.re, b.im) - dot(a.im, b.re)};
}

// The length of a row, without overflow on the way.
template <typename T>
T Length(Block<T> row, int64_t n) {
  const T square = Inner(row, row, n).re;
  if (square > T(sizeof(T) == 4 ? 1e-30 : 1e-280) && square < T(sizeof(T) == 4 ? 1e30 : 1e280))
    return std::sqrt(square);
  T most = 0;
  const auto parts = [&](auto use) {
    for (int64_t i = 0; i < n; ++i) use(row.re[i]);
    for (int64_t i = 0; row.im && i < n; ++i) use(row.im[i]);
  };
  parts([&](T x) { most = std::abs(x) > most || x != x ? std::abs(x) : most; });
  if (!(most > 0) || most > std::numeric_limits<T>::max()) return most;
  T sum = 0;
  parts([&](T x) { sum += x / most * (x / most); });
  return most * std::sqrt(sum);
}

template <typename T, bool kComplex>
class Reflectors {
 public:
  // `result`: the buffer of the matrix; `tau`: that of the scales.
  Reflectors(const Job<T, kComplex>& job, int result, int tau)
      : job_(job),
        args_(job.args),
        whole_(job.Whole(result)),
        tau_(static_cast<T*>(job.frame->buffers[tau]) + job.number * args_.k * kParts) {}

  // Columns [begin, end) become those of r and the reflectors below, by themselves; the turned reflectors are kept.
  void Factor() {
    const int64_t begin = args_.begin, count = args_.end - begin, rows = args_.m - begin;
    const Block<T> p = Turned();
    TransposeBlock<T>(whole_.At(begin, begin), rows, count, p, false);
    for (int64_t j = 0; j < count; ++j) {
      const Complex<T> tau = Reflect(p.At(j, j), rows - j);
      SetTau(begin + j, tau);
      const Block<T> v = p.At(j, j);
      const T diagonal = v.re[0];
      v.re[0] = 1;
      for (int64_t c = j + 1; c < count; ++c) {
        // times 1 - conj(tau) v v^H
        const Complex<T> inner = Inner(v, p.At(c, j), rows - j);
        const T re = tau.re * inner.re + tau.im * inner.im, im = tau.re * inner.im - tau.im * inner.re;
        SubtractRow<T>(p.At(c, j), Whole(rows - j), re, im, v);
      }
      v.re[0] = diagonal;
    }
    TransposeBlock<T>(p, count, rows, whole_.At(begin, begin), false);
    FinishBlock();
  }

  // The same of reflectors that are there already, in `from`, a matrix in memory.
  void Read(const T* from) {
    const int64_t begin = args_.begin, count = args_.end - begin, rows = args_.m - begin, n = args_.n;
    const Block<T> p = Turned();
    for (int64_t j = 0; j < count; ++j) {
      for (int64_t i = j + 1; i < rows; ++i) {
        const T* at = PartAt(from, kComplex, (begin + i) * n + begin + j, 0);
        p.At(j, i).re[0] = at[0];
        if (kComplex) p.At(j, i).im[0] = at[1];
      }
    }
    FinishBlock();
  }

  // Columns from `first` on, [columns): times 1 - v t v^H, or its adjoint.
  void Apply(int64_t first, Range columns, bool adjoint, T* room) {
    const int64_t begin = args_.begin, count = args_.end - begin, rows = args_.m - begin;
    if (columns.size() == 0) return;
    constexpr int64_t kPair = 2 * kLanes<T>;
    const int64_t ld = (args_.chunk + kPair - 1) / kPair * kPair, width = columns.size();
    Block<T> blocks[3];
    for (Block<T>& block : blocks) {
      block = {room, kComplex ? room + kMaxBlock * ld : nullptr, ld};
      room += kParts * kMaxBlock * ld;
    }
    const auto [w, y, minus] = blocks;
    const Block<T> a = whole_.At(begin, first + columns.begin), p = Turned();
    for (int64_t k = 0; k < rows; k += kDepth) {
      const int64_t depth = Min(kDepth, rows - k);
      const Block<T> b = a.At(k, 0);
      const auto add = [&](T* to, const T* part, const T* factor, bool start) {
        AddProduct<T>(to, ld, count, width, part + k, p.ld, 1, depth, factor, b.ld, !(k == 0 && start));
      };
      add(w.re, p.re, b.re, true);
      if (!kComplex) continue;
      add(w.re, p.im, b.im, false);
      add(w.im, p.re, b.im, true);
      add(w.im, MinusImaginary(), b.re, false);
    }
    for (int64_t j = 0; j < count; ++j) NegateRow<T>(w.At(j, 0), ld, minus.At(j, 0));
    const View<T> t = ViewOf(job_.Factor());
    AddProduct<T>(y, count, width, adjoint ? Transposed(t, true) : t, count, w, minus, false);
    for (int64_t j = 0; j < count; ++j) NegateRow<T>(y.At(j, 0), ld, minus.At(j, 0));
    AddProduct<T>(a, rows, width, Transposed(ViewOf(p), false), count, minus, y);
  }

  // Of a row x of n numbers: the first becomes a real number of the row's length, the others the reflector that makes
  // it so.
  static Complex<T> Reflect(Block<T> x, int64_t n) {
    const T re = x.re[0], im = kComplex ? x.im[0] : T(0);
    const T rest = Length(x.At(0, 1), n - 1);
    if (rest == 0 && im == 0) return {T(0), T(0)};
    const T length = Length(x, n), beta = re > 0 ? -length : length;
    const Complex<T> tau = {(beta - re) / beta, -im / beta};
    const Complex<T> scale = kComplex ? Inverse(re - beta, im) : Complex<T>{1 / (re - beta), T(0)};
    for (int64_t i = 1; i < n; ++i) {
      const T a = x.re[i];
      if (kComplex) {
        const T b = x.im[i];
        x.re[i] = a * scale.re - b * scale.im;
        x.im[i] = a * scale.im + b * scale.re;
      } else {
        x.re[i] = a * scale.re;
      }
    }
    x.re[0] = beta;
    if (kComplex) x.im[0] = 0;
    return tau;
  }

 private:
  static constexpr int64_t kParts = kComplex ? 2 : 1;
  static constexpr int64_t kDepth = 256;
  static int64_t Whole(int64_t n) { return (n + kLanes<T> - 1) / kLanes<T> * kLanes<T>; }

  Block<T> Turned() const { return job_.BlockAt(args_.panel, kMaxBlock, args_.padded_m); }
  T* MinusImaginary() const { return job_.work + args_.minus; }

  Complex<T> Tau(int64_t i) const {
    const T* at = PartAt(tau_, kComplex, i, 0);
    return {at[0], kComplex ? at[1] : T(0)};
  }
  void SetTau(int64_t i, Complex<T> tau) {
    T* at = PartAt(tau_, kComplex, i, 0);
    at[0] = tau.re;
    if (kComplex) at[1] = tau.im;
  }

  // What is not below the diagonal of the turned reflectors: zeros and ones. Then t, column by column:
  // t_j = -tau_j t (v^H v_j).
  void FinishBlock() {
    const int64_t count = args_.end - args_.begin, rows = args_.m - args_.begin;
    const Block<T> p = Turned(), t = job_.Factor();
    for (int64_t j = 0; j < count; ++j) {
      for (int64_t i = 0; i <= j; ++i) {
        p.At(j, i).re[0] = i == j ? T(1) : T(0);
        if (kComplex) p.At(j, i).im[0] = 0;
      }
      if (!kComplex) continue;
      for (int64_t i = 0; i < rows; ++i) MinusImaginary()[j * p.ld + i] = -p.At(j, i).im[0];
    }
    for (int64_t j = 0; j < count; ++j) {
      const Complex<T> tau = Tau(args_.begin + j);
      Complex<T> inner[kMaxBlock];
      for (int64_t i = 0; i < j; ++i) inner[i] = Inner(p.At(i, j), p.At(j, j), rows - j);
      for (int64_t i = 0; i < count; ++i) {
        Complex<T> sum = {T(0), T(0)};
        for (int64_t k = i; k < j; ++k) {
          const T re = t.At(i, k).re[0], im = kComplex ? t.At(i, k).im[0] : T(0);
          sum.re += re * inner[k].re - im * inner[k].im;
          sum.im += re * inner[k].im + im * inner[k].re;
        }
        t.At(i, j).re[0] = i == j ? tau.re : i > j ? T(0) : -(tau.re * sum.re - tau.im * sum.im);
        if (kComplex) t.At(i, j).im[0] = i == j ? tau.im : i > j ? T(0) : -(tau.re * sum.im + tau.im * sum.re);
      }
    }
  }

  const Job<T, kComplex>& job_;
  const LinalgArgs& args_;
  const Block<T> whole_;
  T* tau_;
};

}  // namespace treadle::kernels::linalg::TREADLE_ISA

#endif  // TREADLE_KERNELS_LINALG_QR_H_

// Eigenvalues and eigenvectors of Hermitian matrices: reflectors on both sides make the matrix tridiagonal and real,
// then rotations make it diagonal (the implicit QL method). Compiled once per ISA level.
#ifndef TREADLE_KERNELS_LINALG_EIGH_H_
#define TREADLE_KERNELS_LINALG_EIGH_H_

#include <algorithm>
#include <limits>

#include "kernels/linalg/qr.h"

namespace treadle::kernels::linalg::TREADLE_ISA {

// A rotation of two rows: a <- c a - s b, b <- s a + c b.
template <typename T>
TREADLE_INLINE void Rotate(Block<T> a, Block<T> b, int64_t n, T c, T s) {
  const auto rotate = [=](T* x, T* y) {
    const Vec<T> cos = Vec<T>(c), sin = Vec<T>(s);
    for (int64_t v = 0; v < n; v += kLanes<T>) {
      const Vec<T> p = Load<T>(x + v), q = Load<T>(y + v);
      Store<T>(x + v, MulAdd<T>(cos, p, -(sin * q)));
      Store<T>(y + v, MulAdd<T>(sin, p, cos * q));
    }
  };
  rotate(a.re, b.re);
  if (a.im) rotate(a.im, b.im);
}

// Buffers: a, vectors, values. The vectors are asked for where args.k is not 0.
template <typename T, bool kComplex>
class Eigh {
 public:
  explicit Eigh(const Job<T, kComplex>& job)
      : job_(job),
        n_(job.args.n),
        ld_(job.args.padded_n),
        whole_(job.Whole(1)),
        reflectors_(job.BlockAt(job.args.panel, n_, ld_)),
        values_(static_cast<T*>(job.frame->buffers[2]) + job.number * n_) {
    T* room = job.work + job.args.minus;
    product_ = {room, kComplex ? room + ld_ : nullptr, ld_};
    tau_ = {room + 2 * ld_, room + 3 * ld_, ld_};
    diagonal_ = reinterpret_cast<double*>(room + 4 * ld_);
    beside_ = diagonal_ + ld_;
    order_ = reinterpret_cast<int64_t*>(beside_ + ld_);
  }

  void Run() {
    if (!ReadMatrix()) {
      Fill(std::numeric_limits<T>::quiet_NaN());
      return;
    }
    MakeTridiagonal();
    const bool vectors = job_.args.k != 0;
    if (vectors) FormVectors();
    Diagonalize(vectors);
    for (int64_t i = 0; i < n_; ++i) order_[i] = i;
    std::sort(order_, order_ + n_, [this](int64_t a, int64_t b) { return diagonal_[a] < diagonal_[b]; });
    for (int64_t i = 0; i < n_; ++i) values_[i] = static_cast<T>(diagonal_[order_[i]] * scale_);
    if (vectors) WriteVectors();
  }

 private:
  static constexpr int64_t kParts = kComplex ? 2 : 1;

  // All of the matrix from its triangle, by a power of 2 near 1. False where it has an infinity or NaN.
  bool ReadMatrix() {
    const T* a = job_.Matrix(0);
    T most = 0;
    bool finite = true;
    for (int64_t i = 0; i < n_; ++i) {
      const Block<T> row = whole_.At(i, 0);
      for (int64_t j = 0; j <= i; ++j) {
        const T* at = PartAt(a, kComplex, job_.args.upper ? j * n_ + i : i * n_ + j, 0);
        T im = 0;
        row.re[j] = at[0];
        if (kComplex) im = i == j ? T(0) : job_.args.upper ? -at[1] : at[1];
        if (kComplex) row.im[j] = im;
        const T size = std::max(std::abs(at[0]), std::abs(im));
        finite =
            finite && std::abs(at[0]) <= std::numeric_limits<T>::max() && std::abs(im) <= std::numeric_limits<T>::max();
        most = std::max(most, size);
      }
    }
    if (!finite) return false;
    const NearOne<T> near(most);
    scale_ = near.back;
    for (int64_t i = 0; i < n_; ++i) {
      for (int64_t j = 0; j <= i; ++j) {
        const Block<T> at = whole_.At(i, j), other = whole_.At(j, i);
        at.re[0] *= near.factor;
        other.re[0] = at.re[0];
        if (kComplex) {
          at.im[0] *= near.factor;
          other.im[0] = i == j ? T(0) : -at.im[0];
        }
      }
    }
    return true;
  }

  void Fill(T value) {
    std::fill(values_, values_ + n_, value);
    if (job_.args.k == 0) return;
    T* v = job_.Matrix(1);
    std::fill(v, v + n_ * n_ * kParts, value);
  }

  // Row i from `from` on loses v_i w^H + w_i v^H.
  void Update(int64_t i, int64_t from, Block<T> v, Block<T> w) {
    const Block<T> row = whole_.At(i, from);
    const int64_t n = n_ - from;
    const T vr = v.re[i], wr = w.re[i], vi = kComplex ? v.im[i] : T(0), wi = kComplex ? w.im[i] : T(0);
    constexpr int64_t kWide = kLanes<T>;
    for (int64_t k = 0; k < n; k += kWide) {
      const Vec<T> x = Load<T>(v.re + from + k), y = Load<T>(w.re + from + k);
      Vec<T> re = Load<T>(row.re + k);
      re = MulAdd<T>(Vec<T>(-vr), y, MulAdd<T>(Vec<T>(-wr), x, re));
      if (kComplex) {
        const Vec<T> p = Load<T>(v.im + from + k), q = Load<T>(w.im + from + k);
        re = MulAdd<T>(Vec<T>(-vi), q, MulAdd<T>(Vec<T>(-wi), p, re));
        Vec<T> im = Load<T>(row.im + k);
        im = MulAdd<T>(Vec<T>(-vi), y, MulAdd<T>(Vec<T>(-wi), x, im));
        im = MulAdd<T>(Vec<T>(vr), q, MulAdd<T>(Vec<T>(wr), p, im));
        Store<T>(row.im + k, im);
      }
      Store<T>(row.re + k, re);
    }
  }

  // Reflector k, in row k of reflectors_ from k + 1 on, makes column k zero below its first number. Each takes two
  // products of vectors from all rows behind; that is done when the next one walks over them.
  void MakeTridiagonal() {
    Block<T> v = {}, w = {};
    for (int64_t k = 0; k < n_; ++k) {
      if (k > 0) Update(k, k, v, w);
      diagonal_[k] = whole_.At(k, k).re[0];
      beside_[k] = 0;
      if (k + 1 == n_) break;
      const int64_t from = k + 1, count = n_ - from;
      const Block<T> next = reflectors_.At(k, 0), row = whole_.At(k, 0);
      std::fill(next.re, next.re + ld_, T(0));
      std::copy(row.re + from, row.re + n_, next.re + from);
      if (kComplex) {
        std::fill(next.im, next.im + ld_, T(0));
        for (int64_t i = from; i < n_; ++i) next.im[i] = -row.im[i];
      }
      const Complex<T> tau = Reflectors<T, kComplex>::Reflect(next.At(0, from), count);
      beside_[k] = next.re[from];
      next.re[from] = 1;
      tau_.re[k] = tau.re;
      tau_.im[k] = tau.im;
      const Block<T> product = k % 2 ? product_ : Other();
      std::fill(product.re, product.re + ld_, T(0));
      if (kComplex) std::fill(product.im, product.im + ld_, T(0));
      for (int64_t i = from; i < n_; ++i) {
        if (k > 0) Update(i, from, v, w);
        Complex<T> sum = Plain(whole_.At(i, from), next.At(0, from), count);
        product.re[i] = tau.re * sum.re - tau.im * sum.im;
        if (kComplex) product.im[i] = tau.re * sum.im + tau.im * sum.re;
      }
      // w = p - tau / 2 (p^H v) v
      const Complex<T> inner = Inner(product.At(0, from), next.At(0, from), count);
      const T re = T(0.5) * (tau.re * inner.re - tau.im * inner.im);
      const T im = T(0.5) * (tau.re * inner.im + tau.im * inner.re);
      SubtractRow<T>(product.At(0, from), (count + kLanes<T> - 1) / kLanes<T> * kLanes<T>, re, im, next.At(0, from));
      v = next;
      w = product;
    }
  }

  Block<T> Other() const { return job_.BlockAt(job_.args.factor, 1, ld_); }

  // The sum of products, neither conjugated.
  static Complex<T> Plain(Block<T> a, Block<T> b, int64_t n) {
    const auto dot = [n](T* x, T* y) { return Inner<T>({x, nullptr, 0}, {y, nullptr, 0}, n).re; };
    if (!kComplex) return {dot(a.re, b.re), T(0)};
    return {dot(a.re, b.re) - dot(a.im, b.im), dot(a.re, b.im) + dot(a.im, b.re)};
  }

  // The product of the reflectors, turned: rows of whole_ become the vectors.
  void FormVectors() {
    const Block<T> q = job_.BlockAt(job_.args.matrix, n_, ld_);
    for (int64_t i = 0; i < n_; ++i) {
      std::fill(q.At(i, 0).re, q.At(i, 0).re + ld_, T(0));
      if (kComplex) std::fill(q.At(i, 0).im, q.At(i, 0).im + ld_, T(0));
      q.At(i, i).re[0] = 1;
    }
    // Row i is column i of the product: y becomes y - tau (v^H y) v, from the last reflector that reaches it on.
    for (int64_t i = 1; i < n_; ++i) {
      for (int64_t k = i - 1; k >= 0; --k) {
        const int64_t from = k + 1, count = n_ - from;
        const Block<T> y = q.At(i, from), v = reflectors_.At(k, from);
        const Complex<T> inner = Inner(v, y, count);
        const T re = tau_.re[k] * inner.re - tau_.im[k] * inner.im;
        const T im = tau_.re[k] * inner.im + tau_.im[k] * inner.re;
        SubtractRow<T>(y, (count + kLanes<T> - 1) / kLanes<T> * kLanes<T>, re, im, v);
      }
    }
  }

  void Diagonalize(bool vectors) {
    constexpr int kMostSteps = 60;
    const double unit = std::numeric_limits<T>::epsilon() / 4;
    double *d = diagonal_, *e = beside_;
    const int64_t width = (n_ + kLanes<T> - 1) / kLanes<T> * kLanes<T>;
    for (int64_t l = 0; l < n_; ++l) {
      for (int step = 0; step < kMostSteps; ++step) {
        int64_t m = l;
        for (; m + 1 < n_; ++m) {
          if (std::abs(e[m]) <= unit * (std::abs(d[m]) + std::abs(d[m + 1]))) break;
        }
        if (m == l) break;
        double g = (d[l + 1] - d[l]) / (2 * e[l]), r = std::sqrt(g * g + 1);
        g = d[m] - d[l] + e[l] / (g + std::copysign(r, g));
        double s = 1, c = 1, p = 0;
        int64_t i = m - 1;
        for (; i >= l; --i) {
          const double f = s * e[i], b = c * e[i];
          r = std::sqrt(f * f + g * g);
          e[i + 1] = r;
          if (r == 0) {
            d[i + 1] -= p;
            e[m] = 0;
            break;
          }
          s = f / r;
          c = g / r;
          g = d[i + 1] - p;
          r = (d[i] - g) * s + 2 * c * b;
          p = s * r;
          d[i + 1] = g + p;
          g = c * r - b;
          if (vectors) Rotate<T>(whole_.At(i, 0), whole_.At(i + 1, 0), width, static_cast<T>(c), static_cast<T>(s));
        }
        if (r == 0 && i >= l) continue;
        d[l] -= p;
        e[l] = g;
        e[m] = 0;
      }
    }
  }

  void WriteVectors() {
    T* v = job_.Matrix(1);
    for (int64_t j = 0; j < n_; ++j) {
      const Block<T> row = whole_.At(order_[j], 0);
      for (int64_t i = 0; i < n_; ++i) {
        T* to = PartAt(v, kComplex, i * n_ + j, 0);
        to[0] = row.re[i];
        if (kComplex) to[1] = row.im[i];
      }
    }
  }

  const Job<T, kComplex>& job_;
  const int64_t n_, ld_;
  const Block<T> whole_, reflectors_;
  T* values_;
  Block<T> product_, tau_;
  double* diagonal_;
  double* beside_;
  int64_t* order_;
  double scale_ = 1;
};

}  // namespace treadle::kernels::linalg::TREADLE_ISA

#endif  // TREADLE_KERNELS_LINALG_EIGH_H_

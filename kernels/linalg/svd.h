// Singular values and vectors: reflectors on both sides make the matrix bidiagonal and real, then rotations make it
// diagonal. After G. H. Golub and C. Reinsch (1970), with the steps without a shift of J. Demmel and W. Kahan,
// "Accurate singular values of bidiagonal matrices" (1990), where the shift would cost small values their digits.
// Compiled once per ISA level.
#ifndef TREADLE_KERNELS_LINALG_SVD_H_
#define TREADLE_KERNELS_LINALG_SVD_H_

#include <algorithm>
#include <limits>

#include "kernels/linalg/eigh.h"

namespace treadle::kernels::linalg::TREADLE_ISA {

// A rotation: c f + s g = r, c g - s f = 0.
struct Rotation {
  Rotation(double f, double g) {
    const double square = f * f + g * g;
    r = square > 1e-280 && square < 1e280 ? std::sqrt(square) : std::hypot(f, g);
    if (r == 0) return;
    const double inverse = 1 / r;
    c = f * inverse;
    s = g * inverse;
  }
  double c = 1, s = 0, r;
};

// Buffers: a [m, n], values, u, v^H. What is worked on has as many rows as columns or more: where a has not, its
// adjoint, whose vectors change sides. Vectors are asked for where args.k is not 0: all of them where it is 2.
template <typename T, bool kComplex>
class Svd {
 public:
  explicit Svd(const Job<T, kComplex>& job)
      : job_(job),
        wide_(job.args.m < job.args.n),
        rows_(std::max(job.args.m, job.args.n)),
        columns_(std::min(job.args.m, job.args.n)),
        row_ld_(job.args.padded_n),
        column_ld_(job.args.padded_m),
        left_count_(job.args.k == 2 ? rows_ : columns_),
        whole_(job.BlockAt(job.args.matrix, rows_, row_ld_)),
        left_(job.BlockAt(job.args.panel, columns_, column_ld_)),
        right_(job.BlockAt(job.args.factor, columns_, row_ld_)),
        left_vectors_(job.BlockAt(job.args.panel + kParts * columns_ * column_ld_, left_count_, column_ld_)),
        values_(static_cast<T*>(job.frame->buffers[1]) + job.number * columns_) {
    T* room = job.work + job.args.minus;
    const auto take = [&] {
      const Block<T> row = {room, kComplex ? room + row_ld_ : nullptr, row_ld_};
      room += 2 * row_ld_;
      return row;
    };
    sums_ = take();
    conjugate_ = take();
    left_tau_ = take();
    right_tau_ = take();
    d_ = reinterpret_cast<double*>(room);
    e_ = d_ + row_ld_;
    order_ = reinterpret_cast<int64_t*>(e_ + row_ld_);
  }

  void Run() {
    if (!ReadMatrix()) return Fill(std::numeric_limits<T>::quiet_NaN());
    MakeBidiagonal();
    const bool vectors = job_.args.k != 0;
    if (vectors) FormVectors();
    if (!Diagonalize(vectors)) return Fill(std::numeric_limits<T>::quiet_NaN());
    for (int64_t i = 0; i < columns_; ++i) order_[i] = i;
    std::stable_sort(order_, order_ + columns_,
                     [this](int64_t a, int64_t b) { return std::abs(d_[a]) > std::abs(d_[b]); });
    for (int64_t i = 0; i < columns_; ++i) values_[i] = static_cast<T>(std::abs(d_[order_[i]]) * scale_);
    if (vectors) WriteVectors();
  }

 private:
  static constexpr int64_t kParts = kComplex ? 2 : 1;
  static int64_t Vectors(int64_t n) { return (n + kLanes<T> - 1) / kLanes<T> * kLanes<T>; }

  T* LeftResult() const {
    return static_cast<T*>(job_.frame->buffers[2]) + job_.number * job_.args.m * LeftColumns() * kParts;
  }
  T* RightResult() const {
    return static_cast<T*>(job_.frame->buffers[3]) + job_.number * RightRows() * job_.args.n * kParts;
  }
  int64_t LeftColumns() const { return job_.args.k == 2 ? job_.args.m : columns_; }
  int64_t RightRows() const { return job_.args.k == 2 ? job_.args.n : columns_; }

  void Fill(T value) {
    std::fill(values_, values_ + columns_, value);
    if (job_.args.k == 0) return;
    std::fill(LeftResult(), LeftResult() + job_.args.m * LeftColumns() * kParts, value);
    std::fill(RightResult(), RightResult() + RightRows() * job_.args.n * kParts, value);
  }

  static void Clear(Block<T> row, int64_t n) {
    std::fill(row.re, row.re + n, T(0));
    if (kComplex) std::fill(row.im, row.im + n, T(0));
  }

  // By a power of 2 near 1; zeros behind the rows. False where it has an infinity or NaN.
  bool ReadMatrix() {
    const T* a = job_.Matrix(0);
    const int64_t count = rows_ * columns_ * kParts;
    T most = 0;
    bool finite = true;
    for (int64_t i = 0; i < count; ++i) {
      const T size = std::abs(a[i]);
      finite = finite && size <= std::numeric_limits<T>::max();
      most = std::max(most, size);
    }
    if (!finite) return false;
    const NearOne<T> near(most);
    scale_ = near.back;
    for (int64_t i = 0; i < rows_; ++i) {
      const Block<T> row = whole_.At(i, 0);
      Clear(row, row_ld_);
      for (int64_t j = 0; j < columns_; ++j) {
        const T* at = PartAt(a, kComplex, wide_ ? j * rows_ + i : i * columns_ + j, 0);
        row.re[j] = at[0] * near.factor;
        if (kComplex) row.im[j] = (wide_ ? -at[1] : at[1]) * near.factor;
      }
    }
    return true;
  }

  // Reflector k from the left, in row k of left_ from k on, makes column k zero below d[k]; one from the right, in row
  // k of right_ from k + 1 on, makes row k zero behind e[k]. Each row is walked over twice for both.
  void MakeBidiagonal() {
    for (int64_t k = 0; k < columns_; ++k) {
      const Complex<T> left = ReflectColumn(k);
      const int64_t from = k + 1, count = columns_ - from;
      e_[k] = 0;
      if (count == 0) break;
      const Block<T> v = left_.At(k, 0), sums = sums_.At(0, from);
      Clear(sums, Vectors(count));
      for (int64_t i = k; i < rows_; ++i) {  // plus conj(v_i) times row i
        SubtractRow<T>(sums, Vectors(count), -v.re[i], kComplex ? v.im[i] : T(0), whole_.At(i, from));
      }
      const auto lose_left = [&](int64_t i) {  // minus conj(tau) v_i times the sums
        const T re = v.re[i], im = kComplex ? v.im[i] : T(0);
        SubtractRow<T>(whole_.At(i, from), Vectors(count), left.re * re + left.im * im, left.re * im - left.im * re,
                       sums);
      };
      lose_left(k);
      const Complex<T> right = ReflectRow(k);
      const Block<T> conjugate = conjugate_.At(0, from);
      for (int64_t i = from; i < rows_; ++i) {
        lose_left(i);
        const Complex<T> sum = Inner(conjugate, whole_.At(i, from), count);
        SubtractRow<T>(whole_.At(i, from), Vectors(count), right.re * sum.re - right.im * sum.im,
                       right.re * sum.im + right.im * sum.re, conjugate);
      }
    }
  }

  Complex<T> ReflectColumn(int64_t k) {
    const Block<T> row = left_.At(k, 0);
    Clear(row, column_ld_);
    for (int64_t i = k; i < rows_; ++i) {
      row.re[i] = whole_.At(i, k).re[0];
      if (kComplex) row.im[i] = whole_.At(i, k).im[0];
    }
    const Complex<T> tau = Reflectors<T, kComplex>::Reflect(row.At(0, k), rows_ - k);
    d_[k] = row.re[k];
    row.re[k] = 1;
    left_tau_.re[k] = tau.re;
    if (kComplex) left_tau_.im[k] = tau.im;
    return tau;
  }

  Complex<T> ReflectRow(int64_t k) {
    const int64_t from = k + 1, count = columns_ - from;
    const Block<T> row = right_.At(k, 0), of = whole_.At(k, 0);
    Clear(row, row_ld_);
    Clear(conjugate_, row_ld_);
    std::copy(of.re + from, of.re + columns_, row.re + from);
    for (int64_t j = from; kComplex && j < columns_; ++j) row.im[j] = -of.im[j];
    const Complex<T> tau = Reflectors<T, kComplex>::Reflect(row.At(0, from), count);
    e_[k] = row.re[from];
    row.re[from] = 1;
    right_tau_.re[k] = tau.re;
    if (kComplex) right_tau_.im[k] = tau.im;
    std::copy(row.re + from, row.re + columns_, conjugate_.re + from);
    for (int64_t j = from; kComplex && j < columns_; ++j) conjugate_.im[j] = -row.im[j];
    return tau;
  }

  // Row i of `to` becomes column i of the product of the reflectors; reflector k begins at k + `behind`.
  void FormSide(Block<T> reflectors, Block<T> tau, int64_t reflector_count, int64_t behind, int64_t count, int64_t size,
                Block<T> to) {
    for (int64_t i = 0; i < count; ++i) {
      Clear(to.At(i, 0), to.ld);
      to.At(i, i).re[0] = 1;
      for (int64_t k = std::min(i - behind, reflector_count - 1); k >= 0; --k) {
        const int64_t from = k + behind;
        const Block<T> y = to.At(i, from), v = reflectors.At(k, from);
        const Complex<T> inner = Inner(v, y, size - from);
        const T tau_im = kComplex ? tau.im[k] : T(0);
        SubtractRow<T>(y, Vectors(size - from), tau.re[k] * inner.re - tau_im * inner.im,
                       tau.re[k] * inner.im + tau_im * inner.re, v);
      }
    }
  }

  void FormVectors() {
    FormSide(left_, left_tau_, columns_, 0, left_count_, rows_, left_vectors_);
    FormSide(right_, right_tau_, columns_ - 1, 1, columns_, columns_, RightVectors());
  }
  Block<T> RightVectors() const { return {whole_.re, whole_.im, row_ld_}; }

  bool Small(int64_t i) const {
    const double unit = std::numeric_limits<T>::epsilon() / 4;
    return std::abs(e_[i]) <= unit * (std::abs(d_[i]) + std::abs(d_[i + 1])) || std::abs(e_[i]) < 1e-290;
  }

  // False where that takes too long, which it does not.
  bool Diagonalize(bool vectors) {
    int64_t left = 60 * columns_ + 60;
    for (int64_t high = columns_ - 1; high > 0;) {
      if (Small(high - 1)) {
        e_[--high] = 0;
        continue;
      }
      int64_t low = high - 1;
      while (low > 0 && !Small(low - 1)) --low;
      if (left-- == 0) return false;
      Step(low, high, vectors);
    }
    return true;
  }

  // One step on what lies between `low` and `high`, from its larger end to the smaller one. Upwards it is that of the
  // matrix turned around, whose sides are changed.
  void Step(int64_t low, int64_t high, bool vectors) {
    const bool up = std::abs(d_[low]) < std::abs(d_[high]);
    const int64_t count = high - low;
    const auto d = [&](int64_t i) -> double& { return d_[up ? high - i : low + i]; };
    const auto e = [&](int64_t i) -> double& { return e_[up ? high - 1 - i : low + i]; };
    const auto turn = [&](bool right, int64_t i, const Rotation& by) {
      if (!vectors) return;
      const Block<T> side = right != up ? RightVectors() : left_vectors_;
      const int64_t a = up ? high - i : low + i, b = up ? a - 1 : a + 1;
      Rotate<T>(side.At(b, 0), side.At(a, 0), Vectors(right != up ? columns_ : rows_), static_cast<T>(by.c),
                static_cast<T>(by.s));
    };
    const double shift = SmallerValue(d(count - 1), e(count - 1), d(count));
    const double ratio = d(0) == 0 ? 0 : shift / d(0);
    if (ratio * ratio < std::numeric_limits<double>::epsilon()) {
      Rotation right(1, 0), left(1, 0);
      for (int64_t i = 0; i < count; ++i) {
        right = Rotation(d(i) * right.c, e(i));
        if (i > 0) e(i - 1) = left.s * right.r;
        left = Rotation(left.c * right.r, d(i + 1) * right.s);
        d(i) = left.r;
        turn(true, i, right);
        turn(false, i, left);
      }
      const double last = d(count) * right.c;
      d(count) = last * left.c;
      e(count - 1) = last * left.s;
      return;
    }
    double f = (std::abs(d(0)) - shift) * (std::copysign(1.0, d(0)) + ratio), g = e(0);
    for (int64_t i = 0; i < count; ++i) {
      const Rotation right(f, g);
      if (i > 0) e(i - 1) = right.r;
      f = right.c * d(i) + right.s * e(i);
      e(i) = right.c * e(i) - right.s * d(i);
      g = right.s * d(i + 1);
      d(i + 1) *= right.c;
      const Rotation left(f, g);
      d(i) = left.r;
      f = left.c * e(i) + left.s * d(i + 1);
      d(i + 1) = left.c * d(i + 1) - left.s * e(i);
      if (i + 1 < count) {
        g = left.s * e(i + 1);
        e(i + 1) *= left.c;
      }
      turn(true, i, right);
      turn(false, i, left);
    }
    e(count - 1) = f;
  }

  // Of [f g; 0 h].
  static double SmallerValue(double f, double g, double h) {
    const double larger = (std::hypot(f + h, g) + std::hypot(f - h, g)) / 2;
    return larger == 0 ? 0 : std::abs(f) / larger * std::abs(h);
  }

  // Vectors on the right take the signs of the values.
  void WriteVectors() {
    const Block<T> left = wide_ ? RightVectors() : left_vectors_, right = wide_ ? left_vectors_ : RightVectors();
    const int64_t m = job_.args.m, n = job_.args.n, left_columns = LeftColumns(), right_rows = RightRows();
    T *const u = LeftResult(), *const v = RightResult();
    for (int64_t j = 0; j < left_columns; ++j) {
      const Block<T> row = left.At(j < columns_ ? order_[j] : j, 0);
      for (int64_t i = 0; i < m; ++i) {
        T* to = PartAt(u, kComplex, i * left_columns + j, 0);
        to[0] = row.re[i];
        if (kComplex) to[1] = row.im[i];
      }
    }
    for (int64_t j = 0; j < right_rows; ++j) {
      const Block<T> row = right.At(j < columns_ ? order_[j] : j, 0);
      const T sign = j < columns_ && d_[order_[j]] < 0 ? T(-1) : T(1);
      for (int64_t i = 0; i < n; ++i) {
        T* to = PartAt(v, kComplex, j * n + i, 0);
        to[0] = sign * row.re[i];
        if (kComplex) to[1] = -sign * row.im[i];
      }
    }
  }

  const Job<T, kComplex>& job_;
  const bool wide_;
  const int64_t rows_, columns_, row_ld_, column_ld_, left_count_;
  const Block<T> whole_, left_, right_, left_vectors_;
  T* values_;
  Block<T> sums_, conjugate_, left_tau_, right_tau_;
  double *d_, *e_;
  int64_t* order_;
  double scale_ = 1;
};

}  // namespace treadle::kernels::linalg::TREADLE_ISA

#endif  // TREADLE_KERNELS_LINALG_SVD_H_

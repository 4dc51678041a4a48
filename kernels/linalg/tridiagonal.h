// Tridiagonal systems, by elimination with partial pivoting. Compiled once per ISA level.
#ifndef TREADLE_KERNELS_LINALG_TRIDIAGONAL_H_
#define TREADLE_KERNELS_LINALG_TRIDIAGONAL_H_

#include <algorithm>
#include <limits>

#include "kernels/linalg/job.h"

namespace treadle::kernels::linalg::TREADLE_ISA {

// A number, with its imaginary part 0 where there is none.
template <typename T, bool kComplex>
struct Number {
  T re = 0, im = 0;

  static Number Load(const T* from, int64_t i) {
    if constexpr (kComplex) return {from[2 * i], from[2 * i + 1]};
    return {from[i], T(0)};
  }
  void Store(T* to, int64_t i) const {
    *PartAt(to, kComplex, i, 0) = re;
    if (kComplex) *PartAt(to, kComplex, i, 1) = im;
  }
  T Size() const { return kComplex ? std::abs(re) + std::abs(im) : std::abs(re); }
  friend Number operator*(Number a, Number b) {
    if constexpr (kComplex) return {a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re};
    return {a.re * b.re, T(0)};
  }
  friend Number operator-(Number a, Number b) { return {a.re - b.re, a.im - b.im}; }
  friend Number operator/(Number a, Number b) {
    if constexpr (kComplex) {
      const Complex<T> inverse = Inverse(b.re, b.im);
      return a * Number{inverse.re, inverse.im};
    }
    return {a.re / b.re, T(0)};
  }
};

// Buffers: below, diagonal, above [m] (the first of below and the last of above are not read), b [m, n], x. What is
// singular gives NaNs, or where args.k is not 0 pivots that are next to nothing become the least that is something.
template <typename T, bool kComplex>
class Tridiagonal {
  using N = Number<T, kComplex>;

 public:
  explicit Tridiagonal(const Job<T, kComplex>& job)
      : job_(job),
        m_(job.args.m),
        n_(job.args.n),
        x_(job.Matrix(4)),
        diagonal_(job.work),
        above_(diagonal_ + m_ * kParts),
        further_(above_ + m_ * kParts) {}

  void Run() {
    std::copy_n(job_.Matrix(3), m_ * n_ * kParts, x_);
    std::copy_n(Line(1), m_ * kParts, diagonal_);
    std::copy_n(Line(2), m_ * kParts, above_);
    std::fill_n(further_, m_ * kParts, T(0));
    N().Store(above_, m_ - 1);
    for (int64_t i = 0; i + 1 < m_; ++i) Eliminate(i, N::Load(Line(0), i + 1));
    if (job_.args.k != 0) Perturb();
    for (int64_t i = m_ - 1; i >= 0; --i) {
      if (N::Load(diagonal_, i).Size() == 0) {
        std::fill_n(x_, m_ * n_ * kParts, std::numeric_limits<T>::quiet_NaN());
        return;
      }
      Substitute(i);
    }
  }

 private:
  static constexpr int64_t kParts = kComplex ? 2 : 1;

  const T* Line(int buffer) const {
    return static_cast<const T*>(job_.frame->buffers[buffer]) + job_.number * m_ * kParts;
  }
  N X(int64_t i, int64_t j) const { return N::Load(x_, i * n_ + j); }

  // Row i from row i + 1, whose number below the diagonal is `below`; rows change places for the larger pivot.
  void Eliminate(int64_t i, N below) {
    const N pivot = N::Load(diagonal_, i), right = N::Load(above_, i), next = N::Load(diagonal_, i + 1);
    if (pivot.Size() >= below.Size()) {
      const N factor = pivot.Size() == 0 ? N() : below / pivot;
      (next - factor * right).Store(diagonal_, i + 1);
      for (int64_t j = 0; j < n_; ++j) (X(i + 1, j) - factor * X(i, j)).Store(x_, (i + 1) * n_ + j);
      return;
    }
    const N factor = pivot / below, last = N::Load(above_, i + 1);
    below.Store(diagonal_, i);
    next.Store(above_, i);
    last.Store(further_, i);
    (right - factor * next).Store(diagonal_, i + 1);
    (N() - factor * last).Store(above_, i + 1);
    for (int64_t j = 0; j < n_; ++j) {
      const N upper = X(i, j), lower = X(i + 1, j);
      lower.Store(x_, i * n_ + j);
      (upper - factor * lower).Store(x_, (i + 1) * n_ + j);
    }
  }

  void Perturb() {
    T most = std::numeric_limits<T>::min() / std::numeric_limits<T>::epsilon();
    for (int64_t i = 0; i < m_; ++i) {
      for (const T* line : {diagonal_, above_, further_}) most = std::max(most, N::Load(line, i).Size());
    }
    const T least = most * std::numeric_limits<T>::epsilon();
    for (int64_t i = 0; i < m_; ++i) {
      const N pivot = N::Load(diagonal_, i);
      if (pivot.Size() < least) N{std::copysign(least, pivot.re), T(0)}.Store(diagonal_, i);
    }
  }

  void Substitute(int64_t i) {
    const N pivot = N::Load(diagonal_, i), above = N::Load(above_, i), further = N::Load(further_, i);
    for (int64_t j = 0; j < n_; ++j) {
      N x = X(i, j);
      if (i + 1 < m_) x = x - above * X(i + 1, j);
      if (i + 2 < m_) x = x - further * X(i + 2, j);
      (x / pivot).Store(x_, i * n_ + j);
    }
  }

  const Job<T, kComplex>& job_;
  const int64_t m_, n_;
  T* const x_;
  // Of the upper triangle that is made: two lines stand above its diagonal.
  T *const diagonal_, *const above_, *const further_;
};

}  // namespace treadle::kernels::linalg::TREADLE_ISA

#endif  // TREADLE_KERNELS_LINALG_TRIDIAGONAL_H_

// Cholesky's factor, block by block of columns: the triangle on the diagonal, the rows below it, then what both take
// from the rest of the matrix. Compiled once per ISA level.
#ifndef TREADLE_KERNELS_LINALG_CHOLESKY_H_
#define TREADLE_KERNELS_LINALG_CHOLESKY_H_

#include <limits>

#include "kernels/linalg/job.h"

namespace treadle::kernels::linalg::TREADLE_ISA {

template <typename T, bool kComplex>
class Cholesky {
 public:
  static constexpr int kResult = 1;

  explicit Cholesky(const Job<T, kComplex>& job) : job_(job), args_(job.args), whole_(job.Whole(kResult)) {}

  void Open(Range rows) {
    const T* in = job_.Matrix(0);
    const int64_t n = args_.n;
    for (int64_t r = rows.begin; r < rows.end; ++r) {
      Block<T> row = whole_.At(r, 0);
      for (int64_t c = 0; c <= r; ++c) {
        const T* from = PartAt(in, kComplex, args_.upper ? c * n + r : r * n + c, 0);
        row.re[c] = from[0];
        if (kComplex) row.im[c] = args_.upper ? -from[1] : from[1];
      }
      for (int64_t c = r + 1; c < n; ++c) {
        row.re[c] = 0;
        if (kComplex) row.im[c] = 0;
      }
    }
  }

  // The block's own triangle, kept as the rows of l^H too.
  void Diagonal() {
    const int64_t begin = args_.begin, count = args_.end - begin;
    const int64_t columns = (count + kLanes<T> - 1) / kLanes<T> * kLanes<T>;
    Block<T> u = job_.Factor();
    for (int64_t j = 0; j < count; ++j) {
      Block<T> row = u.At(j, 0);
      for (int64_t i = 0; i < columns; ++i) {
        const bool inside = i >= j && i < count;
        row.re[i] = inside ? whole_.At(begin + i, begin + j).re[0] : T(0);
        if (kComplex) row.im[i] = inside ? -whole_.At(begin + i, begin + j).im[0] : T(0);
      }
    }
    for (int64_t j = 0; j < count; ++j) {
      Block<T> row = u.At(j, 0);
      const T square = row.re[j];
      const T root = square > 0 ? std::sqrt(square) : std::numeric_limits<T>::quiet_NaN();
      const int64_t from = j / kLanes<T> * kLanes<T>;
      for (int64_t v = from; v < columns; v += kLanes<T>) {
        Store<T>(row.re + v, Load<T>(row.re + v) / Vec<T>(root));
        if (kComplex) Store<T>(row.im + v, Load<T>(row.im + v) / Vec<T>(root));
      }
      row.re[j] = root;
      if (kComplex) row.im[j] = 0;
      for (int64_t i = j + 1; i < count; ++i) {
        const int64_t at = i / kLanes<T> * kLanes<T>;
        SubtractRow<T>(u.At(i, at), columns - at, row.re[i], kComplex ? -row.im[i] : T(0), row.At(0, at));
      }
    }
    for (int64_t j = 0; j < count; ++j) {
      for (int64_t i = j; i < count; ++i) {
        Block<T> to = whole_.At(begin + i, begin + j);
        to.re[0] = u.At(j, i).re[0];
        if (kComplex) to.im[0] = -u.At(j, i).im[0];
      }
    }
  }

  // Rows below the block: x^H with l x = a^H.
  void Solve(Range rows) {
    const int64_t count = args_.end - args_.begin;
    if (rows.size() == 0) return;
    const Block<T> x = Panel().At(0, rows.begin), minus = Minus().At(0, rows.begin);
    const Block<T> below = whole_.At(args_.end + rows.begin, args_.begin);
    TransposeBlock<T>(below, rows.size(), count, x, /*conjugate=*/true);
    constexpr int64_t kPair = 2 * kLanes<T>;
    SolveLower<T>(Transposed(ViewOf(job_.Factor()), true), count, false, x, minus,
                  (rows.size() + kPair - 1) / kPair * kPair);
    TransposeBlock<T>(x, count, rows.size(), below, true);
  }

  // The same rows of what is left, up to the diagonal.
  void Update(Range rows) {
    constexpr int64_t kRows = 8 * kTileRows<Plain<T>>;
    const View<T> x = Transposed(ViewOf(Panel()), true);
    for (int64_t r = rows.begin; r < rows.end; r += kRows) {
      const int64_t end = Min(r + kRows, rows.end);
      AddProduct<T>(whole_.At(args_.end + r, args_.end), end - r, end, x.At(r, 0), args_.end - args_.begin, Minus(),
                    Panel());
    }
  }

  void Finish(Range rows) {
    const int64_t n = args_.n;
    const T last = whole_.At(n - 1, n - 1).re[0];
    const bool fails = !(last == last);
    for (int64_t r = rows.begin; r < rows.end; ++r) {
      Block<T> row = whole_.At(r, 0);
      for (int64_t c = 0; c < n; ++c) {
        const bool inside = c <= r;
        const T re = !inside ? T(0) : fails ? last : row.re[c];
        T* to = PartAt(job_.Matrix(kResult), kComplex, args_.upper ? c * n + r : r * n + c, 0);
        to[0] = re;
        if (kComplex) to[1] = !inside ? T(0) : fails ? last : args_.upper ? -row.im[c] : row.im[c];
      }
    }
  }

 private:
  Block<T> Panel() const { return job_.BlockAt(args_.panel, kMaxBlock, args_.padded_n); }
  Block<T> Minus() const { return job_.BlockAt(args_.minus, kMaxBlock, args_.padded_n); }

  const Job<T, kComplex>& job_;
  const LinalgArgs& args_;
  const Block<T> whole_;
};

}  // namespace treadle::kernels::linalg::TREADLE_ISA

#endif  // TREADLE_KERNELS_LINALG_CHOLESKY_H_

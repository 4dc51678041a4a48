// LU with partial pivoting, block by block of columns: the block by itself, then what its rows and columns take from
// the rest of the matrix. Compiled once per ISA level.
#ifndef TREADLE_KERNELS_LINALG_LU_H_
#define TREADLE_KERNELS_LINALG_LU_H_

#include "kernels/linalg/job.h"

namespace treadle::kernels::linalg::TREADLE_ISA {

template <typename T, bool kComplex>
class Lu {
 public:
  static constexpr int kResult = 1;

  explicit Lu(const Job<T, kComplex>& job)
      : job_(job),
        args_(job.args),
        whole_(job.Whole(kResult)),
        pivots_(static_cast<int32_t*>(job.frame->buffers[2]) + job.number * Min(args_.m, args_.n)),
        permutation_(static_cast<int32_t*>(job.frame->buffers[3]) + job.number * args_.m) {}

  // The block's columns, turned, so that all walks are along rows. Each column gets what those before it take from it,
  // then its pivot.
  void Panel() {
    const int64_t begin = args_.begin, count = args_.end - begin, rows = args_.m - begin;
    const Block<T> p = job_.BlockAt(args_.panel, kMaxBlock, args_.padded_m);
    TransposeBlock<T>(whole_.At(begin, begin), rows, count, p, false);
    for (int64_t j = 0; j < count; ++j) {
      for (int64_t i = 0; i < j; ++i) {
        const Block<T> at = p.At(j, i);
        SubtractRow<T>(p.At(j, i + 1), Whole(rows - i - 1), at.re[0], kComplex ? at.im[0] : T(0), p.At(i, i + 1));
      }
      const int64_t pivot = Largest(p.At(j, 0), j, rows);
      pivots_[begin + j] = static_cast<int32_t>(begin + pivot);
      if (pivot != j) {
        for (int64_t c = 0; c < count; ++c) {
          std::swap(p.At(c, j).re[0], p.At(c, pivot).re[0]);
          if (kComplex) std::swap(p.At(c, j).im[0], p.At(c, pivot).im[0]);
        }
      }
      const Block<T> at = p.At(j, j);
      const T re = at.re[0], im = kComplex ? at.im[0] : T(0);
      if (re != 0 || im != 0) DivideRow<T>(p.At(j, j + 1), Whole(rows - j - 1), re, im);
    }
    TransposeBlock<T>(p, count, rows, whole_.At(begin, begin), false);
  }

  // Columns behind the block, numbered from there: rows change places as in the block, then those of u come from those
  // of a, and the rest loses their products with l. Room: two blocks of kMaxBlock rows.
  void Update(Range columns, T* room) {
    const int64_t begin = args_.begin, end = args_.end, count = end - begin;
    if (columns.begin == 0) Exchange({0, begin});
    if (columns.size() == 0) return;
    const Range there = {end + columns.begin, end + columns.end};
    Exchange(there);
    constexpr int64_t kPair = 2 * kLanes<T>;
    const int64_t ld = (args_.chunk + kPair - 1) / kPair * kPair;
    const int64_t padded = (columns.size() + kPair - 1) / kPair * kPair;
    const Block<T> x = {room, kComplex ? room + kMaxBlock * ld : nullptr, ld};
    T* next = room + Job<T, kComplex>::kParts * kMaxBlock * ld;
    const Block<T> minus = {next, kComplex ? next + kMaxBlock * ld : nullptr, ld};
    const Block<T> above = whole_.At(begin, there.begin);
    CopyBlock(above, count, columns.size(), x);
    SolveLower<T>(ViewOf(whole_.At(begin, begin)), count, true, x, minus, padded);
    CopyBlock(x, count, columns.size(), above);
    if (end < args_.m) {
      AddProduct<T>(whole_.At(end, there.begin), args_.m - end, columns.size(), ViewOf(whole_.At(end, begin)), count,
                    minus, x);
    }
  }

  void Finish(Range rows) {
    StoreRows<T, kComplex>(job_, kResult, rows);
    if (rows.begin > 0) return;
    for (int64_t i = 0; i < args_.m; ++i) permutation_[i] = static_cast<int32_t>(i);
    for (int64_t i = 0; i < Min(args_.m, args_.n); ++i) std::swap(permutation_[i], permutation_[pivots_[i]]);
  }

 private:
  // Rows of the turned block have a vector's room behind them.
  static int64_t Whole(int64_t n) { return (n + kLanes<T> - 1) / kLanes<T> * kLanes<T>; }

  static void CopyBlock(Block<T> from, int64_t rows, int64_t columns, Block<T> to) {
    for (int64_t r = 0; r < rows; ++r) {
      memcpy(to.At(r, 0).re, from.At(r, 0).re, columns * sizeof(T));
      if (kComplex) memcpy(to.At(r, 0).im, from.At(r, 0).im, columns * sizeof(T));
    }
  }

  // The first of the largest numbers in [begin, end); of complex numbers by the sum of the parts' sizes.
  static int64_t Largest(Block<T> row, int64_t begin, int64_t end) {
    int64_t best = begin;
    T most = -1;
    for (int64_t i = begin; i < end; ++i) {
      T size = std::abs(row.re[i]);
      if (kComplex) size += std::abs(row.im[i]);
      if (size > most) {
        most = size;
        best = i;
      }
    }
    return best;
  }

  void Exchange(Range columns) {
    for (int64_t i = args_.begin; i < args_.end; ++i) {
      if (pivots_[i] == i) continue;
      const Block<T> a = whole_.At(i, columns.begin), b = whole_.At(pivots_[i], columns.begin);
      for (int64_t c = 0; c < columns.size(); ++c) std::swap(a.re[c], b.re[c]);
      for (int64_t c = 0; kComplex && c < columns.size(); ++c) std::swap(a.im[c], b.im[c]);
    }
  }

  const Job<T, kComplex>& job_;
  const LinalgArgs& args_;
  const Block<T> whole_;
  int32_t* pivots_;
  int32_t* permutation_;
};

}  // namespace treadle::kernels::linalg::TREADLE_ISA

#endif  // TREADLE_KERNELS_LINALG_LU_H_

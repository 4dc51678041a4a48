// Blocks of matrices as planes of parts, products of them and solutions of triangular systems. Compiled once per ISA
// level.
#ifndef TREADLE_KERNELS_LINALG_PLANES_H_
#define TREADLE_KERNELS_LINALG_PLANES_H_

#include <cmath>

#include "kernels/dense/micro.h"

namespace treadle::kernels::linalg::TREADLE_ISA {

using namespace kernels::dense::TREADLE_ISA;  // vectors and register tiles

TREADLE_INLINE int64_t Min(int64_t a, int64_t b) { return a < b ? a : b; }

// Rows of `ld` elements. Real matrices have no `im`.
template <typename T>
struct Block {
  T* re;
  T* im;
  int64_t ld;

  Block At(int64_t row, int64_t column) const {
    const int64_t at = row * ld + column;
    return {re + at, im ? im + at : nullptr, ld};
  }
};

// Elements at any strides, perhaps the conjugates.
template <typename T>
struct View {
  const T* re;
  const T* im;
  int64_t rows, columns;  // strides
  bool conjugate = false;

  View At(int64_t row, int64_t column) const {
    View at = *this;
    at.re += row * rows + column * columns;
    if (im) at.im += row * rows + column * columns;
    return at;
  }
  T Re(int64_t row, int64_t column) const { return re[row * rows + column * columns]; }
  T Im(int64_t row, int64_t column) const {
    const T part = im[row * rows + column * columns];
    return conjugate ? -part : part;
  }
};

template <typename T>
View<T> ViewOf(Block<T> block) {
  return {block.re, block.im, block.ld, 1};
}
template <typename T>
View<T> Transposed(View<T> view, bool conjugate) {
  return {view.re, view.im, view.columns, view.rows, view.conjugate != conjugate};
}

// c[r][j] = (c[r][j] or 0) + sum over i < depth of a[r][i] * b[i][j], one part of complex numbers.
template <typename T>
void AddProduct(T* c, int64_t ldc, int64_t rows, int64_t columns, const T* a, int64_t rs, int64_t cs, int64_t depth,
                const T* b, int64_t ldb, bool accumulate) {
  using K = Plain<T>;
  constexpr int64_t w = kLanes<T>;
  const int64_t tiles = (rows + kTileRows<K> - 1) / kTileRows<K>;
  Tile<K> tile = {};
  tile.rs = rs;
  tile.cs = cs;
  tile.ldb = ldb;
  tile.kc = depth;
  tile.ldc = ldc;
  tile.accumulate = accumulate;
  for (int64_t j = 0; j < columns; j += 2 * w) {
    const int64_t left = columns - j;
    const TileShape shape = left >= 2 * w ? kTwoFull : left > w ? kTwoMasked : kOneMasked;
    tile.lanes = left > w ? left - w : left;
    tile.b = b + j;
    tile.ahead = reinterpret_cast<const char*>(tile.b);
    int64_t row = 0;
    for (int64_t t = 0; t < tiles; ++t) {
      const int64_t count = rows / tiles + (t < rows % tiles ? 1 : 0);
      tile.a = a + row * rs;
      tile.c = c + row * ldc + j;
      kTiles<K>.of[count - 1][shape](tile);
      row += count;
    }
  }
}

// c += a * b for rows x columns of c and `depth` columns of a; `minus` is -b, of which complex numbers need both. With
// c = 0 before where not `accumulate`.
template <typename T>
void AddProduct(Block<T> c, int64_t rows, int64_t columns, View<T> a, int64_t depth, Block<T> b, Block<T> minus,
                bool accumulate = true) {
  const auto add = [&](T* to, const T* part, const T* factor, bool first) {
    AddProduct<T>(to, c.ld, rows, columns, part, a.rows, a.columns, depth, factor, b.ld, accumulate || !first);
  };
  add(c.re, a.re, b.re, true);
  if (!c.im) return;
  add(c.re, a.im, a.conjugate ? b.im : minus.im, false);
  add(c.im, a.re, b.im, true);
  add(c.im, a.im, a.conjugate ? minus.re : b.re, false);
}

// One row of `columns` (whole vectors) minus a number times another.
template <typename T>
TREADLE_INLINE void SubtractRow(Block<T> row, int64_t columns, T re, T im, Block<T> other) {
  constexpr int64_t w = kLanes<T>;
  const Vec<T> a = Vec<T>(-re);
  if (!row.im) {
    for (int64_t v = 0; v < columns; v += w) {
      Store<T>(row.re + v, MulAdd<T>(a, Load<T>(other.re + v), Load<T>(row.re + v)));
    }
    return;
  }
  const Vec<T> b = Vec<T>(im);
  for (int64_t v = 0; v < columns; v += w) {
    const Vec<T> x = Load<T>(other.re + v), y = Load<T>(other.im + v);
    Store<T>(row.re + v, MulAdd<T>(b, y, MulAdd<T>(a, x, Load<T>(row.re + v))));
    Store<T>(row.im + v, MulAdd<T>(-b, x, MulAdd<T>(a, y, Load<T>(row.im + v))));
  }
}

template <typename T>
struct Complex {
  T re, im;
};

// 1 / (re + i im), without overflow on the way.
template <typename T>
Complex<T> Inverse(T re, T im) {
  if (std::abs(re) >= std::abs(im)) {
    const T ratio = im / re, scale = re + im * ratio;
    return {1 / scale, -ratio / scale};
  }
  const T ratio = re / im, scale = re * ratio + im;
  return {ratio / scale, -1 / scale};
}

// A row divided by a number.
template <typename T>
TREADLE_INLINE void DivideRow(Block<T> row, int64_t columns, T re, T im) {
  constexpr int64_t w = kLanes<T>;
  if (!row.im) {
    for (int64_t v = 0; v < columns; v += w) Store<T>(row.re + v, Load<T>(row.re + v) / Vec<T>(re));
    return;
  }
  const Complex<T> inverse = Inverse(re, im);
  const Vec<T> c = Vec<T>(inverse.re), d = Vec<T>(inverse.im);
  for (int64_t v = 0; v < columns; v += w) {
    const Vec<T> x = Load<T>(row.re + v), y = Load<T>(row.im + v);
    Store<T>(row.re + v, MulAdd<T>(c, x, -(d * y)));
    Store<T>(row.im + v, MulAdd<T>(c, y, d * x));
  }
}

template <typename T>
void NegateRow(Block<T> from, int64_t columns, Block<T> to) {
  for (int64_t v = 0; v < columns; v += kLanes<T>) {
    Store<T>(to.re + v, -Load<T>(from.re + v));
    if (from.im) Store<T>(to.im + v, -Load<T>(from.im + v));
  }
}

// x <- a^-1 x for a lower triangular a of n rows and `columns` (whole pairs of vectors) columns of x. `minus`, as large
// as x, becomes -x.
template <typename T>
void SolveLower(View<T> a, int64_t n, bool unit, Block<T> x, Block<T> minus, int64_t columns) {
  constexpr int64_t kStep = 2 * kTileRows<Plain<T>>;
  for (int64_t begin = 0; begin < n; begin += kStep) {
    const int64_t end = Min(begin + kStep, n);
    if (begin > 0) AddProduct<T>(x.At(begin, 0), end - begin, columns, a.At(begin, 0), begin, minus, x);
    for (int64_t j = begin; j < end; ++j) {
      for (int64_t i = begin; i < j; ++i) {
        SubtractRow<T>(x.At(j, 0), columns, a.Re(j, i), x.im ? a.Im(j, i) : T(0), x.At(i, 0));
      }
      if (!unit) DivideRow<T>(x.At(j, 0), columns, a.Re(j, j), x.im ? a.Im(j, j) : T(0));
      NegateRow<T>(x.At(j, 0), columns, minus.At(j, 0));
    }
  }
}

// Elements in memory, complex numbers as pairs: part `im` of number i.
template <typename T>
TREADLE_INLINE T* PartAt(T* from, bool complex, int64_t i, int im) {
  return complex ? from + 2 * i + im : from + i;
}

// rows x columns of a matrix in memory, `stride` numbers a row, to planes and back.
template <typename T>
void LoadBlock(const T* from, bool complex, int64_t stride, int64_t rows, int64_t columns, Block<T> to) {
  for (int64_t r = 0; r < rows; ++r) {
    const T* row = PartAt(from, complex, r * stride, 0);
    T* re = to.re + r * to.ld;
    if (!complex) {
      memcpy(re, row, columns * sizeof(T));
      continue;
    }
    T* im = to.im + r * to.ld;
    for (int64_t c = 0; c < columns; ++c) {
      re[c] = row[2 * c];
      im[c] = row[2 * c + 1];
    }
  }
}

template <typename T>
void StoreBlock(Block<T> from, int64_t rows, int64_t columns, T* to, bool complex, int64_t stride) {
  for (int64_t r = 0; r < rows; ++r) {
    T* row = PartAt(to, complex, r * stride, 0);
    const T* re = from.re + r * from.ld;
    if (!complex) {
      memcpy(row, re, columns * sizeof(T));
      continue;
    }
    const T* im = from.im + r * from.ld;
    for (int64_t c = 0; c < columns; ++c) {
      row[2 * c] = re[c];
      row[2 * c + 1] = im[c];
    }
  }
}

// to[c][r] = from[r][c], a square of vectors at a time.
template <typename T>
void TransposePlane(const T* from, int64_t from_ld, int64_t rows, int64_t columns, T* to, int64_t to_ld) {
  constexpr int64_t w = kLanes<T>;
  int64_t r = 0;
  for (; r + w <= rows; r += w) {
    int64_t c = 0;
    for (; c + w <= columns; c += w) {
      Vec<T> square[w];
#pragma clang loop unroll(full)
      for (int i = 0; i < w; ++i) square[i] = Load<T>(from + (r + i) * from_ld + c);
      Transpose<T>(square);
#pragma clang loop unroll(full)
      for (int i = 0; i < w; ++i) Store<T>(to + (c + i) * to_ld + r, square[i]);
    }
    for (; c < columns; ++c) {
      for (int64_t i = r; i < r + w; ++i) to[c * to_ld + i] = from[i * from_ld + c];
    }
  }
  for (; r < rows; ++r) {
    for (int64_t c = 0; c < columns; ++c) to[c * to_ld + r] = from[r * from_ld + c];
  }
}

template <typename T>
void TransposeBlock(Block<T> from, int64_t rows, int64_t columns, Block<T> to, bool conjugate) {
  TransposePlane<T>(from.re, from.ld, rows, columns, to.re, to.ld);
  if (!from.im) return;
  TransposePlane<T>(from.im, from.ld, rows, columns, to.im, to.ld);
  if (!conjugate) return;
  for (int64_t c = 0; c < columns; ++c) {
    for (int64_t r = 0; r < rows; ++r) to.im[c * to.ld + r] = -to.im[c * to.ld + r];
  }
}

}  // namespace treadle::kernels::linalg::TREADLE_ISA

#endif  // TREADLE_KERNELS_LINALG_PLANES_H_

// fft, cholesky and triangular_solve, as their definitions say: sums with 64 bits of mantissa, rounded at the end.
#include <cmath>
#include <numbers>

#include "stablehlo/dialect/ops.h"
#include "stablehlo/interpreter/evaluate.h"

namespace treadle::interpreter {

namespace {

using stablehlo::FftType;
using Numbers = std::vector<ComplexExtended>;

// ---- fft.

// The transform of one row by its definition. Not scaled.
Numbers Transform(const Numbers& row, bool inverse) {
  const size_t n = row.size();
  Numbers roots;
  for (size_t i = 0; i < n; ++i) {
    const Extended angle =
        (inverse ? 2 : -2) * std::numbers::pi_v<Extended> * static_cast<Extended>(i) / static_cast<Extended>(n);
    roots.push_back(std::polar(Extended{1}, angle));
  }
  Numbers result(n);
  for (size_t k = 0; k < n; ++k) {
    for (size_t i = 0; i < n; ++i) {
      const ComplexExtended& root = roots[i * k % n];
      result[k] += ComplexExtended(row[i].real() * root.real() - row[i].imag() * root.imag(),
                                   row[i].real() * root.imag() + row[i].imag() * root.real());
    }
  }
  return result;
}

// Transforms `data` of that shape along a dimension.
void TransformAlong(Numbers& data, const Index& shape, int64_t along, bool inverse) {
  Index rows = shape;
  rows[along] = 1;
  int64_t stride = 1;
  for (size_t i = along + 1; i < shape.size(); ++i) stride *= shape[i];
  ForEachIndex(rows, [&](const Index& row) {
    int64_t first = 0;
    for (size_t i = 0; i < shape.size(); ++i) first = first * shape[i] + row[i];
    Numbers values(shape[along]);
    for (int64_t i = 0; i < shape[along]; ++i) values[i] = data[first + i * stride];
    values = Transform(values, inverse);
    for (int64_t i = 0; i < shape[along]; ++i) data[first + i * stride] = values[i];
  });
}

// What half a spectrum says of the other half: x[-i] = conj(x[i]), in all transformed dimensions.
Numbers WholeSpectrum(const Tensor& half, const Index& whole, int64_t first) {
  Numbers data;
  ForEachIndex(whole, [&](const Index& index) {
    Index from = index;
    const bool mirrored = index.back() >= half.dim(half.rank() - 1);
    if (mirrored) {
      for (size_t i = first; i < index.size(); ++i) from[i] = (whole[i] - index[i]) % whole[i];
    }
    const ComplexExtended value = half.Get(from).complex();
    data.push_back(mirrored ? std::conj(value) : value);
  });
  return data;
}

StatusOr<Tensor> EvaluateFft(stablehlo::FftOp op, Frame& frame) {
  const Tensor& x = frame.tensor(0);
  TREADLE_ASSIGN_OR_RETURN(Tensor result, frame.Result());
  const bool inverse = op.getFftType() == FftType::IFFT || op.getFftType() == FftType::IRFFT;
  const auto count = static_cast<int64_t>(op.getFftLength().size());
  const int64_t first = x.rank() - count;
  Index shape(x.shape());
  if (op.getFftType() == FftType::IRFFT) shape.back() = op.getFftLength().back();
  if (result.size() == 0) return result;
  Numbers data;
  if (op.getFftType() == FftType::IRFFT) {
    data = WholeSpectrum(x, shape, first);
  } else {
    for (int64_t i = 0; i < x.size(); ++i) data.push_back(x.Get(i).complex());
  }
  Extended scale = 1;
  for (int64_t dim = first; dim < x.rank(); ++dim) {
    TransformAlong(data, shape, dim, inverse);
    if (inverse) scale /= static_cast<Extended>(shape[dim]);
  }
  int64_t place = 0;
  ForEachIndex(shape, [&](const Index& index) {
    const ComplexExtended value = data[place++] * scale;
    if (!InBounds(index, result.shape())) return;  // RFFT keeps half
    result.Set(index, IsComplex(result.element_type()) ? ComplexElement(value, result.element_type())
                                                       : FloatElement(value.real(), result.element_type()));
  });
  return result;
}

// ---- Matrices: the last two dimensions.

// A matrix of a tensor, as complex numbers.
class Matrix {
 public:
  Matrix(const Tensor& tensor, int64_t number)
      : rows_(tensor.dim(tensor.rank() - 2)), columns_(tensor.dim(tensor.rank() - 1)) {
    for (int64_t i = 0; i < rows_ * columns_; ++i) data_.push_back(tensor.Get(number * rows_ * columns_ + i).complex());
  }

  int64_t rows() const { return rows_; }
  int64_t columns() const { return columns_; }
  ComplexExtended& operator()(int64_t row, int64_t column) { return data_[row * columns_ + column]; }
  ComplexExtended operator()(int64_t row, int64_t column) const { return data_[row * columns_ + column]; }

  void Store(Tensor& tensor, int64_t number) const {
    const ElementType type = tensor.element_type();
    for (int64_t i = 0; i < rows_ * columns_; ++i) {
      tensor.Set(number * rows_ * columns_ + i,
                 IsComplex(type) ? ComplexElement(data_[i], type) : FloatElement(data_[i].real(), type));
    }
  }

 private:
  int64_t rows_;
  int64_t columns_;
  Numbers data_;
};

int64_t MatricesOf(const Tensor& tensor) {
  int64_t count = 1;
  for (int64_t i = 0; i + 2 < tensor.rank(); ++i) count *= tensor.dim(i);
  return count;
}

// lower: A = L L^H from A's lower half; else A = U^H U from its upper half. The other half of the result is zero. NaN
// where A is not positive definite.
void Cholesky(Matrix& a, bool lower) {
  const int64_t n = a.rows();
  Matrix factor = a;
  auto input = [&](int64_t row, int64_t column) { return lower ? a(row, column) : std::conj(a(column, row)); };
  auto l = [&](int64_t row, int64_t column) -> ComplexExtended& {
    return lower ? factor(row, column) : factor(column, row);  // of U its conjugate
  };
  for (int64_t column = 0; column < n; ++column) {
    for (int64_t row = 0; row < column; ++row) l(row, column) = 0;
    for (int64_t row = column; row < n; ++row) {
      ComplexExtended sum = input(row, column);
      for (int64_t k = 0; k < column; ++k) sum -= l(row, k) * std::conj(l(column, k));
      if (row == column) {
        l(row, column) = sum.real() > 0 ? std::sqrt(sum.real()) : std::nanl("");
      } else {
        l(row, column) = sum / l(column, column);
      }
    }
  }
  for (int64_t row = 0; row < n && !lower; ++row) {
    for (int64_t column = 0; column < n; ++column) factor(row, column) = std::conj(factor(row, column));
  }
  a = factor;
}

StatusOr<Tensor> EvaluateCholesky(stablehlo::CholeskyOp op, Frame& frame) {
  const Tensor& x = frame.tensor(0);
  TREADLE_ASSIGN_OR_RETURN(Tensor result, frame.Result(0, x.shape()));
  if (x.size() == 0) return result;
  for (int64_t i = 0; i < MatricesOf(x); ++i) {
    Matrix matrix(x, i);
    Cholesky(matrix, op.getLower());
    matrix.Store(result, i);
  }
  return result;
}

// ---- triangular_solve: x with op(a) x = b, or x op(a) = b, by substitution.

// Reads a triangular matrix as the attributes say.
struct Triangle {
  const Matrix& a;
  bool unit_diagonal;
  stablehlo::Transpose transpose;

  ComplexExtended operator()(int64_t row, int64_t column) const {
    if (row == column && unit_diagonal) return 1;
    if (transpose == stablehlo::Transpose::NO_TRANSPOSE) return a(row, column);
    return transpose == stablehlo::Transpose::ADJOINT ? std::conj(a(column, row)) : a(column, row);
  }
};

// One unknown vector: sum over k of t(i, k) x[k] = b[i]; `at` gives the place of x[i].
template <typename At>
void Substitute(const Triangle& t, int64_t n, bool lower, At at) {
  for (int64_t step = 0; step < n; ++step) {
    const int64_t i = lower ? step : n - 1 - step;
    ComplexExtended sum = at(i);
    for (int64_t known = 0; known < step; ++known) {
      const int64_t k = lower ? known : n - 1 - known;
      sum -= t(i, k) * at(k);
    }
    at(i) = t.unit_diagonal ? sum : sum / t(i, i);
  }
}

StatusOr<Tensor> EvaluateTriangularSolve(stablehlo::TriangularSolveOp op, Frame& frame) {
  const Tensor& b = frame.tensor(1);
  TREADLE_ASSIGN_OR_RETURN(Tensor result, frame.Result(0, b.shape()));
  if (b.size() == 0) return result;
  const bool transposed = op.getTransposeA() != stablehlo::Transpose::NO_TRANSPOSE;
  for (int64_t i = 0; i < MatricesOf(b); ++i) {
    const Matrix a(frame.tensor(0), i);
    Matrix x(b, i);
    const Triangle t = {a, op.getUnitDiagonal(), op.getTransposeA()};
    const bool lower = op.getLower() != transposed;
    if (op.getLeftSide()) {
      for (int64_t column = 0; column < x.columns(); ++column) {
        Substitute(t, a.rows(), lower, [&](int64_t row) -> ComplexExtended& { return x(row, column); });
      }
    } else {
      // x op(a) = b row by row: the transpose of op(a), whose triangle is the other one.
      Matrix mirror = a;
      for (int64_t row = 0; row < a.rows(); ++row) {
        for (int64_t column = 0; column < a.rows(); ++column) mirror(row, column) = t(column, row);
      }
      const Triangle other = {mirror, op.getUnitDiagonal(), stablehlo::Transpose::NO_TRANSPOSE};
      for (int64_t row = 0; row < x.rows(); ++row) {
        Substitute(other, a.rows(), !lower, [&](int64_t column) -> ComplexExtended& { return x(row, column); });
      }
    }
    x.Store(result, i);
  }
  return result;
}

}  // namespace

void AddLinearAlgebra(Evaluators& evaluators) {
  evaluators.Add(&EvaluateFft);
  evaluators.Add(&EvaluateCholesky);
  evaluators.Add(&EvaluateTriangularSolve);
}

}  // namespace treadle::interpreter

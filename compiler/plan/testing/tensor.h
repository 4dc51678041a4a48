// Tensors of the naive evaluator.
#ifndef TREADLE_COMPILER_PLAN_TESTING_TENSOR_H_
#define TREADLE_COMPILER_PLAN_TESTING_TENSOR_H_

#include <cstdint>
#include <string>

#include "base/shape.h"

namespace treadle::plan::testing {

struct Tensor {
  Shape shape;
  std::string bytes;  // row-major, memory format

  static Tensor Zeros(Shape shape);
  // The element as a double or, for integers and i1, as a wide integer (unsigned ones wrap into it).
  double Float(int64_t number) const;
  int64_t Integer(int64_t number) const;
  void SetFloat(int64_t number, double value);  // rounds to nearest even
  void SetInteger(int64_t number, int64_t value);
};

// Element i of `to` becomes element j of `from`, which is of the same type.
void Copy(Tensor& to, int64_t i, const Tensor& from, int64_t j);

// Nearest even with so many mantissa bits, down to the smallest subnormal of `lowest` exponent.
double RoundTo(double value, int mantissa, int lowest, double overflow);

}  // namespace treadle::plan::testing

#endif  // TREADLE_COMPILER_PLAN_TESTING_TENSOR_H_

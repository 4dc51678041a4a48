// Arithmetic and functions of complex numbers as real operations on their two parts.
//
// Errors are measured against the length of the result: a few units in its last place, unless a function says
// otherwise. Intermediate results overflow only where the result does. Where parts are infinite or not a number,
// results are those of C (Annex G) as far as they are cheap; where a result is not a number, which of its parts are is
// left open.
#ifndef TREADLE_COMPILER_OPTIMIZE_COMPLEX_MATH_H_
#define TREADLE_COMPILER_OPTIMIZE_COMPLEX_MATH_H_

#include <optional>
#include <vector>

#include "compiler/optimize/formula.h"

namespace treadle::compiler {

struct Complex {
  graph::ValueId re = -1, im = -1;
};

// complex_arithmetic.cc
graph::ValueId ComplexAbs(Formula& f, Complex z);
Complex ComplexSign(Formula& f, Complex z);  // z / |z|; zeros stay
Complex ComplexMultiply(Formula& f, Complex z, Complex w);
Complex ComplexDivide(Formula& f, Complex z, Complex w);
Complex ComplexSqrt(Formula& f, Complex z);
Complex ComplexRsqrt(Formula& f, Complex z);
// Equal where both parts are; ordered by the real parts first.
graph::ValueId ComplexCompare(Formula& f, graph::Direction direction, Complex z, Complex w);
Complex ComplexSelect(Formula& f, graph::ValueId pred, Complex z, Complex w);

// complex_functions.cc
Complex ComplexExp(Formula& f, Complex z);
Complex ComplexExpm1(Formula& f, Complex z);
Complex ComplexLog(Formula& f, Complex z);
Complex ComplexLog1p(Formula& f, Complex z);
Complex ComplexSin(Formula& f, Complex z);
Complex ComplexCos(Formula& f, Complex z);
Complex ComplexTan(Formula& f, Complex z);
Complex ComplexTanh(Formula& f, Complex z);
Complex ComplexLogistic(Formula& f, Complex z);
Complex ComplexCbrt(Formula& f, Complex z);              // the root nearest the positive axis
Complex ComplexPower(Formula& f, Complex z, Complex w);  // its error grows with |w log z|

// The elementwise operation `code` with a complex result, of complex operands: one of those above. Nothing where there
// is no such operation on complex numbers.
std::optional<Complex> ComplexElementwise(Formula& f, graph::OpCode code, const std::vector<Complex>& operands);

}  // namespace treadle::compiler

#endif  // TREADLE_COMPILER_OPTIMIZE_COMPLEX_MATH_H_

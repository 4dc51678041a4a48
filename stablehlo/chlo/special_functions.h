// CHLO's functions of real numbers whose formulas need the digits of f64. Operands are tensors of f64 of the builder's
// type; results are good to a few units of f64 where the function is well conditioned, so f32 is rounded once.
#ifndef TREADLE_STABLEHLO_CHLO_SPECIAL_FUNCTIONS_H_
#define TREADLE_STABLEHLO_CHLO_SPECIAL_FUNCTIONS_H_

#include "stablehlo/chlo/math_builder.h"

namespace treadle::chlo {

// exp(-|x|) I_1(x).
mlir::Value BesselI1e(MathBuilder& m, mlir::Value x);

// Hurwitz' zeta function: the sum of (q + i)^-x. NaN for x < 1, and for negative q unless x is a whole number; infinite
// for x = 1 and where q is 0 or a negative whole number.
mlir::Value Zeta(MathBuilder& m, mlir::Value x, mlir::Value q);

// Derivative n of digamma; NaN for n that are no whole numbers >= 0.
mlir::Value Polygamma(MathBuilder& m, mlir::Value n, mlir::Value x);

}  // namespace treadle::chlo

#endif  // TREADLE_STABLEHLO_CHLO_SPECIAL_FUNCTIONS_H_

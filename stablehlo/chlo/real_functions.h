// CHLO's functions of real numbers as StableHLO formulas. Operands are tensors of f32 or f64 of the builder's type.
#ifndef TREADLE_STABLEHLO_CHLO_REAL_FUNCTIONS_H_
#define TREADLE_STABLEHLO_CHLO_REAL_FUNCTIONS_H_

#include "stablehlo/chlo/math_builder.h"

namespace treadle::chlo {

mlir::Value Acos(MathBuilder& m, mlir::Value x);
mlir::Value Acosh(MathBuilder& m, mlir::Value x);
mlir::Value Asin(MathBuilder& m, mlir::Value x);
mlir::Value Asinh(MathBuilder& m, mlir::Value x);
mlir::Value Atan(MathBuilder& m, mlir::Value x);
mlir::Value Atanh(MathBuilder& m, mlir::Value x);
mlir::Value Cosh(MathBuilder& m, mlir::Value x);
mlir::Value Digamma(MathBuilder& m, mlir::Value x);
mlir::Value Erf(MathBuilder& m, mlir::Value x);
mlir::Value Erfc(MathBuilder& m, mlir::Value x);
mlir::Value ErfInv(MathBuilder& m, mlir::Value x);
mlir::Value Lgamma(MathBuilder& m, mlir::Value x);
mlir::Value Sinh(MathBuilder& m, mlir::Value x);
// Of f32 as XLA defines it, e^(x + log(1/2)) - e^(-x + log(1/2)) from 1 on, every step rounded: up to 32 units in the
// last place off where x is large, but what programs were tested with. Of f64 as above.
mlir::Value SinhBySteps(MathBuilder& m, mlir::Value x);

// The next representable value from x towards y; any float type with 8, 16, 32 or 64 bits and IEEE's order of bits.
mlir::Value NextAfter(MathBuilder& m, mlir::Value x, mlir::Value y);

}  // namespace treadle::chlo

#endif  // TREADLE_STABLEHLO_CHLO_REAL_FUNCTIONS_H_

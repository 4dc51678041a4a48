// Floats of up to 8 bits as formulas on f32, which holds them all.
#ifndef TREADLE_STABLEHLO_NARROW_FLOATS_H_
#define TREADLE_STABLEHLO_NARROW_FLOATS_H_

#include "stablehlo/chlo/math_builder.h"

namespace treadle::stablehlo {

// A float type of 4 to 8 bits.
bool IsNarrowFloat(mlir::Type element);

// `x` (f32 or f64, as the builder's type) rounded to the nearest number of `element`, ties to even (f8E8M0FNU: up).
mlir::Value RoundNarrow(chlo::MathBuilder& m, mlir::Value x, mlir::FloatType element);

// Bits (ui8) of numbers that `element` has (f32), and back. The builder's type is that of the numbers.
mlir::Value NarrowBits(chlo::MathBuilder& m, mlir::Value x, mlir::FloatType element);
mlir::Value FromNarrowBits(chlo::MathBuilder& m, mlir::Value bits, mlir::FloatType element);

}  // namespace treadle::stablehlo

#endif  // TREADLE_STABLEHLO_NARROW_FLOATS_H_

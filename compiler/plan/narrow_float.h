// Floating-point types of 16 bits and less: their values as floats, exactly, and floats rounded to them (to nearest,
// ties to even). What has no infinity overflows to NaN; what has no NaN either saturates, and NaN becomes -0.
#ifndef TREADLE_COMPILER_PLAN_NARROW_FLOAT_H_
#define TREADLE_COMPILER_PLAN_NARROW_FLOAT_H_

#include <cstdint>

#include "base/element_type.h"

namespace treadle::plan {

// Sign, exponent and mantissa of a type.
struct FloatFormat {
  enum Special : uint8_t {
    kIeee,    // infinities and NaNs in the largest exponent
    kNan,     // one NaN, all ones; no infinity
    kFinite,  // neither
    kFnuz,    // one NaN, in the place of -0
    kScale,   // a power of two: no sign, no mantissa, no zero; all ones is NaN
  };
  int exponent_bits, mantissa_bits, bias;
  Special special;
};

// REQUIRES: IsFloat(type).
FloatFormat FormatOf(ElementType type);

float NarrowToFloat(ElementType type, uint64_t bits);
uint64_t FloatToNarrow(ElementType type, float value);

}  // namespace treadle::plan

#endif  // TREADLE_COMPILER_PLAN_NARROW_FLOAT_H_

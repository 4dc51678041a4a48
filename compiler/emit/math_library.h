// The mathematical functions as object code that is made once, when Treadle is built, for each ISA level: kernels call
// them instead of having them compiled again. Part of kernels/builtin_code.h.
#ifndef TREADLE_COMPILER_EMIT_MATH_LIBRARY_H_
#define TREADLE_COMPILER_EMIT_MATH_LIBRARY_H_

#include <string>
#include <vector>

#include "base/status.h"
#include "compiler/plan/plan.h"
#include "executable/target.h"

namespace treadle::emit {

// "treadle_math_v3_exp_f32x8". `lanes` 0: a scalar.
std::string MathSymbol(plan::Op op, int bits, int lanes, const executable::Target& target);

// Whether the library has functions of this shape: scalars, and vectors as wide as the level's registers. None that
// keep subnormal numbers.
bool InMathLibrary(int bits, int lanes, const executable::Target& target);

struct MathLibrary {
  std::string object;                // relocatable ELF, position-independent, refers to nothing outside
  std::vector<std::string> symbols;  // all that it defines for others
};
StatusOr<MathLibrary> EmitMathLibrary(executable::IsaLevel isa);

}  // namespace treadle::emit

#endif  // TREADLE_COMPILER_EMIT_MATH_LIBRARY_H_

// The mathematical functions that emitted code calls, compiled by our own emitter when Treadle is built
// (compiler/emit/math_library.h says their names and shapes). A library of its own, treadle_math_library: the emitter,
// which makes it, cannot depend on it.
#ifndef TREADLE_KERNELS_MATH_LIBRARY_H_
#define TREADLE_KERNELS_MATH_LIBRARY_H_

#include <cstddef>
#include <span>
#include <string_view>

namespace treadle {

struct MathFunction {
  std::string_view symbol;
  void* address;
};

// All of them, for every ISA level, sorted by symbol.
std::span<const MathFunction> MathFunctions();

// The address of a function, or null. Thread-safe; a binary search.
void* FindMathFunction(std::string_view symbol);

// The table that the build writes.
extern const MathFunction kMathFunctions[];
extern const size_t kNumMathFunctions;

}  // namespace treadle

#endif  // TREADLE_KERNELS_MATH_LIBRARY_H_

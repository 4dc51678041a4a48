#include "kernels/math_library.h"

#include <algorithm>

namespace treadle {

std::span<const MathFunction> MathFunctions() { return {kMathFunctions, kNumMathFunctions}; }

void* FindMathFunction(std::string_view symbol) {
  const std::span<const MathFunction> all = MathFunctions();
  const auto found = std::ranges::lower_bound(all, symbol, {}, &MathFunction::symbol);
  return found != all.end() && found->symbol == symbol ? found->address : nullptr;
}

}  // namespace treadle

#include "kernels/builtin_code.h"

#include <algorithm>
#include <cstddef>

// Defined by the table that the build writes.
extern "C" {
extern const treadle::BuiltinCode treadle_builtin_code[] __attribute__((weak));
extern const size_t treadle_builtin_code_size __attribute__((weak));
}

namespace treadle {

std::span<const BuiltinCode> AllBuiltinCode() {
  if (&treadle_builtin_code_size == nullptr) return {};
  return {treadle_builtin_code, treadle_builtin_code_size};
}

void* FindBuiltinCode(std::string_view symbol) {
  const std::span<const BuiltinCode> all = AllBuiltinCode();
  const auto found = std::ranges::lower_bound(all, symbol, {}, &BuiltinCode::symbol);
  return found != all.end() && found->symbol == symbol ? found->address : nullptr;
}

}  // namespace treadle

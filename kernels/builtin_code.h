// Code that our own emitter compiled when Treadle was built: the mathematical functions that kernels call
// (compiler/emit/math_library.h) and kernels of common operations (compiler/builtin_programs.h), for each kind of
// machine. Linked in like any other code: to use it costs nothing.
//
// The table comes from the build (compiler/builtin_code_main.cc, library treadle_builtin_code). In the program that
// makes it, and where it is not linked in, it is empty.
#ifndef TREADLE_KERNELS_BUILTIN_CODE_H_
#define TREADLE_KERNELS_BUILTIN_CODE_H_

#include <span>
#include <string_view>

namespace treadle {

struct BuiltinCode {
  std::string_view symbol;
  void* address;
};

// All of it, sorted by symbol.
std::span<const BuiltinCode> AllBuiltinCode();

// The address of a symbol, or null. The symbol of a kernel names the plan, the machine and the version of the compiler,
// so what is found is the same as what would be compiled. Thread-safe; a binary search.
void* FindBuiltinCode(std::string_view symbol);

}  // namespace treadle

#endif  // TREADLE_KERNELS_BUILTIN_CODE_H_

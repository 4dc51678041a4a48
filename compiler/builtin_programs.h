// The programs whose kernels are compiled when Treadle is built (kernels/builtin_code.h): one operation each, in the
// types and forms in which people use it one by one, and the activation functions of networks. Sizes do not matter
// beyond their class: they are no part of the code.
#ifndef TREADLE_COMPILER_BUILTIN_PROGRAMS_H_
#define TREADLE_COMPILER_BUILTIN_PROGRAMS_H_

#include <string>
#include <vector>

namespace treadle::compiler {

// StableHLO texts with a function @main.
std::vector<std::string> BuiltinPrograms();

}  // namespace treadle::compiler

#endif  // TREADLE_COMPILER_BUILTIN_PROGRAMS_H_

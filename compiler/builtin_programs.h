// The programs whose kernels are compiled when Treadle is built (kernels/builtin_code.h): one operation each, in the
// types and forms in which people use it one by one. Sizes do not matter beyond their class, they are not in the code.
#ifndef TREADLE_COMPILER_BUILTIN_PROGRAMS_H_
#define TREADLE_COMPILER_BUILTIN_PROGRAMS_H_

#include <string>
#include <vector>

namespace treadle::compiler {

// StableHLO texts with a function @main.
std::vector<std::string> BuiltinPrograms();

}  // namespace treadle::compiler

#endif  // TREADLE_COMPILER_BUILTIN_PROGRAMS_H_

// Whether an executable is well-formed, so that running it cannot leave the memory that it names.
#ifndef TREADLE_EXECUTABLE_VALIDATE_H_
#define TREADLE_EXECUTABLE_VALIDATE_H_

#include "base/status.h"
#include "executable/executable.h"

namespace treadle::executable {

// INVALID_ARGUMENT, naming the place, unless: all indices and operands are in range; shapes have sizes; values lie
// inside what they live in; donors are donated parameters of the size of their result, each taken once; control flow
// does not contain itself. What kernels do with their operands is not looked at.
Status Validate(const Executable& executable);

}  // namespace treadle::executable

#endif  // TREADLE_EXECUTABLE_VALIDATE_H_

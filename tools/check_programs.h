// treadle run --check: conformance programs, compiled or on the reference interpreter.
#ifndef TREADLE_TOOLS_CHECK_PROGRAMS_H_
#define TREADLE_TOOLS_CHECK_PROGRAMS_H_

#include <string>
#include <vector>

#include "base/status.h"

namespace treadle::tools {

// Runs every program of every file (parts between "// -----"), obeys the expectations that they hold, prints each miss
// and each error to standard error and a line that counts them to standard output; with `json` a line a file:
// {"file": .., "checks": n, "failures": [..]}. `flush_subnormals`: of compiled code. An error where something failed.
Status CheckPrograms(const std::vector<std::string>& files, bool reference, bool json, bool flush_subnormals);

}  // namespace treadle::tools

#endif  // TREADLE_TOOLS_CHECK_PROGRAMS_H_

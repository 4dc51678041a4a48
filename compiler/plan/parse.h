// Reads back what print.h writes.
#ifndef TREADLE_COMPILER_PLAN_PARSE_H_
#define TREADLE_COMPILER_PLAN_PARSE_H_

#include <string_view>

#include "base/status.h"
#include "compiler/plan/plan.h"

namespace treadle::plan {

// The plan is verified. Comments run from '#' at the start of a line. INVALID_ARGUMENT with line and column otherwise.
StatusOr<Plan> Parse(std::string_view text);

}  // namespace treadle::plan

#endif  // TREADLE_COMPILER_PLAN_PARSE_H_

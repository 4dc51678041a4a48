// Whether a plan is well formed: what the emitter and the interpreter take for granted.
//
// Structure: blocks nest, follow their loop directly, begin with their arguments and end with one yield; values are
// defined in front of their uses, in a block around them; numbers of buffers, push constants and accesses exist. Types:
// operands and yields fit. Uniformity: lanes loops do not nest; inside one, the bounds of loops and the conditions of
// kIf and kWhile are the same for all lanes, nothing is moved or called, and values that differ between lanes are not
// stored to one place.
#ifndef TREADLE_COMPILER_PLAN_VERIFY_H_
#define TREADLE_COMPILER_PLAN_VERIFY_H_

#include <vector>

#include "base/status.h"
#include "compiler/plan/plan.h"

namespace treadle::plan {

// INTERNAL: what is wrong, with the number of the node and its operation.
Status Verify(const Plan& plan);

// Per node: whether it differs between the lanes of the lanes loop around it. False outside of such loops.
// REQUIRES: a plan whose structure is right.
std::vector<bool> VaryingNodes(const Plan& plan);

}  // namespace treadle::plan

#endif  // TREADLE_COMPILER_PLAN_VERIFY_H_

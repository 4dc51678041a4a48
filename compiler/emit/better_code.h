// The second tier: good code for kernels that already run as quick code.
#ifndef TREADLE_COMPILER_EMIT_BETTER_CODE_H_
#define TREADLE_COMPILER_EMIT_BETTER_CODE_H_

#include <memory>
#include <vector>

#include "compiler/plan/plan.h"
#include "executable/code_sink.h"
#include "executable/target.h"

namespace treadle::emit {

// Compiles `plans` at the full tier in the background, a few at a time, and gives each object to `sink` as it is made,
// with the symbols of all phases. Lets go of `sink` after the last one. What fails is left out, with a line on standard
// error. Returns at once. Thread-safe.
void CompileBetterCode(std::vector<plan::Plan> plans, const executable::Target& target,
                       std::shared_ptr<executable::CodeSink> sink);

}  // namespace treadle::emit

#endif  // TREADLE_COMPILER_EMIT_BETTER_CODE_H_

// Long blocks cut into parts of bounded size, each of which becomes a function of its own: the code generator's time
// grows with the square of a function's length. Values go from part to part through a state in memory.
#ifndef TREADLE_COMPILER_PLAN_CUT_H_
#define TREADLE_COMPILER_PLAN_CUT_H_

#include <cstdint>
#include <map>
#include <vector>

#include "compiler/plan/plan.h"

namespace treadle::plan {

struct Part {
  Block nodes;                // of the block, in order; loops whole and with their results
  std::vector<Id> constants;  // kConst and kPush nodes in front of `nodes` that it reads: made again
  std::vector<Id> reads;   // other values made in front of it: arguments, values of earlier parts or outside the block
  std::vector<Id> writes;  // its values that later parts or the block's yield read, but for constants
};

struct Cut {
  std::vector<Part> parts;       // empty: the block is short enough as it is
  std::map<Id, uint32_t> slots;  // of everything in reads and writes: where in the state it lies
  uint32_t slot_count = 0;       // values of at most 8 bytes
};

// In machine operations of scalar code, about. The last part may be shorter than `least`.
struct CutLimits {
  int64_t least = 1500;
  int64_t most = 2500;
};

// Cuts a block that stands in no `lanes` loop where it is longer than `limits.most`, at places where few values are
// alive. Parts are no longer than that, but where one loop over lanes is. Loops inside whose own blocks are longer
// count as short: those blocks are cut, too. Deterministic; time linear in the block's length.
Cut CutBlock(const Plan& plan, const Block& block, const CutLimits& limits = {});

}  // namespace treadle::plan

#endif  // TREADLE_COMPILER_PLAN_CUT_H_

// Less work, same values: removes what does nothing, what is done twice, and what loops carry around unchanged.
#ifndef TREADLE_COMPILER_OPTIMIZE_SIMPLIFY_H_
#define TREADLE_COMPILER_OPTIMIZE_SIMPLIFY_H_

#include "compiler/graph/graph.h"

namespace treadle::compiler {

// A graph with the same arguments and results. One walk in program order, linear in the size of the program:
//   - sorts whose results are all cut give no more of each row than the pieces need;
//   - operations that give their operand back (reshape to the same shape, transpose by the identity, x * 1, ...)
//   disappear;
//   - pairs collapse (reshape of reshape, transpose of transpose, negate of negate, convert and back where exact);
//   - products read their operands through transposes;
//   - equal operations in a region are done once;
//   - slices at constant places are static; broadcasts and reshapes of splats are splats;
//   - carries that a loop never changes are values from outside; if and case on a constant are their branch;
//   - what nothing needs is gone.
// Never changes a bit of a result: no identity here is wrong for NaN, infinities or -0. Never makes more data than it
// saves.
graph::Graph Simplify(const graph::Graph& graph);

}  // namespace treadle::compiler

#endif  // TREADLE_COMPILER_OPTIMIZE_SIMPLIFY_H_

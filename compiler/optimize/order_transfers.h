// Makes the order of a program's transfers part of its data.
//
// Whatever order its tokens ask for, a program's transfers happen as they stand in it: a token of the graph's own, an
// array without elements, goes from each transfer to the next, and through the control flow around them as its last
// operand, argument and result. Nothing that comes later has to know about order then, but that transfers are needed
// even where nobody reads what they give (graph::Transfers).
#ifndef TREADLE_COMPILER_OPTIMIZE_ORDER_TRANSFERS_H_
#define TREADLE_COMPILER_OPTIMIZE_ORDER_TRANSFERS_H_

#include "base/status.h"
#include "compiler/graph/graph.h"

namespace treadle::compiler {

// UNIMPLEMENTED where a transfer stands in a region that is no control flow: of a reduction, say.
Status OrderTransfers(graph::Graph& graph);

}  // namespace treadle::compiler

#endif  // TREADLE_COMPILER_OPTIMIZE_ORDER_TRANSFERS_H_

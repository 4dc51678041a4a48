// A graph as StableHLO text, in the generic form that every MLIR parser with the dialect reads.
#ifndef TREADLE_COMPILER_GRAPH_PRINT_STABLEHLO_H_
#define TREADLE_COMPILER_GRAPH_PRINT_STABLEHLO_H_

#include <string>

#include "compiler/graph/graph.h"

namespace treadle::graph {

// A module with the program as its function. Reading it back gives an equal graph, but for donation and for
// which arguments and results are complex numbers to the caller: here they are pairs. Products of pairs are written
// with complex numbers.
std::string PrintStablehlo(const Graph& graph);

}  // namespace treadle::graph

#endif  // TREADLE_COMPILER_GRAPH_PRINT_STABLEHLO_H_

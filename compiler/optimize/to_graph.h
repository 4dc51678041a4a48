// The last step of optimisation: a module of StableHLO becomes a graph.
#ifndef TREADLE_COMPILER_OPTIMIZE_TO_GRAPH_H_
#define TREADLE_COMPILER_OPTIMIZE_TO_GRAPH_H_

#include <string_view>

#include "base/status.h"
#include "compiler/graph/graph.h"
#include "mlir/IR/BuiltinOps.h"

namespace treadle::compiler {

// Calls and composites are inlined as they are met; sharding annotations are dropped.
// Errors: INVALID_ARGUMENT where the module has no such function; UNIMPLEMENTED naming the operation, its types and its
// location for what a graph cannot say (yet).
StatusOr<graph::Graph> ToGraph(mlir::ModuleOp module, std::string_view function);

}  // namespace treadle::compiler

#endif  // TREADLE_COMPILER_OPTIMIZE_TO_GRAPH_H_

// The last step of optimisation: a module of StableHLO becomes a graph.
#ifndef TREADLE_COMPILER_OPTIMIZE_TO_GRAPH_H_
#define TREADLE_COMPILER_OPTIMIZE_TO_GRAPH_H_

#include <string_view>

#include "base/status.h"
#include "compiler/graph/graph.h"
#include "compiler/optimize/participants.h"
#include "mlir/IR/BuiltinOps.h"

namespace treadle::compiler {

// Calls and composites are inlined as they are met. A program of one device needs no sharding annotations. One that is
// written for the arrays of several devices together (`spmd`) becomes
//   - what each device does, where it holds manual computations: these work on the parts of arrays that a device has,
//     with collectives as exchanges; all devices do what stands outside of them, each on whole arrays;
//   - else the program as it is, which runs once (Graph::global_view).
// A program for several devices that is not `spmd` is what each device does to its own arguments.
// Errors: INVALID_ARGUMENT where the module has no such function; UNIMPLEMENTED naming the operation, its types and its
// location for what a graph cannot say (yet).
StatusOr<graph::Graph> ToGraph(mlir::ModuleOp module, std::string_view function, Participants participants = {},
                               bool spmd = true);

}  // namespace treadle::compiler

#endif  // TREADLE_COMPILER_OPTIMIZE_TO_GRAPH_H_

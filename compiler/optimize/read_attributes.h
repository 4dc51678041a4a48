// What StableHLO operations say in their attributes, as the graph holds it.
#ifndef TREADLE_COMPILER_OPTIMIZE_READ_ATTRIBUTES_H_
#define TREADLE_COMPILER_OPTIMIZE_READ_ATTRIBUTES_H_

#include <optional>

#include "base/status.h"
#include "compiler/graph/graph.h"
#include "mlir/IR/Operation.h"

namespace treadle::compiler {

// The code of "stablehlo.add", "chlo.erf" (operation or composite) and so on, if it has one.
std::optional<graph::OpCode> CodeOf(llvm::StringRef name);

// REQUIRES: `op` is verified and is the StableHLO operation of that code.
StatusOr<graph::Attributes> ReadAttributes(mlir::Operation* op, graph::OpCode code);

// Of select_and_scatter: its window as that of a reduce_window.
graph::Attributes ReadSelectWindow(mlir::Operation* op);

}  // namespace treadle::compiler

#endif  // TREADLE_COMPILER_OPTIMIZE_READ_ATTRIBUTES_H_

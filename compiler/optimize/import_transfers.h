// infeed, outfeed, send and recv as transfers of the graph.
#ifndef TREADLE_COMPILER_OPTIMIZE_IMPORT_TRANSFERS_H_
#define TREADLE_COMPILER_OPTIMIZE_IMPORT_TRANSFERS_H_

#include "compiler/graph/graph.h"
#include "compiler/optimize/participants.h"
#include "mlir/IR/Operation.h"

namespace treadle::compiler {

bool IsTransfer(mlir::Operation* op);

// A send to or a recv from the host.
bool IsHostTransfer(mlir::Operation* op);

// What `op` does, but for the shapes. REQUIRES: IsTransfer(op). Channels are "infeed" and "outfeed" of each device; for
// number N of a send or recv "channel N" between devices ("channel N to P" where the operation names sources and
// targets, P the target), "host channel N" of each device to and from the host.
graph::Transfer ReadTransfer(mlir::Operation* op, Participants participants);

}  // namespace treadle::compiler

#endif  // TREADLE_COMPILER_OPTIMIZE_IMPORT_TRANSFERS_H_

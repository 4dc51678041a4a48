// Collectives of StableHLO, and manual computations of Shardy, into the graph.
#ifndef TREADLE_COMPILER_OPTIMIZE_IMPORT_COLLECTIVES_H_
#define TREADLE_COMPILER_OPTIMIZE_IMPORT_COLLECTIVES_H_

#include <functional>
#include <vector>

#include "base/status.h"
#include "compiler/graph/graph.h"
#include "compiler/optimize/collectives.h"
#include "compiler/optimize/complex_tensors.h"
#include "compiler/optimize/participants.h"
#include "compiler/optimize/values.h"
#include "mlir/IR/Operation.h"
#include "stablehlo/sdy/sdy.h"

namespace treadle::compiler {

bool IsCollective(mlir::Operation* op);

class CollectiveImporter {
 public:
  CollectiveImporter(graph::Graph& graph, Collectives& collectives, Values& values, ComplexPairs& pairs,
                     Participants participants)
      : graph_(graph), collectives_(collectives), values_(values), pairs_(pairs), participants_(participants) {}

  // Defines the results of `op`; `regions`: its own, imported. UNIMPLEMENTED for groups and regions that it does not
  // know. REQUIRES: IsCollective.
  Status Import(mlir::Operation* op, const std::vector<graph::RegionId>& regions, Collectives::Place place);

  // The arguments of the body are parts of the operands, and the results have the terminator's operands as parts: call
  // the one, import the body, call the other.
  Status EnterManual(sdy::ManualComputationOp op, Collectives::Place place);
  Status LeaveManual(sdy::ManualComputationOp op, Collectives::Place place);

 private:
  Status ImportReduction(mlir::Operation* op, graph::RegionId body, Collectives::Place place);
  // The root of result `i`: a number in the last operand, or -1.
  StatusOr<graph::ValueId> RootOf(mlir::Operation* op, unsigned i, Collectives::Place place);
  Status ImportMovement(mlir::Operation* op, Collectives::Place place);
  Status ImportBroadcast(mlir::Operation* op, Collectives::Place place);
  StatusOr<std::function<graph::ValueId(graph::ValueId)>> Mover(mlir::Operation* op, Collectives::Place place);
  Collectives::Combine CombineBy(mlir::Operation* op, graph::RegionId body, int32_t location);
  // Of complex numbers, as they lie in memory.
  Collectives::Combine CombinePairsBy(mlir::Operation* op, graph::RegionId body, int32_t location);

  graph::Graph& graph_;
  Collectives& collectives_;
  Values& values_;
  ComplexPairs& pairs_;
  const Participants participants_;
};

}  // namespace treadle::compiler

#endif  // TREADLE_COMPILER_OPTIMIZE_IMPORT_COLLECTIVES_H_

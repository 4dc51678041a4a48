// Fourier transforms and decompositions of matrices as calls of algorithms of kernels/.
#ifndef TREADLE_COMPILER_OPTIMIZE_IMPORT_ALGORITHMS_H_
#define TREADLE_COMPILER_OPTIMIZE_IMPORT_ALGORITHMS_H_

#include <optional>
#include <string>
#include <vector>

#include "base/status.h"
#include "compiler/graph/graph.h"
#include "compiler/optimize/complex_tensors.h"
#include "compiler/optimize/values.h"
#include "llvm/ADT/StringRef.h"
#include "mlir/IR/Operation.h"

namespace treadle::compiler {

// stablehlo.fft, cholesky, triangular_solve.
bool IsAlgorithm(mlir::Operation* op);

// What a custom call of that target is, as JAX writes it for platforms that it knows nothing about; nothing for others.
std::optional<graph::Algorithm> AlgorithmOfTarget(llvm::StringRef target);

// Borrows all that it is made of.
class AlgorithmImporter {
 public:
  AlgorithmImporter(graph::Graph& graph, Values& values, ComplexPairs& pairs)
      : graph_(graph), values_(values), pairs_(pairs) {}

  // REQUIRES: IsAlgorithm(op). UNIMPLEMENTED for element types that the algorithm does not know.
  Status Import(mlir::Operation* op, graph::RegionId region, int32_t location);

  // A call of a decomposition whose only numbers are its operands.
  Status ImportTarget(mlir::Operation* op, graph::Algorithm algorithm, graph::RegionId region, int32_t location);

 private:
  struct Place {
    graph::RegionId region;
    int32_t location;
  };

  Status ImportFft(mlir::Operation* op, Place place);
  // One call, of operands and with results of `op`; those below f32 are computed in f32.
  Status Call(mlir::Operation* op, graph::AlgorithmCall call, Place place);

  graph::Graph& graph_;
  Values& values_;
  ComplexPairs& pairs_;
};

}  // namespace treadle::compiler

#endif  // TREADLE_COMPILER_OPTIMIZE_IMPORT_ALGORITHMS_H_

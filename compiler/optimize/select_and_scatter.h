// select_and_scatter, as the gradient of a pooling layer writes it, in operations of the graph.
#ifndef TREADLE_COMPILER_OPTIMIZE_SELECT_AND_SCATTER_H_
#define TREADLE_COMPILER_OPTIMIZE_SELECT_AND_SCATTER_H_

#include <optional>
#include <vector>

#include "compiler/graph/graph.h"
#include "compiler/optimize/formula.h"

namespace treadle::compiler {

// `window` has limits, strides, low and high as for reduce_window; the regions are those of the operation, imported.
// Complex numbers are two values each, real and imaginary part.
struct SelectAndScatter {
  std::vector<graph::ValueId> operand, source, init;
  graph::Attributes window;
  graph::RegionId select, scatter;
};

// A reduce_window finds which element each window selects: the first that no later one is preferred to. Then every
// element of the result takes the sources of the few windows over it that selected it, in their order; where windows
// overlap much, or regions are no formulas, sources are scattered one after the other instead. f's shape is that of the
// result or of its parts. Nullopt where the selection is more than a formula.
std::optional<std::vector<graph::ValueId>> Expand(Formula& f, const SelectAndScatter& op);

}  // namespace treadle::compiler

#endif  // TREADLE_COMPILER_OPTIMIZE_SELECT_AND_SCATTER_H_

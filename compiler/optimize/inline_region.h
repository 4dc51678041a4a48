// Regions of scalars, done to arrays.
#ifndef TREADLE_COMPILER_OPTIMIZE_INLINE_REGION_H_
#define TREADLE_COMPILER_OPTIMIZE_INLINE_REGION_H_

#include <optional>
#include <vector>

#include "compiler/graph/graph.h"
#include "compiler/optimize/formula.h"

namespace treadle::compiler {

// The results of the region for arrays of f's dimensions (scalars, where f has none) as arguments. Nullopt where it
// holds more than constants and elementwise operations.
std::optional<std::vector<graph::ValueId>> InlineRegion(Formula& f, graph::RegionId region,
                                                        const std::vector<graph::ValueId>& arguments);

}  // namespace treadle::compiler

#endif  // TREADLE_COMPILER_OPTIMIZE_INLINE_REGION_H_

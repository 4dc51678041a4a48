// Guards against input whose depth would overflow the stack of MLIR's recursive parser, walks and destructors.
#ifndef TREADLE_STABLEHLO_NESTING_H_
#define TREADLE_STABLEHLO_NESTING_H_

#include <string_view>

#include "mlir/IR/Operation.h"

namespace treadle::stablehlo {

// Deepest nesting of brackets in MLIR text, strings and comments left out. One pass, about 1 GB/s.
int TextNesting(std::string_view text);

// Deepest nesting of regions below `op`, found without recursion.
int RegionNesting(mlir::Operation* op);

}  // namespace treadle::stablehlo

#endif  // TREADLE_STABLEHLO_NESTING_H_

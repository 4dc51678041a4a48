// Guards against input that MLIR's parser, walks and destructors would not survive.
#ifndef TREADLE_STABLEHLO_NESTING_H_
#define TREADLE_STABLEHLO_NESTING_H_

#include <string_view>

#include "mlir/IR/Operation.h"

namespace treadle::stablehlo {

// Of MLIR text, strings and comments left out. One pass, about 1 GB/s.
struct TextExtent {
  int nesting = 0;  // deepest of brackets
  // Whether a result is read by a number (%x#N) for which the text is too short, or many are by large ones: the parser
  // makes room for as many before it looks for the operation.
  bool too_many_results = false;
  // Whether the elements of an array attribute are of type index, or of an alias that may be index: the parser takes
  // their width, which index has not.
  bool array_of_indices = false;
};
TextExtent MeasureText(std::string_view text);

// Deepest nesting of regions below `op`, found without recursion.
int RegionNesting(mlir::Operation* op);

}  // namespace treadle::stablehlo

#endif  // TREADLE_STABLEHLO_NESTING_H_

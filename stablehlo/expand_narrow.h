// Replaces element types that the compiler does not compute with by wider ones.
#ifndef TREADLE_STABLEHLO_EXPAND_NARROW_H_
#define TREADLE_STABLEHLO_EXPAND_NARROW_H_

#include <string_view>

#include "mlir/IR/BuiltinOps.h"

namespace treadle::stablehlo {

// The attribute of arguments and results of the entry function that says what their elements were: "i4".
inline constexpr llvm::StringLiteral kNarrowElement = "treadle.narrow_element";

// After it integers of 2 and 4 bits are held by 8-bit ones, and floats of up to 8 bits by f32, always as numbers that
// the narrow type has: what an operation computes is wrapped or rounded (as `interpreter::Round` does) right behind it.
// The function `entry` takes and gives narrow numbers as they lie in memory, a byte each: integers as 8-bit ones,
// floats as their bits in ui8; kNarrowElement names their types there. Of a caller's byte only the bits of the narrow
// type count. Fails with an error at the operation for what
// has no expansion: reduce_precision of narrow floats. Does nothing to programs without such types.
mlir::LogicalResult ExpandNarrow(mlir::ModuleOp module, std::string_view entry);

}  // namespace treadle::stablehlo

#endif  // TREADLE_STABLEHLO_EXPAND_NARROW_H_

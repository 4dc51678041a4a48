// Types of the StableHLO dialect: TokenType, FutureType (getTypes()).
#ifndef TREADLE_STABLEHLO_DIALECT_TYPES_H_
#define TREADLE_STABLEHLO_DIALECT_TYPES_H_

#include "mlir/IR/BuiltinTypes.h"
#include "stablehlo/dialect/element_kind.h"

#define GET_TYPEDEF_CLASSES
#include "stablehlo/dialect/types.h.inc"

#endif  // TREADLE_STABLEHLO_DIALECT_TYPES_H_

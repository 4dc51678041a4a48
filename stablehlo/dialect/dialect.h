// The StableHLO dialect: class StablehloDialect, named as in MLIR texts "stablehlo".
#ifndef TREADLE_STABLEHLO_DIALECT_DIALECT_H_
#define TREADLE_STABLEHLO_DIALECT_DIALECT_H_

#include "mlir/IR/Dialect.h"
#include "mlir/IR/DialectImplementation.h"
#include "stablehlo/dialect/dialect.h.inc"

#endif  // TREADLE_STABLEHLO_DIALECT_DIALECT_H_

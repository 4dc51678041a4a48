// Attributes and enumerations of the StableHLO dialect. Accessors follow the text: #stablehlo.gather<offset_dims = ..>
// has getOffsetDims().
#ifndef TREADLE_STABLEHLO_DIALECT_ATTRIBUTES_H_
#define TREADLE_STABLEHLO_DIALECT_ATTRIBUTES_H_

#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/IR/TensorEncoding.h"
#include "stablehlo/dialect/enums.h.inc"

#define GET_ATTRDEF_CLASSES
#include "stablehlo/dialect/attributes.h.inc"

#endif  // TREADLE_STABLEHLO_DIALECT_ATTRIBUTES_H_

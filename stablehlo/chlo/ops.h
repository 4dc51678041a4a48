// The CHLO dialect: 51 operations that expand into StableHLO (expand_chlo.h). "chlo.erf" is chlo::ErfOp.
#ifndef TREADLE_STABLEHLO_CHLO_OPS_H_
#define TREADLE_STABLEHLO_CHLO_OPS_H_

#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/DialectImplementation.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/Interfaces/InferTypeOpInterface.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "stablehlo/chlo/dialect.h.inc"
#include "stablehlo/chlo/enums.h.inc"
#include "stablehlo/dialect/element_kind.h"
#include "stablehlo/dialect/traits.h"

#define GET_ATTRDEF_CLASSES
#include "stablehlo/chlo/attributes.h.inc"

#define GET_OP_CLASSES
#include "stablehlo/chlo/ops.h.inc"
#define GET_OP_CLASSES
#include "stablehlo/chlo/broadcasting.h.inc"

#endif  // TREADLE_STABLEHLO_CHLO_OPS_H_

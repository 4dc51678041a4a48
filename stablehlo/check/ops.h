// The check dialect: expectations of conformance programs (ExpectEqOp, ExpectCloseOp, ...).
#ifndef TREADLE_STABLEHLO_CHECK_OPS_H_
#define TREADLE_STABLEHLO_CHECK_OPS_H_

#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/OpImplementation.h"
#include "stablehlo/check/dialect.h.inc"
#include "stablehlo/dialect/element_kind.h"

#define GET_OP_CLASSES
#include "stablehlo/check/ops.h.inc"

#endif  // TREADLE_STABLEHLO_CHECK_OPS_H_

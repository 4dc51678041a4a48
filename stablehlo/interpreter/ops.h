// The dialect `interpreter` of test programs: PrintOp, ProbeOp, RunParallelOp.
#ifndef TREADLE_STABLEHLO_INTERPRETER_OPS_H_
#define TREADLE_STABLEHLO_INTERPRETER_OPS_H_

#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/OpImplementation.h"
#include "stablehlo/dialect/types.h"
#include "stablehlo/interpreter/dialect.h.inc"

#define GET_OP_CLASSES
#include "stablehlo/interpreter/ops.h.inc"

#endif  // TREADLE_STABLEHLO_INTERPRETER_OPS_H_

// All 118 operations of StableHLO 1.20 as classes: "stablehlo.add" is AddOp. Accessors follow the names of operands and
// attributes in the text: getLhs(), getBroadcastDimensions(). Header for the language and the passes over it; it is
// heavy.
#ifndef TREADLE_STABLEHLO_DIALECT_OPS_H_
#define TREADLE_STABLEHLO_DIALECT_OPS_H_

#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/IR/SymbolTable.h"
#include "mlir/Interfaces/ControlFlowInterfaces.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "stablehlo/dialect/attributes.h"
#include "stablehlo/dialect/dialect.h"
#include "stablehlo/dialect/traits.h"
#include "stablehlo/dialect/types.h"

#define GET_OP_CLASSES
#include "stablehlo/dialect/elementwise.h.inc"
#define GET_OP_CLASSES
#include "stablehlo/dialect/data_movement.h.inc"
#define GET_OP_CLASSES
#include "stablehlo/dialect/contraction.h.inc"
#define GET_OP_CLASSES
#include "stablehlo/dialect/reduction.h.inc"
#define GET_OP_CLASSES
#include "stablehlo/dialect/control_flow.h.inc"
#define GET_OP_CLASSES
#include "stablehlo/dialect/collective.h.inc"
#define GET_OP_CLASSES
#include "stablehlo/dialect/dynamism.h.inc"
#define GET_OP_CLASSES
#include "stablehlo/dialect/legacy.h.inc"

#endif  // TREADLE_STABLEHLO_DIALECT_OPS_H_

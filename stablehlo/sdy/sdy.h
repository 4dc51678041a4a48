// The `sdy` dialect: meshes, shardings, constraints and manual computations, spelled as Shardy spells them.
//
// What JAX emits is complete (text, bytecode of every version); operations that only Shardy's own passes make are
// declared, so that any module loads. All attributes are uniqued in the context: compare by value, keep by copy.
#ifndef TREADLE_STABLEHLO_SDY_SDY_H_
#define TREADLE_STABLEHLO_SDY_SDY_H_

#include <cstdint>
#include <optional>

#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/OpDefinition.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/IR/SymbolTable.h"
#include "mlir/Interfaces/ControlFlowInterfaces.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "mlir/Interfaces/InferTypeOpInterface.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "stablehlo/sdy/dialect.h.inc"
#include "stablehlo/sdy/enums.h.inc"

#define GET_ATTRDEF_CLASSES
#include "stablehlo/sdy/attributes.h.inc"

#define GET_OP_CLASSES
#include "stablehlo/sdy/ops.h.inc"

#endif  // TREADLE_STABLEHLO_SDY_SDY_H_

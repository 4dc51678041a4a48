// Generated code of the operations with shapes as operands, and their verifiers.
#include "stablehlo/dialect/assembly.h"
#include "stablehlo/dialect/ops.h"
#include "stablehlo/dialect/shape_rules.h"

#define GET_OP_CLASSES
#include "stablehlo/dialect/dynamism.cc.inc"

namespace treadle::stablehlo {

void StablehloDialect::RegisterDynamismOps() {
  addOperations<
#define GET_OP_LIST
#include "stablehlo/dialect/dynamism.cc.inc"
      >();
}

mlir::LogicalResult GetDimensionSizeOp::verify() {
  return CheckDimension(*this, "dimension", static_cast<int64_t>(getDimension()), getOperand().getType().getRank());
}

mlir::LogicalResult SetDimensionSizeOp::verify() {
  return CheckDimension(*this, "dimension", static_cast<int64_t>(getDimension()), getOperand().getType().getRank());
}

}  // namespace treadle::stablehlo

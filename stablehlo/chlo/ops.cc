#include "stablehlo/chlo/ops.h"

#include "llvm/ADT/TypeSwitch.h"
#include "stablehlo/chlo/dialect.cc.inc"
#include "stablehlo/chlo/enums.cc.inc"
#include "stablehlo/dialect/attribute_syntax.h"
#include "stablehlo/dialect/shape_rules.h"

#define GET_ATTRDEF_CLASSES
#include "stablehlo/chlo/attributes.cc.inc"

#define GET_OP_CLASSES
#include "stablehlo/chlo/ops.cc.inc"

namespace treadle::chlo {

void ChloDialect::initialize() {
  RegisterAttributes();
  RegisterOps();
  RegisterBroadcastingOps();
}

void ChloDialect::RegisterAttributes() {
  addAttributes<
#define GET_ATTRDEF_LIST
#include "stablehlo/chlo/attributes.cc.inc"
      >();
}

void ChloDialect::RegisterOps() {
  addOperations<
#define GET_OP_LIST
#include "stablehlo/chlo/ops.cc.inc"
      >();
}

mlir::LogicalResult TopKOp::verify() {
  const mlir::RankedTensorType operand = getOperand().getType();
  const int64_t k = static_cast<int64_t>(getK());
  if (operand.getRank() < 1) return emitOpError() << "needs at least one dimension";
  const int64_t last = operand.getDimSize(operand.getRank() - 1);
  if (k < 0 || (!mlir::ShapedType::isDynamic(last) && k > last))
    return emitOpError() << "k = " << k << " does not fit " << operand;
  llvm::SmallVector<int64_t> shape = llvm::to_vector(operand.getShape());
  shape.back() = k;
  if (failed(stablehlo::CheckShape(*this, "values", getValues().getType(), shape))) return mlir::failure();
  return stablehlo::CheckShape(*this, "indices", getIndices().getType(), shape);
}

}  // namespace treadle::chlo

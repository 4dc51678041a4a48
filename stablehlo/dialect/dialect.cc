#include "stablehlo/dialect/dialect.h"

#include "stablehlo/dialect/dialect.cc.inc"
#include "stablehlo/dialect/ops.h"

namespace treadle::stablehlo {

void StablehloDialect::initialize() {
  RegisterAttributes();
  RegisterTypes();
  RegisterElementwiseOps();
  RegisterDataMovementOps();
  RegisterContractionOps();
  RegisterReductionOps();
  RegisterControlFlowOps();
  RegisterCollectiveOps();
  RegisterDynamismOps();
  RegisterLegacyOps();
}

mlir::Operation* StablehloDialect::materializeConstant(mlir::OpBuilder& builder, mlir::Attribute value, mlir::Type type,
                                                       mlir::Location location) {
  auto elements = llvm::dyn_cast<mlir::ElementsAttr>(value);
  if (!elements || elements.getType() != type) return nullptr;
  return ConstantOp::create(builder, location, type, elements);
}

}  // namespace treadle::stablehlo

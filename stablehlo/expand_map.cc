#include "stablehlo/expand_map.h"

#include "mlir/IR/IRMapping.h"
#include "stablehlo/dialect/ops.h"

namespace treadle::stablehlo {

namespace {

using mlir::failure;
using mlir::LogicalResult;
using mlir::RankedTensorType;
using mlir::success;
using mlir::Value;

bool IsElementwise(mlir::Operation* op) {
  if (op->getNumRegions() > 0 || llvm::isa<ReverseOp, CholeskyOp>(op)) return false;
  return op->hasTrait<ElementwiseShape>() || llvm::isa<SelectOp, ClampOp>(op);
}

// A scalar that the region takes from outside of it.
Value Spread(mlir::OpBuilder& builder, mlir::Location location, Value scalar, llvm::ArrayRef<int64_t> shape) {
  auto type = llvm::cast<RankedTensorType>(scalar.getType()).clone(shape);
  return BroadcastInDimOp::create(builder, location, type, scalar, builder.getDenseI64ArrayAttr({}));
}

LogicalResult Expand(MapOp map) {
  const RankedTensorType type = map.getResult().getType();
  if (!type.hasStaticShape()) return map.emitOpError() << "of unknown shape is not implemented";
  mlir::OpBuilder builder(map);
  mlir::Block& body = map.getComputation().front();
  mlir::IRMapping values;
  values.map(body.getArguments(), map.getInputs());
  auto lookup = [&](Value value) {
    if (!values.contains(value)) values.map(value, Spread(builder, map.getLoc(), value, type.getShape()));
    return values.lookup(value);
  };
  for (mlir::Operation& op : body.without_terminator()) {
    if (auto constant = llvm::dyn_cast<ConstantOp>(op)) {
      auto value = llvm::dyn_cast<mlir::DenseElementsAttr>(constant.getValue());
      if (!value || constant.getType().getRank() != 0) return map.emitOpError() << "of tensors is not implemented";
      const mlir::DenseElementsAttr all = value.resizeSplat(constant.getType().clone(type.getShape()));
      values.map(constant.getResult(), ConstantOp::create(builder, op.getLoc(), all).getResult());
      continue;
    }
    if (!IsElementwise(&op)) return map.emitOpError() << "of " << op.getName() << " is not implemented";
    for (Value operand : op.getOperands()) lookup(operand);
    mlir::Operation* whole = builder.clone(op, values);
    for (Value result : whole->getResults()) {
      result.setType(llvm::cast<RankedTensorType>(result.getType()).clone(type.getShape()));
    }
  }
  map.getResult().replaceAllUsesWith(lookup(body.getTerminator()->getOperand(0)));
  map.erase();
  return success();
}

}  // namespace

LogicalResult ExpandMaps(mlir::ModuleOp module) {
  llvm::SmallVector<MapOp> maps;
  module.walk([&](MapOp map) { maps.push_back(map); });  // inner ones first
  for (MapOp map : maps) {
    if (failed(Expand(map))) return failure();
  }
  return success();
}

}  // namespace treadle::stablehlo

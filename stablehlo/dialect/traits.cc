#include "stablehlo/dialect/traits.h"

#include "mlir/IR/BuiltinTypes.h"
#include "stablehlo/dialect/quantized_rules.h"
#include "stablehlo/dialect/shape_rules.h"

namespace treadle::stablehlo {

namespace {

// The tensor types of operands, then of results.
llvm::SmallVector<mlir::RankedTensorType> TensorsOf(mlir::Operation* op) {
  llvm::SmallVector<mlir::RankedTensorType> tensors;
  for (mlir::Type type : op->getOperandTypes()) {
    if (auto tensor = llvm::dyn_cast<mlir::RankedTensorType>(type)) tensors.push_back(tensor);
  }
  for (mlir::Type type : op->getResultTypes()) {
    if (auto tensor = llvm::dyn_cast<mlir::RankedTensorType>(type)) tensors.push_back(tensor);
  }
  return tensors;
}

}  // namespace

mlir::LogicalResult VerifyElementwiseShape(mlir::Operation* op) {
  const llvm::SmallVector<mlir::RankedTensorType> tensors = TensorsOf(op);
  for (size_t i = 1; i < tensors.size(); ++i) {
    if (!CompatibleShapes(tensors[0], tensors[i])) {
      return op->emitOpError() << "needs equal shapes, got " << tensors[0] << " and " << tensors[i];
    }
  }
  return mlir::success();
}

mlir::LogicalResult VerifySameElementType(mlir::Operation* op) {
  const llvm::SmallVector<mlir::RankedTensorType> tensors = TensorsOf(op);
  return CheckBaseline(op, llvm::SmallVector<mlir::Type>(tensors.begin(), tensors.end()));
}

}  // namespace treadle::stablehlo

#include "stablehlo/dialect/traits.h"

#include "mlir/Dialect/Quant/IR/QuantTypes.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/TypeUtilities.h"

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
    if (failed(mlir::verifyCompatibleShape(tensors[0], tensors[i]))) {
      return op->emitOpError() << "needs equal shapes, got " << tensors[0] << " and " << tensors[i];
    }
  }
  return mlir::success();
}

mlir::LogicalResult VerifySameElementType(mlir::Operation* op) {
  const llvm::SmallVector<mlir::RankedTensorType> tensors = TensorsOf(op);
  for (mlir::RankedTensorType tensor : tensors) {
    if (llvm::isa<mlir::quant::QuantizedType>(tensor.getElementType())) return mlir::success();
  }
  for (size_t i = 1; i < tensors.size(); ++i) {
    if (tensors[0].getElementType() != tensors[i].getElementType()) {
      return op->emitOpError() << "needs one element type, got " << tensors[0] << " and " << tensors[i];
    }
  }
  return mlir::success();
}

}  // namespace treadle::stablehlo

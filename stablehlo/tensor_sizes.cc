#include "stablehlo/tensor_sizes.h"

#include "llvm/ADT/DenseSet.h"
#include "llvm/Support/MathExtras.h"
#include "mlir/IR/BuiltinTypes.h"

namespace treadle::stablehlo {

namespace {

// Complex numbers of f64 are the widest element.
constexpr int64_t kMaxElements = kMaxTensorBytes / 16;

}  // namespace

bool IsTooLarge(mlir::Type type) {
  auto shaped = llvm::dyn_cast<mlir::ShapedType>(type);
  if (!shaped || !shaped.hasRank()) return false;
  int64_t elements = 1;
  for (int64_t size : shaped.getShape()) {
    if (mlir::ShapedType::isDynamic(size) || size == 0) continue;
    if (llvm::MulOverflow(elements, size, elements) || elements > kMaxElements) return true;
  }
  return false;
}

mlir::LogicalResult CheckTensorSizes(mlir::ModuleOp module) {
  llvm::DenseSet<mlir::Type> seen;  // few types, many values
  auto check = [&](mlir::Operation* op, mlir::TypeRange types) {
    for (mlir::Type type : types) {
      if (!seen.insert(type).second) continue;
      if (IsTooLarge(type)) return mlir::LogicalResult(op->emitOpError() << "holds " << type << ", which is too large");
    }
    return mlir::success();
  };
  const mlir::WalkResult result = module.walk([&](mlir::Operation* op) {
    if (failed(check(op, op->getResultTypes()))) return mlir::WalkResult::interrupt();
    for (mlir::Region& region : op->getRegions()) {
      for (mlir::Block& block : region) {
        if (failed(check(op, block.getArgumentTypes()))) return mlir::WalkResult::interrupt();
      }
    }
    return mlir::WalkResult::advance();
  });
  return mlir::failure(result.wasInterrupted());
}

}  // namespace treadle::stablehlo

#include "stablehlo/expand_custom_calls.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/IRMapping.h"
#include "stablehlo/dialect/ops.h"

namespace treadle::stablehlo {

using mlir::failure;
using mlir::LogicalResult;
using mlir::RankedTensorType;
using mlir::Value;

namespace {

// The function as the region of a sort: it takes pairs of elements of each operand.
LogicalResult FillComparator(CustomCallOp op, mlir::func::FuncOp function, SortOp sort) {
  const size_t arguments = 2 * sort.getInputs().size();
  if (!function || function.isExternal() || !llvm::hasSingleElement(function.getBody()) ||
      function.getNumArguments() != arguments || function.getBody().front().getTerminator()->getNumOperands() != 1) {
    return op.emitOpError() << "does not name a comparator of " << arguments << " arguments";
  }
  mlir::Block& body = function.getBody().front();
  mlir::OpBuilder builder(op);
  mlir::Block* block = builder.createBlock(&sort.getComparator());
  mlir::IRMapping mapping;
  for (mlir::BlockArgument argument : body.getArguments())
    mapping.map(argument, block->addArgument(argument.getType(), argument.getLoc()));
  for (mlir::Operation& inner : body.without_terminator()) builder.clone(inner, mapping);
  ReturnOp::create(builder, op.getLoc(), mapping.lookupOrDefault(body.getTerminator()->getOperand(0)));
  return mlir::success();
}

// Operands: arrays, then an initial value of each, which a sort does not need.
LogicalResult ExpandApproxTopK(CustomCallOp op, mlir::SymbolTable& symbols) {
  auto config =
      op->getAttrOfType<mlir::DictionaryAttr>("mhlo.backend_config");  // as JAX writes it, or the standard way
  if (!config) config = llvm::dyn_cast_or_null<mlir::DictionaryAttr>(op.getBackendConfigAttr());
  const auto dimension = config ? config.getAs<mlir::IntegerAttr>("reduction_dim") : mlir::IntegerAttr();
  const auto called = op.getCalledComputations();
  const size_t count = op.getNumResults();
  if (!dimension || !called || called->size() != 1 || count == 0 || op.getNumOperands() != 2 * count)
    return op.emitOpError() << "is not as JAX writes it";
  const mlir::ValueRange inputs = op.getInputs().take_front(count);
  const int64_t along = dimension.getInt();
  for (auto [input, result] : llvm::zip(inputs.getTypes(), op.getResultTypes())) {
    auto from = llvm::dyn_cast<RankedTensorType>(input), to = llvm::dyn_cast<RankedTensorType>(result);
    bool fits = from && to && from.hasStaticShape() && to.hasStaticShape() && from.getRank() == to.getRank() &&
                along >= 0 && along < from.getRank() && from.getElementType() == to.getElementType();
    for (int64_t d = 0; fits && d < from.getRank(); ++d)
      fits = d == along ? to.getDimSize(d) <= from.getDimSize(d) : to.getDimSize(d) == from.getDimSize(d);
    if (!fits) return op.emitOpError() << "cannot take the first of " << input << " as " << result;
  }
  mlir::OpBuilder builder(op);
  auto sort = SortOp::create(builder, op.getLoc(), inputs.getTypes(), inputs, builder.getI64IntegerAttr(along),
                             builder.getBoolAttr(true));
  const auto name = llvm::cast<mlir::FlatSymbolRefAttr>((*called)[0]);
  if (failed(FillComparator(op, symbols.lookup<mlir::func::FuncOp>(name.getValue()), sort))) return failure();
  llvm::SmallVector<Value> firsts;
  for (auto [sorted, result] : llvm::zip(sort.getResults(), op.getResultTypes())) {
    const auto type = llvm::cast<RankedTensorType>(result);
    const llvm::SmallVector<int64_t> starts(type.getRank(), 0), strides(type.getRank(), 1);
    firsts.push_back(SliceOp::create(builder, op.getLoc(), type, sorted, starts, type.getShape(), strides));
  }
  op->replaceAllUsesWith(firsts);
  op->erase();
  return mlir::success();
}

}  // namespace

LogicalResult ExpandCustomCalls(mlir::ModuleOp module) {
  llvm::SmallVector<CustomCallOp> calls;
  module.walk([&](CustomCallOp op) {
    if (op.getCallTargetName() == "ApproxTopK") calls.push_back(op);
  });
  if (calls.empty()) return mlir::success();
  mlir::SymbolTable symbols(module);
  for (CustomCallOp op : calls) {
    if (failed(ExpandApproxTopK(op, symbols))) return failure();
  }
  return mlir::success();
}

}  // namespace treadle::stablehlo

// Generated code of the operations that move elements, and their verifiers.
#include "llvm/Support/MathExtras.h"
#include "stablehlo/dialect/assembly.h"
#include "stablehlo/dialect/ops.h"
#include "stablehlo/dialect/shape_rules.h"

#define GET_OP_CLASSES
#include "stablehlo/dialect/data_movement.cc.inc"

namespace treadle::stablehlo {

using mlir::failure;
using mlir::LogicalResult;
using mlir::RankedTensorType;
using mlir::ShapedType;
using mlir::success;

void StablehloDialect::RegisterDataMovementOps() {
  addOperations<
#define GET_OP_LIST
#include "stablehlo/dialect/data_movement.cc.inc"
      >();
}

// ---- constant: attributes, then the value with its type.

mlir::ParseResult ConstantOp::parse(mlir::OpAsmParser& parser, mlir::OperationState& result) {
  mlir::ElementsAttr value;
  if (parser.parseOptionalAttrDict(result.attributes) || parser.parseAttribute(value)) return failure();
  result.getOrAddProperties<Properties>().value = value;
  result.addTypes(value.getType());
  // Quantized constants name the result's type after that of the stored integers.
  mlir::Type type;
  if (succeeded(parser.parseOptionalColon())) {
    if (parser.parseType(type)) return failure();
    result.types.assign({type});
  }
  return success();
}

void ConstantOp::print(mlir::OpAsmPrinter& printer) {
  printer.printOptionalAttrDict((*this)->getAttrs(), {getValueAttrName()});
  printer << ' ' << getValue();
  if (getOutput().getType() != getValue().getType()) printer << " : " << getOutput().getType();
}

void ConstantOp::getAsmResultNames(mlir::OpAsmSetValueNameFn set_name) {
  set_name(getOutput(),
           KindOfElement(getOutput().getType().getElementType()) & (kIntElement | kPredElement) ? "c" : "cst");
}

LogicalResult ConstantOp::verify() {
  if (!getOutput().getType().hasStaticShape())
    return emitOpError() << "needs a static shape, got " << getOutput().getType();
  if (KindOfElement(getOutput().getType().getElementType()) & kQuantElement) {
    return CheckShape(*this, "value", getValue().getShapedType(), getOutput().getType().getShape());
  }
  if (getValue().getType() == getOutput().getType()) return success();
  return emitOpError() << "has a value of type " << getValue().getType() << " and a result of type "
                       << getOutput().getType();
}

mlir::OpFoldResult ConstantOp::fold(FoldAdaptor) { return getValue(); }

// ---- Shapes.

LogicalResult IotaOp::verify() {
  return CheckDimension(*this, "iota_dimension", static_cast<int64_t>(getIotaDimension()),
                        getOutput().getType().getRank());
}

LogicalResult BroadcastInDimOp::verify() {
  const RankedTensorType operand = getOperand().getType();
  const RankedTensorType result = getResult().getType();
  if (failed(CheckCount(*this, "broadcast_dimensions", getBroadcastDimensions().size(), operand.getRank())) ||
      failed(CheckDimensions(*this, "broadcast_dimensions", getBroadcastDimensions(), result.getRank()))) {
    return failure();
  }
  for (auto [from, to] : llvm::enumerate(getBroadcastDimensions())) {
    const int64_t size = operand.getDimSize(from);
    if (size == 1 || ShapedType::isDynamic(size) || size == result.getDimSize(to)) continue;
    return emitOpError() << "cannot broadcast dimension " << from << " of " << operand << " to dimension " << to
                         << " of " << result;
  }
  return success();
}

LogicalResult ReshapeOp::verify() {
  const RankedTensorType operand = getOperand().getType();
  const RankedTensorType result = getResult().getType();
  if (!operand.hasStaticShape() || !result.hasStaticShape()) return success();
  if (operand.getNumElements() == result.getNumElements()) return success();
  return emitOpError() << "changes the number of elements, from " << operand << " to " << result;
}

LogicalResult TransposeOp::verify() {
  const RankedTensorType operand = getOperand().getType();
  if (failed(CheckCount(*this, "permutation", getPermutation().size(), operand.getRank())) ||
      failed(CheckDimensions(*this, "permutation", getPermutation(), operand.getRank()))) {
    return failure();
  }
  llvm::SmallVector<int64_t> shape;
  for (int64_t from : getPermutation()) shape.push_back(operand.getDimSize(from));
  return CheckShape(*this, "result", getResult().getType(), shape);
}

LogicalResult ReverseOp::verify() {
  return CheckDimensions(*this, "dimensions", getDimensions(), getOperand().getType().getRank());
}

LogicalResult ConcatenateOp::verify() {
  if (getInputs().empty()) return emitOpError() << "needs an operand";
  const auto first = llvm::cast<RankedTensorType>(getInputs()[0].getType());
  const int64_t along = static_cast<int64_t>(getDimension());
  if (failed(CheckDimension(*this, "dimension", along, first.getRank()))) return failure();
  llvm::SmallVector<int64_t> shape = llvm::to_vector(first.getShape());
  int64_t total = 0;
  for (mlir::Type type : getInputs().getTypes()) {
    const auto input = llvm::cast<RankedTensorType>(type);
    if (input.getRank() != first.getRank()) return emitOpError() << "has operands of different ranks";
    shape[along] = input.getDimSize(along);
    if (failed(CheckShape(*this, "operand", input, shape))) return failure();
    const bool unknown = ShapedType::isDynamic(total) || input.isDynamicDim(along);
    if (unknown) {
      total = ShapedType::kDynamic;
    } else if (llvm::AddOverflow(total, input.getDimSize(along), total)) {
      return emitOpError() << "result is too large";
    }
  }
  shape[along] = total;
  return CheckShape(*this, "result", getResult().getType(), shape);
}

// ---- Slices.

LogicalResult SliceOp::verify() {
  const RankedTensorType operand = getOperand().getType();
  const int64_t rank = operand.getRank();
  if (failed(CheckCount(*this, "start_indices", getStartIndices().size(), rank)) ||
      failed(CheckCount(*this, "limit_indices", getLimitIndices().size(), rank)) ||
      failed(CheckCount(*this, "strides", getStrides().size(), rank)) ||
      failed(CheckAtLeast(*this, "start_indices", getStartIndices(), 0)) ||
      failed(CheckAtLeast(*this, "strides", getStrides(), 1))) {
    return failure();
  }
  llvm::SmallVector<int64_t> shape;
  for (int64_t i = 0; i < rank; ++i) {
    const int64_t start = getStartIndices()[i];
    const int64_t limit = getLimitIndices()[i];
    const bool inside = start <= limit && (operand.isDynamicDim(i) || limit <= operand.getDimSize(i));
    if (!inside)
      return emitOpError() << "range " << start << ":" << limit << " leaves dimension " << i << " of " << operand;
    shape.push_back(static_cast<int64_t>(llvm::divideCeil(static_cast<uint64_t>(limit - start), getStrides()[i])));
  }
  return CheckShape(*this, "result", getResult().getType(), shape);
}

LogicalResult PadOp::verify() {
  const RankedTensorType operand = getOperand().getType();
  const int64_t rank = operand.getRank();
  if (failed(CheckScalar(*this, "padding_value", getPaddingValue().getType())) ||
      failed(CheckCount(*this, "edge_padding_low", getEdgePaddingLow().size(), rank)) ||
      failed(CheckCount(*this, "edge_padding_high", getEdgePaddingHigh().size(), rank)) ||
      failed(CheckCount(*this, "interior_padding", getInteriorPadding().size(), rank)) ||
      failed(CheckAtLeast(*this, "interior_padding", getInteriorPadding(), 0))) {
    return failure();
  }
  llvm::SmallVector<int64_t> shape;
  for (int64_t i = 0; i < rank; ++i) {
    int64_t size = operand.getDimSize(i);
    if (ShapedType::isDynamic(size)) {
      shape.push_back(size);
      continue;
    }
    int64_t inside = 0;
    const bool overflow = llvm::MulOverflow(std::max<int64_t>(size - 1, 0), getInteriorPadding()[i], inside) ||
                          llvm::AddOverflow(size, inside, size) ||
                          llvm::AddOverflow(size, getEdgePaddingLow()[i], size) ||
                          llvm::AddOverflow(size, getEdgePaddingHigh()[i], size);
    if (overflow || size < 0) return emitOpError() << "padding of dimension " << i << " gives no valid size";
    shape.push_back(size);
  }
  return CheckShape(*this, "result", getResult().getType(), shape);
}

namespace {

LogicalResult CheckStarts(mlir::Operation* op, mlir::OperandRange starts, int64_t rank) {
  if (failed(CheckCount(op, "start_indices", starts.size(), rank))) return failure();
  for (mlir::Type type : starts.getTypes()) {
    if (failed(CheckScalar(op, "start index", type))) return failure();
    if (type != starts[0].getType()) return op->emitOpError() << "needs start indices of one type";
  }
  return success();
}

LogicalResult CheckFits(mlir::Operation* op, llvm::StringRef name, llvm::ArrayRef<int64_t> sizes,
                        RankedTensorType operand) {
  if (failed(CheckCount(op, name, sizes.size(), operand.getRank()))) return failure();
  for (auto [i, size] : llvm::enumerate(sizes)) {
    if (ShapedType::isDynamic(size)) continue;
    if (size < 0 || (!operand.isDynamicDim(i) && size > operand.getDimSize(i))) {
      return op->emitOpError() << name << " " << size << " does not fit dimension " << i << " of " << operand;
    }
  }
  return success();
}

LogicalResult CheckElement(mlir::Operation* op, RankedTensorType a, RankedTensorType b) {
  if (a.getElementType() == b.getElementType()) return success();
  return op->emitOpError() << "needs one element type, got " << a << " and " << b;
}

}  // namespace

LogicalResult DynamicSliceOp::verify() {
  const RankedTensorType operand = getOperand().getType();
  if (failed(CheckStarts(*this, getStartIndices(), operand.getRank())) ||
      failed(CheckAtLeast(*this, "slice_sizes", getSliceSizes(), 0)) ||
      failed(CheckFits(*this, "slice_sizes", getSliceSizes(), operand)) ||
      failed(CheckElement(*this, operand, getResult().getType()))) {
    return failure();
  }
  return CheckShape(*this, "result", getResult().getType(), getSliceSizes());
}

LogicalResult DynamicUpdateSliceOp::verify() {
  const RankedTensorType operand = getOperand().getType();
  if (failed(CheckStarts(*this, getStartIndices(), operand.getRank())) ||
      failed(CheckFits(*this, "update size", getUpdate().getType().getShape(), operand)) ||
      failed(CheckElement(*this, operand, getUpdate().getType()))) {
    return failure();
  }
  return CheckTypes(*this, "result", getResult().getType(), operand);
}

// ---- Gather and scatter.

namespace {

// What gather and scatter have in common: a window in the operand whose place `indices` gives.
struct IndexedWindow {
  llvm::ArrayRef<int64_t> window_dims;     // of the result or the updates: those of the window
  llvm::ArrayRef<int64_t> collapsed_dims;  // of the operand: not in the window
  llvm::ArrayRef<int64_t> operand_batch;
  llvm::ArrayRef<int64_t> indices_batch;
  llvm::ArrayRef<int64_t> index_to_operand;
  int64_t index_vector_dim;
};

LogicalResult CheckIndexedWindow(mlir::Operation* op, const IndexedWindow& w, RankedTensorType operand,
                                 RankedTensorType indices, RankedTensorType result) {
  const int64_t rank = operand.getRank();
  if (failed(CheckDimension(op, "index_vector_dim", w.index_vector_dim, indices.getRank(), /*at_end=*/true)) ||
      failed(CheckDimensions(op, "window dimensions", w.window_dims, result.getRank())) ||
      failed(CheckDimensions(op, "index map", w.index_to_operand, rank)) ||
      failed(CheckDimensions(op, "batching dimensions of the indices", w.indices_batch, indices.getRank())) ||
      failed(CheckCount(op, "batching dimensions", w.indices_batch.size(), w.operand_batch.size()))) {
    return failure();
  }
  if (!llvm::is_sorted(w.window_dims)) return op->emitOpError() << "needs sorted window dimensions";
  llvm::SmallVector<int64_t> outside = llvm::to_vector(w.collapsed_dims);
  llvm::append_range(outside, w.operand_batch);
  if (failed(CheckDimensions(op, "collapsed, inserted and batching dimensions", outside, rank))) return failure();
  const bool has_vector = w.index_vector_dim < indices.getRank();
  if (llvm::is_contained(w.indices_batch, w.index_vector_dim))
    return op->emitOpError() << "index_vector_dim is a batching dimension";
  const int64_t vector = has_vector ? indices.getDimSize(w.index_vector_dim) : 1;
  const int64_t map_size = static_cast<int64_t>(w.index_to_operand.size());
  if (failed(CheckSameSize(op, "size of an index and of the index map", vector, map_size)) ||
      failed(CheckCount(op, "window dimensions", w.window_dims.size(), rank - static_cast<int64_t>(outside.size()))) ||
      failed(CheckCount(op, "dimensions that are not of the window", result.getRank() - w.window_dims.size(),
                        indices.getRank() - has_vector))) {
    return failure();
  }
  for (auto [a, b] : llvm::zip(w.operand_batch, w.indices_batch)) {
    if (failed(CheckSameSize(op, "sizes of batching dimensions", operand.getDimSize(a), indices.getDimSize(b))))
      return failure();
    if (llvm::is_contained(w.index_to_operand, a)) return op->emitOpError() << "indexes a batching dimension";
  }
  // Dimensions of the result that are not the window's follow those of the indices.
  int64_t at = 0;
  for (int64_t i = 0; i < result.getRank(); ++i) {
    if (llvm::is_contained(w.window_dims, i)) continue;
    if (at == w.index_vector_dim) ++at;
    if (failed(
            CheckSameSize(op, "sizes of the indices and the result", indices.getDimSize(at++), result.getDimSize(i))))
      return failure();
  }
  return success();
}

// Sizes of the window's dimensions: all of the operand that are neither collapsed nor batching.
llvm::SmallVector<int64_t> InWindow(llvm::ArrayRef<int64_t> sizes, const IndexedWindow& w) {
  llvm::SmallVector<int64_t> kept;
  for (auto [i, size] : llvm::enumerate(sizes)) {
    const int64_t dimension = static_cast<int64_t>(i);
    if (!llvm::is_contained(w.collapsed_dims, dimension) && !llvm::is_contained(w.operand_batch, dimension))
      kept.push_back(size);
  }
  return kept;
}

}  // namespace

LogicalResult GatherOp::verify() {
  const GatherDimensionNumbersAttr numbers = getDimensionNumbers();
  const IndexedWindow window = {numbers.getOffsetDims(),          numbers.getCollapsedSliceDims(),
                                numbers.getOperandBatchingDims(), numbers.getStartIndicesBatchingDims(),
                                numbers.getStartIndexMap(),       numbers.getIndexVectorDim()};
  const RankedTensorType operand = getOperand().getType();
  const RankedTensorType result = getResult().getType();
  if (failed(CheckIndexedWindow(*this, window, operand, getStartIndices().getType(), result)) ||
      failed(CheckAtLeast(*this, "slice_sizes", getSliceSizes(), 0)) ||
      failed(CheckFits(*this, "slice_sizes", getSliceSizes(), operand)) ||
      failed(CheckElement(*this, operand, result))) {
    return failure();
  }
  for (llvm::ArrayRef<int64_t> thin : {window.collapsed_dims, window.operand_batch}) {
    for (int64_t i : thin) {
      if (getSliceSizes()[i] > 1)
        return emitOpError() << "collapses dimension " << i << " of slice size " << getSliceSizes()[i];
    }
  }
  for (auto [to, size] : llvm::zip(window.window_dims, InWindow(getSliceSizes(), window))) {
    if (failed(CheckSameSize(*this, "slice size and result size", size, result.getDimSize(to)))) return failure();
  }
  return success();
}

LogicalResult ScatterOp::verify() {
  const ScatterDimensionNumbersAttr numbers = getScatterDimensionNumbers();
  const IndexedWindow window = {numbers.getUpdateWindowDims(),         numbers.getInsertedWindowDims(),
                                numbers.getInputBatchingDims(),        numbers.getScatterIndicesBatchingDims(),
                                numbers.getScatterDimsToOperandDims(), numbers.getIndexVectorDim()};
  if (getInputs().empty()) return emitOpError() << "needs an input";
  // The computation may promote the elements: results have shapes of inputs, and element types of their own.
  if (failed(CheckCount(*this, "results", getNumResults(), getInputs().size()))) return failure();
  for (auto [result, input] : llvm::zip(getResultTypes(), getInputs().getTypes())) {
    const auto shape = llvm::cast<RankedTensorType>(input).getShape();
    if (failed(CheckShape(*this, "result", llvm::cast<RankedTensorType>(result), shape))) return failure();
  }
  for (auto [input_value, update_value] : llvm::zip(getInputs(), getUpdates())) {
    const auto input = llvm::cast<RankedTensorType>(input_value.getType());
    const auto update = llvm::cast<RankedTensorType>(update_value.getType());
    if (failed(CheckIndexedWindow(*this, window, input, getScatterIndices().getType(), update)) ||
        failed(CheckShape(*this, "input", input, llvm::cast<RankedTensorType>(getInputs()[0].getType()).getShape()))) {
      return failure();
    }
    for (auto [from, size] : llvm::zip(window.window_dims, InWindow(input.getShape(), window))) {
      if (ShapedType::isDynamic(size) || update.isDynamicDim(from) || update.getDimSize(from) <= size) continue;
      return emitOpError() << "update of size " << update.getDimSize(from) << " does not fit a window of size " << size;
    }
  }
  return success();
}

LogicalResult ScatterOp::verifyRegions() {
  return CheckReducer(*this, "update_computation", getUpdateComputation(), static_cast<int64_t>(getInputs().size()));
}

}  // namespace treadle::stablehlo

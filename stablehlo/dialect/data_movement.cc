// Generated code of the operations that move elements, and their verifiers. (C1), (C2) ... are the constraints of the
// specification; the trait SameElementType checks those that ask for one element type.
#include "llvm/Support/MathExtras.h"
#include "mlir/Dialect/Quant/IR/QuantTypes.h"
#include "stablehlo/dialect/assembly.h"
#include "stablehlo/dialect/indexed_window.h"
#include "stablehlo/dialect/ops.h"
#include "stablehlo/dialect/quantized_rules.h"
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
    return CheckShape(*this, "value", getValue().getShapedType(), getOutput().getType().getShape());  // (C1)
  }
  // (C1)
  if (getValue().getType() == getOutput().getType()) return success();
  return emitOpError() << "has a value of type " << getValue().getType() << " and a result of type "
                       << getOutput().getType();
}

mlir::OpFoldResult ConstantOp::fold(FoldAdaptor) { return getValue(); }

// ---- Shapes.

LogicalResult IotaOp::verify() {
  // (C1)
  return CheckDimension(*this, "iota_dimension", static_cast<int64_t>(getIotaDimension()),
                        getOutput().getType().getRank());
}

LogicalResult BroadcastInDimOp::verify() {
  const RankedTensorType operand = getOperand().getType();
  const RankedTensorType result = getResult().getType();
  if (failed(CheckCount(*this, "broadcast_dimensions", getBroadcastDimensions().size(), operand.getRank())) ||  // (C2)
      failed(
          CheckDimensions(*this, "broadcast_dimensions", getBroadcastDimensions(), result.getRank()))) {  // (C3) (C4)
    return failure();
  }
  // (C5)
  for (auto [from, to] : llvm::enumerate(getBroadcastDimensions())) {
    const int64_t size = operand.getDimSize(from);
    if (size == 1 || ShapedType::isDynamic(size) || size == result.getDimSize(to)) continue;
    return emitOpError() << "cannot broadcast dimension " << from << " of " << operand << " to dimension " << to
                         << " of " << result;
  }
  // (C1): an element type that is equal up to scales is the trait's; (C6) says how scales per axis go along.
  const bool per_axis = llvm::isa<mlir::quant::UniformQuantizedPerAxisType>(operand.getElementType());
  if (!per_axis && failed(CheckSameScales(*this, operand, result))) return failure();
  return CheckBroadcastAxis(*this, operand, result, getBroadcastDimensions());
}

LogicalResult ReshapeOp::verify() {
  const RankedTensorType operand = getOperand().getType();
  const RankedTensorType result = getResult().getType();
  if (failed(CheckSameScales(*this, operand, result))) return failure();  // (C1)
  const auto from = CountElements(*this, "operand", operand);
  const auto to = CountElements(*this, "result", result);
  if (failed(from) || failed(to)) return failure();
  // (C2)
  if (*from && *to && **from != **to)
    return emitOpError() << "changes the number of elements, from " << operand << " to " << result;
  return CheckReshapedAxis(*this, operand, result);  // (C3)
}

LogicalResult TransposeOp::verify() {
  const RankedTensorType operand = getOperand().getType();
  const RankedTensorType result = getResult().getType();
  // (C2)
  if (failed(CheckCount(*this, "permutation", getPermutation().size(), operand.getRank())) ||
      failed(CheckDimensions(*this, "permutation", getPermutation(), operand.getRank()))) {
    return failure();
  }
  llvm::SmallVector<int64_t> shape;
  for (int64_t from : getPermutation()) shape.push_back(operand.getDimSize(from));
  if (failed(CheckShape(*this, "result", result, shape)) ||  // (C3)
      failed(CheckSameScales(*this, operand, result))) {     // (C1)
    return failure();
  }
  return CheckTransposedAxis(*this, operand, result, getPermutation());  // (C4)
}

LogicalResult ReverseOp::verify() {
  // (C1): traits; (C2) (C3)
  return CheckDimensions(*this, "dimensions", getDimensions(), getOperand().getType().getRank());
}

LogicalResult ConcatenateOp::verify() {
  if (getInputs().empty()) return emitOpError() << "needs an operand";  // (C3); (C1) (C5): trait
  const auto first = llvm::cast<RankedTensorType>(getInputs()[0].getType());
  const int64_t along = static_cast<int64_t>(getDimension());
  if (failed(CheckDimension(*this, "dimension", along, first.getRank()))) return failure();  // (C4)
  llvm::SmallVector<int64_t> shape = llvm::to_vector(first.getShape());
  int64_t total = 0;
  for (mlir::Type type : getInputs().getTypes()) {
    const auto input = llvm::cast<RankedTensorType>(type);
    if (input.getRank() != first.getRank()) return emitOpError() << "has operands of different ranks";
    shape[along] = input.getDimSize(along);
    if (failed(CheckShape(*this, "operand", input, shape))) return failure();  // (C2)
    const bool unknown = ShapedType::isDynamic(total) || input.isDynamicDim(along);
    if (unknown) {
      total = ShapedType::kDynamic;
    } else if (llvm::AddOverflow(total, input.getDimSize(along), total)) {
      return emitOpError() << "result is too large";
    }
  }
  shape[along] = total;
  // (C6)
  return CheckShape(*this, "result", getResult().getType(), shape);
}

// ---- Slices.

LogicalResult SliceOp::verify() {
  const RankedTensorType operand = getOperand().getType();
  const int64_t rank = operand.getRank();
  // (C1): trait
  if (failed(CheckCount(*this, "start_indices", getStartIndices().size(), rank)) ||  // (C2)
      failed(CheckCount(*this, "limit_indices", getLimitIndices().size(), rank)) ||  // (C2)
      failed(CheckCount(*this, "strides", getStrides().size(), rank)) ||             // (C2)
      failed(CheckAtLeast(*this, "start_indices", getStartIndices(), 0)) ||          // (C3)
      failed(CheckAtLeast(*this, "strides", getStrides(), 1))) {                     // (C4)
    return failure();
  }
  llvm::SmallVector<int64_t> shape;
  for (int64_t i = 0; i < rank; ++i) {
    const int64_t start = getStartIndices()[i];
    const int64_t limit = getLimitIndices()[i];
    // (C3)
    const bool inside = start <= limit && (operand.isDynamicDim(i) || limit <= operand.getDimSize(i));
    if (!inside)
      return emitOpError() << "range " << start << ":" << limit << " leaves dimension " << i << " of " << operand;
    shape.push_back(static_cast<int64_t>(llvm::divideCeil(static_cast<uint64_t>(limit - start), getStrides()[i])));
  }
  // (C5)
  return CheckShape(*this, "result", getResult().getType(), shape);
}

LogicalResult PadOp::verify() {
  const RankedTensorType operand = getOperand().getType();
  const int64_t rank = operand.getRank();
  // (C1): trait
  if (failed(CheckScalar(*this, "padding_value", getPaddingValue().getType())) ||
      failed(CheckCount(*this, "edge_padding_low", getEdgePaddingLow().size(), rank)) ||    // (C2)
      failed(CheckCount(*this, "edge_padding_high", getEdgePaddingHigh().size(), rank)) ||  // (C2)
      failed(CheckCount(*this, "interior_padding", getInteriorPadding().size(), rank)) ||   // (C2)
      failed(CheckAtLeast(*this, "interior_padding", getInteriorPadding(), 0))) {           // (C3)
    return failure();
  }
  llvm::SmallVector<int64_t> shape;
  for (int64_t i = 0; i < rank; ++i) {
    auto size = PaddedSize(*this, i, operand.getDimSize(i), getEdgePaddingLow()[i], getEdgePaddingHigh()[i],
                           getInteriorPadding()[i]);
    if (failed(size)) return failure();
    shape.push_back(*size);
  }
  // (C4)
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

}  // namespace

LogicalResult DynamicSliceOp::verify() {
  const RankedTensorType operand = getOperand().getType();
  if (failed(CheckStarts(*this, getStartIndices(), operand.getRank())) ||   // (C2) (C3)
      failed(CheckAtLeast(*this, "slice_sizes", getSliceSizes(), 0)) ||     // (C4)
      failed(CheckFits(*this, "slice_sizes", getSliceSizes(), operand)) ||  // (C2) (C4)
      failed(CheckElement(*this, operand, getResult().getType()))) {        // (C1)
    return failure();
  }
  // (C5)
  return CheckShape(*this, "result", getResult().getType(), getSliceSizes());
}

LogicalResult DynamicUpdateSliceOp::verify() {
  const RankedTensorType operand = getOperand().getType();
  if (failed(CheckStarts(*this, getStartIndices(), operand.getRank())) ||                    // (C4) (C5)
      failed(CheckFits(*this, "update size", getUpdate().getType().getShape(), operand)) ||  // (C3) (C6)
      failed(CheckElement(*this, operand, getUpdate().getType()))) {                         // (C2)
    return failure();
  }
  // (C1)
  return CheckTypes(*this, "result", getResult().getType(), operand);
}

// ---- Gather and scatter.

LogicalResult GatherOp::verify() {
  const IndexedWindow window = GatherWindow(getDimensionNumbers());
  const RankedTensorType operand = getOperand().getType();
  const RankedTensorType result = getResult().getType();
  if (failed(
          CheckIndexedWindow(*this, window, operand, getStartIndices().getType(), result)) ||  // (C1) ... (C19), (C22)
      failed(CheckAtLeast(*this, "slice_sizes", getSliceSizes(), 0)) ||                        // (C21)
      failed(CheckFits(*this, "slice_sizes", getSliceSizes(), operand)) ||                     // (C20) (C21)
      failed(CheckElement(*this, operand, result))) {                                          // (C23)
    return failure();
  }
  return CheckWindowSlices(*this, window, getSliceSizes(), result);  // (C9) (C12) (C22)
}

LogicalResult ScatterOp::verify() {
  const IndexedWindow window = ScatterWindow(getScatterDimensionNumbers());
  if (getInputs().empty()) return emitOpError() << "needs an input";  // (C5); as many updates: SameVariadicOperandSize
  if (failed(CheckCount(*this, "results", getNumResults(), getInputs().size()))) return failure();
  // (C24); the computation may promote the elements, so the element types are compared with the region's.
  for (auto [result, input] : llvm::zip(getResultTypes(), getInputs().getTypes())) {
    const auto shape = llvm::cast<RankedTensorType>(input).getShape();
    if (failed(CheckShape(*this, "result", llvm::cast<RankedTensorType>(result), shape))) return failure();
  }
  const auto first_input = llvm::cast<RankedTensorType>(getInputs()[0].getType());
  const auto first_update = llvm::cast<RankedTensorType>(getUpdates()[0].getType());
  for (auto [input_value, update_value] : llvm::zip(getInputs(), getUpdates())) {
    const auto input = llvm::cast<RankedTensorType>(input_value.getType());
    const auto update = llvm::cast<RankedTensorType>(update_value.getType());
    if (failed(CheckIndexedWindow(*this, window, input, getScatterIndices().getType(),
                                  update)) ||                                    // (C2), (C4), (C7) ... (C22)
        failed(CheckShape(*this, "input", input, first_input.getShape())) ||     // (C1)
        failed(CheckShape(*this, "update", update, first_update.getShape()))) {  // (C3)
      return failure();
    }
    // (C4)
    for (auto [from, size] : llvm::zip(window.window_dims, InWindow(input.getShape(), window))) {
      if (ShapedType::isDynamic(size) || update.isDynamicDim(from) || update.getDimSize(from) <= size) continue;
      return emitOpError() << "update of size " << update.getDimSize(from) << " does not fit a window of size " << size;
    }
  }
  return success();
}

LogicalResult ScatterOp::verifyRegions() {
  mlir::Region& region = getUpdateComputation();
  if (failed(CheckReducer(*this, "update_computation", region, static_cast<int64_t>(getInputs().size())))) {  // (C23)
    return failure();
  }
  // (C6): promotable as inputs are, which is laxer than equal; (C23) (C25)
  if (failed(CheckFolds(*this, region, getUpdates().getTypes(), getResultTypes()))) return failure();
  return CheckFolds(*this, region, getInputs().getTypes(), getResultTypes());
}

}  // namespace treadle::stablehlo

// Generated code of the operations with shapes as operands, and their verifiers. (C1), (C2) ... are the constraints of
// the specification; of shapes it says what holds when the program runs, here constants and types are compared.
#include "llvm/Support/MathExtras.h"
#include "stablehlo/dialect/assembly.h"
#include "stablehlo/dialect/convolution_rules.h"
#include "stablehlo/dialect/indexed_window.h"
#include "stablehlo/dialect/ops.h"
#include "stablehlo/dialect/quantized_rules.h"
#include "stablehlo/dialect/shape_operands.h"
#include "stablehlo/dialect/shape_rules.h"

#define GET_OP_CLASSES
#include "stablehlo/dialect/dynamism.cc.inc"

namespace treadle::stablehlo {

using mlir::failure;
using mlir::LogicalResult;
using mlir::RankedTensorType;
using mlir::ShapedType;
using mlir::success;

void StablehloDialect::RegisterDynamismOps() {
  addOperations<
#define GET_OP_LIST
#include "stablehlo/dialect/dynamism.cc.inc"
      >();
}

LogicalResult DynamicBroadcastInDimOp::verify() {
  const RankedTensorType operand = getOperand().getType();
  const RankedTensorType result = getResult().getType();
  const llvm::ArrayRef<int64_t> dimensions = getBroadcastDimensions();
  llvm::SmallVector<int64_t> known = llvm::to_vector(getKnownExpandingDimensions().value_or(llvm::ArrayRef<int64_t>()));
  llvm::append_range(known, getKnownNonexpandingDimensions().value_or(llvm::ArrayRef<int64_t>()));
  if (failed(CheckBaseline(*this, {operand, result})) ||                                          // (C1)
      failed(CheckCount(*this, "broadcast_dimensions", dimensions.size(), operand.getRank())) ||  // (C2)
      failed(CheckDimensions(*this, "broadcast_dimensions", dimensions, result.getRank())) ||     // (C3) (C4)
      failed(CheckShapeOperand(*this, "output_dimensions", getOutputDimensions(), result)) ||     // (C7)
      failed(CheckDimensions(*this, "known dimensions", known, operand.getRank()))) {             // (C8) (C9) (C10)
    return failure();
  }
  // (C5)
  for (auto [from, to] : llvm::enumerate(dimensions)) {
    const int64_t size = operand.getDimSize(from);
    if (size != 1 && failed(CheckSameSize(*this, "sizes of operand and result", size, result.getDimSize(to))))
      return failure();
  }
  return CheckBroadcastAxis(*this, operand, result, dimensions);  // (C6)
}

LogicalResult DynamicConvOp::verify() {
  const RankedTensorType lhs = getLhs().getType();
  const auto padding_type = llvm::cast<RankedTensorType>(getPadding().getType());
  if (lhs.getRank() < 2) return emitOpError() << "needs at least two dimensions, got " << lhs;
  if (failed(CheckShape(*this, "padding", padding_type, {lhs.getRank() - 2, 2}))) return failure();  // (C4)
  mlir::DenseIntElementsAttr padding;
  const auto entries = ConstantEntries(getPadding());
  if (entries && static_cast<int64_t>(entries->size()) == 2 * (lhs.getRank() - 2)) {
    const auto type = RankedTensorType::get({lhs.getRank() - 2, 2}, mlir::IntegerType::get(getContext(), 64));
    padding = mlir::DenseIntElementsAttr::get(type, *entries);
  }
  return CheckConvolution(*this, PartsOf(*this), padding,
                          /*padding_known=*/static_cast<bool>(padding));  // (C1) to (C34)
}

LogicalResult DynamicGatherOp::verify() {
  // Batching dimensions came later than this operation's text; the labels are those of the text, as for gather without.
  const IndexedWindow window = GatherWindow(getDimensionNumbers());
  const RankedTensorType operand = getOperand().getType();
  const RankedTensorType result = getResult().getType();
  const auto indices = llvm::cast<RankedTensorType>(getStartIndices().getType());
  if (failed(CheckIndexedWindow(*this, window, operand, indices, result)) ||  // (C1) ... (C7), (C9), (C10), (C13)
      failed(CheckEntries(*this, "slice_sizes", getSliceSizes(), operand.getRank())) ||  // (C11)
      failed(CheckElement(*this, operand, result))) {                                    // (C14)
    return failure();
  }
  const auto sizes = ConstantEntries(getSliceSizes());
  if (!sizes) return success();
  if (failed(CheckAtLeast(*this, "slice_sizes", *sizes, 0)) ||
      failed(CheckFits(*this, "slice_sizes", *sizes, operand))) {  // (C12)
    return failure();
  }
  return CheckWindowSlices(*this, window, *sizes, result);  // (C8) (C13)
}

LogicalResult DynamicIotaOp::verify() {
  const RankedTensorType result = getResult().getType();
  const auto along = static_cast<int64_t>(getIotaDimension());
  if (failed(CheckDimension(*this, "iota_dimension", along, result.getRank()))) return failure();  // (C1)
  return CheckShapeOperand(*this, "output_shape", getOutputShape(), result);                       // (C2)
}

LogicalResult DynamicPadOp::verify() {
  const RankedTensorType operand = getOperand().getType();
  const RankedTensorType result = getResult().getType();
  const int64_t rank = operand.getRank();
  if (failed(CheckElement(*this, operand, getPaddingValue().getType())) ||  // (C1)
      failed(CheckElement(*this, operand, result)) ||                       // (C1)
      failed(CheckScalar(*this, "padding_value", getPaddingValue().getType())) ||
      failed(CheckEntries(*this, "edge_padding_low", getEdgePaddingLow(), rank)) ||    // (C2)
      failed(CheckEntries(*this, "edge_padding_high", getEdgePaddingHigh(), rank)) ||  // (C2)
      failed(CheckEntries(*this, "interior_padding", getInteriorPadding(), rank)) ||   // (C2)
      failed(CheckCount(*this, "result shape", result.getRank(), rank))) {             // (C4)
    return failure();
  }
  const auto low = ConstantEntries(getEdgePaddingLow());
  const auto high = ConstantEntries(getEdgePaddingHigh());
  const auto interior = ConstantEntries(getInteriorPadding());
  if (interior && failed(CheckAtLeast(*this, "interior_padding", *interior, 0))) return failure();  // (C3)
  if (!low || !high || !interior) return success();
  // (C4)
  llvm::SmallVector<int64_t> shape;
  for (int64_t i = 0; i < rank; ++i) {
    auto size = PaddedSize(*this, i, operand.getDimSize(i), (*low)[i], (*high)[i], (*interior)[i]);
    if (failed(size)) return failure();
    shape.push_back(*size);
  }
  return CheckShape(*this, "result", result, shape);
}

LogicalResult DynamicReshapeOp::verify() {
  const RankedTensorType operand = getOperand().getType();
  const RankedTensorType result = getResult().getType();
  if (failed(CheckBaseline(*this, {operand, result})) ||                             // (C1)
      failed(CheckSameScales(*this, operand, result)) ||                             // (C1)
      failed(CheckShapeOperand(*this, "output_shape", getOutputShape(), result))) {  // (C4)
    return failure();
  }
  const auto from = CountElements(*this, "operand", operand);
  const auto to = CountElements(*this, "result", result);
  if (failed(from) || failed(to)) return failure();
  // (C2)
  if (*from && *to && **from != **to)
    return emitOpError() << "changes the number of elements, from " << operand << " to " << result;
  return CheckReshapedAxis(*this, operand, result);  // (C3)
}

// The specification no longer lists it.
LogicalResult RealDynamicSliceOp::verify() {
  const RankedTensorType operand = getOperand().getType();
  const RankedTensorType result = getResult().getType();
  const int64_t rank = operand.getRank();
  if (failed(CheckElement(*this, operand, result)) ||
      failed(CheckCount(*this, "result shape", result.getRank(), rank)) ||
      failed(CheckEntries(*this, "start_indices", getStartIndices(), rank)) ||
      failed(CheckEntries(*this, "limit_indices", getLimitIndices(), rank)) ||
      failed(CheckEntries(*this, "strides", getStrides(), rank))) {
    return failure();
  }
  const auto strides = ConstantEntries(getStrides());
  return strides ? CheckAtLeast(*this, "strides", *strides, 1) : success();
}

LogicalResult GetDimensionSizeOp::verify() {
  const RankedTensorType result = getResult().getType();
  if (result.getRank() != 0 || !result.getElementType().isInteger(32))
    return emitOpError() << "gives tensor<i32>, got " << result;
  // (C1)
  return CheckDimension(*this, "dimension", static_cast<int64_t>(getDimension()), getOperand().getType().getRank());
}

// The specification does not list it. The result's size is not known, but at most the operand's.
LogicalResult SetDimensionSizeOp::verify() {
  const RankedTensorType operand = getOperand().getType();
  const RankedTensorType result = getResult().getType();
  const auto along = static_cast<int64_t>(getDimension());
  if (failed(CheckDimension(*this, "dimension", along, operand.getRank())) ||
      failed(CheckScalar(*this, "size", getSize().getType())) || failed(CheckElement(*this, operand, result))) {
    return failure();
  }
  llvm::SmallVector<int64_t> shape = llvm::to_vector(operand.getShape());
  shape[along] = ShapedType::kDynamic;
  if (failed(CheckShape(*this, "result", result, shape))) return failure();
  if (operand.isDynamicDim(along) || result.isDynamicDim(along) ||
      result.getDimSize(along) <= operand.getDimSize(along))
    return success();
  return emitOpError() << "makes dimension " << along << " of " << operand << " larger, got " << result;
}

}  // namespace treadle::stablehlo

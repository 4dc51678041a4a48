#include "compiler/optimize/read_attributes.h"

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "compiler/optimize/describe.h"
#include "llvm/ADT/StringMap.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/DialectResourceBlobManager.h"
#include "stablehlo/dialect/ops.h"

namespace treadle::compiler {
namespace {

using graph::Attributes;
using graph::OpCode;

std::vector<int64_t> Ints(mlir::Operation* op, llvm::StringRef name) {
  if (auto array = op->getAttrOfType<mlir::DenseI64ArrayAttr>(name)) return array.asArrayRef().vec();
  if (auto integer = op->getAttrOfType<mlir::IntegerAttr>(name)) return {integer.getInt()};
  return {};
}

graph::Direction DirectionOf(stablehlo::ComparisonDirection direction) {
  switch (direction) {
    case stablehlo::ComparisonDirection::EQ:
      return graph::Direction::kEq;
    case stablehlo::ComparisonDirection::NE:
      return graph::Direction::kNe;
    case stablehlo::ComparisonDirection::GE:
      return graph::Direction::kGe;
    case stablehlo::ComparisonDirection::GT:
      return graph::Direction::kGt;
    case stablehlo::ComparisonDirection::LE:
      return graph::Direction::kLe;
    case stablehlo::ComparisonDirection::LT:
      return graph::Direction::kLt;
  }
  return graph::Direction::kEq;
}

std::string DenseBytes(mlir::DenseElementsAttr dense, bool splat) {
  if (!dense.getElementType().isInteger(1)) return std::string(dense.getRawData().data(), dense.getRawData().size());
  std::string bytes;  // MLIR packs i1 to bits
  if (splat) return std::string(1, dense.getSplatValue<bool>() ? 1 : 0);
  bytes.reserve(dense.getNumElements());
  for (bool value : dense.getValues<bool>()) bytes.push_back(value ? 1 : 0);
  return bytes;
}

StatusOr<Attributes> ReadLiteral(mlir::Operation* op) {
  TREADLE_ASSIGN_OR_RETURN(Shape shape, ShapeOf(op->getResult(0).getType(), op));
  Attributes attrs;
  std::string bytes;
  auto value = op->getAttrOfType<mlir::ElementsAttr>("value");
  if (auto dense = llvm::dyn_cast_or_null<mlir::DenseElementsAttr>(value)) {
    attrs.splat = dense.isSplat() && dense.getNumElements() > 0;
    if (dense.getNumElements() > 0) bytes = DenseBytes(dense, attrs.splat);  // else MLIR may keep a splat's element
  } else if (auto resource = llvm::dyn_cast_or_null<mlir::DenseResourceElementsAttr>(value)) {
    mlir::AsmResourceBlob* blob = resource.getRawHandle().getBlob();
    if (!blob) return InvalidArgument("a constant names a resource that is not there: " + Describe(op));
    bytes.assign(blob->getData().data(), blob->getData().size());
  } else {
    return NotYet(op, "constants of this form");
  }
  int64_t expected = attrs.splat ? ElementBytes(shape.type) : shape.bytes();
  if (static_cast<int64_t>(bytes.size()) != expected) {
    return InvalidArgument("a constant has " + std::to_string(bytes.size()) + " bytes instead of " +
                           std::to_string(expected) + ": " + Describe(op));
  }
  attrs.literal = std::make_shared<const std::string>(std::move(bytes));
  return attrs;
}

// How a window of `rank` dimensions moves. What is not given: strides and dilations of one, no padding.
void ReadMoves(mlir::Operation* op, size_t rank, llvm::StringRef dilation, llvm::StringRef base, Attributes& attrs) {
  auto given = [&](llvm::StringRef name) {
    std::vector<int64_t> list = Ints(op, name);
    return list.empty() ? std::vector<int64_t>(rank, 1) : list;
  };
  attrs.strides = given("window_strides");
  attrs.dilations = given(dilation);
  attrs.interior = given(base);
  for (int64_t& gap : attrs.interior) --gap;
  attrs.low.resize(rank);
  attrs.high.resize(rank);
  if (auto padding = op->getAttrOfType<mlir::DenseIntElementsAttr>("padding")) {
    auto values = padding.getValues<int64_t>();
    for (size_t k = 0; k < rank; ++k) {
      attrs.low[k] = values[2 * k];
      attrs.high[k] = values[2 * k + 1];
    }
  }
}

Attributes ReadWindow(mlir::Operation* op) {
  Attributes attrs;
  attrs.limits = Ints(op, "window_dimensions");
  ReadMoves(op, attrs.limits.size(), "window_dilations", "base_dilations", attrs);
  return attrs;
}

Attributes ReadConvolution(stablehlo::ConvolutionOp op) {
  Attributes attrs;
  const auto numbers = op.getDimensionNumbers();
  graph::Convolution conv;
  conv.lhs = {numbers.getInputBatchDimension(), numbers.getInputFeatureDimension(),
              numbers.getInputSpatialDimensions().vec()};
  conv.rhs = {numbers.getKernelInputFeatureDimension(), numbers.getKernelOutputFeatureDimension(),
              numbers.getKernelSpatialDimensions().vec()};
  conv.out = {numbers.getOutputBatchDimension(), numbers.getOutputFeatureDimension(),
              numbers.getOutputSpatialDimensions().vec()};
  const size_t rank = conv.lhs.spatial.size();
  conv.reversed.resize(rank);
  if (auto reversed = op.getWindowReversal()) conv.reversed.assign(reversed->begin(), reversed->end());
  conv.feature_groups = static_cast<int64_t>(op.getFeatureGroupCount());
  conv.batch_groups = static_cast<int64_t>(op.getBatchGroupCount());
  ReadMoves(op, rank, "rhs_dilation", "lhs_dilation", attrs);
  attrs.conv = std::make_shared<const graph::Convolution>(std::move(conv));
  return attrs;
}

}  // namespace

std::optional<OpCode> CodeOf(llvm::StringRef name) {
  static const llvm::StringMap<OpCode>* const codes = [] {
    auto* map = new llvm::StringMap<OpCode>;
#define GRAPH_OP(code, text, cls) (*map)["stablehlo." text] = OpCode::code;
#include "compiler/graph/op_codes.def"
    for (const char* name : {"erf", "erfc"}) {  // not of StableHLO itself
      (*map)["chlo." + std::string(name)] = map->lookup("stablehlo." + std::string(name));
      map->erase("stablehlo." + std::string(name));
    }
    return map;
  }();
  auto found = codes->find(name);
  return found == codes->end() ? std::nullopt : std::optional(found->second);
}

Attributes ReadSelectWindow(mlir::Operation* op) {
  Attributes attrs = ReadWindow(op);
  const auto rank = static_cast<size_t>(llvm::cast<mlir::ShapedType>(op->getOperand(0).getType()).getRank());
  if (attrs.limits.empty()) {  // not given: windows of one element
    attrs.limits.assign(rank, 1);
    ReadMoves(op, rank, "window_dilations", "base_dilations", attrs);
  }
  return attrs;
}

StatusOr<Attributes> ReadAttributes(mlir::Operation* op, OpCode code) {
  Attributes attrs;
  switch (code) {
    case OpCode::kConstant:
      return ReadLiteral(op);
    case OpCode::kBroadcastInDim:
      attrs.dims = Ints(op, "broadcast_dimensions");
      break;
    case OpCode::kTranspose:
      attrs.dims = Ints(op, "permutation");
      break;
    case OpCode::kReverse:
    case OpCode::kReduce:
      attrs.dims = Ints(op, "dimensions");
      break;
    case OpCode::kConcatenate:
      attrs.dims = Ints(op, "dimension");
      break;
    case OpCode::kSort: {  // always done stably
      int64_t dimension = llvm::cast<stablehlo::SortOp>(op).getDimension();
      attrs.dims = {dimension < 0 ? dimension + llvm::cast<mlir::ShapedType>(op->getOperand(0).getType()).getRank()
                                  : dimension};
      break;
    }
    case OpCode::kIota:
      attrs.dims = Ints(op, "iota_dimension");
      break;
    case OpCode::kSlice:
      attrs.starts = Ints(op, "start_indices");
      attrs.limits = Ints(op, "limit_indices");
      attrs.strides = Ints(op, "strides");
      break;
    case OpCode::kDynamicSlice:
      attrs.limits = Ints(op, "slice_sizes");
      break;
    case OpCode::kPad:
      attrs.low = Ints(op, "edge_padding_low");
      attrs.high = Ints(op, "edge_padding_high");
      attrs.interior = Ints(op, "interior_padding");
      break;
    case OpCode::kReduceWindow:
      return ReadWindow(op);
    case OpCode::kConvolution:
      return ReadConvolution(llvm::cast<stablehlo::ConvolutionOp>(op));
    case OpCode::kReducePrecision: {
      auto reduce = llvm::cast<stablehlo::ReducePrecisionOp>(op);
      attrs.exponent_bits = static_cast<int>(reduce.getExponentBits());
      attrs.mantissa_bits = static_cast<int>(reduce.getMantissaBits());
      break;
    }
    case OpCode::kCompare: {
      auto compare = llvm::cast<stablehlo::CompareOp>(op);
      attrs.direction = DirectionOf(compare.getComparisonDirection());
      attrs.total_order = compare.getCompareType() == stablehlo::ComparisonType::TOTALORDER;
      break;
    }
    case OpCode::kDotGeneral: {
      auto dims = llvm::cast<stablehlo::DotGeneralOp>(op).getDotDimensionNumbers();
      attrs.dot = {dims.getLhsBatchingDimensions().vec(), dims.getRhsBatchingDimensions().vec(),
                   dims.getLhsContractingDimensions().vec(), dims.getRhsContractingDimensions().vec()};
      break;
    }
    case OpCode::kGather: {
      auto dims = llvm::cast<stablehlo::GatherOp>(op).getDimensionNumbers();
      attrs.windows = {dims.getOffsetDims().vec(),          dims.getCollapsedSliceDims().vec(),
                       dims.getOperandBatchingDims().vec(), dims.getStartIndicesBatchingDims().vec(),
                       dims.getStartIndexMap().vec(),       dims.getIndexVectorDim()};
      attrs.limits = Ints(op, "slice_sizes");
      break;
    }
    case OpCode::kScatter: {
      auto scatter = llvm::cast<stablehlo::ScatterOp>(op);
      auto dims = scatter.getScatterDimensionNumbers();
      attrs.windows = {dims.getUpdateWindowDims().vec(),         dims.getInsertedWindowDims().vec(),
                       dims.getInputBatchingDims().vec(),        dims.getScatterIndicesBatchingDims().vec(),
                       dims.getScatterDimsToOperandDims().vec(), dims.getIndexVectorDim()};
      attrs.unique = scatter.getUniqueIndices();
      break;
    }
    case OpCode::kBitcastConvert: {
      auto from = llvm::cast<mlir::ShapedType>(op->getOperand(0).getType());
      auto to = llvm::cast<mlir::ShapedType>(op->getResult(0).getType());
      if (from.getRank() != to.getRank()) return NotYet(op, "between element types of different width");
      break;
    }
    default:
      break;
  }
  return attrs;
}

}  // namespace treadle::compiler

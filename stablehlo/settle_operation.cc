#include "stablehlo/settle_operation.h"

#include <numeric>
#include <optional>

#include "stablehlo/chlo/math_builder.h"
#include "stablehlo/dialect/ops.h"
#include "stablehlo/dialect/shape_operands.h"

namespace treadle::stablehlo {

using mlir::Operation;
using mlir::RankedTensorType;
using mlir::Value;

namespace {

using Integers = llvm::SmallVector<int64_t>;

constexpr int kMaxDepth = 32;        // of the arithmetic that shapes are made by
constexpr size_t kMaxElements = 64;  // of a tensor of sizes

RankedTensorType TensorType(Value value) { return llvm::cast<RankedTensorType>(value.getType()); }

std::optional<Integers> ValueOf(Value value, int depth = 0);

std::optional<int64_t> Apply(Operation* op, int64_t a, int64_t b) {
  int64_t result = 0;
  if (llvm::isa<AddOp>(op)) return __builtin_add_overflow(a, b, &result) ? std::nullopt : std::optional(result);
  if (llvm::isa<SubtractOp>(op)) return __builtin_sub_overflow(a, b, &result) ? std::nullopt : std::optional(result);
  if (llvm::isa<MulOp>(op)) return __builtin_mul_overflow(a, b, &result) ? std::nullopt : std::optional(result);
  if (llvm::isa<MaxOp>(op)) return std::max(a, b);
  if (llvm::isa<MinOp>(op)) return std::min(a, b);
  if (b > 0 && llvm::isa<DivOp>(op)) return a / b;
  if (b > 0 && llvm::isa<RemOp>(op)) return a % b;
  return std::nullopt;
}

std::optional<Integers> ElementwiseOf(Operation* op, int depth) {
  std::optional<Integers> a = ValueOf(op->getOperand(0), depth), b = ValueOf(op->getOperand(1), depth);
  if (!a || !b || a->size() != b->size()) return std::nullopt;
  for (size_t i = 0; i < a->size(); ++i) {
    std::optional<int64_t> value = Apply(op, (*a)[i], (*b)[i]);
    if (!value) return std::nullopt;
    (*a)[i] = *value;
  }
  return a;
}

// The elements of a small tensor of integers that constants and types determine.
std::optional<Integers> ValueOf(Value value, int depth) {
  Operation* op = value.getDefiningOp();
  if (!op || depth > kMaxDepth) return std::nullopt;
  if (llvm::isa<ConstantOp>(op)) {
    std::optional<Integers> entries = ConstantEntries(value);
    return entries && entries->size() <= kMaxElements ? entries : std::nullopt;
  }
  if (auto size = llvm::dyn_cast<GetDimensionSizeOp>(op)) {
    const RankedTensorType type = TensorType(size.getOperand());
    const auto dimension = static_cast<int64_t>(size.getDimension());
    if (type.isDynamicDim(dimension)) return std::nullopt;
    return Integers{type.getDimSize(dimension)};
  }
  if (llvm::isa<ConvertOp, ReshapeOp>(op)) return ValueOf(op->getOperand(0), depth + 1);
  if (llvm::isa<BroadcastInDimOp>(op)) {
    const RankedTensorType type = TensorType(value);
    std::optional<Integers> one = ValueOf(op->getOperand(0), depth + 1);
    if (!one || one->size() != 1 || !type.hasStaticShape() || static_cast<size_t>(type.getNumElements()) > kMaxElements)
      return std::nullopt;
    return Integers(type.getNumElements(), one->front());
  }
  if (auto concatenate = llvm::dyn_cast<ConcatenateOp>(op)) {
    Integers all;
    for (Value part : concatenate.getInputs()) {
      std::optional<Integers> values = ValueOf(part, depth + 1);
      if (!values || TensorType(part).getRank() != 1) return std::nullopt;
      all.append(*values);
    }
    return all;
  }
  if (auto slice = llvm::dyn_cast<SliceOp>(op)) {
    std::optional<Integers> all = ValueOf(slice.getOperand(), depth + 1);
    if (!all || TensorType(slice.getOperand()).getRank() != 1) return std::nullopt;
    Integers some;
    const int64_t limit = slice.getLimitIndices()[0];
    if (limit > static_cast<int64_t>(all->size())) return std::nullopt;  // the type does not say how many there are
    for (int64_t i = slice.getStartIndices()[0]; i < limit; i += slice.getStrides()[0]) some.push_back((*all)[i]);
    return some;
  }
  if (op->getNumOperands() == 2 && op->getNumResults() == 1) return ElementwiseOf(op, depth + 1);
  return std::nullopt;
}

// `type` with the sizes that are open in it taken from `sizes`; null where they do not fit.
RankedTensorType Settled(RankedTensorType type, llvm::ArrayRef<int64_t> sizes) {
  if (static_cast<int64_t>(sizes.size()) != type.getRank()) return {};
  for (int64_t d = 0; d < type.getRank(); ++d) {
    if (sizes[d] < 0 || (!type.isDynamicDim(d) && type.getDimSize(d) != sizes[d])) return {};
  }
  return RankedTensorType::get(sizes, type.getElementType());
}

// The result's type where it, or else `shape`, settles it.
RankedTensorType ResultType(Operation* op, Value shape) {
  const RankedTensorType type = TensorType(op->getResult(0));
  if (type.hasStaticShape()) return type;
  std::optional<Integers> sizes = ValueOf(shape);
  return sizes ? Settled(type, *sizes) : RankedTensorType();
}

// One number for each of `rank` dimensions.
bool AreFor(int64_t rank, std::initializer_list<const Integers*> lists) {
  return llvm::all_of(lists, [&](const Integers* list) { return static_cast<int64_t>(list->size()) == rank; });
}

// The size of a dimension with padding; nothing where it is no size.
std::optional<int64_t> PaddedSize(int64_t size, int64_t low, int64_t high, int64_t interior) {
  int64_t result = 0;
  if (__builtin_mul_overflow(std::max<int64_t>(size - 1, 0), interior, &result) ||
      __builtin_add_overflow(result, low, &result) || __builtin_add_overflow(result, high, &result) ||
      __builtin_add_overflow(result, size, &result)) {
    return std::nullopt;
  }
  return result;
}

// How many elements a slice takes of a dimension; nothing where it cannot be.
std::optional<int64_t> SlicedSize(int64_t size, int64_t start, int64_t limit, int64_t stride) {
  if (start < 0 || start > limit || limit > size || stride <= 0) return std::nullopt;
  return (limit - start) / stride + ((limit - start) % stride != 0 ? 1 : 0);
}

Value SettlePad(mlir::OpBuilder& builder, DynamicPadOp op) {
  const std::optional<Integers> low = ValueOf(op.getEdgePaddingLow()), high = ValueOf(op.getEdgePaddingHigh()),
                                interior = ValueOf(op.getInteriorPadding());
  const RankedTensorType operand = TensorType(op.getOperand());
  if (!low || !high || !interior || !operand.hasStaticShape()) return {};
  if (!AreFor(operand.getRank(), {&*low, &*high, &*interior})) return {};
  Integers sizes;
  for (int64_t d = 0; d < operand.getRank(); ++d) {
    const std::optional<int64_t> size = PaddedSize(operand.getDimSize(d), (*low)[d], (*high)[d], (*interior)[d]);
    if (!size) return {};
    sizes.push_back(*size);
  }
  const RankedTensorType type = Settled(TensorType(op.getResult()), sizes);
  if (!type) return {};
  return PadOp::create(builder, op.getLoc(), type, op.getOperand(), op.getPaddingValue(), *low, *high, *interior);
}

Value SettleSlice(mlir::OpBuilder& builder, RealDynamicSliceOp op) {
  const RankedTensorType operand = TensorType(op.getOperand()), result = TensorType(op.getResult());
  const std::optional<Integers> starts = ValueOf(op.getStartIndices()), limits = ValueOf(op.getLimitIndices()),
                                strides = ValueOf(op.getStrides());
  if (!strides || !operand.hasStaticShape() || !AreFor(operand.getRank(), {&*strides})) return {};
  if (starts && limits) {
    if (!AreFor(operand.getRank(), {&*starts, &*limits})) return {};
    Integers sizes;
    for (size_t d = 0; d < starts->size(); ++d) {
      const std::optional<int64_t> size = SlicedSize(operand.getDimSize(d), (*starts)[d], (*limits)[d], (*strides)[d]);
      if (!size) return {};
      sizes.push_back(*size);
    }
    const RankedTensorType type = Settled(result, sizes);
    return type ? SliceOp::create(builder, op.getLoc(), type, op.getOperand(), *starts, *limits, *strides) : Value();
  }
  // A window of known size anywhere.
  if (!result.hasStaticShape() || llvm::any_of(*strides, [](int64_t stride) { return stride != 1; })) return {};
  llvm::SmallVector<Value> scalars;
  const mlir::Type element = TensorType(op.getStartIndices()).getElementType();
  for (int64_t d = 0; d < operand.getRank(); ++d) {
    Value one = SliceOp::create(builder, op.getLoc(), RankedTensorType::get({1}, element), op.getStartIndices(),
                                llvm::ArrayRef<int64_t>{d}, llvm::ArrayRef<int64_t>{d + 1}, llvm::ArrayRef<int64_t>{1});
    scalars.push_back(ReshapeOp::create(builder, op.getLoc(), RankedTensorType::get({}, element), one));
  }
  return DynamicSliceOp::create(builder, op.getLoc(), result, op.getOperand(), scalars, result.getShape());
}

Value SettleGather(mlir::OpBuilder& builder, DynamicGatherOp op) {
  const std::optional<Integers> sizes = ValueOf(op.getSliceSizes());
  const RankedTensorType result = TensorType(op.getResult());
  if (!sizes || !result.hasStaticShape()) return {};
  return GatherOp::create(builder, op.getLoc(), result, op.getOperand(), op.getStartIndices(), op.getDimensionNumbers(),
                          *sizes, op.getIndicesAreSorted());
}

Value SettleConvolution(mlir::OpBuilder& builder, DynamicConvOp op) {
  const std::optional<Integers> padding = ValueOf(op.getPadding());
  const RankedTensorType result = TensorType(op.getResult());
  if (!padding || !result.hasStaticShape()) return {};
  const auto type = RankedTensorType::get({static_cast<int64_t>(padding->size()) / 2, 2}, builder.getI64Type());
  return ConvolutionOp::create(builder, op.getLoc(), result, op.getLhs(), op.getRhs(), op.getWindowStridesAttr(),
                               mlir::DenseIntElementsAttr::get(type, llvm::ArrayRef<int64_t>(*padding)),
                               op.getLhsDilationAttr(), op.getRhsDilationAttr(), op.getWindowReversalAttr(),
                               op.getDimensionNumbersAttr(), op.getFeatureGroupCountAttr(), op.getBatchGroupCountAttr(),
                               op.getPrecisionConfigAttr());
}

}  // namespace

Value SettleOperation(Operation* op) {
  mlir::OpBuilder builder(op);
  const mlir::Location location = op->getLoc();
  if (auto reshape = llvm::dyn_cast<DynamicReshapeOp>(op)) {
    const RankedTensorType type = ResultType(op, reshape.getOutputShape());
    if (!type || !TensorType(reshape.getOperand()).hasStaticShape()) return {};
    return ReshapeOp::create(builder, location, type, reshape.getOperand());
  }
  if (auto broadcast = llvm::dyn_cast<DynamicBroadcastInDimOp>(op)) {
    const RankedTensorType type = ResultType(op, broadcast.getOutputDimensions());
    if (!type || !TensorType(broadcast.getOperand()).hasStaticShape()) return {};
    return BroadcastInDimOp::create(builder, location, type, broadcast.getOperand(),
                                    broadcast.getBroadcastDimensions());
  }
  if (auto iota = llvm::dyn_cast<DynamicIotaOp>(op)) {
    const RankedTensorType type = ResultType(op, iota.getOutputShape());
    return type ? IotaOp::create(builder, location, type, iota.getIotaDimensionAttr()) : Value();
  }
  if (auto pad = llvm::dyn_cast<DynamicPadOp>(op)) return SettlePad(builder, pad);
  if (auto slice = llvm::dyn_cast<RealDynamicSliceOp>(op)) return SettleSlice(builder, slice);
  if (auto gather = llvm::dyn_cast<DynamicGatherOp>(op)) return SettleGather(builder, gather);
  if (auto convolution = llvm::dyn_cast<DynamicConvOp>(op)) return SettleConvolution(builder, convolution);
  if (auto size = llvm::dyn_cast<GetDimensionSizeOp>(op)) {
    const std::optional<Integers> value = ValueOf(size.getResult());
    if (!value) return {};
    return chlo::MathBuilder(builder, location, TensorType(size.getResult()))
        .Integer(static_cast<uint64_t>(value->front()));
  }
  if (auto set = llvm::dyn_cast<SetDimensionSizeOp>(op)) {
    const std::optional<Integers> size = ValueOf(set.getSize());
    const RankedTensorType type = TensorType(set.getOperand());
    const bool all =
        size && type.hasStaticShape() && type.getDimSize(static_cast<int64_t>(set.getDimension())) == size->front();
    return all ? set.getOperand() : Value();
  }
  return {};
}

}  // namespace treadle::stablehlo

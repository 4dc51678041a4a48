#include "stablehlo/chlo/ragged_dot.h"

#include "stablehlo/chlo/math_builder.h"
#include "stablehlo/dialect/convolution_rules.h"
#include "stablehlo/dialect/shape_rules.h"

namespace treadle::chlo {

using mlir::failure;
using mlir::LogicalResult;
using mlir::RankedTensorType;
using mlir::Value;

namespace {

using Dims = llvm::SmallVector<int64_t>;

Dims Sizes(RankedTensorType type, llvm::ArrayRef<int64_t> dims) {
  return llvm::map_to_vector(dims, [&](int64_t dim) { return type.getDimSize(dim); });
}

int64_t NumGroups(RaggedDotOp op) { return op.getGroupSizes().getType().getShape().back(); }

LogicalResult CheckGroups(RaggedDotOp op, const RaggedDims& dims) {
  const RaggedDotDimensionNumbersAttr numbers = op.getRaggedDotDimensionNumbers();
  const RankedTensorType rhs = op.getRhs().getType(), sizes = op.getGroupSizes().getType();
  if (sizes.getRank() == 0) return op.emitOpError() << "needs group_sizes of one dimension or more";
  if (sizes.getRank() > 1) {
    Dims shape = Sizes(op.getLhs().getType(), dims.prefix);
    shape.push_back(NumGroups(op));
    if (failed(stablehlo::CheckShape(op, "group_sizes", sizes, shape))) return failure();
  }
  Dims used = llvm::to_vector(numbers.getRhsGroupDimensions());
  llvm::append_range(used, numbers.getRhsBatchingDimensions());
  llvm::append_range(used, numbers.getRhsContractingDimensions());
  const int64_t wanted = dims.mode == RaggedMode::kFree ? 1 : 0;
  if (failed(stablehlo::CheckDimensions(op, "dimensions of rhs with its groups", used, rhs.getRank())) ||
      failed(stablehlo::CheckCount(op, "rhs_group_dimensions", numbers.getRhsGroupDimensions().size(), wanted))) {
    return failure();
  }
  if (wanted == 0) return mlir::success();
  return stablehlo::CheckSameSize(op, "the groups and the dimension of rhs", NumGroups(op),
                                  rhs.getDimSize(numbers.getRhsGroupDimensions().front()));
}

// `sizes` summed up along the last dimension: where each group ends.
Value Ends(mlir::OpBuilder& builder, mlir::Location location, Value sizes) {
  const auto type = llvm::cast<RankedTensorType>(sizes.getType());
  const int64_t rank = type.getRank(), last = type.getShape().back();
  if (last == 0) return sizes;
  MathBuilder scalar(builder, location, RankedTensorType::get({}, type.getElementType()));
  Dims window(rank, 1), padding(2 * rank, 0);
  window.back() = last;
  padding[2 * (rank - 1)] = last - 1;
  const auto pairs = mlir::DenseIntElementsAttr::get(RankedTensorType::get({rank, 2}, builder.getI64Type()),
                                                     llvm::ArrayRef<int64_t>(padding));
  auto sums = stablehlo::ReduceWindowOp::create(builder, location, mlir::TypeRange{mlir::Type(type)},
                                                mlir::ValueRange{sizes}, mlir::ValueRange{scalar.Integer(0)},
                                                builder.getDenseI64ArrayAttr(window), mlir::DenseI64ArrayAttr(),
                                                mlir::DenseI64ArrayAttr(), mlir::DenseI64ArrayAttr(), pairs);
  mlir::OpBuilder::InsertionGuard guard(builder);
  mlir::Block* block = builder.createBlock(&sums.getBody(), {}, {scalar.type(), scalar.type()}, {location, location});
  stablehlo::ReturnOp::create(builder, location, scalar.Add(block->getArgument(0), block->getArgument(1)));
  return sums.getResult(0);
}

// lhs with one more dimension in front: for each group its elements, 0 elsewhere.
Value OneGroupEach(mlir::OpBuilder& builder, RaggedDotOp op, const RaggedDims& dims) {
  const mlir::Location location = op.getLoc();
  const RankedTensorType lhs = op.getLhs().getType(), sizes_type = op.getGroupSizes().getType();
  Dims shape = {NumGroups(op)}, from_lhs;
  llvm::append_range(shape, lhs.getShape());
  for (int64_t i = 0; i < lhs.getRank(); ++i) from_lhs.push_back(i + 1);
  MathBuilder values(builder, location, RankedTensorType::get(shape, lhs.getElementType()));
  MathBuilder places = values.WithElement(builder.getI64Type());
  auto spread = [&](MathBuilder& to, Value value, llvm::ArrayRef<int64_t> where) -> Value {
    return stablehlo::BroadcastInDimOp::create(builder, location, to.type(), value, where);
  };

  Dims from_sizes;
  if (sizes_type.getRank() > 1) from_sizes = llvm::map_to_vector(dims.prefix, [](int64_t dim) { return dim + 1; });
  from_sizes.push_back(0);
  MathBuilder small(builder, location, WithElementType(sizes_type, builder.getI64Type()));
  const Value sizes = small.ConvertTo(op.getGroupSizes());
  const Value ends = Ends(builder, location, sizes);
  const Value begins = small.Sub(ends, sizes);
  const Value place =
      stablehlo::IotaOp::create(builder, location, places.type(), builder.getI64IntegerAttr(dims.ragged + 1));
  const Value before = places.Less(place, spread(places, ends, from_sizes));
  const Value after = places.Compare(place, stablehlo::ComparisonDirection::GE, spread(places, begins, from_sizes));
  return values.Select(values.And(before, after), spread(values, op.getLhs(), from_lhs), values.Constant(0));
}

Value Product(mlir::OpBuilder& builder, RaggedDotOp op, Value lhs, llvm::ArrayRef<int64_t> shape,
              stablehlo::DotDimensionNumbersAttr numbers) {
  const auto type = RankedTensorType::get(shape, op.getResult().getType().getElementType());
  return stablehlo::DotGeneralOp::create(builder, op.getLoc(), type, lhs, op.getRhs(), numbers, mlir::ArrayAttr(),
                                         stablehlo::DotAlgorithmAttr());
}

}  // namespace

RaggedDims DimsOf(RaggedDotOp op) {
  const RaggedDotDimensionNumbersAttr numbers = op.getRaggedDotDimensionNumbers();
  const llvm::ArrayRef<int64_t> batch = numbers.getLhsBatchingDimensions();
  const llvm::ArrayRef<int64_t> contract = numbers.getLhsContractingDimensions();
  RaggedDims dims = {RaggedMode::kFree, numbers.getLhsRaggedDimensions().front(), llvm::to_vector(batch), {}, {}};
  for (int64_t i = 0; i < op.getLhs().getType().getRank(); ++i) {
    if (!llvm::is_contained(batch, i) && !llvm::is_contained(contract, i)) dims.lhs_free.push_back(i);
  }
  for (int64_t i = 0; i < op.getRhs().getType().getRank(); ++i) {
    if (!llvm::is_contained(numbers.getRhsBatchingDimensions(), i) &&
        !llvm::is_contained(numbers.getRhsContractingDimensions(), i) &&
        !llvm::is_contained(numbers.getRhsGroupDimensions(), i)) {
      dims.rhs_free.push_back(i);
    }
  }
  auto append_before = [&](llvm::ArrayRef<int64_t> list) {
    dims.prefix.append(list.begin(), llvm::find(list, dims.ragged));
  };
  if (llvm::is_contained(batch, dims.ragged)) {
    dims.mode = RaggedMode::kBatching;
    dims.prefix.clear();
    append_before(batch);
  } else if (llvm::is_contained(contract, dims.ragged)) {
    dims.mode = RaggedMode::kContracting;
    append_before(contract);
  } else {
    append_before(dims.lhs_free);
  }
  return dims;
}

LogicalResult RaggedDotOp::verify() {
  const RaggedDotDimensionNumbersAttr numbers = getRaggedDotDimensionNumbers();
  const RankedTensorType lhs = getLhs().getType(), rhs = getRhs().getType();
  const llvm::ArrayRef<int64_t> ragged = numbers.getLhsRaggedDimensions();
  if (failed(stablehlo::CheckPrecisions(*this, getPrecisionConfig())) ||
      failed(stablehlo::CheckDotDimensions(
          *this, lhs, numbers.getLhsBatchingDimensions(), numbers.getLhsContractingDimensions(), rhs,
          numbers.getRhsBatchingDimensions(), numbers.getRhsContractingDimensions())) ||
      failed(stablehlo::CheckCount(*this, "lhs_ragged_dimensions", ragged.size(), 1)) ||
      failed(stablehlo::CheckDimensions(*this, "lhs_ragged_dimensions", ragged, lhs.getRank()))) {
    return failure();
  }
  const RaggedDims dims = DimsOf(*this);
  if (failed(CheckGroups(*this, dims))) return failure();
  Dims shape;
  if (dims.mode == RaggedMode::kContracting) shape.push_back(NumGroups(*this));
  llvm::append_range(shape, Sizes(lhs, numbers.getLhsBatchingDimensions()));
  llvm::append_range(shape, Sizes(lhs, dims.lhs_free));
  llvm::append_range(shape, Sizes(rhs, dims.rhs_free));
  return stablehlo::CheckShape(*this, "result", getResult().getType(), shape);
}

Value ExpandRaggedDot(mlir::OpBuilder& builder, RaggedDotOp op) {
  const RaggedDims dims = DimsOf(op);
  const RaggedDotDimensionNumbersAttr numbers = op.getRaggedDotDimensionNumbers();
  const RankedTensorType result = op.getResult().getType();
  auto with = [&](llvm::ArrayRef<int64_t> lhs_batch, llvm::ArrayRef<int64_t> lhs_contract,
                  llvm::ArrayRef<int64_t> rhs_contract) {
    return stablehlo::DotDimensionNumbersAttr::get(op.getContext(), lhs_batch, numbers.getRhsBatchingDimensions(),
                                                   lhs_contract, rhs_contract);
  };
  if (dims.mode == RaggedMode::kBatching) {
    return Product(builder, op, op.getLhs(), result.getShape(),
                   with(numbers.getLhsBatchingDimensions(), numbers.getLhsContractingDimensions(),
                        numbers.getRhsContractingDimensions()));
  }
  auto one_further = [](llvm::ArrayRef<int64_t> list) {
    return llvm::map_to_vector(list, [](int64_t dim) { return dim + 1; });
  };
  const Dims batch = one_further(numbers.getLhsBatchingDimensions());
  Dims contract = one_further(numbers.getLhsContractingDimensions());
  Dims rhs_contract = llvm::to_vector(numbers.getRhsContractingDimensions());
  const Value lhs = OneGroupEach(builder, op, dims);
  if (dims.mode == RaggedMode::kFree) {  // of all groups but one the summands are 0
    contract.push_back(0);
    rhs_contract.push_back(numbers.getRhsGroupDimensions().front());
    return Product(builder, op, lhs, result.getShape(), with(batch, contract, rhs_contract));
  }
  // The groups are the first free dimension: behind the batching ones, from where they go to the front.
  const auto before = static_cast<int64_t>(batch.size());
  Dims shape = llvm::to_vector(result.getShape()), order = {before};
  std::rotate(shape.begin(), shape.begin() + 1, shape.begin() + before + 1);
  for (int64_t i = 0; i < result.getRank(); ++i) {
    if (i != before) order.push_back(i);
  }
  const Value product = Product(builder, op, lhs, shape, with(batch, contract, rhs_contract));
  return stablehlo::TransposeOp::create(builder, op.getLoc(), result, product, order);
}

}  // namespace treadle::chlo

#include "stablehlo/expand_legacy.h"

#include <cctype>
#include <numbers>
#include <string>

#include "stablehlo/chlo/math_builder.h"
#include "stablehlo/chlo/real_functions.h"
#include "stablehlo/dialect/ops.h"
#include "stablehlo/lift.h"

namespace treadle::stablehlo {

using chlo::MathBuilder;
using mlir::Operation;
using mlir::RankedTensorType;
using mlir::Value;

namespace {

RankedTensorType TensorType(Value value) { return llvm::cast<RankedTensorType>(value.getType()); }

llvm::SmallVector<int64_t> Iota(int64_t begin, int64_t end) {
  llvm::SmallVector<int64_t> list;
  for (int64_t i = begin; i < end; ++i) list.push_back(i);
  return list;
}

Value Scalar(mlir::OpBuilder& builder, mlir::Location location, mlir::Type element, double value) {
  return MathBuilder(builder, location, RankedTensorType::get({}, element)).Constant(value);
}

Value Broadcast(mlir::OpBuilder& builder, mlir::Location location, Value value, RankedTensorType shape,
                llvm::ArrayRef<int64_t> dimensions) {
  const auto type = chlo::WithElementType(shape, TensorType(value).getElementType());
  return BroadcastInDimOp::create(builder, location, type, value, dimensions);
}

void AddSumRegion(mlir::OpBuilder& builder, mlir::Location location, mlir::Region& region, mlir::Type element) {
  mlir::OpBuilder::InsertionGuard guard(builder);
  const mlir::Type scalar = RankedTensorType::get({}, element);
  mlir::Block* block = builder.createBlock(&region, {}, {scalar, scalar}, {location, location});
  Value sum = AddOp::create(builder, location, block->getArgument(0), block->getArgument(1));
  ReturnOp::create(builder, location, sum);
}

Value Sum(mlir::OpBuilder& builder, mlir::Location location, Value value, llvm::ArrayRef<int64_t> dimensions) {
  if (dimensions.empty()) return value;
  const RankedTensorType type = TensorType(value);
  llvm::SmallVector<int64_t> kept;
  for (int64_t d = 0; d < type.getRank(); ++d) {
    if (!llvm::is_contained(dimensions, d)) kept.push_back(type.getDimSize(d));
  }
  Value zero = Scalar(builder, location, type.getElementType(), 0);
  const mlir::Type result = RankedTensorType::get(kept, type.getElementType());
  auto reduce = ReduceOp::create(builder, location, mlir::TypeRange{result}, mlir::ValueRange{value},
                                 mlir::ValueRange{zero}, dimensions);
  AddSumRegion(builder, location, reduce.getBody(), type.getElementType());
  return reduce.getResult(0);
}

// ---- Batch normalisation: mean and variance over all dimensions but that of the features.

class BatchNorm {
 public:
  BatchNorm(mlir::OpBuilder& builder, Operation* op, Value operand)
      : builder_(builder), location_(op->getLoc()), type_(TensorType(operand)), m_(builder, location_, type_) {
    feature_ = op->getAttrOfType<mlir::IntegerAttr>("feature_index").getInt();
    epsilon_ = op->getAttrOfType<mlir::FloatAttr>("epsilon").getValueAsDouble();
    for (int64_t d = 0; d < type_.getRank(); ++d) {
      if (d != feature_) others_.push_back(d);
    }
    count_ = 1;
    for (int64_t d : others_) count_ *= static_cast<double>(type_.getDimSize(d));
  }

  MathBuilder& m() { return m_; }
  double count() const { return count_; }
  Value Everywhere(Value features) { return Broadcast(builder_, location_, features, type_, {feature_}); }
  Value Sum(Value x) { return stablehlo::Sum(builder_, location_, x, others_); }
  Value Mean(Value x) {
    MathBuilder features(builder_, location_,
                         RankedTensorType::get({type_.getDimSize(feature_)}, type_.getElementType()));
    return features.Div(Sum(x), features.Constant(count_));
  }
  Value Centered(Value x, Value mean) { return m_.Sub(x, Everywhere(mean)); }
  Value VarianceAndEpsilon(Value variance) { return m_.Add(Everywhere(variance), m_.Constant(epsilon_)); }
  Value Normalized(Value centered, Value variance, Value scale, Value offset) {
    Value unit = m_.Div(centered, m_.Sqrt(VarianceAndEpsilon(variance)));
    return m_.Add(m_.Mul(Everywhere(scale), unit), Everywhere(offset));
  }

 private:
  mlir::OpBuilder& builder_;
  const mlir::Location location_;
  const RankedTensorType type_;
  MathBuilder m_;
  int64_t feature_;
  double epsilon_, count_;
  llvm::SmallVector<int64_t> others_;
};

llvm::SmallVector<Value> ExpandBatchNormInference(mlir::OpBuilder& builder, BatchNormInferenceOp op) {
  BatchNorm norm(builder, op, op.getOperand());
  return {
      norm.Normalized(norm.Centered(op.getOperand(), op.getMean()), op.getVariance(), op.getScale(), op.getOffset())};
}

llvm::SmallVector<Value> ExpandBatchNormTraining(mlir::OpBuilder& builder, BatchNormTrainingOp op) {
  BatchNorm norm(builder, op, op.getOperand());
  Value mean = norm.Mean(op.getOperand()), centered = norm.Centered(op.getOperand(), mean);
  Value variance = norm.Mean(norm.m().Mul(centered, centered));
  return {norm.Normalized(centered, variance, op.getScale(), op.getOffset()), mean, variance};
}

llvm::SmallVector<Value> ExpandBatchNormGrad(mlir::OpBuilder& builder, BatchNormGradOp op) {
  BatchNorm norm(builder, op, op.getOperand());
  MathBuilder& m = norm.m();
  Value centered = norm.Centered(op.getOperand(), op.getMean()), grad = op.getGradOutput();
  Value variance = norm.VarianceAndEpsilon(op.getVariance()), deviation = m.Sqrt(variance);
  Value count = m.Constant(norm.count());
  Value along = m.Div(m.Mul(norm.Everywhere(norm.Sum(m.Mul(grad, centered))), centered), variance);
  Value rest = m.Sub(m.Sub(m.Mul(count, grad), norm.Everywhere(norm.Sum(grad))), along);
  Value grad_operand = m.Mul(m.Div(m.Div(norm.Everywhere(op.getScale()), deviation), count), rest);
  return {grad_operand, norm.Sum(m.Mul(grad, m.Div(centered, deviation))), norm.Sum(grad)};
}

// ---- Computations on scalars with loops, done to whole tensors.

llvm::SmallVector<Value> ExpandMap(mlir::OpBuilder& builder, MapOp op) {
  return Lift(builder, op.getComputation().front(), op.getInputs(),
              llvm::cast<RankedTensorType>(op.getResult().getType()).getShape());
}

bool HasLoop(mlir::Region& region) {
  return llvm::any_of(region.front(), [](Operation& op) { return llvm::isa<WhileOp>(op); });
}

// The dimensions that go first, as one.
Value ReducedFirst(mlir::OpBuilder& builder, ReduceOp op, Value input, llvm::ArrayRef<int64_t> order, int64_t steps,
                   llvm::ArrayRef<int64_t> kept) {
  const RankedTensorType type = TensorType(input);
  llvm::SmallVector<int64_t> sizes, shape = {steps};
  for (int64_t d : order) sizes.push_back(type.getDimSize(static_cast<unsigned>(d)));
  shape.append(kept.begin(), kept.end());
  Value moved = TransposeOp::create(builder, op.getLoc(), RankedTensorType::get(sizes, type.getElementType()), input,
                                    builder.getDenseI64ArrayAttr(order));
  return ReshapeOp::create(builder, op.getLoc(), RankedTensorType::get(shape, type.getElementType()), moved);
}

// A loop over what is reduced, which does the region to all results at once. For regions that hold loops themselves.
llvm::SmallVector<Value> ExpandReduce(mlir::OpBuilder& builder, ReduceOp op) {
  const mlir::Location location = op.getLoc();
  const RankedTensorType from = TensorType(op.getInputs()[0]);
  llvm::SmallVector<int64_t> order(op.getDimensions()), kept;
  int64_t steps = 1;
  for (int64_t d : op.getDimensions()) steps *= from.getDimSize(static_cast<unsigned>(d));
  for (int64_t d = 0; d < from.getRank(); ++d) {
    if (llvm::is_contained(op.getDimensions(), d)) continue;
    order.push_back(d);
    kept.push_back(from.getDimSize(static_cast<unsigned>(d)));
  }
  const auto counter = RankedTensorType::get({}, builder.getI64Type());
  const auto number = [&](int64_t value) -> Value {
    return ConstantOp::create(builder, location,
                              mlir::DenseElementsAttr::get(counter, builder.getI64IntegerAttr(value)));
  };
  llvm::SmallVector<Value> sources, carried = {number(0)};
  for (auto [input, init] : llvm::zip(op.getInputs(), op.getInitValues())) {
    sources.push_back(ReducedFirst(builder, op, input, order, steps, kept));
    const auto whole = RankedTensorType::get(kept, TensorType(init).getElementType());
    carried.push_back(Broadcast(builder, location, init, whole, {}));
  }
  llvm::SmallVector<mlir::Type> types;
  for (Value value : carried) types.push_back(value.getType());
  const llvm::SmallVector<mlir::Location> places(types.size(), location);
  auto loop = WhileOp::create(builder, location, types, carried);
  mlir::OpBuilder::InsertionGuard guard(builder);
  mlir::Block* cond = builder.createBlock(&loop.getCond(), {}, types, places);
  Value more = CompareOp::create(builder, location, cond->getArgument(0), number(steps), ComparisonDirection::LT);
  ReturnOp::create(builder, location, more);
  mlir::Block* body = builder.createBlock(&loop.getBody(), {}, types, places);
  llvm::SmallVector<Value> arguments(body->getArguments().drop_front());
  llvm::SmallVector<Value> start(kept.size() + 1, number(0));
  start[0] = body->getArgument(0);
  for (Value source : sources) {
    llvm::SmallVector<int64_t> sizes = {1};
    sizes.append(kept.begin(), kept.end());
    const mlir::Type element = TensorType(source).getElementType();
    Value row = DynamicSliceOp::create(builder, location, RankedTensorType::get(sizes, element), source, start,
                                       builder.getDenseI64ArrayAttr(sizes));
    arguments.push_back(ReshapeOp::create(builder, location, RankedTensorType::get(kept, element), row));
  }
  llvm::SmallVector<Value> next = Lift(builder, op.getBody().front(), arguments, kept);
  if (next.empty()) {
    loop.erase();
    return {};
  }
  next.insert(next.begin(), AddOp::create(builder, location, body->getArgument(0), number(1)));
  ReturnOp::create(builder, location, next);
  return llvm::SmallVector<Value>(loop->getResults().drop_front());
}

// ---- Random numbers.

// Bits of `width` as many as `shape` has elements.
Value RandomBits(mlir::OpBuilder& builder, mlir::Location location, RankedTensorType shape, unsigned width,
                 uint64_t number) {
  const auto element = mlir::IntegerType::get(builder.getContext(), 64, mlir::IntegerType::Unsigned);
  const auto state_type = RankedTensorType::get({2}, element);
  const uint64_t words[] = {0x5bd1e995u + number * 0x9e3779b97f4a7c15u, number};
  Value state =
      ConstantOp::create(builder, location, mlir::DenseElementsAttr::get(state_type, llvm::ArrayRef<uint64_t>(words)));
  const auto bits =
      chlo::WithElementType(shape, mlir::IntegerType::get(builder.getContext(), width, mlir::IntegerType::Unsigned));
  auto generator =
      RngBitGeneratorOp::create(builder, location, mlir::TypeRange{state_type, bits}, RngAlgorithm::PHILOX, state);
  return generator.getResult(1);
}

// Numbers in [0, 1), of f32 or f64: the bits behind the point of one in [1, 2), less 1.
Value Fractions(mlir::OpBuilder& builder, MathBuilder& m, uint64_t number) {
  const unsigned width = m.is_f64() ? 64 : 32, unused = m.is_f64() ? 12 : 9;
  Value bits = RandomBits(builder, m.location(), m.type(), width, number);
  MathBuilder integers = m.WithElement(TensorType(bits).getElementType());
  Value mantissa = integers.Binary<ShiftRightLogicalOp>(bits, integers.Integer(unused));
  Value one = integers.Integer(m.is_f64() ? 0x3ff0000000000000 : 0x3f800000);
  return m.Sub(m.Bitcast(integers.Or(mantissa, one)), m.Constant(1));
}

Value ExpandRng(mlir::OpBuilder& builder, RngOp op, uint64_t number) {
  const auto type = llvm::cast<RankedTensorType>(op.getResult().getType());
  const mlir::Type element = type.getElementType();
  const bool normal = op.getRngDistribution() == RngDistribution::NORMAL;
  MathBuilder result(builder, op.getLoc(), type);
  Value a = Broadcast(builder, op.getLoc(), op.getA(), type, {}),
        b = Broadcast(builder, op.getLoc(), op.getB(), type, {});
  if (auto integer = llvm::dyn_cast<mlir::IntegerType>(element)) {
    if (normal || integer.getWidth() < 8) return {};
    const auto bits = mlir::IntegerType::get(builder.getContext(), integer.getWidth(), mlir::IntegerType::Unsigned);
    MathBuilder m = result.WithElement(bits);
    Value range = m.Bitcast(result.Sub(b, a));
    Value random = RandomBits(builder, op.getLoc(), m.type(), std::max(32u, integer.getWidth()), number);
    return result.Add(a, result.Bitcast(m.Binary<RemOp>(m.ConvertTo(random), range)));
  }
  if (!llvm::isa<mlir::FloatType>(element)) return {};
  MathBuilder m = result.WithElement(element.isF64() ? element : builder.getF32Type());
  Value unit = Fractions(builder, m, number);
  Value low = m.ConvertTo(a), high = m.ConvertTo(b);
  if (normal) {
    // From the middle of each of the intervals of [0, 1), on both sides of 0.
    const double half = m.is_f64() ? 0x1p-53 : 0x1p-24;
    Value centered = m.Sub(m.Add(unit, unit), m.Constant(1 - 2 * half));
    Value value = m.Mul(m.Constant(std::numbers::sqrt2), chlo::ErfInv(m, centered));
    return result.ConvertTo(m.Add(low, m.Mul(high, value)));
  }
  Value value = result.ConvertTo(m.Add(low, m.Mul(m.Sub(high, low), unit)));
  return result.Select(result.Less(value, b), value, a);  // rounding may reach the end
}

// ---- Contractions.

Value ExpandDot(mlir::OpBuilder& builder, DotOp op) {
  const int64_t last = TensorType(op.getLhs()).getRank() - 1;
  auto dims = DotDimensionNumbersAttr::get(builder.getContext(), {}, {}, {last}, {0});
  return DotGeneralOp::create(builder, op.getLoc(), op.getResult().getType(), op.getLhs(), op.getRhs(), dims,
                              op.getPrecisionConfigAttr(), DotAlgorithmAttr());
}

// A tensor whose dimensions have names, one letter each.
struct Named {
  Value value;
  std::string names;
};

// Keeps the diagonals of dimensions with equal names, and sums over names that are not in `kept`.
Named Reduced(mlir::OpBuilder& builder, mlir::Location location, Named x, const std::string& kept) {
  for (size_t d = 0; d < x.names.size(); ++d) {
    const size_t again = x.names.find(x.names[d], d + 1);
    if (again == std::string::npos) continue;
    const RankedTensorType type = TensorType(x.value);
    const auto numbers = chlo::WithElementType(type, builder.getI32Type());
    Value i = IotaOp::create(builder, location, numbers, builder.getI64IntegerAttr(static_cast<int64_t>(d)));
    Value j = IotaOp::create(builder, location, numbers, builder.getI64IntegerAttr(static_cast<int64_t>(again)));
    MathBuilder m(builder, location, type);
    Value zero = Broadcast(builder, location, Scalar(builder, location, type.getElementType(), 0), type, {});
    x.value = Sum(builder, location, m.Select(m.Equal(i, j), x.value, zero), {static_cast<int64_t>(again)});
    x.names.erase(again, 1);
    --d;
  }
  llvm::SmallVector<int64_t> summed;
  std::string left;
  for (size_t d = 0; d < x.names.size(); ++d) {
    if (kept.find(x.names[d]) == std::string::npos)
      summed.push_back(static_cast<int64_t>(d));
    else
      left += x.names[d];
  }
  return {Sum(builder, location, x.value, summed), left};
}

Value Ordered(mlir::OpBuilder& builder, mlir::Location location, Named x, const std::string& names) {
  if (x.names == names) return x.value;
  llvm::SmallVector<int64_t> permutation, dims;
  for (char name : names) {
    const size_t from = x.names.find(name);
    if (from == std::string::npos) return {};
    permutation.push_back(static_cast<int64_t>(from));
    dims.push_back(TensorType(x.value).getDimSize(static_cast<int64_t>(from)));
  }
  const auto type = RankedTensorType::get(dims, TensorType(x.value).getElementType());
  return TransposeOp::create(builder, location, type, x.value, permutation);
}

bool AreNames(llvm::StringRef names, int64_t rank) {
  return static_cast<int64_t>(names.size()) == rank &&
         llvm::all_of(names, [](unsigned char c) { return std::isalpha(c) != 0; });
}

// "ij,jk->ik", without an ellipsis.
Value ExpandEinsum(mlir::OpBuilder& builder, EinsumOp op) {
  const auto [operands, out] = op.getEinsumConfig().split("->");
  const auto [left, right] = operands.split(',');
  if (!AreNames(left, TensorType(op.getLhs()).getRank()) || !AreNames(right, TensorType(op.getRhs()).getRank()))
    return {};
  const mlir::Location location = op.getLoc();
  const Named lhs = Reduced(builder, location, {op.getLhs(), left.str()}, (right + out).str());
  const Named rhs = Reduced(builder, location, {op.getRhs(), right.str()}, (left + out).str());
  llvm::SmallVector<int64_t> lhs_batch, rhs_batch, lhs_contracting, rhs_contracting, dims;
  std::string batch, free;
  llvm::SmallVector<int64_t> free_dims;
  for (size_t d = 0; d < lhs.names.size(); ++d) {
    const auto i = static_cast<int64_t>(d);
    const size_t other = rhs.names.find(lhs.names[d]);
    if (other == std::string::npos) {
      free += lhs.names[d];
      free_dims.push_back(TensorType(lhs.value).getDimSize(i));
    } else if (out.contains(lhs.names[d])) {
      batch += lhs.names[d];
      dims.push_back(TensorType(lhs.value).getDimSize(i));
      lhs_batch.push_back(i);
      rhs_batch.push_back(static_cast<int64_t>(other));
    } else {
      lhs_contracting.push_back(i);
      rhs_contracting.push_back(static_cast<int64_t>(other));
    }
  }
  for (size_t d = 0; d < rhs.names.size(); ++d) {
    if (lhs.names.find(rhs.names[d]) != std::string::npos) continue;
    free += rhs.names[d];
    free_dims.push_back(TensorType(rhs.value).getDimSize(static_cast<int64_t>(d)));
  }
  dims.append(free_dims);
  const auto type = RankedTensorType::get(dims, TensorType(op.getResult()).getElementType());
  auto numbers =
      DotDimensionNumbersAttr::get(builder.getContext(), lhs_batch, rhs_batch, lhs_contracting, rhs_contracting);
  Value dot = DotGeneralOp::create(builder, location, type, lhs.value, rhs.value, numbers, mlir::ArrayAttr(),
                                   DotAlgorithmAttr());
  return Ordered(builder, location, {dot, batch + free}, out.str());
}

Value ExpandUnaryEinsum(mlir::OpBuilder& builder, UnaryEinsumOp op) {
  const auto [names, out] = op.getEinsumConfig().split("->");
  if (!AreNames(names, TensorType(op.getOperand()).getRank())) return {};
  return Ordered(builder, op.getLoc(), Reduced(builder, op.getLoc(), {op.getOperand(), names.str()}, out.str()),
                 out.str());
}

// ---- Others.

Value ExpandTorchIndexSelect(mlir::OpBuilder& builder, TorchIndexSelectOp op) {
  const RankedTensorType operand = TensorType(op.getOperand()), index = TensorType(op.getIndex());
  const auto dim = static_cast<int64_t>(op.getDim()), batch = static_cast<int64_t>(op.getBatchDims());
  if (dim < batch || dim >= operand.getRank() || batch > index.getRank()) return {};
  const int64_t result_rank = TensorType(op.getResult()).getRank(), picked = index.getRank() - batch;
  llvm::SmallVector<int64_t> offsets = Iota(batch, dim);
  for (int64_t d = dim + picked; d < result_rank; ++d) offsets.push_back(d);
  llvm::SmallVector<int64_t> sizes = llvm::to_vector(operand.getShape());
  for (int64_t d = 0; d < batch; ++d) sizes[d] = 1;
  sizes[dim] = 1;
  auto numbers = GatherDimensionNumbersAttr::get(builder.getContext(), offsets, {dim}, Iota(0, batch), Iota(0, batch),
                                                 {dim}, index.getRank());
  return GatherOp::create(builder, op.getLoc(), op.getResult().getType(), op.getOperand(), op.getIndex(), numbers,
                          sizes);
}

Value ExpandCrossReplicaSum(mlir::OpBuilder& builder, CrossReplicaSumOp op) {
  auto reduce = AllReduceOp::create(builder, op.getLoc(), mlir::TypeRange{op.getResult().getType()},
                                    mlir::ValueRange{op.getOperand()}, op.getReplicaGroups(), ChannelHandleAttr(),
                                    /*use_global_device_ids=*/false);
  AddSumRegion(builder, op.getLoc(), reduce.getComputation(), TensorType(op.getOperand()).getElementType());
  return reduce.getResult(0);
}

Value ExpandBroadcast(mlir::OpBuilder& builder, BroadcastOp op) {
  const auto type = llvm::cast<RankedTensorType>(op.getResult().getType());
  const auto added = static_cast<int64_t>(op.getBroadcastSizes().size());
  return BroadcastInDimOp::create(builder, op.getLoc(), type, op.getOperand(), Iota(added, type.getRank()));
}

// The values for an operation's results; nothing where it says something that has no expansion.
llvm::SmallVector<Value> ExpandOne(mlir::OpBuilder& builder, Operation* op, uint64_t number) {
  if (auto norm = llvm::dyn_cast<BatchNormInferenceOp>(op)) return ExpandBatchNormInference(builder, norm);
  if (auto norm = llvm::dyn_cast<BatchNormTrainingOp>(op)) return ExpandBatchNormTraining(builder, norm);
  if (auto norm = llvm::dyn_cast<BatchNormGradOp>(op)) return ExpandBatchNormGrad(builder, norm);
  if (auto map = llvm::dyn_cast<MapOp>(op)) return ExpandMap(builder, map);
  if (auto reduce = llvm::dyn_cast<ReduceOp>(op)) return ExpandReduce(builder, reduce);
  Value value;
  if (auto rng = llvm::dyn_cast<RngOp>(op)) value = ExpandRng(builder, rng, number);
  if (auto dot = llvm::dyn_cast<DotOp>(op)) value = ExpandDot(builder, dot);
  if (auto einsum = llvm::dyn_cast<EinsumOp>(op)) value = ExpandEinsum(builder, einsum);
  if (auto einsum = llvm::dyn_cast<UnaryEinsumOp>(op)) value = ExpandUnaryEinsum(builder, einsum);
  if (auto select = llvm::dyn_cast<TorchIndexSelectOp>(op)) value = ExpandTorchIndexSelect(builder, select);
  if (auto sum = llvm::dyn_cast<CrossReplicaSumOp>(op)) value = ExpandCrossReplicaSum(builder, sum);
  if (auto broadcast = llvm::dyn_cast<BroadcastOp>(op)) value = ExpandBroadcast(builder, broadcast);
  if (!value) return {};
  return {value};
}

bool IsLegacy(Operation* op) {
  if (auto reduce = llvm::dyn_cast<ReduceOp>(op)) return HasLoop(reduce.getBody());
  return llvm::isa<BatchNormInferenceOp, BatchNormTrainingOp, BatchNormGradOp, MapOp, RngOp, DotOp, EinsumOp,
                   UnaryEinsumOp, TorchIndexSelectOp, CrossReplicaSumOp, BroadcastOp>(op);
}

bool HasStaticShapes(Operation* op) {
  auto is_static = [](mlir::Type type) {
    auto shaped = llvm::dyn_cast<mlir::ShapedType>(type);
    return !shaped || shaped.hasStaticShape();
  };
  return llvm::all_of(op->getOperandTypes(), is_static) && llvm::all_of(op->getResultTypes(), is_static);
}

// Elements of tuples that are made in sight.
void ExpandTuples(mlir::ModuleOp module) {
  llvm::SmallVector<Operation*> operations;
  module.walk([&](Operation* op) {
    if (llvm::isa<TupleOp, GetTupleElementOp>(op)) operations.push_back(op);
  });
  for (Operation* op : operations) {
    auto element = llvm::dyn_cast<GetTupleElementOp>(op);
    auto tuple = element ? element.getOperand().getDefiningOp<TupleOp>() : TupleOp();
    if (tuple) element.getResult().replaceAllUsesWith(tuple.getVal()[element.getIndex()]);
  }
  for (Operation* op : llvm::reverse(operations)) {
    if (op->use_empty()) op->erase();
  }
}

}  // namespace

mlir::LogicalResult ExpandLegacy(mlir::ModuleOp module) {
  ExpandTuples(module);
  llvm::SmallVector<Operation*> operations;
  module.walk([&](Operation* op) {
    if (IsLegacy(op)) operations.push_back(op);
  });
  uint64_t number = 0;
  for (Operation* op : operations) {
    if (!HasStaticShapes(op)) return op->emitOpError() << "with unknown sizes is not implemented";
    mlir::OpBuilder builder(op);
    const llvm::SmallVector<Value> values = ExpandOne(builder, op, number++);
    if (values.empty())
      return op->emitOpError() << "of " << op->getOperandTypes() << " is not implemented in this form";
    op->replaceAllUsesWith(values);
    op->erase();
  }
  return mlir::success();
}

}  // namespace treadle::stablehlo

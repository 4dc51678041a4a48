#include "stablehlo/expand_chlo.h"

#include "stablehlo/chlo/complex_functions.h"
#include "stablehlo/chlo/math_builder.h"
#include "stablehlo/chlo/ops.h"
#include "stablehlo/chlo/ragged_dot.h"
#include "stablehlo/chlo/real_functions.h"
#include "stablehlo/chlo/scan.h"
#include "stablehlo/chlo/special_functions.h"
#include "stablehlo/dialect/ops.h"

namespace treadle::stablehlo {

using chlo::MathBuilder;
using mlir::failure;
using mlir::FailureOr;
using mlir::LogicalResult;
using mlir::Operation;
using mlir::RankedTensorType;
using mlir::success;
using mlir::Type;
using mlir::Value;

namespace {

RankedTensorType TensorType(Value value) { return llvm::cast<RankedTensorType>(value.getType()); }
bool IsComplex(Type element) { return llvm::isa<mlir::ComplexType>(element); }

// ---- Real functions, computed in f32 or f64; those that lose digits on the way always in f64.

struct RealFunction {
  llvm::StringLiteral name;
  Value (*expand)(MathBuilder&, Value);
  bool wide = false;
};
constexpr RealFunction kRealFunctions[] = {
    {"chlo.acos", chlo::Acos},        {"chlo.acosh", chlo::Acosh},
    {"chlo.asin", chlo::Asin},        {"chlo.asinh", chlo::Asinh},
    {"chlo.atan", chlo::Atan},        {"chlo.atanh", chlo::Atanh},
    {"chlo.cosh", chlo::Cosh},        {"chlo.digamma", chlo::Digamma, true},
    {"chlo.erf", chlo::Erf},          {"chlo.erf_inv", chlo::ErfInv},
    {"chlo.erfc", chlo::Erfc},        {"chlo.lgamma", chlo::Lgamma, true},
    {"chlo.sinh", chlo::SinhBySteps}, {"chlo.bessel_i1e", chlo::BesselI1e, true},
};

// What functions of numbers of `type` are computed in.
MathBuilder ComputedIn(mlir::OpBuilder& builder, Operation* op, RankedTensorType type, bool wide) {
  const bool f64 = type.getElementType().isF64() || (wide && type.getElementType().isF32());
  return {builder, op->getLoc(), chlo::WithElementType(type, f64 ? Type(builder.getF64Type()) : builder.getF32Type())};
}

Value ExpandReal(mlir::OpBuilder& builder, Operation* op, const RealFunction& function) {
  const RankedTensorType type = TensorType(op->getOperand(0));
  MathBuilder math = ComputedIn(builder, op, type, function.wide);
  return math.WithElement(type.getElementType()).ConvertTo(function.expand(math, math.ConvertTo(op->getOperand(0))));
}

Value ExpandBinary(mlir::OpBuilder& builder, Operation* op, Value (*expand)(MathBuilder&, Value, Value)) {
  const RankedTensorType type = TensorType(op->getOperand(0));
  MathBuilder math(builder, op->getLoc(), chlo::WithElementType(type, builder.getF64Type()));
  const Value result = expand(math, math.ConvertTo(op->getOperand(0)), math.ConvertTo(op->getOperand(1)));
  return math.WithElement(type.getElementType()).ConvertTo(result);
}

// ---- Complex numbers.

struct ComplexFunction {
  llvm::StringLiteral name;
  Value (*expand)(mlir::OpBuilder&, mlir::Location, Value);
};
constexpr ComplexFunction kComplexFunctions[] = {
    {"chlo.acos", chlo::ComplexAcos},     {"chlo.acosh", chlo::ComplexAcosh},
    {"chlo.asin", chlo::ComplexAsin},     {"chlo.asinh", chlo::ComplexAsinh},
    {"chlo.atan", chlo::ComplexAtan},     {"chlo.atanh", chlo::ComplexAtanh},
    {"chlo.square", chlo::ComplexSquare}, {"chlo._asin_acos_kernel", chlo::ComplexAsinAcosKernel},
};

struct Parts {
  Value real;
  Value imag;
};

Parts Split(MathBuilder& m, Value z) {
  return {RealOp::create(m.builder(), m.location(), m.type(), z),
          ImagOp::create(m.builder(), m.location(), m.type(), z)};
}

Value Join(MathBuilder& m, Value real, Value imag) {
  auto type = chlo::WithElementType(m.type(), mlir::ComplexType::get(m.type().getElementType()));
  return ComplexOp::create(m.builder(), m.location(), type, real, imag);
}

// a * b, but 0 where b is 0 and a infinite.
Value MulZero(MathBuilder& m, Value a, Value b) { return m.Select(m.Equal(b, m.Constant(0)), b, m.Mul(a, b)); }

// sinh(x + iy) = sinh x cos y + i cosh x sin y, and with the roles of sinh and cosh changed.
Value ExpandComplexHyperbolic(mlir::OpBuilder& builder, Operation* op, bool is_sinh) {
  const auto type = TensorType(op->getOperand(0));
  MathBuilder m(builder, op->getLoc(),
                chlo::WithElementType(type, llvm::cast<mlir::ComplexType>(type.getElementType()).getElementType()));
  const Parts z = Split(m, op->getOperand(0));
  const Value cosine = m.Unary<CosineOp>(z.imag);
  const Value sine = m.Unary<SineOp>(z.imag);
  const Value cosh = chlo::Cosh(m, z.real);
  const Value sinh = chlo::Sinh(m, z.real);
  return is_sinh ? Join(m, m.Mul(sinh, cosine), MulZero(m, cosh, sine))
                 : Join(m, m.Mul(cosh, cosine), MulZero(m, sinh, sine));
}

Value ExpandConj(mlir::OpBuilder& builder, Operation* op) {
  const auto type = TensorType(op->getOperand(0));
  auto complex = llvm::dyn_cast<mlir::ComplexType>(type.getElementType());
  if (!complex) return op->getOperand(0);
  MathBuilder m(builder, op->getLoc(), chlo::WithElementType(type, complex.getElementType()));
  const Parts z = Split(m, op->getOperand(0));
  return Join(m, z.real, m.Neg(z.imag));
}

// ---- Others.

Value ExpandIsInf(MathBuilder& m, Operation* op) {
  Value x = op->getOperand(0);
  if (llvm::isa<chlo::IsInfOp>(op)) x = m.Abs(x);
  return m.Equal(x, m.Infinity(/*negative=*/llvm::isa<chlo::IsNegInfOp>(op)));
}

// The upper half of the product of integers, up to 32 bits in twice the width, 64 bits by halves.
Value ExpandMulhi(mlir::OpBuilder& builder, chlo::MulhiOp op) {
  const RankedTensorType type = op.getLhs().getType();
  const auto element = llvm::cast<mlir::IntegerType>(type.getElementType());
  const unsigned width = element.getWidth();
  MathBuilder narrow(builder, op.getLoc(), type);
  if (width <= 32) {
    MathBuilder wide = narrow.WithElement(mlir::IntegerType::get(op.getContext(), 2 * width, element.getSignedness()));
    const Value product = wide.Mul(wide.ConvertTo(op.getLhs()), wide.ConvertTo(op.getRhs()));
    return narrow.ConvertTo(wide.Binary<ShiftRightLogicalOp>(product, wide.Integer(width)));
  }
  const Value half = narrow.Integer(32);
  const Value mask = narrow.Integer(0xffffffff);
  auto high = [&](Value v) { return narrow.Binary<ShiftRightLogicalOp>(v, half); };
  auto low = [&](Value v) { return narrow.And(v, mask); };
  const Value a_low = low(op.getLhs()), a_high = high(op.getLhs());
  const Value b_low = low(op.getRhs()), b_high = high(op.getRhs());
  const Value middle = narrow.Add(narrow.Mul(a_high, b_low), high(narrow.Mul(a_low, b_low)));
  const Value other = narrow.Add(narrow.Mul(a_low, b_high), low(middle));
  const Value product = narrow.Add(narrow.Mul(a_high, b_high), narrow.Add(high(middle), high(other)));
  if (element.isUnsigned()) return product;
  // A negative factor counted 2^64 too many of the other one.
  const Value zero = narrow.Integer(0);
  auto excess = [&](Value a, Value b) { return narrow.Select(narrow.Less(a, zero), b, zero); };
  return narrow.Sub(narrow.Sub(product, excess(op.getLhs(), op.getRhs())), excess(op.getRhs(), op.getLhs()));
}

// Sorted descending with the indices, then the first k. NaN counts as largest.
llvm::SmallVector<Value> ExpandTopK(mlir::OpBuilder& builder, chlo::TopKOp op) {
  const mlir::Location location = op.getLoc();
  const RankedTensorType type = op.getOperand().getType();
  const int64_t last = type.getRank() - 1;
  const RankedTensorType index_type = chlo::WithElementType(type, op.getIndices().getType().getElementType());
  Value iota = IotaOp::create(builder, location, index_type, builder.getI64IntegerAttr(last));
  auto sort =
      SortOp::create(builder, location, mlir::TypeRange{type, index_type}, mlir::ValueRange{op.getOperand(), iota},
                     builder.getI64IntegerAttr(last), builder.getBoolAttr(true));
  {
    mlir::OpBuilder::InsertionGuard guard(builder);
    const Type value = RankedTensorType::get({}, type.getElementType());
    const Type index = RankedTensorType::get({}, index_type.getElementType());
    mlir::Block* block = builder.createBlock(&sort.getComparator(), {}, {value, value, index, index},
                                             llvm::SmallVector<mlir::Location>(4, location));
    const bool is_float = llvm::isa<mlir::FloatType>(type.getElementType());
    Value first =
        CompareOp::create(builder, location, block->getArgument(0), block->getArgument(1), ComparisonDirection::GT,
                          is_float ? ComparisonType::TOTALORDER : ComparisonType::NOTYPE);
    ReturnOp::create(builder, location, first);
  }
  const llvm::SmallVector<int64_t> starts(type.getRank(), 0);
  const llvm::SmallVector<int64_t> strides(type.getRank(), 1);
  llvm::SmallVector<int64_t> limits = llvm::to_vector(type.getShape());
  limits.back() = static_cast<int64_t>(op.getK());
  llvm::SmallVector<Value> results;
  for (auto [sorted, result] : llvm::zip(sort.getResults(), op->getResults())) {
    results.push_back(SliceOp::create(builder, location, result.getType(), sorted, starts, limits, strides));
  }
  return results;
}

// ---- Broadcasting.

Value BroadcastTo(mlir::OpBuilder& builder, mlir::Location location, Value value, RankedTensorType result,
                  std::optional<llvm::ArrayRef<int64_t>> dimensions) {
  const RankedTensorType type = TensorType(value);
  if (type.getShape() == result.getShape()) return value;
  llvm::SmallVector<int64_t> to;
  for (int64_t i = 0; i < type.getRank(); ++i) {
    // Without a map the last dimensions match.
    to.push_back(dimensions && static_cast<int64_t>(dimensions->size()) == type.getRank()
                     ? (*dimensions)[i]
                     : result.getRank() - type.getRank() + i);
  }
  return BroadcastInDimOp::create(builder, location, chlo::WithElementType(result, type.getElementType()), value, to);
}

// chlo.broadcast_x: operands to the result's shape, then x. Returns the new operation.
Operation* ExpandBroadcasting(mlir::OpBuilder& builder, Operation* op) {
  const auto result = TensorType(op->getResult(0));
  auto map = op->getAttrOfType<mlir::DenseI64ArrayAttr>("broadcast_dimensions");
  std::optional<llvm::ArrayRef<int64_t>> dimensions;
  if (map) dimensions = map.asArrayRef();
  llvm::SmallVector<Value> operands;
  for (Value operand : op->getOperands()) {
    operands.push_back(BroadcastTo(builder, op->getLoc(), operand, result, dimensions));
  }
  if (auto compare = llvm::dyn_cast<chlo::BroadcastCompareOp>(op)) {
    const auto type = compare.getCompareType().value_or(chlo::ComparisonType::NOTYPE);
    return CompareOp::create(builder, op->getLoc(), operands[0], operands[1],
                             static_cast<ComparisonDirection>(compare.getComparisonDirection()),
                             static_cast<ComparisonType>(type));
  }
  const llvm::StringRef name = op->getName().stripDialect().drop_front(llvm::StringLiteral("broadcast_").size());
  const bool is_chlo = name == "next_after" || name == "polygamma" || name == "zeta";
  mlir::OperationState state(op->getLoc(), ((is_chlo ? "chlo." : "stablehlo.") + name).str());
  state.addOperands(operands);
  state.addTypes(result);
  return builder.create(state);
}

// ---- One operation.

LogicalResult CannotExpand(Operation* op) {
  return op->emitOpError() << "of " << op->getOperandTypes() << " is not implemented";
}

bool HasStaticShapes(Operation* op) {
  auto is_static = [](Type type) {
    auto shaped = llvm::dyn_cast<mlir::ShapedType>(type);
    return !shaped || shaped.hasStaticShape();
  };
  return llvm::all_of(op->getOperandTypes(), is_static) && llvm::all_of(op->getResultTypes(), is_static);
}

// The values for an operation with several results; none where there is no expansion.
llvm::SmallVector<Value> ExpandToSeveral(mlir::OpBuilder& builder, Operation* op) {
  if (auto scan = llvm::dyn_cast<chlo::ScanOp>(op)) return chlo::ExpandScan(builder, scan);
  if (auto top_k = llvm::dyn_cast<chlo::TopKOp>(op)) {
    if (!IsComplex(top_k.getOperand().getType().getElementType())) return ExpandTopK(builder, top_k);
  }
  return {};
}

// The value for an operation with one result; null where there is no expansion.
Value ExpandOne(mlir::OpBuilder& builder, Operation* op) {
  if (auto constant = llvm::dyn_cast<chlo::ConstantOp>(op))
    return ConstantOp::create(builder, op->getLoc(), constant.getValue());
  if (auto dot = llvm::dyn_cast<chlo::RaggedDotOp>(op)) return chlo::ExpandRaggedDot(builder, dot);
  const RankedTensorType type = TensorType(op->getOperand(0));
  const Type element = type.getElementType();
  MathBuilder math(builder, op->getLoc(), type);
  if (auto like = llvm::dyn_cast<chlo::ConstantLikeOp>(op)) {
    return ConstantOp::create(builder, op->getLoc(),
                              mlir::DenseElementsAttr::get(TensorType(op->getResult(0)), like.getValue()));
  }
  if (llvm::isa<chlo::SquareOp>(op) && !IsComplex(element)) return math.Mul(op->getOperand(0), op->getOperand(0));
  if (llvm::isa<chlo::TanOp>(op)) return math.Unary<TanOp>(op->getOperand(0));
  if (llvm::isa<chlo::ConjOp>(op)) return ExpandConj(builder, op);
  if (auto mulhi = llvm::dyn_cast<chlo::MulhiOp>(op)) return ExpandMulhi(builder, mulhi);
  if (IsComplex(element)) {
    if (llvm::isa<chlo::SinhOp, chlo::CoshOp>(op))
      return ExpandComplexHyperbolic(builder, op, llvm::isa<chlo::SinhOp>(op));
    for (const ComplexFunction& function : kComplexFunctions) {
      if (op->getName().getStringRef() == function.name)
        return function.expand(builder, op->getLoc(), op->getOperand(0));
    }
    return {};
  }
  if (!llvm::isa<mlir::FloatType>(element)) return {};
  if (llvm::isa<chlo::IsInfOp, chlo::IsPosInfOp, chlo::IsNegInfOp>(op)) return ExpandIsInf(math, op);
  if (llvm::isa<chlo::NextAfterOp>(op)) return chlo::NextAfter(math, op->getOperand(0), op->getOperand(1));
  if (llvm::isa<chlo::ZetaOp>(op)) return ExpandBinary(builder, op, chlo::Zeta);
  if (llvm::isa<chlo::PolygammaOp>(op)) return ExpandBinary(builder, op, chlo::Polygamma);
  for (const RealFunction& function : kRealFunctions) {
    if (op->getName().getStringRef() == function.name) return ExpandReal(builder, op, function);
  }
  return {};
}

LogicalResult Expand(Operation* op) {
  if (!HasStaticShapes(op)) return op->emitOpError() << "with unknown sizes is not implemented";
  mlir::OpBuilder builder(op);
  if (llvm::isa<chlo::ScanOp, chlo::TopKOp>(op)) {
    const llvm::SmallVector<Value> values = ExpandToSeveral(builder, op);
    if (values.empty()) return CannotExpand(op);
    op->replaceAllUsesWith(values);
    op->erase();
    return success();
  }
  if (op->getName().stripDialect().starts_with("broadcast_")) {
    Operation* expanded = ExpandBroadcasting(builder, op);
    op->replaceAllUsesWith(expanded);
    op->erase();
    return llvm::isa<chlo::ChloDialect>(expanded->getDialect()) ? Expand(expanded) : success();
  }
  const Value value = ExpandOne(builder, op);
  if (!value) return CannotExpand(op);
  op->getResult(0).replaceAllUsesWith(value);
  op->erase();
  return success();
}

}  // namespace

LogicalResult ExpandChlo(mlir::ModuleOp module, llvm::function_ref<bool(Operation*)> keep) {
  llvm::SmallVector<Operation*> operations;
  module.walk([&](Operation* op) {
    if (llvm::isa_and_nonnull<chlo::ChloDialect>(op->getDialect()) && !(keep && keep(op))) operations.push_back(op);
  });
  for (Operation* op : operations) {
    if (failed(Expand(op))) return failure();
  }
  return success();
}

}  // namespace treadle::stablehlo

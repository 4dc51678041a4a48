#include "stablehlo/expand_quantized.h"

#include "mlir/Dialect/Quant/IR/QuantTypes.h"
#include "mlir/IR/TypeUtilities.h"
#include "mlir/IR/Verifier.h"
#include "stablehlo/chlo/math_builder.h"
#include "stablehlo/dialect/ops.h"
#include "stablehlo/retype.h"

namespace treadle::stablehlo {

namespace {

using chlo::MathBuilder;
using mlir::failure;
using mlir::LogicalResult;
using mlir::Operation;
using mlir::RankedTensorType;
using mlir::success;
using mlir::Type;
using mlir::Value;
using mlir::quant::QuantizedType;

QuantizedType QuantizedOf(Type type) { return llvm::dyn_cast<QuantizedType>(mlir::getElementTypeOrSelf(type)); }
bool IsQuantized(Type type) { return static_cast<bool>(QuantizedOf(type)); }

// The integers are signless in the type; a flag says whether they have a sign.
Type StorageOf(QuantizedType type) {
  auto storage = llvm::cast<mlir::IntegerType>(type.getStorageType());
  if (type.isSigned() || storage.isUnsigned()) return storage;
  return mlir::IntegerType::get(type.getContext(), storage.getWidth(), mlir::IntegerType::Unsigned);
}

Type StorageOrSelf(Type element) {
  auto quantized = llvm::dyn_cast<QuantizedType>(element);
  return quantized ? StorageOf(quantized) : element;
}

// ---- Between integers and real numbers.

// A number for each element: one, or one for each index of the quantized dimension.
Value Spread(MathBuilder& m, llvm::ArrayRef<double> numbers, int64_t dimension) {
  if (numbers.size() == 1) return m.Constant(numbers[0]);
  llvm::SmallVector<llvm::APFloat> values;
  const auto element = llvm::cast<mlir::FloatType>(m.type().getElementType());
  for (double number : numbers) {
    llvm::APFloat value(number);
    bool loses = false;
    value.convert(element.getFloatSemantics(), llvm::APFloat::rmNearestTiesToEven, &loses);
    values.push_back(value);
  }
  auto type = RankedTensorType::get({static_cast<int64_t>(numbers.size())}, element);
  const Value line = ConstantOp::create(m.builder(), m.location(), mlir::DenseElementsAttr::get(type, values));
  return BroadcastInDimOp::create(m.builder(), m.location(), m.type(), line,
                                  m.builder().getDenseI64ArrayAttr({dimension}));
}

struct Scales {
  llvm::SmallVector<double> scales;
  llvm::SmallVector<double> zero_points;
  int64_t dimension = 0;
};

mlir::FailureOr<Scales> ScalesOf(Operation* op, QuantizedType type) {
  Scales scales;
  if (auto uniform = llvm::dyn_cast<mlir::quant::UniformQuantizedType>(type)) {
    scales.scales.push_back(uniform.getScale());
    scales.zero_points.push_back(static_cast<double>(uniform.getZeroPoint()));
    return scales;
  }
  auto per_axis = llvm::dyn_cast<mlir::quant::UniformQuantizedPerAxisType>(type);
  if (!per_axis) return op->emitOpError() << "has numbers that are neither quantized per tensor nor per axis";
  scales.scales.append(per_axis.getScales().begin(), per_axis.getScales().end());
  for (int64_t zero_point : per_axis.getZeroPoints()) scales.zero_points.push_back(static_cast<double>(zero_point));
  scales.dimension = per_axis.getQuantizedDimension();
  return scales;
}

mlir::FailureOr<Value> Dequantized(mlir::OpBuilder& builder, Operation* op, Value value) {
  const QuantizedType quantized = QuantizedOf(value.getType());
  const auto type = llvm::cast<RankedTensorType>(value.getType());
  if (!type.hasStaticShape()) return op->emitOpError() << "has quantized numbers of unknown shape";
  auto scales = ScalesOf(op, quantized);
  if (failed(scales)) return failure();
  MathBuilder m(builder, op->getLoc(), chlo::WithElementType(type, quantized.getExpressedType()));
  const Value moved = m.Sub(m.ConvertTo(value), Spread(m, scales->zero_points, scales->dimension));
  return m.Mul(moved, Spread(m, scales->scales, scales->dimension));
}

// `type`: the quantized tensor's.
mlir::FailureOr<Value> Quantized(mlir::OpBuilder& builder, Operation* op, Value value, RankedTensorType type) {
  const QuantizedType quantized = QuantizedOf(type);
  if (!type.hasStaticShape()) return op->emitOpError() << "has quantized numbers of unknown shape";
  auto scales = ScalesOf(op, quantized);
  if (failed(scales)) return failure();
  MathBuilder m(builder, op->getLoc(), chlo::WithElementType(type, quantized.getExpressedType()));
  const Value moved = m.Add(m.Div(value, Spread(m, scales->scales, scales->dimension)),
                            Spread(m, scales->zero_points, scales->dimension));
  auto bound = [&](int64_t limit) {
    const bool is_signed = quantized.isSigned();
    return m.Constant(is_signed ? static_cast<double>(limit) : static_cast<double>(static_cast<uint64_t>(limit)));
  };
  const Value clamped = ClampOp::create(builder, op->getLoc(), m.type(), bound(quantized.getStorageTypeMin()), moved,
                                        bound(quantized.getStorageTypeMax()));
  const Value whole = m.Unary<RoundNearestEvenOp>(clamped);
  // Of quantized type still, as all values are until the end.
  return ConvertOp::create(builder, op->getLoc(), type, whole).getResult();
}

// ---- Operations.

// Whether the operation's meaning is that of the real numbers; others move the integers, or have regions that do.
bool Computes(Operation* op) {
  if (op->getNumRegions() > 0) return false;
  if (llvm::isa<ReverseOp, BitcastConvertOp, ConstantOp>(op)) return false;
  if (op->hasTrait<ElementwiseShape>()) return true;
  return llvm::isa<ClampOp, DotGeneralOp, DotOp, EinsumOp, ConvolutionOp, DynamicConvOp, BatchNormInferenceOp,
                   BatchNormTrainingOp, BatchNormGradOp, IotaOp, IsFiniteOp, CompareOp>(op);
}

// Movement of elements of one tensor with scales of another would change what they stand for.
LogicalResult CheckMovement(Operation* op) {
  if (op->getName().getDialectNamespace() != "stablehlo" || op->getNumRegions() > 0 || op->getNumResults() != 1) {
    return success();
  }
  auto result = llvm::dyn_cast_or_null<mlir::quant::UniformQuantizedType>(QuantizedOf(op->getResult(0).getType()));
  for (Type type : op->getOperandTypes()) {
    auto operand = llvm::dyn_cast_or_null<mlir::quant::UniformQuantizedType>(QuantizedOf(type));
    if (result && operand && result != operand) {
      return op->emitOpError() << "takes elements of type " << operand << " to " << result;
    }
  }
  return success();
}

// Quantized numbers stand for real ones of one type, which conversions take and give.
LogicalResult CheckExpressed(Operation* op) {
  const auto real = [](Value value) {
    const QuantizedType quantized = QuantizedOf(value.getType());
    return quantized ? quantized.getExpressedType() : llvm::cast<RankedTensorType>(value.getType()).getElementType();
  };
  const Type from = real(op->getOperand(0));
  const Type to = real(op->getResult(0));
  if (from != to) return op->emitOpError() << "takes real numbers of type " << from << " to those of " << to;
  return success();
}

LogicalResult Expand(Operation* op) {
  const bool converts = llvm::isa<UniformQuantizeOp, UniformDequantizeOp>(op);
  if (converts && failed(CheckExpressed(op))) return failure();
  mlir::OpBuilder builder(op);
  for (mlir::OpOperand& operand : op->getOpOperands()) {
    if (!IsQuantized(operand.get().getType())) continue;
    auto real = Dequantized(builder, op, operand.get());
    if (failed(real)) return failure();
    operand.set(*real);
  }
  builder.setInsertionPointAfter(op);
  for (Value result : op->getResults()) {
    llvm::SmallVector<mlir::OpOperand*> uses;
    for (mlir::OpOperand& use : result.getUses()) uses.push_back(&use);
    Value value = converts ? op->getOperand(0) : result;
    if (const auto type = llvm::cast<RankedTensorType>(result.getType()); IsQuantized(type)) {
      result.setType(chlo::WithElementType(type, QuantizedOf(type).getExpressedType()));
      auto stored = Quantized(builder, op, value, type);
      if (failed(stored)) return failure();
      value = *stored;
    }
    for (mlir::OpOperand* use : uses) use->set(value);
  }
  if (converts) op->erase();
  return success();
}

// The values of constants are the stored integers, without a sign; their type follows that of the result.
void RetypeConstant(ConstantOp op) {
  const auto value = llvm::dyn_cast<mlir::DenseElementsAttr>(op.getValue());
  const Type storage = StorageOf(QuantizedOf(op.getType()));
  if (value && value.getElementType() != storage) op.setValueAttr(mlir::DenseElementsAttr(value).bitcast(storage));
}

}  // namespace

LogicalResult ExpandQuantized(mlir::ModuleOp module) {
  llvm::SmallVector<Operation*> computing;
  bool any = false;
  const mlir::WalkResult walk = module.walk([&](Operation* op) {
    const bool quantized =
        llvm::any_of(op->getOperandTypes(), IsQuantized) || llvm::any_of(op->getResultTypes(), IsQuantized);
    if (!quantized) return mlir::WalkResult::advance();
    any = true;
    if (Computes(op)) {
      computing.push_back(op);
      return mlir::WalkResult::advance();
    }
    return failed(CheckMovement(op)) ? mlir::WalkResult::interrupt() : mlir::WalkResult::advance();
  });
  if (walk.wasInterrupted()) return failure();
  if (!any) return success();
  for (Operation* op : computing) {
    if (failed(Expand(op))) return failure();
  }
  module.walk([](ConstantOp op) {
    if (IsQuantized(op.getType())) RetypeConstant(op);
  });
  RetypeValues(module, StorageOrSelf);
  return mlir::verify(module);  // operands and results of other operations may stand for different real types
}

}  // namespace treadle::stablehlo

// Generated code of the elementwise operations, and their verifiers. (C1), (C2) ... are the constraints of the
// specification. Those of operations that are not here are checked by the traits ElementwiseShape and SameElementType.
#include "mlir/Dialect/Quant/IR/QuantTypes.h"
#include "mlir/IR/TypeUtilities.h"
#include "stablehlo/dialect/assembly.h"
#include "stablehlo/dialect/ops.h"
#include "stablehlo/dialect/quantized_rules.h"
#include "stablehlo/dialect/shape_rules.h"

#define GET_OP_CLASSES
#include "stablehlo/dialect/elementwise.cc.inc"

namespace treadle::stablehlo {

using mlir::failure;
using mlir::LogicalResult;
using mlir::success;
using mlir::Type;

void StablehloDialect::RegisterElementwiseOps() {
  addOperations<
#define GET_OP_LIST
#include "stablehlo/dialect/elementwise.cc.inc"
      >();
}

namespace {

// f32 of complex<f32>; other types themselves.
Type RealPart(Type element) {
  if (auto complex = llvm::dyn_cast<mlir::ComplexType>(element)) return complex.getElementType();
  return element;
}

// The result's element type is the real part of the operand's. (C2) of abs, imag and real; (C1) is a trait's.
LogicalResult CheckRealPart(mlir::Operation* op) {
  const Type operand = mlir::getElementTypeOrSelf(op->getOperand(0));
  const Type result = mlir::getElementTypeOrSelf(op->getResult(0));
  if (SameBaseline(result, RealPart(operand))) return success();
  return op->emitOpError() << "of elements " << operand << " gives " << RealPart(operand) << ", got " << result;
}

LogicalResult CheckScalarOrSame(mlir::Operation* op, llvm::StringRef name, mlir::RankedTensorType type,
                                mlir::RankedTensorType operand) {
  return type.getRank() == 0 ? success() : CheckShape(op, name, type, operand.getShape());
}

}  // namespace

LogicalResult AbsOp::verify() { return CheckRealPart(*this); }
LogicalResult ImagOp::verify() { return CheckRealPart(*this); }
LogicalResult RealOp::verify() { return CheckRealPart(*this); }

LogicalResult UniformQuantizeOp::verify() {
  // (C1): trait; (C2)
  const Type from = getOperand().getType().getElementType();
  const auto to = llvm::cast<mlir::quant::QuantizedType>(getResult().getType().getElementType());
  const auto quantized = llvm::dyn_cast<mlir::quant::QuantizedType>(from);
  if ((quantized ? quantized.getExpressedType() : from) == to.getExpressedType()) return success();
  return emitOpError() << "of elements " << from << " cannot give " << to;
}

LogicalResult UniformDequantizeOp::verify() {
  // (C1): trait; (C2)
  const auto from = llvm::cast<mlir::quant::QuantizedType>(getOperand().getType().getElementType());
  const Type to = getResult().getType().getElementType();
  if (from.getExpressedType() == to) return success();
  return emitOpError() << "of elements " << from << " gives " << from.getExpressedType() << ", got " << to;
}

LogicalResult AddOp::verify() {
  const Type lhs = getLhs().getType().getElementType();
  const Type rhs = getRhs().getType().getElementType();
  const Type sum = getResult().getType().getElementType();
  if (IsQuantized(lhs) || IsQuantized(rhs) || IsQuantized(sum)) return CheckQuantizedSum(*this, lhs, rhs, sum);
  // (C1); shapes: trait
  return CheckBaseline(*this, {getLhs().getType(), getRhs().getType(), getResult().getType()});
}

LogicalResult BitcastConvertOp::verify() {
  const mlir::RankedTensorType operand = getOperand().getType();
  const mlir::RankedTensorType result = getResult().getType();
  const unsigned from = BitsOf(operand.getElementType());
  const unsigned to = BitsOf(result.getElementType());
  if (llvm::isa<mlir::ComplexType>(operand.getElementType()) != llvm::isa<mlir::ComplexType>(result.getElementType()))
    return emitOpError() << "cannot turn " << operand << " into " << result;  // (C2)
  if (from == 0 || to == 0) return emitOpError() << "knows no width of " << (from == 0 ? operand : result);
  // (C1)
  if (from == to) return CheckShape(*this, "result", result, operand.getShape());
  const unsigned wide = std::max(from, to);
  const unsigned narrow = std::min(from, to);
  llvm::SmallVector<int64_t> shape = llvm::to_vector((from > to ? operand : result).getShape());
  shape.push_back(wide / narrow);
  if (wide % narrow != 0) return emitOpError() << "cannot split " << wide << " bits in parts of " << narrow;
  return CheckShape(*this, from > to ? "result" : "operand", from > to ? result : operand, shape);
}

LogicalResult ReducePrecisionOp::verify() {
  // (C1): traits; (C2) (C3)
  if (static_cast<int32_t>(getExponentBits()) < 1) return emitOpError() << "needs at least one exponent bit";
  if (static_cast<int32_t>(getMantissaBits()) < 0) return emitOpError() << "has a negative number of mantissa bits";
  return success();
}

LogicalResult ComplexOp::verify() {
  const Type part = getLhs().getType().getElementType();
  // (C1), its shapes and (C2): trait
  if (part != getRhs().getType().getElementType()) return emitOpError() << "needs parts of one type";
  // (C3)
  if (getResult().getType().getElementType() != mlir::ComplexType::get(part)) {
    return emitOpError() << "of parts " << part << " cannot give " << getResult().getType();
  }
  return success();
}

void CompareOp::build(mlir::OpBuilder& builder, mlir::OperationState& state, mlir::Value lhs, mlir::Value rhs,
                      ComparisonDirection direction, ComparisonType type) {
  auto result = llvm::cast<mlir::RankedTensorType>(lhs.getType()).clone(builder.getI1Type());
  build(builder, state, result, lhs, rhs, ComparisonDirectionAttr::get(builder.getContext(), direction),
        type == ComparisonType::NOTYPE ? ComparisonTypeAttr() : ComparisonTypeAttr::get(builder.getContext(), type));
}

LogicalResult CompareOp::verify() {
  const Type lhs = getLhs().getType().getElementType();
  const Type rhs = getRhs().getType().getElementType();
  // (C1); (C2): trait
  if (!SameBaseline(lhs, rhs)) {
    return emitOpError() << "compares different element types, " << lhs << " and " << rhs;
  }
  // (C3) of TOTALORDER. The other types are hints, which programs are known to get wrong: the elements say how they
  // compare.
  const bool has_total_order = KindOfElement(lhs) & (kFloatElement | kComplexElement | kQuantElement);
  if (getCompareType() == ComparisonType::TOTALORDER && !has_total_order) {
    return emitOpError() << "compare_type TOTALORDER does not fit elements of " << lhs;
  }
  return success();
}

LogicalResult ClampOp::verify() {
  const mlir::RankedTensorType operand = getOperand().getType();
  // (C3), element types of (C4): trait
  if (failed(CheckScalarOrSame(*this, "min", getMin().getType(), operand)) ||  // (C1)
      failed(CheckScalarOrSame(*this, "max", getMax().getType(), operand))) {  // (C2)
    return failure();
  }
  return CheckShape(*this, "result", getResult().getType(), operand.getShape());  // (C4)
}

LogicalResult SelectOp::verify() {
  // (C2); scales must be equal too, for elements move as they are stored
  if (failed(CheckTypes(*this, "on_false", getOnFalse().getType(), getOnTrue().getType())) ||
      failed(CheckTypes(*this, "result", getResult().getType(), getOnTrue().getType()))) {
    return failure();
  }
  // (C1)
  return CheckScalarOrSame(*this, "pred", getPred().getType(), getOnTrue().getType());
}

}  // namespace treadle::stablehlo

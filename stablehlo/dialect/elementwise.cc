// Generated code of the elementwise operations, and their verifiers.
#include "mlir/IR/TypeUtilities.h"
#include "stablehlo/dialect/assembly.h"
#include "stablehlo/dialect/ops.h"
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

// The result's element type is the real part of the operand's.
LogicalResult CheckRealPart(mlir::Operation* op) {
  const Type operand = mlir::getElementTypeOrSelf(op->getOperand(0));
  const Type result = mlir::getElementTypeOrSelf(op->getResult(0));
  if (result == RealPart(operand) || (KindOfElement(operand) & kQuantElement)) return success();
  return op->emitOpError() << "of elements " << operand << " gives " << RealPart(operand) << ", got " << result;
}

// Bits of an element as bitcast_convert counts them; 0 where it has none.
unsigned BitsOf(Type element) {
  if (auto complex = llvm::dyn_cast<mlir::ComplexType>(element)) return 2 * BitsOf(complex.getElementType());
  return element.isIntOrFloat() ? element.getIntOrFloatBitWidth() : 0;
}

LogicalResult CheckScalarOrSame(mlir::Operation* op, llvm::StringRef name, mlir::RankedTensorType type,
                                mlir::RankedTensorType operand) {
  return type.getRank() == 0 ? success() : CheckShape(op, name, type, operand.getShape());
}

}  // namespace

LogicalResult AbsOp::verify() { return CheckRealPart(*this); }
LogicalResult ImagOp::verify() { return CheckRealPart(*this); }
LogicalResult RealOp::verify() { return CheckRealPart(*this); }

LogicalResult BitcastConvertOp::verify() {
  const mlir::RankedTensorType operand = getOperand().getType();
  const mlir::RankedTensorType result = getResult().getType();
  const unsigned from = BitsOf(operand.getElementType());
  const unsigned to = BitsOf(result.getElementType());
  if (from == 0 || to == 0) return success();  // quantized
  if (from == to) return CheckShape(*this, "result", result, operand.getShape());
  const unsigned wide = std::max(from, to);
  const unsigned narrow = std::min(from, to);
  llvm::SmallVector<int64_t> shape = llvm::to_vector((from > to ? operand : result).getShape());
  shape.push_back(wide / narrow);
  if (wide % narrow != 0) return emitOpError() << "cannot split " << wide << " bits in parts of " << narrow;
  return CheckShape(*this, from > to ? "result" : "operand", from > to ? result : operand, shape);
}

LogicalResult ReducePrecisionOp::verify() {
  if (static_cast<int32_t>(getExponentBits()) < 1) return emitOpError() << "needs at least one exponent bit";
  if (static_cast<int32_t>(getMantissaBits()) < 0) return emitOpError() << "has a negative number of mantissa bits";
  return success();
}

LogicalResult ComplexOp::verify() {
  const Type part = getLhs().getType().getElementType();
  if (part != getRhs().getType().getElementType()) return emitOpError() << "needs parts of one type";
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
  if (lhs != rhs && !((KindOfElement(lhs) | KindOfElement(rhs)) & kQuantElement)) {
    return emitOpError() << "compares different element types, " << lhs << " and " << rhs;
  }
  // The other types are hints, which programs are known to get wrong: the elements say how they compare.
  const bool has_total_order = KindOfElement(lhs) & (kFloatElement | kComplexElement | kQuantElement);
  if (getCompareType() == ComparisonType::TOTALORDER && !has_total_order) {
    return emitOpError() << "compare_type TOTALORDER does not fit elements of " << lhs;
  }
  return success();
}

LogicalResult ClampOp::verify() {
  const mlir::RankedTensorType operand = getOperand().getType();
  if (failed(CheckScalarOrSame(*this, "min", getMin().getType(), operand)) ||
      failed(CheckScalarOrSame(*this, "max", getMax().getType(), operand))) {
    return failure();
  }
  return CheckShape(*this, "result", getResult().getType(), operand.getShape());
}

LogicalResult SelectOp::verify() {
  if (failed(CheckTypes(*this, "on_false", getOnFalse().getType(), getOnTrue().getType())) ||
      failed(CheckTypes(*this, "result", getResult().getType(), getOnTrue().getType()))) {
    return failure();
  }
  return CheckScalarOrSame(*this, "pred", getPred().getType(), getOnTrue().getType());
}

}  // namespace treadle::stablehlo

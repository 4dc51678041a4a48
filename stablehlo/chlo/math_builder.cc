#include "stablehlo/chlo/math_builder.h"

#include <complex>

namespace treadle::chlo {

using mlir::Value;

namespace {

Value Splat(mlir::OpBuilder& builder, mlir::Location location, mlir::RankedTensorType type, mlir::Attribute element) {
  return stablehlo::ConstantOp::create(builder, location, mlir::DenseElementsAttr::get(type, element));
}

}  // namespace

Value MathBuilder::Constant(double value) {
  const mlir::Type element = type_.getElementType();
  if (llvm::isa<mlir::FloatType>(element))
    return Splat(builder_, location_, type_, builder_.getFloatAttr(element, value));
  if (auto complex = llvm::dyn_cast<mlir::ComplexType>(element)) {
    auto part = [&](double x) { return builder_.getFloatAttr(complex.getElementType(), x).getValue(); };
    const std::complex<llvm::APFloat> number(part(value), part(0));
    return stablehlo::ConstantOp::create(builder_, location_, mlir::DenseElementsAttr::get(type_, number));
  }
  return Integer(static_cast<uint64_t>(static_cast<int64_t>(value)));
}

Value MathBuilder::Integer(uint64_t bits) {
  const mlir::Type element = type_.getElementType();
  const llvm::APInt value = llvm::APInt(64, bits).trunc(element.getIntOrFloatBitWidth());
  return Splat(builder_, location_, type_, mlir::IntegerAttr::get(element, value));
}

Value MathBuilder::Infinity(bool negative) {
  const auto element = llvm::cast<mlir::FloatType>(type_.getElementType());
  const llvm::APFloat value = llvm::APFloat::getInf(element.getFloatSemantics(), negative);
  return Splat(builder_, location_, type_, mlir::FloatAttr::get(element, value));
}

Value MathBuilder::NaN() {
  const auto element = llvm::cast<mlir::FloatType>(type_.getElementType());
  return Splat(builder_, location_, type_,
               mlir::FloatAttr::get(element, llvm::APFloat::getNaN(element.getFloatSemantics())));
}

Value MathBuilder::Abs(Value x) { return stablehlo::AbsOp::create(builder_, location_, x.getType(), x); }

Value MathBuilder::Compare(Value a, stablehlo::ComparisonDirection direction, Value b) {
  return stablehlo::CompareOp::create(builder_, location_, a, b, direction);
}

Value MathBuilder::CopySign(Value x, Value y) {
  const unsigned width = type_.getElementType().getIntOrFloatBitWidth();
  MathBuilder bits = WithElement(builder_.getIntegerType(width));
  const uint64_t sign = uint64_t{1} << (width - 1);
  const Value magnitude = bits.And(bits.Bitcast(x), bits.Integer(~sign));
  return Bitcast(bits.Or(magnitude, bits.And(bits.Bitcast(y), bits.Integer(sign))));
}

Value MathBuilder::Polynomial(Value x, double middle, llvm::ArrayRef<double> coefficients) {
  const Value v = middle == 0 ? x : Sub(x, Constant(middle));
  Value sum = Constant(coefficients.front());
  for (double coefficient : coefficients.drop_front()) sum = Add(Mul(sum, v), Constant(coefficient));
  return sum;
}

Value MathBuilder::ConvertTo(Value x) {
  if (x.getType() == type_) return x;
  return stablehlo::ConvertOp::create(builder_, location_, type_, x);
}

Value MathBuilder::Bitcast(Value x) { return stablehlo::BitcastConvertOp::create(builder_, location_, type_, x); }

}  // namespace treadle::chlo

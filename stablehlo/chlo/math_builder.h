// Writes formulas over tensors of one shape and element type as StableHLO operations.
#ifndef TREADLE_STABLEHLO_CHLO_MATH_BUILDER_H_
#define TREADLE_STABLEHLO_CHLO_MATH_BUILDER_H_

#include "stablehlo/dialect/ops.h"

namespace treadle::chlo {

// The tensor type with the same shape and another element.
inline mlir::RankedTensorType WithElementType(mlir::RankedTensorType type, mlir::Type element) {
  return mlir::RankedTensorType::get(type.getShape(), element, type.getEncoding());
}

// Borrowed for the expansion of one operation; inserts before it. Values passed in have `type()` unless said otherwise.
class MathBuilder {
 public:
  MathBuilder(mlir::OpBuilder& builder, mlir::Location location, mlir::RankedTensorType type)
      : builder_(builder), location_(location), type_(type) {}

  mlir::RankedTensorType type() const { return type_; }
  bool is_f64() const { return type_.getElementType().isF64(); }
  mlir::OpBuilder& builder() { return builder_; }
  mlir::Location location() const { return location_; }
  // The same place, for tensors of this shape and other elements.
  MathBuilder WithElement(mlir::Type element) const { return {builder_, location_, WithElementType(type_, element)}; }

  // A tensor full of the value, rounded to the element type (truncated to its width where that is an integer).
  mlir::Value Constant(double value);
  mlir::Value Integer(uint64_t bits);
  mlir::Value Infinity(bool negative = false);
  mlir::Value NaN();

  template <typename Op>
  mlir::Value Unary(mlir::Value x) {
    return Op::create(builder_, location_, x);
  }
  template <typename Op>
  mlir::Value Binary(mlir::Value a, mlir::Value b) {
    return Op::create(builder_, location_, a, b);
  }
  mlir::Value Add(mlir::Value a, mlir::Value b) { return Binary<stablehlo::AddOp>(a, b); }
  mlir::Value Sub(mlir::Value a, mlir::Value b) { return Binary<stablehlo::SubtractOp>(a, b); }
  mlir::Value Mul(mlir::Value a, mlir::Value b) { return Binary<stablehlo::MulOp>(a, b); }
  mlir::Value Div(mlir::Value a, mlir::Value b) { return Binary<stablehlo::DivOp>(a, b); }
  mlir::Value Neg(mlir::Value x) { return Unary<stablehlo::NegOp>(x); }
  mlir::Value Abs(mlir::Value x);
  mlir::Value Sqrt(mlir::Value x) { return Unary<stablehlo::SqrtOp>(x); }
  mlir::Value Exp(mlir::Value x) { return Unary<stablehlo::ExpOp>(x); }
  mlir::Value Log(mlir::Value x) { return Unary<stablehlo::LogOp>(x); }
  mlir::Value Log1p(mlir::Value x) { return Unary<stablehlo::Log1pOp>(x); }
  mlir::Value And(mlir::Value a, mlir::Value b) { return Binary<stablehlo::AndOp>(a, b); }
  mlir::Value Or(mlir::Value a, mlir::Value b) { return Binary<stablehlo::OrOp>(a, b); }
  // Tensors of i1.
  mlir::Value Compare(mlir::Value a, stablehlo::ComparisonDirection direction, mlir::Value b);
  mlir::Value Less(mlir::Value a, mlir::Value b) { return Compare(a, stablehlo::ComparisonDirection::LT, b); }
  mlir::Value Greater(mlir::Value a, mlir::Value b) { return Compare(a, stablehlo::ComparisonDirection::GT, b); }
  mlir::Value Equal(mlir::Value a, mlir::Value b) { return Compare(a, stablehlo::ComparisonDirection::EQ, b); }
  mlir::Value Select(mlir::Value pred, mlir::Value a, mlir::Value b) {
    return stablehlo::SelectOp::create(builder_, location_, pred, a, b);
  }
  // |x| with the sign of y, zeros and NaN of y included.
  mlir::Value CopySign(mlir::Value x, mlir::Value y);
  // Horner's rule in (x - middle), highest power first.
  mlir::Value Polynomial(mlir::Value x, double middle, llvm::ArrayRef<double> coefficients);

  // `x` of any element type, converted to type().
  mlir::Value ConvertTo(mlir::Value x);
  // `x` of the same width, its bits as type().
  mlir::Value Bitcast(mlir::Value x);

 private:
  mlir::OpBuilder& builder_;
  mlir::Location location_;
  mlir::RankedTensorType type_;
};

}  // namespace treadle::chlo

#endif  // TREADLE_STABLEHLO_CHLO_MATH_BUILDER_H_

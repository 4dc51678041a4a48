// Writes formulas as elementwise operations of a graph.
#ifndef TREADLE_COMPILER_OPTIMIZE_FORMULA_H_
#define TREADLE_COMPILER_OPTIMIZE_FORMULA_H_

#include <cstdint>
#include <vector>

#include "compiler/graph/graph.h"

namespace treadle::compiler {

// Appends to one region, for one operation of the program. Values passed in are tensors of shape(), an f32 or f64
// shape, unless said otherwise: "bits" are of the signed integer type of the same width, "truth" is i1. Borrows the
// graph.
class Formula {
 public:
  using ValueId = graph::ValueId;
  using OpCode = graph::OpCode;

  Formula(graph::Graph& graph, graph::RegionId region, Shape shape, int32_t location)
      : graph_(graph), region_(region), shape_(std::move(shape)), location_(location) {}

  const Shape& shape() const { return shape_; }
  // Whether this stands in the region of a reduction.
  bool in_reduction() const { return in_reduction_; }
  void set_in_reduction(bool in_reduction) { in_reduction_ = in_reduction; }
  bool is_f64() const { return shape_.type == ElementType::kF64; }
  graph::Graph& graph() { return graph_; }
  graph::RegionId region() const { return region_; }
  int32_t location() const { return location_; }

  // Tensors full of one number.
  ValueId Constant(double value);
  ValueId Bits(int64_t bits);
  // A tensor of any shape whose elements have these low bits.
  ValueId Splat(const Shape& shape, uint64_t bits);
  ValueId Infinity();
  ValueId NaN();

  // One operation of any kind with one result.
  ValueId Op(OpCode code, std::vector<ValueId> operands, Shape result, graph::Attributes attrs = {});
  // Elementwise, over shape().
  ValueId Apply(OpCode code, std::vector<ValueId> operands) { return Op(code, std::move(operands), shape_); }
  ValueId Add(ValueId a, ValueId b) { return Apply(OpCode::kAdd, {a, b}); }
  ValueId Sub(ValueId a, ValueId b) { return Apply(OpCode::kSubtract, {a, b}); }
  ValueId Mul(ValueId a, ValueId b) { return Apply(OpCode::kMultiply, {a, b}); }
  // a * b + c, rounded once where the target can.
  ValueId MulAdd(ValueId a, ValueId b, ValueId c) { return Apply(OpCode::kMultiplyAdd, {a, b, c}); }
  ValueId Div(ValueId a, ValueId b) { return Apply(OpCode::kDivide, {a, b}); }
  ValueId Neg(ValueId x) { return Apply(OpCode::kNegate, {x}); }
  ValueId Abs(ValueId x) { return Apply(OpCode::kAbs, {x}); }
  ValueId Sqrt(ValueId x) { return Apply(OpCode::kSqrt, {x}); }
  ValueId Square(ValueId x) { return Mul(x, x); }
  ValueId Half(ValueId x) { return Mul(x, Constant(0.5)); }

  ValueId Compare(ValueId a, graph::Direction direction, ValueId b);  // of any equal types, to a truth
  ValueId Equal(ValueId a, ValueId b) { return Compare(a, graph::Direction::kEq, b); }
  ValueId Greater(ValueId a, ValueId b) { return Compare(a, graph::Direction::kGt, b); }
  ValueId IsInfinite(ValueId x) { return Equal(Abs(x), Infinity()); }
  ValueId IsFinite(ValueId x) { return Op(OpCode::kIsFinite, {x}, Truth()); }
  ValueId And(ValueId a, ValueId b) { return Op(OpCode::kAnd, {a, b}, graph_.shape(a)); }  // truths, bits
  ValueId Or(ValueId a, ValueId b) { return Op(OpCode::kOr, {a, b}, graph_.shape(a)); }
  ValueId Not(ValueId a) { return Op(OpCode::kNot, {a}, graph_.shape(a)); }
  ValueId Select(ValueId truth, ValueId a, ValueId b) { return Apply(OpCode::kSelect, {truth, a, b}); }

  // Bits and numbers.
  ValueId ToBits(ValueId x) { return Op(OpCode::kBitcastConvert, {x}, IntegerShape()); }
  ValueId FromBits(ValueId bits) { return Apply(OpCode::kBitcastConvert, {bits}); }
  ValueId OnBits(OpCode code, ValueId a, ValueId b) { return Op(code, {a, b}, IntegerShape()); }
  ValueId CopySign(ValueId magnitude, ValueId sign);

 private:
  Shape Truth() const { return {ElementType::kI1, shape_.dims}; }
  Shape IntegerShape() const { return {is_f64() ? ElementType::kI64 : ElementType::kI32, shape_.dims}; }

  graph::Graph& graph_;
  const graph::RegionId region_;
  const Shape shape_;
  const int32_t location_;
  bool in_reduction_ = false;
};

}  // namespace treadle::compiler

#endif  // TREADLE_COMPILER_OPTIMIZE_FORMULA_H_

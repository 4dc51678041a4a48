#include "compiler/optimize/formula.h"

#include <cstring>
#include <limits>
#include <memory>
#include <string>
#include <utility>

namespace treadle::compiler {
namespace {

template <typename T>
graph::Attributes SplatOf(T value, size_t bytes_each, const Shape& shape) {
  graph::Attributes attrs;
  attrs.splat = shape.elements() > 0;
  std::string bytes(attrs.splat ? bytes_each : 0, '\0');
  std::memcpy(bytes.data(), &value, bytes.size());
  attrs.literal = std::make_shared<const std::string>(std::move(bytes));
  return attrs;
}

template <typename T>
graph::Attributes SplatOf(T value, const Shape& shape) {
  return SplatOf(value, sizeof value, shape);
}

}  // namespace

graph::ValueId Formula::Op(OpCode code, std::vector<ValueId> operands, Shape result, graph::Attributes attrs) {
  graph::OpId op =
      graph_.AddOp(region_, code, std::move(operands), {std::move(result)}, std::move(attrs), {}, location_);
  return graph_.ops[op].results[0];
}

graph::ValueId Formula::Constant(double value) {
  return Op(OpCode::kConstant, {}, shape_,
            is_f64() ? SplatOf(value, shape_) : SplatOf(static_cast<float>(value), shape_));
}

graph::ValueId Formula::Bits(int64_t bits) {
  return Op(OpCode::kConstant, {}, IntegerShape(),
            is_f64() ? SplatOf(bits, shape_) : SplatOf(static_cast<int32_t>(bits), shape_));
}

graph::ValueId Formula::Splat(const Shape& shape, uint64_t bits) {
  return Op(OpCode::kConstant, {}, shape, SplatOf(bits, ElementBytes(shape.type), shape));
}

graph::ValueId Formula::Infinity() { return Constant(std::numeric_limits<double>::infinity()); }
graph::ValueId Formula::NaN() { return Constant(std::numeric_limits<double>::quiet_NaN()); }

graph::ValueId Formula::Compare(ValueId a, graph::Direction direction, ValueId b) {
  graph::Attributes attrs;
  attrs.direction = direction;
  return Op(OpCode::kCompare, {a, b}, {ElementType::kI1, graph_.shape(a).dims}, std::move(attrs));
}

graph::ValueId Formula::CopySign(ValueId magnitude, ValueId sign) {
  const int64_t sign_bit = is_f64() ? std::numeric_limits<int64_t>::min() : std::numeric_limits<int32_t>::min();
  return FromBits(Or(And(ToBits(magnitude), Bits(~sign_bit)), And(ToBits(sign), Bits(sign_bit))));
}

}  // namespace treadle::compiler

#include "compiler/optimize/complex_tensors.h"

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace treadle::compiler {
namespace {

using graph::Attributes;
using graph::OpCode;
using graph::ValueId;

Shape WithLast(Shape shape, int64_t last) {
  shape.dims.push_back(last);
  return shape;
}

// One part as a slice of the last dimension.
ValueId Part(Formula& f, ValueId pairs, int64_t number) {
  Attributes attrs;
  attrs.starts.assign(f.shape().dims.size(), 0);
  attrs.limits = f.shape().dims;
  attrs.strides.assign(f.shape().dims.size() + 1, 1);
  attrs.starts.push_back(number);
  attrs.limits.push_back(number + 1);
  ValueId slice = f.Op(OpCode::kSlice, {pairs}, WithLast(f.shape(), 1), std::move(attrs));
  return f.Op(OpCode::kReshape, {slice}, f.shape());
}

}  // namespace

Shape PartShape(const Shape& complex) { return {PartOf(complex.type), complex.dims}; }
Shape PairShape(const Shape& complex) { return WithLast(PartShape(complex), 2); }

Complex ComplexPairs::Parts(Formula& f, ValueId pairs) {
  Complex parts = {Part(f, pairs, 0), Part(f, pairs, 1)};
  pairs_[{f.region(), parts.re, parts.im}] = pairs;
  return parts;
}

ValueId ComplexPairs::Pairs(Formula& f, Complex parts) {
  // Who sees the parts sees what stands in their region; what stands in a region inside of it, only that one does.
  auto outside = pairs_.find({f.graph().values[parts.re].region, parts.re, parts.im});
  if (outside != pairs_.end()) return outside->second;
  auto [known, fresh] = pairs_.try_emplace({f.region(), parts.re, parts.im}, -1);
  if (!fresh) return known->second;
  const Shape column = WithLast(f.graph().shape(parts.re), 1), shape = WithLast(f.graph().shape(parts.re), 2);
  ValueId re = f.Op(OpCode::kReshape, {parts.re}, column), im = f.Op(OpCode::kReshape, {parts.im}, column);
  Attributes attrs;
  attrs.dims = {column.rank() - 1};
  return known->second = f.Op(OpCode::kConcatenate, {re, im}, shape, std::move(attrs));
}

Complex ComplexConstant(Formula& f, const Attributes& attrs) {
  const size_t bytes = static_cast<size_t>(ElementBytes(f.shape().type));
  std::string parts[2];
  for (size_t at = 0; at < attrs.literal->size(); at += bytes) parts[at / bytes % 2].append(*attrs.literal, at, bytes);
  auto constant = [&](std::string& part) {
    Attributes real = attrs;
    real.literal = std::make_shared<const std::string>(std::move(part));
    return f.Op(OpCode::kConstant, {}, f.shape(), std::move(real));
  };
  ValueId re = constant(parts[0]);
  return {re, constant(parts[1])};
}

Complex ComplexProduct(Formula& f, ComplexPairs& pairs, OpCode code, Attributes attrs, Complex lhs, Complex rhs) {
  attrs.pairs = true;
  std::vector<ValueId> operands = {pairs.Pairs(f, lhs), pairs.Pairs(f, rhs)};
  return pairs.Parts(f, f.Op(code, std::move(operands), WithLast(f.shape(), 2), std::move(attrs)));
}

}  // namespace treadle::compiler

#include "compiler/optimize/complex_tensors.h"

#include <algorithm>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
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

namespace {

// Terms of a small product: its sums are written out.
constexpr int64_t kSmallTerms = 8, kSmallResult = 256;

int64_t TermsOf(const graph::DotDims& dot, const Shape& lhs) {
  int64_t terms = 1;
  for (int64_t dim : dot.lhs_contracting) terms *= lhs.dims[dim];
  return terms;
}

// One side of a dot_general: of each term the numbers that it takes from here, spread over the result.
class Side {
 public:
  // `first_free`: the result's dimension that is the first free one of this side.
  Side(Formula& f, const Shape& shape, const std::vector<int64_t>& batch, std::vector<int64_t> contracting,
       int64_t first_free)
      : f_(f), shape_(shape), contracting_(std::move(contracting)) {
    for (int64_t d = 0; d < static_cast<int64_t>(shape_.dims.size()); ++d) {
      if (std::ranges::count(contracting_, d) > 0) continue;
      const auto found = std::ranges::find(batch, d);
      kept_.push_back(shape_.dims[d]);
      to_.push_back(found != batch.end() ? found - batch.begin() : first_free++);
    }
  }

  ValueId Term(ValueId part, int64_t term) const {
    Attributes slice;
    slice.starts.assign(shape_.dims.size(), 0);
    slice.strides.assign(shape_.dims.size(), 1);
    slice.limits = shape_.dims;
    Shape cut = shape_;
    for (size_t i = contracting_.size(); i-- > 0;) {  // the last one runs fastest
      const int64_t dim = contracting_[i], size = shape_.dims[dim];
      slice.starts[dim] = term % size;
      slice.limits[dim] = term % size + 1;
      cut.dims[dim] = 1;
      term /= size;
    }
    ValueId value = f_.Op(OpCode::kSlice, {part}, std::move(cut), std::move(slice));
    value = f_.Op(OpCode::kReshape, {value}, {shape_.type, kept_});
    Attributes spread;
    spread.dims = to_;
    return f_.Op(OpCode::kBroadcastInDim, {value}, f_.shape(), std::move(spread));
  }
  Complex Term(Complex z, int64_t term) const { return {Term(z.re, term), Term(z.im, term)}; }

 private:
  Formula& f_;
  const Shape shape_;
  const std::vector<int64_t> contracting_;
  std::vector<int64_t> kept_, to_;
};

// Term by term, every operation rounded, as the specification has it: what jaxlib's CPU backend computes for small
// ones, too.
Complex SmallProduct(Formula& f, const graph::DotDims& dot, Complex lhs, Complex rhs) {
  const Shape left = f.graph().shape(lhs.re), right = f.graph().shape(rhs.re);
  const auto batch = static_cast<int64_t>(dot.lhs_batch.size());
  const int64_t left_free = static_cast<int64_t>(left.dims.size() - dot.lhs_contracting.size()) - batch;
  const Side a(f, left, dot.lhs_batch, dot.lhs_contracting, batch);
  const Side b(f, right, dot.rhs_batch, dot.rhs_contracting, batch + left_free);
  Complex sum;
  for (int64_t term = 0; term < TermsOf(dot, left); ++term) {
    const Complex z = a.Term(lhs, term), w = b.Term(rhs, term);
    const Complex product = {f.Sub(f.Mul(z.re, w.re), f.Mul(z.im, w.im)), f.Add(f.Mul(z.re, w.im), f.Mul(z.im, w.re))};
    sum = term == 0 ? product : Complex{f.Add(sum.re, product.re), f.Add(sum.im, product.im)};
  }
  return sum;
}

}  // namespace

Complex ComplexProduct(Formula& f, ComplexPairs& pairs, OpCode code, Attributes attrs, Complex lhs, Complex rhs) {
  if (code == OpCode::kDotGeneral && f.shape().elements() <= kSmallResult) {
    const int64_t terms = TermsOf(attrs.dot, f.graph().shape(lhs.re));
    if (terms > 0 && terms <= kSmallTerms) return SmallProduct(f, attrs.dot, lhs, rhs);
  }
  attrs.pairs = true;
  std::vector<ValueId> operands = {pairs.Pairs(f, lhs), pairs.Pairs(f, rhs)};
  return pairs.Parts(f, f.Op(code, std::move(operands), WithLast(f.shape(), 2), std::move(attrs)));
}

}  // namespace treadle::compiler

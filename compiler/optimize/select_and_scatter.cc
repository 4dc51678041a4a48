#include "compiler/optimize/select_and_scatter.h"

#include <cstdint>
#include <limits>
#include <optional>
#include <utility>
#include <vector>

#include "compiler/optimize/inline_region.h"

namespace treadle::compiler {
namespace {

using graph::Attributes;
using graph::Direction;
using graph::Graph;
using graph::OpCode;
using graph::RegionId;
using graph::ValueId;
using Values = std::vector<ValueId>;  // one a part

// Windows that may select one element, at most, for the result to ask each of them.
constexpr int64_t kMostWindows = 16;

ValueId Broadcast(Formula& f, ValueId x, std::vector<int64_t> dims, std::vector<int64_t> to) {
  Attributes attrs;
  attrs.dims = std::move(dims);
  return f.Op(OpCode::kBroadcastInDim, {x}, {f.graph().shape(x).type, std::move(to)}, std::move(attrs));
}

Values Joined(Values a, const Values& b) {
  a.insert(a.end(), b.begin(), b.end());
  return a;
}

class Expansion {
 public:
  Expansion(Formula& f, const SelectAndScatter& op)
      : f_(f),
        graph_(f.graph()),
        op_(op),
        dims_(f.shape().dims),
        windows_(f.graph().shape(op.source[0]).dims),
        place_type_(f.shape().elements() > std::numeric_limits<int32_t>::max() ? ElementType::kI64
                                                                               : ElementType::kI32) {}

  std::optional<Values> Run() {
    Values start;
    for (ValueId part : op_.init) start.push_back(Broadcast(f_, part, {}, dims_));
    if (f_.shape().elements() == 0 || graph_.shape(op_.source[0]).elements() == 0) return start;
    std::optional<ValueId> chosen = Chosen();
    if (!chosen) return std::nullopt;
    if (WindowsOver() <= kMostWindows) {
      if (std::optional<Values> taken = Take(*chosen, start)) return taken;
    }
    return Scatter(*chosen, start);
  }

 private:
  // Numbers of the operand's elements.
  ValueId Numbers() {
    Attributes attrs;
    attrs.dims = {0};
    ValueId row = f_.Op(OpCode::kIota, {}, {place_type_, {f_.shape().elements()}}, std::move(attrs));
    return f_.Op(OpCode::kReshape, {row}, {place_type_, dims_});
  }

  // The number of the element that each window selects; -1 where it has none.
  std::optional<ValueId> Chosen() {
    std::optional<RegionId> region = ChoiceRegion();
    if (!region) return std::nullopt;
    const ValueId zero = f_.Splat({f_.shape().type, {}}, 0), none = f_.Splat({place_type_, {}}, ~uint64_t{0});
    const size_t parts = op_.operand.size();
    Values operands = Joined(op_.operand, {Numbers()});
    operands.insert(operands.end(), parts, zero);
    operands.push_back(none);
    std::vector<Shape> shapes(parts, {f_.shape().type, windows_});
    shapes.push_back({place_type_, windows_});
    Attributes attrs = op_.window;
    attrs.interior.assign(dims_.size(), 0);
    attrs.dilations.assign(dims_.size(), 1);
    const graph::OpId id = graph_.AddOp(f_.region(), OpCode::kReduceWindow, std::move(operands), std::move(shapes),
                                        std::move(attrs), {*region}, f_.location());
    return graph_.ops[id].results.back();
  }

  // (value, number) of the best so far and of one more; what has the number -1 is no element.
  std::optional<RegionId> ChoiceRegion() {
    const Shape value = {f_.shape().type, {}}, number = {place_type_, {}};
    const RegionId region = graph_.AddRegion();
    const auto element = [&] {
      Values parts;
      for (size_t i = 0; i < op_.operand.size(); ++i) parts.push_back(graph_.AddValue(value, region));
      return parts;
    };
    const Values best = element();
    const ValueId best_number = graph_.AddValue(number, region);
    const Values more = element();
    const ValueId more_number = graph_.AddValue(number, region);
    graph_.regions[region].arguments = Joined(Joined(best, {best_number}), Joined(more, {more_number}));
    Formula f(graph_, region, value, f_.location());
    std::optional<Values> prefers = InlineRegion(f, op_.select, Joined(best, more));
    if (!prefers) return std::nullopt;
    const ValueId zero = f.Splat(number, 0);
    const ValueId first = f.Compare(best_number, Direction::kLt, zero);
    const ValueId padding = f.Compare(more_number, Direction::kLt, zero);
    const ValueId stays = f.Or(padding, f.And(f.Not(first), prefers->front()));
    Values results;
    for (size_t i = 0; i < best.size(); ++i) results.push_back(f.Select(stays, best[i], more[i]));
    results.push_back(f.Op(OpCode::kSelect, {stays, best_number, more_number}, number));
    graph_.regions[region].results = std::move(results);
    return region;
  }

  // Along dimension `d`.
  int64_t WindowsOver(size_t d) const {
    return (op_.window.limits[d] + op_.window.strides[d] - 1) / op_.window.strides[d];
  }
  int64_t WindowsOver() const {
    int64_t count = 1;
    for (size_t d = 0; d < dims_.size() && count <= kMostWindows; ++d) count *= WindowsOver(d);
    return count;
  }

  std::optional<Values> Take(ValueId chosen, Values result) {
    const ValueId numbers = Numbers();
    for (int64_t window = 0; window < WindowsOver(); ++window) {
      const ValueId here = f_.Equal(AtElements(chosen, window, ~uint64_t{0}), numbers);
      Values source;
      for (ValueId part : op_.source) source.push_back(AtElements(part, window, 0));
      std::optional<Values> more = InlineRegion(f_, op_.scatter, Joined(result, source));
      if (!more) return std::nullopt;
      for (size_t i = 0; i < result.size(); ++i) result[i] = f_.Select(here, (*more)[i], result[i]);
    }
    return result;
  }

  // For every element what x has at one of the windows over it, in their order; `padding` where there is no window.
  ValueId AtElements(ValueId x, int64_t window, uint64_t padding) {
    const ElementType type = graph_.shape(x).type;
    std::vector<int64_t> spread, at, repeated;
    Attributes attrs;
    attrs.low.resize(dims_.size());
    attrs.high.resize(dims_.size());
    attrs.interior.resize(dims_.size());
    for (size_t d = dims_.size(); d-- > 0; window /= WindowsOver(d)) {
      const int64_t stride = op_.window.strides[d], back = WindowsOver(d) - 1 - window % WindowsOver(d);
      attrs.low[d] = back * stride - op_.window.low[d];
      attrs.high[d] = dims_[d] - windows_[d] * stride - attrs.low[d];
    }
    for (size_t d = 0; d < dims_.size(); ++d) {
      at.push_back(static_cast<int64_t>(spread.size()));
      spread.push_back(windows_[d]);
      if (op_.window.strides[d] > 1) spread.push_back(op_.window.strides[d]);
      repeated.push_back(windows_[d] * op_.window.strides[d]);
    }
    if (repeated != windows_) {
      x = f_.Op(OpCode::kReshape, {Broadcast(f_, x, at, spread)}, {type, repeated});
    }
    return f_.Op(OpCode::kPad, {x, f_.Splat({type, {}}, padding)}, {type, dims_}, std::move(attrs));
  }

  Values Scatter(ValueId chosen, const Values& start) {
    const int64_t count = graph_.shape(chosen).elements();
    auto row = [&](ValueId x, int64_t size) { return f_.Op(OpCode::kReshape, {x}, {graph_.shape(x).type, {size}}); };
    Attributes attrs;
    attrs.windows = {.dropped = {0}, .index_map = {0}, .index_vector = 1};
    const Shape flat = {f_.shape().type, {f_.shape().elements()}};
    Values operands;
    for (ValueId part : start) operands.push_back(row(part, flat.dims[0]));
    operands.push_back(row(chosen, count));
    for (ValueId part : op_.source) operands.push_back(row(part, count));
    const graph::OpId id =
        graph_.AddOp(f_.region(), OpCode::kScatter, std::move(operands), std::vector<Shape>(start.size(), flat),
                     std::move(attrs), {op_.scatter}, f_.location());
    Values results;
    for (size_t i = 0; i < start.size(); ++i)
      results.push_back(f_.Op(OpCode::kReshape, {graph_.ops[id].results[i]}, f_.shape()));
    return results;
  }

  Formula& f_;
  Graph& graph_;
  const SelectAndScatter& op_;
  const std::vector<int64_t> dims_, windows_;
  const ElementType place_type_;
};

}  // namespace

std::optional<Values> Expand(Formula& f, const SelectAndScatter& op) { return Expansion(f, op).Run(); }

}  // namespace treadle::compiler

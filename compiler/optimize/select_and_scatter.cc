#include "compiler/optimize/select_and_scatter.h"

#include <cstdint>
#include <limits>
#include <optional>
#include <unordered_map>
#include <utility>
#include <vector>

namespace treadle::compiler {
namespace {

using graph::Attributes;
using graph::Direction;
using graph::Graph;
using graph::OpCode;
using graph::RegionId;
using graph::ValueId;

// Windows that may select one element, at most, for the result to ask each of them.
constexpr int64_t kMostWindows = 16;

ValueId Broadcast(Formula& f, ValueId x, std::vector<int64_t> dims, std::vector<int64_t> to) {
  Attributes attrs;
  attrs.dims = std::move(dims);
  return f.Op(OpCode::kBroadcastInDim, {x}, {f.graph().shape(x).type, std::move(to)}, std::move(attrs));
}

// A region of scalars, applied to tensors of f's dimensions (or, in another region, to scalars); nullopt where it is
// more than a formula.
std::optional<ValueId> Inline(Formula& f, RegionId number, const std::vector<ValueId>& arguments) {
  Graph& graph = f.graph();
  const graph::Region region = graph.regions[number];  // a copy: the graph grows
  const std::vector<int64_t>& dims = f.shape().dims;
  std::unordered_map<ValueId, ValueId> known;
  for (size_t k = 0; k < arguments.size(); ++k) known[region.arguments[k]] = arguments[k];
  auto value_of = [&](ValueId value) {
    auto [at, fresh] = known.try_emplace(value, value);
    if (fresh && !dims.empty()) at->second = Broadcast(f, value, {}, dims);  // from around the region
    return at->second;
  };
  for (graph::OpId id : region.ops) {
    const graph::Op op = graph.ops[id];
    const Shape shape = {graph.shape(op.results[0]).type, dims};
    if (op.code == OpCode::kConstant) {
      Attributes attrs = op.attrs;
      attrs.splat = true;
      known[op.results[0]] = f.Op(op.code, {}, shape, std::move(attrs));
      continue;
    }
    if (graph::OpClassOf(op.code) != graph::OpClass::kElementwise) return std::nullopt;
    std::vector<ValueId> operands;
    for (ValueId operand : op.operands) operands.push_back(value_of(operand));
    known[op.results[0]] = f.Op(op.code, std::move(operands), shape, op.attrs);
  }
  return value_of(region.results[0]);
}

class Expansion {
 public:
  Expansion(Formula& f, const SelectAndScatter& op)
      : f_(f),
        graph_(f.graph()),
        op_(op),
        dims_(f.shape().dims),
        windows_(f.graph().shape(op.source).dims),
        place_type_(f.shape().elements() > std::numeric_limits<int32_t>::max() ? ElementType::kI64
                                                                               : ElementType::kI32) {}

  std::optional<ValueId> Run() {
    const ValueId start = Broadcast(f_, op_.init, {}, dims_);
    if (f_.shape().elements() == 0 || graph_.shape(op_.source).elements() == 0) return start;
    std::optional<ValueId> chosen = Chosen();
    if (!chosen) return std::nullopt;
    if (WindowsOver() <= kMostWindows) {
      if (std::optional<ValueId> taken = Take(*chosen, start)) return *taken;
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
    const Shape scalar = {graph_.shape(op_.operand).type, {}};
    const ValueId numbers = Numbers(), zero = f_.Splat(scalar, 0), none = f_.Splat({place_type_, {}}, ~uint64_t{0});
    Attributes attrs = op_.window;
    attrs.interior.assign(dims_.size(), 0);
    attrs.dilations.assign(dims_.size(), 1);
    const graph::OpId id =
        graph_.AddOp(f_.region(), OpCode::kReduceWindow, {op_.operand, numbers, zero, none},
                     {{scalar.type, windows_}, {place_type_, windows_}}, std::move(attrs), {*region}, f_.location());
    return graph_.ops[id].results[1];
  }

  // (value, number) of the best so far and of one more; what has the number -1 is no element.
  std::optional<RegionId> ChoiceRegion() {
    const Shape value = {graph_.shape(op_.operand).type, {}}, number = {place_type_, {}};
    const RegionId region = graph_.AddRegion();
    std::vector<ValueId> arguments;
    for (const Shape& shape : {value, number, value, number}) arguments.push_back(graph_.AddValue(shape, region));
    graph_.regions[region].arguments = arguments;
    Formula f(graph_, region, value, f_.location());
    std::optional<ValueId> prefers = Inline(f, op_.select, {arguments[0], arguments[2]});
    if (!prefers) return std::nullopt;
    const ValueId zero = f.Splat(number, 0);
    const ValueId first = f.Compare(arguments[1], Direction::kLt, zero);
    const ValueId padding = f.Compare(arguments[3], Direction::kLt, zero);
    const ValueId stays = f.Or(padding, f.And(f.Not(first), *prefers));
    graph_.regions[region].results = {f.Op(OpCode::kSelect, {stays, arguments[0], arguments[2]}, value),
                                      f.Op(OpCode::kSelect, {stays, arguments[1], arguments[3]}, number)};
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

  std::optional<ValueId> Take(ValueId chosen, ValueId result) {
    const ValueId numbers = Numbers();
    for (int64_t window = 0; window < WindowsOver(); ++window) {
      const ValueId here = f_.Equal(AtElements(chosen, window, ~uint64_t{0}), numbers);
      std::optional<ValueId> more = Inline(f_, op_.scatter, {result, AtElements(op_.source, window, 0)});
      if (!more) return std::nullopt;
      result = f_.Select(here, *more, result);
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

  ValueId Scatter(ValueId chosen, ValueId start) {
    const int64_t count = graph_.shape(chosen).elements();
    auto row = [&](ValueId x, int64_t size) { return f_.Op(OpCode::kReshape, {x}, {graph_.shape(x).type, {size}}); };
    Attributes attrs;
    attrs.windows = {.dropped = {0}, .index_map = {0}, .index_vector = 1};
    const Shape flat = {f_.shape().type, {f_.shape().elements()}};
    std::vector<ValueId> operands = {row(start, flat.dims[0]), row(chosen, count), row(op_.source, count)};
    const graph::OpId id = graph_.AddOp(f_.region(), OpCode::kScatter, std::move(operands), {flat}, std::move(attrs),
                                        {op_.scatter}, f_.location());
    return f_.Op(OpCode::kReshape, {graph_.ops[id].results[0]}, f_.shape());
  }

  Formula& f_;
  Graph& graph_;
  const SelectAndScatter& op_;
  const std::vector<int64_t> dims_, windows_;
  const ElementType place_type_;
};

}  // namespace

std::optional<ValueId> Expand(Formula& f, const SelectAndScatter& op) { return Expansion(f, op).Run(); }

}  // namespace treadle::compiler

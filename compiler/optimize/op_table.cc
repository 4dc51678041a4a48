#include "compiler/optimize/op_table.h"

#include <functional>
#include <string_view>

namespace treadle::compiler {
namespace {

using graph::Attributes;

class Hash {
 public:
  void Add(uint64_t value) { state_ = (state_ ^ value) * 0x9E3779B97F4A7C15u + (state_ >> 29); }
  void Add(const std::vector<int64_t>& list) {
    Add(list.size());
    for (int64_t value : list) Add(static_cast<uint64_t>(value));
  }
  uint64_t value() const { return state_; }

 private:
  uint64_t state_ = 0x243F6A8885A308D3u;
};

uint64_t HashOf(graph::RegionId region, graph::OpCode code, const std::vector<graph::ValueId>& operands,
                const Shape& shape, const Attributes& attrs) {
  Hash hash;
  hash.Add(static_cast<uint64_t>(region));
  hash.Add(static_cast<uint64_t>(code) << 8 | static_cast<uint64_t>(shape.type));
  for (graph::ValueId v : operands) hash.Add(static_cast<uint64_t>(v));
  hash.Add(shape.dims);
  hash.Add(attrs.dims);
  hash.Add(attrs.starts);
  hash.Add(attrs.limits);
  hash.Add(attrs.low);
  if (attrs.literal) hash.Add(std::hash<std::string_view>()(*attrs.literal));
  return hash.value();
}

bool SameLiteral(const Attributes& a, const Attributes& b) {
  if (a.literal == b.literal) return a.splat == b.splat;
  return a.literal && b.literal && a.splat == b.splat && *a.literal == *b.literal;
}

bool SameConvolution(const Attributes& a, const Attributes& b) {
  return a.conv == b.conv || (a.conv && b.conv && *a.conv == *b.conv);
}

bool SameCall(const Attributes& a, const Attributes& b) {
  return a.call == b.call || (a.call && b.call && *a.call == *b.call);
}

bool Same(const Attributes& a, const Attributes& b) {
  return SameConvolution(a, b) && SameCall(a, b) && a.dims == b.dims && a.starts == b.starts && a.limits == b.limits &&
         a.strides == b.strides && a.low == b.low && a.high == b.high && a.interior == b.interior &&
         a.dilations == b.dilations && a.direction == b.direction && a.total_order == b.total_order &&
         a.exponent_bits == b.exponent_bits && a.mantissa_bits == b.mantissa_bits && a.dot == b.dot &&
         a.pairs == b.pairs && a.windows == b.windows && a.unique == b.unique && SameLiteral(a, b);
}

}  // namespace

std::optional<graph::OpId> OpTable::Find(const graph::Graph& graph, graph::RegionId region, graph::OpCode code,
                                         const std::vector<graph::ValueId>& operands, const Shape& shape,
                                         const Attributes& attrs) const {
  auto [first, last] = ops_.equal_range(HashOf(region, code, operands, shape, attrs));
  for (auto it = first; it != last; ++it) {
    const graph::Op& op = graph.ops[it->second];
    const graph::Value& result = graph.values[op.results[0]];
    if (result.region == region && op.code == code && op.operands == operands && result.shape == shape &&
        Same(op.attrs, attrs)) {
      return it->second;
    }
  }
  return std::nullopt;
}

void OpTable::Insert(const graph::Graph& graph, graph::RegionId region, graph::OpId id) {
  const graph::Op& op = graph.ops[id];
  ops_.emplace(HashOf(region, op.code, op.operands, graph.shape(op.results[0]), op.attrs), id);
}

}  // namespace treadle::compiler

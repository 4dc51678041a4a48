#include "compiler/optimize/inline_region.h"

#include <unordered_map>
#include <utility>

namespace treadle::compiler {

using graph::Graph;
using graph::OpCode;
using graph::ValueId;

std::optional<std::vector<ValueId>> InlineRegion(Formula& f, graph::RegionId number,
                                                 const std::vector<ValueId>& arguments) {
  Graph& graph = f.graph();
  const graph::Region region = graph.regions[number];  // a copy: the graph grows
  const std::vector<int64_t>& dims = f.shape().dims;
  std::unordered_map<ValueId, ValueId> known;
  for (size_t k = 0; k < arguments.size(); ++k) known[region.arguments[k]] = arguments[k];
  auto value_of = [&](ValueId value) {
    auto [at, fresh] = known.try_emplace(value, value);
    if (fresh && !dims.empty()) {  // from around the region
      at->second = f.Op(OpCode::kBroadcastInDim, {value}, {graph.shape(value).type, dims});
    }
    return at->second;
  };
  for (graph::OpId id : region.ops) {
    const graph::Op op = graph.ops[id];
    const Shape shape = {graph.shape(op.results[0]).type, dims};
    if (op.code == OpCode::kConstant) {
      graph::Attributes attrs = op.attrs;
      attrs.splat = true;
      known[op.results[0]] = f.Op(op.code, {}, shape, std::move(attrs));
      continue;
    }
    if (graph::OpClassOf(op.code) != graph::OpClass::kElementwise) return std::nullopt;
    std::vector<ValueId> operands;
    for (ValueId operand : op.operands) operands.push_back(value_of(operand));
    known[op.results[0]] = f.Op(op.code, std::move(operands), shape, op.attrs);
  }
  std::vector<ValueId> results;
  for (ValueId result : region.results) results.push_back(value_of(result));
  return results;
}

}  // namespace treadle::compiler

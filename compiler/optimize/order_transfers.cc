#include "compiler/optimize/order_transfers.h"

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

namespace treadle::compiler {
namespace {

using graph::Graph;
using graph::OpCode;
using graph::OpId;
using graph::RegionId;
using graph::ValueId;

const Shape kToken = {ElementType::kI1, {0}};

class Orderer {
 public:
  explicit Orderer(Graph& graph) : graph_(graph) {}

  Status Run() {
    graph::Attributes nothing;
    nothing.literal = std::make_shared<const std::string>(1, '\0');
    nothing.splat = true;
    const OpId first = graph_.AddOp(0, OpCode::kConstant, {}, {kToken}, std::move(nothing));
    std::vector<OpId>& ops = graph_.regions[0].ops;
    std::rotate(ops.begin(), ops.end() - 1, ops.end());
    return Thread(0, graph_.ops[first].results[0]).status();
  }

 private:
  // Through a region: the token that comes out.
  StatusOr<ValueId> Thread(RegionId region, ValueId token) {
    const std::vector<OpId> ops = graph_.regions[region].ops;
    for (OpId id : ops) {
      if (!Transfers(graph_, graph_.ops[id])) continue;
      TREADLE_RETURN_IF_ERROR(Through(id, token));
      const ValueId next = graph_.AddValue(kToken, region, id);
      graph_.ops[id].results.push_back(next);
      token = next;
    }
    return token;
  }

  // Through the regions of an operation, all but its result.
  Status Through(OpId id, ValueId token) {
    const std::vector<RegionId> regions = graph_.ops[id].regions;
    switch (graph_.ops[id].code) {
      case OpCode::kTransfer:
        graph_.ops[id].operands.push_back(token);
        return OkStatus();
      case OpCode::kWhile: {
        graph_.ops[id].operands.push_back(token);
        TREADLE_RETURN_IF_ERROR(Thread(regions[0], AddArgument(regions[0])).status());  // before the body's, anyway
        TREADLE_ASSIGN_OR_RETURN(const ValueId last, Thread(regions[1], AddArgument(regions[1])));
        graph_.regions[regions[1]].results.push_back(last);
        return OkStatus();
      }
      case OpCode::kIf:
      case OpCode::kCase:
        for (RegionId region : regions) {
          TREADLE_ASSIGN_OR_RETURN(const ValueId last, Thread(region, token));
          graph_.regions[region].results.push_back(last);
        }
        return OkStatus();
      default:
        return Unimplemented("infeed, outfeed, send and recv in the region of " +
                             std::string(OpName(graph_.ops[id].code)) + " are not implemented yet, at " +
                             graph_.location(graph_.ops[id]));
    }
  }

  ValueId AddArgument(RegionId region) {
    graph_.regions[region].arguments.push_back(graph_.AddValue(kToken, region));
    return graph_.regions[region].arguments.back();
  }

  Graph& graph_;
};

}  // namespace

Status OrderTransfers(Graph& graph) {
  const bool transfers =
      std::ranges::any_of(graph.ops, [](const graph::Op& op) { return op.code == OpCode::kTransfer; });
  return transfers ? Orderer(graph).Run() : OkStatus();
}

}  // namespace treadle::compiler

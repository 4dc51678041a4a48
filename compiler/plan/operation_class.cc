#include "compiler/plan/operation_class.h"

#include <algorithm>

namespace treadle::plan {

using graph::OpCode;

namespace {

// Reading it in its result's order stays a walk along rows, or it is too small to matter.
bool TransposeIsFree(const graph::Graph& graph, const graph::Op& op) {
  const std::vector<int64_t>& dims = graph.shape(op.results[0]).dims;
  if (graph.shape(op.results[0]).elements() <= 256) return true;
  for (size_t k = dims.size(); k-- > 0;) {
    if (dims[k] == 1) continue;
    for (size_t source = op.attrs.dims[k] + 1; source < dims.size(); ++source) {
      if (graph.shape(op.operands[0]).dims[source] != 1) return false;
    }
    return dims[k] >= 8;
  }
  return true;
}

// One element a result: the region applied to it and the initial value.
bool ReducesNothing(const graph::Graph& graph, const graph::Op& op) {
  return op.results.size() == 1 && std::all_of(op.attrs.dims.begin(), op.attrs.dims.end(),
                                               [&](int64_t dim) { return graph.shape(op.operands[0]).dims[dim] == 1; });
}

}  // namespace

OperationClass ClassOf(const graph::Graph& graph, const graph::Op& op) {
  switch (op.code) {
    case OpCode::kConstant:
    case OpCode::kIota:
    case OpCode::kBroadcastInDim:
    case OpCode::kReshape:
    case OpCode::kSlice:
    case OpCode::kReverse:
    case OpCode::kDynamicSlice:
    case OpCode::kOptimizationBarrier:
      return OperationClass::kFree;
    case OpCode::kTranspose:
      return TransposeIsFree(graph, op) ? OperationClass::kFree : OperationClass::kTranspose;
    case OpCode::kConcatenate:
      return IsInterleave(graph, op) ? OperationClass::kInterleave : OperationClass::kPieces;
    case OpCode::kPad:
      return OperationClass::kPieces;
    case OpCode::kDynamicUpdateSlice:
      return OperationClass::kUpdate;
    case OpCode::kScatter:
      return OperationClass::kScatter;
    case OpCode::kReduceWindow:
      return OperationClass::kWindow;
    case OpCode::kReduce:
      return ReducesNothing(graph, op) ? OperationClass::kPointwise : OperationClass::kReduce;
    case OpCode::kSort:
      return OperationClass::kSort;
    case OpCode::kDotGeneral:
    case OpCode::kConvolution:
      return OperationClass::kDot;
    case OpCode::kAlgorithm:
      return OperationClass::kAlgorithm;
    case OpCode::kWhile:
    case OpCode::kIf:
    case OpCode::kCase:
    case OpCode::kExchange:
    case OpCode::kTransfer:
      return OperationClass::kControl;
    default:
      return OperationClass::kPointwise;
  }
}

size_t WrittenOver(const graph::Op& op) {
  if (op.code == OpCode::kDynamicUpdateSlice) return 1;
  return op.code == OpCode::kScatter ? op.results.size() : 0;
}

bool IsInterleave(const graph::Graph& graph, const graph::Op& op) {
  if (op.code != OpCode::kConcatenate || op.operands.size() != 2) return false;
  if (op.attrs.dims[0] + 1 != graph.shape(op.results[0]).rank()) return false;
  return graph.shape(op.operands[0]).dims.back() == 1 && graph.shape(op.operands[1]).dims.back() == 1;
}

bool IsConstant(const graph::Graph& graph, graph::ValueId value) {
  graph::OpId def = graph.values[value].def;
  return def >= 0 && graph.ops[def].code == OpCode::kConstant;
}

PathStep StepOf(const graph::Graph& graph, const graph::Op& op) {
  if (op.code == OpCode::kReshape || op.code == OpCode::kOptimizationBarrier) return PathStep::kLinear;
  if (op.code != OpCode::kBroadcastInDim) return PathStep::kOther;
  const std::vector<int64_t>& from = graph.shape(op.operands[0]).dims;
  const std::vector<int64_t>& to = graph.shape(op.results[0]).dims;
  if (graph.shape(op.results[0]).elements() == 0) return PathStep::kOther;
  // Operand dimensions that are not 1 must be the leading result dimensions that are not 1, in order.
  std::vector<int64_t> kept, all;
  for (size_t k = 0; k < from.size(); ++k) {
    if (from[k] != 1) kept.push_back(op.attrs.dims[k]);
  }
  for (size_t k = 0; k < to.size(); ++k) {
    if (to[k] != 1) all.push_back(static_cast<int64_t>(k));
  }
  if (kept.size() > all.size() || !std::equal(kept.begin(), kept.end(), all.begin())) return PathStep::kOther;
  return kept.size() == all.size() ? PathStep::kLinear : PathStep::kRows;
}

std::vector<Extent> ReductionOf(const std::vector<int64_t>& dims, const std::vector<int64_t>& reduced) {
  std::vector<Extent> result;
  for (size_t k = 0; k < dims.size(); ++k) {
    if (dims[k] == 1) continue;
    bool is_reduced = std::find(reduced.begin(), reduced.end(), static_cast<int64_t>(k)) != reduced.end();
    if (!result.empty() && result.back().reduced == is_reduced) {
      result.back().size *= dims[k];
    } else {
      result.push_back({dims[k], is_reduced});
    }
  }
  if (result.empty()) result.push_back({1, true});
  return result;
}

bool IsRows(const std::vector<Extent>& reduction) {
  return reduction.size() <= 1 || (reduction.size() == 2 && reduction[1].reduced);
}

void AddFreeValues(const graph::Graph& graph, graph::RegionId region, std::set<graph::ValueId>& values) {
  std::vector<graph::RegionId> inside = {region};
  for (size_t k = 0; k < inside.size(); ++k) {
    for (graph::OpId op : graph.regions[inside[k]].ops) {
      inside.insert(inside.end(), graph.ops[op].regions.begin(), graph.ops[op].regions.end());
    }
  }
  std::sort(inside.begin(), inside.end());
  auto read = [&](graph::ValueId value) {
    if (std::binary_search(inside.begin(), inside.end(), graph.values[value].region)) return;
    if (!IsConstant(graph, value)) values.insert(value);
  };
  for (graph::RegionId number : inside) {
    for (graph::OpId op : graph.regions[number].ops) std::ranges::for_each(graph.ops[op].operands, read);
    std::ranges::for_each(graph.regions[number].results, read);
  }
}

}  // namespace treadle::plan

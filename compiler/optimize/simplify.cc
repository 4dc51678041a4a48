#include "compiler/optimize/simplify.h"

#include <algorithm>
#include <optional>
#include <unordered_map>
#include <utility>
#include <vector>

#include "compiler/optimize/identities.h"
#include "compiler/optimize/op_table.h"

namespace treadle::compiler {
namespace {

using graph::Attributes;
using graph::Graph;
using graph::Op;
using graph::OpCode;
using graph::RegionId;
using graph::ValueId;

constexpr ValueId kGone = -1;

// The values that something needs, counted from the results backwards. Regions of control flow count as needing all
// that they read if the operation is needed.
class Needed {
 public:
  explicit Needed(const Graph& graph) : graph_(graph), value_(graph.values.size(), false) {
    for (ValueId v : graph.regions[0].results) Need(v);
    for (const Op& op : graph.ops) {
      if (Transfers(graph, op)) Need(op.results.back());
    }
    while (!work_.empty()) {
      graph::OpId op = work_.back();
      work_.pop_back();
      for (ValueId v : graph.ops[op].operands) Need(v);
      for (RegionId region : graph.ops[op].regions) {
        for (ValueId v : graph.regions[region].results) Need(v);
      }
    }
  }

  bool operator()(const Op& op) const {
    return std::any_of(op.results.begin(), op.results.end(), [&](ValueId v) { return value_[v]; }) ||
           op.results.empty();
  }

 private:
  void Need(ValueId v) {
    if (value_[v]) return;
    value_[v] = true;
    if (graph_.values[v].def != graph::kNoOp) work_.push_back(graph_.values[v].def);
  }

  const Graph& graph_;
  std::vector<bool> value_;
  std::vector<graph::OpId> work_;
};

// How many elements of each row of a sort something reads: where all that reads its results cuts pieces out of them,
// the farthest end of those.
class Taken {
 public:
  Taken(const Graph& graph, const Needed& needed) {
    auto whole = [&](ValueId v) { Note(graph, v, INT64_MAX); };
    for (const graph::Region& region : graph.regions) {
      for (ValueId v : region.results) whole(v);
      for (graph::OpId id : region.ops) {
        const Op& op = graph.ops[id];
        if (!needed(op)) continue;
        for (ValueId v : op.operands) {
          graph::OpId def = graph.values[v].def;
          if (def < 0 || graph.ops[def].code != OpCode::kSort) continue;
          op.code == OpCode::kSlice ? Note(graph, v, op.attrs.limits[graph.ops[def].attrs.dims[0]]) : whole(v);
        }
      }
    }
  }

  int64_t operator()(const Graph& graph, const Op& sort) const {
    const int64_t length = graph.shape(sort.results[0]).dims[sort.attrs.dims[0]];
    auto found = taken_.find(graph.values[sort.results[0]].def);
    return found == taken_.end() ? length : std::min(length, found->second);
  }

 private:
  void Note(const Graph& graph, ValueId v, int64_t end) {
    graph::OpId def = graph.values[v].def;
    if (def < 0 || graph.ops[def].code != OpCode::kSort) return;
    int64_t& taken = taken_[def];
    taken = std::max(taken, end);
  }

  std::unordered_map<graph::OpId, int64_t> taken_;
};

// Rebuilds the program, each operation in the light of its already simplified operands.
class Rebuilder {
 public:
  explicit Rebuilder(const Graph& in) : in_(in), needed_(in), taken_(in, needed_), map_(in.values.size(), kGone) {}

  Graph Run() {
    out_.name = in_.name;
    out_.donated = in_.donated;
    out_.aliased_result = in_.aliased_result;
    out_.complex_arguments = in_.complex_arguments;
    out_.complex_results = in_.complex_results;
    out_.knows_participant = in_.knows_participant;
    out_.argument_shardings = in_.argument_shardings;
    out_.result_shardings = in_.result_shardings;
    out_.global_view = in_.global_view;
    out_.locations = in_.locations;
    out_.values.reserve(in_.values.size());
    out_.ops.reserve(in_.ops.size());
    RegionId main = out_.AddRegion();
    for (ValueId v : in_.regions[0].arguments) Argument(v, main);
    out_.regions[main].results = Body(0, main);
    return std::move(out_);
  }

 private:
  void Argument(ValueId v, RegionId region) {
    map_[v] = out_.AddValue(in_.shape(v), region);
    out_.regions[region].arguments.push_back(map_[v]);
  }

  // Constants of outer regions are made again inside: they cost nothing there, and can become part of kernels.
  ValueId Local(ValueId value, RegionId region) {
    const graph::Value& v = out_.values[value];
    if (v.region == region || v.def == graph::kNoOp || out_.ops[v.def].code != OpCode::kConstant) return value;
    const Op constant = out_.ops[v.def];
    return Add(region, OpCode::kConstant, {}, {v.shape}, constant.attrs, constant.location)[0];
  }

  std::vector<ValueId> Operands(const std::vector<ValueId>& old, RegionId region) {
    std::vector<ValueId> operands;
    for (ValueId v : old) operands.push_back(Local(map_[v], region));
    return operands;
  }

  std::vector<ValueId> Body(RegionId from, RegionId to) {
    for (graph::OpId id : in_.regions[from].ops) {
      if (needed_(in_.ops[id])) Rebuild(in_.ops[id], to);
    }
    return Operands(in_.regions[from].results, to);
  }

  void Rebuild(const Op& op, RegionId region) {
    if (op.code == OpCode::kWhile) return RebuildWhile(op, region);
    if (op.code == OpCode::kIf || op.code == OpCode::kCase) return RebuildBranches(op, region);
    std::vector<ValueId> operands = Operands(op.operands, region);
    bool orders_nothing = op.code == OpCode::kSort && in_.shape(op.operands[0]).dims[op.attrs.dims[0]] <= 1;
    if (op.code == OpCode::kOptimizationBarrier || orders_nothing) {
      for (size_t i = 0; i < operands.size(); ++i) map_[op.results[i]] = operands[i];
      return;
    }
    if (op.code == OpCode::kDynamicUpdateSlice || op.code == OpCode::kScatter) SeparateOperands(op, operands, region);
    std::vector<Shape> shapes;
    for (ValueId v : op.results) shapes.push_back(in_.shape(v));
    if (op.code == OpCode::kSort) {
      for (Shape& shape : shapes) shape.dims[op.attrs.dims[0]] = taken_(in_, op);
    }
    std::vector<ValueId> results;
    if (op.regions.empty() && op.results.size() == 1 && op.code != OpCode::kTransfer) {
      results = {Simplified(region, op, std::move(operands), std::move(shapes[0]))};
    } else {
      std::vector<RegionId> regions = PlainRegions(op);
      graph::OpId id = out_.AddOp(region, op.code, std::move(operands), std::move(shapes), op.attrs, std::move(regions),
                                  op.location);
      results = out_.ops[id].results;
    }
    for (size_t i = 0; i < results.size(); ++i) map_[op.results[i]] = results[i];
  }

  // Operations that write over the memory of their first operands must not read it through others: those that are the
  // same value come through a barrier, which can be copied.
  void SeparateOperands(const Op& op, std::vector<ValueId>& operands, RegionId region) {
    size_t written = op.results.size();
    for (size_t k = written; k < operands.size(); ++k) {
      auto end = operands.begin() + static_cast<int64_t>(written);
      if (std::find(operands.begin(), end, operands[k]) == end) continue;
      operands[k] =
          Add(region, OpCode::kOptimizationBarrier, {operands[k]}, {out_.shape(operands[k])}, {}, op.location)[0];
    }
  }

  std::vector<RegionId> PlainRegions(const Op& op) {
    std::vector<RegionId> regions;
    for (RegionId old : op.regions) {
      RegionId region = out_.AddRegion();
      for (ValueId v : in_.regions[old].arguments) Argument(v, region);
      std::vector<ValueId> results = Body(old, region);
      out_.regions[region].results = std::move(results);
      regions.push_back(region);
    }
    return regions;
  }

  ValueId Simplified(RegionId region, const Op& op, std::vector<ValueId> operands, Shape shape) {
    Rewrite rewrite{op.code, std::move(operands), op.attrs};
    // Each round uses up an operation of the chain in front, so this ends.
    while (true) {
      Outcome outcome = ApplyIdentity(out_, rewrite, shape);
      if (outcome.value != kGone) return outcome.value;
      if (!outcome.changed) break;
    }
    for (ValueId& v : rewrite.operands) v = Local(v, region);
    return Add(region, rewrite.code, std::move(rewrite.operands), {std::move(shape)}, std::move(rewrite.attrs),
               op.location)[0];
  }

  std::vector<ValueId> Add(RegionId region, OpCode code, std::vector<ValueId> operands, std::vector<Shape> shapes,
                           Attributes attrs, int32_t location) {
    if (std::optional<graph::OpId> same = table_.Find(out_, region, code, operands, shapes[0], attrs))
      return out_.ops[*same].results;
    graph::OpId id = out_.AddOp(region, code, std::move(operands), std::move(shapes), std::move(attrs), {}, location);
    table_.Insert(out_, region, id);
    return out_.ops[id].results;
  }

  // --- control flow ---

  // Carries that come out of the body as they went in are the initial values all along. The token of transfers, the
  // last carry, stays though the condition alone may hold them.
  std::vector<bool> Unchanged(const Op& op) const {
    const graph::Region& body = in_.regions[op.regions[1]];
    std::vector<bool> unchanged;
    for (size_t k = 0; k < op.operands.size(); ++k) unchanged.push_back(body.results[k] == body.arguments[k]);
    if (Transfers(in_, op)) unchanged.back() = false;
    return unchanged;
  }

  void RebuildWhile(const Op& op, RegionId region) {
    std::vector<bool> unchanged = Unchanged(op);
    std::vector<ValueId> operands;
    std::vector<Shape> shapes;
    for (size_t k = 0; k < op.operands.size(); ++k) {
      ValueId init = Local(map_[op.operands[k]], region);
      if (unchanged[k]) {
        for (RegionId inner : op.regions) map_[in_.regions[inner].arguments[k]] = init;
        map_[op.results[k]] = init;
      } else {
        operands.push_back(init);
        shapes.push_back(in_.shape(op.results[k]));
      }
    }
    std::vector<RegionId> regions;
    for (size_t r = 0; r < 2; ++r) {
      const graph::Region& old = in_.regions[op.regions[r]];
      RegionId inner = out_.AddRegion();
      for (size_t k = 0; k < op.operands.size(); ++k) {
        if (!unchanged[k]) Argument(old.arguments[k], inner);
      }
      std::vector<ValueId> results = Body(op.regions[r], inner);
      if (r == 1) {
        size_t kept = 0;
        for (size_t k = 0; k < unchanged.size(); ++k) {
          if (!unchanged[k]) results[kept++] = results[k];
        }
        results.resize(kept);
      }
      out_.regions[inner].results = std::move(results);
      regions.push_back(inner);
    }
    graph::OpId id =
        out_.AddOp(region, OpCode::kWhile, std::move(operands), std::move(shapes), {}, std::move(regions), op.location);
    size_t kept = 0;
    for (size_t k = 0; k < unchanged.size(); ++k) {
      if (!unchanged[k]) map_[op.results[k]] = out_.ops[id].results[kept++];
    }
  }

  void RebuildBranches(const Op& op, RegionId region) {
    ValueId selector = Local(map_[op.operands[0]], region);
    if (std::optional<int64_t> constant = ScalarInteger(out_, selector)) {
      auto last = static_cast<int64_t>(op.regions.size()) - 1;
      int64_t branch =
          op.code == OpCode::kIf ? (*constant ? 0 : 1) : (*constant < 0 || *constant > last ? last : *constant);
      std::vector<ValueId> results = Body(op.regions[branch], region);
      for (size_t i = 0; i < results.size(); ++i) map_[op.results[i]] = results[i];
      return;
    }
    std::vector<Shape> shapes;
    for (ValueId v : op.results) shapes.push_back(in_.shape(v));
    std::vector<RegionId> regions = PlainRegions(op);
    graph::OpId id = out_.AddOp(region, op.code, {selector}, std::move(shapes), {}, std::move(regions), op.location);
    for (size_t i = 0; i < op.results.size(); ++i) map_[op.results[i]] = out_.ops[id].results[i];
  }

  const Graph& in_;
  Needed needed_;
  Taken taken_;
  Graph out_;
  std::vector<ValueId> map_;
  OpTable table_;
};

}  // namespace

Graph Simplify(const Graph& graph) {
  Graph simple = Rebuilder(graph).Run();
  Needed needed(simple);  // operations that identities stepped over
  for (graph::Region& region : simple.regions) {
    std::erase_if(region.ops, [&](graph::OpId op) { return !needed(simple.ops[op]); });
  }
  return simple;
}

}  // namespace treadle::compiler

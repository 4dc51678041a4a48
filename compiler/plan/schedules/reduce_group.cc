#include "compiler/plan/schedules/reduce_group.h"

#include <algorithm>
#include <utility>

namespace treadle::plan {
namespace {

const graph::Op* FirstReduce(const graph::Graph& graph, const Group& group) {
  for (graph::OpId op : group.ops) {
    if (ClassOf(graph, graph.ops[op]) == OperationClass::kReduce) return &graph.ops[op];
  }
  return nullptr;
}

std::vector<Axis> AxesOf(const graph::Graph& graph, const Group& group) {
  const graph::Op& reduce = *FirstReduce(graph, group);
  std::vector<Axis> axes;
  for (int64_t size : graph.shape(reduce.operands[0]).dims) axes.push_back({size, false});
  for (int64_t dim : reduce.attrs.dims) axes[dim].reduced = true;
  return axes;
}

}  // namespace

ReduceGroup::ReduceGroup(std::string schedule, const graph::Graph& graph, const Group& group,
                         const executable::Target& target)
    : kernel_(std::move(schedule), graph, group, target), nest_(kernel_, AxesOf(graph, group)) {
  const graph::Op& first = *FirstReduce(graph, group);
  extents_ = ReductionOf(graph.shape(first.operands[0]).dims, first.attrs.dims);
  auto whole = [](std::vector<int64_t> dims) { return [dims](IndexSpace& space) { return Nest::Whole(space, dims); }; };
  auto kept = [this](std::vector<int64_t> dims) {
    return [this, dims](IndexSpace& space) { return nest_.Kept(space, dims); };
  };
  int64_t rows = graph.shape(first.results[0]).elements();
  for (graph::OpId number : group.ops) {
    const graph::Op& op = graph.ops[number];
    if (ClassOf(graph, op) != OperationClass::kReduce) continue;
    Reduction reduction{&op, CombinerOf(graph, op), {}, {}};
    size_t count = op.results.size();
    for (size_t k = 0; k < count; ++k) {
      reduction.operands.push_back(nest_.AddRoot(op.operands[k], whole(graph.shape(op.operands[k]).dims)));
      reduction.inits.push_back(nest_.AddRoot(op.operands[count + k], [](IndexSpace&) { return Index{}; }));
      nest_.AddProvided(op.results[k]);
    }
    reductions_.push_back(std::move(reduction));
  }
  for (size_t k = 0; k < group.outputs.size(); ++k) {
    const Shape& shape = graph.shape(group.outputs[k]);
    if (shape.elements() == 0) continue;  // nothing to write
    bool is_kept = shape.elements() == rows;
    Nest::IndexOf at = is_kept ? Nest::IndexOf(kept(shape.dims)) : Nest::IndexOf(whole(shape.dims));
    Output output{nest_.AddRoot(group.outputs[k], at),
                  nest_.AddStore(kernel_.OutputBuffer(static_cast<int>(k)), shape.dims, at)};
    (is_kept ? kept_outputs_ : whole_).push_back(output);
  }
}

Status ReduceGroup::Prepare() {
  TREADLE_RETURN_IF_ERROR(nest_.Analyse());
  const std::vector<Axis>& axes = nest_.axes();
  int last_kept = -1;
  for (int axis = 0; axis < static_cast<int>(axes.size()); ++axis) {
    if (axes[axis].reduced) continue;
    kept_.push_back(axis);
    last_kept = axis;
  }
  for (int axis = 0; axis < static_cast<int>(axes.size()); ++axis) {
    if (axes[axis].reduced) (axis > last_kept ? inner_ : outer_).push_back(axis);
  }
  varies_.assign(nest_.items(), false);
  for (int item = 0; item < nest_.items(); ++item) {
    for (int axis = 0; axis < static_cast<int>(axes.size()); ++axis) {
      if (axes[axis].reduced && nest_.UsesAxis(item, axis)) varies_[item] = true;
    }
    for (int operand : nest_.ItemOperands(item)) varies_[item] = varies_[item] || varies_[operand];
  }
  return OkStatus();
}

std::vector<int> ReduceGroup::Reach(const std::vector<int>& roots, const std::vector<bool>& stop) const {
  std::vector<bool> seen(nest_.items());
  std::vector<int> stack, reached;
  for (int root : roots) stack.push_back(nest_.Root(root));
  while (!stack.empty()) {
    int item = stack.back();
    stack.pop_back();
    if (seen[item] || !varies_[item]) continue;
    seen[item] = true;
    reached.push_back(item);
    if (!stop.empty() && stop[item]) continue;
    for (int operand : nest_.ItemOperands(item)) stack.push_back(operand);
  }
  std::sort(reached.begin(), reached.end());
  return reached;
}

bool ReduceGroup::ReadsBack() const {
  std::vector<bool> back(nest_.items());
  for (int item = 0; item < nest_.items(); ++item) {
    back[item] = nest_.ItemIsProvided(item);
    for (int operand : nest_.ItemOperands(item)) back[item] = back[item] || back[operand];
  }
  auto any = [&](const std::vector<int>& roots) {
    return std::any_of(roots.begin(), roots.end(), [&](int root) { return back[nest_.Root(root)]; });
  };
  for (const Reduction& reduction : reductions_) {
    if (any(reduction.operands) || any(reduction.inits)) return true;
  }
  return any(WholeRoots());
}

bool ReduceGroup::SplitsAll() const {
  return std::all_of(reductions_.begin(), reductions_.end(), [](const Reduction& r) { return r.combiner.splits(); });
}

StatusOr<std::vector<Id>> ReduceGroup::Values(const std::vector<int>& roots) {
  std::vector<Id> values;
  for (int root : roots) {
    TREADLE_ASSIGN_OR_RETURN(Id id, nest_.Value(nest_.Root(root)));
    values.push_back(id);
  }
  return values;
}

// For idempotent combiners without an identity: the operands at the place that the axes are bound to.
StatusOr<std::vector<Id>> ReduceGroup::Identities(const Reduction& reduction) {
  if (!reduction.combiner.identity) return Values(reduction.operands);
  return std::vector<Id>{b().Const(kernel_.graph().shape(reduction.op->results[0]).type, *reduction.combiner.identity)};
}

std::vector<int> ReduceGroup::WholeRoots() const {
  std::vector<int> roots;
  for (const Output& output : whole_) roots.push_back(output.root);
  return roots;
}

// All values before the first store: an output may take an input's memory.
Status ReduceGroup::Store(const std::vector<Output>& outputs) {
  std::vector<std::pair<Access, Id>> writes;
  for (const Output& output : outputs) {
    TREADLE_ASSIGN_OR_RETURN(Id value, nest_.Value(nest_.Root(output.root)));
    TREADLE_ASSIGN_OR_RETURN(Access access, nest_.StoreAccess(output.store));
    writes.push_back({std::move(access), value});
  }
  for (auto& [access, value] : writes) b().Store(std::move(access), value);
  return OkStatus();
}

void ReduceGroup::Provide(const Reduction& reduction, const std::vector<Id>& results) {
  for (size_t k = 0; k < results.size(); ++k) nest_.Provide(reduction.op->results[k], results[k]);
}

int ReduceGroup::UopsOf(const std::vector<int>& roots) const {
  int uops = 1;
  for (int item : Reach(roots, {})) uops += nest_.ItemUops(item);
  return uops;
}

Instance ReduceGroup::Finish() {
  std::vector<std::pair<uint16_t, int16_t>> shares;
  for (const std::vector<Output>* outputs : {&whole_, &kept_outputs_}) {
    for (const Output& output : *outputs) {
      shares.push_back({nest_.StoreBuffer(output.store), nest_.SharedInput(output.store)});
    }
  }
  Instance instance = kernel_.Finish();
  SetShares(shares, instance.plan);
  return instance;
}

}  // namespace treadle::plan

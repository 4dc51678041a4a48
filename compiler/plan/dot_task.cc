#include "compiler/plan/dot_task.h"

#include <algorithm>
#include <string>
#include <vector>

namespace treadle::plan {
namespace {

using kernels::dense::DotShape;

bool Contains(const std::vector<int64_t>& list, int64_t value) {
  return std::find(list.begin(), list.end(), value) != list.end();
}

// Dimensions of the result: batch, free ones of lhs, free ones of rhs.
DotShape ShapeOfDot(const graph::DotDims& dims, const Shape& lhs, const Shape& rhs,
                    const std::vector<int64_t>& out_strides) {
  std::vector<int64_t> lhs_strides = lhs.Strides(), rhs_strides = rhs.Strides();
  DotShape shape;
  size_t out_dim = 0;
  for (size_t i = 0; i < dims.lhs_batch.size(); ++i) {
    shape.batch.push_back({lhs.dims[dims.lhs_batch[i]], lhs_strides[dims.lhs_batch[i]], rhs_strides[dims.rhs_batch[i]],
                           out_strides[out_dim++]});
  }
  for (int64_t d = 0; d < lhs.rank(); ++d) {
    if (Contains(dims.lhs_batch, d) || Contains(dims.lhs_contracting, d)) continue;
    shape.m.push_back({.size = lhs.dims[d], .lhs = lhs_strides[d], .out = out_strides[out_dim++]});
  }
  for (int64_t d = 0; d < rhs.rank(); ++d) {
    if (Contains(dims.rhs_batch, d) || Contains(dims.rhs_contracting, d)) continue;
    shape.n.push_back({.size = rhs.dims[d], .rhs = rhs_strides[d], .out = out_strides[out_dim++]});
  }
  for (size_t i = 0; i < dims.lhs_contracting.size(); ++i) {
    int64_t l = dims.lhs_contracting[i], r = dims.rhs_contracting[i];
    shape.k.push_back({.size = lhs.dims[l], .lhs = lhs_strides[l], .rhs = rhs_strides[r]});
  }
  return shape;
}

// In memory the result may be transposed: by dimension of the product, how far apart its elements lie.
std::vector<int64_t> OutputStrides(const graph::Graph& graph, const Group& group) {
  const bool pairs = graph.ops[group.ops[0]].attrs.pairs;
  const Shape& out = graph.shape(group.outputs[0]);
  std::vector<int64_t> strides = pairs ? graph::OfComplex(out).Strides() : out.Strides();
  if (group.ops.size() == 1) return strides;
  const std::vector<int64_t>& permutation = graph.ops[group.ops[1]].attrs.dims;
  std::vector<int64_t> by_dim(strides.size());
  for (size_t d = 0; d < permutation.size(); ++d) by_dim[permutation[d]] = strides[d];
  return by_dim;
}

}  // namespace

StatusOr<kernels::dense::DotPlan> PlanDotTask(const graph::Graph& graph, const Group& group,
                                              const executable::Target& target) {
  const graph::Op& op = graph.ops[group.ops.front()];
  // Pairs are complex numbers to the kernels.
  auto shape_of = [&](graph::ValueId value) {
    return op.attrs.pairs ? graph::OfComplex(graph.shape(value)) : graph.shape(value);
  };
  const Shape lhs = shape_of(op.operands[0]), rhs = shape_of(op.operands[1]), out = shape_of(op.results[0]);
  auto plan = kernels::dense::PlanDot(ShapeOfDot(op.attrs.dot, lhs, rhs, OutputStrides(graph, group)), lhs.type,
                                      rhs.type, out.type, target);
  if (plan.ok()) return plan;
  return plan.status().WithContext("stablehlo.dot_general (" + lhs.ToString() + ", " + rhs.ToString() + ") -> " +
                                   out.ToString() + " at " + graph.location(op));
}

}  // namespace treadle::plan

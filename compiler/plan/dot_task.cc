#include "compiler/plan/dot_task.h"

#include <algorithm>
#include <string>
#include <vector>

#include "kernels/dense/conv.h"

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

// A convolution's groups, of features or of batches, are the outer part of a dimension.
kernels::dense::ConvShape ShapeOfConv(const graph::Attributes& attrs, const Shape& lhs, const Shape& rhs,
                                      const Shape& out, const std::vector<int64_t>& out_strides) {
  const graph::Convolution& conv = *attrs.conv;
  const std::vector<int64_t> lhs_strides = lhs.Strides(), rhs_strides = rhs.Strides();
  const int64_t groups = conv.feature_groups * conv.batch_groups;
  kernels::dense::ConvShape shape;
  shape.batch = {
      .size = out.dims[conv.out.batch], .lhs = lhs_strides[conv.lhs.batch], .out = out_strides[conv.out.batch]};
  shape.in_features = {
      .size = rhs.dims[conv.rhs.batch], .lhs = lhs_strides[conv.lhs.feature], .rhs = rhs_strides[conv.rhs.batch]};
  shape.out_features = {.size = rhs.dims[conv.rhs.feature] / groups,
                        .rhs = rhs_strides[conv.rhs.feature],
                        .out = out_strides[conv.out.feature]};
  shape.groups = {.size = groups,
                  .lhs = conv.batch_groups > 1 ? shape.batch.size * shape.batch.lhs
                                               : shape.in_features.size * shape.in_features.lhs,
                  .rhs = shape.out_features.size * shape.out_features.rhs,
                  .out = shape.out_features.size * shape.out_features.out};
  for (size_t d = 0; d < conv.lhs.spatial.size(); ++d) {
    const int64_t l = conv.lhs.spatial[d], r = conv.rhs.spatial[d], o = conv.out.spatial[d];
    shape.spatial.push_back({.input = lhs.dims[l],
                             .window = rhs.dims[r],
                             .output = out.dims[o],
                             .lhs = lhs_strides[l],
                             .rhs = rhs_strides[r],
                             .out = out_strides[o],
                             .stride = attrs.strides[d],
                             .low = attrs.low[d],
                             .lhs_dilation = attrs.interior[d] + 1,
                             .rhs_dilation = attrs.dilations[d],
                             .reversed = conv.reversed[d]});
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
  const std::vector<int64_t> strides = OutputStrides(graph, group);
  auto plan =
      op.code == graph::OpCode::kConvolution
          ? kernels::dense::PlanConv(ShapeOfConv(op.attrs, lhs, rhs, out, strides), lhs.type, rhs.type, out.type,
                                     target)
          : kernels::dense::PlanDot(ShapeOfDot(op.attrs.dot, lhs, rhs, strides), lhs.type, rhs.type, out.type, target);
  if (plan.ok()) return plan;
  return plan.status().WithContext(std::string(OpName(op.code)) + " (" + lhs.ToString() + ", " + rhs.ToString() +
                                   ") -> " + out.ToString() + " at " + graph.location(op));
}

}  // namespace treadle::plan

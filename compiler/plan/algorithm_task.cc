#include "compiler/plan/algorithm_task.h"

#include <algorithm>
#include <utility>

#include "kernels/fft/fft.h"
#include "kernels/linalg/linalg.h"

namespace treadle::plan {
namespace {

using graph::Algorithm;

template <typename KernelPlan>
AlgorithmPlan PlanOf(KernelPlan plan) {
  AlgorithmPlan result;
  for (auto& phase : plan.phases) {
    result.phases.push_back(
        {std::move(phase.symbol), std::move(phase.args), phase.tiles, phase.local_bytes, phase.cost_ns});
  }
  result.scratch_bytes = plan.scratch_bytes;
  return result;
}

AlgorithmPlan PlanFftTask(const graph::Graph& graph, const graph::Op& op, const executable::Target& target) {
  const std::vector<int64_t>& numbers = op.attrs.call->numbers;
  const Shape& shape = graph.shape(op.operands[0]);
  kernels::fft::FftRequest request = {
      .kind = static_cast<kernels::fft::FftKind>(numbers[0]), .type = shape.type, .n = numbers[1]};
  const int64_t rank = shape.rank() - (request.kind == kernels::fft::FftKind::kRealInput ? 0 : 1);  // without pairs
  for (int64_t d = 0; d < rank; ++d) {
    if (d != numbers[2]) (d < numbers[2] ? request.outer : request.inner) *= shape.dims[d];
  }
  kernels::fft::FftPlan plan = kernels::fft::PlanFft(request, target);
  std::string table = std::move(plan.table);
  AlgorithmPlan result = PlanOf(std::move(plan));
  result.table = std::move(table);
  return result;
}

// Matrices [batch, m, n].
struct Matrices {
  ElementType type;
  int64_t batch = 1, m = 0, n = 0;
};

Matrices MatricesOf(Shape shape, bool complex) {
  if (complex) shape = graph::OfComplex(std::move(shape));
  Matrices matrices = {.type = shape.type};
  const size_t rank = shape.dims.size();
  for (size_t d = 0; d + 2 < rank; ++d) matrices.batch *= shape.dims[d];
  matrices.m = shape.dims[rank - 2];
  matrices.n = shape.dims[rank - 1];
  return matrices;
}

// Whether anything reads the value.
bool IsRead(const graph::Graph& graph, graph::ValueId value) {
  const auto among = [&](const std::vector<graph::ValueId>& values) {
    return std::find(values.begin(), values.end(), value) != values.end();
  };
  return std::any_of(graph.regions.begin(), graph.regions.end(), [&](const graph::Region& region) {
    return among(region.results) || std::any_of(region.ops.begin(), region.ops.end(),
                                                [&](graph::OpId op) { return among(graph.ops[op].operands); });
  });
}

kernels::linalg::LinalgPlan PlanLinalg(const graph::Graph& graph, const graph::Op& op,
                                       const executable::Target& target) {
  using namespace kernels::linalg;
  const graph::AlgorithmCall& call = *op.attrs.call;
  const Matrices a = MatricesOf(graph.shape(op.operands[0]), call.complex);
  switch (call.algorithm) {
    case Algorithm::kCholesky:
      return PlanCholesky(a.type, a.batch, a.n, /*upper=*/call.numbers[0] == 0, target);
    case Algorithm::kTriangularSolve: {
      const bool left = call.numbers[0] != 0;
      const Matrices b = MatricesOf(graph.shape(op.operands[1]), call.complex);
      return PlanTriangularSolve({.type = a.type,
                                  .batch = a.batch,
                                  .n = a.n,
                                  .columns = left ? b.n : b.m,
                                  .left = left,
                                  .lower = call.numbers[1] != 0,
                                  .unit_diagonal = call.numbers[2] != 0,
                                  .transpose = call.numbers[3] != 0,
                                  .conjugate = call.numbers[3] == 2},
                                 target);
    }
    case Algorithm::kLu:
      return PlanLu(a.type, a.batch, a.m, a.n, target);
    case Algorithm::kQr:
      return PlanQr(a.type, a.batch, a.m, a.n, target);
    case Algorithm::kEigh:
      return PlanEigh(a.type, a.batch, a.n, /*upper=*/call.numbers[0] == 0, IsRead(graph, op.results[0]), target);
    case Algorithm::kTridiagonalSolve: {
      const Matrices b = MatricesOf(graph.shape(op.operands[3]), call.complex);
      return PlanTridiagonalSolve(b.type, b.batch, b.m, b.n, call.numbers[0] != 0, target);
    }
    case Algorithm::kSvd: {
      const bool vectors = IsRead(graph, op.results[1]) || IsRead(graph, op.results[2]);
      return PlanSvd(a.type, a.batch, a.m, a.n,
                     !vectors               ? SvdVectors::kNone
                     : call.numbers[0] != 0 ? SvdVectors::kAll
                                            : SvdVectors::kSome,
                     target);
    }
    default: {
      const Shape& tau = graph.shape(op.operands[1]);
      const int64_t k = tau.dims[tau.dims.size() - (call.complex ? 2 : 1)];
      return PlanReflectorProduct(a.type, a.batch, a.m, a.n, k, target);
    }
  }
}

}  // namespace

AlgorithmPlan PlanAlgorithmTask(const graph::Graph& graph, const Group& group, const executable::Target& target) {
  const graph::Op& op = graph.ops[group.ops.front()];
  if (op.attrs.call->algorithm == Algorithm::kFft) return PlanFftTask(graph, op, target);
  return PlanOf(PlanLinalg(graph, op, target));
}

}  // namespace treadle::plan

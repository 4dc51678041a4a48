// Matrix products against the machine's own peak of multiply-adds, measured in between on the same threads. Counters:
// GF/s (best run), of_peak (best run over best peak), GB/s (operands and result, once each).
#include <benchmark/benchmark.h>

#include <string>
#include <utility>

#include "benchmarks/dense_runner.h"
#include "kernels/dense/dot.h"

namespace treadle::benchmarks {
namespace {

using kernels::dense::DotPlan;
using kernels::dense::DotShape;

struct Product {
  int64_t batch, m, n, k;
  ElementType lhs, rhs, out;
  bool lhs_turned = false;  // [k, m] in memory
  bool rhs_turned = false;  // [n, k] in memory

  DotShape Shape() const {
    DotShape shape;
    if (batch > 1) shape.batch = {{batch, m * k, k * n, m * n}};
    shape.m = {{m, lhs_turned ? 1 : k, 0, n}};
    shape.n = {{n, 0, rhs_turned ? k : 1, 1}};
    shape.k = {{k, lhs_turned ? m : 1, rhs_turned ? 1 : n, 0}};
    return shape;
  }
};

void BM_Dot(benchmark::State& state, Product p, executable::IsaLevel isa, int threads) {
  const executable::Target target = TargetOf(isa);
  StatusOr<DotPlan> plan = PlanDot(p.Shape(), p.lhs, p.rhs, p.out, target);
  if (!plan.ok()) return state.SkipWithError(plan.status().ToString().c_str());
  const double flops = 2.0 * p.batch * p.m * p.n * p.k * (IsComplex(p.out) ? 4 : 1);
  MeasureDense(state, *plan,
               {p.lhs, p.rhs, p.out, p.batch * p.m * p.k, p.batch * p.k * p.n, p.batch * p.m * p.n, flops}, target,
               threads);
}

void Register(const std::string& name, Product p) {
  const executable::IsaLevel host = executable::HostTarget()->isa;
  for (auto [isa, level] : {std::pair(executable::IsaLevel::kV4, "v4"),
                            {executable::IsaLevel::kV3, "v3"},
                            {executable::IsaLevel::kV2, "v2"}}) {
    if (isa > host) continue;
    for (int threads : {1, 2}) {
      std::string full = name + "/" + level + "/threads:" + std::to_string(threads);
      benchmark::RegisterBenchmark(full.c_str(), BM_Dot, p, isa, threads)
          ->UseManualTime()
          ->Unit(benchmark::kMicrosecond);
    }
  }
}

void RegisterAll() {
  using enum ElementType;
  for (int64_t n : {8, 16, 32, 64, 128, 256, 512, 1024, 2048}) {
    Register("dot/f32/" + std::to_string(n), {1, n, n, n, kF32, kF32, kF32});
  }
  for (int64_t n : {64, 256, 1024}) Register("dot/f64/" + std::to_string(n), {1, n, n, n, kF64, kF64, kF64});
  Register("dot/f32/1024_lhs_turned", {1, 1024, 1024, 1024, kF32, kF32, kF32, true, false});
  Register("dot/f32/1024_rhs_turned", {1, 1024, 1024, 1024, kF32, kF32, kF32, false, true});
  Register("dot/f32/1x768x3072", {1, 1, 3072, 768, kF32, kF32, kF32});
  Register("dot/f32/1x768x3072_rhs_turned", {1, 1, 3072, 768, kF32, kF32, kF32, false, true});
  Register("dot/f32/1x768x50257_rhs_turned", {1, 1, 50257, 768, kF32, kF32, kF32, false, true});
  Register("dot/f32/1x512x512", {1, 1, 512, 512, kF32, kF32, kF32});
  Register("dot/f32/1x512x512_rhs_turned", {1, 1, 512, 512, kF32, kF32, kF32, false, true});
  Register("dot/f32/4x768x3072", {1, 4, 3072, 768, kF32, kF32, kF32});
  Register("dot/f32/8x128x512", {1, 8, 512, 128, kF32, kF32, kF32});
  Register("dot/f32/12x768x768", {1, 12, 768, 768, kF32, kF32, kF32});
  Register("dot/f32/24x768x3072", {1, 24, 3072, 768, kF32, kF32, kF32});
  Register("dot/f32/32x3072x768", {1, 32, 768, 3072, kF32, kF32, kF32});
  Register("dot/f32/48x768x768", {1, 48, 768, 768, kF32, kF32, kF32});
  Register("dot/f32/16x768x3072", {1, 16, 3072, 768, kF32, kF32, kF32});
  Register("dot/f32/128x768x768", {1, 128, 768, 768, kF32, kF32, kF32});
  Register("dot/f32/128x3072x768", {1, 128, 768, 3072, kF32, kF32, kF32});
  Register("dot/f32/280x384x384", {1, 280, 384, 384, kF32, kF32, kF32});
  Register("dot/f32/280x384x1536", {1, 280, 1536, 384, kF32, kF32, kF32});
  Register("dot/f32/280x1536x384", {1, 280, 384, 1536, kF32, kF32, kF32});
  Register("dot/f32/240x14x32x14", {240, 14, 14, 32, kF32, kF32, kF32, false, true});
  Register("dot/f32/240x14x14x32", {240, 14, 32, 14, kF32, kF32, kF32});
  Register("dot/f32/1437x64x128", {1, 1437, 128, 64, kF32, kF32, kF32});
  Register("dot/f32/1437x128x10", {1, 1437, 10, 128, kF32, kF32, kF32});
  Register("dot/f32/128x1437x10_lhs_turned", {1, 128, 10, 1437, kF32, kF32, kF32, true, false});
  Register("dot/f32/54x100000x1_lhs_turned", {1, 54, 1, 100000, kF32, kF32, kF32, true, false});
  Register("dot/f32/100000x54x1", {1, 100000, 1, 54, kF32, kF32, kF32});
  Register("dot/f32/1x1000000x1", {1, 1, 1, 1000000, kF32, kF32, kF32});
  Register("dot/f32/16x64x128x3072", {16, 64, 3072, 128, kF32, kF32, kF32});
  Register("dot/f32/96x128x64x128_rhs_turned", {96, 128, 128, 64, kF32, kF32, kF32, false, true});
  Register("dot/f32/96x128x128x64", {96, 128, 64, 128, kF32, kF32, kF32});
  Register("dot/f32/100000x3x3x3", {100000, 3, 3, 3, kF32, kF32, kF32});
  Register("dot/f32/10000x16x16x16", {10000, 16, 16, 16, kF32, kF32, kF32});
  Register("dot/bf16/1024", {1, 1024, 1024, 1024, kBF16, kBF16, kBF16});
  Register("dot/bf16/1x768x3072", {1, 1, 3072, 768, kBF16, kBF16, kBF16});
  Register("dot/f16/1024", {1, 1024, 1024, 1024, kF16, kF16, kF16});
  Register("dot/i8i32/1024", {1, 1024, 1024, 1024, kI8, kI8, kI32});
  Register("dot/i32/1024", {1, 1024, 1024, 1024, kI32, kI32, kI32});
  Register("dot/i64/512", {1, 512, 512, 512, kI64, kI64, kI64});
  Register("dot/i1/1024", {1, 1024, 1024, 1024, kI1, kI1, kI1});
  Register("dot/c64/512", {1, 512, 512, 512, kC64, kC64, kC64});
}

}  // namespace
}  // namespace treadle::benchmarks

int main(int argc, char** argv) {
  treadle::benchmarks::RegisterAll();
  benchmark::Initialize(&argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 2;
  benchmark::RunSpecifiedBenchmarks();
  return 0;
}

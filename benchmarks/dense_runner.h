// Runs the phases of a plan of kernels/dense and measures them against the machine's own peak of multiply-adds.
#ifndef TREADLE_BENCHMARKS_DENSE_RUNNER_H_
#define TREADLE_BENCHMARKS_DENSE_RUNNER_H_

#include <benchmark/benchmark.h>

#include <cstdint>

#include "base/element_type.h"
#include "executable/target.h"
#include "kernels/dense/dot.h"

namespace treadle::benchmarks {

// Operands of one product or convolution.
struct DenseCase {
  ElementType lhs, rhs, out;
  int64_t lhs_elements, rhs_elements, out_elements;
  double flops;
};

// The target of this machine, cut down to `isa`.
executable::Target TargetOf(executable::IsaLevel isa);

// Counters: GF/s (best run), of_peak (best run over best peak, measured in between on the same threads), GB/s (operands
// and result, once each), best_us.
void MeasureDense(benchmark::State& state, const kernels::dense::DotPlan& plan, const DenseCase& what,
                  const executable::Target& target, int threads);

}  // namespace treadle::benchmarks

#endif  // TREADLE_BENCHMARKS_DENSE_RUNNER_H_

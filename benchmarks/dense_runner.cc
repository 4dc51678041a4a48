#include "benchmarks/dense_runner.h"

#include <sys/mman.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <map>
#include <memory>
#include <vector>

#include "benchmarks/peak.h"
#include "benchmarks/tile_runner.h"
#include "kernels/table.h"

namespace treadle::benchmarks {
namespace {

using kernels::dense::DotPhase;
using kernels::dense::DotPlan;

// Zeroed memory on huge pages where there are enough of it.
struct Memory {
  explicit Memory(int64_t bytes) : bytes((bytes + (2 << 20)) >> 21 << 21) {
    data = std::aligned_alloc(2 << 20, this->bytes);
    madvise(data, this->bytes, MADV_HUGEPAGE);
    std::memset(data, 0, this->bytes);
  }
  ~Memory() { std::free(data); }
  Memory(const Memory&) = delete;
  int64_t bytes;
  void* data;
};

void FillFloats(Memory& memory, ElementType type) {
  uint32_t state = 1;
  auto next = [&] { return static_cast<float>(static_cast<int32_t>(state = state * 1664525 + 1013904223)) * 0x1p-31f; };
  if (type == ElementType::kF32) {
    for (int64_t i = 0; i < memory.bytes / 4; ++i) static_cast<float*>(memory.data)[i] = next();
  } else if (type == ElementType::kF64) {
    for (int64_t i = 0; i < memory.bytes / 8; ++i) static_cast<double*>(memory.data)[i] = next();
  } else if (type == ElementType::kBF16 || type == ElementType::kF16) {  // 1.xxx in both: nothing denormal
    for (int64_t i = 0; i < memory.bytes / 2; ++i) {
      static_cast<uint16_t*>(memory.data)[i] =
          static_cast<uint16_t>((type == ElementType::kF16 ? 0x3c00 : 0x3f80) + i % 61);
    }
  } else if (type == ElementType::kI1) {
    for (int64_t i = 0; i < memory.bytes; ++i) static_cast<uint8_t*>(memory.data)[i] = i % 7 == 0;
  } else if (type == ElementType::kC64) {
    FillFloats(memory, ElementType::kF32);
  } else {
    for (int64_t i = 0; i < memory.bytes; ++i) static_cast<uint8_t*>(memory.data)[i] = static_cast<uint8_t>(i % 60);
  }
}

TileRunner& Runner(int threads) {
  static auto& runners = *new std::map<int, std::unique_ptr<TileRunner>>;
  auto& runner = runners[threads];
  if (!runner) runner = std::make_unique<TileRunner>(threads);
  return *runner;
}

}  // namespace

executable::Target TargetOf(executable::IsaLevel isa) {
  executable::Target target = *executable::HostTarget();
  if (isa < target.isa) target.avx512_bf16 = target.avx512_vnni = false;
  target.isa = isa;
  return target;
}

void MeasureDense(benchmark::State& state, const DotPlan& plan, const DenseCase& what, const executable::Target& target,
                  int threads) {
  Memory lhs(what.lhs_elements * ElementBytes(what.lhs)), rhs(what.rhs_elements * ElementBytes(what.rhs));
  Memory out(what.out_elements * ElementBytes(what.out)), scratch(plan.scratch_bytes);
  FillFloats(lhs, what.lhs);
  FillFloats(rhs, what.rhs);
  int64_t local_bytes = 0;
  for (const DotPhase& phase : plan.phases) local_bytes = std::max(local_bytes, phase.local_bytes);
  std::vector<std::unique_ptr<Memory>> locals;
  for (int t = 0; t < threads; ++t) locals.push_back(std::make_unique<Memory>(local_bytes));
  std::vector<void*> buffers = {lhs.data, rhs.data, out.data};
  TileRunner& runner = Runner(threads);

  double best = 1e9, peak = 1e9;
  for (auto _ : state) {
    double seconds = 0;
    for (const DotPhase& phase : plan.phases) {
      TreadleKernel kernel = FindKernel(phase.symbol, target);
      seconds += runner.Run(phase.tiles, [&](int thread, int64_t begin, int64_t end) {
        TreadleCallFrame frame = {
            buffers.data(), phase.args.data(), locals[thread]->data, scratch.data, nullptr, begin, end};
        if (kernel(&frame)) std::abort();
      });
    }
    state.SetIterationTime(seconds);
    best = std::min(best, seconds);
    for (int repeat = 0; repeat < 3; ++repeat) {
      peak = std::min(peak, runner.RunOnEach([&](int, int64_t begin, int64_t end) {
        for (int64_t i = begin; i < end; ++i) RunPeakF32(target.isa);
      }));
    }
  }
  const double bytes =
      static_cast<double>(what.lhs_elements * ElementBytes(what.lhs) + what.rhs_elements * ElementBytes(what.rhs) +
                          what.out_elements * ElementBytes(what.out));
  state.counters["GF/s"] = what.flops / best * 1e-9;
  state.counters["of_peak"] = what.flops / best / (threads * kPeakFlops / peak);
  state.counters["GB/s"] = bytes / best * 1e-9;
  state.counters["best_us"] = best * 1e6;
}

}  // namespace treadle::benchmarks

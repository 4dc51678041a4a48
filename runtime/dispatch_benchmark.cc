// What a call costs beyond its kernels, and what it takes to bring other threads in.
#include <benchmark/benchmark.h>

#include <chrono>
#include <memory>
#include <vector>

#include "async/thread_pool.h"
#include "device/host/host_device.h"
#include "runtime/loaded_executable.h"
#include "runtime/test_program.h"

namespace treadle {
namespace {

using executable::ValueId;

struct Setup {
  Setup(int parameters, int steps, int64_t cost_ns) {
    test::ProgramBuilder b;
    std::vector<ValueId> in;
    for (int i = 0; i < parameters; ++i) in.push_back(b.Parameter(1));
    const ValueId out = b.Result(1);
    for (int i = 0; i < steps; ++i) b.Add(i == 0 ? in[0] : out, out, 1, 1, cost_ns);
    program = *LoadedExecutable::Load(b.Get(), device.get());
    for (int i = 0; i < parameters; ++i) {
      buffers.push_back(*Buffer::Allocate(device.get(), test::ProgramBuilder::Array(1)));
      arguments.push_back(buffers.back().get());
    }
  }

  ThreadPool pool{2};
  std::unique_ptr<Device> device = MakeHostDevice(&pool, {});
  std::unique_ptr<LoadedExecutable> program;
  std::vector<std::unique_ptr<Buffer>> buffers;
  std::vector<Buffer*> arguments;
};

// A call of a small program, results allocated and freed.
void BM_Execute(benchmark::State& state) {
  Setup setup(static_cast<int>(state.range(0)), static_cast<int>(state.range(1)), 10);
  std::unique_ptr<Buffer> results[1];
  Event done;
  for (auto _ : state) {
    if (!setup.program->Execute(setup.arguments, {}, results, &done).ok()) state.SkipWithError("failed");
  }
}
BENCHMARK(BM_Execute)->ArgNames({"parameters", "steps"})->Args({1, 1})->Args({4, 1})->Args({32, 1})->Args({1, 10});

// A call that goes through the queue, until its result is there.
void BM_ExecuteQueued(benchmark::State& state) {
  Setup setup(1, 1, 1'000'000'000);
  std::unique_ptr<Buffer> results[1];
  Event done;
  for (auto _ : state) {
    if (!setup.program->Execute(setup.arguments, {}, results, &done).ok()) state.SkipWithError("failed");
    done.Await();
  }
}
BENCHMARK(BM_ExecuteQueued)->UseRealTime();

// An empty loop over 16 ranges whose claimed cost brings workers in.
void BM_ParallelFor(benchmark::State& state) {
  ThreadPool pool(2);
  for (auto _ : state) {
    pool.ParallelFor(16, state.range(0), [](int64_t begin, int64_t) { benchmark::DoNotOptimize(begin); });
  }
}
BENCHMARK(BM_ParallelFor)->ArgName("cost_ns")->Arg(1'000)->Arg(50'000)->Arg(1'000'000)->UseRealTime();

// Real work of `us` microseconds on one thread, shared by two: perfect would be half.
void BM_ParallelWork(benchmark::State& state) {
  ThreadPool pool(2);
  const int64_t total = state.range(0) * 1000;
  for (auto _ : state) {
    pool.ParallelFor(64, total, [&](int64_t begin, int64_t end) {
      const auto until = std::chrono::steady_clock::now() + std::chrono::nanoseconds((end - begin) * total / 64);
      while (std::chrono::steady_clock::now() < until) benchmark::ClobberMemory();
    });
  }
}
BENCHMARK(BM_ParallelWork)->ArgName("us")->Arg(20)->Arg(50)->Arg(200)->Arg(1000)->UseRealTime();

// Memory of the device, recycled.
void BM_Allocate(benchmark::State& state) {
  ThreadPool pool(1);
  auto device = MakeHostDevice(&pool, {});
  for (auto _ : state) {
    StatusOr<void*> memory = device->Allocate(state.range(0));
    benchmark::DoNotOptimize(*memory);
    device->Free(*memory, state.range(0));
  }
}
BENCHMARK(BM_Allocate)->Arg(64)->Arg(64 << 10)->Arg(64 << 20);

}  // namespace
}  // namespace treadle

BENCHMARK_MAIN();

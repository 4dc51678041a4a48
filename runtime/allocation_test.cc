// A call that repeats allocates nothing but its results.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <new>
#include <vector>

#include "async/thread_pool.h"
#include "device/host/host_device.h"
#include "runtime/loaded_executable.h"
#include "runtime/test_program.h"

namespace {
thread_local int64_t heap_allocations = 0;
}

void* operator new(size_t bytes) {
  ++heap_allocations;
  void* memory = std::malloc(bytes);
  if (memory == nullptr) std::abort();
  return memory;
}
void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, size_t) noexcept { std::free(memory); }

namespace treadle {
namespace {

TEST(Execute, AllocatesOnlyResults) {
  ThreadPool pool(2);
  auto device = MakeHostDevice(&pool, {});
  test::ProgramBuilder b;
  const executable::ValueId in = b.Parameter(100);
  const executable::ValueId temp = b.Arena(800);
  const executable::ValueId out = b.Result(100);
  b.Add(in, temp, 100, 1);
  b.Add(temp, out, 100, 1);
  auto program = *LoadedExecutable::Load(b.Get(), device.get());
  auto x = *Buffer::Allocate(device.get(), test::ProgramBuilder::Array(100));
  Buffer* arguments[] = {x.get()};
  std::unique_ptr<Buffer> results[1];
  Event done;
  ASSERT_TRUE(program->Execute(arguments, {}, results, &done).ok());
  const int64_t heap = heap_allocations;
  const int64_t memory = device->memory_stats().num_allocations;
  constexpr int kCalls = 10;
  for (int i = 0; i < kCalls; ++i) ASSERT_TRUE(program->Execute(arguments, {}, results, &done).ok());
  EXPECT_EQ(heap_allocations - heap, kCalls * 2);  // a Buffer and its Memory
  EXPECT_EQ(device->memory_stats().num_allocations - memory, kCalls);
}

TEST(Execute, IterationsAllocateNothing) {
  ThreadPool pool(2);
  auto device = MakeHostDevice(&pool, {});
  test::ProgramBuilder b;
  constexpr int64_t kElements = 100;
  const executable::ValueId in = b.Parameter(kElements), out = b.Result(kElements);
  const executable::ValueId temp = b.Arena(kElements * 8), go = b.Arena(1);
  const int32_t cond = b.Sequence(), body = b.Sequence();
  b.Copy(in, out, kElements * 8);
  b.Less(out, go, 1000, cond);
  for (int k = 0; k < 20; ++k) b.Add(k == 0 ? out : temp, temp, kElements, 1, 10, body);
  b.Copy(temp, out, kElements * 8, body);
  b.Push(executable::WhileStep{cond, body, {go, 0}}, "while");
  auto program = *LoadedExecutable::Load(b.Get(), device.get());
  auto x = *Buffer::Allocate(device.get(), test::ProgramBuilder::Array(kElements));
  Buffer* arguments[] = {x.get()};
  std::unique_ptr<Buffer> results[1];
  Event done;
  auto* first = static_cast<int64_t*>(x->data());
  auto allocations = [&](int64_t start) {
    std::fill(first, first + kElements, start);
    const int64_t before = heap_allocations;
    EXPECT_TRUE(program->Execute(arguments, {}, results, &done).ok());
    return heap_allocations - before;
  };
  allocations(0);
  for (int64_t start : {1000, 999, 0, -10'000}) {  // 0, 1, 50 and 550 iterations
    EXPECT_EQ(allocations(start), 2) << start;     // a Buffer and its Memory
  }
}

}  // namespace
}  // namespace treadle

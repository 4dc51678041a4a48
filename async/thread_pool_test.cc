#include "async/thread_pool.h"

#include <gtest/gtest.h>

#include <atomic>
#include <cstdlib>
#include <mutex>
#include <set>
#include <thread>
#include <vector>

#include "async/cpu_count.h"

namespace treadle {
namespace {

constexpr int64_t kLong = 1'000'000'000;  // claimed costs: make a loop spread whatever it really takes

TEST(ThreadPool, LoopCoversEveryIndexOnce) {
  for (int threads : {1, 2, 5}) {
    ThreadPool pool(threads);
    for (int64_t count : {0, 1, 2, 7, 1000}) {
      std::vector<std::atomic<int>> hits(count);
      pool.ParallelFor(count, kLong, [&](int64_t begin, int64_t end) {
        for (int64_t i = begin; i < end; ++i) ++hits[i];
      });
      for (auto& hit : hits) EXPECT_EQ(hit, 1);
    }
  }
}

TEST(ThreadPool, ShortLoopStaysOnItsThread) {
  ThreadPool pool(4);
  const auto caller = std::this_thread::get_id();
  int calls = 0;
  pool.ParallelFor(1000, 29'000, [&](int64_t begin, int64_t end) {
    EXPECT_EQ(std::this_thread::get_id(), caller);
    EXPECT_EQ(end - begin, 1000);
    ++calls;
  });
  EXPECT_EQ(calls, 1);
}

TEST(ThreadPool, WorkersJoinALongLoop) {
  ThreadPool pool(2);
  std::atomic<bool> other{false};
  const auto caller = std::this_thread::get_id();
  pool.ParallelFor(16, kLong, [&](int64_t, int64_t) {
    if (std::this_thread::get_id() != caller) other = true;
    // The caller holds its range until a worker has come: the loop cannot end without one.
    while (!other) std::this_thread::yield();
  });
  EXPECT_TRUE(other);
}

TEST(ThreadPool, CallerFinishesAloneWhenWorkersAreBusy) {
  std::atomic<bool> release{false};  // outlives the pool, whose task reads it
  ThreadPool pool(1);
  pool.Schedule([&] {
    while (!release) std::this_thread::yield();
  });
  int64_t sum = 0;
  pool.ParallelFor(100, kLong, [&](int64_t begin, int64_t end) { sum += end - begin; });
  EXPECT_EQ(sum, 100);
  release = true;
}

TEST(ThreadPool, LoopsFromManyThreadsAndFromTasks) {
  ThreadPool pool(3);
  std::atomic<int64_t> sum{0};
  const auto loop = [&] {
    for (int i = 0; i < 50; ++i) {
      pool.ParallelFor(64, kLong, [&](int64_t begin, int64_t end) { sum += end - begin; });
    }
  };
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i) threads.emplace_back(loop);
  std::atomic<int> left{4};
  for (int i = 0; i < 4; ++i) {
    pool.Schedule([&] {
      loop();
      --left;
    });
  }
  for (std::thread& thread : threads) thread.join();
  while (left > 0) std::this_thread::yield();
  EXPECT_EQ(sum, 8 * 50 * 64);
}

TEST(ThreadPool, DestructionRunsWhatIsScheduled) {
  std::atomic<int> runs{0};
  {
    ThreadPool pool(2);
    for (int i = 0; i < 1000; ++i) pool.Schedule([&] { ++runs; });
  }
  EXPECT_EQ(runs, 1000);
}

TEST(ThreadPool, KnowsItsWorkers) {
  EXPECT_FALSE(ThreadPool::OnWorker());
  std::atomic<bool> inside{false};
  {
    ThreadPool pool(1);
    pool.Schedule([&] { inside = ThreadPool::OnWorker(); });
  }
  EXPECT_TRUE(inside);
}

TEST(ThreadPool, SizeComesFromTheEnvironmentOrTheMachine) {
  ::setenv("TREADLE_NUM_THREADS", "7", 1);
  EXPECT_EQ(ThreadPool::DefaultThreads(), 7);
  ::setenv("TREADLE_NUM_THREADS", "none", 1);
  EXPECT_EQ(ThreadPool::DefaultThreads(), UsableCpus());
  ::unsetenv("TREADLE_NUM_THREADS");
  EXPECT_EQ(ThreadPool::DefaultThreads(), UsableCpus());
}

TEST(CpuCount, ReadsQuotas) {
  EXPECT_EQ(ParseCpuMax("150000 100000\n"), 1.5);
  EXPECT_EQ(ParseCpuMax("max 100000\n"), std::nullopt);
  EXPECT_EQ(ParseCpuMax("-1 100000"), std::nullopt);
  EXPECT_EQ(ParseCpuMax(""), std::nullopt);
  EXPECT_GE(UsableCpus(), 1);
}

}  // namespace
}  // namespace treadle

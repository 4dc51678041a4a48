#include "async/serial_queue.h"

#include <gtest/gtest.h>

#include <atomic>
#include <thread>
#include <vector>

namespace treadle {
namespace {

TEST(SerialQueue, KeepsOrder) {
  ThreadPool pool(4);
  SerialQueue queue(&pool, 1 << 20);
  std::vector<int> seen;
  for (int i = 0; i < 1000; ++i) queue.Push(Event(), [&seen, i] { seen.push_back(i); });
  queue.Drain();
  ASSERT_EQ(seen.size(), 1000u);
  for (int i = 0; i < 1000; ++i) EXPECT_EQ(seen[i], i);
}

TEST(SerialQueue, WaitsForEventsWithoutAThread) {
  ThreadPool pool(1);
  SerialQueue waiting(&pool, 10), other(&pool, 10);
  Promise promise;
  std::vector<int> seen;
  waiting.Push(promise.event(), [&] { seen.push_back(2); });
  waiting.Push(Event(), [&] { seen.push_back(3); });
  other.Push(Event(), [&] { seen.push_back(1); });
  other.Drain();  // the only worker is free although `waiting` waits
  EXPECT_EQ(seen, std::vector<int>({1}));
  promise.Set(Internal("errors do not stop the queue"));
  waiting.Drain();
  EXPECT_EQ(seen, std::vector<int>({1, 2, 3}));
}

TEST(SerialQueue, BoundsWhatIsInFlight) {
  ThreadPool pool(1);
  SerialQueue queue(&pool, 3);
  std::atomic<int> pushed{0}, run{0}, most{0};
  for (int i = 0; i < 200; ++i) {
    queue.Push(Event(), [&] { ++run; });
    ++pushed;
    most = std::max(most.load(), pushed - run);
  }
  queue.Drain();
  EXPECT_EQ(run, 200);
  EXPECT_LE(most, 4);  // three in the queue, and one whose task has returned and not yet left it
}

TEST(SerialQueue, DoesNotBlockWhoeverItWaitsFor) {
  ThreadPool pool(1);
  SerialQueue queue(&pool, 3);
  Promise promise;
  std::atomic<int> run{0};
  for (int i = 0; i < 100; ++i) queue.Push(promise.event(), [&] { ++run; });
  EXPECT_EQ(run, 0);
  promise.Set();
  queue.Drain();
  EXPECT_EQ(run, 100);
}

TEST(SerialQueue, WaitsForTasksThatGoOn) {
  ThreadPool pool(1);
  SerialQueue queue(&pool, 10);
  Promise promise;
  std::vector<int> seen;
  queue.PushAsynchronous(Event(), [&] {
    seen.push_back(1);
    return promise.event();
  });
  queue.PushAsynchronous(Event(), [&] {
    seen.push_back(3);
    return Event();
  });
  SerialQueue other(&pool, 10);
  other.Push(Event(), [&] { seen.push_back(2); });  // the only worker is free
  other.Drain();
  EXPECT_EQ(seen, std::vector<int>({1, 2}));
  promise.Set(Internal("errors do not stop the queue"));
  queue.Drain();
  EXPECT_EQ(seen, std::vector<int>({1, 2, 3}));
}

TEST(SerialQueue, BoundsTasksThatGoOn) {
  ThreadPool pool(2);
  SerialQueue queue(&pool, 3);
  std::atomic<int> pushed{0}, done{0}, most{0};
  for (int i = 0; i < 200; ++i) {
    queue.PushAsynchronous(Event(), [&] {
      auto promise = std::make_shared<Promise>();
      pool.Schedule([&, promise] {
        ++done;
        promise->Set();
      });
      return promise->event();
    });
    ++pushed;
    most = std::max(most.load(), pushed - done);
  }
  queue.Drain();
  EXPECT_EQ(done, 200);
  EXPECT_LE(most, 4);
}

TEST(SerialQueue, DoesNotBlockWhomTasksNeed) {
  ThreadPool pool(1);
  SerialQueue queue(&pool, 2);
  std::vector<Promise> promises(8);
  for (Promise& promise : promises) {
    queue.PushAsynchronous(Event(), [&promise] { return promise.event(); }, /*may_need_caller=*/true);
  }
  for (Promise& promise : promises) promise.Set();
  queue.Drain();
}

TEST(SerialQueue, RunsTasksApart) {
  ThreadPool pool(1);
  SerialQueue queue(&pool, 1);
  Promise first, apart, drained;
  std::atomic<bool> ran{false};
  queue.PushAsynchronous(Event(), [&first] { return first.event(); });
  queue.PushApart(Event(), [&] {
    ran = true;
    first.Set();
    return apart.event();
  });
  std::thread waiter([&] {
    queue.Drain();
    drained.Set();
  });
  EXPECT_TRUE(first.event().Await().ok());
  EXPECT_TRUE(ran);
  EXPECT_FALSE(drained.event().ready());
  apart.Set();
  waiter.join();
}

TEST(SerialQueue, TasksMayPush) {
  ThreadPool pool(1);
  SerialQueue queue(&pool, 1);
  std::atomic<int> run{0};
  queue.Push(Event(), [&] {
    for (int i = 0; i < 10; ++i) queue.Push(Event(), [&] { ++run; });
  });
  queue.Drain();
  EXPECT_EQ(run, 10);
}

}  // namespace
}  // namespace treadle

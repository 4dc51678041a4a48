#include "base/background.h"

#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <cstdlib>
#include <future>
#include <memory>
#include <thread>

#include "gtest/gtest.h"

namespace treadle {
namespace {

TEST(BackgroundTest, RunsAllWork) {
  std::atomic<int> ran = 0;
  std::promise<void> last;
  for (int i = 0; i < 100; ++i) {
    RunInBackground([&] {
      if (++ran == 100) last.set_value();
    });
  }
  last.get_future().wait();
  FinishBackgroundWork();
  EXPECT_EQ(ran, 100);
}

TEST(BackgroundTest, FinishDropsWhatWaitsAndWaitsForWhatRuns) {
  std::promise<void> started, go_on;
  std::shared_future<void> may_end = go_on.get_future().share();
  std::atomic<bool> ended = false;
  RunInBackground([&started, may_end, &ended] {
    started.set_value();
    may_end.wait();
    ended = true;
  });
  started.get_future().wait();
  // As many as there can be threads, so that some wait.
  auto alive = std::make_shared<int>(0);
  for (int i = 0; i < 8; ++i) RunInBackground([may_end, alive] { may_end.wait(); });
  std::thread finish(FinishBackgroundWork);
  go_on.set_value();
  finish.join();
  EXPECT_TRUE(ended);
  EXPECT_EQ(alive.use_count(), 1);
  // The queue takes work again.
  std::promise<void> again;
  RunInBackground([&] { again.set_value(); });
  again.get_future().wait();
  FinishBackgroundWork();
}

TEST(BackgroundTest, DelayedWorkWaitsAndIsDroppedAtOnce) {
  using std::chrono::milliseconds, std::chrono::steady_clock;
  const steady_clock::time_point begin = steady_clock::now();
  std::promise<void> ran;
  RunInBackground([&] { ran.set_value(); }, milliseconds(20));
  ran.get_future().wait();
  EXPECT_GE(steady_clock::now() - begin, milliseconds(20));
  auto alive = std::make_shared<int>(0);
  RunInBackground([alive] {}, std::chrono::hours(1));
  FinishBackgroundWork();
  EXPECT_EQ(alive.use_count(), 1);
}

TEST(BackgroundTest, WhatMustRunRunsAtTheEndWithoutItsDelay) {
  using std::chrono::hours, std::chrono::steady_clock;
  const steady_clock::time_point begin = steady_clock::now();
  std::atomic<int> must = 0, dropped = 0;
  RunInBackground([&] { ++dropped; }, hours(1));
  for (int i = 0; i < 10; ++i) {
    RunInBackground([&] { ++must; }, hours(1), AtExit::kRun);
    RunInBackground([&] { ++must; }, hours(1), AtExit::kRunIfTime);
  }
  // What such work adds is work of the end, too.
  RunInBackground(
      [&] {
        RunInBackground([&] { ++must; }, hours(1), AtExit::kRun);
        RunInBackground([&] { ++dropped; });
      },
      hours(1), AtExit::kRun);
  FinishBackgroundWork();
  EXPECT_EQ(must, 21);
  EXPECT_EQ(dropped, 0);
  EXPECT_LT(steady_clock::now() - begin, hours(1));
}

// In a child: what is left of the two seconds is the process's.
TEST(BackgroundTest, WhatWouldBeGoodToHaveGetsTwoSecondsAProcess) {
  const pid_t child = fork();
  if (child == 0) {
    alarm(60);
    using std::chrono::milliseconds, std::chrono::steady_clock;
    const steady_clock::time_point begin = steady_clock::now();
    std::atomic<int> ran = 0, must = 0;
    for (int i = 0; i < 1000; ++i) {
      RunInBackground(
          [&] {
            ++ran;
            std::this_thread::sleep_for(milliseconds(100));
          },
          milliseconds(100), AtExit::kRunIfTime);
    }
    RunInBackground([&] { ++must; }, milliseconds(0), AtExit::kRun);
    FinishBackgroundWork();
    const auto took = steady_clock::now() - begin;
    const int first = ran;
    RunInBackground([&] { ++ran; }, std::chrono::hours(1), AtExit::kRunIfTime);
    FinishBackgroundWork();
    const bool good = first > 3 && first < 200 && ran == first && must == 1 && took > milliseconds(1900) &&
                      took < milliseconds(10'000);
    _exit(good ? 7 : 1);
  }
  int status = 0;
  waitpid(child, &status, 0);
  EXPECT_TRUE(WIFEXITED(status));
  EXPECT_EQ(WEXITSTATUS(status), 7);
}

TEST(BackgroundTest, WorkMayAddWork) {
  std::promise<void> done;
  RunInBackground([&] { RunInBackground([&] { done.set_value(); }); });
  done.get_future().wait();
  FinishBackgroundWork();
}

TEST(BackgroundTest, AForkedChildEndsAlthoughWorkWasRunning) {
  std::promise<void> started, go_on;
  RunInBackground([&] {
    started.set_value();
    go_on.get_future().wait();
  });
  started.get_future().wait();
  const pid_t child = fork();
  if (child == 0) {
    alarm(10);
    FinishBackgroundWork();
    _exit(7);
  }
  int status = 0;
  waitpid(child, &status, 0);
  go_on.set_value();
  FinishBackgroundWork();
  EXPECT_TRUE(WIFEXITED(status));
  EXPECT_EQ(WEXITSTATUS(status), 7);
}

}  // namespace
}  // namespace treadle

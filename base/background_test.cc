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

#include "base/background.h"

#include <pthread.h>
#include <sched.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <condition_variable>
#include <cstdlib>
#include <deque>
#include <iterator>
#include <mutex>
#include <utility>
#include <vector>

#include "base/large_stack.h"

namespace treadle {
namespace {

// A third of the CPU time that a foreground thread gets where they compete: out of the way, yet never starved.
constexpr int kNice = 5;
// How long the end of a process may take for work that would be good to have: not so long that somebody notices.
constexpr std::chrono::seconds kPatience{2};

size_t MostThreads() {
  cpu_set_t set;
  const int count = sched_getaffinity(0, sizeof set, &set) == 0 ? CPU_COUNT(&set) : 1;
  return static_cast<size_t>(std::clamp(count / 2, 1, 4));
}

using Clock = std::chrono::steady_clock;

class Queue {
 public:
  // Outlives static objects, whose destructors may still add work.
  static Queue& Get() {
    static const bool first = [] {
      current_ = new Queue;
      std::atexit(FinishBackgroundWork);
      // A forked child has none of the threads.
      pthread_atfork(nullptr, nullptr, [] { current_ = new Queue; });
      return true;
    }();
    (void)first;
    return *current_;
  }

  // Threads end when there is nothing left to do, so an idle process has none.
  void Add(std::function<void()> work, Clock::duration delay, AtExit at_exit) {
    std::deque<Work> dropped;  // destroyed without the lock
    const std::lock_guard lock(mutex_);
    if (finishing_ > 0 && at_exit == AtExit::kDrop) return;
    waiting_.push_back({std::move(work), Clock::now() + delay, at_exit});
    if (running_ < MostThreads() && Start()) ++running_;
    if (running_ == 0) std::swap(dropped, waiting_);
  }

  void Finish() {
    std::deque<Work> dropped;  // destroyed without the lock
    std::unique_lock lock(mutex_);
    const auto kept = std::ranges::stable_partition(waiting_, [](const Work& w) { return w.at_exit != AtExit::kDrop; });
    std::ranges::move(kept, std::back_inserter(dropped));
    waiting_.erase(kept.begin(), kept.end());
    if (finishing_++ == 0) deadline_ = Clock::now() + patience_;
    changed_.notify_all();
    changed_.wait(lock, [this] { return running_ == 0; });
    JoinEnded();
    if (--finishing_ == 0) patience_ = std::max(Clock::duration::zero(), deadline_ - Clock::now());
  }

 private:
  struct Work {
    std::function<void()> run;
    Clock::time_point start;
    AtExit at_exit;
  };

  static void* Run(void* queue) {
    setpriority(PRIO_PROCESS, static_cast<id_t>(syscall(SYS_gettid)), kNice);
    static_cast<Queue*>(queue)->RunAll();
    return nullptr;
  }

  bool Start() {
    JoinEnded();
    pthread_attr_t attributes;
    pthread_t thread;
    if (pthread_attr_init(&attributes) != 0) return false;
    const bool started = pthread_attr_setstacksize(&attributes, kCodegenStack) == 0 &&
                         pthread_create(&thread, &attributes, Run, this) == 0;
    pthread_attr_destroy(&attributes);
    return started;
  }

  void RunAll() {
    std::unique_lock lock(mutex_);
    while (!waiting_.empty()) {
      const Clock::time_point now = Clock::now();
      if (const Clock::time_point start = waiting_.front().start; start > now && finishing_ == 0) {
        changed_.wait_until(lock, start);
        continue;
      }
      Work work = std::move(waiting_.front());
      waiting_.pop_front();
      const bool late = finishing_ > 0 && work.at_exit == AtExit::kRunIfTime && now >= deadline_;
      lock.unlock();
      if (!late) work.run();
      work.run = nullptr;
      // Once more: static objects that the first work has made go away after this handler, not before.
      static const int registered = std::atexit(FinishBackgroundWork);
      (void)registered;
      lock.lock();
    }
    --running_;
    ended_threads_.push_back(pthread_self());
    changed_.notify_all();
  }

  // With the lock: those threads are past it, or wait for nothing but it.
  void JoinEnded() {
    for (pthread_t thread : std::exchange(ended_threads_, {})) pthread_join(thread, nullptr);
  }

  static inline Queue* current_ = nullptr;

  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<Work> waiting_;
  std::vector<pthread_t> ended_threads_;
  size_t running_ = 0;
  int finishing_ = 0;                     // calls of Finish
  Clock::duration patience_ = kPatience;  // what is left of it
  Clock::time_point deadline_;            // for kRunIfTime, while finishing
};

}  // namespace

void RunInBackground(std::function<void()> work, std::chrono::milliseconds delay, AtExit at_exit) {
  Queue::Get().Add(std::move(work), delay, at_exit);
}

void FinishBackgroundWork() { Queue::Get().Finish(); }

}  // namespace treadle

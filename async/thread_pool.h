// A pool of threads for two kinds of work: tasks (`Schedule`), and loops that their caller runs together with idle
// workers (`ParallelFor`). A worker never blocks on other work, so nothing here can deadlock.
#ifndef TREADLE_ASYNC_THREAD_POOL_H_
#define TREADLE_ASYNC_THREAD_POOL_H_

#include <cstdint>
#include <functional>
#include <memory>

namespace treadle {

// Thread-safe. Destruction runs all tasks that were scheduled, then joins the workers.
class ThreadPool {
 public:
  // `threads` workers, at least 1. A loop runs on at most `threads` threads, its caller included.
  explicit ThreadPool(int threads);
  ~ThreadPool();
  ThreadPool(const ThreadPool&) = delete;
  ThreadPool& operator=(const ThreadPool&) = delete;

  int threads() const { return threads_; }

  // Runs `task` on a worker, in the order of the calls as far as workers are free.
  void Schedule(std::function<void()> task);

  // Calls body(context, begin, end) for disjoint ranges that cover [0, count), on this thread and on workers that are
  // free, and returns when all calls have returned. The caller finishes what nobody has claimed. Which thread gets
  // which range is not determined. `cost_ns` is the time of the whole on one thread: work under 30 us stays on this
  // thread, and only work that pays for a wake-up wakes workers that sleep.
  using LoopBody = void (*)(void* context, int64_t begin, int64_t end);
  void ParallelFor(int64_t count, int64_t cost_ns, LoopBody body, void* context);

  template <typename F>
  void ParallelFor(int64_t count, int64_t cost_ns, F&& body) {
    ParallelFor(
        count, cost_ns,
        [](void* f, int64_t begin, int64_t end) { (*static_cast<std::remove_reference_t<F>*>(f))(begin, end); }, &body);
  }

  // Whether such a loop would use more than its caller's thread.
  bool Spreads(int64_t count, int64_t cost_ns) const { return cost_ns >= kStayNs && threads_ > 1 && count > 1; }

  // Hints that loops come within some 100 us: workers that sleep get up and spin.
  void Prewake();

  // Whether the calling thread is a worker of some pool.
  static bool OnWorker();

  // TREADLE_NUM_THREADS where that is a positive number; else the CPUs that this process may run on, limited by its
  // cgroup's quota (rounded up). At least 1.
  static int DefaultThreads();

 private:
  static constexpr int64_t kStayNs = 30'000;  // shorter loops do not leave their thread

  struct Impl;
  const int threads_;
  std::unique_ptr<Impl> impl_;
};

}  // namespace treadle

#endif  // TREADLE_ASYNC_THREAD_POOL_H_

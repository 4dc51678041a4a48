#include "async/thread_pool.h"

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <condition_variable>
#include <cstdlib>
#include <deque>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "async/cpu_count.h"
#include "async/spin.h"
#include "base/log.h"

namespace treadle {
namespace {

constexpr int64_t kPerThreadNs = 15'000;  // a thread more has at least this much to do
constexpr int64_t kWakeNs = 120'000;      // a sleeping thread takes 20 to 90 us to arrive
constexpr int64_t kChunkNs = 4'000;       // shorter claims cost more than they balance
constexpr int64_t kWorkerSpinNs = 50'000;
constexpr int64_t kCallerSpinNs = 50'000;

thread_local bool on_worker = false;

// One ParallelFor, on its caller's stack. Workers know of it only while it stands in Impl::loops, and each that has
// joined is counted in `helpers`, whose decrement is the last thing it does to a loop.
struct Loop {
  ThreadPool::LoopBody body;
  void* context;
  int64_t count;
  int64_t chunk;
  int tickets;  // workers that may still join; guarded by Impl::mutex
  alignas(64) std::atomic<int64_t> next{0};
  alignas(64) std::atomic<int> helpers{0};

  void Run() {
    for (;;) {
      const int64_t begin = next.fetch_add(chunk, std::memory_order_relaxed);
      if (begin >= count) return;
      body(context, begin, std::min(begin + chunk, count));
    }
  }
};

}  // namespace

struct ThreadPool::Impl {
  std::mutex mutex;
  std::condition_variable wake;  // workers sleep here
  std::deque<std::function<void()>> tasks;
  std::vector<Loop*> loops;
  int sleeping = 0;
  int spinning = 0;
  bool stop = false;
  std::atomic<uint32_t> news{0};  // changes when there may be work; spinning workers watch it

  std::atomic<int> waiting{0};   // callers that sleep until their helpers are done
  std::condition_variable done;  // they sleep here

  std::vector<std::thread> workers;

  // REQUIRES: mutex held. A loop with room, counted as joined.
  Loop* JoinLoop() {
    for (Loop* loop : loops) {
      if (loop->tickets == 0 || loop->next.load(std::memory_order_relaxed) >= loop->count) continue;
      --loop->tickets;
      loop->helpers.fetch_add(1, std::memory_order_relaxed);
      return loop;
    }
    return nullptr;
  }

  void Help(Loop* loop) {
    loop->Run();
    // Sequentially consistent, as are the caller's steps in AwaitHelpers: one of the two sees the other.
    loop->helpers.fetch_sub(1);
    if (waiting.load() > 0) {
      std::lock_guard lock(mutex);
      done.notify_all();
    }
  }

  void AwaitHelpers(Loop& loop) {
    const auto alone = [&] { return loop.helpers.load() == 0; };
    if (SpinUntil(alone, kCallerSpinNs)) return;
    waiting.fetch_add(1);
    {
      std::unique_lock lock(mutex);
      done.wait(lock, alone);
    }
    waiting.fetch_sub(1);
  }

  // REQUIRES: mutex held through `lock`. Waits for something to do; false when the pool ends.
  bool AwaitNews(std::unique_lock<std::mutex>& lock) {
    const uint32_t seen = news.load(std::memory_order_relaxed);
    const auto changed = [&] { return news.load(std::memory_order_acquire) != seen; };
    ++spinning;
    lock.unlock();
    SpinUntil(changed, kWorkerSpinNs);
    lock.lock();
    --spinning;
    if (changed()) return true;
    if (stop) return false;
    ++sleeping;
    wake.wait(lock, [&] { return changed() || stop; });
    --sleeping;
    return true;
  }

  void Work() {
    on_worker = true;
    std::unique_lock lock(mutex);
    for (;;) {
      if (Loop* loop = JoinLoop()) {
        lock.unlock();
        Help(loop);
        lock.lock();
      } else if (!tasks.empty()) {
        std::function<void()> task = std::move(tasks.front());
        tasks.pop_front();
        lock.unlock();
        task();
        task = nullptr;
        lock.lock();
      } else if (stop || !AwaitNews(lock)) {
        return;
      }
    }
  }
};

ThreadPool::ThreadPool(int threads) : threads_(std::max(threads, 1)), impl_(std::make_unique<Impl>()) {
  for (int i = 0; i < threads_; ++i) impl_->workers.emplace_back([this] { impl_->Work(); });
}

ThreadPool::~ThreadPool() {
  {
    std::lock_guard lock(impl_->mutex);
    impl_->stop = true;
    impl_->news.fetch_add(1, std::memory_order_release);
  }
  impl_->wake.notify_all();
  for (std::thread& worker : impl_->workers) worker.join();
}

void ThreadPool::Schedule(std::function<void()> task) {
  // With the lock to the end: whoever sees the task done may destroy the pool, which takes the lock first.
  const std::lock_guard lock(impl_->mutex);
  impl_->tasks.push_back(std::move(task));
  impl_->news.fetch_add(1, std::memory_order_release);
  if (impl_->sleeping > 0 && static_cast<int>(impl_->tasks.size()) > impl_->spinning) impl_->wake.notify_one();
}

void ThreadPool::ParallelFor(int64_t count, int64_t cost_ns, LoopBody body, void* context) {
  if (count <= 0) return;
  if (!Spreads(count, cost_ns)) {
    body(context, 0, count);
    return;
  }
  const int64_t useful = std::min<int64_t>({threads_, count, cost_ns / kPerThreadNs});
  Loop loop{.body = body, .context = context, .count = count, .chunk = 1, .tickets = static_cast<int>(useful) - 1};
  const int64_t shortest =
      static_cast<int64_t>(static_cast<double>(kChunkNs) * static_cast<double>(count) / static_cast<double>(cost_ns));
  loop.chunk = std::max<int64_t>({1, count / (useful * 8), shortest});
  int wake = 0;
  {
    std::lock_guard lock(impl_->mutex);
    impl_->loops.push_back(&loop);
    impl_->news.fetch_add(1, std::memory_order_release);
    if (cost_ns >= kWakeNs) wake = std::min(impl_->sleeping, loop.tickets - impl_->spinning);
  }
  for (; wake > 0; --wake) impl_->wake.notify_one();
  loop.Run();
  {
    std::lock_guard lock(impl_->mutex);
    impl_->loops.erase(std::find(impl_->loops.begin(), impl_->loops.end(), &loop));
  }
  impl_->AwaitHelpers(loop);
}

void ThreadPool::Prewake() {
  bool asleep;
  {
    std::lock_guard lock(impl_->mutex);
    asleep = impl_->sleeping > 0;
    if (asleep) impl_->news.fetch_add(1, std::memory_order_release);
  }
  if (asleep) impl_->wake.notify_all();
}

bool ThreadPool::OnWorker() { return on_worker; }

int ThreadPool::DefaultThreads() {
  const std::string text(Environment("TREADLE_NUM_THREADS"));
  char* end = nullptr;
  const long threads = std::strtol(text.c_str(), &end, 10);
  if (!text.empty() && *end == '\0' && threads > 0) return static_cast<int>(std::min(threads, 1024L));
  return UsableCpus();
}

}  // namespace treadle

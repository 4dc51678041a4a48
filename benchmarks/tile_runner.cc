#include "benchmarks/tile_runner.h"

#include <time.h>

#include <algorithm>

namespace treadle::benchmarks {
namespace {

// Spins briefly, then lets others run: a benchmark may share its cores.
struct Spin {
  int rounds = 0;
  void operator()() {
    if (++rounds < 2000)
      __builtin_ia32_pause();
    else
      std::this_thread::yield();
  }
};

double CpuSeconds() {
  timespec now;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

}  // namespace

TileRunner::TileRunner(int threads) : seconds_(threads) {
  for (int t = 1; t < threads; ++t) {
    workers_.emplace_back([this, t] {
      for (uint64_t seen = 0;;) {
        for (Spin spin; round_.load(std::memory_order_acquire) == seen; spin()) {
          if (stop_) return;
        }
        ++seen;
        Claim(t);
        running_.fetch_sub(1, std::memory_order_release);
      }
    });
  }
}

TileRunner::~TileRunner() {
  stop_ = true;
  for (std::thread& worker : workers_) worker.join();
}

void TileRunner::Claim(int thread) {
  double start = CpuSeconds();
  if (on_each_) {
    (*work_)(thread, thread, thread + 1);
  } else {
    for (int64_t tile; (tile = next_.fetch_add(1, std::memory_order_relaxed)) < tiles_;)
      (*work_)(thread, tile, tile + 1);
  }
  seconds_[thread] = CpuSeconds() - start;
}

double TileRunner::Run(int64_t tiles, const std::function<void(int, int64_t, int64_t)>& work) {
  if (workers_.empty()) {
    double start = CpuSeconds();
    work(0, 0, tiles);
    return CpuSeconds() - start;
  }
  tiles_ = tiles;
  on_each_ = false;
  return Share(work);
}

double TileRunner::RunOnEach(const std::function<void(int, int64_t, int64_t)>& work) {
  on_each_ = true;
  return Share(work);
}

double TileRunner::Share(const std::function<void(int, int64_t, int64_t)>& work) {
  work_ = &work;
  next_ = 0;
  running_ = static_cast<int>(workers_.size());
  round_.fetch_add(1, std::memory_order_release);
  Claim(0);
  for (Spin spin; running_.load(std::memory_order_acquire) > 0; spin()) {
  }
  return *std::max_element(seconds_.begin(), seconds_.end());
}

}  // namespace treadle::benchmarks

// Runs the tiles of kernels on a fixed set of threads that spin between runs: the least that a kernel's speed can be
// measured with, whatever the runtime's own pool does.
#ifndef TREADLE_BENCHMARKS_TILE_RUNNER_H_
#define TREADLE_BENCHMARKS_TILE_RUNNER_H_

#include <atomic>
#include <cstdint>
#include <functional>
#include <thread>
#include <vector>

namespace treadle::benchmarks {

class TileRunner {
 public:
  explicit TileRunner(int threads);
  ~TileRunner();

  int threads() const { return static_cast<int>(workers_.size()) + 1; }

  // Calls work(thread, begin, end) for ranges that cover [0, tiles), on all threads; the caller is thread 0. Returns
  // the seconds of the slowest thread, in its own CPU time: what the run would take on idle cores.
  double Run(int64_t tiles, const std::function<void(int, int64_t, int64_t)>& work);

  // The same with one tile for each thread, tile t on thread t.
  double RunOnEach(const std::function<void(int, int64_t, int64_t)>& work);

 private:
  double Share(const std::function<void(int, int64_t, int64_t)>& work);
  void Claim(int thread);

  std::vector<std::thread> workers_;
  std::vector<double> seconds_;
  const std::function<void(int, int64_t, int64_t)>* work_ = nullptr;
  int64_t tiles_ = 0;
  bool on_each_ = false;
  std::atomic<int64_t> next_{0};
  std::atomic<uint64_t> round_{0};
  std::atomic<int> running_{0};
  std::atomic<bool> stop_{false};
};

}  // namespace treadle::benchmarks

#endif  // TREADLE_BENCHMARKS_TILE_RUNNER_H_

#include "device/host/host_device.h"

#include <algorithm>
#include <atomic>
#include <cstring>
#include <utility>

#include "async/serial_queue.h"
#include "device/host/float_mode.h"
#include "device/host/host_allocator.h"
#include "device/host/local_memory.h"
#include "device/host/prepare_memory.h"
#include "device/run_frames.h"

namespace treadle {
namespace {

// Executions that may be on their way: enough to keep the workers fed, few enough that a fast caller does not fill the
// memory with results.
constexpr int kQueueDepth = 32;

constexpr int64_t kPreparedShare = 64;  // of the memory that there is, one part of so many may be prepared

constexpr int64_t kCopyChunk = 256 << 10;
constexpr int64_t kCopyBytesPerNs = 8;

class HostDevice final : public Device {
 public:
  HostDevice(ThreadPool* pool, executable::Target target, const HostDeviceOptions& options)
      : options_(options),
        target_(std::move(target)),
        pool_(pool),
        allocator_(std::make_shared<HostAllocator>(options.memory_limit)),
        queue_(pool, kQueueDepth) {
    const int64_t most = allocator_->stats().bytes_limit / kPreparedShare;
    KeepMemoryPrepared(allocator_, std::min(options.prepared_memory, most));
  }

  int id() const override { return options_.id; }
  std::string_view kind() const override { return "host"; }
  const executable::Target& target() const override { return target_; }

  StatusOr<void*> Allocate(int64_t bytes) override { return allocator_->Allocate(bytes); }
  void Free(void* memory, int64_t bytes) override { allocator_->Free(memory, bytes); }
  bool host_accessible() const override { return true; }
  MemoryStats memory_stats() const override { return allocator_->stats(); }

  Status CopyFromHost(void* dst, const void* src, int64_t bytes) override { return Copy(dst, src, bytes); }
  Status CopyToHost(void* dst, const void* src, int64_t bytes) override { return Copy(dst, src, bytes); }
  Status Copy(void* dst, const void* src, int64_t bytes) override {
    if (dst == src || bytes == 0) return OkStatus();
    if (bytes < 2 * kCopyChunk) {
      std::memcpy(dst, src, bytes);
      return OkStatus();
    }
    const int64_t chunks = (bytes + kCopyChunk - 1) / kCopyChunk;
    pool_->ParallelFor(chunks, bytes / kCopyBytesPerNs, [&](int64_t begin, int64_t end) {
      const int64_t first = begin * kCopyChunk;
      std::memcpy(static_cast<char*>(dst) + first, static_cast<const char*>(src) + first,
                  std::min(end * kCopyChunk, bytes) - first);
    });
    return OkStatus();
  }

  Status Run(const Launch& launch) override {
    const int64_t tiles = TotalTiles(launch);
    if (!pool_->Spreads(tiles, launch.cost_ns)) return KernelStatus(RunTiles(launch, 0, tiles));
    std::atomic<int> error{TREADLE_KERNEL_OK};
    pool_->ParallelFor(tiles, launch.cost_ns, [&](int64_t begin, int64_t end) {
      if (error.load(std::memory_order_relaxed) != TREADLE_KERNEL_OK) return;
      const int result = RunTiles(launch, begin, end);
      if (result != TREADLE_KERNEL_OK) error.store(result, std::memory_order_relaxed);
    });
    return KernelStatus(error.load(std::memory_order_relaxed));
  }

  void Enqueue(Event after, std::function<void()> task) override { queue_.Push(std::move(after), std::move(task)); }
  void EnqueueAsynchronous(Event after, std::function<Event()> task) override {
    queue_.PushAsynchronous(std::move(after), std::move(task), /*may_need_caller=*/true);
  }
  void RunApart(Event after, std::function<Event()> task) override {
    queue_.PushApart(std::move(after), std::move(task));
  }
  void Schedule(std::function<void()> task) override { pool_->Schedule(std::move(task)); }
  void Drain() override { queue_.Drain(); }
  void Prewake() override { pool_->Prewake(); }

 private:
  int RunTiles(const Launch& launch, int64_t begin, int64_t end) const {
    void* local = nullptr;
    if (launch.local_bytes > 0) {
      local = LocalMemory(launch.local_bytes);
      if (local == nullptr) return TREADLE_KERNEL_RESOURCE_EXHAUSTED;
    }
    const FloatMode mode(launch.keeps_subnormals);
    return RunFrames(launch, local, begin, end);
  }

  const HostDeviceOptions options_;
  const executable::Target target_;
  ThreadPool* const pool_;
  const std::shared_ptr<HostAllocator> allocator_;
  SerialQueue queue_;  // last: its tasks use the rest until it has drained
};

}  // namespace

std::unique_ptr<Device> MakeHostDevice(ThreadPool* pool, executable::Target target, const HostDeviceOptions& options) {
  return std::make_unique<HostDevice>(pool, std::move(target), options);
}

}  // namespace treadle

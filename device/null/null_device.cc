#include "device/null/null_device.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <mutex>
#include <utility>

#include "async/serial_queue.h"
#include "device/host/float_mode.h"
#include "device/run_frames.h"

namespace treadle {
namespace {

constexpr int64_t kMemoryBytes = int64_t{1} << 30;  // a real device asks its driver
constexpr int kQueueDepth = 32;

class NullDevice final : public Device {
 public:
  NullDevice(executable::Target target, int id)
      : id_(id), target_(std::move(target)), driver_(1), queue_(&driver_, kQueueDepth) {
    stats_.bytes_limit = kMemoryBytes;
  }

  int id() const override { return id_; }
  std::string_view kind() const override { return "null"; }
  const executable::Target& target() const override { return target_; }

  StatusOr<void*> Allocate(int64_t bytes) override {
    const std::lock_guard lock(mutex_);
    if (bytes < 0 || bytes > stats_.bytes_limit - stats_.bytes_in_use) {
      return ResourceExhausted("out of memory allocating " + std::to_string(bytes) + " bytes on the null device");
    }
    void* memory = std::aligned_alloc(64, Rounded(bytes));
    if (memory == nullptr) return ResourceExhausted("the host has no memory for the null device");
    stats_.bytes_in_use += Rounded(bytes);
    stats_.peak_bytes_in_use = std::max(stats_.peak_bytes_in_use, stats_.bytes_in_use);
    stats_.largest_allocation = std::max(stats_.largest_allocation, bytes);
    ++stats_.num_allocations;
    return memory;
  }

  void Free(void* memory, int64_t bytes) override {
    if (memory == nullptr) return;
    const std::lock_guard lock(mutex_);
    stats_.bytes_in_use -= Rounded(bytes);
    std::free(memory);
  }

  // False keeps the runtime honest: it must copy, as for a device with memory of its own.
  bool host_accessible() const override { return false; }

  MemoryStats memory_stats() const override {
    const std::lock_guard lock(mutex_);
    return stats_;
  }

  Status CopyFromHost(void* dst, const void* src, int64_t bytes) override { return Move(dst, src, bytes); }
  Status CopyToHost(void* dst, const void* src, int64_t bytes) override { return Move(dst, src, bytes); }
  Status Copy(void* dst, const void* src, int64_t bytes) override { return Move(dst, src, bytes); }

  Status Run(const Launch& launch) override {
    void* local = nullptr;
    if (launch.local_bytes > 0) {
      local = std::aligned_alloc(64, Rounded(launch.local_bytes));
      if (local == nullptr) return ResourceExhausted("no memory for a kernel's locals");
    }
    int error;
    {
      const FloatMode mode(launch.keeps_subnormals);
      error = RunFrames(launch, local, 0, TotalTiles(launch));
    }
    std::free(local);
    return KernelStatus(error);
  }

  void Enqueue(Event after, std::function<void()> task) override { queue_.Push(std::move(after), std::move(task)); }
  void EnqueueAsynchronous(Event after, std::function<Event()> task) override {
    queue_.PushAsynchronous(std::move(after), std::move(task), /*may_need_caller=*/true);
  }
  void RunApart(Event after, std::function<Event()> task) override {
    queue_.PushApart(std::move(after), std::move(task));
  }
  void Schedule(std::function<void()> task) override { driver_.Schedule(std::move(task)); }
  void Drain() override { queue_.Drain(); }

 private:
  static int64_t Rounded(int64_t bytes) { return std::max<int64_t>((bytes + 63) / 64 * 64, 64); }

  static Status Move(void* dst, const void* src, int64_t bytes) {
    if (bytes > 0) std::memmove(dst, src, bytes);
    return OkStatus();
  }

  const int id_;
  const executable::Target target_;
  mutable std::mutex mutex_;
  MemoryStats stats_;
  ThreadPool driver_;
  SerialQueue queue_;
};

}  // namespace

std::unique_ptr<Device> MakeNullDevice(executable::Target target, int id) {
  return std::make_unique<NullDevice>(std::move(target), id);
}

}  // namespace treadle

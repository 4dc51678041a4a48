// Memory: a block of device memory with counted users. Buffers and executions share it.
#ifndef TREADLE_RUNTIME_MEMORY_H_
#define TREADLE_RUNTIME_MEMORY_H_

#include <atomic>
#include <cstdint>
#include <functional>
#include <utility>

#include "base/status.h"
#include "device/device.h"

namespace treadle {

// Users come in three kinds, so that a donation knows who else may look at the memory:
//   owners        buffers, and references held outside (a NumPy view)
//   running uses  executions and transfers in progress on some thread
//   queued uses   executions on their way through the device's queue: a later one in the queue comes after them
// Freed when all are gone. Thread-safe; a user may add users.
class Memory {
 public:
  enum class Use : uint64_t { kOwner = 1, kRunning = uint64_t{1} << 24, kQueued = uint64_t{1} << 44 };

  // Starts with one owner.
  static StatusOr<Memory*> Allocate(Device* device, int64_t bytes);
  // Memory of somebody else, which is never written. `on_free` is called once, when the last user is gone, on the
  // thread of that user.
  static Memory* Import(Device* device, void* data, int64_t bytes, std::function<void()> on_free);

  void* data() const { return data_; }
  int64_t bytes() const { return bytes_; }
  Device& device() const { return *device_; }
  bool writable() const { return !imported_; }

  void Add(Use use) { users_.fetch_add(static_cast<uint64_t>(use), std::memory_order_relaxed); }
  void Remove(Use use) {
    if (users_.fetch_sub(static_cast<uint64_t>(use), std::memory_order_acq_rel) == static_cast<uint64_t>(use))
      Destroy();
  }
  // Swaps one use for another.
  void Change(Use from, Use to) {
    users_.fetch_add(static_cast<uint64_t>(to) - static_cast<uint64_t>(from), std::memory_order_acq_rel);
  }

  int owners() const { return static_cast<int>(users_.load(std::memory_order_acquire) & 0xffffff); }
  int running() const { return static_cast<int>(users_.load(std::memory_order_acquire) >> 24 & 0xfffff); }
  int queued() const { return static_cast<int>(users_.load(std::memory_order_acquire) >> 44); }

 private:
  Memory(Device* device, void* data, int64_t bytes, bool imported, std::function<void()> on_free)
      : data_(data), bytes_(bytes), device_(device), imported_(imported), on_free_(std::move(on_free)) {}
  void Destroy();

  std::atomic<uint64_t> users_{1};
  void* const data_;
  const int64_t bytes_;
  Device* const device_;
  const bool imported_;
  std::function<void()> on_free_;
};

}  // namespace treadle

#endif  // TREADLE_RUNTIME_MEMORY_H_

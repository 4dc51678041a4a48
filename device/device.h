// Device: what the runtime needs from hardware. One object per (virtual) device.
#ifndef TREADLE_DEVICE_DEVICE_H_
#define TREADLE_DEVICE_DEVICE_H_

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>

#include "async/event.h"
#include "base/status.h"
#include "executable/kernel_abi.h"
#include "executable/target.h"

namespace treadle {

struct MemoryStats {
  int64_t bytes_in_use = 0;       // handed out now, as requested sizes rounded up to the allocator's own
  int64_t peak_bytes_in_use = 0;  // since the start
  int64_t bytes_cached = 0;       // kept for reuse, not handed out
  int64_t bytes_limit = 0;        // of bytes_in_use
  int64_t largest_allocation = 0;
  int64_t num_allocations = 0;  // since the start
};

// Kernels over the tiles of one frame or of several, which do not wait for each other.
struct Launch {
  struct Frame {
    TreadleKernel kernel = nullptr;
    void* const* buffers = nullptr;
    const uint64_t* args = nullptr;
    int64_t tiles = 1;
    const TreadleKernel* callbacks = nullptr;
    void* scratch = nullptr;
  };
  std::span<const Frame> frames;
  int64_t local_bytes = 0;        // for each thread that takes part
  int64_t cost_ns = 0;            // of the whole, on one thread
  bool keeps_subnormals = false;  // in arithmetic (MXCSR's DAZ and FTZ); else they are zeros there
};

// Thread-safe. Memory of a device must be freed before the device ends.
class Device {
 public:
  virtual ~Device() = default;

  // Position among the devices of its client.
  virtual int id() const = 0;
  // "host", "null": for people.
  virtual std::string_view kind() const = 0;
  // What code must be made for to run here.
  virtual const executable::Target& target() const = 0;

  // --- Memory: addresses in the device's space. ---

  // At least `bytes` (0 is allowed and gives a valid address), 64-byte aligned, contents undefined.
  // RESOURCE_EXHAUSTED where there is no room.
  virtual StatusOr<void*> Allocate(int64_t bytes) = 0;
  // Takes back what Allocate(bytes) gave; null is ignored.
  virtual void Free(void* memory, int64_t bytes) = 0;
  // Whether the host can read and write this device's addresses directly.
  virtual bool host_accessible() const = 0;
  virtual MemoryStats memory_stats() const = 0;

  // --- Work: each returns when it is done; Enqueue makes it asynchronous. ---

  virtual Status CopyFromHost(void* dst, const void* src, int64_t bytes) = 0;
  virtual Status CopyToHost(void* dst, const void* src, int64_t bytes) = 0;
  // Within the device; the ranges are the same or do not overlap.
  virtual Status Copy(void* dst, const void* src, int64_t bytes) = 0;

  // Runs the kernels over all tiles of their frames, each once, in the floating-point state that the launch asks for;
  // the caller's is left as it was. The error of a kernel becomes a Status.
  virtual Status Run(const Launch& launch) = 0;

  // Runs `task` on another thread when `after` is ready and all tasks enqueued before have returned.
  virtual void Enqueue(Event after, std::function<void()> task) = 0;
  // As Enqueue, for a task that goes on after it has returned, maybe waiting for the caller: the next one starts when
  // the event is ready that it returns.
  virtual void EnqueueAsynchronous(Event after, std::function<Event()> task) = 0;
  // Runs `task` on another thread when `after` is ready, in no order with what is enqueued; Drain waits for the event
  // that it returns.
  virtual void RunApart(Event after, std::function<Event()> task) = 0;
  // Runs `task` on another thread, as soon as there is one, whatever is enqueued.
  virtual void Schedule(std::function<void()> task) = 0;
  // Blocks until nothing is enqueued. Not from within a task.
  virtual void Drain() = 0;

  // Hint that a long row of launches follows.
  virtual void Prewake() {}
};

}  // namespace treadle

#endif  // TREADLE_DEVICE_DEVICE_H_

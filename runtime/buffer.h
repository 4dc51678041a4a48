// Buffer: an array on a device, immutable once ready. The runtime's side of a PJRT_Buffer.
//
// The object is a handle with one owner; what it names (memory) is counted and lives on while an execution, a transfer
// or an outside reference needs it. A handle may be destroyed at any time.
#ifndef TREADLE_RUNTIME_BUFFER_H_
#define TREADLE_RUNTIME_BUFFER_H_

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>

#include "async/event.h"
#include "base/shape.h"
#include "base/status.h"
#include "device/device.h"
#include "runtime/memory.h"

namespace treadle {

// Thread-safe, except for construction and destruction.
class Buffer {
 public:
  // Contents undefined, ready at once.
  static StatusOr<std::unique_ptr<Buffer>> Allocate(Device* device, Shape shape);

  // A copy of `data`, dense row-major. `data` may be reused when this returns.
  static StatusOr<std::unique_ptr<Buffer>> CopyFromHost(Device* device, Shape shape, const void* data);

  // Contents that somebody will write to data() and then announce through `ready` (asynchronous transfers).
  static StatusOr<std::unique_ptr<Buffer>> Pending(Device* device, Shape shape, Event ready);

  // Zero-copy: uses `data` (dense row-major, in the device's space, aligned to 64 bytes: see Importable) where it is,
  // as long as anything needs it, then calls `on_destroy`, on any thread. Never written, so donation makes a copy of
  // it.
  static std::unique_ptr<Buffer> Import(Device* device, Shape shape, void* data, std::function<void()> on_destroy);
  static bool Importable(const Device& device, const void* data) {
    return device.host_accessible() && reinterpret_cast<uintptr_t>(data) % 64 == 0;
  }

  // A buffer that failed: its event carries `error`, and so do the results of whatever uses it.
  static StatusOr<std::unique_ptr<Buffer>> Failed(Device* device, Shape shape, Status error);

  // Takes over one owner of `memory`.
  Buffer(std::shared_ptr<const Shape> shape, Memory* memory, Event ready)
      : Buffer(std::move(shape), &memory->device(), memory, std::move(ready)) {}
  ~Buffer();
  Buffer(const Buffer&) = delete;
  Buffer& operator=(const Buffer&) = delete;

  const Shape& shape() const { return *shape_; }
  const std::shared_ptr<const Shape>& shared_shape() const { return shape_; }
  Device& device() const { return *device_; }
  int64_t bytes() const { return bytes_; }  // of the array, as it lies in memory

  // When the contents are there, or have failed. Stays valid after deletion.
  const Event& ready() const { return ready_; }

  // The final address from the start, whether ready or not. Null once deleted, unless an outside reference holds it.
  void* data() const;

  bool deleted() const { return deleted_.load(std::memory_order_acquire); }
  // Gives up the memory: it is freed when running work and outside references are done with it. Idempotent.
  void Delete();

  // References from outside of Treadle that look at data(): they keep the memory through Delete and forbid taking it
  // over.
  Status IncreaseExternalReferenceCount();  // INVALID_ARGUMENT if deleted
  Status DecreaseExternalReferenceCount();  // INVALID_ARGUMENT if there is none

  // Copies the contents to `dst` (bytes() of them, dense row-major) once ready. `dst` must stay valid until the event
  // is ready. `offset` and `bytes` select a range; OUT_OF_RANGE beyond the end. Immediate where the buffer is ready.
  Event CopyToHost(void* dst, int64_t offset, int64_t bytes) const;
  Event CopyToHost(void* dst) const { return CopyToHost(dst, 0, bytes()); }

  // A copy on `device` (this or another).
  StatusOr<std::unique_ptr<Buffer>> CopyToDevice(Device* device) const;

  // The contents as a buffer of `device`, without a copy: both own the memory, which stays where it is. REQUIRES: both
  // devices are host_accessible. INVALID_ARGUMENT if deleted.
  StatusOr<std::unique_ptr<Buffer>> ShareWith(Device* device) const;

  // The same memory under another shape of the same size in bytes; this buffer becomes deleted (PJRT's Bitcast).
  StatusOr<std::unique_ptr<Buffer>> Bitcast(Shape shape);

  // --- For executions. ---

  // Adds a running use and returns the memory; null if deleted. The caller removes the use.
  Memory* Acquire() const;
  // Deletes the buffer and hands its ownership of the memory to the caller; null if deleted already.
  Memory* Release();

 private:
  Buffer(std::shared_ptr<const Shape> shape, Device* device, Memory* memory, Event ready)
      : shape_(std::move(shape)), device_(device), memory_(memory), ready_(std::move(ready)) {}

  class Locked;  // scope in which memory_ and references_ stand still

  const std::shared_ptr<const Shape> shape_;
  Device* const device_;
  const int64_t bytes_ = shape_->bytes();
  mutable std::atomic<bool> lock_{false};
  std::atomic<bool> deleted_{false};
  int references_ = 0;            // from outside
  Memory* referenced_ = nullptr;  // an owner of its own while references_ > 0
  Memory* memory_;                // null once deleted; of another device where it is shared
  const Event ready_;
};

}  // namespace treadle

#endif  // TREADLE_RUNTIME_BUFFER_H_

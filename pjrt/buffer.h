// PJRT_Buffer: a Buffer of the runtime behind a handle, in one of the kinds of memory.
#ifndef TREADLE_PJRT_BUFFER_H_
#define TREADLE_PJRT_BUFFER_H_

#include <memory>
#include <span>
#include <utility>

#include "base/status.h"
#include "pjrt/client.h"
#include "pjrt/memory.h"
#include "pjrt/pjrt_c_api.h"
#include "runtime/buffer.h"

struct PJRT_Buffer {
  treadle::pjrt::MemorySpace* memory;
  std::unique_ptr<treadle::Buffer> buffer;

  PJRT_Device* device() const { return memory->device; }
};

namespace treadle::pjrt {

inline PJRT_Buffer* NewBuffer(MemorySpace* memory, std::unique_ptr<Buffer> buffer) {
  return new PJRT_Buffer{memory, std::move(buffer)};
}

// A handle for what a runtime call gave, or its error.
inline Status ReturnBuffer(MemorySpace* memory, StatusOr<std::unique_ptr<Buffer>> buffer, PJRT_Buffer** result) {
  if (!buffer.ok()) return buffer.status();
  *result = NewBuffer(memory, *std::move(buffer));
  return OkStatus();
}

// All arrays on a device are dense and row-major: rank-1, ..., 1, 0. UNIMPLEMENTED above rank 64, which has no list.
StatusOr<std::span<const int64_t>> MinorToMajor(size_t rank);

// UNIMPLEMENTED unless `layout` is that of all arrays on a device. Null is.
Status CheckDeviceLayout(const Shape& shape, const PJRT_Buffer_MemoryLayout* layout);

// INVALID_ARGUMENT "... deleted or donated" if it is.
Status CheckNotDeleted(const PJRT_Buffer& buffer);

// A running use of a buffer's memory: keeps the bytes where they are, whatever happens to the buffer. Movable.
class MemoryUse {
 public:
  // Empty where the buffer is deleted.
  explicit MemoryUse(const Buffer& buffer) : memory_(buffer.Acquire()) {}
  MemoryUse(MemoryUse&& other) noexcept : memory_(std::exchange(other.memory_, nullptr)) {}
  MemoryUse& operator=(MemoryUse&&) = delete;
  ~MemoryUse() { Release(); }

  // One more use; empty where this one is.
  MemoryUse Clone() const {
    if (memory_ != nullptr) memory_->Add(Memory::Use::kRunning);
    return MemoryUse(memory_);
  }

  explicit operator bool() const { return memory_ != nullptr; }
  std::byte* data() const { return static_cast<std::byte*>(memory_->data()); }
  Device& device() const { return memory_->device(); }
  void Release() {
    if (Memory* memory = std::exchange(memory_, nullptr)) memory->Remove(Memory::Use::kRunning);
  }

 private:
  explicit MemoryUse(Memory* memory) : memory_(memory) {}
  Memory* memory_;
};

}  // namespace treadle::pjrt

#endif  // TREADLE_PJRT_BUFFER_H_

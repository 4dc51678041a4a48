#include "runtime/memory.h"

namespace treadle {

StatusOr<Memory*> Memory::Allocate(Device* device, int64_t bytes) {
  TREADLE_ASSIGN_OR_RETURN(void* data, device->Allocate(bytes));
  return new Memory(device, data, bytes, /*imported=*/false, nullptr);
}

Memory* Memory::Import(Device* device, void* data, int64_t bytes, std::function<void()> on_free) {
  return new Memory(device, data, bytes, /*imported=*/true, std::move(on_free));
}

void Memory::Destroy() {
  if (!imported_) device_->Free(data_, bytes_);
  const std::function<void()> on_free = std::move(on_free_);
  delete this;
  if (on_free) on_free();
}

}  // namespace treadle

// Memory that is there before anyone asks for it.
#ifndef TREADLE_DEVICE_HOST_PREPARE_MEMORY_H_
#define TREADLE_DEVICE_HOST_PREPARE_MEMORY_H_

#include <cstdint>
#include <memory>

#include "device/host/host_allocator.h"

namespace treadle {

// Keeps about `bytes` of touched memory free in `allocator`: taken from the system in blocks of at most 64 MiB on a
// background thread (base/background.h), at once and whenever little is left. A page that is touched for the first time
// costs 1 to 8 us, much more than it costs to fill it, and results need not pay that. Returns at once.
void KeepMemoryPrepared(const std::shared_ptr<HostAllocator>& allocator, int64_t bytes);

}  // namespace treadle

#endif  // TREADLE_DEVICE_HOST_PREPARE_MEMORY_H_

// Memory that belongs to a thread: the `local` of kernels. Kept between kernels, so it stays in the core's cache.
#ifndef TREADLE_DEVICE_HOST_LOCAL_MEMORY_H_
#define TREADLE_DEVICE_HOST_LOCAL_MEMORY_H_

#include <cstdint>

namespace treadle {

// At least `bytes` of the calling thread's own, 64-byte aligned, valid until its next call; null without room, and for
// 0 bytes. Freed when the thread ends.
void* LocalMemory(int64_t bytes);

}  // namespace treadle

#endif  // TREADLE_DEVICE_HOST_LOCAL_MEMORY_H_

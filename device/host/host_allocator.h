// Memory of the host device: recycled, 64-byte aligned, in huge pages from 2 MiB on. A fresh page costs a fault of up
// to 13 us, so what is freed is kept and handed out again.
#ifndef TREADLE_DEVICE_HOST_HOST_ALLOCATOR_H_
#define TREADLE_DEVICE_HOST_HOST_ALLOCATOR_H_

#include <array>
#include <cstdint>
#include <functional>
#include <map>
#include <mutex>
#include <vector>

#include "base/status.h"
#include "device/device.h"

namespace treadle {

inline constexpr int64_t kHugePage = 2 << 20;

// Thread-safe. Up to 1 MiB: size classes (four for each doubling) cut from slabs, which stay until the end. Above:
// blocks of whole huge pages, kept in a cache when freed and given back to the system when the cache grows beyond what
// was ever in use. A block of the right size is taken first, else a part of a larger one, else new memory.
class HostAllocator {
 public:
  // At most `limit` bytes in use; 0: what the machine and the cgroup have.
  explicit HostAllocator(int64_t limit);
  ~HostAllocator();

  // RESOURCE_EXHAUSTED where the limit or the system says no.
  StatusOr<void*> Allocate(int64_t bytes);
  // `bytes` as they were asked for.
  void Free(void* memory, int64_t bytes);

  MemoryStats stats() const;

  // `size` bytes, a multiple of kHugePage, from the system, aligned to kHugePage, on huge pages where they are quick to
  // get; null without room. munmap gives them back, whole or in part.
  static void* Map(int64_t size);
  // Takes over memory of Map, to be handed out.
  void Adopt(void* memory, int64_t size);

  // From now on, when fewer than half of `bytes` are free, `order(n)` is asked for n bytes more, to be given to Adopt
  // sometime. It must return soon, and is not asked again before something was adopted.
  void KeepAtHand(int64_t bytes, std::function<void(int64_t)> order);

  // Bytes that a request takes.
  static int64_t RoundedSize(int64_t bytes);

 private:
  static constexpr int kClasses = 64;
  struct FreeBlock {
    FreeBlock* next;
  };

  void* AllocateSmall(int size_class, int64_t size);
  void* AllocateLarge(int64_t size);
  char* TakeBlock(int64_t size);
  void TrimCache(int64_t keep);
  int64_t BytesToOrder();

  mutable std::mutex mutex_;
  std::array<FreeBlock*, kClasses> free_{};
  std::vector<void*> slabs_;
  char* slab_next_ = nullptr;
  char* slab_end_ = nullptr;
  std::multimap<int64_t, char*> cache_;  // size -> memory that nobody uses, as it was freed or at the block's start
  uint32_t colour_ = 0;
  MemoryStats stats_;
  int64_t at_hand_ = 0;
  bool ordered_ = false;
  std::function<void(int64_t)> order_;
};

}  // namespace treadle

#endif  // TREADLE_DEVICE_HOST_HOST_ALLOCATOR_H_

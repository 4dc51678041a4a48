#include "device/host/host_allocator.h"

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <bit>
#include <chrono>
#include <cstdlib>
#include <limits>
#include <string>
#include <utility>

#include "base/cgroup.h"

#if defined(__has_feature)
#if __has_feature(address_sanitizer)
#include <sanitizer/asan_interface.h>
#endif
#endif
#ifndef ASAN_POISON_MEMORY_REGION
#define ASAN_POISON_MEMORY_REGION(address, size) ((void)(address), (void)(size))
#define ASAN_UNPOISON_MEMORY_REGION(address, size) ((void)(address), (void)(size))
#endif

namespace treadle {
namespace {

constexpr int64_t kSlab = 8 << 20;
constexpr int64_t kLargestSmall = 1 << 20;
constexpr int64_t kCacheFloor = 256 << 20;
// Large blocks start at different offsets into a page: arrays of equal size that are read together would otherwise fall
// into the same sets of the L1 cache.
constexpr int64_t kColours = 16;
constexpr int64_t kColourBytes = 256;

// Up to 1 KiB in steps of 64 bytes: classes 0 to 15. Then four classes for each doubling.
int SmallClass(int64_t bytes) {
  if (bytes <= 1024) return static_cast<int>(bytes == 0 ? 0 : (bytes - 1) / 64);
  const uint64_t last = static_cast<uint64_t>(bytes - 1);
  const int power = std::bit_width(last) - 1;  // 10 for 1025 to 2048
  return 16 + (power - 10) * 4 + static_cast<int>((last >> (power - 2)) & 3);
}

int64_t SmallSize(int size_class) {
  if (size_class < 16) return (size_class + 1) * 64;
  const int power = 10 + (size_class - 16) / 4;
  return (int64_t{1} << power) + ((size_class - 16) % 4 + 1) * (int64_t{1} << (power - 2));
}

int64_t LargeSize(int64_t bytes) {
  const int64_t padded = bytes + (kColours - 1) * kColourBytes;
  return (padded + kHugePage - 1) / kHugePage * kHugePage;
}

// Memory of the machine, and what the cgroup grants.
int64_t SystemLimit() {
  int64_t limit = sysconf(_SC_PHYS_PAGES) * sysconf(_SC_PAGESIZE);
  const auto lower = [&](const std::string& text) {
    const long long bytes = std::atoll(text.c_str());  // 0 for "max"
    if (bytes > 0) limit = std::min<int64_t>(limit, bytes);
  };
  for (const std::string& text : ReadCgroup("", "memory.max")) lower(text);
  for (const std::string& text : ReadCgroup("memory", "memory.limit_in_bytes")) lower(text);
  return limit;
}

// Huge pages are read and written faster, and are cheaper to get, 0.2 ms each, than the small pages they stand for. But
// a virtual machine may have to get memory that it has never used from its host: 3 to 6 ms each, while small pages come
// from memory that was freed just now. So the first page of a block is tried and timed; where it was slow, the rest of
// the block and the next blocks stay small. Thread-safe.
void AdviseHugePages(char* memory, int64_t size) {
  constexpr auto kSlow = std::chrono::milliseconds(1);
  constexpr int kBlocksToPause = 31;
  static std::atomic<int> pause = 0;  // of all devices; a lost update costs one try
  if (int left = pause.load(std::memory_order_relaxed); left > 0) {
    pause.store(left - 1, std::memory_order_relaxed);
    return;
  }
  madvise(memory, kHugePage, MADV_HUGEPAGE);  // a system without huge pages is slower, not wrong
  const auto start = std::chrono::steady_clock::now();
  *static_cast<volatile char*>(memory) = 0;
  if (std::chrono::steady_clock::now() - start > kSlow) {
    pause.store(kBlocksToPause, std::memory_order_relaxed);
  } else {
    madvise(memory + kHugePage, size - kHugePage, MADV_HUGEPAGE);
  }
}

char* BlockOf(void* memory) { return reinterpret_cast<char*>(reinterpret_cast<uintptr_t>(memory) & ~(kHugePage - 1)); }

}  // namespace

void* HostAllocator::Map(int64_t size) {
  void* raw =
      mmap(nullptr, size + kHugePage, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (raw == MAP_FAILED) return nullptr;
  const uintptr_t begin = reinterpret_cast<uintptr_t>(raw);
  const uintptr_t aligned = (begin + kHugePage - 1) / kHugePage * kHugePage;
  if (aligned > begin) munmap(raw, aligned - begin);
  const uintptr_t end = begin + size + kHugePage;
  if (end > aligned + size) munmap(reinterpret_cast<void*>(aligned + size), end - aligned - size);
  AdviseHugePages(reinterpret_cast<char*>(aligned), size);
  return reinterpret_cast<void*>(aligned);
}

HostAllocator::HostAllocator(int64_t limit) { stats_.bytes_limit = limit > 0 ? limit : SystemLimit(); }

HostAllocator::~HostAllocator() {
  TrimCache(0);
  for (void* slab : slabs_) {
    ASAN_UNPOISON_MEMORY_REGION(slab, kSlab);
    munmap(slab, kSlab);
  }
}

int64_t HostAllocator::RoundedSize(int64_t bytes) {
  return bytes <= kLargestSmall ? SmallSize(SmallClass(bytes)) : LargeSize(bytes);
}

StatusOr<void*> HostAllocator::Allocate(int64_t bytes) {
  const bool possible = bytes >= 0 && bytes <= std::numeric_limits<int64_t>::max() - 2 * kHugePage;
  const int64_t size = possible ? RoundedSize(bytes) : 0;
  std::unique_lock lock(mutex_);
  const int64_t room = stats_.bytes_limit - stats_.bytes_in_use;
  void* memory = nullptr;
  if (possible && size <= room) {
    // Cached blocks occupy the machine too.
    if (size > room - stats_.bytes_cached && size > kLargestSmall) TrimCache(room - size);
    memory = size <= kLargestSmall ? AllocateSmall(SmallClass(bytes), size) : AllocateLarge(size);
  }
  if (memory == nullptr) {
    return ResourceExhausted("out of memory allocating " + std::to_string(bytes) +
                             " bytes: " + std::to_string(stats_.bytes_in_use) + " of " +
                             std::to_string(stats_.bytes_limit) + " bytes are in use");
  }
  stats_.bytes_in_use += size;
  stats_.peak_bytes_in_use = std::max(stats_.peak_bytes_in_use, stats_.bytes_in_use);
  stats_.largest_allocation = std::max(stats_.largest_allocation, bytes);
  ++stats_.num_allocations;
  if (const int64_t order = BytesToOrder(); order > 0) [[unlikely]] {
    lock.unlock();
    order_(order);
  }
  return memory;
}

// How much to order now. REQUIRES: mutex held.
int64_t HostAllocator::BytesToOrder() {
  const int64_t free = stats_.bytes_cached;
  if (ordered_ || free >= at_hand_ / 2) return 0;
  const int64_t order = at_hand_ - free;
  if (stats_.bytes_limit - stats_.bytes_in_use - free < 4 * order) return 0;  // not what others may need more
  ordered_ = true;
  return order;
}

void HostAllocator::KeepAtHand(int64_t bytes, std::function<void(int64_t)> order) {
  std::unique_lock lock(mutex_);
  at_hand_ = bytes;
  order_ = std::move(order);
  const int64_t first = BytesToOrder();
  lock.unlock();
  if (first > 0) order_(first);
}

void HostAllocator::Free(void* memory, int64_t bytes) {
  if (memory == nullptr) return;
  const int64_t size = RoundedSize(bytes);
  std::lock_guard lock(mutex_);
  stats_.bytes_in_use -= size;
  if (size <= kLargestSmall) {
    auto* block = static_cast<FreeBlock*>(memory);
    const int size_class = SmallClass(bytes);
    block->next = free_[size_class];
    free_[size_class] = block;
    ASAN_POISON_MEMORY_REGION(memory, size);
    return;
  }
  cache_.emplace(size, static_cast<char*>(memory));
  stats_.bytes_cached += size;
  ASAN_POISON_MEMORY_REGION(BlockOf(memory), size);
  const int64_t keep = std::max(stats_.peak_bytes_in_use - stats_.bytes_in_use, kCacheFloor);
  if (stats_.bytes_cached > keep) TrimCache(keep);
}

void* HostAllocator::AllocateSmall(int size_class, int64_t size) {
  if (FreeBlock* block = free_[size_class]) {
    ASAN_UNPOISON_MEMORY_REGION(block, size);
    free_[size_class] = block->next;
    return block;
  }
  if (slab_end_ - slab_next_ < size) {
    // What is left of the old slab is given to the classes that it fits, largest first.
    while (slab_end_ - slab_next_ >= 64) {
      int fit = SmallClass(std::min<int64_t>(slab_end_ - slab_next_, kLargestSmall));
      while (SmallSize(fit) > slab_end_ - slab_next_) --fit;
      auto* block = reinterpret_cast<FreeBlock*>(slab_next_);
      block->next = free_[fit];
      free_[fit] = block;
      slab_next_ += SmallSize(fit);
      ASAN_POISON_MEMORY_REGION(block, SmallSize(fit));
    }
    char* slab = TakeBlock(kSlab);
    if (slab == nullptr) return nullptr;
    slabs_.push_back(slab);
    slab_next_ = slab;
    slab_end_ = slab_next_ + kSlab;
  }
  void* memory = slab_next_;
  slab_next_ += size;
  return memory;
}

void* HostAllocator::AllocateLarge(int64_t size) {
  if (auto after = cache_.upper_bound(size); after != cache_.begin() && std::prev(after)->first == size) {
    const auto found = std::prev(after);  // the one freed last, as it was: its lines may still be in a cache
    char* memory = found->second;
    stats_.bytes_cached -= size;
    cache_.erase(found);
    ASAN_UNPOISON_MEMORY_REGION(BlockOf(memory), size);
    return memory;
  }
  char* block = TakeBlock(size);
  return block == nullptr ? nullptr : block + (colour_++ % kColours) * kColourBytes;
}

// A part of a block that nobody uses, else new memory. REQUIRES: mutex held; whole huge pages.
char* HostAllocator::TakeBlock(int64_t size) {
  if (const auto found = cache_.lower_bound(size); found != cache_.end()) {
    const int64_t rest = found->first - size;
    char* block = BlockOf(found->second);
    cache_.erase(found);
    if (rest > 0) cache_.emplace(rest, block + size);
    stats_.bytes_cached -= size;
    ASAN_UNPOISON_MEMORY_REGION(block, size);
    return block;
  }
  void* block = Map(size);
  if (block == nullptr) {
    TrimCache(0);
    block = Map(size);
  }
  return static_cast<char*>(block);
}

void HostAllocator::Adopt(void* memory, int64_t size) {
  const std::lock_guard lock(mutex_);
  ordered_ = false;
  cache_.emplace(size, static_cast<char*>(memory));
  stats_.bytes_cached += size;
  ASAN_POISON_MEMORY_REGION(memory, size);
}

// REQUIRES: mutex held, except in the destructor. The largest blocks go first: few calls free much.
void HostAllocator::TrimCache(int64_t keep) {
  while (stats_.bytes_cached > keep && !cache_.empty()) {
    const auto last = std::prev(cache_.end());
    char* block = BlockOf(last->second);
    ASAN_UNPOISON_MEMORY_REGION(block, last->first);
    munmap(block, last->first);
    stats_.bytes_cached -= last->first;
    cache_.erase(last);
  }
}

MemoryStats HostAllocator::stats() const {
  std::lock_guard lock(mutex_);
  return stats_;
}

}  // namespace treadle

#include "device/host/local_memory.h"

#include <sys/mman.h>

#include <cstdlib>

namespace treadle {
namespace {

constexpr int64_t kHugePage = 2 << 20;

struct Block {
  void* memory = nullptr;
  int64_t bytes = 0;
  ~Block() { std::free(memory); }
};

thread_local Block block;

}  // namespace

void* LocalMemory(int64_t bytes) {
  if (bytes == 0) return nullptr;
  if (bytes <= block.bytes) return block.memory;
  std::free(block.memory);
  const int64_t alignment = bytes >= kHugePage ? kHugePage : 64;
  const int64_t size = (bytes + alignment - 1) / alignment * alignment;
  block.memory = std::aligned_alloc(alignment, size);
  block.bytes = block.memory == nullptr ? 0 : size;
  if (block.bytes >= kHugePage) madvise(block.memory, size, MADV_HUGEPAGE);
  return block.memory;
}

}  // namespace treadle

#include "device/host/prepare_memory.h"

#include <gtest/gtest.h>

#include <chrono>
#include <cstring>
#include <thread>

#include "base/background.h"

namespace treadle {
namespace {

constexpr int64_t kMib = 1 << 20;

void AwaitCached(const HostAllocator& allocator, int64_t bytes) {
  for (int i = 0; i < 10'000 && allocator.stats().bytes_cached < bytes; ++i) {
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  ASSERT_EQ(allocator.stats().bytes_cached, bytes);
}

TEST(PrepareMemory, IsHandedOutInPiecesOfAnySize) {
  const auto allocator = std::make_shared<HostAllocator>(0);
  KeepMemoryPrepared(allocator, 96 * kMib);
  AwaitCached(*allocator, 96 * kMib);
  std::vector<std::pair<void*, int64_t>> pieces;
  for (int64_t mib : {40, 20, 7, 5}) {
    void* memory = *allocator->Allocate(mib * kMib);
    std::memset(memory, 1, mib * kMib);
    pieces.emplace_back(memory, mib * kMib);
  }
  // What was taken is made up for.
  for (int i = 0; i < 10'000 && allocator->stats().bytes_cached < 48 * kMib; ++i) {
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  EXPECT_GE(allocator->stats().bytes_cached, 48 * kMib);
  for (auto [memory, bytes] : pieces) allocator->Free(memory, bytes);
  EXPECT_EQ(allocator->stats().bytes_in_use, 0);
}

TEST(PrepareMemory, EndsWithItsAllocator) {
  for (int i = 0; i < 20; ++i) {
    auto allocator = std::make_shared<HostAllocator>(0);
    KeepMemoryPrepared(allocator, 64 * kMib);
    allocator.reset();
  }
  FinishBackgroundWork();
}

}  // namespace
}  // namespace treadle

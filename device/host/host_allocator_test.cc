#include "device/host/host_allocator.h"

#include <gtest/gtest.h>

#include <cstring>
#include <limits>
#include <set>
#include <thread>
#include <vector>

namespace treadle {
namespace {

TEST(HostAllocator, RoundsUpByLittle) {
  for (int64_t bytes = 0; bytes <= 4 << 20; bytes = bytes * 9 / 8 + 1) {
    const int64_t size = HostAllocator::RoundedSize(bytes);
    EXPECT_GE(size, bytes);
    EXPECT_EQ(size % 64, 0);
    if (bytes > 64 && bytes <= 1 << 20) EXPECT_LE(size, bytes + std::max<int64_t>(bytes / 4, 64));
  }
}

TEST(HostAllocator, BlocksAreAlignedAndDoNotOverlap) {
  HostAllocator allocator(0);
  std::vector<std::pair<char*, int64_t>> blocks;
  for (int64_t bytes : {0, 1, 63, 64, 65, 1000, 1025, 70000, 1 << 20, (1 << 20) + 1, 2 << 20, 5 << 20}) {
    for (int copy = 0; copy < 5; ++copy) {
      StatusOr<void*> memory = allocator.Allocate(bytes);
      ASSERT_TRUE(memory.ok());
      EXPECT_EQ(reinterpret_cast<uintptr_t>(*memory) % 64, 0u);
      std::memset(*memory, static_cast<int>(blocks.size()), bytes);
      blocks.emplace_back(static_cast<char*>(*memory), bytes);
    }
  }
  for (size_t i = 0; i < blocks.size(); ++i) {
    for (int64_t k = 0; k < blocks[i].second; k += 61) ASSERT_EQ(blocks[i].first[k], static_cast<char>(i));
    allocator.Free(blocks[i].first, blocks[i].second);
  }
  EXPECT_EQ(allocator.stats().bytes_in_use, 0);
}

TEST(HostAllocator, RecyclesBlocks) {
  HostAllocator allocator(0);
  for (int64_t bytes : {100, 100000, 64 << 20}) {
    void* first = *allocator.Allocate(bytes);
    allocator.Free(first, bytes);
    void* second = *allocator.Allocate(bytes);
    EXPECT_EQ(first, second);
    allocator.Free(second, bytes);
  }
}

TEST(HostAllocator, SmallerRequestsTakePartsOfWhatIsFree) {
  HostAllocator allocator(0);
  void* whole = *allocator.Allocate(60 << 20);
  allocator.Free(whole, 60 << 20);
  const int64_t cached = allocator.stats().bytes_cached;
  auto* first = static_cast<char*>(*allocator.Allocate(20 << 20));
  auto* second = static_cast<char*>(*allocator.Allocate(30 << 20));
  std::memset(first, 1, 20 << 20);
  std::memset(second, 2, 30 << 20);
  EXPECT_EQ(first[(20 << 20) - 1], 1);
  EXPECT_LE(allocator.stats().bytes_cached, cached - (50 << 20));
  allocator.Free(first, 20 << 20);
  allocator.Free(second, 30 << 20);
  EXPECT_EQ(allocator.stats().bytes_cached, cached);
}

TEST(HostAllocator, RefusesWhatCannotBe) {
  HostAllocator allocator(int64_t{64} << 20);
  for (int64_t bytes : {int64_t{65} << 20, int64_t{1} << 50, std::numeric_limits<int64_t>::max(), int64_t{-1}}) {
    StatusOr<void*> memory = allocator.Allocate(bytes);
    ASSERT_FALSE(memory.ok());
    EXPECT_EQ(memory.status().code(), StatusCode::kResourceExhausted);
  }
  void* fits = *allocator.Allocate(40 << 20);
  EXPECT_FALSE(allocator.Allocate(40 << 20).ok());
  allocator.Free(fits, 40 << 20);
  StatusOr<void*> other = allocator.Allocate(50 << 20);  // what is cached does not stand in the way
  ASSERT_TRUE(other.ok());
  allocator.Free(*other, 50 << 20);
  EXPECT_FALSE(HostAllocator(0).Allocate(int64_t{1} << 60).ok());
}

TEST(HostAllocator, CacheDoesNotGrowBeyondThePeak) {
  HostAllocator allocator(0);
  for (int64_t mib = 300; mib < 340; mib += 2) {
    void* memory = *allocator.Allocate(mib << 20);
    allocator.Free(memory, mib << 20);
  }
  EXPECT_LE(allocator.stats().bytes_cached, allocator.stats().peak_bytes_in_use);
}

TEST(HostAllocator, Threads) {
  HostAllocator allocator(0);
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&, t] {
      for (int i = 0; i < 2000; ++i) {
        const int64_t bytes = (i * 37 + t) % 5000;
        void* memory = *allocator.Allocate(bytes);
        std::memset(memory, t, bytes);
        for (int64_t k = 0; k < bytes; k += 97) ASSERT_EQ(static_cast<char*>(memory)[k], t);
        allocator.Free(memory, bytes);
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(allocator.stats().bytes_in_use, 0);
}

}  // namespace
}  // namespace treadle

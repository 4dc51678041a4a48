// What every device must do. A new device adds itself to the list at the end.
#include <gtest/gtest.h>
#include <xmmintrin.h>

#include <atomic>
#include <cstring>
#include <limits>
#include <memory>
#include <numeric>
#include <string>
#include <thread>
#include <vector>

#include "async/thread_pool.h"
#include "device/device.h"
#include "device/host/host_device.h"
#include "device/null/null_device.h"

namespace treadle {
namespace {

struct Maker {
  std::string name;
  std::function<std::unique_ptr<Device>(ThreadPool*)> make;
};

class DeviceTest : public testing::TestWithParam<Maker> {
 protected:
  DeviceTest() : pool_(3), device_(GetParam().make(&pool_)) {}

  // Device memory that holds `values`.
  template <typename T>
  T* Upload(const std::vector<T>& values) {
    StatusOr<void*> memory = device_->Allocate(values.size() * sizeof(T));
    EXPECT_TRUE(memory.ok());
    allocations_.emplace_back(*memory, values.size() * sizeof(T));
    EXPECT_TRUE(device_->CopyFromHost(*memory, values.data(), values.size() * sizeof(T)).ok());
    return static_cast<T*>(*memory);
  }
  template <typename T>
  std::vector<T> Download(const T* memory, size_t count) {
    std::vector<T> values(count);
    EXPECT_TRUE(device_->CopyToHost(values.data(), memory, count * sizeof(T)).ok());
    return values;
  }
  void TearDown() override {
    for (auto [memory, bytes] : allocations_) device_->Free(memory, bytes);
    EXPECT_EQ(device_->memory_stats().bytes_in_use, 0);
  }

  ThreadPool pool_;
  std::unique_ptr<Device> device_;
  std::vector<std::pair<void*, int64_t>> allocations_;
};

// buffers[1][i] = buffers[0][i] + args[0], a tile per element.
int AddKernel(const TreadleCallFrame* frame) {
  const auto* in = static_cast<const int64_t*>(frame->buffers[0]);
  auto* out = static_cast<int64_t*>(frame->buffers[1]);
  for (int64_t i = frame->tile_begin; i < frame->tile_end; ++i) out[i] = in[i] + static_cast<int64_t>(frame->args[0]);
  return 0;
}

// buffers[1][i] = buffers[0][i] - args[0], a tile per element.
int SubtractKernel(const TreadleCallFrame* frame) {
  const uint64_t minus = -frame->args[0];
  TreadleCallFrame negated = *frame;
  negated.args = &minus;
  return AddKernel(&negated);
}

TEST_P(DeviceTest, CopiesBackAndForth) {
  for (size_t count : {0u, 1u, 1000u, 500'000u}) {
    std::vector<int32_t> values(count);
    std::iota(values.begin(), values.end(), 7);
    int32_t* a = Upload(values);
    int32_t* b = Upload(std::vector<int32_t>(count));
    ASSERT_TRUE(device_->Copy(b, a, count * sizeof(int32_t)).ok());
    EXPECT_EQ(Download(b, count), values);
    ASSERT_TRUE(device_->Copy(a, a, count * sizeof(int32_t)).ok());
    EXPECT_EQ(Download(a, count), values);
  }
}

TEST_P(DeviceTest, MemoryIsAlignedAndCounted) {
  const MemoryStats before = device_->memory_stats();
  EXPECT_GT(before.bytes_limit, 0);
  for (int64_t bytes : {0, 1, 100, 5 << 20}) {
    StatusOr<void*> memory = device_->Allocate(bytes);
    ASSERT_TRUE(memory.ok());
    ASSERT_NE(*memory, nullptr);
    EXPECT_EQ(reinterpret_cast<uintptr_t>(*memory) % 64, 0u);
    EXPECT_GE(device_->memory_stats().bytes_in_use, std::max<int64_t>(bytes, 1));
    device_->Free(*memory, bytes);
  }
  device_->Free(nullptr, 10);
  EXPECT_GE(device_->memory_stats().peak_bytes_in_use, 5 << 20);
  EXPECT_EQ(device_->memory_stats().num_allocations, before.num_allocations + 4);
}

TEST_P(DeviceTest, TooMuchMemoryIsAnErrorAndTheDeviceGoesOn) {
  for (int64_t bytes : {device_->memory_stats().bytes_limit + 1, std::numeric_limits<int64_t>::max()}) {
    StatusOr<void*> memory = device_->Allocate(bytes);
    ASSERT_FALSE(memory.ok());
    EXPECT_EQ(memory.status().code(), StatusCode::kResourceExhausted);
    EXPECT_NE(memory.status().message().find(std::to_string(bytes)), std::string::npos);
  }
  Upload(std::vector<int>(10));
}

TEST_P(DeviceTest, RunsEveryTileOfEveryFrameOnce) {
  constexpr int64_t kCount = 1000;
  for (int64_t cost : {int64_t{0}, int64_t{1'000'000'000}}) {
    std::vector<int64_t> in(kCount);
    std::iota(in.begin(), in.end(), 0);
    std::vector<std::vector<void*>> buffers;
    std::vector<uint64_t> args = {10, 20, 30};
    std::vector<Launch::Frame> frames;
    for (int64_t frame = 0; frame < 3; ++frame)
      buffers.push_back({Upload(in), Upload(std::vector<int64_t>(kCount, -1))});
    for (int64_t frame = 0; frame < 3; ++frame) {
      frames.push_back({.kernel = frame == 1 ? SubtractKernel : AddKernel,
                        .buffers = buffers[frame].data(),
                        .args = &args[frame],
                        .tiles = kCount - frame * 300});
    }
    Launch launch{.frames = frames, .cost_ns = cost};
    ASSERT_TRUE(device_->Run(launch).ok());
    for (int64_t frame = 0; frame < 3; ++frame) {
      const std::vector<int64_t> out = Download(static_cast<int64_t*>(buffers[frame][1]), kCount);
      const int64_t change = static_cast<int64_t>(args[frame]) * (frame == 1 ? -1 : 1);
      for (int64_t i = 0; i < kCount; ++i) ASSERT_EQ(out[i], i < frames[frame].tiles ? i + change : -1);
    }
  }
}

TEST_P(DeviceTest, KernelsGetLocalScratchAndCallbacks) {
  constexpr int64_t kLocal = 3 << 20;
  std::vector<int64_t> zeros(64);
  int64_t* scratch = Upload(zeros);
  const TreadleKernel callbacks[] = {AddKernel};
  const TreadleKernel kernel = [](const TreadleCallFrame* frame) {
    if (reinterpret_cast<uintptr_t>(frame->local) % 64 != 0) return 13;
    std::memset(frame->local, 0xab, kLocal);
    static_cast<int64_t*>(frame->scratch)[frame->tile_begin] = 1;
    return frame->callbacks[0](frame);
  };
  void* buffers[] = {Upload(std::vector<int64_t>(64, 5)), Upload(zeros)};
  const uint64_t arg = 2;
  const Launch::Frame frame{
      .kernel = kernel, .buffers = buffers, .args = &arg, .tiles = 64, .callbacks = callbacks, .scratch = scratch};
  Launch launch{.frames = {&frame, 1}, .local_bytes = kLocal, .cost_ns = 1'000'000'000};
  ASSERT_TRUE(device_->Run(launch).ok());
  EXPECT_EQ(Download(static_cast<int64_t*>(buffers[1]), 64), std::vector<int64_t>(64, 7));
  EXPECT_EQ(Download(scratch, 1)[0], 1);
}

TEST_P(DeviceTest, KernelErrorsBecomeStatus) {
  const auto run = [&](TreadleKernel kernel) {
    const Launch::Frame frame{.kernel = kernel, .tiles = 100};
    return device_->Run(Launch{.frames = {&frame, 1}, .cost_ns = 1'000'000}).code();
  };
  EXPECT_EQ(run([](const TreadleCallFrame*) -> int { return TREADLE_KERNEL_UNIMPLEMENTED; }),
            StatusCode::kUnimplemented);
  EXPECT_EQ(run([](const TreadleCallFrame*) -> int { return TREADLE_KERNEL_INVALID_ARGUMENT; }),
            StatusCode::kInvalidArgument);
  EXPECT_EQ(run([](const TreadleCallFrame* f) -> int { return f->tile_end == 100 ? 77 : 0; }), StatusCode::kInternal);
}

// Twice a denormal, on each thread that takes part.
int DenormalKernel(const TreadleCallFrame* frame) {
  const auto* in = static_cast<const volatile float*>(frame->buffers[0]);
  auto* out = static_cast<volatile float*>(frame->buffers[1]);
  for (int64_t i = frame->tile_begin; i < frame->tile_end; ++i) out[i] = in[i] * 2.0f;
  return 0;
}

TEST_P(DeviceTest, KernelsFlushDenormalsAndLeaveNoTrace) {
  constexpr int64_t kCount = 256;
  const float denormal = 1e-40f;
  void* buffers[] = {Upload(std::vector<float>(kCount, denormal)), Upload(std::vector<float>(kCount, 1.0f))};
  const Launch::Frame frame{.kernel = DenormalKernel, .buffers = buffers, .tiles = kCount};
  const unsigned before = _mm_getcsr();
  ASSERT_TRUE(device_->Run(Launch{.frames = {&frame, 1}, .cost_ns = 1'000'000}).ok());
  EXPECT_EQ(_mm_getcsr(), before);
  EXPECT_EQ(Download(static_cast<float*>(buffers[1]), kCount), std::vector<float>(kCount, 0.0f));
  ASSERT_TRUE(device_->Copy(buffers[1], buffers[0], kCount * sizeof(float)).ok());
  EXPECT_EQ(Download(static_cast<float*>(buffers[1]), kCount), std::vector<float>(kCount, denormal));
}

TEST_P(DeviceTest, KernelsKeepDenormalsWhereAsked) {
  constexpr int64_t kCount = 256;
  const float denormal = 1e-40f;
  void* buffers[] = {Upload(std::vector<float>(kCount, denormal)), Upload(std::vector<float>(kCount, 1.0f))};
  const Launch::Frame frame{.kernel = DenormalKernel, .buffers = buffers, .tiles = kCount};
  const Launch launch{.frames = {&frame, 1}, .cost_ns = 1'000'000, .keeps_subnormals = true};
  ASSERT_TRUE(device_->Run(launch).ok());
  EXPECT_EQ(Download(static_cast<float*>(buffers[1]), kCount), std::vector<float>(kCount, 2 * denormal));
}

TEST_P(DeviceTest, QueueKeepsOrderAndWaits) {
  Promise promise;
  std::vector<int> seen;
  device_->Enqueue(promise.event(), [&] { seen.push_back(1); });
  for (int i = 2; i <= 10; ++i) device_->Enqueue(Event(), [&, i] { seen.push_back(i); });
  std::thread setter([&] { promise.Set(); });
  device_->Drain();
  setter.join();
  std::vector<int> expected(10);
  std::iota(expected.begin(), expected.end(), 1);
  EXPECT_EQ(seen, expected);
}

TEST_P(DeviceTest, ManyThreadsAtOnce) {
  std::vector<std::thread> threads;
  std::atomic<int> wrong{0};
  for (int t = 0; t < 8; ++t) {
    threads.emplace_back([&, t] {
      for (int round = 0; round < 20; ++round) {
        std::vector<int64_t> values(2000, t);
        const int64_t bytes = static_cast<int64_t>(values.size() * sizeof(int64_t));
        void* buffers[] = {*device_->Allocate(bytes), *device_->Allocate(bytes)};
        wrong += !device_->CopyFromHost(buffers[0], values.data(), bytes).ok();
        const uint64_t arg = round;
        const Launch::Frame frame{.kernel = AddKernel, .buffers = buffers, .args = &arg, .tiles = 2000};
        wrong += !device_->Run(Launch{.frames = {&frame, 1}, .cost_ns = 1'000'000}).ok();
        wrong += !device_->CopyToHost(values.data(), buffers[1], bytes).ok();
        wrong += values != std::vector<int64_t>(2000, t + round);
        device_->Free(buffers[0], bytes);
        device_->Free(buffers[1], bytes);
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(wrong, 0);
}

executable::Target AnyTarget() { return executable::Target{}; }

INSTANTIATE_TEST_SUITE_P(Devices, DeviceTest,
                         testing::Values(Maker{"host",
                                               [](ThreadPool* pool) { return MakeHostDevice(pool, AnyTarget()); }},
                                         Maker{"null", [](ThreadPool*) { return MakeNullDevice(AnyTarget()); }}),
                         [](const auto& info) { return info.param.name; });

}  // namespace
}  // namespace treadle

// A device of either kind for tests of programs: the parameter says whether it is the host.
#ifndef TREADLE_RUNTIME_DEVICE_TEST_FIXTURE_H_
#define TREADLE_RUNTIME_DEVICE_TEST_FIXTURE_H_

#include <gtest/gtest.h>

#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "async/thread_pool.h"
#include "device/host/host_device.h"
#include "device/null/null_device.h"
#include "runtime/loaded_executable.h"
#include "runtime/test_program.h"

namespace treadle::test {

// At its end the device must have got back all its memory.
class DeviceTest : public testing::TestWithParam<bool> {
 protected:
  explicit DeviceTest(int threads, int id = 0)
      : pool_(threads),
        device_(GetParam() ? MakeHostDevice(&pool_, {}, {.id = id, .memory_limit = 1 << 30}) : MakeNullDevice({}, id)) {
  }
  ~DeviceTest() override {
    device_->Drain();
    EXPECT_EQ(device_->memory_stats().bytes_in_use, 0);
  }

  std::unique_ptr<LoadedExecutable> Load(ProgramBuilder& builder) {
    auto loaded = LoadedExecutable::Load(builder.Get(), device_.get());
    EXPECT_TRUE(loaded.ok()) << loaded.status().ToString();
    return *std::move(loaded);
  }
  static std::vector<int64_t> Read(const Buffer& buffer) {
    std::vector<int64_t> values(buffer.shape().elements());
    const Status status = buffer.CopyToHost(values.data()).Await();
    EXPECT_TRUE(status.ok()) << status.ToString();
    return values;
  }

  ThreadPool pool_;
  std::unique_ptr<Device> device_;
};

}  // namespace treadle::test

#endif  // TREADLE_RUNTIME_DEVICE_TEST_FIXTURE_H_

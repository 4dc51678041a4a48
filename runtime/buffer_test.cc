#include "runtime/buffer.h"

#include <gtest/gtest.h>

#include <cstring>
#include <numeric>
#include <vector>

#include "async/thread_pool.h"
#include "device/host/host_device.h"
#include "device/null/null_device.h"

namespace treadle {
namespace {

class BufferTest : public testing::TestWithParam<bool> {
 protected:
  BufferTest()
      : pool_(2),
        device_(GetParam() ? MakeHostDevice(&pool_, {}, {.memory_limit = 1 << 30}) : MakeNullDevice({})),
        other_(MakeHostDevice(&pool_, {}, {.id = 1})) {}
  ~BufferTest() override { EXPECT_EQ(device_->memory_stats().bytes_in_use, 0); }

  std::unique_ptr<Buffer> Make(const std::vector<int64_t>& values) {
    return *Buffer::CopyFromHost(device_.get(), {ElementType::kI64, {static_cast<int64_t>(values.size())}},
                                 values.data());
  }
  static std::vector<int64_t> Read(const Buffer& buffer) {
    std::vector<int64_t> values(buffer.shape().elements());
    EXPECT_TRUE(buffer.CopyToHost(values.data()).Await().ok());
    return values;
  }

  ThreadPool pool_;
  std::unique_ptr<Device> device_, other_;
};

TEST_P(BufferTest, CopiesThereAndBack) {
  const std::vector<int64_t> values = {1, 2, 3, 4};
  auto buffer = Make(values);
  EXPECT_TRUE(buffer->ready().ok());
  EXPECT_EQ(buffer->bytes(), 32);
  EXPECT_EQ(Read(*buffer), values);
  int64_t middle[2];
  EXPECT_TRUE(buffer->CopyToHost(middle, 8, 16).Await().ok());
  EXPECT_EQ(middle[1], 3);
  EXPECT_EQ(buffer->CopyToHost(middle, 24, 16).Await().code(), StatusCode::kOutOfRange);
  EXPECT_EQ(buffer->CopyToHost(middle, -8, 8).Await().code(), StatusCode::kOutOfRange);
  EXPECT_NE(Make({})->data(), nullptr);
}

TEST_P(BufferTest, DeletionIsFinalAndIdempotent) {
  auto buffer = Make({1});
  EXPECT_FALSE(buffer->deleted());
  buffer->Delete();
  buffer->Delete();
  EXPECT_TRUE(buffer->deleted());
  EXPECT_EQ(buffer->data(), nullptr);
  int64_t value;
  EXPECT_EQ(buffer->CopyToHost(&value).Await().code(), StatusCode::kInvalidArgument);
  EXPECT_FALSE(buffer->CopyToDevice(other_.get()).ok());
  EXPECT_FALSE(buffer->IncreaseExternalReferenceCount().ok());
  EXPECT_EQ(device_->memory_stats().bytes_in_use, 0);
}

TEST_P(BufferTest, ExternalReferencesOutliveDeletion) {
  auto buffer = Make({7});
  EXPECT_FALSE(buffer->DecreaseExternalReferenceCount().ok());
  EXPECT_TRUE(buffer->IncreaseExternalReferenceCount().ok());
  EXPECT_TRUE(buffer->IncreaseExternalReferenceCount().ok());
  void* data = buffer->data();
  buffer->Delete();
  EXPECT_EQ(buffer->data(), data);
  int64_t value = 0;
  EXPECT_TRUE(device_->CopyToHost(&value, data, 8).ok());
  EXPECT_EQ(value, 7);
  EXPECT_TRUE(buffer->DecreaseExternalReferenceCount().ok());
  EXPECT_GT(device_->memory_stats().bytes_in_use, 0);
  EXPECT_TRUE(buffer->DecreaseExternalReferenceCount().ok());
  EXPECT_EQ(device_->memory_stats().bytes_in_use, 0);
}

TEST_P(BufferTest, ImportedMemoryIsReturnedOnce) {
  alignas(64) int64_t values[8] = {1, 2, 3};
  int returned = 0;
  auto buffer = Buffer::Import(device_.get(), {ElementType::kI64, {8}}, values, [&] { ++returned; });
  EXPECT_EQ(buffer->data(), values);
  EXPECT_EQ(Buffer::Importable(*device_, values), device_->host_accessible());
  EXPECT_FALSE(Buffer::Importable(*device_, values + 1));
  EXPECT_TRUE(buffer->IncreaseExternalReferenceCount().ok());
  buffer->Delete();
  EXPECT_EQ(returned, 0);
  buffer.reset();
  EXPECT_EQ(returned, 1);
}

TEST_P(BufferTest, CopiesWaitForContents) {
  Promise promise;
  auto buffer = *Buffer::Pending(device_.get(), {ElementType::kI64, {1}}, promise.event());
  int64_t value = 0;
  const Event read = buffer->CopyToHost(&value);
  auto copy = *buffer->CopyToDevice(other_.get());
  EXPECT_FALSE(read.ready());
  EXPECT_FALSE(copy->ready().ready());
  const int64_t contents = 99;
  ASSERT_TRUE(device_->CopyFromHost(buffer->data(), &contents, 8).ok());
  buffer.reset();  // what waits keeps the memory
  promise.Set();
  EXPECT_TRUE(read.Await().ok());
  EXPECT_EQ(value, 99);
  EXPECT_EQ(Read(*copy), std::vector<int64_t>({99}));
}

TEST_P(BufferTest, ErrorsTravel) {
  auto buffer = *Buffer::Failed(device_.get(), {ElementType::kI64, {1}}, Internal("poison"));
  int64_t value;
  EXPECT_EQ(buffer->CopyToHost(&value).Await().message(), "poison");
  EXPECT_EQ((*buffer->CopyToDevice(other_.get()))->ready().Await().message(), "poison");
}

TEST_P(BufferTest, BitcastMovesTheMemory) {
  auto buffer = Make({1, 2});
  void* data = buffer->data();
  EXPECT_FALSE(buffer->Bitcast({ElementType::kI32, {2}}).ok());
  auto cast = *buffer->Bitcast({ElementType::kF32, {2, 2}});
  EXPECT_TRUE(buffer->deleted());
  EXPECT_EQ(cast->data(), data);
  EXPECT_FALSE(buffer->Bitcast({ElementType::kF32, {2, 2}}).ok());
}

INSTANTIATE_TEST_SUITE_P(Devices, BufferTest, testing::Bool(),
                         [](const auto& info) { return info.param ? "host" : "null"; });

}  // namespace
}  // namespace treadle

// Send and receive callbacks over the C API.
#include <vector>

#include "pjrt/test_client.h"

namespace treadle::pjrt {
namespace {

// Sends its argument to the host and returns twice what comes back.
constexpr std::string_view kAsk = R"(
module @ask {
  func.func public @main(%x: tensor<4xf32>) -> tensor<4xf32> {
    %token = stablehlo.create_token : !stablehlo.token
    %sent = "stablehlo.send"(%x, %token) {channel_handle = #stablehlo.channel_handle<handle = 5, type = 2>,
        is_host_transfer = true} : (tensor<4xf32>, !stablehlo.token) -> !stablehlo.token
    %got:2 = "stablehlo.recv"(%sent) {channel_handle = #stablehlo.channel_handle<handle = 6, type = 3>,
        is_host_transfer = true} : (!stablehlo.token) -> (tensor<4xf32>, !stablehlo.token)
    %twice = stablehlo.add %got#0, %got#0 : tensor<4xf32>
    return %twice : tensor<4xf32>
  }
})";

PJRT_Error* AddChunk(PJRT_CopyToDeviceStream* stream, std::vector<float> values) {
  PJRT_Chunk chunk = {values.data(), values.size() * sizeof(float), nullptr, nullptr};
  TREADLE_ARGS(PJRT_CopyToDeviceStream_AddChunk, args);
  args.stream = stream;
  args.chunk = &chunk;
  PJRT_Error* error = Api()->PJRT_CopyToDeviceStream_AddChunk(&args);
  if (error == nullptr) {
    TREADLE_ARGS(PJRT_Event_Destroy, destroy);
    destroy.event = args.transfer_complete;
    ExpectOk(Api()->PJRT_Event_Destroy(&destroy), "PJRT_Event_Destroy");
  }
  return error;
}

int64_t BytesSoFar(PJRT_CopyToDeviceStream* stream) {
  TREADLE_ARGS(PJRT_CopyToDeviceStream_CurrentBytes, args);
  args.stream = stream;
  TREADLE_CALL(PJRT_CopyToDeviceStream_CurrentBytes, args);
  return args.current_bytes;
}

void DestroyStream(PJRT_CopyToDeviceStream* stream) {
  TREADLE_ARGS(PJRT_CopyToDeviceStream_Destroy, args);
  args.stream = stream;
  TREADLE_CALL(PJRT_CopyToDeviceStream_Destroy, args);
}

class HostCallbacks : public ClientTest {
 protected:
  using ClientTest::Destroy;

  void SetUp() override {
    ClientTest::SetUp();
    ask_ = MustCompile(kAsk);
    x_ = Floats({1, 2, 3, 4});
  }
  void TearDown() override {
    Destroy(x_);
    Destroy(ask_);
    ClientTest::TearDown();
  }

  PJRT_Buffer* Run(PJRT_SendCallback send, PJRT_RecvCallback receive, ErrorText* error = nullptr) {
    send_ = {.channel_id = 5, .user_arg = this, .send_callback = send};
    receive_ = {.channel_id = 6, .user_arg = this, .recv_callback = receive};
    PJRT_ExecuteOptions options = {};
    options.send_callbacks = &send_list_;
    options.recv_callbacks = &receive_list_;
    options.num_send_ops = options.num_recv_ops = 1;
    return ExecuteWith(options, ask_, {x_}, error);
  }

  static std::vector<float>& Sent(void* test) { return static_cast<HostCallbacks*>(test)->sent_; }

  static PJRT_Error* KeepSent(PJRT_Chunk* chunk, PJRT_CallbackError*, size_t total, bool done, void* test) {
    EXPECT_EQ(chunk->size, total);
    EXPECT_TRUE(done);
    const auto* values = static_cast<const float*>(chunk->data);
    Sent(test).assign(values, values + total / sizeof(float));
    chunk->deleter(chunk->data, chunk->deleter_arg);
    return nullptr;
  }

  PJRT_LoadedExecutable* ask_ = nullptr;
  PJRT_Buffer* x_ = nullptr;
  PJRT_SendCallbackInfo send_ = {};
  PJRT_RecvCallbackInfo receive_ = {};
  PJRT_SendCallbackInfo* send_list_ = &send_;
  PJRT_RecvCallbackInfo* receive_list_ = &receive_;
  std::vector<float> sent_;
};

TEST_F(HostCallbacks, SendAndReceive) {
  PJRT_Buffer* result = Run(KeepSent, [](PJRT_CopyToDeviceStream* stream, void* test) {
    TREADLE_ARGS(PJRT_CopyToDeviceStream_TotalBytes, total);
    total.stream = stream;
    TREADLE_CALL(PJRT_CopyToDeviceStream_TotalBytes, total);
    EXPECT_EQ(total.total_bytes, 16);
    const std::vector<float>& sent = Sent(test);
    ExpectOk(AddChunk(stream, {sent[0] * 10}), "the first chunk");
    EXPECT_EQ(BytesSoFar(stream), 4);
    ExpectError(AddChunk(stream, {1, 2, 3, 4}), PJRT_Error_Code_INVALID_ARGUMENT, "takes 12 more");
    ExpectOk(AddChunk(stream, {sent[1] * 10, sent[2] * 10, sent[3] * 10}), "the rest");
    DestroyStream(stream);
  });
  ASSERT_NE(result, nullptr);
  EXPECT_EQ(sent_, (std::vector<float>{1, 2, 3, 4}));
  EXPECT_EQ(Receive<float>(result), (std::vector<float>{20, 40, 60, 80}));
  Destroy(result);
}

TEST_F(HostCallbacks, ErrorsOfTheHostAreThoseOfTheExecution) {
  ErrorText error;
  const PJRT_SendCallback fail = [](PJRT_Chunk* chunk, PJRT_CallbackError* make, size_t, bool, void*) {
    chunk->deleter(chunk->data, chunk->deleter_arg);
    return (*make)(PJRT_Error_Code_DATA_LOSS, "lost it", 7);
  };
  Destroy(Run(fail, [](PJRT_CopyToDeviceStream*, void*) { ADD_FAILURE() << "nothing was sent"; }, &error));
  EXPECT_EQ(error.code, PJRT_Error_Code_DATA_LOSS);
  EXPECT_NE(error.message.find("lost it"), std::string::npos) << error.message;
}

TEST_F(HostCallbacks, StreamsThatStayEmptyAreAnError) {
  ErrorText error;
  Destroy(Run(KeepSent, [](PJRT_CopyToDeviceStream* stream, void*) { DestroyStream(stream); }, &error));
  EXPECT_EQ(error.code, PJRT_Error_Code_INVALID_ARGUMENT);
  EXPECT_NE(error.message.find("a message of 0 arrays"), std::string::npos) << error.message;
}

TEST_F(HostCallbacks, ListsMustBeThere) {
  ErrorText error;
  send_list_ = nullptr;
  EXPECT_EQ(Run(KeepSent, nullptr, &error), nullptr);
  EXPECT_EQ(error.code, PJRT_Error_Code_INVALID_ARGUMENT);
}

}  // namespace
}  // namespace treadle::pjrt

// A client of the C API for tests: it speaks to the table as a framework does, and to nothing else of this room.
#ifndef TREADLE_PJRT_TEST_CLIENT_H_
#define TREADLE_PJRT_TEST_CLIENT_H_

#include <gtest/gtest.h>

#include <cstring>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "pjrt/api.h"

namespace treadle::pjrt {

// Declares `args` for a function, full of garbage as a caller's stack is, so that out fields that are not written show.
#define TREADLE_ARGS(function, args)                         \
  function##_Args args;                                      \
  std::memset(static_cast<void*>(&args), 0xcd, sizeof args); \
  args.struct_size = function##_Args_STRUCT_SIZE;            \
  args.extension_start = nullptr

// Calls a function of the table and expects success.
#define TREADLE_CALL(function, args) ExpectOk(Api()->function(&(args)), #function)

// What an error says; it is destroyed.
struct ErrorText {
  PJRT_Error_Code code = PJRT_Error_Code_OK;
  std::string message;
};
inline ErrorText Take(PJRT_Error* error) {
  ErrorText text;
  if (error == nullptr) return text;
  TREADLE_ARGS(PJRT_Error_GetCode, code);
  code.error = error;
  EXPECT_EQ(Api()->PJRT_Error_GetCode(&code), nullptr);
  text.code = code.code;
  TREADLE_ARGS(PJRT_Error_Message, message);
  message.error = error;
  Api()->PJRT_Error_Message(&message);
  text.message.assign(message.message, message.message_size);
  TREADLE_ARGS(PJRT_Error_Destroy, destroy);
  destroy.error = error;
  Api()->PJRT_Error_Destroy(&destroy);
  return text;
}
inline bool ExpectOk(PJRT_Error* error, const char* function) {
  ErrorText text = Take(error);
  EXPECT_EQ(text.code, PJRT_Error_Code_OK) << function << ": " << text.message;
  return text.code == PJRT_Error_Code_OK;
}
inline void ExpectError(PJRT_Error* error, PJRT_Error_Code code, std::string_view part = "") {
  ErrorText text = Take(error);
  EXPECT_EQ(text.code, code) << text.message;
  EXPECT_NE(text.message.find(part), std::string::npos) << text.message;
}

inline PJRT_NamedValue Option(std::string_view name, int64_t value) {
  PJRT_NamedValue option = {};
  option.struct_size = PJRT_NamedValue_STRUCT_SIZE;
  option.name = name.data();
  option.name_size = name.size();
  option.type = PJRT_NamedValue_kInt64;
  option.int64_value = value;
  option.value_size = 1;
  return option;
}

inline PJRT_Error* CreateClient(std::vector<PJRT_NamedValue> options, PJRT_Client** client) {
  TREADLE_ARGS(PJRT_Client_Create, args);
  args.create_options = options.data();
  args.num_options = options.size();
  PJRT_Error* error = Api()->PJRT_Client_Create(&args);
  *client = error == nullptr ? args.client : nullptr;
  return error;
}

// A client of two devices, gone at the end of each test.
class ClientTest : public testing::Test {
 protected:
  void SetUp() override {
    ASSERT_TRUE(ExpectOk(CreateClient({Option("num_devices", 2)}, &client_), "PJRT_Client_Create"));
    TREADLE_ARGS(PJRT_Client_AddressableDevices, args);
    args.client = client_;
    TREADLE_CALL(PJRT_Client_AddressableDevices, args);
    devices_ = {args.addressable_devices, args.num_addressable_devices};
    ASSERT_EQ(devices_.size(), 2u);
  }
  void TearDown() override {
    TREADLE_ARGS(PJRT_Client_Destroy, args);
    args.client = client_;
    TREADLE_CALL(PJRT_Client_Destroy, args);
  }

  PJRT_Memory* DefaultMemory(PJRT_Device* device) {
    TREADLE_ARGS(PJRT_Device_DefaultMemory, args);
    args.device = device;
    TREADLE_CALL(PJRT_Device_DefaultMemory, args);
    return args.memory;
  }

  // Arguments of a transfer of dense data to device 0.
  PJRT_Client_BufferFromHostBuffer_Args FromHost(const void* data, PJRT_Buffer_Type type,
                                                 std::span<const int64_t> dims) {
    TREADLE_ARGS(PJRT_Client_BufferFromHostBuffer, args);
    args.client = client_;
    args.data = data;
    args.type = type;
    args.dims = dims.empty() ? nullptr : dims.data();
    args.num_dims = dims.size();
    args.byte_strides = nullptr;
    args.num_byte_strides = 0;
    args.host_buffer_semantics = PJRT_HostBufferSemantics_kImmutableOnlyDuringCall;
    args.device = devices_[0];
    args.memory = nullptr;
    args.device_layout = nullptr;
    return args;
  }

  PJRT_Buffer* Send(PJRT_Client_BufferFromHostBuffer_Args args) {
    if (!TREADLE_CALL(PJRT_Client_BufferFromHostBuffer, args)) return nullptr;
    Wait(args.done_with_host_buffer);
    return args.buffer;
  }
  PJRT_Buffer* Floats(const std::vector<float>& values) {
    const int64_t dims[] = {static_cast<int64_t>(values.size())};
    return Send(FromHost(values.data(), PJRT_Buffer_Type_F32, dims));
  }

  // Waits for an event, destroys it, and gives what it says.
  static ErrorText Wait(PJRT_Event* event) {
    EXPECT_NE(event, nullptr);
    if (event == nullptr) return {};
    TREADLE_ARGS(PJRT_Event_Await, await);
    await.event = event;
    ErrorText text = Take(Api()->PJRT_Event_Await(&await));
    TREADLE_ARGS(PJRT_Event_IsReady, ready);
    ready.event = event;
    TREADLE_CALL(PJRT_Event_IsReady, ready);
    EXPECT_TRUE(ready.is_ready);
    TREADLE_ARGS(PJRT_Event_Destroy, destroy);
    destroy.event = event;
    TREADLE_CALL(PJRT_Event_Destroy, destroy);
    return text;
  }
  static ErrorText Ready(PJRT_Buffer* buffer) {
    TREADLE_ARGS(PJRT_Buffer_ReadyEvent, args);
    args.buffer = buffer;
    TREADLE_CALL(PJRT_Buffer_ReadyEvent, args);
    return Wait(args.event);
  }

  template <typename T>
  static std::vector<T> Receive(PJRT_Buffer* buffer, PJRT_Buffer_MemoryLayout* layout = nullptr) {
    TREADLE_ARGS(PJRT_Buffer_ToHostBuffer, args);
    args.src = buffer;
    args.host_layout = layout;
    args.dst = nullptr;
    TREADLE_CALL(PJRT_Buffer_ToHostBuffer, args);
    std::vector<T> values(args.dst_size / sizeof(T));
    args.dst = values.data();
    if (!TREADLE_CALL(PJRT_Buffer_ToHostBuffer, args)) return {};
    EXPECT_EQ(Wait(args.event).code, PJRT_Error_Code_OK);
    return values;
  }

  static bool IsDeleted(PJRT_Buffer* buffer) {
    TREADLE_ARGS(PJRT_Buffer_IsDeleted, args);
    args.buffer = buffer;
    TREADLE_CALL(PJRT_Buffer_IsDeleted, args);
    return args.is_deleted;
  }
  static void Delete(PJRT_Buffer* buffer) {
    TREADLE_ARGS(PJRT_Buffer_Delete, args);
    args.buffer = buffer;
    TREADLE_CALL(PJRT_Buffer_Delete, args);
  }
  static void Destroy(PJRT_Buffer* buffer) {
    TREADLE_ARGS(PJRT_Buffer_Destroy, args);
    args.buffer = buffer;
    TREADLE_CALL(PJRT_Buffer_Destroy, args);
  }
  static void* Address(PJRT_Buffer* buffer) {
    TREADLE_ARGS(PJRT_Buffer_OpaqueDeviceMemoryDataPointer, args);
    args.buffer = buffer;
    TREADLE_CALL(PJRT_Buffer_OpaqueDeviceMemoryDataPointer, args);
    return args.device_memory_ptr;
  }

  // Compiles text of a StableHLO program.
  PJRT_Error* Compile(std::string_view text, PJRT_LoadedExecutable** executable, std::string_view options = "",
                      std::string_view format = "mlir") {
    PJRT_Program program = {};
    program.struct_size = PJRT_Program_STRUCT_SIZE;
    program.code = const_cast<char*>(text.data());
    program.code_size = text.size();
    program.format = format.data();
    program.format_size = format.size();
    TREADLE_ARGS(PJRT_Client_Compile, args);
    args.client = client_;
    args.program = &program;
    args.compile_options = options.data();
    args.compile_options_size = options.size();
    PJRT_Error* error = Api()->PJRT_Client_Compile(&args);
    *executable = error == nullptr ? args.executable : nullptr;
    return error;
  }
  PJRT_LoadedExecutable* MustCompile(std::string_view text) {
    PJRT_LoadedExecutable* executable = nullptr;
    ExpectOk(Compile(text, &executable), "PJRT_Client_Compile");
    return executable;
  }
  static void Destroy(PJRT_LoadedExecutable* executable) {
    TREADLE_ARGS(PJRT_LoadedExecutable_Destroy, args);
    args.executable = executable;
    TREADLE_CALL(PJRT_LoadedExecutable_Destroy, args);
  }

  // Runs on one device; the one output, or null and the error.
  static PJRT_Buffer* Execute(PJRT_LoadedExecutable* executable, std::vector<PJRT_Buffer*> arguments,
                              ErrorText* error = nullptr, std::vector<int64_t> keep = {}) {
    PJRT_ExecuteOptions options = {};
    options.non_donatable_input_indices = keep.data();
    options.num_non_donatable_input_indices = keep.size();
    return ExecuteWith(options, executable, std::move(arguments), error);
  }
  static PJRT_Buffer* ExecuteWith(PJRT_ExecuteOptions options, PJRT_LoadedExecutable* executable,
                                  std::vector<PJRT_Buffer*> arguments, ErrorText* error = nullptr) {
    options.struct_size = PJRT_ExecuteOptions_STRUCT_SIZE;
    PJRT_Buffer* const* argument_list = arguments.data();
    PJRT_Buffer* output = nullptr;
    PJRT_Buffer** output_list = &output;
    PJRT_Event* event = nullptr;
    TREADLE_ARGS(PJRT_LoadedExecutable_Execute, args);
    args.executable = executable;
    args.options = &options;
    args.argument_lists = &argument_list;
    args.num_devices = 1;
    args.num_args = arguments.size();
    args.output_lists = &output_list;
    args.device_complete_events = &event;
    args.execute_device = nullptr;
    ErrorText text = Take(Api()->PJRT_LoadedExecutable_Execute(&args));
    if (text.code == PJRT_Error_Code_OK) {
      text = Wait(event);
    }
    if (error != nullptr) {
      *error = text;
    } else {
      EXPECT_EQ(text.code, PJRT_Error_Code_OK) << text.message;
    }
    return output;
  }

  PJRT_Client* client_ = nullptr;
  std::span<PJRT_Device* const> devices_;
};

}  // namespace treadle::pjrt

#endif  // TREADLE_PJRT_TEST_CLIENT_H_

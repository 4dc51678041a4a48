// Buffers over the C API: to the device, back, and everything that happens to them in between.
#include <cstdint>
#include <numeric>

#include "pjrt/pjrt_c_api_extensions.h"
#include "pjrt/test_client.h"

namespace treadle::pjrt {
namespace {

class BufferApi : public ClientTest {
 protected:
  PJRT_Buffer* Uninitialized(std::vector<int64_t> dims) {
    TREADLE_ARGS(PJRT_Client_CreateUninitializedBuffer, args);
    args.client = client_;
    args.shape_dims = dims.data();
    args.shape_num_dims = dims.size();
    args.shape_element_type = PJRT_Buffer_Type_F32;
    args.shape_layout = nullptr;
    args.device = devices_[0];
    args.memory = nullptr;
    TREADLE_CALL(PJRT_Client_CreateUninitializedBuffer, args);
    return args.buffer;
  }
};

TEST_F(BufferApi, RoundTripOfEveryElementType) {
  const PJRT_Buffer_Type kUnsupported[] = {PJRT_Buffer_Type_S1, PJRT_Buffer_Type_U1};
  std::vector<uint8_t> data(16 * 6);
  std::iota(data.begin(), data.end(), 1);
  const int64_t dims[] = {2, 3};
  for (int number = PJRT_Buffer_Type_PRED; number <= PJRT_Buffer_Type_F6E3M2FN; ++number) {
    const auto type = static_cast<PJRT_Buffer_Type>(number);
    auto args = FromHost(data.data(), type, dims);
    if (type == kUnsupported[0] || type == kUnsupported[1]) {
      ExpectError(Api()->PJRT_Client_BufferFromHostBuffer(&args), PJRT_Error_Code_UNIMPLEMENTED);
      continue;
    }
    PJRT_Buffer* buffer = Send(args);
    ASSERT_NE(buffer, nullptr) << number;
    TREADLE_ARGS(PJRT_Buffer_ElementType, element);
    element.buffer = buffer;
    TREADLE_CALL(PJRT_Buffer_ElementType, element);
    EXPECT_EQ(element.type, type);
    TREADLE_ARGS(PJRT_Buffer_Dimensions, shape);
    shape.buffer = buffer;
    TREADLE_CALL(PJRT_Buffer_Dimensions, shape);
    ASSERT_EQ(shape.num_dims, 2u);
    EXPECT_EQ(shape.dims[1], 3);
    const std::vector<uint8_t> back = Receive<uint8_t>(buffer);
    EXPECT_EQ(back, std::vector<uint8_t>(data.begin(), data.begin() + back.size())) << number;
    EXPECT_EQ(back.size() % 6, 0u);
    EXPECT_EQ(back.empty(), type == PJRT_Buffer_Type_TOKEN);
    Destroy(buffer);
  }
  for (int number : {0, -1, 34, 999}) {
    auto args = FromHost(data.data(), static_cast<PJRT_Buffer_Type>(number), dims);
    ExpectError(Api()->PJRT_Client_BufferFromHostBuffer(&args), PJRT_Error_Code_INVALID_ARGUMENT);
  }
}

TEST_F(BufferApi, StridesOfTheHost) {
  std::vector<int32_t> data(24);
  std::iota(data.begin(), data.end(), 0);
  // A 2x3 window of a 4x6 matrix, transposed and reversed: element (i, j) is data[(2 - j) * 6 + i * 2 + 1].
  const int64_t dims[] = {2, 3}, strides[] = {8, -24};
  auto args = FromHost(&data[2 * 6 + 1], PJRT_Buffer_Type_S32, dims);
  args.byte_strides = strides;
  args.num_byte_strides = 2;
  for (auto semantics :
       {PJRT_HostBufferSemantics_kImmutableOnlyDuringCall, PJRT_HostBufferSemantics_kImmutableZeroCopy}) {
    args.host_buffer_semantics = semantics;
    PJRT_Buffer* buffer = Send(args);
    EXPECT_EQ(Receive<int32_t>(buffer), (std::vector<int32_t>{13, 7, 1, 15, 9, 3}));
    Destroy(buffer);
  }
  args.num_byte_strides = 1;
  ExpectError(Api()->PJRT_Client_BufferFromHostBuffer(&args), PJRT_Error_Code_INVALID_ARGUMENT, "num_byte_strides");
}

TEST_F(BufferApi, ScalarsAndEmptyArrays) {
  const double value = 3.5;
  PJRT_Buffer* scalar = Send(FromHost(&value, PJRT_Buffer_Type_F64, {}));
  EXPECT_EQ(Receive<double>(scalar), std::vector<double>{3.5});
  Destroy(scalar);
  const int64_t dims[] = {3, 0, 2};
  PJRT_Buffer* empty = Send(FromHost(nullptr, PJRT_Buffer_Type_F64, dims));
  EXPECT_TRUE(Receive<double>(empty).empty());
  Destroy(empty);
}

TEST_F(BufferApi, BadTransfersAreErrors) {
  const float data[4] = {};
  const int64_t negative[] = {-2}, huge[] = {int64_t{1} << 40, int64_t{1} << 40}, large[] = {int64_t{1} << 50},
                four[] = {4};
  auto args = FromHost(data, PJRT_Buffer_Type_F32, negative);
  ExpectError(Api()->PJRT_Client_BufferFromHostBuffer(&args), PJRT_Error_Code_INVALID_ARGUMENT, "negative");
  args = FromHost(data, PJRT_Buffer_Type_F32, huge);
  ExpectError(Api()->PJRT_Client_BufferFromHostBuffer(&args), PJRT_Error_Code_RESOURCE_EXHAUSTED);
  ExpectError(
      [&] {
        TREADLE_ARGS(PJRT_Client_CreateUninitializedBuffer, large_args);
        large_args.client = client_;
        large_args.shape_dims = large;
        large_args.shape_num_dims = 1;
        large_args.shape_element_type = PJRT_Buffer_Type_F32;
        large_args.shape_layout = nullptr;
        large_args.device = devices_[0];
        large_args.memory = nullptr;
        return Api()->PJRT_Client_CreateUninitializedBuffer(&large_args);
      }(),
      PJRT_Error_Code_RESOURCE_EXHAUSTED);
  args = FromHost(nullptr, PJRT_Buffer_Type_F32, four);
  ExpectError(Api()->PJRT_Client_BufferFromHostBuffer(&args), PJRT_Error_Code_INVALID_ARGUMENT, "null");
  args = FromHost(data, PJRT_Buffer_Type_F32, four);
  args.device = nullptr;
  ExpectError(Api()->PJRT_Client_BufferFromHostBuffer(&args), PJRT_Error_Code_INVALID_ARGUMENT, "device");
  PJRT_Buffer* buffer = Floats({1, 2, 3, 4});
  EXPECT_EQ(Receive<float>(buffer), (std::vector<float>{1, 2, 3, 4})) << "the client is as good as before";
  Destroy(buffer);
}

TEST_F(BufferApi, ZeroCopyOfAlignedHostMemory) {
  alignas(64) float data[16] = {1, 2, 3};
  const int64_t dims[] = {16};
  auto args = FromHost(data, PJRT_Buffer_Type_F32, dims);
  args.host_buffer_semantics = PJRT_HostBufferSemantics_kImmutableZeroCopy;
  TREADLE_CALL(PJRT_Client_BufferFromHostBuffer, args);
  EXPECT_EQ(Address(args.buffer), data);
  TREADLE_ARGS(PJRT_Event_IsReady, ready);
  ready.event = args.done_with_host_buffer;
  TREADLE_CALL(PJRT_Event_IsReady, ready);
  EXPECT_FALSE(ready.is_ready) << "the buffer looks at the host's memory for its whole life";
  Destroy(args.buffer);
  EXPECT_EQ(Wait(args.done_with_host_buffer).code, PJRT_Error_Code_OK);

  const int64_t fifteen[] = {15};  // from the second element on: not aligned, so a copy
  args = FromHost(data + 1, PJRT_Buffer_Type_F32, fifteen);
  args.host_buffer_semantics = PJRT_HostBufferSemantics_kImmutableZeroCopy;
  PJRT_Buffer* copy = Send(args);
  EXPECT_NE(Address(copy), data + 1);
  data[1] = 7;
  EXPECT_EQ(Receive<float>(copy)[0], 2);
  Destroy(copy);
}

TEST_F(BufferApi, OnlyDuringCallCopies) {
  alignas(64) float data[16] = {1};
  const int64_t dims[] = {16};
  for (auto semantics :
       {PJRT_HostBufferSemantics_kImmutableOnlyDuringCall, PJRT_HostBufferSemantics_kImmutableUntilTransferCompletes}) {
    data[0] = 1;
    auto args = FromHost(data, PJRT_Buffer_Type_F32, dims);
    args.host_buffer_semantics = semantics;
    PJRT_Buffer* buffer = Send(args);
    data[0] = 2;
    EXPECT_EQ(Receive<float>(buffer)[0], 1);
    Destroy(buffer);
  }
}

TEST_F(BufferApi, HostLayouts) {
  const float data[] = {1, 2, 3, 4, 5, 6};
  const int64_t dims[] = {2, 3}, column_major[] = {0, 1};
  PJRT_Buffer* buffer = Send(FromHost(data, PJRT_Buffer_Type_F32, dims));
  PJRT_Buffer_MemoryLayout layout = {};
  layout.type = PJRT_Buffer_MemoryLayout_Type_Tiled;
  layout.tiled.minor_to_major = column_major;
  layout.tiled.minor_to_major_size = 2;
  EXPECT_EQ(Receive<float>(buffer, &layout), (std::vector<float>{1, 4, 2, 5, 3, 6}));

  float small[5];
  TREADLE_ARGS(PJRT_Buffer_ToHostBuffer, args);
  args.src = buffer;
  args.host_layout = nullptr;
  args.dst = small;
  args.dst_size = sizeof small;
  ExpectError(Api()->PJRT_Buffer_ToHostBuffer(&args), PJRT_Error_Code_INVALID_ARGUMENT, "dst_size");

  TREADLE_ARGS(PJRT_Buffer_GetMemoryLayout, own);
  own.buffer = buffer;
  TREADLE_CALL(PJRT_Buffer_GetMemoryLayout, own);
  EXPECT_EQ(own.layout.type, PJRT_Buffer_MemoryLayout_Type_Tiled);
  ASSERT_EQ(own.layout.tiled.minor_to_major_size, 2u);
  EXPECT_EQ(own.layout.tiled.minor_to_major[0], 1);
  EXPECT_EQ(own.layout.tiled.minor_to_major[1], 0);
  EXPECT_EQ(own.layout.tiled.num_tiles, 0u);
  Destroy(buffer);
}

TEST_F(BufferApi, LayoutsExtension) {
  const PJRT_Layouts_Extension* layouts = nullptr;
  for (PJRT_Extension_Base* e = Api()->extension_start; e != nullptr; e = e->next) {
    if (e->type == PJRT_Extension_Type_Layouts) layouts = reinterpret_cast<PJRT_Layouts_Extension*>(e);
  }
  ASSERT_NE(layouts, nullptr);
  const float data[6] = {};
  const int64_t dims[] = {1, 2, 3};
  PJRT_Buffer* buffer = Send(FromHost(data, PJRT_Buffer_Type_F32, dims));
  TREADLE_ARGS(PJRT_Layouts_PJRT_Buffer_MemoryLayout, args);
  args.buffer = buffer;
  ASSERT_EQ(layouts->PJRT_Layouts_PJRT_Buffer_MemoryLayout(&args), nullptr);
  TREADLE_ARGS(PJRT_Layouts_MemoryLayout_Serialize, text);
  text.layout = args.layout;
  ASSERT_EQ(layouts->PJRT_Layouts_MemoryLayout_Serialize(&text), nullptr);
  EXPECT_EQ(std::string(text.serialized_bytes, text.serialized_bytes_size), "{2,1,0}");
  text.serialized_layout_deleter(text.serialized_layout);
  TREADLE_ARGS(PJRT_Layouts_MemoryLayout_Destroy, destroy);
  destroy.layout = args.layout;
  ASSERT_EQ(layouts->PJRT_Layouts_MemoryLayout_Destroy(&destroy), nullptr);
  Destroy(buffer);
}

TEST_F(BufferApi, DeleteAndAfter) {
  PJRT_Buffer* buffer = Floats({1, 2});
  EXPECT_FALSE(IsDeleted(buffer));
  TREADLE_ARGS(PJRT_Buffer_OnDeviceSizeInBytes, size);
  size.buffer = buffer;
  TREADLE_CALL(PJRT_Buffer_OnDeviceSizeInBytes, size);
  EXPECT_EQ(size.on_device_size_in_bytes, 8u);
  Delete(buffer);
  Delete(buffer);
  EXPECT_TRUE(IsDeleted(buffer));
  ErrorText ready = Ready(buffer);
  EXPECT_EQ(ready.code, PJRT_Error_Code_INVALID_ARGUMENT);
  EXPECT_NE(ready.message.find("deleted or donated"), std::string::npos);
  float values[2];
  TREADLE_ARGS(PJRT_Buffer_ToHostBuffer, args);
  args.src = buffer;
  args.host_layout = nullptr;
  args.dst = values;
  args.dst_size = sizeof values;
  ExpectError(Api()->PJRT_Buffer_ToHostBuffer(&args), PJRT_Error_Code_INVALID_ARGUMENT, "deleted or donated");
  TREADLE_ARGS(PJRT_Buffer_CopyToMemory, copy);
  copy.buffer = buffer;
  copy.dst_memory = DefaultMemory(devices_[0]);
  ExpectError(Api()->PJRT_Buffer_CopyToMemory(&copy), PJRT_Error_Code_INVALID_ARGUMENT, "deleted or donated");
  Destroy(buffer);
}

TEST_F(BufferApi, ExternalReferencesOutliveDelete) {
  PJRT_Buffer* buffer = Floats({1, 2, 3});
  TREADLE_ARGS(PJRT_Buffer_DecreaseExternalReferenceCount, decrease);
  decrease.buffer = buffer;
  ExpectError(Api()->PJRT_Buffer_DecreaseExternalReferenceCount(&decrease), PJRT_Error_Code_INVALID_ARGUMENT);
  TREADLE_ARGS(PJRT_Buffer_IncreaseExternalReferenceCount, increase);
  increase.buffer = buffer;
  TREADLE_CALL(PJRT_Buffer_IncreaseExternalReferenceCount, increase);
  const auto* values = static_cast<const float*>(Address(buffer));
  Delete(buffer);
  PJRT_Buffer* other = Floats({9, 9, 9});  // would take the memory if it were free
  EXPECT_EQ(values[2], 3);
  TREADLE_CALL(PJRT_Buffer_DecreaseExternalReferenceCount, decrease);
  Destroy(other);
  Destroy(buffer);
}

TEST_F(BufferApi, CopiesToOtherDevicesAndMemories) {
  PJRT_Buffer* buffer = Floats({1, 2, 3});
  TREADLE_ARGS(PJRT_Device_AddressableMemories, memories);
  memories.device = devices_[1];
  TREADLE_CALL(PJRT_Device_AddressableMemories, memories);
  for (size_t i = 0; i < memories.num_memories; ++i) {
    TREADLE_ARGS(PJRT_Buffer_CopyToMemory, copy);
    copy.buffer = buffer;
    copy.dst_memory = memories.memories[i];
    TREADLE_CALL(PJRT_Buffer_CopyToMemory, copy);
    TREADLE_ARGS(PJRT_Buffer_Memory, where);
    where.buffer = copy.dst_buffer;
    TREADLE_CALL(PJRT_Buffer_Memory, where);
    EXPECT_EQ(where.memory, memories.memories[i]);
    TREADLE_ARGS(PJRT_Buffer_Device, device);
    device.buffer = copy.dst_buffer;
    TREADLE_CALL(PJRT_Buffer_Device, device);
    EXPECT_EQ(device.device, devices_[1]);
    EXPECT_EQ(Receive<float>(copy.dst_buffer), (std::vector<float>{1, 2, 3}));
    EXPECT_NE(Address(copy.dst_buffer), Address(buffer));
    Destroy(copy.dst_buffer);
  }
  TREADLE_ARGS(PJRT_Buffer_CopyToDevice, to_device);
  to_device.buffer = buffer;
  to_device.dst_device = devices_[1];
  TREADLE_CALL(PJRT_Buffer_CopyToDevice, to_device);
  EXPECT_EQ(Receive<float>(to_device.dst_buffer), (std::vector<float>{1, 2, 3}));
  Destroy(to_device.dst_buffer);
  Destroy(buffer);
}

TEST_F(BufferApi, RawCopies) {
  PJRT_Buffer* buffer = Floats({1, 2, 3, 4});
  float values[2] = {};
  TREADLE_ARGS(PJRT_Buffer_CopyRawToHost, args);
  args.buffer = buffer;
  args.dst = values;
  args.offset = 4;
  args.transfer_size = 8;
  TREADLE_CALL(PJRT_Buffer_CopyRawToHost, args);
  EXPECT_EQ(Wait(args.event).code, PJRT_Error_Code_OK);
  EXPECT_EQ(values[0], 2);
  EXPECT_EQ(values[1], 3);
  for (int64_t offset : {int64_t{-4}, int64_t{12}, INT64_MAX}) {
    args.offset = offset;
    ExpectError(Api()->PJRT_Buffer_CopyRawToHost(&args), PJRT_Error_Code_INVALID_ARGUMENT, "invalid offset");
  }
  for (PJRT_Error_Code code : {PJRT_Error_Code_OK, PJRT_Error_Code_CANCELLED}) {
    TREADLE_ARGS(PJRT_Buffer_CopyRawToHostFuture, future);
    future.buffer = buffer;
    future.offset = 8;
    future.transfer_size = 8;
    TREADLE_CALL(PJRT_Buffer_CopyRawToHostFuture, future);
    PJRT_Buffer_CopyRawToHostFuture_Callback_Args ready = {};
    ready.struct_size = PJRT_Buffer_CopyRawToHostFuture_Callback_Args_STRUCT_SIZE;
    ready.callback_data = future.callback_data;
    ready.error_code = code;
    ready.dst = values;
    future.future_ready_callback(&ready);
    EXPECT_EQ(Wait(future.event).code, code);
  }
  EXPECT_EQ(values[1], 4);
  Destroy(buffer);
}

TEST_F(BufferApi, ErrorBuffers) {
  const int64_t dims[] = {2};
  TREADLE_ARGS(PJRT_Client_CreateErrorBuffer, args);
  args.client = client_;
  args.error_code = PJRT_Error_Code_UNAVAILABLE;
  args.error_message = "host down";
  args.error_message_size = 9;
  args.shape_dims = dims;
  args.shape_num_dims = 1;
  args.shape_element_type = PJRT_Buffer_Type_F32;
  args.shape_layout = nullptr;
  args.memory = DefaultMemory(devices_[0]);
  TREADLE_CALL(PJRT_Client_CreateErrorBuffer, args);
  ErrorText text = Ready(args.buffer);
  EXPECT_EQ(text.code, PJRT_Error_Code_UNAVAILABLE);
  EXPECT_EQ(text.message, "host down");
  float values[2];
  TREADLE_ARGS(PJRT_Buffer_ToHostBuffer, back);
  back.src = args.buffer;
  back.host_layout = nullptr;
  back.dst = values;
  back.dst_size = sizeof values;
  TREADLE_CALL(PJRT_Buffer_ToHostBuffer, back);
  EXPECT_EQ(Wait(back.event).code, PJRT_Error_Code_UNAVAILABLE);
  Destroy(args.buffer);
}

TEST_F(BufferApi, AliasBuffers) {
  PJRT_Buffer* source = Floats({5, 6});
  const int64_t dims[] = {2};
  for (bool good : {true, false}) {
    TREADLE_ARGS(PJRT_Client_CreateAliasBuffer, args);
    args.client = client_;
    args.memory = DefaultMemory(devices_[0]);
    args.shape_dims = dims;
    args.shape_num_dims = 1;
    args.shape_element_type = PJRT_Buffer_Type_F32;
    args.shape_layout = nullptr;
    TREADLE_CALL(PJRT_Client_CreateAliasBuffer, args);
    TREADLE_ARGS(PJRT_Client_FulfillAliasBuffer, fulfill);
    fulfill.client = client_;
    fulfill.buffer = source;
    fulfill.status_code = good ? PJRT_Error_Code_OK : PJRT_Error_Code_ABORTED;
    fulfill.error_message = "no";
    fulfill.error_message_size = 2;
    fulfill.fulfill_alias_buffer_cb = args.fulfill_alias_buffer_cb;
    TREADLE_CALL(PJRT_Client_FulfillAliasBuffer, fulfill);
    if (good) {
      EXPECT_EQ(Receive<float>(args.alias_buffer), (std::vector<float>{5, 6}));
    } else {
      EXPECT_EQ(Ready(args.alias_buffer).code, PJRT_Error_Code_ABORTED);
    }
    Destroy(args.alias_buffer);
  }
  Destroy(source);
}

TEST_F(BufferApi, ViewsOfMemoryOfOthers) {
  alignas(64) float data[16] = {4, 5};
  static int deleted;
  deleted = 0;
  const int64_t dims[] = {16};
  TREADLE_ARGS(PJRT_Client_CreateViewOfDeviceBuffer, args);
  args.client = client_;
  args.device_buffer_ptr = data;
  args.dims = dims;
  args.num_dims = 1;
  args.element_type = PJRT_Buffer_Type_F32;
  args.layout = nullptr;
  args.device = devices_[0];
  args.memory = nullptr;
  args.on_delete_callback = [](void*, void* count) { ++*static_cast<int*>(count); };
  args.on_delete_callback_arg = &deleted;
  args.stream = 0;
  TREADLE_CALL(PJRT_Client_CreateViewOfDeviceBuffer, args);
  EXPECT_EQ(Address(args.buffer), data);
  EXPECT_EQ(Receive<float>(args.buffer)[1], 5);
  EXPECT_EQ(deleted, 0);
  Destroy(args.buffer);
  EXPECT_EQ(deleted, 1);
}

TEST_F(BufferApi, Bitcast) {
  PJRT_Buffer* buffer = Floats({1, 2});
  const int64_t dims[] = {2, 1}, wrong[] = {3};
  TREADLE_ARGS(PJRT_Buffer_Bitcast, args);
  args.buffer = buffer;
  args.element_type = PJRT_Buffer_Type_U32;
  args.dims = wrong;
  args.num_dims = 1;
  args.device_layout = nullptr;
  ExpectError(Api()->PJRT_Buffer_Bitcast(&args), PJRT_Error_Code_INVALID_ARGUMENT);
  args.dims = dims;
  args.num_dims = 2;
  TREADLE_CALL(PJRT_Buffer_Bitcast, args);
  EXPECT_TRUE(IsDeleted(buffer));
  EXPECT_EQ(Receive<uint32_t>(args.out_buffer), (std::vector<uint32_t>{0x3f800000, 0x40000000}));
  Destroy(args.out_buffer);
  Destroy(buffer);
}

TEST_F(BufferApi, DonateWithControlDependency) {
  PJRT_Buffer* buffer = Floats({1, 2});
  TREADLE_ARGS(PJRT_Buffer_DonateWithControlDependency, args);
  args.buffer = buffer;
  TREADLE_CALL(PJRT_Buffer_DonateWithControlDependency, args);
  EXPECT_TRUE(IsDeleted(buffer));
  TREADLE_ARGS(PJRT_Buffer_ReadyEvent, ready);
  ready.buffer = args.out_buffer;
  TREADLE_CALL(PJRT_Buffer_ReadyEvent, ready);
  TREADLE_ARGS(PJRT_Event_IsReady, is_ready);
  is_ready.event = ready.event;
  TREADLE_CALL(PJRT_Event_IsReady, is_ready);
  EXPECT_FALSE(is_ready.is_ready);
  PJRT_Buffer_DonateWithControlDependency_Callback_Args leave = {};
  leave.struct_size = PJRT_Buffer_DonateWithControlDependency_Callback_Args_STRUCT_SIZE;
  leave.callback_data = args.callback_data;
  args.dependency_ready_callback(&leave);
  EXPECT_EQ(Wait(ready.event).code, PJRT_Error_Code_OK);
  EXPECT_EQ(Receive<float>(args.out_buffer), (std::vector<float>{1, 2}));
  Destroy(args.out_buffer);
  Destroy(buffer);
}

class TransferApi : public BufferApi {
 protected:
  PJRT_AsyncHostToDeviceTransferManager* Manager(int buffers) {
    static const int64_t dims[] = {4};
    std::vector<PJRT_ShapeSpec> specs(buffers);
    for (PJRT_ShapeSpec& spec : specs) {
      spec = {PJRT_ShapeSpec_STRUCT_SIZE, nullptr, dims, 1, PJRT_Buffer_Type_F32};
    }
    TREADLE_ARGS(PJRT_Client_CreateBuffersForAsyncHostToDevice, args);
    args.client = client_;
    args.shape_specs = specs.data();
    args.num_shape_specs = specs.size();
    args.device_layouts = nullptr;
    args.num_device_layouts = 0;
    args.memory = DefaultMemory(devices_[1]);
    TREADLE_CALL(PJRT_Client_CreateBuffersForAsyncHostToDevice, args);
    return args.transfer_manager;
  }
  static PJRT_Buffer* Retrieve(PJRT_AsyncHostToDeviceTransferManager* manager, int index) {
    TREADLE_ARGS(PJRT_AsyncHostToDeviceTransferManager_RetrieveBuffer, args);
    args.transfer_manager = manager;
    args.buffer_index = index;
    TREADLE_CALL(PJRT_AsyncHostToDeviceTransferManager_RetrieveBuffer, args);
    return args.buffer_out;
  }
  static PJRT_Error* Transfer(PJRT_AsyncHostToDeviceTransferManager* manager, int index, const float* data,
                              int64_t offset, int64_t bytes, bool last) {
    TREADLE_ARGS(PJRT_AsyncHostToDeviceTransferManager_TransferData, args);
    args.transfer_manager = manager;
    args.buffer_index = index;
    args.data = data;
    args.offset = offset;
    args.transfer_size = bytes;
    args.is_last_transfer = last;
    PJRT_Error* error = Api()->PJRT_AsyncHostToDeviceTransferManager_TransferData(&args);
    if (error == nullptr) Wait(args.done_with_h2d_transfer);
    return error;
  }
  static void Destroy(PJRT_AsyncHostToDeviceTransferManager* manager) {
    TREADLE_ARGS(PJRT_AsyncHostToDeviceTransferManager_Destroy, args);
    args.transfer_manager = manager;
    TREADLE_CALL(PJRT_AsyncHostToDeviceTransferManager_Destroy, args);
  }
  using ClientTest::Destroy;
};

TEST_F(TransferApi, InPieces) {
  PJRT_AsyncHostToDeviceTransferManager* manager = Manager(1);
  TREADLE_ARGS(PJRT_AsyncHostToDeviceTransferManager_BufferSize, size);
  size.transfer_manager = manager;
  size.buffer_index = 0;
  TREADLE_CALL(PJRT_AsyncHostToDeviceTransferManager_BufferSize, size);
  EXPECT_EQ(size.buffer_size, 16u);
  PJRT_Buffer* buffer = Retrieve(manager, 0);
  const float data[] = {1, 2, 3, 4};
  ExpectOk(Transfer(manager, 0, data + 2, 8, 8, false), "TransferData");
  TREADLE_ARGS(PJRT_Buffer_ReadyEvent, ready);
  ready.buffer = buffer;
  TREADLE_CALL(PJRT_Buffer_ReadyEvent, ready);
  TREADLE_ARGS(PJRT_Event_IsReady, is_ready);
  is_ready.event = ready.event;
  TREADLE_CALL(PJRT_Event_IsReady, is_ready);
  EXPECT_FALSE(is_ready.is_ready);
  ExpectError(Transfer(manager, 0, data, 12, 8, false), PJRT_Error_Code_INVALID_ARGUMENT);
  ExpectError(Transfer(manager, 1, data, 0, 4, false), PJRT_Error_Code_INVALID_ARGUMENT);
  ExpectOk(Transfer(manager, 0, data, 0, 8, true), "TransferData");
  EXPECT_EQ(Wait(ready.event).code, PJRT_Error_Code_OK);
  ExpectError(Transfer(manager, 0, data, 0, 8, true), PJRT_Error_Code_FAILED_PRECONDITION);
  EXPECT_EQ(Receive<float>(buffer), (std::vector<float>{1, 2, 3, 4}));
  Destroy(manager);
  Destroy(buffer);
}

TEST_F(TransferApi, ErrorsAndAbandonedTransfers) {
  PJRT_AsyncHostToDeviceTransferManager* manager = Manager(2);
  PJRT_Buffer* failed = Retrieve(manager, 0);
  PJRT_Buffer* abandoned = Retrieve(manager, 1);
  TREADLE_ARGS(PJRT_AsyncHostToDeviceTransferManager_SetBufferError, error);
  error.transfer_manager = manager;
  error.buffer_index = 0;
  error.error_code = PJRT_Error_Code_DATA_LOSS;
  error.error_message = "torn";
  error.error_message_size = 4;
  TREADLE_CALL(PJRT_AsyncHostToDeviceTransferManager_SetBufferError, error);
  error.error_code = PJRT_Error_Code_ABORTED;  // too late
  TREADLE_CALL(PJRT_AsyncHostToDeviceTransferManager_SetBufferError, error);
  EXPECT_EQ(Ready(failed).code, PJRT_Error_Code_DATA_LOSS);
  Destroy(manager);
  EXPECT_EQ(Ready(abandoned).code, PJRT_Error_Code_ABORTED);
  Destroy(failed);
  Destroy(abandoned);
}

TEST_F(BufferApi, UninitializedBuffer) {
  PJRT_Buffer* buffer = Uninitialized({3, 4});
  EXPECT_NE(Address(buffer), nullptr);
  EXPECT_EQ(reinterpret_cast<uintptr_t>(Address(buffer)) % 64, 0u);
  EXPECT_EQ(Ready(buffer).code, PJRT_Error_Code_OK);
  Destroy(buffer);
}

}  // namespace
}  // namespace treadle::pjrt

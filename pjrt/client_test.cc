// The table, errors, events, client, devices, memories and topology over the C API.
#include <set>
#include <thread>

#include "pjrt/pjrt_c_api_extensions.h"
#include "pjrt/test_client.h"

namespace treadle::pjrt {
namespace {

TEST(Api, VersionAndSlots) {
  const PJRT_Api* api = Api();
  EXPECT_EQ(api->struct_size, sizeof(PJRT_Api));
  EXPECT_EQ(api->pjrt_api_version.major_version, PJRT_API_MAJOR);
  EXPECT_EQ(api->pjrt_api_version.minor_version, PJRT_API_MINOR);
  const auto* slots = reinterpret_cast<void* const*>(&api->PJRT_Error_Destroy);
  const size_t count = (sizeof(PJRT_Api) - offsetof(PJRT_Api, PJRT_Error_Destroy)) / sizeof(void*);
  EXPECT_EQ(count, 138u);
  for (size_t i = 0; i < count; ++i) EXPECT_NE(slots[i], nullptr) << "slot " << i;
}

template <typename Args>
void CheckBadArguments(PJRT_Error* (*function)(Args*), const char* name, size_t min_size, size_t handle) {
  ErrorText null = Take(function(nullptr));
  EXPECT_EQ(null.code, PJRT_Error_Code_INVALID_ARGUMENT) << name;
  EXPECT_NE(null.message.find(name), std::string::npos) << null.message;
  Args args;
  std::memset(static_cast<void*>(&args), 0, sizeof args);
  args.struct_size = min_size - 1;
  EXPECT_EQ(Take(function(&args)).code, PJRT_Error_Code_INVALID_ARGUMENT) << name;
  if (handle == 0) return;
  args.struct_size = min_size;
  EXPECT_NE(Take(function(&args)).code, PJRT_Error_Code_OK) << name;
}

// Every function, called with nothing: an error, never a crash.
TEST(Api, BadArgumentsAreErrors) {
#define TREADLE_CHECK(function, size, handle) CheckBadArguments(Api()->function, #function, size, handle);
  PJRT_FOR_EACH_FUNCTION(TREADLE_CHECK)
#undef TREADLE_CHECK
}

TEST(Api, DestroyTakesNull) {
#define TREADLE_CHECK(noun, field)      \
  {                                     \
    TREADLE_ARGS(noun##_Destroy, args); \
    args.field = nullptr;               \
    TREADLE_CALL(noun##_Destroy, args); \
  }
  TREADLE_CHECK(PJRT_Client, client)
  TREADLE_CHECK(PJRT_Event, event)
  TREADLE_CHECK(PJRT_Buffer, buffer)
  TREADLE_CHECK(PJRT_Executable, executable)
  TREADLE_CHECK(PJRT_LoadedExecutable, executable)
  TREADLE_CHECK(PJRT_TopologyDescription, topology)
  TREADLE_CHECK(PJRT_ExecuteContext, context)
  TREADLE_CHECK(PJRT_AsyncHostToDeviceTransferManager, transfer_manager)
#undef TREADLE_CHECK
  TREADLE_ARGS(PJRT_Error_Destroy, args);
  args.error = nullptr;
  Api()->PJRT_Error_Destroy(&args);
}

TEST(Error, IsReadThroughItsOwnTable) {
  PJRT_Error* error = Api()->PJRT_Client_Create(nullptr);
  ASSERT_NE(error, nullptr);
  EXPECT_EQ(error->vtable->struct_size, sizeof(PJRT_Error_FunctionTable));
  EXPECT_EQ(error->vtable->get_code(error), PJRT_Error_Code_INVALID_ARGUMENT);
  const char* text = nullptr;
  size_t size = 0;
  error->vtable->message(error, &text, &size);
  EXPECT_NE(std::string(text, size).find("PJRT_Client_Create"), std::string::npos);
  int visits = 0;
  error->vtable->for_each_payload(
      error, [](const char*, size_t, const char*, size_t, void* n) { ++*static_cast<int*>(n); }, &visits);
  EXPECT_EQ(visits, 0);
  error->vtable->destroy(error);
}

TEST(Error, UnimplementedNamesItself) {
  TREADLE_ARGS(PJRT_Device_PoisonExecution, args);
  args.device = reinterpret_cast<PJRT_Device*>(&args);  // not looked at
  ExpectError(Api()->PJRT_Device_PoisonExecution(&args), PJRT_Error_Code_UNIMPLEMENTED, "PJRT_Device_PoisonExecution");
}

TEST(Plugin, Attributes) {
  TREADLE_ARGS(PJRT_Plugin_Attributes, args);
  TREADLE_CALL(PJRT_Plugin_Attributes, args);
  std::set<std::string> names;
  for (size_t i = 0; i < args.num_attributes; ++i) {
    const PJRT_NamedValue& value = args.attributes[i];
    EXPECT_TRUE(names.insert(std::string(value.name, value.name_size)).second);
    if (value.type != PJRT_NamedValue_kInt64List) continue;
    ASSERT_EQ(value.value_size, 3u);
    const std::vector<int64_t> version(value.int64_array_value, value.int64_array_value + 3);
    if (std::string_view(value.name, value.name_size) == "stablehlo_current_version") {
      EXPECT_EQ(version, (std::vector<int64_t>{1, 20, 0}));
    }
  }
  EXPECT_TRUE(names.contains("xla_version"));
  EXPECT_TRUE(names.contains("stablehlo_current_version"));
  EXPECT_TRUE(names.contains("stablehlo_minimum_version"));
}

TEST(Client, OptionsAreChecked) {
  PJRT_Client* client = nullptr;
  ExpectError(CreateClient({Option("no_such_option", 1)}, &client), PJRT_Error_Code_INVALID_ARGUMENT, "no_such_option");
  ExpectError(CreateClient({Option("num_devices", 0)}, &client), PJRT_Error_Code_INVALID_ARGUMENT, "num_devices");
  PJRT_NamedValue text = Option("num_devices", 0);
  text.type = PJRT_NamedValue_kString;
  text.string_value = "3x";
  text.value_size = 2;
  ExpectError(CreateClient({text}, &client), PJRT_Error_Code_INVALID_ARGUMENT, "num_devices");
  text.value_size = 1;  // "3"
  ASSERT_TRUE(ExpectOk(CreateClient({text}, &client), "PJRT_Client_Create"));
  TREADLE_ARGS(PJRT_Client_Devices, devices);
  devices.client = client;
  TREADLE_CALL(PJRT_Client_Devices, devices);
  EXPECT_EQ(devices.num_devices, 3u);
  TREADLE_ARGS(PJRT_Client_Destroy, destroy);
  destroy.client = client;
  TREADLE_CALL(PJRT_Client_Destroy, destroy);
}

using ClientApi = ClientTest;

TEST_F(ClientApi, NamesAndIndices) {
  TREADLE_ARGS(PJRT_Client_PlatformName, name);
  name.client = client_;
  TREADLE_CALL(PJRT_Client_PlatformName, name);
  EXPECT_EQ(std::string(name.platform_name, name.platform_name_size), "treadle");
  TREADLE_ARGS(PJRT_Client_ProcessIndex, index);
  index.client = client_;
  TREADLE_CALL(PJRT_Client_ProcessIndex, index);
  EXPECT_EQ(index.process_index, 0);
}

TEST_F(ClientApi, LookupDevice) {
  TREADLE_ARGS(PJRT_Client_LookupDevice, args);
  args.client = client_;
  args.id = 1;
  TREADLE_CALL(PJRT_Client_LookupDevice, args);
  EXPECT_EQ(args.device, devices_[1]);
  for (int id : {-1, 2, 1 << 30}) {
    args.id = id;
    ExpectError(Api()->PJRT_Client_LookupDevice(&args), PJRT_Error_Code_INVALID_ARGUMENT,
                "No matching device found for device_id " + std::to_string(id));
  }
  TREADLE_ARGS(PJRT_Client_LookupAddressableDevice, local);
  local.client = client_;
  local.local_hardware_id = 0;
  TREADLE_CALL(PJRT_Client_LookupAddressableDevice, local);
  EXPECT_EQ(local.addressable_device, devices_[0]);
}

TEST_F(ClientApi, DefaultDeviceAssignment) {
  int ids[8] = {};
  TREADLE_ARGS(PJRT_Client_DefaultDeviceAssignment, args);
  args.client = client_;
  args.default_assignment = ids;
  args.default_assignment_size = 2;
  args.num_replicas = 2;
  args.num_partitions = 1;
  TREADLE_CALL(PJRT_Client_DefaultDeviceAssignment, args);
  EXPECT_EQ(ids[0], 0);
  EXPECT_EQ(ids[1], 1);
  args.num_replicas = 4;
  args.num_partitions = 2;
  args.default_assignment_size = 7;
  ExpectError(Api()->PJRT_Client_DefaultDeviceAssignment(&args), PJRT_Error_Code_FAILED_PRECONDITION,
              "`default_assignment_size` 7 < `num_replicas * num_partitions`, 4 * 2 = 8");
  args.num_replicas = 65536;
  args.num_partitions = 65537;
  ExpectError(Api()->PJRT_Client_DefaultDeviceAssignment(&args), PJRT_Error_Code_FAILED_PRECONDITION, "4295032832");
  args.num_replicas = -1;
  args.num_partitions = 2;
  ExpectError(Api()->PJRT_Client_DefaultDeviceAssignment(&args), PJRT_Error_Code_INVALID_ARGUMENT,
              "must be positive, got -1 and 2");
}

TEST_F(ClientApi, DeviceDescription) {
  TREADLE_ARGS(PJRT_Device_GetDescription, description);
  description.device = devices_[1];
  TREADLE_CALL(PJRT_Device_GetDescription, description);
  TREADLE_ARGS(PJRT_DeviceDescription_Id, id);
  id.device_description = description.device_description;
  TREADLE_CALL(PJRT_DeviceDescription_Id, id);
  EXPECT_EQ(id.id, 1);
  TREADLE_ARGS(PJRT_DeviceDescription_ToString, text);
  text.device_description = description.device_description;
  TREADLE_CALL(PJRT_DeviceDescription_ToString, text);
  EXPECT_EQ(std::string(text.to_string, text.to_string_size), "TreadleDevice(id=1)");
  TREADLE_ARGS(PJRT_Device_LocalHardwareId, local);
  local.device = devices_[1];
  TREADLE_CALL(PJRT_Device_LocalHardwareId, local);
  EXPECT_EQ(local.local_hardware_id, 1);
  TREADLE_ARGS(PJRT_Device_GetAttributes, attributes);
  attributes.device = devices_[1];
  TREADLE_CALL(PJRT_Device_GetAttributes, attributes);
  EXPECT_EQ(attributes.num_attributes, 0u);
  attributes.attributes_deleter(attributes.device_attributes);
}

TEST_F(ClientApi, Memories) {
  TREADLE_ARGS(PJRT_Device_AddressableMemories, args);
  args.device = devices_[0];
  TREADLE_CALL(PJRT_Device_AddressableMemories, args);
  std::set<std::string> kinds;
  for (size_t i = 0; i < args.num_memories; ++i) {
    TREADLE_ARGS(PJRT_Memory_Kind, kind);
    kind.memory = args.memories[i];
    TREADLE_CALL(PJRT_Memory_Kind, kind);
    kinds.insert(std::string(kind.kind, kind.kind_size));
    TREADLE_ARGS(PJRT_Memory_AddressableByDevices, by);
    by.memory = args.memories[i];
    TREADLE_CALL(PJRT_Memory_AddressableByDevices, by);
    ASSERT_EQ(by.num_devices, 1u);
    EXPECT_EQ(by.devices[0], devices_[0]);
  }
  EXPECT_EQ(kinds, (std::set<std::string>{"device", "pinned_host", "unpinned_host"}));
  TREADLE_ARGS(PJRT_Memory_Kind, kind);
  kind.memory = DefaultMemory(devices_[0]);
  TREADLE_CALL(PJRT_Memory_Kind, kind);
  EXPECT_EQ(std::string(kind.kind, kind.kind_size), "device");
}

TEST_F(ClientApi, MemoryUserData) {
  PJRT_Memory* memory = DefaultMemory(devices_[0]);
  static int deleted;
  deleted = 0;
  int keys[3], values[3];
  for (int i = 0; i < 3; ++i) memory->vtable->set_user_data(memory, &keys[i], &values[i], [](void*) { ++deleted; });
  for (int i = 0; i < 3; ++i) EXPECT_EQ(memory->vtable->get_user_data(memory, &keys[i]), &values[i]);
  EXPECT_EQ(memory->vtable->get_user_data(memory, &values), nullptr);
  memory->vtable->set_user_data(memory, &keys[1], &values[0], [](void*) { ++deleted; });
  EXPECT_EQ(deleted, 1);
  EXPECT_EQ(memory->vtable->get_user_data(memory, &keys[1]), &values[0]);
}

TEST_F(ClientApi, MemoryStatsStayInsideAnOlderClientsStruct) {
  TREADLE_ARGS(PJRT_Device_MemoryStats, args);
  args.device = devices_[0];
  args.struct_size = offsetof(PJRT_Device_MemoryStats_Args, peak_allocated_bytes);
  TREADLE_CALL(PJRT_Device_MemoryStats, args);
  EXPECT_TRUE(args.bytes_limit_is_set);
  EXPECT_GT(args.bytes_limit, 0);
  EXPECT_FALSE(args.bytes_reserved_is_set);
  EXPECT_EQ(args.peak_allocated_bytes, static_cast<int64_t>(0xcdcdcdcdcdcdcdcd)) << "beyond the caller's struct";
}

TEST_F(ClientApi, Topology) {
  TREADLE_ARGS(PJRT_Client_TopologyDescription, args);
  args.client = client_;
  TREADLE_CALL(PJRT_Client_TopologyDescription, args);
  TREADLE_ARGS(PJRT_TopologyDescription_Serialize, serialized);
  serialized.topology = args.topology;
  TREADLE_CALL(PJRT_TopologyDescription_Serialize, serialized);
  TREADLE_ARGS(PJRT_TopologyDescription_Deserialize, read);
  read.serialized_topology = serialized.serialized_bytes;
  read.serialized_topology_size = serialized.serialized_bytes_size;
  TREADLE_CALL(PJRT_TopologyDescription_Deserialize, read);
  uint64_t prints[2];
  for (int i = 0; i < 2; ++i) {
    TREADLE_ARGS(PJRT_TopologyDescription_GetDeviceDescriptions, list);
    list.topology = i == 0 ? args.topology : read.topology;
    TREADLE_CALL(PJRT_TopologyDescription_GetDeviceDescriptions, list);
    EXPECT_EQ(list.num_descriptions, 2u);
    TREADLE_ARGS(PJRT_TopologyDescription_Fingerprint, fingerprint);
    fingerprint.topology = list.topology;
    TREADLE_CALL(PJRT_TopologyDescription_Fingerprint, fingerprint);
    prints[i] = fingerprint.fingerprint;
  }
  EXPECT_EQ(prints[0], prints[1]);
  EXPECT_NE(prints[0], 0u);
  TREADLE_ARGS(PJRT_TopologyDescription_Destroy, destroy);
  destroy.topology = read.topology;
  TREADLE_CALL(PJRT_TopologyDescription_Destroy, destroy);
  read.serialized_topology_size -= 1;
  ExpectError(Api()->PJRT_TopologyDescription_Deserialize(&read), PJRT_Error_Code_INVALID_ARGUMENT);
  serialized.serialized_topology_deleter(serialized.serialized_topology);

  TREADLE_ARGS(PJRT_TopologyDescription_Create, create);
  create.topology_name = "v5e:2x2";
  create.topology_name_size = 7;
  create.num_options = 0;
  ExpectError(Api()->PJRT_TopologyDescription_Create(&create), PJRT_Error_Code_INVALID_ARGUMENT, "v5e:2x2");
}

TEST_F(ClientApi, EventsThatTheClientMakes) {
  TREADLE_ARGS(PJRT_Event_Create, create);
  TREADLE_CALL(PJRT_Event_Create, create);
  TREADLE_ARGS(PJRT_Event_IsReady, ready);
  ready.event = create.event;
  TREADLE_CALL(PJRT_Event_IsReady, ready);
  EXPECT_FALSE(ready.is_ready);
  struct Seen {
    int calls = 0;
    ErrorText error;
    PJRT_Event* event;
  } seen;
  seen.event = create.event;
  TREADLE_ARGS(PJRT_Event_OnReady, on_ready);
  on_ready.event = create.event;
  on_ready.user_arg = &seen;
  // As some clients do, the callback destroys the event that it is called for.
  on_ready.callback = [](PJRT_Error* error, void* arg) {
    auto* seen = static_cast<Seen*>(arg);
    ++seen->calls;
    seen->error = Take(error);
    TREADLE_ARGS(PJRT_Event_Destroy, destroy);
    destroy.event = seen->event;
    TREADLE_CALL(PJRT_Event_Destroy, destroy);
  };
  TREADLE_CALL(PJRT_Event_OnReady, on_ready);
  EXPECT_EQ(seen.calls, 0);
  std::thread([&] {
    TREADLE_ARGS(PJRT_Event_Set, set);
    set.event = create.event;
    set.error_code = PJRT_Error_Code_DATA_LOSS;
    set.error_message = "gone";
    set.error_message_size = 4;
    TREADLE_CALL(PJRT_Event_Set, set);
  }).join();
  EXPECT_EQ(seen.calls, 1);
  EXPECT_EQ(seen.error.code, PJRT_Error_Code_DATA_LOSS);
  EXPECT_EQ(seen.error.message, "gone");
}

TEST_F(ClientApi, CallbackOutlivesTheHandle) {
  TREADLE_ARGS(PJRT_Event_Create, create);
  TREADLE_CALL(PJRT_Event_Create, create);
  int calls = 0;
  TREADLE_ARGS(PJRT_Event_OnReady, on_ready);
  on_ready.event = create.event;
  on_ready.user_arg = &calls;
  on_ready.callback = [](PJRT_Error* error, void* arg) {
    ++*static_cast<int*>(arg);
    EXPECT_EQ(Take(error).code, PJRT_Error_Code_ABORTED) << "nobody can set it any more";
  };
  TREADLE_CALL(PJRT_Event_OnReady, on_ready);
  TREADLE_ARGS(PJRT_Event_Destroy, destroy);
  destroy.event = create.event;
  TREADLE_CALL(PJRT_Event_Destroy, destroy);
  EXPECT_EQ(calls, 1);
}

TEST_F(ClientApi, MemoryDescriptions) {
  const PJRT_MemoryDescriptions_Extension* memories = nullptr;
  for (PJRT_Extension_Base* e = Api()->extension_start; e != nullptr; e = e->next) {
    if (e->type == PJRT_Extension_Type_MemoryDescriptions) {
      memories = reinterpret_cast<PJRT_MemoryDescriptions_Extension*>(e);
    }
  }
  ASSERT_NE(memories, nullptr);
  TREADLE_ARGS(PJRT_Device_GetDescription, description);
  description.device = devices_[0];
  TREADLE_CALL(PJRT_Device_GetDescription, description);
  TREADLE_ARGS(PJRT_DeviceDescription_MemoryDescriptions, list);
  list.device_description = description.device_description;
  ASSERT_EQ(memories->PJRT_DeviceDescription_MemoryDescriptions(&list), nullptr);
  ASSERT_LT(list.default_memory_index, list.num_memory_descriptions);
  for (size_t i = 0; i < list.num_memory_descriptions; ++i) {
    TREADLE_ARGS(PJRT_MemoryDescription_Kind, kind);
    kind.memory_description = list.memory_descriptions[i];
    ASSERT_EQ(memories->PJRT_MemoryDescription_Kind(&kind), nullptr);
    EXPECT_GT(kind.kind_size, 0u);
    EXPECT_NE(kind.kind_id, 0);
  }
}

}  // namespace
}  // namespace treadle::pjrt

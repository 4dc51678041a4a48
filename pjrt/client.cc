#include "pjrt/client.h"

#include <algorithm>
#include <atomic>
#include <mutex>
#include <string_view>
#include <utility>

#include "base/background.h"
#include "compiler/compile.h"
#include "pjrt/calls.h"
#include "pjrt/named_value.h"

treadle::StatusOr<PJRT_Device*> PJRT_Client::FindDevice(int64_t id) const {
  if (id < 0 || id >= static_cast<int64_t>(devices.size())) {
    return treadle::InvalidArgument("No matching device found for device_id " + std::to_string(id));
  }
  return devices[id];
}

namespace treadle::pjrt {
namespace {

std::atomic<int> live_clients{0};

struct CreateOptions {
  ClientOptions runtime;
  bool zero_copy = true;
};

Status ReadOption(const PJRT_NamedValue& option, CreateOptions& options) {
  const std::string_view name = NameOf(option);
  if (name == "num_devices" || name == "num_threads") {
    const int64_t most = name == "num_devices" ? kMostDevices : 65536;
    TREADLE_ASSIGN_OR_RETURN(int64_t count, IntegerOption(option));
    if (count < 1 || count > most) {
      return InvalidArgument("the option '" + std::string(name) + "' is " + std::to_string(count) +
                             "; it may be 1 to " + std::to_string(most));
    }
    (name == "num_devices" ? options.runtime.num_devices : options.runtime.num_threads) = static_cast<int>(count);
    return OkStatus();
  }
  if (name == "zero_copy") {
    TREADLE_ASSIGN_OR_RETURN(options.zero_copy, BooleanOption(option));
    return OkStatus();
  }
  // JAX adds these when jax.distributed is initialised.
  if (name == "node_id" || name == "num_nodes") {
    TREADLE_ASSIGN_OR_RETURN(int64_t count, IntegerOption(option));
    if (count > (name == "node_id" ? 0 : 1)) return Unimplemented("clients of several processes (jax.distributed)");
    return OkStatus();
  }
  return InvalidArgument("PJRT_Client_Create: unknown option '" + std::string(name) +
                         "'; known are num_devices, num_threads, zero_copy");
}

// The results of the first programs, on most machines.
constexpr int64_t kPreparedMemory = 256 << 20;

StatusOr<CreateOptions> ReadOptions(const PJRT_NamedValue* values, size_t count) {
  if (count > 0 && values == nullptr) return InvalidArgument("PJRT_Client_Create: create_options is null");
  CreateOptions options;
  options.runtime.prepared_memory = kPreparedMemory;
  for (size_t i = 0; i < count; ++i) TREADLE_RETURN_IF_ERROR(ReadOption(values[i], options));
  return options;
}

void AddDevices(PJRT_Client& client) {
  for (const std::unique_ptr<Device>& runtime_device : client.runtime->devices()) {
    const int id = static_cast<int>(client.devices.size());
    auto device = std::make_unique<PJRT_Device>();
    device->description = client.topology->descriptions[id];
    device->device = runtime_device.get();
    device->client = &client;
    for (const PJRT_MemoryDescription& kind : MemoryKinds()) {
      const int memory_id = static_cast<int>(client.memories.size());
      device->owned_memories.push_back(std::make_unique<MemorySpace>(memory_id, kind, device.get(), id));
      device->memories.push_back(device->owned_memories.back().get());
      client.memories.push_back(device->memories.back());
    }
    client.devices.push_back(device.get());
    client.owned_devices.push_back(std::move(device));
  }
}

}  // namespace

StatusOr<MemorySpace*> FindMemory(PJRT_Client* client, PJRT_Memory* memory, PJRT_Device* device) {
  if (memory == nullptr && device == nullptr) return InvalidArgument("neither a memory nor a device is given");
  MemorySpace* space = memory != nullptr ? ToMemorySpace(memory) : device->default_memory();
  if (space->device->client != client) return InvalidArgument("the memory or device belongs to another client");
  return space;
}

Status Call(PJRT_Client_Create_Args* args) {
  TREADLE_ASSIGN_OR_RETURN(CreateOptions options, ReadOptions(args->create_options, args->num_options));
  TREADLE_RETURN_IF_ERROR(compiler::UseDiskCache());
  auto client = std::make_unique<PJRT_Client>();
  static std::once_flag warm;
  std::call_once(warm, [] {
    if (const StatusOr<executable::Target> target = executable::HostTarget(); target.ok()) {
      compiler::WarmUpInBackground(*target);
    }
  });
  TREADLE_ASSIGN_OR_RETURN(client->runtime, Client::Create(options.runtime));
  client->zero_copy = options.zero_copy;
  const int num_devices = static_cast<int>(client->runtime->devices().size());
  client->topology = std::make_unique<PJRT_TopologyDescription>(num_devices, client->runtime->target());
  AddDevices(*client);
  ++live_clients;
  args->client = client.release();
  return OkStatus();
}

Status Call(PJRT_Client_Destroy_Args* args) {
  if (args->client == nullptr) return OkStatus();
  delete args->client;
  if (--live_clients == 0) FinishBackgroundWork();  // hosts destroy their client last before they end
  return OkStatus();
}

Status Call(PJRT_Client_PlatformName_Args* args) {
  Return(kPlatformName, &args->platform_name, &args->platform_name_size);
  return OkStatus();
}

Status Call(PJRT_Client_PlatformVersion_Args* args) {
  Return(kPlatformVersion, &args->platform_version, &args->platform_version_size);
  return OkStatus();
}

Status Call(PJRT_Client_ProcessIndex_Args* args) {
  args->process_index = 0;
  return OkStatus();
}

Status Call(PJRT_Client_TopologyDescription_Args* args) {
  args->topology = args->client->topology.get();
  return OkStatus();
}

Status Call(PJRT_Client_Devices_Args* args) {
  Return(args->client->devices, &args->devices, &args->num_devices);
  return OkStatus();
}

Status Call(PJRT_Client_AddressableDevices_Args* args) {
  Return(args->client->devices, &args->addressable_devices, &args->num_addressable_devices);
  return OkStatus();
}

Status Call(PJRT_Client_AddressableMemories_Args* args) {
  Return(args->client->memories, &args->addressable_memories, &args->num_addressable_memories);
  return OkStatus();
}

Status Call(PJRT_Client_LookupDevice_Args* args) {
  TREADLE_ASSIGN_OR_RETURN(args->device, args->client->FindDevice(args->id));
  return OkStatus();
}

Status Call(PJRT_Client_LookupAddressableDevice_Args* args) {
  TREADLE_ASSIGN_OR_RETURN(args->addressable_device, args->client->FindDevice(args->local_hardware_id));
  return OkStatus();
}

Status Call(PJRT_Client_DefaultDeviceAssignment_Args* args) {
  constexpr std::string_view kName = "PJRT_Client_DefaultDeviceAssignment: ";
  if (args->num_replicas < 1 || args->num_partitions < 1) {
    return InvalidArgument(std::string(kName) + "`num_replicas` and `num_partitions` must be positive, got " +
                           std::to_string(args->num_replicas) + " and " + std::to_string(args->num_partitions));
  }
  const uint64_t needed = uint64_t(args->num_replicas) * uint64_t(args->num_partitions);
  if (args->default_assignment_size < needed) {
    return FailedPrecondition(std::string(kName) + "`default_assignment_size` " +
                              std::to_string(args->default_assignment_size) + " < `num_replicas * num_partitions`, " +
                              std::to_string(args->num_replicas) + " * " + std::to_string(args->num_partitions) +
                              " = " + std::to_string(needed));
  }
  if (args->default_assignment == nullptr) return InvalidArgument(std::string(kName) + "`default_assignment` is null");
  for (uint64_t i = 0; i < needed; ++i) {
    args->default_assignment[i] = static_cast<int>(i % args->client->devices.size());
  }
  return OkStatus();
}

// Memory of this process is ready for transfers as it is.
Status Call(PJRT_Client_DmaMap_Args* args) {
  if (args->data == nullptr) return InvalidArgument("PJRT_Client_DmaMap: data is null");
  return OkStatus();
}

Status Call(PJRT_Client_DmaUnmap_Args* args) {
  if (args->data == nullptr) return InvalidArgument("PJRT_Client_DmaUnmap: data is null");
  return OkStatus();
}

// News about other processes, of which there are none; the caller ends the process on an error.
Status Call(PJRT_Client_UpdateGlobalProcessInfo_Args*) { return OkStatus(); }

}  // namespace treadle::pjrt

#include "pjrt/loaded_executable.h"

#include <set>
#include <string>
#include <utility>

#include "pjrt/calls.h"

treadle::StatusOr<treadle::LoadedExecutable*> PJRT_LoadedExecutable::LoadedOn(PJRT_Device* device) {
  if (spmd != nullptr) {
    return treadle::InvalidArgument("the program '" + program->executable.name + "' runs on " +
                                    std::to_string(devices.size()) + " devices together, not on one");
  }
  if (single != nullptr && devices[0] == device) return single.get();
  if (!program->options.portable || device->client != client) {
    return treadle::InvalidArgument("the program '" + program->executable.name + "' is not compiled for the device " +
                                    device->description->text);
  }
  std::lock_guard lock(portable_mutex_);
  std::unique_ptr<treadle::LoadedExecutable>& slot = portable_[device];
  if (slot == nullptr) {
    TREADLE_ASSIGN_OR_RETURN(slot,
                             treadle::LoadedExecutable::Load(treadle::pjrt::ExecutableOf(program), device->device));
  }
  return slot.get();
}

namespace treadle::pjrt {
namespace {

StatusOr<DeviceAssignment> AssignmentFor(const CompileOptions& options, const PJRT_Client& client) {
  if (options.device_assignment) return *options.device_assignment;
  DeviceAssignment assignment{options.num_replicas, options.num_partitions, {}};
  const int64_t count = options.num_replicas * options.num_partitions;
  if (count == 1 && options.device_ordinal >= 0) {
    assignment.device_ids = {options.device_ordinal};
    return assignment;
  }
  if (count > static_cast<int64_t>(client.devices.size())) {
    return InvalidArgument("the program is for " + std::to_string(count) + " devices (num_replicas " +
                           std::to_string(options.num_replicas) + ", num_partitions " +
                           std::to_string(options.num_partitions) + "), the client has " +
                           std::to_string(client.devices.size()));
  }
  for (int64_t i = 0; i < count; ++i) assignment.device_ids.push_back(i);
  return assignment;
}

}  // namespace

StatusOr<std::unique_ptr<PJRT_LoadedExecutable>> Load(PJRT_Client* client, std::shared_ptr<const Program> program) {
  auto result = std::make_unique<PJRT_LoadedExecutable>();
  result->client = client;
  result->program = std::move(program);
  const CompileOptions& options = result->program->options;
  if (options.portable) return result;
  TREADLE_ASSIGN_OR_RETURN(DeviceAssignment assignment, AssignmentFor(options, *client));
  std::set<int64_t> seen;
  for (int64_t replica = 0; replica < assignment.num_replicas; ++replica) {
    for (int64_t partition = 0; partition < assignment.num_partitions; ++partition) {
      const int64_t id = assignment.at(replica, partition);
      TREADLE_ASSIGN_OR_RETURN(PJRT_Device * device, client->FindDevice(id));
      if (!seen.insert(id).second) {
        return InvalidArgument("the device assignment names the device " + std::to_string(id) + " twice");
      }
      result->devices.push_back(device);
      result->logical_ids.push_back({static_cast<int>(replica), static_cast<int>(partition)});
    }
  }
  std::vector<Device*> devices;
  for (const PJRT_Device* device : result->devices) devices.push_back(device->device);
  if (devices.size() == 1) {
    TREADLE_ASSIGN_OR_RETURN(result->single, LoadedExecutable::Load(ExecutableOf(result->program), devices[0]));
  } else {
    TREADLE_ASSIGN_OR_RETURN(result->spmd,
                             SpmdExecutable::Load(ExecutableOf(result->program), client->runtime.get(), devices));
  }
  result->device_assignment = assignment.Serialize();
  return result;
}

Status Call(PJRT_LoadedExecutable_Destroy_Args* args) {
  delete args->executable;
  return OkStatus();
}

// What runs goes on; the code itself goes with the handle.
Status Call(PJRT_LoadedExecutable_Delete_Args* args) {
  args->executable->deleted = true;
  return OkStatus();
}

Status Call(PJRT_LoadedExecutable_IsDeleted_Args* args) {
  args->is_deleted = args->executable->deleted;
  return OkStatus();
}

Status Call(PJRT_LoadedExecutable_GetExecutable_Args* args) {
  args->executable = new PJRT_Executable{args->loaded_executable->program};
  return OkStatus();
}

Status Call(PJRT_LoadedExecutable_Fingerprint_Args* args) {
  Return(args->executable->program->Fingerprint(), &args->executable_fingerprint, &args->executable_fingerprint_size);
  return OkStatus();
}

Status Call(PJRT_LoadedExecutable_AddressableDevices_Args* args) {
  Return(args->executable->devices, &args->addressable_devices, &args->num_addressable_devices);
  return OkStatus();
}

Status Call(PJRT_LoadedExecutable_AddressableDeviceLogicalIds_Args* args) {
  Return(args->executable->logical_ids, &args->addressable_device_logical_ids,
         &args->num_addressable_device_logical_ids);
  return OkStatus();
}

// The bytes live in the executable, so there is nothing to delete; the caller calls the deleter without a test for
// null.
Status Call(PJRT_LoadedExecutable_GetDeviceAssignment_Args* args) {
  Return(args->executable->device_assignment, &args->serialized_bytes, &args->serialized_bytes_size);
  args->serialized_device_assignment = nullptr;
  args->serialized_device_assignment_deleter = [](PJRT_DeviceAssignmentSerialized*) {};
  return OkStatus();
}

}  // namespace treadle::pjrt

#include "pjrt/topology.h"

#include <charconv>
#include <utility>

#include "pjrt/calls.h"
#include "pjrt/hash.h"
#include "pjrt/memory.h"
#include "pjrt/named_value.h"
#include "pjrt/wire.h"

PJRT_TopologyDescription::PJRT_TopologyDescription(int num_devices, treadle::executable::Target target)
    : target(std::move(target)) {
  for (int id = 0; id < num_devices; ++id) {
    owned.push_back(std::make_unique<PJRT_DeviceDescription>(
        PJRT_DeviceDescription{id, "TreadleDevice(id=" + std::to_string(id) + ")"}));
    descriptions.push_back(owned.back().get());
  }
}

// The bytes behind PJRT_TopologyDescription_Serialize.
struct PJRT_SerializedTopology {
  std::string bytes;
};

namespace treadle::pjrt {
namespace {

// Serialised: a protobuf message {1 platform, 2 number of devices, 3 key of the target}.
std::string Serialize(const PJRT_TopologyDescription& topology) {
  std::string bytes;
  protozero::pbf_writer writer(bytes);
  writer.add_string(1, kPlatformName.data(), kPlatformName.size());
  writer.add_int64(2, static_cast<int64_t>(topology.descriptions.size()));
  writer.add_string(3, topology.target.Key());
  return bytes;
}

Status CheckCount(int64_t num_devices) {
  if (num_devices >= 1 && num_devices <= kMostDevices) return OkStatus();
  return InvalidArgument("the number of devices is " + std::to_string(num_devices) + "; it may be 1 to " +
                         std::to_string(kMostDevices));
}

// "", "treadle" or "treadle:8".
StatusOr<int64_t> CountFromName(std::string_view name) {
  if (name.empty() || name == kPlatformName) return int64_t{1};
  int64_t count = 0;
  if (name.starts_with("treadle:")) {
    auto [end, error] = std::from_chars(name.data() + 8, name.data() + name.size(), count);
    if (error == std::errc() && end == name.data() + name.size()) return count;
  }
  return InvalidArgument("no topology is called '" + std::string(name) + "'; write 'treadle' or 'treadle:8'");
}

}  // namespace

Status Call(PJRT_TopologyDescription_Create_Args* args) {
  TREADLE_ASSIGN_OR_RETURN(int64_t count, CountFromName(View(args->topology_name, args->topology_name_size)));
  for (size_t i = 0; i < args->num_options; ++i) {
    const PJRT_NamedValue& option = args->create_options[i];
    if (NameOf(option) != "num_devices") {
      return InvalidArgument("PJRT_TopologyDescription_Create: unknown option '" + std::string(NameOf(option)) + "'");
    }
    TREADLE_ASSIGN_OR_RETURN(count, IntegerOption(option));
  }
  TREADLE_RETURN_IF_ERROR(CheckCount(count));
  TREADLE_ASSIGN_OR_RETURN(executable::Target target, executable::HostTarget());
  args->topology = new PJRT_TopologyDescription(static_cast<int>(count), std::move(target));
  return OkStatus();
}

Status Call(PJRT_TopologyDescription_Destroy_Args* args) {
  delete args->topology;
  return OkStatus();
}

Status Call(PJRT_TopologyDescription_PlatformName_Args* args) {
  Return(kPlatformName, &args->platform_name, &args->platform_name_size);
  return OkStatus();
}

Status Call(PJRT_TopologyDescription_PlatformVersion_Args* args) {
  Return(kPlatformVersion, &args->platform_version, &args->platform_version_size);
  return OkStatus();
}

Status Call(PJRT_TopologyDescription_GetDeviceDescriptions_Args* args) {
  Return(args->topology->descriptions, &args->descriptions, &args->num_descriptions);
  return OkStatus();
}

Status Call(PJRT_TopologyDescription_Attributes_Args* args) {
  args->attributes = nullptr;
  args->num_attributes = 0;
  return OkStatus();
}

Status Call(PJRT_TopologyDescription_Fingerprint_Args* args) {
  args->fingerprint = Hash64(Serialize(*args->topology));
  return OkStatus();
}

Status Call(PJRT_TopologyDescription_Serialize_Args* args) {
  auto* serialized = new PJRT_SerializedTopology{Serialize(*args->topology)};
  Return(serialized->bytes, &args->serialized_bytes, &args->serialized_bytes_size);
  args->serialized_topology = serialized;
  args->serialized_topology_deleter = [](PJRT_SerializedTopology* bytes) { delete bytes; };
  return OkStatus();
}

Status Call(PJRT_TopologyDescription_Deserialize_Args* args) {
  std::string_view bytes = View(args->serialized_topology, args->serialized_topology_size);
  std::string platform, key;
  int64_t count = 0;
  try {
    protozero::pbf_reader message(bytes.data(), bytes.size());
    while (message.next()) {
      if (message.tag() == 1) {
        platform = message.get_string();
      } else if (message.tag() == 2) {
        count = message.get_int64();
      } else if (message.tag() == 3) {
        key = message.get_string();
      } else {
        message.skip();
      }
    }
  } catch (const protozero::exception&) {
    platform.clear();
  }
  if (platform != kPlatformName) return InvalidArgument("PJRT_TopologyDescription_Deserialize: no Treadle topology");
  TREADLE_RETURN_IF_ERROR(CheckCount(count));
  TREADLE_ASSIGN_OR_RETURN(executable::Target target, executable::HostTarget());
  if (target.Key() != key) {
    return FailedPrecondition("the topology is of a machine '" + key + "', this one is '" + target.Key() + "'");
  }
  args->topology = new PJRT_TopologyDescription(static_cast<int>(count), std::move(target));
  return OkStatus();
}

Status Call(PJRT_TopologyDescription_GetMemorySpaceKindIds_Args* args) {
  static const std::vector<int>* const ids = [] {
    auto* list = new std::vector<int>;
    for (const PJRT_MemoryDescription& kind : MemoryKinds()) list->push_back(kind.kind_id);
    return list;
  }();
  Return(*ids, &args->memory_space_kind_ids, &args->num_memory_space_kind_ids);
  return OkStatus();
}

Status Call(PJRT_DeviceDescription_Id_Args* args) {
  args->id = args->device_description->id;
  return OkStatus();
}

Status Call(PJRT_DeviceDescription_ProcessIndex_Args* args) {
  args->process_index = 0;
  return OkStatus();
}

Status Call(PJRT_DeviceDescription_Attributes_Args* args) {
  args->attributes = nullptr;
  args->num_attributes = 0;
  return OkStatus();
}

Status Call(PJRT_DeviceDescription_Kind_Args* args) {
  Return("cpu", &args->device_kind, &args->device_kind_size);
  return OkStatus();
}

Status Call(PJRT_DeviceDescription_DebugString_Args* args) {
  Return(args->device_description->text, &args->debug_string, &args->debug_string_size);
  return OkStatus();
}

Status Call(PJRT_DeviceDescription_ToString_Args* args) {
  Return(args->device_description->text, &args->to_string, &args->to_string_size);
  return OkStatus();
}

}  // namespace treadle::pjrt

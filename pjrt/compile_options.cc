#include "pjrt/compile_options.h"

#include <utility>

#include "pjrt/wire.h"

namespace treadle::pjrt {
namespace {

using protozero::data_view;
using protozero::pbf_reader;

constexpr std::string_view kMalformed = "failed to deserialize CompileOptionsProto";

std::string_view ToView(data_view view) { return {view.data(), view.size()}; }

// DeviceAssignmentProto: 1 replica_count, 2 computation_count, 3 computation_devices {1 replica_device_ids}.
DeviceAssignment ReadDeviceAssignment(pbf_reader message) {
  DeviceAssignment assignment{0, 0, {}};
  while (message.next()) {
    switch (message.tag()) {
      case 1:
        assignment.num_replicas = message.get_int32();
        break;
      case 2:
        assignment.num_partitions = message.get_int32();
        break;
      case 3: {
        pbf_reader computation = message.get_message();
        while (computation.next()) {
          if (computation.tag() != 1) {
            computation.skip();
          } else if (computation.wire_type() == protozero::pbf_wire_type::length_delimited) {
            for (int64_t id : computation.get_packed_int64()) assignment.device_ids.push_back(id);
          } else {
            assignment.device_ids.push_back(computation.get_int64());
          }
        }
        break;
      }
      default:
        message.skip();
    }
  }
  return assignment;
}

// ExecutableBuildOptionsProto.
void ReadBuildOptions(pbf_reader message, CompileOptions& options) {
  while (message.next()) {
    switch (message.tag()) {
      case 1:
        options.device_ordinal = message.get_int64();
        break;
      case 4:
        options.num_replicas = message.get_int64();
        break;
      case 5:
        options.num_partitions = message.get_int64();
        break;
      case 6:
        options.spmd = message.get_bool();
        break;
      case 9:
        options.device_assignment = ReadDeviceAssignment(message.get_message());
        break;
      default:
        message.skip();
    }
  }
}

// A map entry {1 key, 2 OptionOverrideProto{1 string, 2 bool, 3 int64, 4 double}}.
void ReadOverride(pbf_reader entry, CompileOptions& options) {
  std::string key;
  CompileOptions::Override value;
  while (entry.next()) {
    if (entry.tag() == 1) {
      key = ToView(entry.get_view());
    } else if (entry.tag() == 2) {
      pbf_reader message = entry.get_message();
      while (message.next()) {
        switch (message.tag()) {
          case 1:
            value = std::string(ToView(message.get_view()));
            break;
          case 2:
            value = message.get_bool();
            break;
          case 3:
            value = message.get_int64();
            break;
          case 4:
            value = message.get_double();
            break;
          default:
            message.skip();
        }
      }
    } else {
      entry.skip();
    }
  }
  options.overrides.insert_or_assign(std::move(key), std::move(value));
}

void ReadCompileOptions(pbf_reader message, CompileOptions& options) {
  while (message.next()) {
    switch (message.tag()) {
      case 2:
        options.tupled_parameters = message.get_bool();
        break;
      case 3:
        ReadBuildOptions(message.get_message(), options);
        break;
      case 4:
        options.portable = message.get_bool();
        break;
      case 7:
        ReadOverride(message.get_message(), options);
        break;
      default:
        message.skip();
    }
  }
}

Status Check(CompileOptions& options) {
  constexpr int64_t kMost = int64_t{1} << 20;  // keeps the product below far from overflow
  // proto3 leaves a 1 that nobody set as 0.
  if (options.num_replicas == 0) options.num_replicas = 1;
  if (options.num_partitions == 0) options.num_partitions = 1;
  if (options.num_replicas < 1 || options.num_partitions < 1 || options.num_replicas > kMost ||
      options.num_partitions > kMost) {
    return InvalidArgument("num_replicas " + std::to_string(options.num_replicas) + " and num_partitions " +
                           std::to_string(options.num_partitions) + " must be positive and not absurd");
  }
  if (options.device_assignment) {
    const DeviceAssignment& a = *options.device_assignment;
    if (a.num_replicas != options.num_replicas || a.num_partitions != options.num_partitions ||
        static_cast<int64_t>(a.device_ids.size()) != options.num_replicas * options.num_partitions) {
      return InvalidArgument("the device assignment is for " + std::to_string(a.num_replicas) + " replicas and " +
                             std::to_string(a.num_partitions) + " partitions with " +
                             std::to_string(a.device_ids.size()) + " devices; the program is compiled for " +
                             std::to_string(options.num_replicas) + " and " + std::to_string(options.num_partitions));
    }
  }
  return OkStatus();
}

}  // namespace

std::string DeviceAssignment::Serialize() const {
  std::string bytes;
  protozero::pbf_writer writer(bytes);
  writer.add_int32(1, static_cast<int32_t>(num_replicas));
  writer.add_int32(2, static_cast<int32_t>(num_partitions));
  for (int64_t partition = 0; partition < num_partitions; ++partition) {
    protozero::pbf_writer computation(writer, 3);
    auto first = device_ids.begin() + partition * num_replicas;
    computation.add_packed_int64(1, first, first + num_replicas);
  }
  return bytes;
}

StatusOr<CompileOptions> ParseCompileOptions(std::string_view serialized) {
  CompileOptions options;
  try {
    ReadCompileOptions(pbf_reader(serialized.data(), serialized.size()), options);
  } catch (const protozero::exception&) {
    return InvalidArgument(std::string(kMalformed));
  }
  TREADLE_RETURN_IF_ERROR(Check(options));
  return options;
}

}  // namespace treadle::pjrt

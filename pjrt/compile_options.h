// CompileOptionsProto: what a client asks of a compilation, as far as it means something here.
#ifndef TREADLE_PJRT_COMPILE_OPTIONS_H_
#define TREADLE_PJRT_COMPILE_OPTIONS_H_

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "base/status.h"

namespace treadle::pjrt {

// Which device runs which replica of which partition (DeviceAssignmentProto).
struct DeviceAssignment {
  int64_t num_replicas = 1;
  int64_t num_partitions = 1;
  std::vector<int64_t> device_ids;  // [partition][replica]

  int64_t at(int64_t replica, int64_t partition) const { return device_ids[partition * num_replicas + replica]; }
  std::string Serialize() const;
};

struct CompileOptions {
  using Override = std::variant<std::string, bool, int64_t, double>;

  int64_t num_replicas = 1;
  int64_t num_partitions = 1;
  bool spmd = false;  // use_spmd_partitioning: the program is written for the arrays of all partitions together
  int64_t device_ordinal = -1;                        // -1: not said
  std::optional<DeviceAssignment> device_assignment;  // of num_replicas times num_partitions devices
  bool portable = false;                              // for any one device, chosen when it runs
  bool tupled_parameters = false;
  std::map<std::string, Override> overrides;  // options by name: jit(compiler_options={...})
};

// Any malformed message is INVALID_ARGUMENT; unknown fields are skipped.
StatusOr<CompileOptions> ParseCompileOptions(std::string_view serialized);

}  // namespace treadle::pjrt

#endif  // TREADLE_PJRT_COMPILE_OPTIONS_H_

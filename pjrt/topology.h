// PJRT_TopologyDescription and PJRT_DeviceDescription: devices as they are described, without a client.
#ifndef TREADLE_PJRT_TOPOLOGY_H_
#define TREADLE_PJRT_TOPOLOGY_H_

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"
#include "executable/target.h"
#include "pjrt/pjrt_c_api.h"

struct PJRT_DeviceDescription {
  int id;
  std::string text;  // "TreadleDevice(id=0)"
};

// Immutable.
struct PJRT_TopologyDescription {
  PJRT_TopologyDescription(int num_devices, treadle::executable::Target target);

  treadle::executable::Target target;
  std::vector<std::unique_ptr<PJRT_DeviceDescription>> owned;
  std::vector<PJRT_DeviceDescription*> descriptions;  // by id
};

namespace treadle::pjrt {

inline constexpr std::string_view kPlatformName = "treadle";
inline constexpr std::string_view kPlatformVersion = "treadle " TREADLE_VERSION;
inline constexpr int kMostDevices = 4096;

}  // namespace treadle::pjrt

#endif  // TREADLE_PJRT_TOPOLOGY_H_

// PJRT_Client and PJRT_Device: the runtime's client and devices behind handles.
#ifndef TREADLE_PJRT_CLIENT_H_
#define TREADLE_PJRT_CLIENT_H_

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "base/status.h"
#include "pjrt/memory.h"
#include "pjrt/pjrt_c_api.h"
#include "pjrt/topology.h"
#include "runtime/client.h"

struct PJRT_Device {
  PJRT_DeviceDescription* description;
  treadle::Device* device;
  PJRT_Client* client;
  std::vector<std::unique_ptr<treadle::pjrt::MemorySpace>> owned_memories;
  std::vector<PJRT_Memory*> memories;  // in the order of MemoryKinds()

  treadle::pjrt::MemorySpace* default_memory() const { return owned_memories.front().get(); }
};

// Immutable after creation. Buffers and executables end before their client, as the C API has it.
struct PJRT_Client {
  std::unique_ptr<treadle::Client> runtime;
  std::unique_ptr<PJRT_TopologyDescription> topology;
  std::vector<std::unique_ptr<PJRT_Device>> owned_devices;
  std::vector<PJRT_Device*> devices;   // by id
  std::vector<PJRT_Memory*> memories;  // of all devices
  // Whether memory that the caller promises not to change may be used where it is (kImmutableZeroCopy). JAX makes that
  // promise for NumPy arrays, which their owner may well change, so its package switches this off.
  bool zero_copy = true;

  // INVALID_ARGUMENT "No matching device found for device_id 7".
  treadle::StatusOr<PJRT_Device*> FindDevice(int64_t id) const;
};

namespace treadle::pjrt {

// The memory that a call names, or the default memory of the device it names. INVALID_ARGUMENT: neither, or of another
// client.
StatusOr<MemorySpace*> FindMemory(PJRT_Client* client, PJRT_Memory* memory, PJRT_Device* device);

}  // namespace treadle::pjrt

#endif  // TREADLE_PJRT_CLIENT_H_

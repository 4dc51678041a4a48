// The CPU of this process as a device. Several may share one pool: N virtual devices.
#ifndef TREADLE_DEVICE_HOST_HOST_DEVICE_H_
#define TREADLE_DEVICE_HOST_HOST_DEVICE_H_

#include <memory>

#include "async/thread_pool.h"
#include "device/device.h"

namespace treadle {

struct HostDeviceOptions {
  int id = 0;
  int64_t memory_limit = 0;     // bytes in use at most; 0: what the machine and the cgroup have
  int64_t prepared_memory = 0;  // bytes to keep at hand (prepare_memory.h)
};

// `pool` outlives the device.
std::unique_ptr<Device> MakeHostDevice(ThreadPool* pool, executable::Target target,
                                       const HostDeviceOptions& options = {});

}  // namespace treadle

#endif  // TREADLE_DEVICE_HOST_HOST_DEVICE_H_

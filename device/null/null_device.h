// The smallest complete device: its own memory, one thread, kernels run one after another. Copy this folder to start a
// new device, then replace the bodies one by one; the conformance suite tells how far you are.
#ifndef TREADLE_DEVICE_NULL_NULL_DEVICE_H_
#define TREADLE_DEVICE_NULL_NULL_DEVICE_H_

#include <memory>

#include "device/device.h"

namespace treadle {

std::unique_ptr<Device> MakeNullDevice(executable::Target target, int id = 0);

}  // namespace treadle

#endif  // TREADLE_DEVICE_NULL_NULL_DEVICE_H_

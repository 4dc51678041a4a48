#include "device/run_frames.h"

#include <string>

namespace treadle {

Status KernelError(int error) {
  switch (error) {
    case TREADLE_KERNEL_INVALID_ARGUMENT:
      return InvalidArgument("the kernel refuses its arguments");
    case TREADLE_KERNEL_RESOURCE_EXHAUSTED:
      return ResourceExhausted("the kernel is out of memory");
    case TREADLE_KERNEL_UNIMPLEMENTED:
      return Unimplemented("the kernel does not support this case");
    case TREADLE_KERNEL_INTERNAL:
      return Internal("the kernel failed");
    default:
      return Internal("the kernel returned the unknown error " + std::to_string(error));
  }
}

}  // namespace treadle

// Running the tiles of a launch on the host, for devices whose kernels the host executes.
#ifndef TREADLE_DEVICE_RUN_FRAMES_H_
#define TREADLE_DEVICE_RUN_FRAMES_H_

#include <algorithm>
#include <cstdint>

#include "base/status.h"
#include "device/device.h"

namespace treadle {

// Runs tiles [begin, end) of all frames of `launch`, counted through. Returns the kernel's error, at once.
inline int RunFrames(const Launch& launch, void* local, int64_t begin, int64_t end) {
  for (const Launch::Frame& frame : launch.frames) {
    if (begin < frame.tiles && begin < end) {
      const TreadleCallFrame call = {frame.buffers,
                                     frame.args,
                                     local,
                                     frame.scratch,
                                     frame.callbacks,
                                     std::max<int64_t>(begin, 0),
                                     std::min(end, frame.tiles)};
      if (const int error = frame.kernel(&call); error != TREADLE_KERNEL_OK) return error;
      begin = frame.tiles;
    }
    if ((begin -= frame.tiles) >= (end -= frame.tiles)) break;
  }
  return TREADLE_KERNEL_OK;
}

inline int64_t TotalTiles(const Launch& launch) {
  int64_t tiles = 0;
  for (const Launch::Frame& frame : launch.frames) tiles += frame.tiles;
  return tiles;
}

// A kernel's return value as a Status; KernelError is not for success.
Status KernelError(int error);
inline Status KernelStatus(int error) { return error == TREADLE_KERNEL_OK ? OkStatus() : KernelError(error); }

}  // namespace treadle

#endif  // TREADLE_DEVICE_RUN_FRAMES_H_

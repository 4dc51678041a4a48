// Send and receive callbacks of a call as the other ends of its channels: how JAX runs Python in the middle of a
// program.
#ifndef TREADLE_PJRT_HOST_CALLBACKS_H_
#define TREADLE_PJRT_HOST_CALLBACKS_H_

#include <memory>
#include <span>

#include "base/status.h"
#include "pjrt/pjrt_c_api.h"
#include "runtime/channels.h"

namespace treadle::pjrt {

bool HasHostCallbacks(const PJRT_ExecuteOptions& options);

// Channels of one execution on `devices`. Whole arrays, dense and row-major, go in one chunk to a send callback, which
// may run for long: it is called on a thread of its own, and the execution goes on when it has returned. A receive
// callback gets a stream, and the execution the array when that is full. INVALID_ARGUMENT for lists that are null.
StatusOr<std::shared_ptr<Channels>> MakeHostChannels(const PJRT_ExecuteOptions& options,
                                                     std::span<PJRT_Device* const> devices);

}  // namespace treadle::pjrt

#endif  // TREADLE_PJRT_HOST_CALLBACKS_H_

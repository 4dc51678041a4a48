// What stands between a C caller and a Call: checks of the argument struct, and the border that no exception crosses.
#ifndef TREADLE_PJRT_GATE_H_
#define TREADLE_PJRT_GATE_H_

#include <cstddef>
#include <cstdint>
#include <exception>
#include <new>
#include <string>
#include <utility>

#include "base/log.h"
#include "base/status.h"
#include "pjrt/calls.h"
#include "pjrt/error.h"

namespace treadle::pjrt {

// What is wrong with an argument struct of `size` bytes at `args`, of which the caller must send `min_size`.
Status BadArguments(const char* function, const void* args, size_t size, size_t min_size);

// TREADLE_LOG=pjrt prints each call, how long it took and how it ended.
bool TraceEnabled();
int64_t TraceClock();  // nanoseconds, of any start
void Trace(const char* function, int64_t begin, const Status& status);

// The C function for Call(Args*). `min_size`, `handle`: see PJRT_FOR_EACH_FUNCTION.
template <typename Args, size_t min_size, size_t handle, const char* name>
PJRT_Error* Gate(Args* args) noexcept {
  Status status;
  const int64_t begin = TraceEnabled() ? TraceClock() : 0;
  try {
    if (args == nullptr || args->struct_size < min_size) [[unlikely]] {
      status = BadArguments(name, args, args ? args->struct_size : 0, min_size);
    } else if (handle != 0 && *reinterpret_cast<void* const*>(reinterpret_cast<const char*>(args) + handle) == nullptr)
        [[unlikely]] {
      status = InvalidArgument(std::string(name) + ": the object that the call is about is null");
    } else {
      status = Call(args);
    }
    if (TraceEnabled()) [[unlikely]]
      Trace(name, begin, status);
    if (status.ok()) [[likely]]
      return nullptr;
    return ToError(std::move(status));
  } catch (const std::bad_alloc&) {
    return ToError(ResourceExhausted(std::string(name) + ": out of memory"));
  } catch (const std::exception& e) {
    return ToError(Internal(std::string(name) + ": " + e.what()));
  } catch (...) {
    return ToError(Internal(std::string(name) + ": unknown exception"));
  }
}

}  // namespace treadle::pjrt

#endif  // TREADLE_PJRT_GATE_H_

// The functions of the C API as this room writes them: one overload of Call for each, told apart by its argument
// struct.
//
// Each is defined in the file of its noun (client.cc, buffer.cc ...), those that the plugin does not offer in
// unimplemented.cc. A function without a definition does not link, and the table (api.cc) picks overloads by type, so
// no slot can be empty or hold the wrong function.
//
// Rules of the C API that hold for all of them:
//  - args is not null, holds at least the fields that minor 29 (or the minor that brought the function) has, and the
//    handle it is about (its first field) is not null: api.cc checks it. All else that a caller sends is checked here.
//  - A field that is newer than that is touched only where TREADLE_PJRT_HAS says that the caller's struct has it.
//  - The caller does not clear its struct: every out field is written, also when there is nothing to say.
//  - A handle in an out field belongs to the caller until the matching Destroy, which takes null too. Strings and
//  arrays
//    belong to the object that was asked and live as long as it does.
//  - Any function may be called from any thread; no lock is held while code of the caller runs.
#ifndef TREADLE_PJRT_CALLS_H_
#define TREADLE_PJRT_CALLS_H_

#include <cstddef>
#include <string_view>
#include <type_traits>
#include <vector>

#include "base/status.h"
#include "pjrt/pjrt_c_api.h"
#include "pjrt/pjrt_c_api_extensions.h"

namespace treadle::pjrt {

#define TREADLE_DECLARE_CALL(function, size, handle) Status Call(function##_Args* args);
PJRT_FOR_EACH_FUNCTION(TREADLE_DECLARE_CALL)
PJRT_FOR_EACH_EXTENSION_FUNCTION(TREADLE_DECLARE_CALL)
#undef TREADLE_DECLARE_CALL

// Whether the caller's struct is long enough to hold `field`.
#define TREADLE_PJRT_HAS(args, field) \
  ((args)->struct_size >= offsetof(std::remove_reference_t<decltype(*(args))>, field) + sizeof((args)->field))

// Fill a pair of out fields.
inline void Return(std::string_view text, const char** data, size_t* size) {
  *data = text.data();
  *size = text.size();
}
template <typename T, typename Pointer>
void Return(const std::vector<T>& list, Pointer* data, size_t* size) {
  *data = const_cast<T*>(list.data());
  *size = list.size();
}

// A pair of in fields; null is empty.
inline std::string_view View(const char* data, size_t size) {
  return data == nullptr ? std::string_view() : std::string_view(data, size);
}

}  // namespace treadle::pjrt

#endif  // TREADLE_PJRT_CALLS_H_

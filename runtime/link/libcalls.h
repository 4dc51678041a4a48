// Functions that code generation may call although nobody wrote the call: memory, mathematics, wide integers, halves.
#ifndef TREADLE_RUNTIME_LINK_LIBCALLS_H_
#define TREADLE_RUNTIME_LINK_LIBCALLS_H_

#include <string_view>

namespace treadle::link {

// The address of the libcall `name`, or null. Thread-safe.
void* FindLibcall(std::string_view name);

}  // namespace treadle::link

#endif  // TREADLE_RUNTIME_LINK_LIBCALLS_H_

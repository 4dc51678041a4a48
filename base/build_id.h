// Which build this is.
#ifndef TREADLE_BASE_BUILD_ID_H_
#define TREADLE_BASE_BUILD_ID_H_

#include <string>

namespace treadle {

// The hash that the linker wrote over the program or shared library that this code is in (--build-id), in hexadecimal.
// Any other code in it gives another one. Empty where the linker was not asked. Thread-safe.
std::string BuildId();

}  // namespace treadle

#endif  // TREADLE_BASE_BUILD_ID_H_

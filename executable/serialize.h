// Executables as bytes: for caches, ahead-of-time compilation, and transport between processes of like machines.
#ifndef TREADLE_EXECUTABLE_SERIALIZE_H_
#define TREADLE_EXECUTABLE_SERIALIZE_H_

#include <string>
#include <string_view>

#include "base/status.h"
#include "executable/executable.h"

namespace treadle::executable {

// A FlatBuffer (executable.fbs) and a checksum. The same executable always gives the same bytes.
std::string Serialize(const Executable& executable);

// INVALID_ARGUMENT: not such bytes, or damaged ones. FAILED_PRECONDITION: of another format version. The indices inside
// are those that were written; loading checks them as it checks a compiler's.
StatusOr<Executable> Deserialize(std::string_view bytes);

}  // namespace treadle::executable

#endif  // TREADLE_EXECUTABLE_SERIALIZE_H_

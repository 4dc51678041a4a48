// What a file of the cache holds: object code, and the texts of the kernels that it is.
#ifndef TREADLE_COMPILER_CACHE_ENTRY_H_
#define TREADLE_COMPILER_CACHE_ENTRY_H_

#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"
#include "executable/executable.h"

namespace treadle::cache {

struct Entry {
  // One a kernel of the object: everything that the kernel depends on but the build of the compiler.
  std::vector<std::string> keys;
  executable::Object object;
};

// Bytes with a checksum over all of them. `build` (base/build_id.h) is stored too.
std::string Encode(const Entry& entry, std::string_view build);

// DATA_LOSS unless `bytes` are what Encode gave for this build, whole and unchanged.
StatusOr<Entry> Decode(std::string_view bytes, std::string_view build);

}  // namespace treadle::cache

#endif  // TREADLE_COMPILER_CACHE_ENTRY_H_

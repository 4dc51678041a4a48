// Fingerprints of bytes. Stable between processes and machines.
#ifndef TREADLE_PJRT_HASH_H_
#define TREADLE_PJRT_HASH_H_

#include <cstdint>
#include <string>
#include <string_view>

namespace treadle::pjrt {

uint64_t Hash64(std::string_view bytes);
std::string Hash128Hex(std::string_view bytes);  // 32 hexadecimal digits

}  // namespace treadle::pjrt

#endif  // TREADLE_PJRT_HASH_H_

// A cursor over bytes that somebody else wrote: every read says whether it could be made, none goes past the end.
//
// Integers are MLIR's variable-width ones: the zero bits at the low end of the first byte count the bytes that follow
// (0 means eight). Signed ones are zig-zag coded on top.
#ifndef TREADLE_STABLEHLO_ARTIFACT_BYTE_READER_H_
#define TREADLE_STABLEHLO_ARTIFACT_BYTE_READER_H_

#include <bit>
#include <cstdint>
#include <cstring>

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"

namespace treadle::stablehlo {

class ByteReader {
 public:
  ByteReader() = default;
  explicit ByteReader(llvm::ArrayRef<uint8_t> bytes) : next_(bytes.begin()), end_(bytes.end()) {}

  bool empty() const { return next_ == end_; }
  /// Bytes left: the bound for any count of things that take at least a byte each.
  uint64_t remaining() const { return end_ - next_; }
  llvm::ArrayRef<uint8_t> rest() const { return {next_, end_}; }

  [[nodiscard]] bool ReadByte(uint8_t& value) {
    if (empty()) return false;
    value = *next_++;
    return true;
  }

  [[nodiscard]] bool ReadVarInt(uint64_t& value) {
    uint8_t first;
    if (!ReadByte(first)) return false;
    if (first & 1) {
      value = first >> 1;
      return true;
    }
    const int extra = first == 0 ? 8 : std::countr_zero(first);
    if (remaining() < static_cast<uint64_t>(extra)) return false;
    uint64_t bits = 0;
    std::memcpy(&bits, next_, extra);  // little-endian hosts only
    next_ += extra;
    value = first == 0 ? bits : (bits << (7 - extra)) | (first >> (extra + 1));
    return true;
  }

  [[nodiscard]] bool ReadSignedVarInt(int64_t& value) {
    uint64_t bits;
    if (!ReadVarInt(bits)) return false;
    value = static_cast<int64_t>((bits >> 1) ^ (~(bits & 1) + 1));
    return true;
  }

  /// A number with a flag in its lowest bit.
  [[nodiscard]] bool ReadVarIntWithFlag(uint64_t& value, bool& flag) {
    if (!ReadVarInt(value)) return false;
    flag = value & 1;
    value >>= 1;
    return true;
  }

  /// A number that counts things of at least one byte each, still to come.
  [[nodiscard]] bool ReadCount(uint64_t& count) { return ReadVarInt(count) && count <= remaining(); }

  [[nodiscard]] bool ReadBytes(uint64_t size, llvm::ArrayRef<uint8_t>& bytes) {
    if (remaining() < size) return false;
    bytes = {next_, static_cast<size_t>(size)};
    next_ += size;
    return true;
  }

  /// A length and as many bytes.
  [[nodiscard]] bool ReadBlob(llvm::ArrayRef<uint8_t>& bytes) {
    uint64_t size;
    return ReadVarInt(size) && ReadBytes(size, bytes);
  }

  /// A text that ends with a zero byte.
  [[nodiscard]] bool ReadCString(llvm::StringRef& text) {
    if (empty()) return false;
    const void* end = std::memchr(next_, 0, remaining());
    if (end == nullptr) return false;
    text = {reinterpret_cast<const char*>(next_), static_cast<size_t>(static_cast<const uint8_t*>(end) - next_)};
    next_ = static_cast<const uint8_t*>(end) + 1;
    return true;
  }

 private:
  const uint8_t* next_ = nullptr;
  const uint8_t* end_ = nullptr;
};

}  // namespace treadle::stablehlo

#endif  // TREADLE_STABLEHLO_ARTIFACT_BYTE_READER_H_

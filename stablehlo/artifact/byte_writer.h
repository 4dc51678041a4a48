// The other side of byte_reader.h: bytes put together, integers of variable width as MLIR has them.
#ifndef TREADLE_STABLEHLO_ARTIFACT_BYTE_WRITER_H_
#define TREADLE_STABLEHLO_ARTIFACT_BYTE_WRITER_H_

#include <bit>
#include <cstdint>
#include <string>
#include <utility>

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"

namespace treadle::stablehlo {

class ByteWriter {
 public:
  const std::string& bytes() const { return bytes_; }
  std::string Take() { return std::move(bytes_); }

  void WriteByte(uint8_t value) { bytes_.push_back(static_cast<char>(value)); }

  void WriteVarInt(uint64_t value) {
    const int extra = value == 0 ? 0 : (std::bit_width(value) - 1) / 7;  // bytes after the first
    if (extra >= 8) {
      WriteByte(0);
      WriteLittleEndian(value, 8);
    } else {
      WriteLittleEndian(((value << 1) | 1) << extra, extra + 1);
    }
  }

  void WriteSignedVarInt(int64_t value) {
    WriteVarInt((static_cast<uint64_t>(value) << 1) ^ static_cast<uint64_t>(value >> 63));
  }

  /// A number of at most 63 bits with a flag in its lowest bit.
  void WriteVarIntWithFlag(uint64_t value, bool flag) { WriteVarInt((value << 1) | (flag ? 1 : 0)); }

  void WriteBytes(llvm::StringRef bytes) { bytes_.append(bytes.data(), bytes.size()); }

  /// A length and as many bytes.
  void WriteBlob(llvm::StringRef bytes) {
    WriteVarInt(bytes.size());
    WriteBytes(bytes);
  }

  /// A text that ends with a zero byte.
  void WriteCString(llvm::StringRef text) {
    WriteBytes(text);
    WriteByte(0);
  }

 private:
  void WriteLittleEndian(uint64_t value, int size) {
    for (int i = 0; i < size; ++i) WriteByte(static_cast<uint8_t>(value >> (8 * i)));
  }

  std::string bytes_;
};

}  // namespace treadle::stablehlo

#endif  // TREADLE_STABLEHLO_ARTIFACT_BYTE_WRITER_H_

// The sections of an MLIR bytecode file, taken apart and bounds-checked, nothing decoded yet.
//
// All spans point into the bytes that were parsed. Knows bytecode versions 0 to 6.
#ifndef TREADLE_STABLEHLO_ARTIFACT_CONTAINER_H_
#define TREADLE_STABLEHLO_ARTIFACT_CONTAINER_H_

#include <cstdint>
#include <string>
#include <vector>

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include "stablehlo/artifact/byte_reader.h"

namespace treadle::stablehlo {

// What a version of the bytecode brought (mlir/Bytecode/Encoding.h has the list).
inline constexpr uint64_t kDialectVersions = 1;
inline constexpr uint64_t kLazyRegions = 2;
inline constexpr uint64_t kUseListOrders = 3;
inline constexpr uint64_t kElidedLocations = 4;
inline constexpr uint64_t kNativeProperties = 5;
inline constexpr uint64_t kNewestBytecode = 6;

enum SectionId : uint8_t {
  kStringSection = 0,
  kDialectSection = 1,
  kAttrTypeSection = 2,
  kAttrTypeOffsetSection = 3,
  kIrSection = 4,
  kResourceSection = 5,
  kResourceOffsetSection = 6,
  kDialectVersionSection = 7,
  kPropertiesSection = 8,
  kNumSections = 9,
};

struct Container {
  struct OpName {
    uint32_t dialect;
    llvm::StringRef name;
    bool registered;  // whether its properties were written natively
  };
  // An attribute or type, encoded.
  struct Entry {
    uint32_t dialect;
    bool is_binary;  // else text
    llvm::ArrayRef<uint8_t> bytes;
  };

  uint64_t version = 0;
  llvm::StringRef producer;
  std::vector<llvm::StringRef> strings;
  std::vector<llvm::StringRef> dialects;
  std::vector<OpName> op_names;
  std::vector<Entry> attributes;
  std::vector<Entry> types;
  std::vector<llvm::ArrayRef<uint8_t>> properties;
  llvm::ArrayRef<uint8_t> ir;
};

/// Reads magic, version and producer, which leaves `reader` at the first section. False where this is no bytecode.
bool ReadHeader(ByteReader& reader, Container& container);

/// Reads one section: its number and its bytes. `start` is the start of the file, to which alignment is relative.
bool ReadSection(ByteReader& reader, const uint8_t* start, uint8_t& id, llvm::ArrayRef<uint8_t>& bytes);

/// Takes a whole file apart. Returns what is wrong with it, empty for nothing.
std::string ParseContainer(llvm::ArrayRef<uint8_t> bytes, Container& container);

}  // namespace treadle::stablehlo

#endif  // TREADLE_STABLEHLO_ARTIFACT_CONTAINER_H_

#include "stablehlo/artifact/container.h"

#include <array>
#include <bit>
#include <optional>

#include "llvm/ADT/STLExtras.h"

namespace treadle::stablehlo {
namespace {

using ::llvm::ArrayRef;
using ::llvm::StringRef;

constexpr uint8_t kMagic[] = {'M', 'L', 0xEF, 'R'};
constexpr uint8_t kPadding = 0xCB;

using Sections = std::array<std::optional<ArrayRef<uint8_t>>, kNumSections>;

// Lengths come first, from the last text to the first, then the texts, each with its zero byte.
bool ReadStrings(ArrayRef<uint8_t> section, Container& container) {
  ByteReader reader(section);
  uint64_t count;
  if (!reader.ReadCount(count)) return false;
  container.strings.resize(count);
  uint64_t end = section.size();
  for (StringRef& text : llvm::reverse(container.strings)) {
    uint64_t size;
    if (!reader.ReadVarInt(size) || size == 0 || size > end) return false;
    end -= size;
    text = {reinterpret_cast<const char*>(section.data()) + end, static_cast<size_t>(size - 1)};
  }
  return section.size() - reader.remaining() <= end;
}

bool ReadDialects(ByteReader& reader, const uint8_t* start, Container& container) {
  uint64_t count;
  if (!reader.ReadCount(count)) return false;
  for (uint64_t i = 0; i < count; ++i) {
    uint64_t name;
    bool has_version = false;
    if (container.version < kDialectVersions ? !reader.ReadVarInt(name)
                                             : !reader.ReadVarIntWithFlag(name, has_version)) {
      return false;
    }
    uint8_t id;
    ArrayRef<uint8_t> version;
    if (has_version && (!ReadSection(reader, start, id, version) || id != kDialectVersionSection)) return false;
    if (name >= container.strings.size()) return false;
    container.dialects.push_back(container.strings[name]);
  }
  return true;
}

// Names of operations, in groups of one dialect, to the end of the section.
bool ReadOpNames(ByteReader& reader, Container& container) {
  uint64_t total;
  if (container.version >= kElidedLocations && !reader.ReadVarInt(total)) return false;  // only a hint
  while (!reader.empty()) {
    uint64_t dialect;
    uint64_t count;
    if (!reader.ReadVarInt(dialect) || dialect >= container.dialects.size() || !reader.ReadCount(count)) return false;
    for (uint64_t i = 0; i < count; ++i) {
      uint64_t name;
      bool registered = false;
      if (container.version < kNativeProperties ? !reader.ReadVarInt(name)
                                                : !reader.ReadVarIntWithFlag(name, registered)) {
        return false;
      }
      if (name >= container.strings.size()) return false;
      container.op_names.push_back({static_cast<uint32_t>(dialect), container.strings[name], registered});
    }
  }
  return true;
}

// The lengths of `count` entries, in groups of one dialect; the entries themselves lie one after the other in `data`.
bool ReadEntries(ByteReader& reader, uint64_t count, ByteReader& data, const Container& container,
                 std::vector<Container::Entry>& entries) {
  if (count > reader.remaining()) return false;
  entries.reserve(count);
  while (entries.size() < count) {
    uint64_t dialect;
    uint64_t group;
    if (!reader.ReadVarInt(dialect) || dialect >= container.dialects.size() || !reader.ReadVarInt(group) ||
        group > count - entries.size()) {
      return false;
    }
    for (uint64_t i = 0; i < group; ++i) {
      Container::Entry entry;
      entry.dialect = dialect;
      uint64_t size;
      if (!reader.ReadVarIntWithFlag(size, entry.is_binary) || !data.ReadBytes(size, entry.bytes)) return false;
      entries.push_back(entry);
    }
  }
  return true;
}

bool ReadAttributesAndTypes(ArrayRef<uint8_t> offsets, ArrayRef<uint8_t> data, Container& container) {
  ByteReader reader(offsets);
  ByteReader data_reader(data);
  uint64_t attributes;
  uint64_t types;
  return reader.ReadVarInt(attributes) && reader.ReadVarInt(types) &&
         ReadEntries(reader, attributes, data_reader, container, container.attributes) &&
         ReadEntries(reader, types, data_reader, container, container.types) && reader.empty();
}

bool ReadProperties(ArrayRef<uint8_t> section, Container& container) {
  ByteReader reader(section);
  uint64_t count;
  if (!reader.ReadCount(count)) return false;
  container.properties.resize(count);
  for (ArrayRef<uint8_t>& properties : container.properties) {
    if (!reader.ReadBlob(properties)) return false;
  }
  return true;
}

}  // namespace

bool ReadHeader(ByteReader& reader, Container& container) {
  ArrayRef<uint8_t> magic;
  return reader.ReadBytes(sizeof(kMagic), magic) && magic == ArrayRef<uint8_t>(kMagic) &&
         reader.ReadVarInt(container.version) && reader.ReadCString(container.producer);
}

bool ReadSection(ByteReader& reader, const uint8_t* start, uint8_t& id, ArrayRef<uint8_t>& bytes) {
  constexpr uint8_t kHasAlignment = 0x80;
  uint8_t head;
  uint64_t size;
  if (!reader.ReadByte(head) || !reader.ReadVarInt(size)) return false;
  id = head & ~kHasAlignment;
  if (head & kHasAlignment) {
    uint64_t alignment;
    if (!reader.ReadVarInt(alignment) || !std::has_single_bit(alignment)) return false;
    while ((reader.rest().data() - start) & (alignment - 1)) {
      uint8_t padding;
      if (!reader.ReadByte(padding) || padding != kPadding) return false;
    }
  }
  return reader.ReadBytes(size, bytes);
}

std::string ParseContainer(ArrayRef<uint8_t> bytes, Container& container) {
  ByteReader reader(bytes);
  if (!ReadHeader(reader, container)) return "no MLIR bytecode, or cut off in its header";
  if (container.version > kNewestBytecode) {
    return "MLIR bytecode version " + std::to_string(container.version) + " is newer than " +
           std::to_string(kNewestBytecode) + ", the newest that is known";
  }
  Sections sections;
  while (!reader.empty()) {
    uint8_t id;
    ArrayRef<uint8_t> section;
    if (!ReadSection(reader, bytes.data(), id, section)) return "a section is cut off or malformed";
    if (id >= kNumSections) return "unknown section " + std::to_string(id);
    if (sections[id]) return "section " + std::to_string(id) + " occurs twice";
    sections[id] = section;
  }
  for (const uint8_t id :
       {+kStringSection, +kDialectSection, +kAttrTypeSection, +kAttrTypeOffsetSection, +kIrSection}) {
    if (!sections[id]) return "section " + std::to_string(id) + " is missing: the file may be cut off";
  }
  if (!ReadStrings(*sections[kStringSection], container)) return "malformed string section";
  ByteReader dialects(*sections[kDialectSection]);
  if (!ReadDialects(dialects, bytes.data(), container)) return "malformed list of dialects";
  if (!ReadOpNames(dialects, container)) return "malformed list of operations";
  if (!ReadAttributesAndTypes(*sections[kAttrTypeOffsetSection], *sections[kAttrTypeSection], container)) {
    return "malformed list of attributes and types";
  }
  if (sections[kPropertiesSection] && !ReadProperties(*sections[kPropertiesSection], container))
    return "malformed properties";
  container.ir = *sections[kIrSection];
  return "";
}

}  // namespace treadle::stablehlo

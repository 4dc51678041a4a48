// Writes portable artifacts: the sections of the file, put together from what is numbered (entry_numbers.h) and from
// the operations (program_writer.h).
#include "mlir/IR/Diagnostics.h"
#include "stablehlo/artifact/artifact.h"
#include "stablehlo/artifact/byte_writer.h"
#include "stablehlo/artifact/container.h"
#include "stablehlo/artifact/entry_numbers.h"
#include "stablehlo/artifact/program_writer.h"

namespace treadle::stablehlo {
namespace {

using ::llvm::StringRef;

// The version of MLIR's bytecode that belongs to a version of StableHLO.
uint64_t BytecodeVersion(const ArtifactVersion& target) {
  if (target < ArtifactVersion{0, 10, 0}) return 0;
  if (target < ArtifactVersion{0, 12, 0}) return kDialectVersions;
  if (target < ArtifactVersion{0, 14, 0}) return kUseListOrders;
  if (target < ArtifactVersion{0, 15, 0}) return kElidedLocations;
  return kNewestBytecode;
}

std::string Strings(const EntryNumbers& numbers) {
  ByteWriter out;
  out.WriteVarInt(numbers.strings().size());
  for (const std::string& text : llvm::reverse(numbers.strings())) out.WriteVarInt(text.size() + 1);
  for (const std::string& text : numbers.strings()) out.WriteCString(text);
  return out.Take();
}

// Calls `group(dialect, begin, end)` for every run of things of one dialect.
template <typename List, typename Function>
void ForEachGroup(const List& list, Function group) {
  for (size_t begin = 0; begin < list.size();) {
    size_t end = begin + 1;
    while (end < list.size() && list[end].dialect == list[begin].dialect) ++end;
    group(list[begin].dialect, begin, end);
    begin = end;
  }
}

std::string Dialects(const EntryNumbers& numbers) {
  ByteWriter out;
  const uint64_t version = numbers.bytecode_version();
  out.WriteVarInt(numbers.dialects().size());
  for (const uint64_t name : numbers.dialects()) {
    version < kDialectVersions ? out.WriteVarInt(name) : out.WriteVarIntWithFlag(name, /*flag=*/false);
  }
  const auto& names = numbers.op_names();
  if (version >= kElidedLocations) out.WriteVarInt(names.size());
  ForEachGroup(names, [&](uint64_t dialect, size_t begin, size_t end) {
    out.WriteVarInt(dialect);
    out.WriteVarInt(end - begin);
    for (size_t i = begin; i < end; ++i) {
      version < kNativeProperties ? out.WriteVarInt(names[i].name)
                                  : out.WriteVarIntWithFlag(names[i].name, /*flag=*/true);
    }
  });
  return out.Take();
}

// The entries' lengths go to `offsets`, the entries to `data`.
void AddEntries(const std::vector<EntryNumbers::Entry>& entries, ByteWriter& offsets, ByteWriter& data) {
  ForEachGroup(entries, [&](uint64_t dialect, size_t begin, size_t end) {
    offsets.WriteVarInt(dialect);
    offsets.WriteVarInt(end - begin);
    for (size_t i = begin; i < end; ++i) {
      offsets.WriteVarIntWithFlag(entries[i].bytes.size(), entries[i].is_binary);
      data.WriteBytes(entries[i].bytes);
    }
  });
}

std::string Properties(const EntryNumbers& numbers) {
  ByteWriter out;
  out.WriteVarInt(numbers.properties().size());
  for (const std::string& properties : numbers.properties()) out.WriteBlob(properties);
  return out.Take();
}

std::string Assemble(const EntryNumbers& numbers, StringRef program) {
  ByteWriter out;
  const auto section = [&](uint8_t id, StringRef bytes) {
    out.WriteByte(id);
    out.WriteBlob(bytes);
  };
  out.WriteBytes("ML\xEFR");
  out.WriteVarInt(numbers.bytecode_version());
  out.WriteCString("StableHLO_v" + numbers.options().target.ToString());
  section(kDialectSection, Dialects(numbers));
  ByteWriter offsets;
  ByteWriter data;
  offsets.WriteVarInt(numbers.attributes().size());
  offsets.WriteVarInt(numbers.types().size());
  AddEntries(numbers.attributes(), offsets, data);
  AddEntries(numbers.types(), offsets, data);
  section(kAttrTypeOffsetSection, offsets.bytes());
  section(kAttrTypeSection, data.bytes());
  section(kIrSection, program);
  section(kStringSection, Strings(numbers));
  if (numbers.bytecode_version() >= kNativeProperties) section(kPropertiesSection, Properties(numbers));
  return out.Take();
}

}  // namespace

mlir::LogicalResult WritePortableArtifact(mlir::ModuleOp module, const ArtifactOptions& options, std::string& bytes) {
  if (options.target < kOldestArtifact || options.target >= ArtifactVersion{1, 21, 0}) {
    return module.emitError() << "cannot write artifacts for StableHLO " << options.target.ToString()
                              << "; versions 0.9.0 to 1.20 can be written";
  }
  EntryNumbers numbers(options, BytecodeVersion(options.target));
  const std::string program = ProgramWriter(numbers).Write(module);
  numbers.EncodeAll();
  if (numbers.failed()) return mlir::failure();
  bytes += Assemble(numbers, program);
  return mlir::success();
}

}  // namespace treadle::stablehlo

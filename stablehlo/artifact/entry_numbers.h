// What an artifact that is being written refers to by number: strings, dialects, names of operations, attributes, types
// and properties. The other side of entry_table.h.
//
// Asking for a number makes the entry. Attributes and types are encoded later, one after the other (EncodeAll), so that
// nothing recurses however deep they are.
#ifndef TREADLE_STABLEHLO_ARTIFACT_ENTRY_NUMBERS_H_
#define TREADLE_STABLEHLO_ARTIFACT_ENTRY_NUMBERS_H_

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/StringMap.h"
#include "mlir/Bytecode/BytecodeImplementation.h"
#include "mlir/IR/Attributes.h"
#include "mlir/IR/Operation.h"
#include "mlir/IR/Types.h"
#include "stablehlo/artifact/artifact.h"
#include "stablehlo/artifact/byte_writer.h"
#include "stablehlo/artifact/version.h"

namespace treadle::stablehlo {

// An attribute or type as `vhlo` has it; as its own dialect has it (locations, names, all that other dialects'
// operations hold); or a number that is the version of a custom call's API.
enum class Form : uint8_t { kVhlo, kOwn, kApiVersion };

class EntryNumbers {
 public:
  struct OpName {
    uint64_t dialect;
    uint64_t name;  // a string
  };
  struct Entry {
    const void* value;  // an opaque pointer of Attribute or Type; null for what was encoded from the beginning
    Form form;
    mlir::Operation* user;  // who asked first: errors are about it
    uint64_t dialect = 0;
    bool is_binary = true;
    std::string bytes;
  };

  /// `options` must outlive it.
  EntryNumbers(const ArtifactOptions& options, uint64_t bytecode_version)
      : options_(options), bytecode_version_(bytecode_version) {}

  uint64_t String(llvm::StringRef text);
  uint64_t Dialect(llvm::StringRef name);
  uint64_t OpNameNumber(llvm::StringRef dialect, llvm::StringRef name);
  /// `user` is the operation on whose behalf this is asked.
  uint64_t AttributeNumber(mlir::Attribute attribute, Form form, mlir::Operation* user);
  uint64_t TypeNumber(mlir::Type type, Form form, mlir::Operation* user);
  /// A dictionary of names and numbers of attributes, sorted by name.
  uint64_t DictionaryNumber(llvm::ArrayRef<std::pair<mlir::StringAttr, uint64_t>> attributes, mlir::Operation* user);
  uint64_t PropertiesNumber(std::string bytes);

  /// Encodes every attribute and type that has a number. Call it once, when nothing new will be asked for.
  void EncodeAll();

  const ArtifactOptions& options() const { return options_; }
  uint64_t bytecode_version() const { return bytecode_version_; }

  const std::vector<std::string>& strings() const { return strings_; }
  const std::vector<uint64_t>& dialects() const { return dialects_; }
  const std::vector<OpName>& op_names() const { return op_names_; }
  const std::vector<Entry>& attributes() const { return attributes_; }
  const std::vector<Entry>& types() const { return types_; }
  const std::vector<std::string>& properties() const { return properties_; }

  /// Reports that what `user` needs came with StableHLO `since`, which is newer than the target.
  void FailAsTooNew(mlir::Operation* user, const mlir::Twine& what, const ArtifactVersion& since);
  void Fail(mlir::Operation* user, const mlir::Twine& message);
  bool failed() const { return failed_; }

 private:
  using Key = std::pair<const void*, uint8_t>;

  void Encode(Entry& entry, bool is_type);
  bool EncodeOwn(Entry& entry, bool is_type);

  const ArtifactOptions& options_;
  uint64_t bytecode_version_;
  bool failed_ = false;
  std::vector<std::string> strings_;
  std::vector<uint64_t> dialects_;  // strings
  std::vector<OpName> op_names_;
  std::vector<Entry> attributes_;
  std::vector<Entry> types_;
  std::vector<std::string> properties_;
  llvm::StringMap<uint64_t> string_numbers_;
  llvm::StringMap<uint64_t> dialect_numbers_;
  llvm::StringMap<uint64_t> op_name_numbers_;
  llvm::StringMap<uint64_t> dictionary_numbers_;  // by their bytes
  llvm::StringMap<uint64_t> property_numbers_;
  llvm::DenseMap<Key, uint64_t> attribute_numbers_;
  llvm::DenseMap<Key, uint64_t> type_numbers_;
};

// Where a dialect writes one entry, or the properties of one operation.
class EntryWriter final : public mlir::DialectBytecodeWriter {
 public:
  /// Attributes and types that it refers to are of `form`.
  EntryWriter(EntryNumbers& numbers, Form form, mlir::Operation* user) : numbers_(numbers), form_(form), user_(user) {}

  std::string Take() { return bytes_.Take(); }
  EntryNumbers& numbers() { return numbers_; }
  mlir::Operation* user() const { return user_; }

  void writeAttribute(mlir::Attribute attribute) override;
  void writeOptionalAttribute(mlir::Attribute attribute) override;
  void writeType(mlir::Type type) override;
  void writeResourceHandle(const mlir::AsmDialectResourceHandle& resource) override;
  void writeVarInt(uint64_t value) override { bytes_.WriteVarInt(value); }
  void writeSignedVarInt(int64_t value) override { bytes_.WriteSignedVarInt(value); }
  void writeAPIntWithKnownWidth(const llvm::APInt& value) override;
  void writeAPFloatWithKnownSemantics(const llvm::APFloat& value) override;
  void writeOwnedString(llvm::StringRef text) override { bytes_.WriteVarInt(numbers_.String(text)); }
  void writeOwnedBlob(llvm::ArrayRef<char> blob) override { bytes_.WriteBlob({blob.data(), blob.size()}); }
  void writeOwnedBool(bool value) override { bytes_.WriteByte(value ? 1 : 0); }
  int64_t getBytecodeVersion() const override { return static_cast<int64_t>(numbers_.bytecode_version()); }
  mlir::FailureOr<const mlir::DialectVersion*> getDialectVersion(llvm::StringRef) const override {
    return mlir::failure();
  }

 private:
  EntryNumbers& numbers_;
  Form form_;
  mlir::Operation* user_;
  ByteWriter bytes_;
};

/// Encodes as `vhlo` does. False, with nothing written, where it has no such attribute or type. What the target version
/// does not have is reported.
bool EncodeVhloAttribute(EntryWriter& writer, mlir::Attribute attribute);
bool EncodeVhloType(EntryWriter& writer, mlir::Type type);
/// Whether `vhlo` has a type of its own for this one.
bool HasVhloForm(mlir::Type type);

}  // namespace treadle::stablehlo

#endif  // TREADLE_STABLEHLO_ARTIFACT_ENTRY_NUMBERS_H_

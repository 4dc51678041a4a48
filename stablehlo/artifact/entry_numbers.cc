#include "stablehlo/artifact/entry_numbers.h"

#include "llvm/ADT/APFloat.h"
#include "llvm/ADT/APInt.h"
#include "llvm/Support/raw_ostream.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/Location.h"
#include "stablehlo/artifact/vhlo_codes.h"

namespace treadle::stablehlo {
namespace {

using ::llvm::StringRef;
using ::mlir::Attribute;
using ::mlir::Operation;
using ::mlir::StringAttr;
using ::mlir::Type;

// Of MLIR's format of its builtin dialect.
constexpr uint64_t kBuiltinDictionary = 1;
constexpr uint64_t kBuiltinFileLineColLoc = 11;
// Locations that are ranges are newer than this version of StableHLO.
constexpr ArtifactVersion kFirstWithRanges = {1, 9, 0};

uint64_t NumberOf(StringRef text, llvm::StringMap<uint64_t>& numbers, bool& is_new) {
  const auto [entry, inserted] = numbers.try_emplace(text, numbers.size());
  is_new = inserted;
  return entry->second;
}

}  // namespace

uint64_t EntryNumbers::String(StringRef text) {
  bool is_new;
  const uint64_t number = NumberOf(text, string_numbers_, is_new);
  if (is_new) strings_.push_back(text.str());
  return number;
}

uint64_t EntryNumbers::Dialect(StringRef name) {
  bool is_new;
  const uint64_t number = NumberOf(name, dialect_numbers_, is_new);
  if (is_new) dialects_.push_back(String(name));
  return number;
}

uint64_t EntryNumbers::OpNameNumber(StringRef dialect, StringRef name) {
  bool is_new;
  const uint64_t number = NumberOf((dialect + "." + name).str(), op_name_numbers_, is_new);
  if (is_new) op_names_.push_back({Dialect(dialect), String(name)});
  return number;
}

uint64_t EntryNumbers::AttributeNumber(Attribute attribute, Form form, Operation* user) {
  const Key key = {attribute.getAsOpaquePointer(), static_cast<uint8_t>(form)};
  const auto [entry, is_new] = attribute_numbers_.try_emplace(key, attributes_.size());
  if (is_new) attributes_.push_back({.value = key.first, .form = form, .user = user});
  return entry->second;
}

uint64_t EntryNumbers::TypeNumber(Type type, Form form, Operation* user) {
  const Key key = {type.getAsOpaquePointer(), static_cast<uint8_t>(form)};
  const auto [entry, is_new] = type_numbers_.try_emplace(key, types_.size());
  if (is_new) types_.push_back({.value = key.first, .form = form, .user = user});
  return entry->second;
}

uint64_t EntryNumbers::DictionaryNumber(llvm::ArrayRef<std::pair<StringAttr, uint64_t>> attributes, Operation* user) {
  ByteWriter bytes;
  bytes.WriteVarInt(kBuiltinDictionary);
  bytes.WriteVarInt(attributes.size());
  for (const auto& [name, number] : attributes) {
    bytes.WriteVarInt(AttributeNumber(name, Form::kOwn, user));
    bytes.WriteVarInt(number);
  }
  const auto [entry, is_new] = dictionary_numbers_.try_emplace(bytes.bytes(), attributes_.size());
  if (is_new) {
    attributes_.push_back({.value = nullptr,
                           .form = Form::kOwn,
                           .user = user,
                           .dialect = Dialect("builtin"),
                           .is_binary = true,
                           .bytes = bytes.Take()});
  }
  return entry->second;
}

uint64_t EntryNumbers::PropertiesNumber(std::string bytes) {
  bool is_new;
  const uint64_t number = NumberOf(bytes, property_numbers_, is_new);
  if (is_new) properties_.push_back(std::move(bytes));
  return number;
}

void EntryNumbers::EncodeAll() {
  // What is encoded asks for more.
  size_t attribute = 0;
  size_t type = 0;
  while (attribute < attributes_.size() || type < types_.size()) {
    const bool is_type = attribute == attributes_.size();
    std::vector<Entry>& entries = is_type ? types_ : attributes_;
    const size_t index = is_type ? type++ : attribute++;
    if (entries[index].value == nullptr) continue;
    Entry entry = entries[index];
    Encode(entry, is_type);
    entries[index] = std::move(entry);
  }
}

void EntryNumbers::Encode(Entry& entry, bool is_type) {
  EntryWriter writer(*this, Form::kVhlo, entry.user);
  const auto attribute = is_type ? Attribute() : Attribute::getFromOpaquePointer(entry.value);
  const auto type = is_type ? Type::getFromOpaquePointer(entry.value) : Type();
  bool done = false;
  if (entry.form == Form::kApiVersion) {
    writer.writeVarInt(vhlo::kCustomCallApiVersion);
    writer.writeVarInt(mlir::cast<mlir::IntegerAttr>(attribute).getInt());
    done = true;
  } else if (entry.form == Form::kVhlo) {
    done = is_type ? EncodeVhloType(writer, type) : EncodeVhloAttribute(writer, attribute);
  }
  if (done) {
    entry.dialect = Dialect("vhlo");
    entry.bytes = writer.Take();
    return;
  }
  if (entry.form == Form::kVhlo && !options_.allow_other_dialects) {
    std::string text;
    llvm::raw_string_ostream stream(text);
    is_type ? type.print(stream) : attribute.print(stream);
    Fail(entry.user, mlir::Twine(is_type ? "type " : "attribute ") + text + " has no portable form");
    return;
  }
  if (EncodeOwn(entry, is_type)) return;
  // As text: what any dialect understands.
  entry.is_binary = false;
  entry.bytes.clear();
  llvm::raw_string_ostream stream(entry.bytes);
  is_type ? type.print(stream) : attribute.print(stream);
  stream.flush();
  entry.bytes.push_back('\0');
}

// As the entry's dialect has it in binary form. False where it has none.
bool EntryNumbers::EncodeOwn(Entry& entry, bool is_type) {
  EntryWriter writer(*this, Form::kOwn, entry.user);
  const auto attribute = is_type ? Attribute() : Attribute::getFromOpaquePointer(entry.value);
  const auto type = is_type ? Type::getFromOpaquePointer(entry.value) : Type();
  mlir::Dialect& dialect = is_type ? type.getDialect() : attribute.getDialect();
  entry.dialect = Dialect(dialect.getNamespace());
  if (!is_type && options_.target < kFirstWithRanges) {
    const auto range = mlir::dyn_cast<mlir::FileLineColRange>(attribute);
    if (range) {  // where it begins
      writer.writeVarInt(kBuiltinFileLineColLoc);
      writer.writeAttribute(range.getFilename());
      writer.writeVarInt(range.getStartLine());
      writer.writeVarInt(range.getStartColumn());
      entry.bytes = writer.Take();
      return true;
    }
  }
  const auto* interface = dialect.getRegisteredInterface<mlir::BytecodeDialectInterface>();
  if (interface == nullptr) return false;
  if (mlir::failed(is_type ? interface->writeType(type, writer) : interface->writeAttribute(attribute, writer))) {
    return false;
  }
  entry.bytes = writer.Take();
  return true;
}

void EntryNumbers::FailAsTooNew(Operation* user, const mlir::Twine& what, const ArtifactVersion& since) {
  Fail(user, what + " needs StableHLO " + since.ToString() + "; the target version is " + options_.target.ToString());
}

void EntryNumbers::Fail(Operation* user, const mlir::Twine& message) {
  failed_ = true;
  mlir::emitError(user->getLoc()) << "'" << user->getName() << "': " << message;
}

void EntryWriter::writeAttribute(Attribute attribute) {
  writeVarInt(numbers_.AttributeNumber(attribute, form_, user_));
}

void EntryWriter::writeOptionalAttribute(Attribute attribute) {
  if (!attribute) return writeVarInt(0);
  writeVarIntWithFlag(numbers_.AttributeNumber(attribute, form_, user_), true);
}

void EntryWriter::writeType(Type type) { writeVarInt(numbers_.TypeNumber(type, form_, user_)); }

void EntryWriter::writeResourceHandle(const mlir::AsmDialectResourceHandle&) {
  numbers_.Fail(user_, "data that is held as a resource is not part of portable artifacts");
}

void EntryWriter::writeAPIntWithKnownWidth(const llvm::APInt& value) {
  if (value.getBitWidth() <= 8) return bytes_.WriteByte(static_cast<uint8_t>(value.getZExtValue()));
  if (value.getBitWidth() <= 64) return writeSignedVarInt(static_cast<int64_t>(value.getZExtValue()));
  const unsigned words = value.getActiveWords();
  writeVarInt(words);
  for (unsigned i = 0; i < words; ++i) writeSignedVarInt(static_cast<int64_t>(value.getRawData()[i]));
}

void EntryWriter::writeAPFloatWithKnownSemantics(const llvm::APFloat& value) {
  writeAPIntWithKnownWidth(value.bitcastToAPInt());
}

}  // namespace treadle::stablehlo

#include "stablehlo/artifact/entry_table.h"

#include <algorithm>

#include "llvm/ADT/APFloat.h"
#include "llvm/ADT/APInt.h"
#include "llvm/ADT/STLExtras.h"
#include "mlir/AsmParser/AsmParser.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/Diagnostics.h"
#include "stablehlo/read.h"

namespace treadle::stablehlo {
namespace {

using ::llvm::ArrayRef;
using ::llvm::StringRef;
using ::mlir::Attribute;
using ::mlir::failed;
using ::mlir::failure;
using ::mlir::LogicalResult;
using ::mlir::success;
using ::mlir::Type;

// The text parser recurses once a bracket.
constexpr int kMaxTextDepth = 64;

// Attributes and types are walked by recursion once a level. Only locations are as deep as call stacks, and walked
// less.
constexpr uint32_t kMaxNestedLocations = 8192;
// Parts of an attribute with all that is shared written out.
constexpr uint32_t kMaxParts = 1 << 24;

bool IsTooDeep(StringRef text) {
  int depth = 0;
  for (const char c : text) {
    if (c == '<' || c == '(' || c == '[' || c == '{') ++depth;
    if ((c == '>' || c == ')' || c == ']' || c == '}') && depth > 0) --depth;
    if (depth > kMaxTextDepth) return true;
  }
  return false;
}

}  // namespace

EntryTable::EntryTable(const Container& container, mlir::Location location)
    : container_(container), location_(location), slots_(container.attributes.size() + container.types.size()) {}

mlir::InFlightDiagnostic EntryTable::EmitError() const {
  return mlir::emitError(location_) << "cannot read artifact of " << container_.producer << ": ";
}

Attribute EntryTable::GetAttribute(uint64_t index) {
  if (index >= container_.attributes.size()) return EmitError() << "no attribute number " << index, Attribute();
  return GetSlot(index) ? Attribute::getFromOpaquePointer(slots_[index].value) : Attribute();
}

Type EntryTable::GetType(uint64_t index) {
  if (index >= container_.types.size()) return EmitError() << "no type number " << index, Type();
  const size_t slot = container_.attributes.size() + index;
  return GetSlot(slot) ? Type::getFromOpaquePointer(slots_[slot].value) : Type();
}

bool EntryTable::GetSlot(size_t slot) {
  if (slots_[slot].state == State::kDone) return true;
  std::vector<size_t> stack = {slot};
  while (!stack.empty()) {
    const size_t top = stack.back();
    slots_[top].state = State::kNew;
    deferred_ = kNone;
    if (Resolve(top)) {
      stack.pop_back();
    } else if (deferred_ != kNone) {
      slots_[top].state = State::kWaiting;
      stack.push_back(deferred_);
    } else {
      return false;
    }
  }
  return true;
}

bool EntryTable::Resolve(size_t slot) {
  switch (slots_[slot].state) {
    case State::kDone:
      return true;
    case State::kNew:
      break;
    case State::kBusy:
    case State::kWaiting:
      EmitError() << "an attribute or type that contains itself";
      return false;
  }
  if (depth_ == kMaxDepth) {
    deferred_ = slot;
    return false;
  }
  ++depth_;
  slots_[slot].state = State::kBusy;
  const bool done = Decode(slot);
  slots_[slot].state = done ? State::kDone : State::kNew;
  --depth_;
  return done;
}

const Container::Entry& EntryTable::EntryOf(size_t slot) const {
  return IsType(slot) ? container_.types[slot - container_.attributes.size()] : container_.attributes[slot];
}

bool EntryTable::Decode(size_t slot) {
  const Container::Entry& entry = EntryOf(slot);
  const StringRef dialect_name = container_.dialects[entry.dialect];
  const bool is_type = IsType(slot);
  const void* value = nullptr;
  if (!entry.is_binary) {
    StringRef text;
    ByteReader reader(entry.bytes);
    if (!reader.ReadCString(text) || !reader.empty()) return EmitError() << "malformed attribute text", false;
    if (IsTooDeep(text)) return EmitError() << "attribute text nested deeper than " << kMaxTextDepth, false;
    size_t read = 0;
    value =
        is_type
            ? mlir::parseType(text, context(), &read, /*isKnownNullTerminated=*/true).getAsOpaquePointer()
            : mlir::parseAttribute(text, context(), Type(), &read, /*isKnownNullTerminated=*/true).getAsOpaquePointer();
    if (value == nullptr || read != text.size())
      return EmitError() << "malformed attribute text '" << text << "'", false;
    slots_[slot].value = value;
    return true;
  }
  EntryReader reader(*this, entry.bytes);
  if (dialect_name == "vhlo") {
    value = is_type ? DecodeVhloType(reader).getAsOpaquePointer() : DecodeVhloAttribute(reader).getAsOpaquePointer();
  } else if (dialect_name == "builtin") {
    value =
        is_type ? DecodeBuiltinType(reader).getAsOpaquePointer() : DecodeBuiltinAttribute(reader).getAsOpaquePointer();
  } else {
    mlir::Dialect* dialect = context()->getOrLoadDialect(dialect_name);
    const auto* interface =
        dialect == nullptr ? nullptr : dialect->getRegisteredInterface<mlir::BytecodeDialectInterface>();
    if (interface == nullptr) {
      return EmitError() << "no way to read attributes or types of dialect '" << dialect_name << "'", false;
    }
    value = is_type ? interface->readType(reader).getAsOpaquePointer()
                    : interface->readAttribute(reader).getAsOpaquePointer();
  }
  if (value == nullptr) return false;
  if (!reader.empty())
    return EmitError() << "bytes left over after an attribute or type of '" << dialect_name << "'", false;
  slots_[slot].value = value;
  slots_[slot].extent = {reader.extent_.depth + 1, reader.extent_.size + 1};
  return CheckExtent(slot);
}

bool EntryTable::CheckExtent(size_t slot) {
  const bool is_location =
      !IsType(slot) && mlir::isa<mlir::LocationAttr>(Attribute::getFromOpaquePointer(slots_[slot].value));
  const uint32_t max_depth = is_location ? kMaxNestedLocations : kMaxNesting;
  if (slots_[slot].extent.depth > max_depth) {
    return EmitError() << "an attribute, type or location nested deeper than " << max_depth, false;
  }
  if (slots_[slot].extent.size > kMaxParts) return EmitError() << "an attribute of more than 2^24 parts", false;
  return true;
}

LogicalResult EntryReader::Truncated() const { return emitError("an attribute, type or property is cut off"); }

mlir::InFlightDiagnostic EntryReader::emitError(const mlir::Twine& message) const {
  return table_.EmitError() << message;
}

LogicalResult EntryReader::ReadCount(uint64_t& count) {
  return reader_.ReadCount(count) ? success() : LogicalResult(Truncated());
}

const void* EntryReader::Get(uint64_t index, bool is_type) {
  const size_t size = is_type ? table_.container_.types.size() : table_.container_.attributes.size();
  if (index >= size) {
    emitError("no ") << (is_type ? "type" : "attribute") << " number " << index;
    return nullptr;
  }
  const size_t slot = is_type ? table_.container_.attributes.size() + index : index;
  if (!(top_level_ ? table_.GetSlot(slot) : table_.Resolve(slot))) return nullptr;
  const EntryTable::Slot& entry = table_.slots_[slot];
  extent_.depth = std::max(extent_.depth, entry.extent.depth);
  extent_.size = std::min(extent_.size + entry.extent.size, kMaxParts);
  return entry.value;
}

LogicalResult EntryReader::readAttribute(Attribute& result) {
  uint64_t index;
  if (!reader_.ReadVarInt(index)) return Truncated();
  result = Attribute::getFromOpaquePointer(Get(index, /*is_type=*/false));
  return mlir::success(static_cast<bool>(result));
}

LogicalResult EntryReader::readOptionalAttribute(Attribute& result) {
  uint64_t index;
  bool present;
  if (!reader_.ReadVarIntWithFlag(index, present)) return Truncated();
  if (!present) return success();
  result = Attribute::getFromOpaquePointer(Get(index, /*is_type=*/false));
  return mlir::success(static_cast<bool>(result));
}

LogicalResult EntryReader::readType(Type& result) {
  uint64_t index;
  if (!reader_.ReadVarInt(index)) return Truncated();
  result = Type::getFromOpaquePointer(Get(index, /*is_type=*/true));
  return mlir::success(static_cast<bool>(result));
}

LogicalResult EntryReader::readVarInt(uint64_t& result) { return reader_.ReadVarInt(result) ? success() : Truncated(); }

LogicalResult EntryReader::readSignedVarInt(int64_t& result) {
  return reader_.ReadSignedVarInt(result) ? success() : Truncated();
}

mlir::FailureOr<llvm::APInt> EntryReader::readAPIntWithKnownWidth(unsigned width) {
  if (width <= 8) {
    uint8_t byte;
    if (!reader_.ReadByte(byte)) return Truncated();
    return llvm::APInt(width, byte, /*isSigned=*/false, /*implicitTrunc=*/true);
  }
  if (width <= 64) {
    int64_t value;
    if (!reader_.ReadSignedVarInt(value)) return Truncated();
    return llvm::APInt(width, value, /*isSigned=*/true, /*implicitTrunc=*/true);
  }
  uint64_t count;
  if (!reader_.ReadCount(count) || count == 0 || count > (width + 63) / 64) return Truncated();
  llvm::SmallVector<uint64_t> words(count);
  for (uint64_t& word : words) {
    int64_t value;
    if (!reader_.ReadSignedVarInt(value)) return Truncated();
    word = value;
  }
  return llvm::APInt(width, words);
}

mlir::FailureOr<llvm::APFloat> EntryReader::readAPFloatWithKnownSemantics(const llvm::fltSemantics& semantics) {
  const mlir::FailureOr<llvm::APInt> bits = readAPIntWithKnownWidth(llvm::APFloat::getSizeInBits(semantics));
  if (failed(bits)) return failure();
  return llvm::APFloat(semantics, *bits);
}

LogicalResult EntryReader::readString(StringRef& result) {
  uint64_t index;
  if (!reader_.ReadVarInt(index)) return Truncated();
  if (index >= table_.container_.strings.size()) return emitError("no string number ") << index;
  result = table_.container_.strings[index];
  return success();
}

LogicalResult EntryReader::readBlob(ArrayRef<char>& result) {
  ArrayRef<uint8_t> bytes;
  if (!reader_.ReadBlob(bytes)) return Truncated();
  result = {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
  return success();
}

LogicalResult EntryReader::readBool(bool& result) {
  uint8_t byte;
  if (!reader_.ReadByte(byte)) return Truncated();
  result = byte != 0;
  return success();
}

mlir::FailureOr<mlir::AsmDialectResourceHandle> EntryReader::readResourceHandle() {
  return emitError("resources are not part of portable artifacts");
}

LogicalResult EntryReader::ReadAttributeList(llvm::SmallVectorImpl<Attribute>& list) {
  uint64_t count;
  if (failed(ReadCount(count))) return failure();
  for (uint64_t i = 0; i < count; ++i) {
    if (failed(readAttribute(list.emplace_back()))) return failure();
  }
  return success();
}

LogicalResult EntryReader::ReadTypeList(llvm::SmallVectorImpl<Type>& list) {
  uint64_t count;
  if (failed(ReadCount(count))) return failure();
  for (uint64_t i = 0; i < count; ++i) {
    if (failed(readType(list.emplace_back()))) return failure();
  }
  return success();
}

LogicalResult EntryReader::ReadIntegerList(llvm::SmallVectorImpl<int64_t>& list) {
  uint64_t count;
  if (failed(ReadCount(count))) return failure();
  for (uint64_t i = 0; i < count; ++i) {
    if (failed(readSignedVarInt(list.emplace_back()))) return failure();
  }
  return success();
}

}  // namespace treadle::stablehlo

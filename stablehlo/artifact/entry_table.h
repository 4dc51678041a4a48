// The attributes and types of an artifact: decoded on demand, each once.
//
// Entries refer to each other by index, in any order and to any depth (a location may be a chain of a thousand call
// sites). Decoding recurses to a fixed depth and otherwise puts off: an entry that is too deep is decoded on its own
// and its parent again, from where the finished parts are at hand. An entry that needs itself is an error, and so is
// one that whoever walks or prints it later could not cope with: nested too deeply, or too large with its shared parts
// written out.
#ifndef TREADLE_STABLEHLO_ARTIFACT_ENTRY_TABLE_H_
#define TREADLE_STABLEHLO_ARTIFACT_ENTRY_TABLE_H_

#include <cstdint>
#include <vector>

#include "mlir/Bytecode/BytecodeImplementation.h"
#include "mlir/IR/Attributes.h"
#include "mlir/IR/Location.h"
#include "mlir/IR/Types.h"
#include "stablehlo/artifact/byte_reader.h"
#include "stablehlo/artifact/container.h"

namespace treadle::stablehlo {

class EntryTable {
 public:
  /// Both references must outlive the table. Errors are emitted at `location`.
  EntryTable(const Container& container, mlir::Location location);

  /// Null, with a diagnostic, where the index or the entry is bad.
  mlir::Attribute GetAttribute(uint64_t index);
  mlir::Type GetType(uint64_t index);

  const Container& container() const { return container_; }
  mlir::Location location() const { return location_; }
  mlir::MLIRContext* context() const { return location_.getContext(); }
  mlir::InFlightDiagnostic EmitError() const;

 private:
  friend class EntryReader;

  // Of an entry as a tree.
  struct Extent {
    uint32_t depth = 0;
    uint32_t size = 0;
  };
  enum class State : uint8_t { kNew, kBusy, kWaiting, kDone };
  struct Slot {
    const void* value = nullptr;  // an opaque pointer of Attribute or Type
    State state = State::kNew;
    Extent extent;
  };
  static constexpr int kMaxDepth = 32;
  static constexpr size_t kNone = ~size_t{0};

  // Attributes come first in `slots_`, then types.
  bool GetSlot(size_t slot);
  bool Resolve(size_t slot);
  bool Decode(size_t slot);
  bool CheckExtent(size_t slot);
  const Container::Entry& EntryOf(size_t slot) const;
  bool IsType(size_t slot) const { return slot >= container_.attributes.size(); }

  const Container& container_;
  mlir::Location location_;
  std::vector<Slot> slots_;
  size_t deferred_ = kNone;  // what the last failed Resolve wants decoded first
  int depth_ = 0;
};

// What a dialect sees of one entry's (or one operation's properties') bytes.
class EntryReader final : public mlir::DialectBytecodeReader {
 public:
  friend class EntryTable;

  EntryReader(EntryTable& table, llvm::ArrayRef<uint8_t> bytes, bool top_level = false)
      : table_(table), reader_(bytes), top_level_(top_level) {}

  bool empty() const { return reader_.empty(); }

  /// A length of a list whose elements take at least a byte each.
  mlir::LogicalResult ReadCount(uint64_t& count);

  mlir::InFlightDiagnostic emitError(const mlir::Twine& message = {}) const override;
  mlir::FailureOr<const mlir::DialectVersion*> getDialectVersion(llvm::StringRef) const override {
    return mlir::failure();
  }
  mlir::MLIRContext* getContext() const override { return table_.context(); }
  uint64_t getBytecodeVersion() const override { return table_.container().version; }

  using DialectBytecodeReader::readAttribute;
  using DialectBytecodeReader::readOptionalAttribute;
  using DialectBytecodeReader::readType;
  mlir::LogicalResult readAttribute(mlir::Attribute& result) override;
  mlir::LogicalResult readOptionalAttribute(mlir::Attribute& result) override;
  mlir::LogicalResult readType(mlir::Type& result) override;
  mlir::LogicalResult readVarInt(uint64_t& result) override;
  mlir::LogicalResult readSignedVarInt(int64_t& result) override;
  mlir::FailureOr<mlir::APInt> readAPIntWithKnownWidth(unsigned width) override;
  mlir::FailureOr<mlir::APFloat> readAPFloatWithKnownSemantics(const llvm::fltSemantics& semantics) override;
  mlir::LogicalResult readString(llvm::StringRef& result) override;
  mlir::LogicalResult readBlob(llvm::ArrayRef<char>& result) override;
  mlir::LogicalResult readBool(bool& result) override;

  // Lists that do not believe their length before the elements are there.
  mlir::LogicalResult ReadAttributeList(llvm::SmallVectorImpl<mlir::Attribute>& list);
  mlir::LogicalResult ReadTypeList(llvm::SmallVectorImpl<mlir::Type>& list);
  mlir::LogicalResult ReadIntegerList(llvm::SmallVectorImpl<int64_t>& list);

 private:
  mlir::FailureOr<mlir::AsmDialectResourceHandle> readResourceHandle() override;
  mlir::LogicalResult Truncated() const;
  const void* Get(uint64_t index, bool is_type);

  EntryTable& table_;
  ByteReader reader_;
  EntryTable::Extent extent_;  // of what was referred to so far: the deepest, and all together
  bool top_level_;             // not inside another entry: may go through the table's own stack
};

// Decoders by dialect. A null result without a diagnostic means that a part of the entry could not be had.
mlir::Attribute DecodeBuiltinAttribute(EntryReader& reader);
mlir::Type DecodeBuiltinType(EntryReader& reader);
mlir::Attribute DecodeVhloAttribute(EntryReader& reader);
mlir::Type DecodeVhloType(EntryReader& reader);

// Shared by both.
/// A tensor type, perhaps of more elements than can be counted; null with a diagnostic where a size is negative.
mlir::Type MakeTensorType(EntryReader& reader, llvm::ArrayRef<int64_t> shape, mlir::Type element,
                          mlir::Attribute encoding);
/// Elements of a constant from their little-endian bytes; i1 packed or a byte each.
mlir::Attribute MakeElements(EntryReader& reader, mlir::Type type, llvm::ArrayRef<char> bytes);
mlir::Attribute DecodeDictionary(EntryReader& reader);
mlir::Type DecodeTensorType(EntryReader& reader, bool has_encoding);
mlir::Attribute DecodeIntegerAttribute(EntryReader& reader);
mlir::Attribute DecodeFloatAttribute(EntryReader& reader);

}  // namespace treadle::stablehlo

#endif  // TREADLE_STABLEHLO_ARTIFACT_ENTRY_TABLE_H_

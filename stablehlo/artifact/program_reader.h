// Builds the operations of an artifact, in one pass over its IR section and without recursion.
#ifndef TREADLE_STABLEHLO_ARTIFACT_PROGRAM_READER_H_
#define TREADLE_STABLEHLO_ARTIFACT_PROGRAM_READER_H_

#include <cstdint>
#include <deque>
#include <vector>

#include "llvm/ADT/SmallVector.h"
#include "mlir/IR/Block.h"
#include "mlir/IR/Operation.h"
#include "mlir/IR/OwningOpRef.h"
#include "stablehlo/artifact/byte_reader.h"
#include "stablehlo/artifact/entry_table.h"
#include "stablehlo/artifact/op_rules.h"

namespace treadle::stablehlo {

class ProgramReader {
 public:
  /// `entries` must outlive the reader; `start` is the first byte of the file.
  ProgramReader(EntryTable& entries, const uint8_t* start);

  /// The one operation of the top level, not verified; null with a diagnostic on failure.
  mlir::OwningOpRef<mlir::Operation*> Read();

 private:
  // A name that occurs in the artifact, and what is built for it.
  struct OpInfo {
    enum class Kind : uint8_t { kUnresolved, kStablehlo, kFunction, kReturn, kCast, kForeign };
    Kind kind = Kind::kUnresolved;
    const OpRule* rule = nullptr;  // of an operation of vhlo
    std::optional<mlir::OperationName> target;
  };

  // An operation whose regions are being filled.
  struct Frame {
    mlir::Operation* op;
    ByteReader* reader;
    bool owns_reader;  // its regions are a section of their own
    bool is_isolated;  // its values are numbered anew
    unsigned next_region = 0;
    mlir::Block* block = nullptr;  // being filled; null between regions
    uint64_t ops_left = 0;
    // Values of the region are values_.back()[base, base + count), defined in order.
    size_t base = 0;
    size_t next_value = 0;
  };

  // What an operation is made from.
  struct Parts {
    OpInfo* info;
    const Container::OpName* name;
    mlir::DictionaryAttr attributes;
    std::optional<uint64_t> properties;
    llvm::SmallVector<mlir::Type> results;
    llvm::SmallVector<mlir::Value> operands;
    uint64_t num_regions = 0;
    bool is_isolated = false;
  };

  bool Step();
  bool OpenRegion(Frame& frame);
  bool ReadBlockArguments(ByteReader& reader, mlir::Block& block);
  bool ReadOperation(ByteReader& reader, mlir::Block* block);
  bool ReadParts(ByteReader& reader, mlir::Location& location, Parts& parts);
  bool ReadOperands(ByteReader& reader, Parts& parts);
  bool EnterRegions(ByteReader& reader, mlir::Operation* op, const Parts& parts);
  bool SkipUseListOrders(ByteReader& reader, uint64_t num_values);

  OpInfo* Resolve(const Container::OpName& name, OpInfo& info, mlir::Location location);
  bool AddVhloAttributes(const Parts& parts, mlir::OperationState& state);
  bool AddForeignAttributes(const Parts& parts, mlir::OperationState& state);
  bool AddCast(const Parts& parts, mlir::Location location);

  bool Define(mlir::Value value);
  mlir::LocationAttr ReadLocation(ByteReader& reader);
  mlir::Type ReadType(ByteReader& reader);
  bool Fail(const mlir::Twine& message);
  bool Fail(mlir::Location location, const mlir::Twine& message);
  bool CutOff() { return Fail("the program is cut off"); }

  EntryTable& entries_;
  const Container& container_;
  const uint8_t* start_;
  std::vector<OpInfo> infos_;  // by number of name
  std::deque<ByteReader> readers_;
  std::vector<Frame> frames_;
  std::vector<std::vector<mlir::Value>> values_;  // a numbering for each isolated operation that is open
  mlir::OwningOpRef<mlir::Operation*> root_;
};

}  // namespace treadle::stablehlo

#endif  // TREADLE_STABLEHLO_ARTIFACT_PROGRAM_READER_H_

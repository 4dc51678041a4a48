// The operations of a module as the IR section of an artifact. The other side of program_reader.h.
//
// Operations of StableHLO and of functions become those of `vhlo`; operations of other dialects stay what they are,
// with their attributes and types. Between the two stand casts, since a type of `vhlo` is another type than its
// counterpart: a value that both kinds of operations use has two numbers, its own and that of a cast right behind its
// definition.
#ifndef TREADLE_STABLEHLO_ARTIFACT_PROGRAM_WRITER_H_
#define TREADLE_STABLEHLO_ARTIFACT_PROGRAM_WRITER_H_

#include <array>
#include <cstdint>
#include <string>

#include "llvm/ADT/DenseMap.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/Operation.h"
#include "stablehlo/artifact/byte_writer.h"
#include "stablehlo/artifact/entry_numbers.h"
#include "stablehlo/artifact/op_rules.h"

namespace treadle::stablehlo {

class ProgramWriter {
 public:
  explicit ProgramWriter(EntryNumbers& numbers) : numbers_(numbers) {}

  /// The bytes of the section. What cannot be written has been reported to `numbers`, which then has failed().
  std::string Write(mlir::ModuleOp module);

 private:
  void WriteRegion(mlir::Region& region, ByteWriter& out);
  void WriteBlock(mlir::Block& block, ByteWriter& out);
  void WriteBlockArguments(mlir::Block& block, ByteWriter& out);
  void WriteOperation(mlir::Operation* op, ByteWriter& out);
  void WriteVhloAttributes(mlir::Operation* op, const OpRule& rule, ByteWriter& out, uint8_t& what);
  void WriteForeignAttributes(mlir::Operation* op, ByteWriter& out, uint8_t& what);
  void WriteRegions(mlir::Operation* op, ByteWriter& out);
  void WriteCast(mlir::Value value, ByteWriter& out);
  void WriteLocation(mlir::Location location, mlir::Operation* user, ByteWriter& out);
  void CheckForeign(mlir::Operation* op);

  // Numbers for what a block defines; how many.
  uint64_t NumberValues(mlir::Block& block);
  void NumberValue(mlir::Value value, Form form);
  uint64_t NumberOf(mlir::Value value, Form form) const;

  EntryNumbers& numbers_;
  uint64_t next_value_ = 0;
  llvm::DenseMap<mlir::Value, std::array<uint64_t, 2>> values_;  // by Form: kVhlo, kOwn
};

}  // namespace treadle::stablehlo

#endif  // TREADLE_STABLEHLO_ARTIFACT_PROGRAM_WRITER_H_

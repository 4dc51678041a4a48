// From a StableHLO operation to the operation of `vhlo` that a version of StableHLO has for it: the other side of
// op_attributes.h.
#ifndef TREADLE_STABLEHLO_ARTIFACT_OP_VALUES_H_
#define TREADLE_STABLEHLO_ARTIFACT_OP_VALUES_H_

#include "llvm/ADT/SmallVector.h"
#include "mlir/IR/Attributes.h"
#include "mlir/IR/Operation.h"
#include "stablehlo/artifact/entry_numbers.h"
#include "stablehlo/artifact/op_rules.h"

namespace treadle::stablehlo {

/// "add" of stablehlo.add, "func" of func.func; empty for operations that `vhlo` does not have.
llvm::StringRef VhloBaseName(mlir::Operation* op);

/// The rule by which `op`, whose base name is not empty, is written for the target version. Null, with an error, where
/// that version cannot say what the operation says.
const OpRule* ChooseOpRule(mlir::Operation* op, EntryNumbers& numbers);

struct OpValues {
  llvm::SmallVector<mlir::Attribute, 16> values;  // one for each row of the rule
  llvm::SmallVector<mlir::NamedAttribute> rest;   // attributes of the operation that no row is about, sorted by name
};

/// Null values mean that the operation does not verify; that is an error, emitted.
OpValues GetOpValues(mlir::Operation* op, const OpRule& rule, EntryNumbers& numbers);

}  // namespace treadle::stablehlo

#endif  // TREADLE_STABLEHLO_ARTIFACT_OP_VALUES_H_

// From the attributes that an operation of `vhlo` has to those of its StableHLO operation.
#ifndef TREADLE_STABLEHLO_ARTIFACT_OP_ATTRIBUTES_H_
#define TREADLE_STABLEHLO_ARTIFACT_OP_ATTRIBUTES_H_

#include "llvm/ADT/ArrayRef.h"
#include "mlir/IR/Attributes.h"
#include "mlir/IR/Location.h"
#include "mlir/IR/OperationSupport.h"
#include "stablehlo/artifact/op_rules.h"

namespace treadle::stablehlo {

/// Appends to `result` what `values` (one for each row of the rule, none null) become. Emits at `location` on failure.
mlir::LogicalResult ConvertOpAttributes(const OpRule& rule, llvm::ArrayRef<mlir::Attribute> values,
                                        mlir::Location location, mlir::NamedAttrList& result);

/// Whether a value says what its absence says: false, 0, empty, NOTYPE, no type, precisions and accuracies of DEFAULT.
bool IsDefault(mlir::Attribute value);

}  // namespace treadle::stablehlo

#endif  // TREADLE_STABLEHLO_ARTIFACT_OP_ATTRIBUTES_H_

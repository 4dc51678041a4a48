// What makes shardings valid: checks that the verifiers of `sdy` share. Each emits its error at `op`, from where
// symbols are looked up. What they promise: meshes and axes are there, ranks fit, no axis is used twice, sizes divide.
#ifndef TREADLE_STABLEHLO_SDY_VERIFY_H_
#define TREADLE_STABLEHLO_SDY_VERIFY_H_

#include "mlir/IR/ValueRange.h"
#include "stablehlo/sdy/sdy.h"

namespace treadle::sdy {

/// Axes with names of their own and positive sizes; device ids, where given, that are each device once.
mlir::LogicalResult VerifyMesh(MeshAttr mesh, mlir::Operation* op);

/// Factors that have sizes, in every list.
mlir::LogicalResult VerifyRule(OpShardingRuleAttr rule, mlir::Operation* op);

/// A sharding of a value of that type.
mlir::LogicalResult VerifySharding(TensorShardingAttr sharding, mlir::Type type, mlir::Operation* op);

/// One sharding for each type. `what` names them in errors.
mlir::LogicalResult VerifyShardings(TensorShardingPerValueAttr shardings, mlir::TypeRange types, llvm::StringRef what,
                                    mlir::Operation* op);

/// Types as a manual computation sees them: each size of a global type over the product of the manual axes that split
/// it. The shardings must have been verified.
mlir::LogicalResult VerifyLocalTypes(TensorShardingPerValueAttr shardings, llvm::ArrayRef<mlir::StringAttr> manual_axes,
                                     mlir::TypeRange global, mlir::TypeRange local, llvm::StringRef what,
                                     mlir::Operation* op);

}  // namespace treadle::sdy

#endif  // TREADLE_STABLEHLO_SDY_VERIFY_H_

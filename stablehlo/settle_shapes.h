// Sizes that types leave open become known where arguments, operands or constants tell them.
#ifndef TREADLE_STABLEHLO_SETTLE_SHAPES_H_
#define TREADLE_STABLEHLO_SETTLE_SHAPES_H_

#include <optional>
#include <vector>

#include "mlir/IR/BuiltinOps.h"

namespace treadle::stablehlo {

// Gives the arguments of `function` these shapes where their types leave sizes open; nothing: as it is. Fails with an
// error at the function where a shape does not fit its type. SettleShapes then takes it further.
mlir::LogicalResult SettleArguments(mlir::ModuleOp module, llvm::StringRef function,
                                    const std::vector<std::optional<std::vector<int64_t>>>& shapes);

// Results get the sizes that follow from operands and attributes, through loops, branches and calls: a function that is
// called with several shapes becomes several. Operations with shapes as operands are replaced where those are known
// (settle_operation.h). What stays open stays. Fails with an error at the operation where the shapes that come out do
// not fit together.
mlir::LogicalResult SettleShapes(mlir::ModuleOp module);

}  // namespace treadle::stablehlo

#endif  // TREADLE_STABLEHLO_SETTLE_SHAPES_H_

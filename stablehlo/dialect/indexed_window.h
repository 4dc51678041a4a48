// What gather, dynamic_gather and scatter have in common: a window in the operand whose place `indices` gives.
#ifndef TREADLE_STABLEHLO_DIALECT_INDEXED_WINDOW_H_
#define TREADLE_STABLEHLO_DIALECT_INDEXED_WINDOW_H_

#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Operation.h"
#include "stablehlo/dialect/attributes.h"

namespace treadle::stablehlo {

struct IndexedWindow {
  llvm::ArrayRef<int64_t> window_dims;     // of the result or the updates: those of the window
  llvm::ArrayRef<int64_t> collapsed_dims;  // of the operand: not in the window
  llvm::ArrayRef<int64_t> operand_batch;
  llvm::ArrayRef<int64_t> indices_batch;
  llvm::ArrayRef<int64_t> index_to_operand;
  int64_t index_vector_dim;
};

IndexedWindow GatherWindow(GatherDimensionNumbersAttr numbers);
IndexedWindow ScatterWindow(ScatterDimensionNumbersAttr numbers);

// Dimension numbers fit the types of operand (input), indices and result (update), and the sizes that indices and
// result share are equal. Of gather (C1) to (C8), (C10), (C11), (C13) to (C19) and the sizes in (C22) that come from
// the indices; of scatter (C2), (C7) to (C22) and these sizes in (C4).
mlir::LogicalResult CheckIndexedWindow(mlir::Operation* op, const IndexedWindow& window, mlir::RankedTensorType operand,
                                       mlir::RankedTensorType indices, mlir::RankedTensorType result);
// Slices of these sizes have one element at most where they are collapsed, and the result has their other sizes.
mlir::LogicalResult CheckWindowSlices(mlir::Operation* op, const IndexedWindow& window, llvm::ArrayRef<int64_t> sizes,
                                      mlir::RankedTensorType result);
// A size for each dimension of the operand, none beyond it.
mlir::LogicalResult CheckFits(mlir::Operation* op, llvm::StringRef name, llvm::ArrayRef<int64_t> sizes,
                              mlir::RankedTensorType operand);

// Of these sizes, one for each dimension of the operand, those of the window: neither collapsed nor batching.
llvm::SmallVector<int64_t> InWindow(llvm::ArrayRef<int64_t> sizes, const IndexedWindow& window);

}  // namespace treadle::stablehlo

#endif  // TREADLE_STABLEHLO_DIALECT_INDEXED_WINDOW_H_

#include "stablehlo/dialect/indexed_window.h"

#include "stablehlo/dialect/shape_rules.h"

namespace treadle::stablehlo {

using mlir::failure;
using mlir::LogicalResult;
using mlir::RankedTensorType;
using mlir::ShapedType;
using mlir::success;

IndexedWindow GatherWindow(GatherDimensionNumbersAttr numbers) {
  return {numbers.getOffsetDims(),          numbers.getCollapsedSliceDims(),
          numbers.getOperandBatchingDims(), numbers.getStartIndicesBatchingDims(),
          numbers.getStartIndexMap(),       numbers.getIndexVectorDim()};
}

IndexedWindow ScatterWindow(ScatterDimensionNumbersAttr numbers) {
  return {numbers.getUpdateWindowDims(),         numbers.getInsertedWindowDims(),
          numbers.getInputBatchingDims(),        numbers.getScatterIndicesBatchingDims(),
          numbers.getScatterDimsToOperandDims(), numbers.getIndexVectorDim()};
}

namespace {

// Lists of dimensions: in range, none twice, in order where that is asked. Labels: gather's, then scatter's.
LogicalResult CheckLists(mlir::Operation* op, const IndexedWindow& w, int64_t rank, int64_t indices_rank,
                         int64_t result_rank) {
  llvm::SmallVector<int64_t> outside = llvm::to_vector(w.collapsed_dims);
  llvm::append_range(outside, w.operand_batch);
  llvm::SmallVector<int64_t> indexed = llvm::to_vector(w.index_to_operand);
  llvm::append_range(indexed, w.operand_batch);
  if (failed(
          CheckDimension(op, "index_vector_dim", w.index_vector_dim, indices_rank, /*at_end=*/true)) ||  // (C2), (C22)
      failed(CheckDimensions(op, "window dimensions", w.window_dims, result_rank)) ||  // (C4) (C5), (C7) (C8)
      failed(CheckDimensions(op, "collapsed, inserted and batching dimensions", outside,
                             rank)) ||                                       // (C6) (C8) (C11), (C9) (C11) (C13)
      failed(CheckDimensions(op, "index map", w.index_to_operand, rank)) ||  // (C19), (C21)
      failed(CheckDimensions(op, "index map and batching dimensions", indexed, rank)) ||  // (C18), (C20)
      failed(CheckDimensions(op, "batching dimensions of the indices", w.indices_batch,
                             indices_rank)) ||  // (C13) (C14), (C14) (C15)
      failed(CheckCount(op, "batching dimensions", w.indices_batch.size(), w.operand_batch.size()))) {  // (C16), (C17)
    return failure();
  }
  if (!llvm::is_sorted(w.window_dims)) return op->emitOpError() << "needs sorted window dimensions";  // (C4), (C7)
  if (!llvm::is_sorted(w.collapsed_dims))
    return op->emitOpError() << "needs sorted collapsed or inserted dimensions";  // (C7), (C10)
  if (!llvm::is_sorted(w.operand_batch))
    return op->emitOpError() << "needs sorted batching dimensions of the operand";  // (C10), (C12)
  if (llvm::is_contained(w.indices_batch, w.index_vector_dim))
    return op->emitOpError() << "index_vector_dim is a batching dimension";  // (C15), (C16)
  return success();
}

}  // namespace

LogicalResult CheckIndexedWindow(mlir::Operation* op, const IndexedWindow& w, RankedTensorType operand,
                                 RankedTensorType indices, RankedTensorType result) {
  const int64_t rank = operand.getRank();
  if (failed(CheckLists(op, w, rank, indices.getRank(), result.getRank()))) return failure();
  const bool has_vector = w.index_vector_dim < indices.getRank();
  const int64_t vector = has_vector ? indices.getDimSize(w.index_vector_dim) : 1;
  const int64_t outside = static_cast<int64_t>(w.collapsed_dims.size() + w.operand_batch.size());
  if (failed(CheckSameSize(op, "size of an index and of the index map", vector,
                           static_cast<int64_t>(w.index_to_operand.size()))) ||             // (C3), (C19)
      failed(CheckCount(op, "window dimensions", w.window_dims.size(), rank - outside)) ||  // (C1), (C2)
      failed(CheckCount(op, "dimensions that are not of the window", result.getRank() - w.window_dims.size(),
                        indices.getRank() - has_vector))) {  // (C22), (C4)
    return failure();
  }
  // (C17), (C18)
  for (auto [a, b] : llvm::zip(w.operand_batch, w.indices_batch)) {
    if (failed(CheckSameSize(op, "sizes of batching dimensions", operand.getDimSize(a), indices.getDimSize(b))))
      return failure();
  }
  // (C22), (C4): dimensions of the result that are not the window's follow those of the indices.
  int64_t at = 0;
  for (int64_t i = 0; i < result.getRank(); ++i) {
    if (llvm::is_contained(w.window_dims, i)) continue;
    if (at == w.index_vector_dim) ++at;
    const int64_t size = indices.getDimSize(at++);
    if (failed(CheckSameSize(op, "sizes of the indices and the result", size, result.getDimSize(i)))) return failure();
  }
  return success();
}

LogicalResult CheckWindowSlices(mlir::Operation* op, const IndexedWindow& w, llvm::ArrayRef<int64_t> sizes,
                                RankedTensorType result) {
  // (C9) (C12)
  for (llvm::ArrayRef<int64_t> thin : {w.collapsed_dims, w.operand_batch}) {
    for (int64_t i : thin) {
      if (sizes[i] > 1) return op->emitOpError() << "collapses dimension " << i << " of slice size " << sizes[i];
    }
  }
  // (C22)
  for (auto [to, size] : llvm::zip(w.window_dims, InWindow(sizes, w))) {
    if (failed(CheckSameSize(op, "slice size and result size", size, result.getDimSize(to)))) return failure();
  }
  return success();
}

LogicalResult CheckFits(mlir::Operation* op, llvm::StringRef name, llvm::ArrayRef<int64_t> sizes,
                        RankedTensorType operand) {
  if (failed(CheckCount(op, name, sizes.size(), operand.getRank()))) return failure();
  for (auto [i, size] : llvm::enumerate(sizes)) {
    if (ShapedType::isDynamic(size)) continue;
    if (size < 0 || (!operand.isDynamicDim(i) && size > operand.getDimSize(i))) {
      return op->emitOpError() << name << " " << size << " does not fit dimension " << i << " of " << operand;
    }
  }
  return success();
}

llvm::SmallVector<int64_t> InWindow(llvm::ArrayRef<int64_t> sizes, const IndexedWindow& w) {
  llvm::SmallVector<int64_t> kept;
  for (auto [i, size] : llvm::enumerate(sizes)) {
    const int64_t dimension = static_cast<int64_t>(i);
    if (!llvm::is_contained(w.collapsed_dims, dimension) && !llvm::is_contained(w.operand_batch, dimension))
      kept.push_back(size);
  }
  return kept;
}

}  // namespace treadle::stablehlo

// Operations whose places are values: dynamic_slice, gather, scatter.
#include <algorithm>
#include <limits>

#include "mlir/IR/TypeUtilities.h"
#include "stablehlo/dialect/ops.h"
#include "stablehlo/interpreter/evaluate.h"

namespace treadle::interpreter {

namespace {

using Dims = llvm::ArrayRef<int64_t>;

// An index as it stands in memory; unsigned ones of 64 bits beyond the signed range are the largest.
int64_t IndexValue(const Tensor& indices, int64_t place) {
  const int64_t value = indices.Get(place).integer;
  return IsUnsigned(indices.element_type()) && value < 0 ? std::numeric_limits<int64_t>::max() : value;
}

int64_t IndexValue(const Tensor& indices, const Index& index) { return IndexValue(indices, indices.PlaceOf(index)); }

// ---- dynamic_slice, dynamic_update_slice: start = clamp(0, start_indices, size of the operand - size of the slice).

Index ClampedStarts(const Frame& frame, int64_t first, Dims shape, Dims sizes) {
  Index starts;
  for (auto [i, size] : llvm::enumerate(sizes)) {
    const int64_t start = IndexValue(frame.tensor(first + static_cast<int64_t>(i)), int64_t{0});
    starts.push_back(std::clamp<int64_t>(start, 0, shape[i] - size));
  }
  return starts;
}

Index Sum(const Index& a, const Index& b) {
  Index sum = a;
  for (size_t i = 0; i < sum.size(); ++i) sum[i] += b[i];
  return sum;
}

StatusOr<Tensor> EvaluateDynamicSlice(stablehlo::DynamicSliceOp op, Frame& frame) {
  const Tensor& x = frame.tensor(0);
  TREADLE_ASSIGN_OR_RETURN(Tensor result, frame.Result());
  const Index starts = ClampedStarts(frame, 1, x.shape(), op.getSliceSizes());
  int64_t place = 0;
  ForEachIndex(result.shape(), [&](const Index& index) { result.Copy(place++, x, x.PlaceOf(Sum(starts, index))); });
  return result;
}

StatusOr<Tensor> EvaluateDynamicUpdateSlice(stablehlo::DynamicUpdateSliceOp, Frame& frame) {
  const Tensor& update = frame.tensor(1);
  Tensor result = frame.tensor(0);
  const Index starts = ClampedStarts(frame, 2, result.shape(), update.shape());
  int64_t place = 0;
  ForEachIndex(update.shape(),
               [&](const Index& index) { result.Copy(result.PlaceOf(Sum(starts, index)), update, place++); });
  return result;
}

// ---- What gather and scatter share.

// A window of the operand at a place that an index vector tells; `position` walks over the dimensions of the result (of
// gather) or the updates (of scatter).
struct IndexedWindow {
  Dims window_dims;    // of the positions: those inside of the window
  Dims collapsed;      // of the operand: of size 1 in the window, and not among window_dims
  Dims operand_batch;  // of the operand: as collapsed, their place is that of indices_batch
  Dims indices_batch;
  Dims index_map;  // the operand's dimension for each entry of an index vector
  int64_t vector_dim;
};

// The index vector at `position`, spread over the operand's dimensions, and its batching dimensions filled in.
Index FullStart(const IndexedWindow& w, const Tensor& indices, const Index& position, int64_t rank) {
  Index batch;  // of `position`: where in the indices
  for (auto [dim, at] : llvm::enumerate(position)) {
    if (!llvm::is_contained(w.window_dims, static_cast<int64_t>(dim))) batch.push_back(at);
  }
  Index at = batch;
  const bool has_vector = w.vector_dim < indices.rank();
  if (has_vector) at.insert(at.begin() + w.vector_dim, 0);
  Index start(rank, 0);
  for (auto [i, dim] : llvm::enumerate(w.index_map)) {
    if (has_vector) at[w.vector_dim] = static_cast<int64_t>(i);
    start[dim] = IndexValue(indices, at);
  }
  for (auto [dim, from] : llvm::zip(w.operand_batch, w.indices_batch)) {
    start[dim] = batch[from - (from > w.vector_dim ? 1 : 0)];
  }
  return start;
}

// The place inside of the window, over the operand's dimensions.
Index FullOffset(const IndexedWindow& w, const Index& position, int64_t rank) {
  Index offset(rank, 0);
  auto next = w.window_dims.begin();
  for (int64_t dim = 0; dim < rank; ++dim) {
    if (llvm::is_contained(w.collapsed, dim) || llvm::is_contained(w.operand_batch, dim)) continue;
    offset[dim] = position[*next++];
  }
  return offset;
}

// ---- gather: starts are clamped so that the slice fits.

StatusOr<Tensor> Gather(const Tensor& x, const Tensor& indices, const IndexedWindow& w, Dims slice_sizes,
                        Tensor result) {
  int64_t place = 0;
  ForEachIndex(result.shape(), [&](const Index& position) {
    Index from = FullStart(w, indices, position, x.rank());
    for (int64_t dim = 0; dim < x.rank(); ++dim) {
      if (llvm::is_contained(w.operand_batch, dim)) continue;
      from[dim] = std::clamp<int64_t>(from[dim], 0, x.dim(dim) - slice_sizes[dim]);
    }
    result.Copy(place++, x, x.PlaceOf(Sum(from, FullOffset(w, position, x.rank()))));
  });
  return result;
}

IndexedWindow WindowOf(stablehlo::GatherDimensionNumbersAttr numbers) {
  return {numbers.getOffsetDims(),          numbers.getCollapsedSliceDims(),
          numbers.getOperandBatchingDims(), numbers.getStartIndicesBatchingDims(),
          numbers.getStartIndexMap(),       numbers.getIndexVectorDim()};
}

StatusOr<Tensor> EvaluateGather(stablehlo::GatherOp op, Frame& frame) {
  TREADLE_ASSIGN_OR_RETURN(Tensor result, frame.Result());
  return Gather(frame.tensor(0), frame.tensor(1), WindowOf(op.getDimensionNumbers()), op.getSliceSizes(),
                std::move(result));
}

// The verifier has not seen the sizes; what it checks of gather is checked here.
Status CheckDynamicGather(const Tensor& x, const Tensor& indices, const IndexedWindow& w, Dims sizes) {
  const int64_t rank = x.rank();
  auto in_range = [](Dims dims, int64_t rank) {
    return llvm::all_of(dims, [&](int64_t dim) { return dim >= 0 && dim < rank; });
  };
  if (static_cast<int64_t>(sizes.size()) != rank || w.vector_dim < 0 || w.vector_dim > indices.rank() ||
      !in_range(w.collapsed, rank) || !in_range(w.operand_batch, rank) || !in_range(w.index_map, rank) ||
      !in_range(w.indices_batch, indices.rank()) || w.operand_batch.size() != w.indices_batch.size()) {
    return InvalidArgument("dimension numbers do not fit the operands");
  }
  const int64_t vector = w.vector_dim < indices.rank() ? indices.dim(w.vector_dim) : 1;
  if (vector != static_cast<int64_t>(w.index_map.size()))
    return InvalidArgument("index vectors have not the index map's size");
  const auto outside = static_cast<int64_t>(w.collapsed.size() + w.operand_batch.size());
  if (static_cast<int64_t>(w.window_dims.size()) != rank - outside ||
      llvm::is_contained(w.indices_batch, w.vector_dim)) {
    return InvalidArgument("dimension numbers do not fit the operands");
  }
  for (int64_t dim = 0; dim < rank; ++dim) {
    const bool thin = llvm::is_contained(w.collapsed, dim) || llvm::is_contained(w.operand_batch, dim);
    if (sizes[dim] < 0 || sizes[dim] > x.dim(dim) || (thin && sizes[dim] > 1)) {
      return InvalidArgument("slice size " + std::to_string(sizes[dim]) + " does not fit dimension " +
                             std::to_string(dim));
    }
  }
  for (auto [a, b] : llvm::zip(w.operand_batch, w.indices_batch)) {
    if (x.dim(a) != indices.dim(b)) return InvalidArgument("batching dimensions have different sizes");
  }
  return OkStatus();
}

StatusOr<Tensor> EvaluateDynamicGather(stablehlo::DynamicGatherOp op, Frame& frame) {
  const Tensor& x = frame.tensor(0);
  const Tensor& indices = frame.tensor(1);
  const Index sizes(frame.integers(2));
  const IndexedWindow w = WindowOf(op.getDimensionNumbers());
  TREADLE_RETURN_IF_ERROR(CheckDynamicGather(x, indices, w, sizes));
  Index window;
  for (int64_t dim = 0; dim < x.rank(); ++dim) {
    if (!llvm::is_contained(w.collapsed, dim) && !llvm::is_contained(w.operand_batch, dim))
      window.push_back(sizes[dim]);
  }
  Index shape;
  auto next_window = window.begin();
  int64_t next_batch = 0;
  const int64_t result_rank =
      static_cast<int64_t>(window.size()) + indices.rank() - (w.vector_dim < indices.rank() ? 1 : 0);
  for (int64_t dim = 0; dim < result_rank; ++dim) {
    if (llvm::is_contained(w.window_dims, dim)) {
      if (next_window == window.end()) return InvalidArgument("offset_dims name a dimension twice");
      shape.push_back(*next_window++);
    } else {
      if (next_batch == w.vector_dim) ++next_batch;
      if (next_batch >= indices.rank()) return InvalidArgument("offset_dims are out of range");
      shape.push_back(indices.dim(next_batch++));
    }
  }
  TREADLE_ASSIGN_OR_RETURN(Tensor result, frame.Result(0, shape));
  return Gather(x, indices, w, sizes, std::move(result));
}

// ---- torch_index_select: gather along one dimension, with leading batch dimensions in common.

StatusOr<Tensor> EvaluateTorchIndexSelect(stablehlo::TorchIndexSelectOp op, Frame& frame) {
  const Tensor& x = frame.tensor(0);
  const Tensor& indices = frame.tensor(1);
  const auto dim = static_cast<int64_t>(op.getDim());
  const auto batch = static_cast<int64_t>(op.getBatchDims());
  if (batch < 0 || batch > indices.rank() || dim < batch || dim >= x.rank())
    return InvalidArgument("dim or batch_dims are out of range");
  for (int64_t i = 0; i < batch; ++i) {
    if (x.dim(i) != indices.dim(i)) return InvalidArgument("batch dimensions have different sizes");
  }
  Index shape(x.shape().take_front(dim));
  shape.append(indices.shape().begin() + batch, indices.shape().end());
  shape.append(x.shape().begin() + dim + 1, x.shape().end());
  TREADLE_ASSIGN_OR_RETURN(Tensor result, frame.Result(0, shape));
  if (x.dim(dim) == 0 && result.size() > 0) return InvalidArgument("selects from nothing");
  int64_t place = 0;
  ForEachIndex(result.shape(), [&](const Index& index) {
    Index at(Dims(index).take_front(batch));
    at.append(index.begin() + dim, index.begin() + dim + (indices.rank() - batch));
    Index from(Dims(index).take_front(dim));
    from.push_back(std::clamp<int64_t>(IndexValue(indices, at), 0, x.dim(dim) - 1));
    from.append(index.begin() + dim + (indices.rank() - batch), index.end());
    result.Copy(place++, x, x.PlaceOf(from));
  });
  return result;
}

// ---- scatter: update_computation(current, update) for updates whose place is inside, in order of the updates. A
// window of which a part lies outside is left out as a whole, as jaxlib has it.

bool WindowFits(const IndexedWindow& w, const Index& start, const Tensor& input, const Tensor& update) {
  auto next = w.window_dims.begin();
  for (int64_t dim = 0; dim < input.rank(); ++dim) {
    const bool thin = llvm::is_contained(w.collapsed, dim) || llvm::is_contained(w.operand_batch, dim);
    const int64_t size = thin ? 1 : update.dim(*next++);
    if (start[dim] < 0 || start[dim] > input.dim(dim) - size) return false;
  }
  return true;
}

StatusOr<Values> EvaluateScatter(stablehlo::ScatterOp op, Frame& frame) {
  const stablehlo::ScatterDimensionNumbersAttr numbers = op.getScatterDimensionNumbers();
  const IndexedWindow w = {numbers.getUpdateWindowDims(),         numbers.getInsertedWindowDims(),
                           numbers.getInputBatchingDims(),        numbers.getScatterIndicesBatchingDims(),
                           numbers.getScatterDimsToOperandDims(), numbers.getIndexVectorDim()};
  const int64_t count = frame.num_operands() / 2;
  std::vector<Tensor> results;
  for (int64_t i = 0; i < count; ++i) {
    TREADLE_ASSIGN_OR_RETURN(Tensor result,
                             ConvertTo(frame.tensor(i), mlir::getElementTypeOrSelf(frame.result_type(i))));
    results.push_back(std::move(result));
  }
  const Tensor& indices = frame.tensor(count);
  const std::vector<Tensor> updates = frame.tensors(count + 1, count);
  Status status;
  ForEachIndex(updates[0].shape(), [&](const Index& position) {
    if (!status.ok()) return;
    const Index start = FullStart(w, indices, position, results[0].rank());
    if (!WindowFits(w, start, results[0], updates[0])) return;
    const int64_t to = results[0].PlaceOf(Sum(start, FullOffset(w, position, results[0].rank())));
    const int64_t from = updates[0].PlaceOf(position);
    std::vector<Tensor> arguments;
    for (const Tensor& result : results) arguments.push_back(ScalarOf(result, to));
    for (const Tensor& update : updates) arguments.push_back(ScalarOf(update, from));
    StatusOr<std::vector<Tensor>> values = frame.RunOnScalars(op.getUpdateComputation(), arguments);
    status = values.status();
    for (int64_t i = 0; i < count && status.ok(); ++i) results[i].Copy(to, (*values)[i], 0);
  });
  TREADLE_RETURN_IF_ERROR(status);
  return Values(results.begin(), results.end());
}

}  // namespace

void AddIndexing(Evaluators& evaluators) {
  evaluators.Add(&EvaluateDynamicSlice, /*on_storage=*/true);
  evaluators.Add(&EvaluateDynamicUpdateSlice, true);
  evaluators.Add(&EvaluateGather, true);
  evaluators.Add(&EvaluateDynamicGather, true);
  evaluators.Add(&EvaluateTorchIndexSelect, true);
  evaluators.Add(&EvaluateScatter, true);
}

}  // namespace treadle::interpreter

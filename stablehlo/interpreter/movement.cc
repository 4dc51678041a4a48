// Operations that make or move elements: constants, shapes, slices, pads, and their forms of dynamic shape.
#include <numeric>

#include "llvm/Support/MathExtras.h"
#include "stablehlo/dialect/ops.h"
#include "stablehlo/interpreter/evaluate.h"

namespace treadle::interpreter {

namespace {

using Sizes = llvm::ArrayRef<int64_t>;

StatusOr<Tensor> EvaluateConstant(stablehlo::ConstantOp op, Frame&) {
  return Tensor::FromAttribute(op.getValue(), op.getOutput().getType());
}

// ---- iota.

StatusOr<Tensor> Iota(Tensor result, int64_t dimension) {
  const ElementType type = result.element_type();
  ForEachIndex(result.shape(), [&](const Index& index) {
    const int64_t value = index[dimension];
    if (IsComplex(type)) return result.Set(index, ComplexElement(static_cast<Extended>(value), type));
    if (IsFloat(type)) return result.Set(index, FloatElement(static_cast<Extended>(value), type));
    result.Set(index, Element::OfInteger(Wrap(value, type)));
  });
  return result;
}

StatusOr<Tensor> EvaluateIota(stablehlo::IotaOp op, Frame& frame) {
  TREADLE_ASSIGN_OR_RETURN(Tensor result, frame.Result());
  return Iota(std::move(result), static_cast<int64_t>(op.getIotaDimension()));
}

StatusOr<Tensor> EvaluateDynamicIota(stablehlo::DynamicIotaOp op, Frame& frame) {
  TREADLE_ASSIGN_OR_RETURN(Tensor result, frame.Result(0, frame.integers(0)));
  if (static_cast<int64_t>(op.getIotaDimension()) >= result.rank())
    return InvalidArgument("iota_dimension is no dimension");
  return Iota(std::move(result), static_cast<int64_t>(op.getIotaDimension()));
}

// ---- broadcast_in_dim: result[i] = operand[j], j the places of i that `dims` names; 0 along dimensions of size 1.

StatusOr<Tensor> BroadcastInDim(const Tensor& x, Tensor result, Sizes dims) {
  if (static_cast<int64_t>(dims.size()) != x.rank())
    return InvalidArgument("names not as many dimensions as there are");
  for (auto [from, to] : llvm::enumerate(dims)) {
    if (to < 0 || to >= result.rank() || (x.dim(from) != 1 && x.dim(from) != result.dim(to))) {
      return InvalidArgument("dimension " + std::to_string(from) + " cannot be broadcast to dimension " +
                             std::to_string(to));
    }
  }
  Index from(x.rank());
  int64_t place = 0;
  ForEachIndex(result.shape(), [&](const Index& index) {
    for (auto [i, to] : llvm::enumerate(dims)) from[i] = x.dim(i) == 1 ? 0 : index[to];
    result.Copy(place++, x, x.PlaceOf(from));
  });
  return result;
}

StatusOr<Tensor> EvaluateBroadcastInDim(stablehlo::BroadcastInDimOp op, Frame& frame) {
  TREADLE_ASSIGN_OR_RETURN(Tensor result, frame.Result());
  return BroadcastInDim(frame.tensor(0), std::move(result), op.getBroadcastDimensions());
}

StatusOr<Tensor> EvaluateDynamicBroadcastInDim(stablehlo::DynamicBroadcastInDimOp op, Frame& frame) {
  TREADLE_ASSIGN_OR_RETURN(Tensor result, frame.Result(0, frame.integers(1)));
  return BroadcastInDim(frame.tensor(0), std::move(result), op.getBroadcastDimensions());
}

// New dimensions in front.
StatusOr<Tensor> EvaluateBroadcast(stablehlo::BroadcastOp op, Frame& frame) {
  const Tensor& x = frame.tensor(0);
  Index shape(op.getBroadcastSizes());
  shape.append(x.shape().begin(), x.shape().end());
  TREADLE_ASSIGN_OR_RETURN(Tensor result, frame.Result(0, shape));
  Index dims(x.rank());
  std::iota(dims.begin(), dims.end(), static_cast<int64_t>(op.getBroadcastSizes().size()));
  return BroadcastInDim(x, std::move(result), dims);
}

// ---- reshape: the same elements in the same order.

StatusOr<Tensor> Reshape(const Tensor& x, const Tensor& result) {
  if (result.size() != x.size()) return InvalidArgument("changes the number of elements");
  return x.WithType(result.type());
}

StatusOr<Tensor> EvaluateReshape(stablehlo::ReshapeOp, Frame& frame) {
  TREADLE_ASSIGN_OR_RETURN(Tensor result, frame.Result());
  return Reshape(frame.tensor(0), result);
}

StatusOr<Tensor> EvaluateDynamicReshape(stablehlo::DynamicReshapeOp, Frame& frame) {
  TREADLE_ASSIGN_OR_RETURN(Tensor result, frame.Result(0, frame.integers(1)));
  return Reshape(frame.tensor(0), result);
}

// ---- transpose: result[j] = operand[i], j[d] = i[permutation[d]].

StatusOr<Tensor> EvaluateTranspose(stablehlo::TransposeOp op, Frame& frame) {
  const Tensor& x = frame.tensor(0);
  Index shape;
  for (int64_t from : op.getPermutation()) shape.push_back(x.dim(from));
  TREADLE_ASSIGN_OR_RETURN(Tensor result, frame.Result(0, shape));
  Index from(x.rank());
  int64_t place = 0;
  ForEachIndex(result.shape(), [&](const Index& index) {
    for (auto [to, dim] : llvm::enumerate(op.getPermutation())) from[dim] = index[to];
    result.Copy(place++, x, x.PlaceOf(from));
  });
  return result;
}

StatusOr<Tensor> EvaluateReverse(stablehlo::ReverseOp op, Frame& frame) {
  const Tensor& x = frame.tensor(0);
  TREADLE_ASSIGN_OR_RETURN(Tensor result, frame.Result(0, x.shape()));
  int64_t place = 0;
  ForEachIndex(result.shape(), [&](const Index& index) {
    Index from = index;
    for (int64_t dim : op.getDimensions()) from[dim] = x.dim(dim) - 1 - index[dim];
    result.Copy(place++, x, x.PlaceOf(from));
  });
  return result;
}

StatusOr<Tensor> EvaluateConcatenate(stablehlo::ConcatenateOp op, Frame& frame) {
  const auto along = static_cast<int64_t>(op.getDimension());
  Index shape(frame.tensor(0).shape());
  for (int64_t i = 1; i < frame.num_operands(); ++i) shape[along] += frame.tensor(i).dim(along);
  TREADLE_ASSIGN_OR_RETURN(Tensor result, frame.Result(0, shape));
  int64_t offset = 0;
  for (int64_t i = 0; i < frame.num_operands(); ++i) {
    const Tensor& x = frame.tensor(i);
    int64_t place = 0;
    ForEachIndex(x.shape(), [&](const Index& index) {
      Index to = index;
      to[along] += offset;
      result.Copy(result.PlaceOf(to), x, place++);
    });
    offset += x.dim(along);
  }
  return result;
}

// ---- slice: result[i] = operand[start + i * strides].

StatusOr<Tensor> Slice(const Tensor& x, Tensor result, Sizes starts, Sizes strides) {
  Index from(x.rank());
  int64_t place = 0;
  ForEachIndex(result.shape(), [&](const Index& index) {
    for (int64_t i = 0; i < x.rank(); ++i) from[i] = starts[i] + index[i] * strides[i];
    result.Copy(place++, x, x.PlaceOf(from));
  });
  return result;
}

StatusOr<Tensor> EvaluateSlice(stablehlo::SliceOp op, Frame& frame) {
  TREADLE_ASSIGN_OR_RETURN(Tensor result, frame.Result());
  return Slice(frame.tensor(0), std::move(result), op.getStartIndices(), op.getStrides());
}

StatusOr<Tensor> EvaluateRealDynamicSlice(stablehlo::RealDynamicSliceOp, Frame& frame) {
  const Tensor& x = frame.tensor(0);
  const Index starts(frame.integers(1));
  const Index limits(frame.integers(2));
  const Index strides(frame.integers(3));
  const auto rank = static_cast<size_t>(x.rank());
  if (starts.size() != rank || limits.size() != rank || strides.size() != rank) {
    return InvalidArgument("needs a start, a limit and a stride for each dimension");
  }
  Index shape;
  for (size_t i = 0; i < rank; ++i) {
    if (starts[i] < 0 || starts[i] > limits[i] || limits[i] > x.dim(i) || strides[i] < 1) {
      return InvalidArgument("the slice leaves dimension " + std::to_string(i));
    }
    shape.push_back(static_cast<int64_t>(llvm::divideCeil(limits[i] - starts[i], static_cast<uint64_t>(strides[i]))));
  }
  TREADLE_ASSIGN_OR_RETURN(Tensor result, frame.Result(0, shape));
  return Slice(x, std::move(result), starts, strides);
}

// ---- pad: operand[i] goes to low + i * (interior + 1) where that is inside the result.

StatusOr<Tensor> Pad(const Tensor& x, const Tensor& value, Tensor result, Sizes low, Sizes interior) {
  for (int64_t i = 0; i < result.size(); ++i) result.Copy(i, value, 0);
  int64_t place = 0;
  ForEachIndex(x.shape(), [&](const Index& index) {
    Index to(x.rank());
    for (int64_t i = 0; i < x.rank(); ++i) to[i] = low[i] + index[i] * (interior[i] + 1);
    if (InBounds(to, result.shape())) result.Copy(result.PlaceOf(to), x, place);
    ++place;
  });
  return result;
}

StatusOr<Tensor> EvaluatePad(stablehlo::PadOp op, Frame& frame) {
  TREADLE_ASSIGN_OR_RETURN(Tensor result, frame.Result());
  return Pad(frame.tensor(0), frame.tensor(1), std::move(result), op.getEdgePaddingLow(), op.getInteriorPadding());
}

StatusOr<Tensor> EvaluateDynamicPad(stablehlo::DynamicPadOp, Frame& frame) {
  const Tensor& x = frame.tensor(0);
  const Index low(frame.integers(2));
  const Index high(frame.integers(3));
  const Index interior(frame.integers(4));
  const auto rank = static_cast<size_t>(x.rank());
  if (frame.tensor(1).rank() != 0) return InvalidArgument("needs a scalar as padding value");
  if (low.size() != rank || high.size() != rank || interior.size() != rank) {
    return InvalidArgument("needs paddings for each dimension");
  }
  Index shape;
  for (size_t i = 0; i < rank; ++i) {
    int64_t size = 0;
    const bool overflows = interior[i] < 0 ||
                           llvm::MulOverflow(std::max<int64_t>(x.dim(i) - 1, 0), interior[i], size) ||
                           llvm::AddOverflow(size, x.dim(i), size) || llvm::AddOverflow(size, low[i], size) ||
                           llvm::AddOverflow(size, high[i], size);
    if (overflows || size < 0)
      return InvalidArgument("padding of dimension " + std::to_string(i) + " gives no valid size");
    shape.push_back(size);
  }
  TREADLE_ASSIGN_OR_RETURN(Tensor result, frame.Result(0, shape));
  return Pad(x, frame.tensor(1), std::move(result), low, interior);
}

// ---- Sizes as values.

StatusOr<Tensor> EvaluateGetDimensionSize(stablehlo::GetDimensionSizeOp op, Frame& frame) {
  TREADLE_ASSIGN_OR_RETURN(Tensor result, frame.Result(0, {}));
  result.Set(0, Element::OfInteger(frame.tensor(0).dim(static_cast<int64_t>(op.getDimension()))));
  return result;
}

StatusOr<Tensor> EvaluateSetDimensionSize(stablehlo::SetDimensionSizeOp op, Frame& frame) {
  const Tensor& x = frame.tensor(0);
  const auto along = static_cast<int64_t>(op.getDimension());
  const int64_t size = frame.tensor(1).Get(0).integer;
  if (size < 0 || size > x.dim(along))
    return InvalidArgument("size " + std::to_string(size) + " is not within the dimension's");
  if (size == x.dim(along)) return x;
  return Unimplemented("sizes below a dimension's bound");
}

}  // namespace

void AddMovement(Evaluators& evaluators) {
  evaluators.Add(&EvaluateConstant, /*on_storage=*/true);
  evaluators.Add(&EvaluateIota);
  evaluators.Add(&EvaluateDynamicIota);
  evaluators.Add(&EvaluateBroadcastInDim, true);
  evaluators.Add(&EvaluateDynamicBroadcastInDim, true);
  evaluators.Add(&EvaluateBroadcast, true);
  evaluators.Add(&EvaluateReshape, true);
  evaluators.Add(&EvaluateDynamicReshape, true);
  evaluators.Add(&EvaluateTranspose, true);
  evaluators.Add(&EvaluateReverse, true);
  evaluators.Add(&EvaluateConcatenate, true);
  evaluators.Add(&EvaluateSlice, true);
  evaluators.Add(&EvaluateRealDynamicSlice, true);
  evaluators.Add(&EvaluatePad, true);
  evaluators.Add(&EvaluateDynamicPad, true);
  evaluators.Add(&EvaluateGetDimensionSize, true);
  evaluators.Add(&EvaluateSetDimensionSize, true);
}

}  // namespace treadle::interpreter

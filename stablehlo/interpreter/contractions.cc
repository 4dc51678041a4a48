// Sums of products: dot_general, convolution and the older forms of them, in the order of the indices. Integers wrap at
// the end, which comes to the same.
#include <algorithm>
#include <map>

#include "mlir/IR/TypeUtilities.h"
#include "stablehlo/chlo/ragged_dot.h"
#include "stablehlo/dialect/ops.h"
#include "stablehlo/dialect/shape_rules.h"
#include "stablehlo/interpreter/evaluate.h"

namespace treadle::interpreter {

namespace {

using Dims = llvm::ArrayRef<int64_t>;

// A sum of products that knows the result's element type. Every product and every sum is rounded: to the result's type,
// or to f32 where that is narrower.
class ProductSum {
 public:
  explicit ProductSum(ElementType type)
      : type_(type), sum_type_(IsFloat(type) && ElementBits(type) < 32 ? ElementType::kF32 : type) {}

  // Elements of types lhs and rhs: those may differ from each other and from the result's.
  void Add(Element x, ElementType lhs, Element y, ElementType rhs) {
    if (IsComplex(type_)) {
      const Element product = MultiplyComplex(ToReal(x, lhs), ToReal(y, rhs), type_);
      sum_ = ComplexElement({sum_.real + product.real, sum_.imag + product.imag}, type_);
    } else if (IsFloat(type_)) {
      sum_.real = Round(sum_.real + Round(ToReal(x, lhs).real * ToReal(y, rhs).real, sum_type_), sum_type_);
    } else if (type_ == ElementType::kI1) {
      sum_.integer |= static_cast<int64_t>(x.integer != 0 && y.integer != 0);
    } else {
      integer_ += Integer(x, lhs) * Integer(y, rhs);
    }
  }

  Element Result() const {
    if (IsComplex(type_) || type_ == ElementType::kI1) return sum_;
    if (IsFloat(type_)) return FloatElement(sum_.real, type_);
    return Element::OfInteger(Wrap(static_cast<int64_t>(integer_), type_));
  }

 private:
  // As an element of the sum's type.
  Element ToReal(Element x, ElementType type) const {
    const ElementType part = IsComplex(sum_type_) ? PartOf(sum_type_) : sum_type_;
    if (IsFloat(type) || IsComplex(type)) return Element::OfComplex(Round(x.real, part), Round(x.imag, part));
    return FloatElement(
        IsUnsigned(type) ? static_cast<Extended>(static_cast<uint64_t>(x.integer)) : static_cast<Extended>(x.integer),
        part);
  }
  // Numbers of operands that are no integers are cut.
  static uint64_t Integer(Element x, ElementType type) {
    return static_cast<uint64_t>(IsFloat(type) || IsComplex(type) ? static_cast<int64_t>(x.real) : x.integer);
  }

  ElementType type_;
  ElementType sum_type_;
  Element sum_;
  uint64_t integer_ = 0;
};

// ---- dot_general: result[batch, lhs rest, rhs rest] = sum over the contracting dimensions.

Index Rest(int64_t rank, Dims batch, Dims contract) {
  Index rest;
  for (int64_t i = 0; i < rank; ++i) {
    if (!llvm::is_contained(batch, i) && !llvm::is_contained(contract, i)) rest.push_back(i);
  }
  return rest;
}

Index SizesOf(const Tensor& tensor, Dims dims) {
  Index sizes;
  for (int64_t dim : dims) sizes.push_back(tensor.dim(dim));
  return sizes;
}

// Of a tensor's memory: how far it is from one index of `dims` to the next.
Index StridesOf(const Tensor& tensor, Dims dims) {
  Index all(tensor.rank(), 1);
  for (int64_t i = tensor.rank() - 2; i >= 0; --i) all[i] = all[i + 1] * tensor.dim(i + 1);
  Index strides;
  for (int64_t dim : dims) strides.push_back(all[dim]);
  return strides;
}

int64_t Distance(Dims index, Dims strides) {
  int64_t distance = 0;
  for (size_t i = 0; i < index.size(); ++i) distance += index[i] * strides[i];
  return distance;
}

struct DotOperand {
  const Tensor& tensor;
  Dims batch;
  Dims contract;
  Index rest;
};

StatusOr<Tensor> DotGeneral(const Frame& frame, const DotOperand& lhs, const DotOperand& rhs) {
  Index shape = SizesOf(lhs.tensor, lhs.batch);
  shape.append(SizesOf(lhs.tensor, lhs.rest));
  shape.append(SizesOf(rhs.tensor, rhs.rest));
  TREADLE_ASSIGN_OR_RETURN(Tensor result, frame.Result(0, shape));
  auto outer_strides = [](const DotOperand& operand) {
    Index dims(operand.batch);
    dims.append(operand.rest);
    return StridesOf(operand.tensor, dims);
  };
  const Index lhs_strides = outer_strides(lhs);
  const Index rhs_strides = outer_strides(rhs);
  const Index lhs_inner = StridesOf(lhs.tensor, lhs.contract);
  const Index rhs_inner = StridesOf(rhs.tensor, rhs.contract);
  const Index inner = SizesOf(lhs.tensor, lhs.contract);
  int64_t place = 0;
  ForEachIndex(shape, [&](const Index& index) {
    const Dims at = index;
    const int64_t l = Distance(at.take_front(lhs_strides.size()), lhs_strides);
    Index rhs_at(at.take_front(rhs.batch.size()));
    rhs_at.append(at.end() - static_cast<int64_t>(rhs.rest.size()), at.end());
    const int64_t r = Distance(rhs_at, rhs_strides);
    ProductSum sum(result.element_type());
    ForEachIndex(inner, [&](const Index& k) {
      sum.Add(lhs.tensor.Get(l + Distance(k, lhs_inner)), lhs.tensor.element_type(),
              rhs.tensor.Get(r + Distance(k, rhs_inner)), rhs.tensor.element_type());
    });
    result.Set(place++, sum.Result());
  });
  return result;
}

StatusOr<Tensor> EvaluateDotGeneral(stablehlo::DotGeneralOp op, Frame& frame) {
  const stablehlo::DotDimensionNumbersAttr numbers = op.getDotDimensionNumbers();
  auto operand = [&](int64_t i, Dims batch, Dims contract) {
    return DotOperand{frame.tensor(i), batch, contract, Rest(frame.tensor(i).rank(), batch, contract)};
  };
  return DotGeneral(frame, operand(0, numbers.getLhsBatchingDimensions(), numbers.getLhsContractingDimensions()),
                    operand(1, numbers.getRhsBatchingDimensions(), numbers.getRhsContractingDimensions()));
}

// Vectors and matrices: the last dimension with the first.
StatusOr<Tensor> EvaluateDot(stablehlo::DotOp, Frame& frame) {
  const Tensor& lhs = frame.tensor(0);
  const Tensor& rhs = frame.tensor(1);
  if (lhs.rank() < 1 || rhs.rank() < 1 || lhs.rank() > 2 || rhs.rank() > 2 || lhs.dim(lhs.rank() - 1) != rhs.dim(0)) {
    return InvalidArgument("multiplies vectors or matrices whose sizes do not fit");
  }
  const Index last = {lhs.rank() - 1};
  const Index first = {0};
  return DotGeneral(frame, {lhs, {}, last, Rest(lhs.rank(), {}, last)}, {rhs, {}, first, Rest(rhs.rank(), {}, first)});
}

// ---- ragged_dot: dot_general with groups along a dimension of lhs.

// Sets the entries of `index` at `dims` to the first of `values`, which are taken away.
void Place(Index& index, Dims dims, Dims* values) {
  for (auto [dim, value] : llvm::zip(dims, *values)) index[dim] = value;
  *values = values->drop_front(dims.size());
}

// The group that an element of lhs falls into; the number of groups behind the last.
int64_t GroupOf(const chlo::RaggedDims& dims, const Tensor& group_sizes, const Index& lhs) {
  Index at;
  if (group_sizes.rank() > 1) {
    for (int64_t dim : dims.prefix) at.push_back(lhs[dim]);
  }
  at.push_back(0);
  const int64_t groups = group_sizes.dim(group_sizes.rank() - 1);
  int64_t end = 0;
  for (int64_t& group = at.back(); group < groups; ++group) {
    end += group_sizes.Get(at).integer;
    if (lhs[dims.ragged] < end) return group;
  }
  return groups;
}

StatusOr<Tensor> EvaluateRaggedDot(chlo::RaggedDotOp op, Frame& frame) {
  const chlo::RaggedDotDimensionNumbersAttr numbers = op.getRaggedDotDimensionNumbers();
  const chlo::RaggedDims dims = chlo::DimsOf(op);
  const Tensor& lhs = frame.tensor(0);
  const Tensor& rhs = frame.tensor(1);
  const Tensor& group_sizes = frame.tensor(2);
  const int64_t groups = group_sizes.dim(group_sizes.rank() - 1);
  const bool sums_of_groups = dims.mode == chlo::RaggedMode::kContracting;
  Index shape;
  if (sums_of_groups) shape.push_back(groups);
  shape.append(SizesOf(lhs, numbers.getLhsBatchingDimensions()));
  shape.append(SizesOf(lhs, dims.lhs_free));
  shape.append(SizesOf(rhs, dims.rhs_free));
  TREADLE_ASSIGN_OR_RETURN(Tensor result, frame.Result(0, shape));
  const Index inner = SizesOf(lhs, numbers.getLhsContractingDimensions());
  int64_t place = 0;
  ForEachIndex(shape, [&](const Index& index) {
    Index l(lhs.rank()), r(rhs.rank());
    Dims at = index, at_rhs = at.drop_front(sums_of_groups ? 1 : 0);
    at = at_rhs;
    Place(l, numbers.getLhsBatchingDimensions(), &at);
    Place(r, numbers.getRhsBatchingDimensions(), &at_rhs);
    Place(l, dims.lhs_free, &at);
    Place(r, dims.rhs_free, &at);
    ProductSum sum(result.element_type());
    ForEachIndex(inner, [&](const Index& k) {
      Dims at_lhs = k, at_k = k;
      Place(l, numbers.getLhsContractingDimensions(), &at_lhs);
      Place(r, numbers.getRhsContractingDimensions(), &at_k);
      const int64_t group = GroupOf(dims, group_sizes, l);
      if (sums_of_groups && group != index[0]) return;
      if (dims.mode == chlo::RaggedMode::kFree) {
        if (group == groups) return;
        r[numbers.getRhsGroupDimensions().front()] = group;
      }
      sum.Add(lhs.Get(l), lhs.element_type(), rhs.Get(r), rhs.element_type());
    });
    result.Set(place++, sum.Result());
  });
  return result;
}

// ---- einsum: "ab,bc->ac"; letters that the result does not have are summed over.

StatusOr<Tensor> Einsum(const Frame& frame, llvm::StringRef config) {
  const auto [inputs, output] = config.split("->");
  llvm::SmallVector<llvm::StringRef, 2> labels;
  inputs.split(labels, ',');
  if (static_cast<int64_t>(labels.size()) != frame.num_operands())
    return InvalidArgument("names not as many operands as it has");
  std::map<char, int64_t> sizes;
  for (auto [i, label] : llvm::enumerate(labels)) {
    const Tensor& tensor = frame.tensor(static_cast<int64_t>(i));
    if (static_cast<int64_t>(label.size()) != tensor.rank())
      return InvalidArgument("names not as many dimensions as an operand has");
    for (auto [dim, letter] : llvm::enumerate(label)) {
      const int64_t size = tensor.dim(static_cast<int64_t>(dim));
      if (!sizes.emplace(letter, size).second && sizes[letter] != size)
        return InvalidArgument("a letter stands for two sizes");
    }
  }
  Index shape;
  for (char letter : output) {
    if (!sizes.contains(letter)) return InvalidArgument("its result has a letter that no operand has");
    shape.push_back(sizes[letter]);
  }
  std::string summed;
  Index inner;
  for (auto [letter, size] : sizes) {
    if (output.contains(letter)) continue;
    summed += letter;
    inner.push_back(size);
  }
  TREADLE_ASSIGN_OR_RETURN(Tensor result, frame.Result(0, shape));
  std::map<char, int64_t> at;
  auto element = [&](int64_t i) {
    Index index;
    for (char letter : labels[i]) index.push_back(at[letter]);
    return frame.tensor(i).Get(index);
  };
  const ElementType type = result.element_type();
  const Element one = IsInteger(type) || type == ElementType::kI1 ? Element::OfInteger(1) : Element::OfFloat(1);
  int64_t place = 0;
  ForEachIndex(shape, [&](const Index& outer) {
    for (auto [i, letter] : llvm::enumerate(output)) at[letter] = outer[i];
    ProductSum sum(type);
    ForEachIndex(inner, [&](const Index& k) {
      for (auto [i, letter] : llvm::enumerate(summed)) at[letter] = k[i];
      const bool binary = frame.num_operands() == 2;
      sum.Add(element(0), frame.tensor(0).element_type(), binary ? element(1) : one,
              binary ? frame.tensor(1).element_type() : type);
    });
    result.Set(place++, sum.Result());
  });
  return result;
}

StatusOr<Tensor> EvaluateEinsum(stablehlo::EinsumOp op, Frame& frame) { return Einsum(frame, op.getEinsumConfig()); }
StatusOr<Tensor> EvaluateUnaryEinsum(stablehlo::UnaryEinsumOp op, Frame& frame) {
  return Einsum(frame, op.getEinsumConfig());
}

// ---- convolution.

struct Convolution {
  stablehlo::ConvDimensionNumbersAttr numbers;
  stablehlo::Window window;  // base dilations: of lhs; window dilations: of rhs
  llvm::SmallVector<bool> reversal;
  int64_t feature_groups;
  int64_t batch_groups;
};

// One element of the result: the sum over the input features of its group and the places of the window.
Element ConvolveAt(const Convolution& c, const Tensor& lhs, const Tensor& rhs, ElementType type, const Index& at) {
  const Dims input_spatial = c.numbers.getInputSpatialDimensions();
  const Dims kernel_spatial = c.numbers.getKernelSpatialDimensions();
  const Dims output_spatial = c.numbers.getOutputSpatialDimensions();
  const int64_t out_feature = at[c.numbers.getOutputFeatureDimension()];
  const int64_t out_features = rhs.dim(c.numbers.getKernelOutputFeatureDimension());
  const int64_t features = rhs.dim(c.numbers.getKernelInputFeatureDimension());
  const int64_t batches = lhs.dim(c.numbers.getInputBatchDimension()) / c.batch_groups;
  // Output features fall into groups; a group has its own input features, or its own part of the batch.
  const int64_t feature_group = out_feature / (out_features / c.feature_groups);
  const int64_t batch_group = out_feature / (out_features / c.batch_groups);
  Index from(lhs.rank());
  Index weight(rhs.rank());
  from[c.numbers.getInputBatchDimension()] = batch_group * batches + at[c.numbers.getOutputBatchDimension()];
  weight[c.numbers.getKernelOutputFeatureDimension()] = out_feature;
  ProductSum sum(type);
  ForEachIndex(SizesOf(rhs, kernel_spatial), [&](const Index& tap) {
    for (size_t i = 0; i < tap.size(); ++i) {
      const int64_t base = c.window.base_dilations[i];
      const int64_t dilated =
          at[output_spatial[i]] * c.window.strides[i] + tap[i] * c.window.window_dilations[i] - c.window.low[i];
      if (dilated < 0 || dilated % base != 0 || dilated / base >= lhs.dim(input_spatial[i])) return;  // padding
      from[input_spatial[i]] = dilated / base;
      weight[kernel_spatial[i]] = c.reversal[i] ? rhs.dim(kernel_spatial[i]) - 1 - tap[i] : tap[i];
    }
    for (int64_t feature = 0; feature < features; ++feature) {
      from[c.numbers.getInputFeatureDimension()] = feature_group * features + feature;
      weight[c.numbers.getKernelInputFeatureDimension()] = feature;
      sum.Add(lhs.Get(from), lhs.element_type(), rhs.Get(weight), rhs.element_type());
    }
  });
  return sum.Result();
}

StatusOr<Tensor> Convolve(const Frame& frame, const Convolution& c, Dims shape) {
  TREADLE_ASSIGN_OR_RETURN(Tensor result, frame.Result(0, shape));
  int64_t place = 0;
  ForEachIndex(shape, [&](const Index& at) {
    result.Set(place++, ConvolveAt(c, frame.tensor(0), frame.tensor(1), result.element_type(), at));
  });
  return result;
}

// Kernels without elements have windows of size 1 here: there is nothing to sum.
Index KernelSizes(const Tensor& rhs, Dims spatial) {
  Index sizes = SizesOf(rhs, spatial);
  for (int64_t& size : sizes) size = std::max<int64_t>(size, 1);
  return sizes;
}

llvm::SmallVector<bool> ReversalOf(std::optional<llvm::ArrayRef<bool>> given, size_t rank) {
  return given ? llvm::SmallVector<bool>(given->begin(), given->end()) : llvm::SmallVector<bool>(rank, false);
}

StatusOr<Tensor> EvaluateConvolution(stablehlo::ConvolutionOp op, Frame& frame) {
  const stablehlo::ConvDimensionNumbersAttr numbers = op.getDimensionNumbers();
  const Index kernel = KernelSizes(frame.tensor(1), numbers.getKernelSpatialDimensions());
  auto window = stablehlo::CheckWindow(op, kernel, op.getWindowStrides(), op.getPaddingAttr(), op.getLhsDilation(),
                                       op.getRhsDilation());
  if (failed(window)) return InvalidArgument("its window is not valid");
  const auto shape = llvm::cast<mlir::RankedTensorType>(frame.result_type(0)).getShape();
  return Convolve(frame,
                  {numbers, *window, ReversalOf(op.getWindowReversal(), kernel.size()),
                   static_cast<int64_t>(op.getFeatureGroupCount()), static_cast<int64_t>(op.getBatchGroupCount())},
                  shape);
}

// convolution whose padding is a value. Its verifier sees no sizes: the operation is built again as a convolution,
// whose verifier does.
StatusOr<Tensor> EvaluateDynamicConv(stablehlo::DynamicConvOp op, Frame& frame) {
  const stablehlo::ConvDimensionNumbersAttr numbers = op.getDimensionNumbers();
  const Index padding(frame.integers(2));
  const auto spatial = static_cast<int64_t>(numbers.getInputSpatialDimensions().size());
  if (static_cast<int64_t>(padding.size()) != 2 * spatial)
    return InvalidArgument("needs a pair of paddings for each dimension");
  mlir::OpBuilder builder(op);
  auto pairs = mlir::DenseIntElementsAttr::get(mlir::RankedTensorType::get({spatial, 2}, builder.getI64Type()),
                                               llvm::ArrayRef<int64_t>(padding));

  auto fixed = stablehlo::ConvolutionOp::create(
      builder, op.getLoc(), op.getResult().getType(), op.getLhs(), op.getRhs(), op.getWindowStridesAttr(), pairs,
      op.getLhsDilationAttr(), op.getRhsDilationAttr(), op.getWindowReversalAttr(), numbers,
      op.getFeatureGroupCountAttr(), op.getBatchGroupCountAttr(), op.getPrecisionConfigAttr());
  const bool valid = succeeded(fixed.verify()) && fixed.getResult().getType().hasStaticShape() &&
                     fixed.getLhs().getType().hasStaticShape() && fixed.getRhs().getType().hasStaticShape();
  StatusOr<Tensor> result = valid ? EvaluateConvolution(fixed, frame)
                                  : StatusOr<Tensor>(InvalidArgument("its padding does not fit its shapes"));
  fixed.erase();
  return result;
}

}  // namespace

void AddContractions(Evaluators& evaluators) {
  evaluators.Add(&EvaluateDotGeneral);
  evaluators.Add(&EvaluateDot);
  evaluators.Add(&EvaluateRaggedDot);
  evaluators.Add(&EvaluateEinsum);
  evaluators.Add(&EvaluateUnaryEinsum);
  evaluators.Add(&EvaluateConvolution);
  evaluators.Add(&EvaluateDynamicConv);
}

}  // namespace treadle::interpreter

// Operations that fold, scan or order elements with a region, and batch normalization.
#include <algorithm>
#include <cmath>
#include <functional>
#include <numeric>

#include "mlir/IR/TypeUtilities.h"
#include "stablehlo/chlo/ops.h"
#include "stablehlo/dialect/ops.h"
#include "stablehlo/dialect/shape_rules.h"
#include "stablehlo/interpreter/evaluate.h"

namespace treadle::interpreter {

namespace {

using Scalars = std::vector<Tensor>;  // one of each operand

// ---- reduce. The specification lets the tree be chosen and keeps the order of its leaves: the tree is balanced, which
// loses least, and one initial value stands in front. Windows are folded one element after another, as jaxlib does.

StatusOr<Scalars> Combine(const Frame& frame, mlir::Region& body, Scalars a, const Scalars& b) {
  a.insert(a.end(), b.begin(), b.end());
  return frame.RunOnScalars(body, a);
}

StatusOr<Scalars> Tree(const Frame& frame, mlir::Region& body, llvm::ArrayRef<Scalars> values) {
  if (values.size() == 1) return values[0];
  const size_t half = values.size() / 2;
  TREADLE_ASSIGN_OR_RETURN(Scalars left, Tree(frame, body, values.take_front(half)));
  TREADLE_ASSIGN_OR_RETURN(Scalars right, Tree(frame, body, values.drop_front(half)));
  return Combine(frame, body, std::move(left), right);
}

StatusOr<Scalars> FoldInOrder(const Frame& frame, mlir::Region& body, Scalars folded, llvm::ArrayRef<Scalars> values) {
  for (const Scalars& value : values) {
    TREADLE_ASSIGN_OR_RETURN(folded, Combine(frame, body, std::move(folded), value));
  }
  return folded;
}

StatusOr<Scalars> Fold(const Frame& frame, mlir::Region& body, const Scalars& init, llvm::ArrayRef<Scalars> values) {
  if (values.empty()) return init;
  TREADLE_ASSIGN_OR_RETURN(Scalars folded, Tree(frame, body, values));
  return Combine(frame, body, init, folded);
}

// The results' zeros, and the initial values as elements of the results.
struct Folding {
  std::vector<Tensor> results;
  Scalars init;
};

StatusOr<Folding> StartFolding(const Frame& frame, int64_t count, llvm::ArrayRef<int64_t> shape) {
  Folding folding;
  for (int64_t i = 0; i < count; ++i) {
    TREADLE_ASSIGN_OR_RETURN(Tensor result, frame.Result(i, shape));
    TREADLE_ASSIGN_OR_RETURN(Tensor init, ConvertTo(frame.tensor(count + i), result.type().getElementType()));
    folding.results.push_back(std::move(result));
    folding.init.push_back(std::move(init));
  }
  return folding;
}

Scalars ElementsAt(const std::vector<Tensor>& tensors, int64_t place) {
  Scalars elements;
  for (const Tensor& tensor : tensors) elements.push_back(ScalarOf(tensor, place));
  return elements;
}

void SetAt(std::vector<Tensor>& tensors, int64_t place, const Scalars& elements) {
  for (size_t i = 0; i < tensors.size(); ++i) tensors[i].Copy(place, elements[i], 0);
}

// Inputs as elements of the results: the region takes those.
StatusOr<std::vector<Tensor>> Promoted(const std::vector<Tensor>& inputs, const std::vector<Tensor>& results) {
  std::vector<Tensor> promoted;
  for (size_t i = 0; i < inputs.size(); ++i) {
    TREADLE_ASSIGN_OR_RETURN(Tensor tensor, ConvertTo(inputs[i], results[i].type().getElementType()));
    promoted.push_back(std::move(tensor));
  }
  return promoted;
}

StatusOr<Values> EvaluateReduce(stablehlo::ReduceOp op, Frame& frame) {
  const int64_t count = frame.num_operands() / 2;
  const Index whole(frame.tensor(0).shape());
  Index kept_dims;
  Index kept;
  Index folded;
  for (int64_t i = 0; i < static_cast<int64_t>(whole.size()); ++i) {
    if (llvm::is_contained(op.getDimensions(), i)) {
      folded.push_back(whole[i]);
    } else {
      kept.push_back(whole[i]);
      kept_dims.push_back(i);
    }
  }
  TREADLE_ASSIGN_OR_RETURN(Folding folding, StartFolding(frame, count, kept));
  TREADLE_ASSIGN_OR_RETURN(const std::vector<Tensor> inputs, Promoted(frame.tensors(0, count), folding.results));
  Index folded_dims(op.getDimensions());
  llvm::sort(folded_dims);
  Status status;
  int64_t place = 0;
  ForEachIndex(kept, [&](const Index& at) {
    if (!status.ok()) return;
    Index index(whole.size());
    for (auto [i, dim] : llvm::enumerate(kept_dims)) index[dim] = at[i];
    std::vector<Scalars> values;
    ForEachIndex(folded, [&](const Index& inside) {
      for (auto [i, dim] : llvm::enumerate(folded_dims)) index[dim] = inside[i];
      values.push_back(ElementsAt(inputs, inputs[0].PlaceOf(index)));
    });
    StatusOr<Scalars> result = Fold(frame, op.getBody(), folding.init, values);
    status = result.status();
    if (status.ok()) SetAt(folding.results, place++, *result);
  });
  TREADLE_RETURN_IF_ERROR(status);
  return Values(folding.results.begin(), folding.results.end());
}

// ---- Windows: place i of a window at `at` lies at at * stride + i * dilation - low in the operand whose elements are
// base_dilation apart; between them and beyond its edges is padding.

struct WindowPlace {
  Index index;  // of the operand
  bool inside = true;
};

WindowPlace PlaceInWindow(const stablehlo::Window& w, llvm::ArrayRef<int64_t> shape, const Index& at,
                          const Index& inside) {
  WindowPlace place = {Index(at.size())};
  for (size_t i = 0; i < at.size(); ++i) {
    const int64_t dilated = at[i] * w.strides[i] + inside[i] * w.window_dilations[i] - w.low[i];
    const int64_t base = w.base_dilations[i];
    if (dilated < 0 || dilated % base != 0 || dilated / base >= shape[i]) place.inside = false;
    place.index[i] = dilated / base;
  }
  return place;
}

// Programs name windows that nobody can walk over.
Status CheckWalkable(const stablehlo::Window& w) {
  constexpr Extended kMaxPlaces = 1 << 28;
  const Extended places = std::accumulate(w.size.begin(), w.size.end(), Extended{1}, std::multiplies<>());
  return places <= kMaxPlaces ? OkStatus() : ResourceExhausted("has a window too large for the interpreter");
}

StatusOr<Values> EvaluateReduceWindow(stablehlo::ReduceWindowOp op, Frame& frame) {
  const int64_t count = frame.num_operands() / 2;
  auto window = stablehlo::CheckWindow(op, op.getWindowDimensions(), op.getWindowStrides(), op.getPaddingAttr(),
                                       op.getBaseDilations(), op.getWindowDilations());
  if (failed(window)) return InvalidArgument("its window is not valid");
  TREADLE_RETURN_IF_ERROR(CheckWalkable(*window));
  Index shape;
  for (int64_t i = 0; i < frame.tensor(0).rank(); ++i) {
    auto places = stablehlo::WindowPlaces(op, *window, i, frame.tensor(0).dim(i));
    if (failed(places)) return InvalidArgument("its window is not valid");
    shape.push_back(*places);
  }
  TREADLE_ASSIGN_OR_RETURN(Folding folding, StartFolding(frame, count, shape));
  TREADLE_ASSIGN_OR_RETURN(const std::vector<Tensor> inputs, Promoted(frame.tensors(0, count), folding.results));
  Status status;
  int64_t place = 0;
  ForEachIndex(shape, [&](const Index& at) {
    if (!status.ok()) return;
    std::vector<Scalars> values;
    ForEachIndex(window->size, [&](const Index& inside) {
      const WindowPlace from = PlaceInWindow(*window, inputs[0].shape(), at, inside);
      values.push_back(from.inside ? ElementsAt(inputs, inputs[0].PlaceOf(from.index)) : folding.init);
    });
    StatusOr<Scalars> result = FoldInOrder(frame, op.getBody(), folding.init, values);
    status = result.status();
    if (status.ok()) SetAt(folding.results, place++, *result);
  });
  TREADLE_RETURN_IF_ERROR(status);
  return Values(folding.results.begin(), folding.results.end());
}

// ---- select_and_scatter: `select` chooses a place in each window (padding is no candidate), `scatter` adds the
// source's element there.

StatusOr<Tensor> EvaluateSelectAndScatter(stablehlo::SelectAndScatterOp op, Frame& frame) {
  const Tensor& operand = frame.tensor(0);
  const Tensor& source = frame.tensor(1);
  const Index ones(operand.rank(), 1);
  auto window = stablehlo::CheckWindow(op, op.getWindowDimensions().value_or(ones), op.getWindowStrides(),
                                       op.getPaddingAttr(), std::nullopt, std::nullopt);
  if (failed(window)) return InvalidArgument("its window is not valid");
  TREADLE_RETURN_IF_ERROR(CheckWalkable(*window));
  TREADLE_ASSIGN_OR_RETURN(Tensor result, frame.Result(0, operand.shape()));
  TREADLE_ASSIGN_OR_RETURN(Tensor init, ConvertTo(frame.tensor(2), result.type().getElementType()));
  for (int64_t i = 0; i < result.size(); ++i) result.Copy(i, init, 0);
  Status status;
  int64_t from = 0;
  ForEachIndex(source.shape(), [&](const Index& at) {
    int64_t chosen = -1;
    ForEachIndex(window->size, [&](const Index& inside) {
      const WindowPlace candidate = PlaceInWindow(*window, operand.shape(), at, inside);
      if (!status.ok() || !candidate.inside) return;
      const int64_t place = operand.PlaceOf(candidate.index);
      if (chosen < 0) {
        chosen = place;
        return;
      }
      StatusOr<Scalars> keep =
          frame.RunOnScalars(op.getSelect(), {ScalarOf(operand, chosen), ScalarOf(operand, place)});
      status = keep.status();
      if (status.ok() && (*keep)[0].Get(0).integer == 0) chosen = place;
    });
    if (status.ok() && chosen >= 0) {
      StatusOr<Scalars> sum = frame.RunOnScalars(op.getScatter(), {ScalarOf(result, chosen), ScalarOf(source, from)});
      status = sum.status();
      if (status.ok()) result.Copy(chosen, (*sum)[0], 0);
    }
    ++from;
  });
  TREADLE_RETURN_IF_ERROR(status);
  return result;
}

// ---- sort: a stable merge sort, which needs no sense from the comparator to end.

class Sorter {
 public:
  Sorter(const Frame& frame, mlir::Region& comparator, const std::vector<Tensor>& inputs)
      : frame_(frame), comparator_(comparator), inputs_(inputs) {}

  // Sorts places of the inputs.
  Status Sort(std::vector<int64_t>& places) const {
    if (places.size() < 2) return OkStatus();
    const auto half = static_cast<int64_t>(places.size() / 2);
    std::vector<int64_t> left(places.begin(), places.begin() + half);
    std::vector<int64_t> right(places.begin() + half, places.end());
    TREADLE_RETURN_IF_ERROR(Sort(left));
    TREADLE_RETURN_IF_ERROR(Sort(right));
    size_t l = 0;
    size_t r = 0;
    for (int64_t& place : places) {
      bool take_right = l == left.size();
      if (!take_right && r < right.size()) {
        TREADLE_ASSIGN_OR_RETURN(take_right, Less(right[r], left[l]));
      }
      place = take_right ? right[r++] : left[l++];
    }
    return OkStatus();
  }

 private:
  StatusOr<bool> Less(int64_t a, int64_t b) const {
    Scalars arguments;
    for (const Tensor& input : inputs_) {
      arguments.push_back(ScalarOf(input, a));
      arguments.push_back(ScalarOf(input, b));
    }
    TREADLE_ASSIGN_OR_RETURN(Scalars result, frame_.RunOnScalars(comparator_, arguments));
    return result[0].Get(0).integer != 0;
  }

  const Frame& frame_;
  mlir::Region& comparator_;
  const std::vector<Tensor>& inputs_;
};

StatusOr<Values> EvaluateSort(stablehlo::SortOp op, Frame& frame) {
  const std::vector<Tensor> inputs = frame.tensors(0, frame.num_operands());
  std::vector<Tensor> results = inputs;
  auto along = static_cast<int64_t>(op.getDimension());
  if (along < 0) along += inputs[0].rank();
  Index rows(inputs[0].shape());
  const int64_t length = rows[along];
  rows[along] = 1;
  if (length == 0) return Values(results.begin(), results.end());
  const Sorter sorter(frame, op.getComparator(), inputs);
  Status status;
  ForEachIndex(rows, [&](const Index& row) {
    if (!status.ok()) return;
    std::vector<int64_t> places;
    Index index = row;
    for (index[along] = 0; index[along] < length; ++index[along]) places.push_back(inputs[0].PlaceOf(index));
    std::vector<int64_t> sorted = places;
    status = sorter.Sort(sorted);
    for (size_t i = 0; i < places.size() && status.ok(); ++i) SetAt(results, places[i], ElementsAt(inputs, sorted[i]));
  });
  TREADLE_RETURN_IF_ERROR(status);
  return Values(results.begin(), results.end());
}

// ---- scan: the body on one slice after another.

// The shape of a slice; calls f(place in the tensor, place in the slice) for every element of slice `at` along `along`.
template <typename F>
Index ForEachOfSlice(llvm::ArrayRef<int64_t> shape, int64_t along, int64_t at, F f) {
  Index slice(shape);
  slice.erase(slice.begin() + along);
  Index strides(shape.size(), 1);
  for (size_t i = shape.size() - 1; i > 0; --i) strides[i - 1] = strides[i] * shape[i];
  int64_t place = 0;
  ForEachIndex(slice, [&](const Index& index) {
    int64_t from = at * strides[along];
    for (size_t i = 0; i < index.size(); ++i) from += index[i] * strides[static_cast<int64_t>(i) < along ? i : i + 1];
    f(from, place++);
  });
  return slice;
}

StatusOr<Tensor> SliceAt(const Tensor& tensor, int64_t along, int64_t at) {
  const Index shape = ForEachOfSlice(tensor.shape(), along, at, [](int64_t, int64_t) {});
  TREADLE_ASSIGN_OR_RETURN(Tensor slice,
                           Tensor::Zeros(mlir::RankedTensorType::get(shape, tensor.type().getElementType())));
  ForEachOfSlice(tensor.shape(), along, at, [&](int64_t from, int64_t to) { slice.Copy(to, tensor, from); });
  return slice;
}

StatusOr<Values> EvaluateScan(chlo::ScanOp op, Frame& frame) {
  const auto along = static_cast<int64_t>(op.getDimension());
  const auto num_inputs = static_cast<int64_t>(op.getInputs().size());
  const auto num_outputs = static_cast<int64_t>(op.getOutputs().size());
  const int64_t count = num_inputs > 0 ? frame.tensor(0).dim(along) : op.NumSlices();
  Values carries(frame.operands().begin() + num_inputs, frame.operands().end());
  std::vector<Tensor> outputs;
  for (int64_t i = 0; i < num_outputs && count == 0; ++i) {
    TREADLE_ASSIGN_OR_RETURN(Tensor nothing, frame.Result(i));
    outputs.push_back(std::move(nothing));
  }
  for (int64_t step = 0; step < count; ++step) {
    const int64_t at = op.getIsReverse() ? count - 1 - step : step;
    Values arguments;
    for (const Tensor& input : frame.tensors(0, num_inputs)) {
      if (input.dim(along) != count) return InvalidArgument("inputs have different numbers of slices");
      TREADLE_ASSIGN_OR_RETURN(Tensor slice, SliceAt(input, along, at));
      arguments.emplace_back(std::move(slice));
    }
    arguments.insert(arguments.end(), carries.begin(), carries.end());
    TREADLE_ASSIGN_OR_RETURN(const Values returned, frame.Run(op.getBody(), std::move(arguments)));
    carries.assign(returned.begin() + num_outputs, returned.end());
    for (int64_t i = 0; i < num_outputs; ++i) {
      const Tensor& slice = std::get<Tensor>(returned[i]);
      if (step == 0) {  // only now its sizes are known
        Index shape(slice.shape());
        shape.insert(shape.begin() + along, count);
        TREADLE_ASSIGN_OR_RETURN(Tensor output, frame.Result(i, shape));
        outputs.push_back(std::move(output));
      }
      ForEachOfSlice(outputs[i].shape(), along, at,
                     [&](int64_t to, int64_t from) { outputs[i].Copy(to, slice, from); });
    }
  }
  Values results(outputs.begin(), outputs.end());
  results.insert(results.end(), carries.begin(), carries.end());
  return results;
}

StatusOr<Tensor> EvaluateMap(stablehlo::MapOp op, Frame& frame) {
  const std::vector<Tensor> inputs = frame.tensors(0, frame.num_operands());
  TREADLE_ASSIGN_OR_RETURN(Tensor result, frame.Result(0, inputs[0].shape()));
  for (int64_t i = 0; i < result.size(); ++i) {
    TREADLE_ASSIGN_OR_RETURN(Scalars value, frame.RunOnScalars(op.getComputation(), ElementsAt(inputs, i)));
    result.Copy(i, value[0], 0);
  }
  return result;
}

// ---- Batch normalization: sums over all dimensions but the feature's. Computed with f64, rounded at the end.

class Features {
 public:
  Features(const Tensor& tensor, int64_t dimension) : tensor_(tensor), dimension_(dimension) {}

  int64_t count() const { return tensor_.dim(dimension_); }
  double per_feature() const { return static_cast<double>(tensor_.size()) / static_cast<double>(count()); }

  // f(place, feature) for every element.
  template <typename F>
  void ForEach(F f) const {
    int64_t place = 0;
    ForEachIndex(tensor_.shape(), [&](const Index& index) { f(place++, index[dimension_]); });
  }

  // Means of f(place) over each feature's elements.
  template <typename F>
  std::vector<double> Mean(F f) const {
    std::vector<double> sums(count());
    ForEach([&](int64_t place, int64_t feature) { sums[feature] += f(place, feature); });
    for (double& sum : sums) sum /= per_feature();
    return sums;
  }

 private:
  const Tensor& tensor_;
  int64_t dimension_;
};

double RealAt(const Tensor& tensor, int64_t place) { return tensor.Get(place).real; }

void SetReal(Tensor& tensor, int64_t place, double value) {
  tensor.Set(place, FloatElement(value, tensor.element_type()));
}

StatusOr<Tensor> EvaluateBatchNormInference(stablehlo::BatchNormInferenceOp op, Frame& frame) {
  const Tensor& x = frame.tensor(0);
  TREADLE_ASSIGN_OR_RETURN(Tensor result, frame.Result(0, x.shape()));
  const double epsilon = op.getEpsilon().convertToFloat();
  Features(x, static_cast<int64_t>(op.getFeatureIndex())).ForEach([&](int64_t place, int64_t feature) {
    const double normal =
        (RealAt(x, place) - RealAt(frame.tensor(3), feature)) / std::sqrt(RealAt(frame.tensor(4), feature) + epsilon);
    SetReal(result, place, normal * RealAt(frame.tensor(1), feature) + RealAt(frame.tensor(2), feature));
  });
  return result;
}

StatusOr<Values> EvaluateBatchNormTraining(stablehlo::BatchNormTrainingOp op, Frame& frame) {
  const Tensor& x = frame.tensor(0);
  const Features features(x, static_cast<int64_t>(op.getFeatureIndex()));
  TREADLE_ASSIGN_OR_RETURN(Tensor result, frame.Result(0, x.shape()));
  TREADLE_ASSIGN_OR_RETURN(Tensor mean, frame.Result(1, {features.count()}));
  TREADLE_ASSIGN_OR_RETURN(Tensor variance, frame.Result(2, {features.count()}));
  const double epsilon = op.getEpsilon().convertToFloat();
  const std::vector<double> means = features.Mean([&](int64_t place, int64_t) { return RealAt(x, place); });
  const std::vector<double> variances = features.Mean([&](int64_t place, int64_t feature) {
    const double distance = RealAt(x, place) - means[feature];
    return distance * distance;
  });
  for (int64_t i = 0; i < features.count(); ++i) {
    SetReal(mean, i, means[i]);
    SetReal(variance, i, variances[i]);
  }
  features.ForEach([&](int64_t place, int64_t feature) {
    const double normal = (RealAt(x, place) - means[feature]) / std::sqrt(variances[feature] + epsilon);
    SetReal(result, place, normal * RealAt(frame.tensor(1), feature) + RealAt(frame.tensor(2), feature));
  });
  return Values{result, mean, variance};
}

StatusOr<Values> EvaluateBatchNormGrad(stablehlo::BatchNormGradOp op, Frame& frame) {
  const Tensor& x = frame.tensor(0);
  const Tensor& scale = frame.tensor(1);
  const Tensor& mean = frame.tensor(2);
  const Tensor& variance = frame.tensor(3);
  const Tensor& grad = frame.tensor(4);
  const Features features(x, static_cast<int64_t>(op.getFeatureIndex()));
  TREADLE_ASSIGN_OR_RETURN(Tensor grad_operand, frame.Result(0, x.shape()));
  TREADLE_ASSIGN_OR_RETURN(Tensor grad_scale, frame.Result(1, {features.count()}));
  TREADLE_ASSIGN_OR_RETURN(Tensor grad_offset, frame.Result(2, {features.count()}));
  const double epsilon = op.getEpsilon().convertToFloat();
  auto centered = [&](int64_t place, int64_t feature) { return RealAt(x, place) - RealAt(mean, feature); };
  const std::vector<double> mean_grad = features.Mean([&](int64_t place, int64_t) { return RealAt(grad, place); });
  const std::vector<double> mean_product =
      features.Mean([&](int64_t place, int64_t feature) { return RealAt(grad, place) * centered(place, feature); });
  for (int64_t i = 0; i < features.count(); ++i) {
    const double deviation = std::sqrt(RealAt(variance, i) + epsilon);
    SetReal(grad_scale, i, mean_product[i] * features.per_feature() / deviation);
    SetReal(grad_offset, i, mean_grad[i] * features.per_feature());
  }
  features.ForEach([&](int64_t place, int64_t feature) {
    const double power = RealAt(variance, feature) + epsilon;
    const double centered_grad =
        RealAt(grad, place) - mean_grad[feature] - centered(place, feature) * mean_product[feature] / power;
    SetReal(grad_operand, place, RealAt(scale, feature) / std::sqrt(power) * centered_grad);
  });
  return Values{grad_operand, grad_scale, grad_offset};
}

}  // namespace

void AddReductions(Evaluators& evaluators) {
  evaluators.Add(&EvaluateReduce, /*on_storage=*/true);
  evaluators.Add(&EvaluateReduceWindow, true);
  evaluators.Add(&EvaluateSelectAndScatter, true);
  evaluators.Add(&EvaluateSort, true);
  evaluators.Add(&EvaluateScan, true);
  evaluators.Add(&EvaluateMap, true);
  evaluators.Add(&EvaluateBatchNormInference);
  evaluators.Add(&EvaluateBatchNormTraining);
  evaluators.Add(&EvaluateBatchNormGrad);
}

}  // namespace treadle::interpreter

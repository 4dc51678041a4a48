#include "compiler/plan/testing/reference.h"

#include <algorithm>
#include <cstdlib>
#include <numeric>
#include <utility>

#include "compiler/plan/testing/elementwise.h"

namespace treadle::plan::testing {
namespace {

using graph::Graph;
using graph::OpCode;

std::vector<int64_t> Unravel(int64_t number, const std::vector<int64_t>& dims) {
  std::vector<int64_t> index(dims.size());
  for (size_t k = dims.size(); k-- > 0; number /= dims[k]) index[k] = number % dims[k];
  return index;
}

int64_t Ravel(const std::vector<int64_t>& index, const std::vector<int64_t>& dims) {
  int64_t number = 0;
  for (size_t k = 0; k < dims.size(); ++k) number = number * dims[k] + index[k];
  return number;
}

int64_t WindowStart(const Tensor& start, int64_t limit, int64_t number = 0) {
  if (IsUnsigned(start.shape.type)) return static_cast<int64_t>(std::min<uint64_t>(start.Integer(number), limit));
  return std::min(std::max<int64_t>(start.Integer(number), 0), limit);
}

bool Contains(const std::vector<int64_t>& list, int64_t value) {
  return std::find(list.begin(), list.end(), value) != list.end();
}

// Gather and scatter after the specification's text: of an index of the result (the updates) the full batching and
// window indices, and the elements of the index vector.
struct IndexedElement {
  std::vector<int64_t> inside;      // the full window index plus the full batching index
  std::vector<int64_t> components;  // element numbers in the indices, by component
};

IndexedElement Locate(const graph::IndexedWindows& windows, const std::vector<int64_t>& index,
                      const std::vector<int64_t>& indices_dims, size_t operand_rank) {
  std::vector<int64_t> batch, window;
  for (size_t d = 0; d < index.size(); ++d) {
    (Contains(windows.window, static_cast<int64_t>(d)) ? window : batch).push_back(index[d]);
  }
  IndexedElement element;
  element.inside.resize(operand_rank);
  size_t next = 0;
  for (size_t d = 0; d < operand_rank; ++d) {
    auto dim = static_cast<int64_t>(d);
    if (!Contains(windows.dropped, dim) && !Contains(windows.operand_batch, dim)) element.inside[d] = window[next++];
  }
  for (size_t k = 0; k < windows.operand_batch.size(); ++k) {
    int64_t dim = windows.indices_batch[k];
    element.inside[windows.operand_batch[k]] = batch[dim - (windows.index_vector < dim)];
  }
  for (size_t c = 0; c < windows.index_map.size(); ++c) {
    std::vector<int64_t> at = batch;
    if (static_cast<size_t>(windows.index_vector) < indices_dims.size()) {
      at.insert(at.begin() + windows.index_vector, static_cast<int64_t>(c));
    }
    element.components.push_back(Ravel(at, indices_dims));
  }
  return element;
}

std::vector<int64_t> GatherSource(const graph::Op& op, const std::vector<const Tensor*>& in,
                                  const std::vector<int64_t>& i) {
  const std::vector<int64_t>& dims = in[0]->shape.dims;
  IndexedElement element = Locate(op.attrs.windows, i, in[1]->shape.dims, dims.size());
  for (size_t c = 0; c < element.components.size(); ++c) {
    int64_t d = op.attrs.windows.index_map[c];
    element.inside[d] += WindowStart(*in[1], dims[d] - op.attrs.limits[d], element.components[c]);
  }
  return element.inside;
}

// Where element `i` of the result comes from in operand 0.
std::vector<int64_t> SourceIndex(const graph::Op& op, const std::vector<const Tensor*>& in, std::vector<int64_t> i) {
  if (op.code == OpCode::kGather) return GatherSource(op, in, i);
  const std::vector<int64_t>& dims = in[0]->shape.dims;
  std::vector<int64_t> index(dims.size());
  for (size_t k = 0; k < dims.size(); ++k) {
    switch (op.code) {
      case OpCode::kBroadcastInDim:
        index[k] = dims[k] == 1 ? 0 : i[op.attrs.dims[k]];
        break;
      case OpCode::kTranspose:
        index[op.attrs.dims[k]] = i[k];
        break;
      case OpCode::kSlice:
        index[k] = op.attrs.starts[k] + i[k] * op.attrs.strides[k];
        break;
      case OpCode::kReverse:
        index[k] = i[k];
        break;
      case OpCode::kDynamicSlice:
        index[k] = i[k] + WindowStart(*in[1 + k], dims[k] - op.attrs.limits[k]);
        break;
      default:
        std::abort();
    }
  }
  if (op.code == OpCode::kReverse) {
    for (int64_t k : op.attrs.dims) index[k] = dims[k] - 1 - index[k];
  }
  return index;
}

void Move(const graph::Op& op, const std::vector<const Tensor*>& in, Tensor& out) {
  const std::vector<int64_t>& dims = out.shape.dims;
  int64_t elements = out.shape.elements();
  switch (op.code) {
    case OpCode::kConstant:
      for (int64_t i = 0; i < elements; ++i) Copy(out, i, Tensor{out.shape, *op.attrs.literal}, op.attrs.splat ? 0 : i);
      return;
    case OpCode::kIota:
      for (int64_t i = 0; i < elements; ++i) {
        int64_t value = Unravel(i, dims)[op.attrs.dims[0]];
        IsFloat(out.shape.type) ? out.SetFloat(i, static_cast<double>(value)) : out.SetInteger(i, value);
      }
      return;
    case OpCode::kReshape:
      out.bytes = in[0]->bytes;
      return;
    case OpCode::kConcatenate: {
      int64_t axis = op.attrs.dims[0], offset = 0;
      for (const Tensor* operand : in) {
        for (int64_t i = 0; i < operand->shape.elements(); ++i) {
          std::vector<int64_t> index = Unravel(i, operand->shape.dims);
          index[axis] += offset;
          Copy(out, Ravel(index, dims), *operand, i);
        }
        offset += operand->shape.dims[axis];
      }
      return;
    }
    case OpCode::kPad:
      for (int64_t i = 0; i < elements; ++i) Copy(out, i, *in[1], 0);
      for (int64_t i = 0; i < in[0]->shape.elements(); ++i) {
        std::vector<int64_t> index = Unravel(i, in[0]->shape.dims);
        bool inside = true;
        for (size_t k = 0; k < index.size(); ++k) {
          index[k] = op.attrs.low[k] + index[k] * (op.attrs.interior[k] + 1);
          inside = inside && index[k] >= 0 && index[k] < dims[k];
        }
        if (inside) Copy(out, Ravel(index, dims), *in[0], i);
      }
      return;
    case OpCode::kDynamicUpdateSlice:
      out.bytes = in[0]->bytes;
      for (int64_t i = 0; i < in[1]->shape.elements(); ++i) {
        std::vector<int64_t> index = Unravel(i, in[1]->shape.dims);
        for (size_t k = 0; k < index.size(); ++k) index[k] += WindowStart(*in[2 + k], dims[k] - in[1]->shape.dims[k]);
        Copy(out, Ravel(index, dims), *in[1], i);
      }
      return;
    default:
      for (int64_t i = 0; i < elements; ++i) {
        Copy(out, i, *in[0], Ravel(SourceIndex(op, in, Unravel(i, dims)), in[0]->shape.dims));
      }
  }
}

void Reduce(const Graph& graph, const graph::Op& op, const std::vector<const Tensor*>& in, Values& values) {
  size_t count = op.results.size();
  const Shape& shape = in[0]->shape;
  const graph::Region& region = graph.regions[op.regions[0]];
  std::vector<Tensor> out;
  for (size_t k = 0; k < count; ++k) {
    out.push_back(Tensor::Zeros(graph.shape(op.results[k])));
    for (int64_t i = 0; i < out[k].shape.elements(); ++i) Copy(out[k], i, *in[count + k], 0);
  }
  for (int64_t i = 0; i < shape.elements(); ++i) {
    std::vector<int64_t> index = Unravel(i, shape.dims), kept;
    for (size_t k = 0; k < index.size(); ++k) {
      bool reduced = false;
      for (int64_t d : op.attrs.dims) reduced |= d == static_cast<int64_t>(k);
      if (!reduced) kept.push_back(index[k]);
    }
    int64_t to = Ravel(kept, out[0].shape.dims);
    Values local = {};
    for (size_t k = 0; k < count; ++k) {
      Tensor accumulated = Tensor::Zeros(graph.shape(region.arguments[k])), value = accumulated;
      Copy(accumulated, 0, out[k], to);
      Copy(value, 0, *in[k], i);
      local[region.arguments[k]] = accumulated;
      local[region.arguments[count + k]] = value;
    }
    Evaluate(graph, op.regions[0], local);
    for (size_t k = 0; k < count; ++k) Copy(out[k], to, local.at(region.results[k]), 0);
  }
  for (size_t k = 0; k < count; ++k) values[op.results[k]] = out[k];
}

// Insertion from the end of what is sorted: stable, and defined for every comparator.
void Sort(const Graph& graph, const graph::Op& op, const std::vector<const Tensor*>& in, Values& values) {
  const graph::Region& region = graph.regions[op.regions[0]];
  const std::vector<int64_t>& dims = in[0]->shape.dims;
  std::vector<Tensor> out;
  for (graph::ValueId result : op.results) out.push_back(Tensor::Zeros(graph.shape(result)));
  const size_t take = out[0].shape.dims[op.attrs.dims[0]];
  auto goes_before = [&](int64_t a, int64_t b) {
    Values local = values;
    for (size_t k = 0; k < in.size(); ++k) {
      for (int side = 0; side < 2; ++side) {
        Tensor one = Tensor::Zeros({in[k]->shape.type, {}});
        Copy(one, 0, *in[k], side ? b : a);
        local[region.arguments[2 * k + side]] = one;
      }
    }
    Evaluate(graph, op.regions[0], local);
    return local.at(region.results[0]).Integer(0) != 0;
  };
  for (int64_t first = 0; first < in[0]->shape.elements(); ++first) {
    std::vector<int64_t> index = Unravel(first, dims);
    int64_t& at = index[op.attrs.dims[0]];
    if (at != 0) continue;
    std::vector<int64_t> order, places;
    for (at = 0; at < dims[op.attrs.dims[0]]; ++at) {
      places.push_back(Ravel(index, dims));
      size_t place = order.size();
      while (place > 0 && goes_before(places.back(), order[place - 1])) --place;
      order.insert(order.begin() + static_cast<int64_t>(place), places.back());
    }
    for (size_t k = 0; k < in.size(); ++k) {
      for (size_t i = 0; i < take; ++i) {
        at = static_cast<int64_t>(i);
        Copy(out[k], Ravel(index, out[k].shape.dims), *in[k], order[i]);
      }
      at = static_cast<int64_t>(order.size());
    }
  }
  for (size_t k = 0; k < in.size(); ++k) values[op.results[k]] = out[k];
}

// Whether the whole window that element `index` of the updates belongs to lies inside, and where the element goes.
std::pair<bool, std::vector<int64_t>> ScatterTarget(const graph::Op& op, const std::vector<const Tensor*>& in,
                                                    const std::vector<int64_t>& index) {
  const graph::IndexedWindows& windows = op.attrs.windows;
  const Tensor& indices = *in[op.results.size()];
  const std::vector<int64_t>&dims = in[0]->shape.dims, &updates = in.back()->shape.dims;
  IndexedElement element = Locate(windows, index, indices.shape.dims, dims.size());
  std::vector<int64_t> last(updates.size());
  for (size_t d = 0; d < last.size(); ++d) {
    last[d] = Contains(windows.window, static_cast<int64_t>(d)) ? updates[d] - 1 : index[d];
  }
  std::vector<int64_t> end = Locate(windows, last, indices.shape.dims, dims.size()).inside;
  bool inside = true;
  for (size_t c = 0; c < element.components.size(); ++c) {
    int64_t d = windows.index_map[c], start = indices.Integer(element.components[c]);
    bool huge = indices.shape.type == ElementType::kU64 && start < 0;
    inside = inside && !huge && start >= 0 && start < dims[d] && start + end[d] < dims[d];
    element.inside[d] = huge ? -1 : element.inside[d] + start;
  }
  return {inside, element.inside};
}

// The updates' elements, window after window: the order that the specification leaves open.
std::vector<int64_t> InOrderOfIndexVectors(const graph::IndexedWindows& windows, const Shape& updates) {
  auto vector_of = [&](int64_t i) {
    std::vector<int64_t> index = Unravel(i, updates.dims), batch;
    for (size_t d = 0; d < index.size(); ++d) {
      if (!Contains(windows.window, static_cast<int64_t>(d))) batch.push_back(index[d]);
    }
    return batch;
  };
  std::vector<int64_t> order(updates.elements());
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(), [&](int64_t a, int64_t b) { return vector_of(a) < vector_of(b); });
  return order;
}

void Scatter(const Graph& graph, const graph::Op& op, const std::vector<const Tensor*>& in, Values& values) {
  size_t count = op.results.size();
  const graph::Region& region = graph.regions[op.regions[0]];
  std::vector<Tensor> out;
  for (size_t k = 0; k < count; ++k) out.push_back(*in[k]);
  const Shape& updates = in.back()->shape;
  for (int64_t i : InOrderOfIndexVectors(op.attrs.windows, updates)) {
    auto [inside, target] = ScatterTarget(op, in, Unravel(i, updates.dims));
    if (!inside) continue;
    int64_t to = Ravel(target, out[0].shape.dims);
    Values local = {};
    for (size_t k = 0; k < count; ++k) {
      Tensor current = Tensor::Zeros(graph.shape(region.arguments[k])), update = current;
      Copy(current, 0, out[k], to);
      Copy(update, 0, *in[count + 1 + k], i);
      local[region.arguments[k]] = current;
      local[region.arguments[count + k]] = update;
    }
    Evaluate(graph, op.regions[0], local);
    for (size_t k = 0; k < count; ++k) Copy(out[k], to, local.at(region.results[k]), 0);
  }
  for (size_t k = 0; k < count; ++k) values[op.results[k]] = out[k];
}

// Tap `tap` of result `i`: the operand's element number, or -1 for padding.
int64_t TapElement(const graph::Attributes& a, const std::vector<int64_t>& dims, const std::vector<int64_t>& i,
                   const std::vector<int64_t>& tap) {
  std::vector<int64_t> index(dims.size());
  for (size_t d = 0; d < dims.size(); ++d) {
    int64_t place = i[d] * a.strides[d] + tap[d] * a.dilations[d] - a.low[d], base = a.interior[d] + 1;
    if (place < 0 || place % base != 0 || place / base >= dims[d]) return -1;
    index[d] = place / base;
  }
  return Ravel(index, dims);
}

void ReduceWindow(const Graph& graph, const graph::Op& op, const std::vector<const Tensor*>& in, Values& values) {
  size_t count = op.results.size();
  const graph::Region& region = graph.regions[op.regions[0]];
  int64_t taps = 1;
  for (int64_t size : op.attrs.limits) taps *= size;
  std::vector<Tensor> out;
  for (size_t k = 0; k < count; ++k) out.push_back(Tensor::Zeros(graph.shape(op.results[k])));
  for (int64_t i = 0; i < out[0].shape.elements(); ++i) {
    for (size_t k = 0; k < count; ++k) Copy(out[k], i, *in[count + k], 0);
    for (int64_t tap = 0; tap < taps; ++tap) {
      int64_t from =
          TapElement(op.attrs, in[0]->shape.dims, Unravel(i, out[0].shape.dims), Unravel(tap, op.attrs.limits));
      Values local = {};
      for (size_t k = 0; k < count; ++k) {
        Tensor folded = Tensor::Zeros(graph.shape(region.arguments[k])), value = folded;
        Copy(folded, 0, out[k], i);
        from < 0 ? Copy(value, 0, *in[count + k], 0) : Copy(value, 0, *in[k], from);
        local[region.arguments[k]] = folded;
        local[region.arguments[count + k]] = value;
      }
      Evaluate(graph, op.regions[0], local);
      for (size_t k = 0; k < count; ++k) Copy(out[k], i, local.at(region.results[k]), 0);
    }
  }
  for (size_t k = 0; k < count; ++k) values[op.results[k]] = out[k];
}

// Its regions see all values around them.
void While(const Graph& graph, const graph::Op& op, const std::vector<const Tensor*>& in, Values& values) {
  std::vector<Tensor> carries;
  for (const Tensor* tensor : in) carries.push_back(*tensor);
  auto run = [&](graph::RegionId number) {
    const graph::Region& region = graph.regions[number];
    Values local = values;
    for (size_t k = 0; k < carries.size(); ++k) local[region.arguments[k]] = carries[k];
    Evaluate(graph, number, local);
    std::vector<Tensor> results;
    for (graph::ValueId result : region.results) results.push_back(local.at(result));
    return results;
  };
  while (run(op.regions[0])[0].Integer(0) != 0) carries = run(op.regions[1]);
  for (size_t k = 0; k < carries.size(); ++k) values[op.results[k]] = carries[k];
}

}  // namespace

void Evaluate(const Graph& graph, graph::RegionId region, Values& values) {
  for (graph::OpId number : graph.regions[region].ops) {
    const graph::Op& op = graph.ops[number];
    std::vector<const Tensor*> in;
    for (graph::ValueId operand : op.operands) in.push_back(&values.at(operand));
    if (op.code == OpCode::kReduce) {
      Reduce(graph, op, in, values);
      continue;
    }
    if (op.code == OpCode::kSort) {
      Sort(graph, op, in, values);
      continue;
    }
    if (op.code == OpCode::kReduceWindow) {
      ReduceWindow(graph, op, in, values);
      continue;
    }
    if (op.code == OpCode::kScatter) {
      Scatter(graph, op, in, values);
      continue;
    }
    if (op.code == OpCode::kWhile) {
      While(graph, op, in, values);
      continue;
    }
    if (op.code == OpCode::kOptimizationBarrier) {
      for (size_t k = 0; k < in.size(); ++k) values[op.results[k]] = *in[k];
      continue;
    }
    Tensor out = Tensor::Zeros(graph.shape(op.results[0]));
    if (graph::OpClassOf(op.code) == graph::OpClass::kElementwise) {
      for (int64_t i = 0; i < out.shape.elements(); ++i) ElementwiseAt(op, in, out, i);
    } else {
      Move(op, in, out);
    }
    values[op.results[0]] = std::move(out);
  }
}

}  // namespace treadle::plan::testing

#include "compiler/plan/schedules/index_space.h"

#include <algorithm>

namespace treadle::plan {

using graph::OpCode;

int64_t Affine::Coefficient(int variable) const {
  for (const auto& [number, coefficient] : terms) {
    if (number == variable) return coefficient;
  }
  return 0;
}

void Affine::Add(const Affine& other, int64_t times) {
  if (times == 0) return;
  offset += other.offset * times;
  for (const auto& [number, coefficient] : other.terms) {
    auto at = std::lower_bound(terms.begin(), terms.end(), std::pair<int, int64_t>(number, INT64_MIN));
    if (at == terms.end() || at->first != number) {
      terms.insert(at, {number, coefficient * times});
    } else if ((at->second += coefficient * times) == 0) {
      terms.erase(at);
    }
  }
}

IndexedPlace PlaceOf(const graph::IndexedWindows& windows, const Index& index, size_t operand_rank) {
  auto has = [](const std::vector<int64_t>& list, size_t dim) {
    return std::find(list.begin(), list.end(), static_cast<int64_t>(dim)) != list.end();
  };
  IndexedPlace place;
  place.window.resize(operand_rank);
  for (size_t k = 0; k < index.size(); ++k) {
    if (!has(windows.window, k)) place.index_vector.push_back(index[k]);
  }
  for (size_t d = 0, next = 0; d < operand_rank; ++d) {
    if (has(windows.dropped, d) || has(windows.operand_batch, d)) continue;
    place.window[d] = index[windows.window[next++]];
  }
  for (size_t k = 0; k < windows.operand_batch.size(); ++k) {
    int64_t dim = windows.indices_batch[k];
    place.window[windows.operand_batch[k]] = place.index_vector[dim > windows.index_vector ? dim - 1 : dim];
  }
  return place;
}

Index ComponentPlace(const graph::IndexedWindows& windows, const IndexedPlace& place, size_t component,
                     int64_t indices_rank) {
  Index at = place.index_vector;
  if (windows.index_vector < indices_rank) {
    at.insert(at.begin() + windows.index_vector, {static_cast<int64_t>(component), {}});
  }
  return at;
}

std::vector<int64_t> WindowSizes(const graph::IndexedWindows& windows, const std::vector<int64_t>& updates,
                                 size_t operand_rank) {
  Index last;
  for (int64_t size : updates) last.push_back({size - 1, {}});
  IndexedPlace place = PlaceOf(windows, last, operand_rank);
  for (int64_t dim : windows.operand_batch) place.window[dim] = {};
  std::vector<int64_t> sizes;
  for (const Affine& at : place.window) sizes.push_back(at.offset + 1);
  return sizes;
}

IndexSpace::IndexSpace(std::vector<int64_t> axes, bool may_split)
    : axes_(static_cast<int>(axes.size())), may_split_(may_split) {
  for (int64_t size : axes) variables_.push_back({.kind = Variable::kAxis, .size = size});
}

Index IndexSpace::Identity() const {
  Index index;
  for (int axis = 0; axis < axes_; ++axis) index.push_back(Affine::Variable(axis));
  return index;
}

std::pair<int64_t, int64_t> IndexSpace::Limits(const Affine& value) const {
  int64_t low = value.offset, high = value.offset;
  for (const auto& [number, coefficient] : value.terms) {
    (coefficient > 0 ? high : low) += coefficient * (variables_[number].size - 1);
  }
  return {low, high};
}

bool IndexSpace::InRange(const Affine& value, int64_t size) const {
  auto [low, high] = Limits(value);
  return low >= 0 && high < size;
}

bool IndexSpace::OutOfRange(const Affine& value, int64_t size) const {
  auto [low, high] = Limits(value);
  return high < 0 || low >= size;
}

int IndexSpace::Intern(Variable variable) {
  auto found = std::find(variables_.begin() + axes_, variables_.end(), variable);
  if (found == variables_.end()) found = variables_.insert(variables_.end(), std::move(variable));
  return static_cast<int>(found - variables_.begin());
}

Affine IndexSpace::Clamp(const Affine& value, int64_t size) {
  if (InRange(value, size)) return value;
  return Affine::Variable(Intern({.kind = Variable::kClamped, .size = size, .of = value}));
}

Affine IndexSpace::Start(graph::ValueId start, Index at, int64_t limit) {
  if (limit == 0) return {};
  return Affine::Variable(Intern({.kind = Variable::kStart, .size = limit + 1, .start = start, .at = std::move(at)}));
}

// value = quotient * by + remainder. Affine when the terms that `by` does not divide stay below it.
std::pair<Affine, Affine> IndexSpace::DivMod(const Affine& value, int64_t by) {
  Affine quotient, remainder;
  remainder.offset = (value.offset % by + by) % by;
  quotient.offset = (value.offset - remainder.offset) / by;
  for (const auto& [number, coefficient] : value.terms) {
    if (coefficient % by == 0) {
      quotient.terms.push_back({number, coefficient / by});
    } else {
      remainder.terms.push_back({number, coefficient});
    }
  }
  if (InRange(remainder, by)) return {quotient, remainder};
  if (may_split_ && !wanted_) {
    for (const auto& [number, coefficient] : remainder.terms) {
      if (number >= axes_ || coefficient <= 0 || by % coefficient != 0) continue;
      int64_t inner = by / coefficient;
      if (variables_[number].size > inner && variables_[number].size % inner == 0) wanted_ = Split{number, inner};
    }
  }
  int64_t size = value.offset + 1;
  for (const auto& [number, coefficient] : value.terms) {
    if (coefficient > 0) size += coefficient * (variables_[number].size - 1);
  }
  int whole = Intern({.kind = Variable::kQuotient, .size = (size + by - 1) / by, .of = value, .by = by});
  int rest = Intern({.kind = Variable::kRemainder, .size = by, .of = value, .by = by});
  return {Affine::Variable(whole), Affine::Variable(rest)};
}

// quotient * by + remainder is what was divided. So a reshape that splits unevenly, undone, leaves no trace.
void IndexSpace::Rejoin(Affine& value) const {
  for (size_t k = 0; k < value.terms.size(); ++k) {
    auto [number, coefficient] = value.terms[k];
    const Variable& rest = variables_[number];
    if (rest.kind != Variable::kRemainder) continue;
    for (const auto& [other, times] : value.terms) {
      const Variable& whole = variables_[other];
      if (whole.kind != Variable::kQuotient || whole.by != rest.by || times != coefficient * rest.by ||
          whole.of != rest.of) {
        continue;
      }
      value.Add(Affine::Variable(other), -coefficient * rest.by);
      value.Add(Affine::Variable(number), -coefficient);
      value.Add(rest.of, coefficient);
      k = static_cast<size_t>(-1);  // what was divided may be such a sum again
      break;
    }
  }
}

// Both shapes fall into stretches with equal products; within one, the element number is formed and taken apart again.
Index IndexSpace::Reshape(const Index& index, const std::vector<int64_t>& from, const std::vector<int64_t>& to) {
  Index result(to.size());
  for (int64_t size : to) {
    if (size == 0) return result;
  }
  size_t i = 0, j = 0;
  while (j < to.size()) {
    int64_t from_size = 1, to_size = 1;
    size_t first_i = i, first_j = j;
    if (to[j] == 1) {
      ++j;
      continue;
    }
    do {
      if (from_size <= to_size && i < from.size()) {
        from_size *= from[i++];
      } else {
        to_size *= to[j++];
      }
    } while (from_size != to_size || from_size == 1);
    Affine number;
    int64_t stride = 1;
    for (size_t k = i; k-- > first_i; stride *= from[k]) {
      if (from[k] != 1) number.Add(index[k], stride);
    }
    Rejoin(number);
    int64_t left = to_size;
    for (size_t k = j; k-- > first_j;) {
      if (to[k] == 1) continue;
      if (to[k] == left) {
        result[k] = number;
        break;
      }
      auto [quotient, remainder] = DivMod(number, to[k]);
      result[k] = remainder;
      number = quotient;
      left /= to[k];
    }
  }
  return result;
}

Affine IndexSpace::Linear(const Index& index, const std::vector<int64_t>& dims) const {
  Affine number;
  int64_t stride = 1;
  for (size_t k = dims.size(); k-- > 0; stride *= dims[k]) {
    if (dims[k] != 1) number.Add(index[k], stride);
  }
  Rejoin(number);
  return number;
}

Index IndexSpace::GatherIndex(const graph::Graph& graph, const graph::Op& op, const Index& index) {
  const std::vector<int64_t>& dims = graph.shape(op.operands[0]).dims;
  IndexedPlace place = PlaceOf(op.attrs.windows, index, dims.size());
  Index result = place.window;
  for (size_t c = 0; c < op.attrs.windows.index_map.size(); ++c) {
    int64_t d = op.attrs.windows.index_map[c];
    Index at = ComponentPlace(op.attrs.windows, place, c, graph.shape(op.operands[1]).rank());
    result[d].Add(Start(op.operands[1], std::move(at), dims[d] - op.attrs.limits[d]), 1);
  }
  return result;
}

std::optional<Index> IndexSpace::OperandIndex(const graph::Graph& graph, const graph::Op& op, int operand,
                                              const Index& index) {
  const std::vector<int64_t>& dims = graph.shape(op.operands[operand]).dims;
  Index result(dims.size());
  switch (op.code) {
    case OpCode::kBroadcastInDim:
      for (size_t k = 0; k < dims.size(); ++k) {
        if (dims[k] != 1) result[k] = index[op.attrs.dims[k]];
      }
      return result;
    case OpCode::kReshape:
      return Reshape(index, graph.shape(op.results[0]).dims, dims);
    case OpCode::kTranspose:
      for (size_t k = 0; k < dims.size(); ++k) result[op.attrs.dims[k]] = index[k];
      return result;
    case OpCode::kSlice:
      for (size_t k = 0; k < dims.size(); ++k) {
        result[k].offset = op.attrs.starts[k];
        result[k].Add(index[k], op.attrs.strides[k]);
      }
      return result;
    case OpCode::kReverse:
      result = index;
      for (int64_t k : op.attrs.dims) {
        result[k] = {dims[k] - 1, {}};
        result[k].Add(index[k], -1);
      }
      return result;
    case OpCode::kDynamicSlice:
      if (operand > 0) return Index{};
      for (size_t k = 0; k < dims.size(); ++k) {
        result[k] = index[k];
        result[k].Add(Start(op.operands[1 + k], {}, dims[k] - op.attrs.limits[k]), 1);
      }
      return result;
    case OpCode::kGather:
      return operand > 0 ? Index{} : GatherIndex(graph, op, index);
    case OpCode::kReduce:  // over dimensions of size 1
      if (operand > 0) return Index{};
      for (size_t k = 0, next = 0; k < dims.size(); ++k) {
        bool reduced =
            std::find(op.attrs.dims.begin(), op.attrs.dims.end(), static_cast<int64_t>(k)) != op.attrs.dims.end();
        if (!reduced) result[k] = index[next++];
      }
      return result;
    case OpCode::kOptimizationBarrier:
      return index;
    default:
      if (graph::OpClassOf(op.code) != graph::OpClass::kElementwise) return std::nullopt;
      return dims.empty() ? Index{} : index;
  }
}

}  // namespace treadle::plan

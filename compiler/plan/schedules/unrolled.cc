#include "compiler/plan/schedules/unrolled.h"

#include <algorithm>
#include <bit>
#include <functional>
#include <numeric>

#include "compiler/plan/operation_class.h"
#include "compiler/plan/schedules/combiner.h"
#include "compiler/plan/schedules/elementwise.h"
#include "kernels/dense/dot.h"

namespace treadle::plan {
namespace {

constexpr int64_t kMaxProducts = 256;  // of a dot_general: from there on vectors of kernels/dense are faster

using graph::Graph;
using graph::OpCode;
using Dims = std::vector<int64_t>;

int64_t Linear(const Dims& index, const Dims& dims) {
  int64_t element = 0;
  for (size_t d = 0; d < dims.size(); ++d) element = element * dims[d] + index[d];
  return element;
}

int64_t Count(const Dims& dims) {
  return std::accumulate(dims.begin(), dims.end(), int64_t{1}, std::multiplies<int64_t>());
}

// Each result element is an operand's element, at an index that `from` makes of its own.
Elements Rearranged(const Shape& result, const Elements& operand, const Dims& operand_dims,
                    const std::function<Dims(const Dims&)>& from) {
  Elements out;
  for (int64_t e = 0; e < result.elements(); ++e) {
    out.push_back(operand[Linear(from(IndexOf(e, result.dims)), operand_dims)]);
  }
  return out;
}

class Unroller {
 public:
  Unroller(Builder& builder, const Graph& graph, const graph::Op& op, std::span<const Elements> operands)
      : b_(builder), graph_(graph), op_(op), operands_(operands), result_(graph.shape(op.results[0])) {}

  StatusOr<std::vector<Elements>> Run() {
    const graph::Attributes& attrs = op_.attrs;
    const Dims& dims = op_.operands.empty() ? result_.dims : graph_.shape(op_.operands[0]).dims;
    auto moved = [&](const std::function<Dims(const Dims&)>& from) {
      return std::vector<Elements>{Rearranged(result_, operands_[0], dims, from)};
    };
    switch (op_.code) {
      case OpCode::kConstant:
        return std::vector<Elements>{UnrolledConstant(b_, graph_, op_)};
      case OpCode::kIota:
        return Iota();
      case OpCode::kReshape:
        return std::vector<Elements>{operands_[0]};
      case OpCode::kOptimizationBarrier:
        return std::vector<Elements>(operands_.begin(), operands_.end());
      case OpCode::kBroadcastInDim:
        return moved([&](const Dims& at) {
          Dims from(dims.size());
          for (size_t d = 0; d < dims.size(); ++d) from[d] = dims[d] == 1 ? 0 : at[attrs.dims[d]];
          return from;
        });
      case OpCode::kTranspose:
        return moved([&](const Dims& at) {
          Dims from(dims.size());
          for (size_t d = 0; d < dims.size(); ++d) from[attrs.dims[d]] = at[d];
          return from;
        });
      case OpCode::kSlice:
        return moved([&](const Dims& at) {
          Dims from(dims.size());
          for (size_t d = 0; d < dims.size(); ++d) from[d] = attrs.starts[d] + at[d] * attrs.strides[d];
          return from;
        });
      case OpCode::kReverse:
        return moved([&](Dims at) {
          for (int64_t d : attrs.dims) at[d] = dims[d] - 1 - at[d];
          return at;
        });
      case OpCode::kConcatenate:
        return Concatenate();
      case OpCode::kPad:
        return Pad(dims);
      case OpCode::kDynamicSlice:
        return DynamicSlice(dims);
      case OpCode::kDynamicUpdateSlice:
        return DynamicUpdateSlice(dims);
      case OpCode::kReduce:
        return Reduce(dims);
      case OpCode::kDotGeneral:
        return Dot();
      default:
        return Elementwise();
    }
  }

 private:
  StatusOr<std::vector<Elements>> Elementwise() {
    if (graph::OpClassOf(op_.code) != graph::OpClass::kElementwise)
      return Unsupported(graph_, op_, "on single elements");
    Elements out;
    for (int64_t e = 0; e < result_.elements(); ++e) {
      std::vector<Id> args;
      for (const Elements& operand : operands_) args.push_back(operand.size() == 1 ? operand[0] : operand[e]);
      TREADLE_ASSIGN_OR_RETURN(Id id, EmitElementwise(b_, graph_, op_, args));
      out.push_back(id);
    }
    return std::vector<Elements>{out};
  }

  StatusOr<std::vector<Elements>> Iota() {
    Elements out;
    for (int64_t e = 0; e < result_.elements(); ++e) {
      int64_t number = result_.dims.empty() ? 0 : IndexOf(e, result_.dims)[op_.attrs.dims[0]];
      out.push_back(b_.Convert(result_.type, b_.ConstI64(number)));
    }
    return std::vector<Elements>{out};
  }

  StatusOr<std::vector<Elements>> Concatenate() {
    Elements out;
    int64_t axis = op_.attrs.dims[0];
    for (int64_t e = 0; e < result_.elements(); ++e) {
      Dims at = IndexOf(e, result_.dims);
      size_t k = 0;
      for (; at[axis] >= graph_.shape(op_.operands[k]).dims[axis]; ++k)
        at[axis] -= graph_.shape(op_.operands[k]).dims[axis];
      out.push_back(operands_[k][Linear(at, graph_.shape(op_.operands[k]).dims)]);
    }
    return std::vector<Elements>{out};
  }

  StatusOr<std::vector<Elements>> Pad(const Dims& dims) {
    Elements out;
    for (int64_t e = 0; e < result_.elements(); ++e) {
      Dims at = IndexOf(e, result_.dims);
      bool inside = true;
      for (size_t d = 0; d < dims.size(); ++d) {
        at[d] -= op_.attrs.low[d];
        int64_t every = op_.attrs.interior[d] + 1;
        inside = inside && at[d] >= 0 && at[d] % every == 0 && at[d] / every < dims[d];
        at[d] /= every;
      }
      out.push_back(inside ? operands_[0][Linear(at, dims)] : operands_[1][0]);
    }
    return std::vector<Elements>{out};
  }

  // For each place that a window of `size` may have in `dims`: a condition (of which exactly one holds). The first
  // needs none.
  struct Window {
    Dims start;
    Id here;
  };
  std::vector<Window> Windows(const Dims& dims, const Dims& size, std::span<const Elements> starts) {
    Dims places;
    for (size_t d = 0; d < dims.size(); ++d) places.push_back(dims[d] - size[d] + 1);
    std::vector<Window> windows;
    for (int64_t p = 0; p < Count(places); ++p) {
      Dims at = IndexOf(p, places);
      Id here = kNone;
      for (size_t d = 0; d < dims.size(); ++d) {
        if (places[d] == 1) continue;
        Id equal = b_.Compare(Predicate::kEq, ClampStart(b_, starts[d][0], places[d] - 1), b_.ConstI64(at[d]));
        here = here == kNone ? equal : b_.Binary(Op::kAnd, here, equal);
      }
      windows.push_back({at, here});
    }
    return windows;
  }

  StatusOr<std::vector<Elements>> DynamicSlice(const Dims& dims) {
    std::vector<Window> windows = Windows(dims, result_.dims, operands_.subspan(1));
    Elements out;
    for (int64_t e = 0; e < result_.elements(); ++e) {
      Id value = kNone;
      for (const Window& window : windows) {
        Dims at = IndexOf(e, result_.dims);
        for (size_t d = 0; d < dims.size(); ++d) at[d] += window.start[d];
        Id element = operands_[0][Linear(at, dims)];
        value = value == kNone ? element : b_.Select(window.here, element, value);
      }
      out.push_back(value);
    }
    return std::vector<Elements>{out};
  }

  StatusOr<std::vector<Elements>> DynamicUpdateSlice(const Dims& dims) {
    const Dims& size = graph_.shape(op_.operands[1]).dims;
    std::vector<Window> windows = Windows(dims, size, operands_.subspan(2));
    Elements out = operands_[0];
    for (const Window& window : windows) {
      for (int64_t u = 0; u < Count(size); ++u) {
        Dims at = IndexOf(u, size);
        for (size_t d = 0; d < dims.size(); ++d) at[d] += window.start[d];
        Id& element = out[Linear(at, dims)];
        element = window.here == kNone ? operands_[1][u] : b_.Select(window.here, operands_[1][u], element);
      }
    }
    return std::vector<Elements>{out};
  }

  using Row = std::vector<std::vector<Id>>;  // per element, a value per result

  static Status Into(std::vector<Id>& into, StatusOr<std::vector<Id>> combined) {
    if (combined.ok()) into = *std::move(combined);
    return combined.status();
  }
  Status CombineInto(const Combiner& combiner, std::vector<Id>& into, const std::vector<Id>& with) {
    return Into(into, EmitCombine(b_, graph_, combiner, into, with));
  }

  // The order of combiner.h, so that it makes no difference whether a reduction stands in a loop.
  Status Fold(const Combiner& combiner, const std::vector<Extent>& extents, Row values, std::vector<Id>& result) {
    if (values.empty()) return OkStatus();
    if (extents.size() > 1 && !extents.back().reduced) {
      TREADLE_RETURN_IF_ERROR(FoldColumn(combiner, values));
      return CombineInto(combiner, result, values[0]);
    }
    if (IsRows(extents) && static_cast<int64_t>(values.size()) <= kOrderedRow) {
      for (const std::vector<Id>& value : values) TREADLE_RETURN_IF_ERROR(CombineInto(combiner, result, value));
      return OkStatus();
    }
    if (combiner.commutes) TREADLE_RETURN_IF_ERROR(FoldSlots(combiner, values));
    TREADLE_RETURN_IF_ERROR(FoldAdjacent(combiner, values));
    return CombineInto(combiner, result, values[0]);
  }

  // Tree::kLanes, within a leaf.
  Status FoldSlots(const Combiner& combiner, Row& values) {
    int bytes = 0;
    for (Id id : values[0]) bytes += ElementBytes(b_.elt(id));
    size_t slots = std::bit_floor(static_cast<size_t>(kSlotBytes / bytes));
    for (size_t i = slots; i < values.size(); ++i)
      TREADLE_RETURN_IF_ERROR(CombineInto(combiner, values[i % slots], values[i]));
    values.resize(std::min(values.size(), slots));
    for (size_t half = slots / 2; half > 0; half /= 2) {
      for (size_t s = 0; s < half && s + half < values.size(); ++s) {
        TREADLE_RETURN_IF_ERROR(CombineInto(combiner, values[s], values[s + half]));
      }
      values.resize(std::min(values.size(), half));
    }
    return OkStatus();
  }

  // Tree::kInOrder, within a leaf: neighbours, an odd last one moves up.
  Status FoldAdjacent(const Combiner& combiner, Row& values) {
    while (values.size() > 1) {
      Row next;
      for (size_t k = 0; k < values.size(); k += 2) {
        next.push_back(values[k]);
        if (k + 1 < values.size()) TREADLE_RETURN_IF_ERROR(CombineInto(combiner, next.back(), values[k + 1]));
      }
      values = std::move(next);
    }
    return OkStatus();
  }

  // Within one stretch of kLeafRows: arrays that are unrolled have no more.
  Status FoldColumn(const Combiner& combiner, Row& values) {
    std::vector<Id> sum = values[0];
    size_t at = 1;
    for (; at + kRowsAtOnce <= values.size(); at += kRowsAtOnce) {
      Row block(values.begin() + at, values.begin() + at + kRowsAtOnce);
      TREADLE_RETURN_IF_ERROR(FoldAdjacent(combiner, block));
      TREADLE_RETURN_IF_ERROR(CombineInto(combiner, sum, block[0]));
    }
    for (; at < values.size(); ++at) TREADLE_RETURN_IF_ERROR(CombineInto(combiner, sum, values[at]));
    values = {sum};
    return OkStatus();
  }

  StatusOr<std::vector<Elements>> Reduce(const Dims& dims) {
    size_t count = op_.results.size();
    Combiner combiner = CombinerOf(graph_, op_);
    std::vector<Extent> extents = ReductionOf(dims, op_.attrs.dims);
    std::vector<Row> values(result_.elements());  // per result element, in order
    for (int64_t e = 0; e < Count(dims); ++e) {
      Dims index = IndexOf(e, dims), kept;
      for (size_t d = 0; d < dims.size(); ++d) {
        bool reduced =
            std::find(op_.attrs.dims.begin(), op_.attrs.dims.end(), static_cast<int64_t>(d)) != op_.attrs.dims.end();
        if (!reduced) kept.push_back(index[d]);
      }
      std::vector<Id>& value = values[Linear(kept, result_.dims)].emplace_back();
      for (size_t k = 0; k < count; ++k) value.push_back(operands_[k][e]);
    }
    std::vector<Elements> out(count);
    for (Row& of_one : values) {
      std::vector<Id> init;
      for (size_t k = 0; k < count; ++k) init.push_back(operands_[count + k][0]);
      TREADLE_RETURN_IF_ERROR(Fold(combiner, extents, std::move(of_one), init));
      for (size_t k = 0; k < count; ++k) out[k].push_back(init[k]);
    }
    return out;
  }

  StatusOr<std::vector<Elements>> Dot() {
    const graph::DotDims& dot = op_.attrs.dot;
    const Shape &lhs = graph_.shape(op_.operands[0]), &rhs = graph_.shape(op_.operands[1]);
    if (!IsPlanType(lhs.type) || !IsPlanType(rhs.type) || !IsPlanType(result_.type)) {
      return Unsupported(graph_, op_, "this element type is not supported yet");
    }
    auto in = [](const Dims& list, size_t d) {
      return std::find(list.begin(), list.end(), static_cast<int64_t>(d)) != list.end();
    };
    Dims lhs_free, rhs_free, contracted;
    int64_t m = 1, n = 1;
    const size_t parts = op_.attrs.pairs ? 1 : 0;  // dimensions of pairs, the last ones
    for (size_t d = 0; d + parts < lhs.dims.size(); ++d) {
      if (!in(dot.lhs_batch, d) && !in(dot.lhs_contracting, d)) lhs_free.push_back(d), m *= lhs.dims[d];
    }
    for (size_t d = 0; d + parts < rhs.dims.size(); ++d) {
      if (!in(dot.rhs_batch, d) && !in(dot.rhs_contracting, d)) rhs_free.push_back(d), n *= rhs.dims[d];
    }
    for (int64_t d : dot.lhs_contracting) contracted.push_back(lhs.dims[d]);
    int64_t length = Count(contracted);
    ElementType accumulator = kernels::dense::DotAccumulator(lhs.type, rhs.type, result_.type);
    const ElementType summed = op_.attrs.pairs ? ComplexOf(accumulator) : accumulator;
    kernels::dense::SumOrder order = kernels::dense::DotSumOrder(m, n, length, summed);
    if (result_.elements() * length > kMaxProducts) return Unsupported(graph_, op_, "too large to be unrolled");
    if (accumulator == ElementType::kInvalid || order.parts != 1)
      return Unsupported(graph_, op_, "inside a serial loop");
    Elements out;
    for (int64_t e = 0; e < result_.elements(); ++e) {
      Dims at = IndexOf(e, result_.dims), l(lhs.dims.size()), r(rhs.dims.size());
      size_t d = 0;
      for (size_t k = 0; k < dot.lhs_batch.size(); ++k, ++d) l[dot.lhs_batch[k]] = r[dot.rhs_batch[k]] = at[d];
      for (int64_t free : lhs_free) l[free] = at[d++];
      for (int64_t free : rhs_free) r[free] = at[d++];
      std::vector<std::pair<Id, Id>> factors;
      for (int64_t c = 0; c < length; ++c) {
        Dims k = IndexOf(c, contracted);
        for (size_t i = 0; i < k.size(); ++i) l[dot.lhs_contracting[i]] = r[dot.rhs_contracting[i]] = k[i];
        // re: lr rr - li ri; im: lr ri + li rr.
        for (size_t part = 0; part <= parts; ++part) {
          const bool other = parts == 1 && static_cast<size_t>(at.back()) != part;
          if (parts == 1) l.back() = static_cast<int64_t>(part), r.back() = other ? 1 : 0;
          Id y = b_.Convert(accumulator, operands_[1][Linear(r, rhs.dims)]);
          if (part == 1 && other) y = b_.Emit(Op::kNeg, accumulator, {y});
          factors.push_back({b_.Convert(accumulator, operands_[0][Linear(l, lhs.dims)]), y});
        }
      }
      out.push_back(b_.Convert(result_.type, SumOfProducts(accumulator, factors, order.lanes, parts + 1)));
    }
    return std::vector<Elements>{out};
  }

  Id SumOfProducts(ElementType type, const std::vector<std::pair<Id, Id>>& factors, int64_t lanes, size_t together) {
    std::vector<Id> sums(lanes, b_.Const(type, 0));
    for (size_t k = 0; k < factors.size(); ++k) {
      Id& sum = sums[k / together % lanes];
      auto [x, y] = factors[k];
      sum = IsFloat(type) ? b_.Emit(Op::kFma, type, {x, y, sum}) : b_.Add(sum, b_.Mul(x, y));
    }
    for (size_t half = lanes / 2; half > 0; half /= 2) {
      for (size_t s = 0; s < half; ++s) sums[s] = b_.Add(sums[s], sums[s + half]);
    }
    return sums[0];
  }

  Builder& b_;
  const Graph& graph_;
  const graph::Op& op_;
  std::span<const Elements> operands_;
  const Shape& result_;
};

}  // namespace

StatusOr<std::vector<Elements>> EmitUnrolled(Builder& builder, const graph::Graph& graph, const graph::Op& op,
                                             std::span<const Elements> operands) {
  return Unroller(builder, graph, op, operands).Run();
}

Elements UnrolledConstant(Builder& builder, const graph::Graph& graph, const graph::Op& constant) {
  const Shape& shape = graph.shape(constant.results[0]);
  Elements out;
  for (int64_t e = 0; e < shape.elements(); ++e)
    out.push_back(builder.Const(shape.type, LiteralBits(constant, shape.type, e)));
  return out;
}

std::vector<int64_t> IndexOf(int64_t element, const std::vector<int64_t>& dims) {
  Dims index(dims.size());
  for (size_t d = dims.size(); d-- > 0; element /= dims[d]) index[d] = element % dims[d];
  return index;
}

Id ClampStart(Builder& b, Id start, int64_t limit) {
  if (b.elt(start) == ElementType::kU64) {  // may be larger than any signed value: compare as it is
    return b.Convert(ElementType::kI64, b.Min(start, b.Const(ElementType::kU64, static_cast<uint64_t>(limit))));
  }
  return b.Min(b.Max(b.Convert(ElementType::kI64, start), b.ConstI64(0)), b.ConstI64(limit));
}

}  // namespace treadle::plan

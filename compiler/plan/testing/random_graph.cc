#include "compiler/plan/testing/random_graph.h"

#include <algorithm>
#include <random>
#include <utility>
#include <vector>

namespace treadle::plan::testing {
namespace {

using graph::OpCode;
using graph::ValueId;
using Dims = std::vector<int64_t>;

constexpr ElementType kI32 = ElementType::kI32;

class RandomGraph {
 public:
  explicit RandomGraph(uint32_t seed) : random_(seed) {
    for (int64_t& size : sizes_) size = kSizes[Below(std::size(kSizes))];
    int arguments = 1 + Below(3);
    for (int k = 0; k < arguments; ++k) Keep(p_.Argument({kI32, RandomDims()}));
    Keep(p_.Argument({kI32, {}}));
    int steps = 3 + Below(14);
    for (int k = 0; k < steps; ++k) Step();
    std::vector<ValueId> results{values_.back()};
    for (ValueId value : values_) {
      if (Below(6) == 0 && std::find(results.begin(), results.end(), value) == results.end()) results.push_back(value);
    }
    p_.Return(results);
  }

  Program Take() { return std::move(p_); }

 private:
  static constexpr int64_t kSizes[] = {1, 2, 3, 4, 5, 7, 8, 12, 17, 33, 40};

  int Below(size_t n) { return static_cast<int>(random_() % n); }
  Dims dims(ValueId value) { return p_.graph().shape(value).dims; }
  void Keep(ValueId value) { values_.push_back(value); }
  ValueId Any() {
    return values_[Below(3) == 0 ? Below(values_.size())
                                 : values_.size() - 1 - Below(std::min<size_t>(3, values_.size()))];
  }

  Dims RandomDims() {
    Dims result;
    int rank = 1 + Below(3);
    for (int k = 0; k < rank; ++k) result.push_back(sizes_[Below(std::size(sizes_))]);
    return result;
  }

  // `value` in the shape `to`: broadcast where it fits in some way, else made from a scalar.
  ValueId Fit(ValueId value, Dims to) {
    if (dims(value) == to) return value;
    Dims from = dims(value), map;
    size_t next = 0;
    for (size_t k = 0; k < to.size() && next < from.size(); ++k) {
      if (from[next] == to[k] || from[next] == 1) {
        map.push_back(static_cast<int64_t>(k));
        ++next;
      }
    }
    if (next == from.size()) return p_.Broadcast(value, map, to);
    return p_.Broadcast(Scalar(), {}, to);
  }

  ValueId Scalar() {
    if (Below(2) == 0) return p_.Splat({kI32, {}}, Below(5) - 2);
    for (size_t k = values_.size(); k-- > 0;) {
      if (dims(values_[k]).empty()) return values_[k];
    }
    return p_.Splat({kI32, {}}, 1);
  }

  void Step() {
    ValueId x = Any();
    switch (Below(14)) {
      case 0:
      case 1:
      case 2:
        return Pointwise(x);
      case 3:
      case 4:
        return Reduce(x, false);
      case 5:
        return Reduce(x, true);
      case 6:
        return Keep(p_.Reshape(x, OtherDims(dims(x))));
      case 7: {
        Dims permutation;
        for (size_t k = 0; k < dims(x).size(); ++k) permutation.push_back(static_cast<int64_t>(k));
        std::shuffle(permutation.begin(), permutation.end(), random_);
        return Keep(p_.Transpose(x, permutation));
      }
      case 8:
        return Slice(x);
      case 9:
        return Window(x);
      case 10:
        return Pad(x);
      case 11:
        return Concatenate(x);
      case 12: {
        if (dims(x).empty()) return;
        ValueId iota = p_.Add(OpCode::kIota, {}, {kI32, dims(x)}, {.dims = {Below(dims(x).size())}});
        return Keep(p_.Binary(OpCode::kAdd, x, iota));
      }
      default: {
        ValueId other = Fit(Any(), dims(x));
        ValueId less =
            p_.Add(OpCode::kCompare, {x, other}, {ElementType::kI1, dims(x)}, {.direction = graph::Direction::kLt});
        return Keep(p_.Add(OpCode::kSelect, {less, p_.Unary(OpCode::kNegate, other), x}, {kI32, dims(x)}));
      }
    }
  }

  void Pointwise(ValueId x) {
    static constexpr OpCode kCodes[] = {OpCode::kAdd, OpCode::kSubtract, OpCode::kMultiply, OpCode::kMaximum,
                                        OpCode::kXor};
    Keep(p_.Binary(kCodes[Below(5)], x, Fit(Any(), dims(x))));
  }

  void Reduce(ValueId x, bool back) {
    Dims reduced, kept;
    for (size_t k = 0; k < dims(x).size(); ++k) (Below(2) ? reduced : kept).push_back(static_cast<int64_t>(k));
    static constexpr OpCode kCodes[] = {OpCode::kAdd, OpCode::kMaximum, OpCode::kXor};
    ValueId sum = p_.Reduce(kCodes[Below(3)], x, Below(3), reduced);
    if (Below(3) == 0) sum = p_.Binary(OpCode::kMultiply, sum, Fit(Scalar(), dims(sum)));
    Keep(sum);
    if (back) Keep(p_.Binary(OpCode::kSubtract, x, p_.Broadcast(sum, kept, dims(x))));
  }

  Dims OtherDims(Dims from) {
    if (from.size() > 1 && Below(2)) {  // merge two
      size_t k = Below(from.size() - 1);
      from[k] *= from[k + 1];
      from.erase(from.begin() + static_cast<int64_t>(k) + 1);
      return from;
    }
    for (size_t k = 0; k < from.size(); ++k) {  // split one
      for (int64_t by : {2, 3, 4}) {
        if (from[k] % by != 0 || from[k] == by || Below(2)) continue;
        from[k] /= by;
        from.insert(from.begin() + static_cast<int64_t>(k) + 1, by);
        return from;
      }
    }
    from.insert(from.begin() + Below(from.size() + 1), 1);
    return from;
  }

  void Slice(ValueId x) {
    graph::Attributes attrs;
    Shape shape{kI32, {}};
    for (int64_t size : dims(x)) {
      int64_t start = Below(size), limit = start + 1 + Below(size - start), stride = 1 + Below(2);
      attrs.starts.push_back(start);
      attrs.limits.push_back(limit);
      attrs.strides.push_back(stride);
      shape.dims.push_back((limit - start + stride - 1) / stride);
    }
    ValueId slice = p_.Add(OpCode::kSlice, {x}, shape, attrs);
    if (Below(2) && !shape.dims.empty())
      slice = p_.Add(OpCode::kReverse, {slice}, shape, {.dims = {Below(shape.dims.size())}});
    Keep(slice);
  }

  void Window(ValueId x) {
    std::vector<ValueId> operands{x};
    Dims sizes;
    for (int64_t size : dims(x)) sizes.push_back(1 + Below(size));
    for (size_t k = 0; k < sizes.size(); ++k) operands.push_back(Scalar());
    Shape shape{kI32, sizes};
    ValueId window = p_.Add(OpCode::kDynamicSlice, operands, shape, {.limits = sizes});
    if (Below(2)) return Keep(window);
    ValueId update =
        Below(3) == 0 ? window : p_.Binary(OpCode::kAdd, Below(2) ? window : Fit(Any(), sizes), Fit(Any(), sizes));
    operands.insert(operands.begin() + 1, update);
    if (Below(2)) {
      for (size_t k = 2; k < operands.size(); ++k) operands[k] = Scalar();
    }
    Keep(p_.Add(OpCode::kDynamicUpdateSlice, operands, {kI32, dims(x)}));
  }

  void Pad(ValueId x) {
    graph::Attributes attrs;
    Shape shape{kI32, {}};
    for (int64_t size : dims(x)) {
      int64_t low = Below(4) - 1, high = Below(4) - 1, interior = Below(4) == 0;
      attrs.low.push_back(low);
      attrs.high.push_back(high);
      attrs.interior.push_back(interior);
      int64_t result = size + (size - 1) * interior + low + high;
      if (result < 1) return;
      shape.dims.push_back(result);
    }
    if (shape.elements() < 3000) Keep(p_.Add(OpCode::kPad, {x, Scalar()}, shape, attrs));
  }

  void Concatenate(ValueId x) {
    if (dims(x).empty()) return;
    int64_t axis = Below(dims(x).size());
    ValueId y = Fit(Any(), dims(x));
    Shape shape{kI32, dims(x)};
    shape.dims[axis] *= 2;
    if (shape.elements() < 3000) Keep(p_.Add(OpCode::kConcatenate, {x, y}, shape, {.dims = {axis}}));
  }

  std::mt19937 random_;
  Program p_;
  int64_t sizes_[4];
  std::vector<ValueId> values_;
};

}  // namespace

Program MakeRandomGraph(uint32_t seed) { return RandomGraph(seed).Take(); }

}  // namespace treadle::plan::testing

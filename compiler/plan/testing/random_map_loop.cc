#include "compiler/plan/testing/random_map_loop.h"

#include <algorithm>
#include <random>
#include <utility>
#include <vector>

namespace treadle::plan::testing {

using graph::OpCode;
using graph::ValueId;

namespace {

class Maker {
  std::mt19937 random_;

  int Number(int below) { return static_cast<int>(random_() % below); }
  template <class List>
  auto Pick(const List& list) {
    return *(std::begin(list) + Number(static_cast<int>(std::size(list))));
  }

 public:
  explicit Maker(uint32_t seed) : random_(seed) {}

  Program Make() {
    const std::vector<std::vector<int64_t>> shapes[] = {
        {{17}, {1, 17}}, {{31}}, {{64}, {4, 16}, {64, 1}}, {{33, 3}, {99}, {3, 33}}, {{20, 70}, {1400}}, {{2, 3, 700}}};
    shapes_ = Pick(shapes);
    elements_ = Shape{ElementType::kF32, shapes_[0]}.elements();
    std::vector<ValueId> init = {p_.Splat({kCounter, {}}, Number(3)), Scalar(AnyType())};
    for (int k = 1 + Number(3); k-- > 0;) {
      const Shape shape{AnyType(), Pick(shapes_)};
      init.push_back(Number(2) ? p_.Argument(shape) : p_.Splat(shape, 1));
    }
    AddOuterValues();
    const ValueId trips = Number(2) ? Scalar(kCounter) : p_.Splat({kCounter, {}}, Number(6));
    auto results = p_.While(
        init, [&](Program&, const auto& c) { return Cond(c, trips); },
        [&](Program&, const auto& c) { return Body(c); });
    std::vector<ValueId> wanted;
    for (size_t k = 2; k < results.size(); ++k) {
      if (wanted.empty() || Number(4)) wanted.push_back(results[k]);
    }
    if (Number(3) == 0) wanted.push_back(results[Number(2)]);
    p_.Return(wanted);
    return std::move(p_);
  }

 private:
  static constexpr ElementType kCounter = ElementType::kI32;

  // Of few types, so that values meet.
  ElementType AnyType() {
    const ElementType types[] = {ElementType::kF32, ElementType::kF32, ElementType::kI32, ElementType::kBF16,
                                 ElementType::kF64, ElementType::kI1,  ElementType::kI8,  ElementType::kU64};
    return Pick(types);
  }
  ValueId Scalar(ElementType type) { return p_.Argument({type, {}}); }
  Shape ShapeOf(ValueId value) { return p_.graph().shape(value); }  // not a reference: values are added

  // What the body reads besides the carries: arrays, rows and slices of larger ones, constants, scalars.
  void AddOuterValues() {
    for (int k = Number(4); k-- > 0;) {
      const std::vector<int64_t> dims = Pick(shapes_);
      const ElementType type = AnyType();
      switch (Number(4)) {
        case 0:
          outer_.push_back(p_.Argument({type, dims}));
          break;
        case 1: {
          const ValueId row = p_.Argument({type, {dims.back()}});
          outer_.push_back(p_.Broadcast(row, {static_cast<int64_t>(dims.size()) - 1}, dims));
          break;
        }
        case 2: {
          std::vector<int64_t> twice = dims;
          twice.back() *= 2;
          graph::Attributes attrs{.starts = std::vector<int64_t>(dims.size()),
                                  .limits = twice,
                                  .strides = std::vector(dims.size(), int64_t{1})};
          attrs.strides.back() = 2;
          outer_.push_back(p_.Add(OpCode::kSlice, {p_.Argument({type, twice})}, {type, dims}, attrs));
          break;
        }
        default:
          outer_.push_back(Scalar(type));
          break;
      }
    }
  }

  std::vector<ValueId> Cond(const std::vector<ValueId>& c, ValueId trips) {
    return {p_.Compare(graph::Direction::kLt, c[0], trips)};
  }

  ValueId As(ValueId value, ElementType type) {
    const ElementType from = ShapeOf(value).type;
    if (from == type) return value;
    if (IsFloat(from) && !IsFloat(type)) {  // not beyond what integers hold
      const ValueId zero = p_.Splat(ShapeOf(value), 0);
      value = p_.Compare(graph::Direction::kGt, value, zero);
    }
    return p_.Add(OpCode::kConvert, {value}, {type, ShapeOf(value).dims});
  }

  ValueId Like(ValueId value, const Shape& shape) {
    value = As(value, shape.type);
    if (ShapeOf(value).dims == shape.dims) return value;
    const bool one = ShapeOf(value).elements() == 1;
    return one ? p_.Broadcast(p_.Reshape(value, {}), {}, shape.dims) : p_.Reshape(value, shape.dims);
  }

  ValueId Step(ValueId x, ValueId y) {
    if (ShapeOf(x).type == ElementType::kI1) return p_.Binary(Number(2) ? OpCode::kAnd : OpCode::kXor, x, y);
    const OpCode codes[] = {OpCode::kAdd, OpCode::kSubtract, OpCode::kMultiply, OpCode::kMaximum, OpCode::kMinimum};
    if (Number(4)) return p_.Binary(Pick(codes), x, y);
    const ValueId less = p_.Compare(graph::Direction::kLt, x, y);
    return p_.Add(OpCode::kSelect, {less, p_.Unary(OpCode::kNegate, x), y}, ShapeOf(x));
  }

  std::vector<ValueId> Body(const std::vector<ValueId>& c) {
    std::vector<ValueId> scalars(c.begin(), c.begin() + 2), arrays(c.begin() + 2, c.end());
    for (ValueId value : outer_) (ShapeOf(value).elements() == 1 ? scalars : arrays).push_back(value);
    if (Number(2)) arrays.push_back(p_.Add(OpCode::kIota, {}, {ElementType::kI32, shapes_[0]}, {.dims = {0}}));
    const size_t own = arrays.size();
    for (int k = 2 + Number(8); k-- > 0;) {
      const ValueId x = Pick(arrays), y = Number(4) ? Pick(arrays) : Pick(scalars);
      arrays.push_back(Step(x, Like(y, ShapeOf(x))));
    }
    const ValueId scalar = Step(scalars[1], Like(Pick(scalars), ShapeOf(scalars[1])));
    std::vector<ValueId> next = {p_.Binary(OpCode::kAdd, c[0], p_.Splat({kCounter, {}}, 1 + Number(2))), scalar};
    for (size_t k = 2; k < c.size(); ++k) {  // the newest, or any, which may be another carry as it is
      const size_t from =
          Number(3) ? own + Number(static_cast<int>(arrays.size() - own)) : Number(static_cast<int>(own));
      next.push_back(Like(arrays[from], ShapeOf(c[k])));
    }
    return next;
  }

  Program p_;
  std::vector<std::vector<int64_t>> shapes_;  // of one number of elements
  int64_t elements_ = 0;
  std::vector<ValueId> outer_;
};

}  // namespace

Program MakeRandomMapLoop(uint32_t seed) { return Maker(seed).Make(); }

}  // namespace treadle::plan::testing

#include "compiler/plan/testing/random_windows.h"

#include <algorithm>
#include <random>
#include <utility>
#include <vector>

namespace treadle::plan::testing {
namespace {

using graph::OpCode;
using graph::ValueId;
using Dims = std::vector<int64_t>;

class RandomWindows {
 public:
  explicit RandomWindows(uint32_t seed) : random_(seed) {
    int rank = 1 + Below(4);
    for (int d = 0; d < rank; ++d) operand_.push_back(1 + Below(6));
    if (Below(3) == 0) operand_.back() = 150 + Below(100);
    ChooseOperandDims();
    ChooseIndices();
    ChooseResult();
  }

  Program Gather() {
    ValueId x = p_.Argument({ElementType::kF32, operand_}), indices = p_.Argument({type_, indices_});
    ValueId gathered = p_.Add(OpCode::kGather, {Below(3) == 0 ? p_.Unary(OpCode::kNegate, x) : x, Derived(indices)},
                              {ElementType::kF32, result_}, {.limits = sizes_, .windows = windows_});
    p_.Return({Below(2) == 0 ? p_.Unary(OpCode::kNegate, gathered) : gathered});
    return std::move(p_);
  }

  Program Scatter() {
    int kind = Below(4);
    size_t count = kind == 3 ? 2 : 1;
    std::vector<ValueId> inputs, updates;
    for (size_t k = 0; k < count; ++k) {
      inputs.push_back(p_.Argument({k == 0 ? ElementType::kF32 : ElementType::kI32, operand_}));
      updates.push_back(p_.Argument({k == 0 ? ElementType::kF32 : ElementType::kI32, result_}));
    }
    if (Below(3) == 0) updates[0] = p_.Unary(OpCode::kNegate, updates[0]);
    if (Below(6) == 0 && result_ == operand_) updates[0] = p_.Reshape(inputs[0], result_);
    ValueId indices = Derived(p_.Argument({type_, indices_}));
    p_.Return(p_.Scatter(inputs, indices, updates, windows_, false, [&](Program& q, const std::vector<ValueId>& v) {
      if (kind == 0) return std::vector<ValueId>{q.Binary(OpCode::kAdd, v[0], v[1])};
      if (kind == 1) return std::vector<ValueId>{q.Binary(OpCode::kMaximum, v[1], v[0])};
      if (kind == 2) return std::vector<ValueId>{v[1]};
      return std::vector<ValueId>{q.Binary(OpCode::kAdd, v[0], v[2]), q.Binary(OpCode::kSubtract, v[3], v[1])};
    }));
    return std::move(p_);
  }

 private:
  int Below(int64_t n) { return static_cast<int>(random_() % n); }
  bool Is(const Dims& list, int64_t d) { return std::find(list.begin(), list.end(), d) != list.end(); }

  // Indices as the program gives them, or made from them.
  ValueId Derived(ValueId indices) {
    if (Below(3) != 0) return indices;
    return p_.Binary(OpCode::kAdd, indices, p_.Splat({type_, indices_}, 1));
  }

  void ChooseOperandDims() {
    auto rank = static_cast<int64_t>(operand_.size());
    for (int64_t d = 0; d < rank; ++d) {
      bool batch = Below(5) == 0, dropped = !batch && Below(3) == 0;
      if (batch) windows_.operand_batch.push_back(d);
      if (dropped) windows_.dropped.push_back(d);
      sizes_.push_back(batch || dropped ? 1 : 1 + Below(operand_[d]));
      if (!batch && Below(3) != 0) windows_.index_map.push_back(d);
    }
    std::shuffle(windows_.index_map.begin(), windows_.index_map.end(), random_);
  }

  // Batch dimensions of the indices in `batch_`; those of the operand among them.
  void ChooseIndices() {
    for (int k = Below(3); k > 0; --k) batch_.push_back(1 + Below(5));
    std::vector<size_t> places;
    for (int64_t d : windows_.operand_batch) {
      size_t at = Below(static_cast<int64_t>(batch_.size()) + 1);
      batch_.insert(batch_.begin() + static_cast<int64_t>(at), operand_[d]);
      for (size_t& place : places) place += place >= at;
      places.push_back(at);
    }
    indices_ = batch_;
    bool implicit = windows_.index_map.size() == 1 && Below(2) == 0;
    windows_.index_vector =
        implicit ? static_cast<int64_t>(batch_.size()) : Below(static_cast<int64_t>(batch_.size()) + 1);
    if (!implicit) {
      indices_.insert(indices_.begin() + windows_.index_vector, static_cast<int64_t>(windows_.index_map.size()));
    }
    for (size_t place : places) {
      auto dim = static_cast<int64_t>(place);
      windows_.indices_batch.push_back(dim + (!implicit && dim >= windows_.index_vector));
    }
    constexpr ElementType kTypes[] = {ElementType::kI32, ElementType::kI64, ElementType::kU8,
                                      ElementType::kU32, ElementType::kU64, ElementType::kI8};
    type_ = kTypes[Below(std::size(kTypes))];
  }

  void ChooseResult() {
    Dims walked;
    for (size_t d = 0; d < operand_.size(); ++d) {
      auto dim = static_cast<int64_t>(d);
      if (!Is(windows_.dropped, dim) && !Is(windows_.operand_batch, dim)) walked.push_back(sizes_[d]);
    }
    size_t rank = batch_.size() + walked.size(), b = 0, w = 0;
    while (result_.size() < rank) {
      bool window = b == batch_.size() || (w < walked.size() && Below(2) == 0);
      if (window) windows_.window.push_back(static_cast<int64_t>(result_.size()));
      result_.push_back(window ? walked[w++] : batch_[b++]);
    }
  }

  std::mt19937 random_;
  Program p_;
  Dims operand_, sizes_, batch_, indices_, result_;
  graph::IndexedWindows windows_;
  ElementType type_ = ElementType::kI32;
};

class RandomReduceWindow {
 public:
  explicit RandomReduceWindow(uint32_t seed) : random_(seed) {}

  Program Make() {
    Dims dims = RandomDims();
    Shape shape{ElementType::kI32, dims};
    graph::Attributes attrs = Below(2) == 0 ? Cumulative(dims) : AnyWindow(dims);
    size_t count = Below(5) == 0 ? 2 : 1;
    std::vector<ValueId> inputs, inits;
    int kind = Below(3);
    for (size_t k = 0; k < count; ++k) {
      inputs.push_back(p_.Argument(shape));
      bool given = Below(4) == 0;
      inits.push_back(given ? p_.Argument({ElementType::kI32, {}})
                            : p_.Splat({ElementType::kI32, {}}, kind == 0   ? 0
                                                                : kind == 1 ? -1000
                                                                            : Below(3)));
    }
    if (Below(3) == 0) inputs[0] = p_.Unary(OpCode::kNegate, inputs[0]);
    if (Below(4) == 0) inputs[0] = p_.Add(OpCode::kReverse, {inputs[0]}, shape, {.dims = {0}});
    p_.Return(p_.ReduceWindow(inputs, inits, attrs, [&](Program& q, const std::vector<ValueId>& v) {
      OpCode code = kind == 1 ? OpCode::kMaximum : OpCode::kAdd;
      if (count == 1) return std::vector<ValueId>{q.Binary(code, v[0], v[1])};
      return std::vector<ValueId>{q.Binary(code, v[0], v[2]), q.Binary(OpCode::kMaximum, v[1], v[3])};
    }));
    return std::move(p_);
  }

 private:
  int Below(int64_t n) { return static_cast<int>(random_() % n); }

  Dims RandomDims() {
    Dims dims;
    int rank = 1 + Below(3);
    for (int d = 0; d < rank; ++d) dims.push_back(1 + Below(Below(3) == 0 ? 40 : 9));
    if (Below(12) == 0) dims[Below(rank)] = 0;
    return dims;
  }

  static graph::Attributes Plain(size_t rank) {
    Dims ones(rank, 1), zeros(rank, 0);
    return {.limits = ones, .strides = ones, .low = zeros, .high = zeros, .interior = zeros, .dilations = ones};
  }

  graph::Attributes Cumulative(const Dims& dims) {
    graph::Attributes attrs = Plain(dims.size());
    size_t d = Below(static_cast<int64_t>(dims.size()));
    attrs.limits[d] = std::max<int64_t>(1, dims[d]);
    (Below(2) == 0 ? attrs.low : attrs.high)[d] = attrs.limits[d] - 1;
    return attrs;
  }

  graph::Attributes AnyWindow(const Dims& dims) {
    graph::Attributes attrs = Plain(dims.size());
    for (size_t d = 0; d < dims.size(); ++d) {
      if (Below(3) == 0) continue;
      attrs.limits[d] = 1 + Below(Below(4) == 0 ? 12 : 3);
      attrs.strides[d] = 1 + Below(3);
      attrs.low[d] = Below(5) - 1;
      attrs.high[d] = Below(5) - 1;
      if (Below(4) == 0) attrs.interior[d] = Below(3);
      if (Below(4) == 0) attrs.dilations[d] = 1 + Below(3);
    }
    return attrs;
  }

  std::mt19937 random_;
  Program p_;
};

}  // namespace

Program MakeRandomGather(uint32_t seed) { return RandomWindows(seed).Gather(); }
Program MakeRandomScatter(uint32_t seed) { return RandomWindows(seed).Scatter(); }

Program MakeRandomReduceWindow(uint32_t seed) { return RandomReduceWindow(seed).Make(); }

}  // namespace treadle::plan::testing

#include "compiler/plan/schedules/sort.h"

#include <algorithm>
#include <bit>
#include <map>
#include <set>
#include <utility>
#include <vector>

#include "compiler/plan/operation_class.h"
#include "compiler/plan/schedules/combiner.h"
#include "compiler/plan/schedules/elementwise.h"
#include "compiler/plan/schedules/kernel.h"

namespace treadle::plan {
namespace {

using graph::ValueId;

constexpr Size kOne = {-1, 1};

class MergeSort {
 public:
  MergeSort(Kernel& kernel, const graph::Op& op) : kernel_(kernel), graph_(kernel.graph()), b_(kernel.b()), op_(op) {
    const Shape& shape = graph_.shape(op.operands[0]);
    size_t dimension = op.attrs.dims[0];
    length_ = shape.dims[dimension];
    take_ = graph_.shape(op.results[0]).dims[dimension];
    for (size_t d = 0; d < shape.dims.size(); ++d)
      (d < dimension ? outer_ : inner_) *= d == dimension ? 1 : shape.dims[d];
  }

  Status Write() {
    Id tile = b_.BeginPhase();
    TREADLE_RETURN_IF_ERROR(LoadCaptured());
    count_ = kernel_.AddI64(length_);
    stride_ = kernel_.AddFactor(inner_);
    auto [outer, inner] = kernel_.DivRem(tile, kernel_.AddI64(inner_));
    row_ = b_.Add(b_.Mul(outer, kernel_.AddI64(length_ * inner_)), inner);
    taken_ = kernel_.AddI64(take_);
    out_row_ = b_.Add(b_.Mul(outer, kernel_.AddI64(take_ * inner_)), inner);
    numbers_ = b_.AddBuffer(ElementType::kI64, Role::kLocal, kernel_.AddSize(2 * length_));

    Id i = b_.BeginLanes(b_.ConstI64(0), count_);
    b_.Store(Number(i), i);
    b_.EndLoop();
    TREADLE_ASSIGN_OR_RETURN(Id from, MergeRuns());
    MoveOutputs(from);

    double levels = std::bit_width(static_cast<uint64_t>(std::max<int64_t>(length_ - 1, 0)));
    double elements = static_cast<double>(length_) * static_cast<double>(inner_) * static_cast<double>(outer_);
    const int64_t ns = static_cast<int64_t>(elements * (kNsOfMove + levels * kNsOfMerge));
    kernel_.EndPhase(outer_ * inner_, {ns, 2 * ns});
    return OkStatus();
  }

 private:
  static constexpr double kNsOfMerge = 4, kNsOfMove = 2;

  // Scalars from outside that the comparator reads.
  Status LoadCaptured() {
    std::set<ValueId> free;
    AddFreeValues(graph_, op_.regions[0], free);
    for (ValueId value : free) {
      if (graph_.shape(value).elements() != 1 || kernel_.InputBuffer(value) < 0)
        return Unsupported(graph_, op_, "with a comparator that reads an array from outside it");
      captured_[value] = b_.Load({static_cast<uint16_t>(kernel_.InputBuffer(value)), {}, {}});
    }
    return OkStatus();
  }

  Access Number(Id at) const { return {numbers_, {}, {{at, kOne}}}; }
  Access Element(uint16_t buffer, Id number) const { return {buffer, {}, {{row_, kOne}, {number, stride_}}}; }

  // Whether element number `a` goes before element number `b`.
  StatusOr<Id> GoesBefore(Id a, Id b) {
    std::map<ValueId, Id> ids = captured_;
    const graph::Region& region = graph_.regions[op_.regions[0]];
    for (size_t k = 0; k < op_.operands.size(); ++k) {
      auto buffer = static_cast<uint16_t>(kernel_.InputBuffer(op_.operands[k]));
      ids[region.arguments[2 * k]] = b_.Load(Element(buffer, a));
      ids[region.arguments[2 * k + 1]] = b_.Load(Element(buffer, b));
    }
    TREADLE_ASSIGN_OR_RETURN(std::vector<Id> results,
                             EmitScalarRegion(b_, graph_, op_.regions[0], std::move(ids), "sort"));
    return results[0];
  }

  // Runs of 1, 2, 4, ... numbers, from one half of the buffer to the other. Returns where the last ones begin.
  StatusOr<Id> MergeRuns() {
    b_.BeginWhile(std::vector<Id>{b_.ConstI64(1), b_.ConstI64(0)});
    b_.BeginCond();
    b_.Yield({b_.Compare(Predicate::kLt, b_.Carry(0), count_)});
    b_.BeginBody();
    Id width = b_.Carry(0), from = b_.Carry(1);
    Id both = b_.Add(width, width), to = b_.Sub(count_, from);
    Id start = b_.BeginFor(b_.ConstI64(0), count_, both);
    Id middle = b_.Min(b_.Add(start, width), count_), end = b_.Min(b_.Add(start, both), count_);
    TREADLE_RETURN_IF_ERROR(MergePair(from, to, start, middle, end));
    b_.EndLoop();
    b_.Yield({both, to});
    return b_.EndLoop()[1];
  }

  // The left run gives way only to what goes before it, so equal elements keep their order. Places are clamped to their
  // runs, as both sides are looked at even when one is used up.
  Status MergePair(Id from, Id to, Id start, Id middle, Id end) {
    Id place = b_.BeginFor(start, end, kNone, std::vector<Id>{start, middle});
    Id left = b_.Carry(0), right = b_.Carry(1), one = b_.ConstI64(1);
    Id last_left = b_.Sub(middle, one), last_right = b_.Sub(end, one);
    Id a = b_.Load(Number(b_.Add(from, b_.Min(left, last_left))));
    Id b = b_.Load(Number(b_.Add(from, b_.Min(right, last_right))));
    TREADLE_ASSIGN_OR_RETURN(Id before, GoesBefore(b, a));
    Id left_is_empty = b_.Compare(Predicate::kGe, left, middle);
    Id right_is_there = b_.Compare(Predicate::kLt, right, end);
    Id takes_right = b_.Binary(Op::kAnd, right_is_there, b_.Binary(Op::kOr, left_is_empty, before));
    b_.Store(Number(b_.Add(to, place)), b_.Select(takes_right, b, a));
    Id step = b_.Convert(ElementType::kI64, takes_right);
    b_.Yield({b_.Add(left, b_.Sub(one, step)), b_.Add(right, step)});
    b_.EndLoop();
    return OkStatus();
  }

  void MoveOutputs(Id from) {
    for (size_t k = 0; k < kernel_.group().outputs.size(); ++k) {
      size_t operand =
          std::find(op_.results.begin(), op_.results.end(), kernel_.group().outputs[k]) - op_.results.begin();
      auto buffer = static_cast<uint16_t>(kernel_.InputBuffer(op_.operands[operand]));
      Id i = b_.BeginFor(b_.ConstI64(0), taken_);
      Id number = b_.Load(Number(b_.Add(from, i)));
      Access to{kernel_.OutputBuffer(static_cast<int>(k)), {}, {{out_row_, kOne}, {i, stride_}}};
      b_.Store(to, b_.Load(Element(buffer, number)));
      b_.EndLoop();
    }
  }

  Kernel& kernel_;
  const graph::Graph& graph_;
  Builder& b_;
  const graph::Op& op_;
  int64_t outer_ = 1, length_ = 1, inner_ = 1;
  int64_t take_ = 1;  // of each row
  std::map<ValueId, Id> captured_;
  uint16_t numbers_ = 0;
  Id count_ = kNone, taken_ = kNone, row_ = kNone, out_row_ = kNone;
  Size stride_;
};

}  // namespace

StatusOr<Instance> ScheduleSort(const graph::Graph& graph, const Group& group, const executable::Target& target) {
  const graph::Op& op = graph.ops[group.ops.back()];
  for (ValueId operand : op.operands) {
    if (!IsPlanType(graph.shape(operand).type)) return Unsupported(graph, op, "this element type is not supported yet");
  }
  Kernel kernel("sort", graph, group, target);
  TREADLE_RETURN_IF_ERROR(MergeSort(kernel, op).Write());
  return kernel.Finish();
}

}  // namespace treadle::plan

#include "compiler/plan/sort_task.h"

#include <algorithm>
#include <string>
#include <utility>

#include "compiler/plan/schedules/elementwise.h"

namespace treadle::plan {
namespace {

using graph::Direction;
using graph::Graph;
using graph::OpCode;
using graph::OpId;
using graph::ValueId;
using kernels::sort::SortKey;

constexpr int kMaxKeys = 16;  // that comparators are searched for

bool IsKeyType(ElementType type) {
  return type == ElementType::kI1 || IsInteger(type) || type == ElementType::kBF16 || type == ElementType::kF16 ||
         type == ElementType::kF32 || type == ElementType::kF64;
}

// One side of a comparison: an operand's scalar, perhaps with zeros or NaNs made one.
struct Side {
  int64_t operand = 0;
  bool right = false;
  bool zeros = false, nans = false;

  bool SameScalar(const Side& other) const { return operand == other.operand && right == other.right; }
  bool SameKey(const Side& other) const {
    return operand == other.operand && zeros == other.zeros && nans == other.nans;
  }
};

// A comparison of the left scalar with the right one.
struct Comparison {
  Side key;
  Direction direction = Direction::kEq;
  bool total_order = false;

  bool SameOrder(const Comparison& other) const { return key.SameKey(other.key) && total_order == other.total_order; }
};

Direction Mirrored(Direction direction) {
  switch (direction) {
    case Direction::kLt:
      return Direction::kGt;
    case Direction::kGt:
      return Direction::kLt;
    case Direction::kLe:
      return Direction::kGe;
    case Direction::kGe:
      return Direction::kLe;
    default:
      return direction;
  }
}

class Reader {
 public:
  Reader(const Graph& graph, const graph::Op& sort) : graph_(graph), region_(graph.regions[sort.regions[0]]) {}

  // The keys that `value` orders by; nothing if it is anything else than such an order.
  std::optional<std::vector<SortKey>> Order(ValueId value, int depth = 0) const {
    if (depth > kMaxKeys) return std::nullopt;
    if (std::optional<Comparison> first = Strict(value)) return std::vector<SortKey>{KeyOf(*first)};
    const graph::Op* op = Def(value);
    if (!op) return std::nullopt;
    if (op->code == OpCode::kOr) {
      for (int k = 0; k < 2; ++k) {
        const graph::Op* tie = Def(op->operands[1 - k], OpCode::kAnd);
        for (int j = 0; tie && j < 2; ++j) {
          if (auto keys = Then(op->operands[k], tie->operands[j], Direction::kEq, tie->operands[1 - j], depth))
            return keys;
        }
      }
    } else if (op->code == OpCode::kSelect) {
      if (auto keys = Then(op->operands[2], op->operands[0], Direction::kEq, op->operands[1], depth)) return keys;
      return Then(op->operands[1], op->operands[0], Direction::kNe, op->operands[2], depth);
    }
    return std::nullopt;
  }

 private:
  const graph::Op* Def(ValueId value) const {
    OpId def = graph_.values[value].def;
    return def < 0 ? nullptr : &graph_.ops[def];
  }
  const graph::Op* Def(ValueId value, OpCode code) const {
    const graph::Op* op = Def(value);
    return op && op->code == code ? op : nullptr;
  }

  // The order by `first`, and where `same` says that it does not tell, by `rest`.
  std::optional<std::vector<SortKey>> Then(ValueId first, ValueId same, Direction direction, ValueId rest,
                                           int depth) const {
    std::optional<Comparison> strict = Strict(first), equal = Compare(same);
    if (!strict || !equal || equal->direction != direction || !strict->SameOrder(*equal)) return std::nullopt;
    std::optional<std::vector<SortKey>> keys = Order(rest, depth + 1);
    if (keys) keys->insert(keys->begin(), KeyOf(*strict));
    return keys;
  }

  std::optional<Comparison> Strict(ValueId value) const {
    std::optional<Comparison> comparison = Compare(value);
    bool strict = comparison && (comparison->direction == Direction::kLt || comparison->direction == Direction::kGt);
    return strict ? comparison : std::nullopt;
  }

  SortKey KeyOf(const Comparison& comparison) const {
    const Side& key = comparison.key;
    ElementType type = graph_.shape(region_.arguments[2 * key.operand]).type;
    // Comparisons other than by total order do not tell zeros; NaNs they put nowhere, so last will do.
    bool merges = IsFloat(type) && !comparison.total_order;
    return {key.operand, type, comparison.direction == Direction::kGt, key.zeros || merges, key.nans || merges};
  }

  std::optional<Comparison> Compare(ValueId value) const {
    const graph::Op* op = Def(value, OpCode::kCompare);
    if (!op) return std::nullopt;
    std::optional<Side> a = SideOf(op->operands[0]), b = SideOf(op->operands[1]);
    if (!a || !b || a->right == b->right || !a->SameKey(*b)) return std::nullopt;
    Direction direction = a->right ? Mirrored(op->attrs.direction) : op->attrs.direction;
    return Comparison{*a, direction, op->attrs.total_order};
  }

  std::optional<Side> SideOf(ValueId value, int depth = 0) const {
    auto argument = std::find(region_.arguments.begin(), region_.arguments.end(), value);
    if (argument != region_.arguments.end()) {
      const int64_t number = argument - region_.arguments.begin();
      if (!IsKeyType(graph_.shape(value).type)) return std::nullopt;
      return Side{number / 2, number % 2 != 0};
    }
    const graph::Op* select = Def(value, OpCode::kSelect);
    const graph::Op* test = select ? Def(select->operands[0], OpCode::kCompare) : nullptr;
    if (!test || test->attrs.total_order || depth > 4 || !IsFloat(graph_.shape(value).type)) return std::nullopt;
    if (std::optional<Side> side = ZerosMade(*select, *test, depth)) return side;
    return NansMade(*select, *test, depth);
  }

  // select(x == 0, 0, y): the zeros of y are one.
  std::optional<Side> ZerosMade(const graph::Op& select, const graph::Op& test, int depth) const {
    const bool equal = test.attrs.direction == Direction::kEq;
    if (!equal && test.attrs.direction != Direction::kNe) return std::nullopt;
    const bool second = IsZero(test.operands[1]);
    if (!second && !IsZero(test.operands[0])) return std::nullopt;
    std::optional<Side> tested = SideOf(test.operands[second ? 0 : 1], depth + 1);
    std::optional<Side> kept = SideOf(select.operands[equal ? 2 : 1], depth + 1);
    if (!tested || !kept || !tested->SameScalar(*kept) || !IsZero(select.operands[equal ? 1 : 2])) return std::nullopt;
    kept->zeros = true;
    return kept;
  }

  // select(x != x, NaN, y): the NaNs of y are one.
  std::optional<Side> NansMade(const graph::Op& select, const graph::Op& test, int depth) const {
    const bool differs = test.attrs.direction == Direction::kNe;
    if (!differs && test.attrs.direction != Direction::kEq) return std::nullopt;
    std::optional<Side> tested = SideOf(test.operands[0], depth + 1), again = SideOf(test.operands[1], depth + 1);
    std::optional<Side> kept = SideOf(select.operands[differs ? 2 : 1], depth + 1);
    if (!tested || !again || !kept || !tested->SameScalar(*again) || !tested->SameScalar(*kept)) return std::nullopt;
    if (!IsPositiveNan(select.operands[differs ? 1 : 2])) return std::nullopt;
    kept->nans = true;
    return kept;
  }

  std::optional<uint64_t> Literal(ValueId value) const {
    const graph::Op* constant = Def(value, OpCode::kConstant);
    if (!constant) return std::nullopt;
    const ElementType type = graph_.shape(value).type;
    const uint64_t all = ~uint64_t{0} >> (64 - 8 * ElementBytes(type));
    return LiteralBits(*constant, type, 0) & all;
  }

  bool IsZero(ValueId value) const {
    std::optional<uint64_t> bits = Literal(value);
    const uint64_t sign = uint64_t{1} << (8 * ElementBytes(graph_.shape(value).type) - 1);
    return bits && (*bits & ~sign) == 0;
  }

  bool IsPositiveNan(ValueId value) const {
    std::optional<uint64_t> bits = Literal(value);
    const ElementType type = graph_.shape(value).type;
    const uint64_t sign = uint64_t{1} << (8 * ElementBytes(type) - 1);
    return bits && (*bits & sign) == 0 && *bits > HighestBits(type);
  }

  const Graph& graph_;
  const graph::Region& region_;
};

// Elements that are their own number along the dimension.
bool IsNumber(const Graph& graph, ValueId value, int64_t dimension) {
  OpId def = graph.values[value].def;
  if (def < 0 || !IsInteger(graph.shape(value).type)) return false;
  const graph::Op& op = graph.ops[def];
  if (op.code == OpCode::kIota) return op.attrs.dims[0] == dimension;
  if (op.code != OpCode::kBroadcastInDim) return false;
  for (size_t d = 0; d < op.attrs.dims.size(); ++d) {
    const auto from = static_cast<int64_t>(d);
    if (op.attrs.dims[d] == dimension && graph.shape(op.operands[0]).dims[d] == graph.shape(value).dims[dimension])
      return IsNumber(graph, op.operands[0], from);
  }
  return false;
}

bool CanMove(ElementType type) {
  const int bytes = ElementBytes(type);
  return bytes == 1 || bytes == 2 || bytes == 4 || bytes == 8;
}

}  // namespace

std::optional<std::vector<SortKey>> KeysOf(const Graph& graph, const graph::Op& sort) {
  const std::vector<ValueId>& results = graph.regions[sort.regions[0]].results;
  if (results.size() != 1) return std::nullopt;
  return Reader(graph, sort).Order(results[0]);
}

bool IsPlainSort(const Graph& graph, const graph::Op& sort) {
  for (ValueId operand : sort.operands) {
    if (!CanMove(graph.shape(operand).type)) return false;
  }
  std::optional<std::vector<SortKey>> keys = KeysOf(graph, sort);
  return keys && kernels::sort::CanSort(*keys, graph.shape(sort.operands[0]).dims[sort.attrs.dims[0]]);
}

std::vector<ValueId> SortReads(const Graph& graph, const graph::Op& sort, const std::function<bool(ValueId)>& is_used) {
  const std::vector<SortKey> keys = KeysOf(graph, sort).value_or(std::vector<SortKey>{});
  std::vector<ValueId> reads;
  for (size_t k = 0; k < sort.operands.size(); ++k) {
    const bool is_key = std::any_of(keys.begin(), keys.end(),
                                    [&](const SortKey& key) { return key.buffer == static_cast<int64_t>(k); });
    const bool moves = is_used(sort.results[k]) && !IsNumber(graph, sort.operands[k], sort.attrs.dims[0]);
    const bool again = std::find(reads.begin(), reads.end(), sort.operands[k]) != reads.end();
    if ((is_key || moves) && !again) reads.push_back(sort.operands[k]);
  }
  return reads;
}

kernels::sort::SortPlan PlanSortTask(const Graph& graph, const Group& group, const executable::Target& target) {
  const graph::Op& sort = graph.ops[group.ops.front()];
  const int64_t dimension = sort.attrs.dims[0];
  const Shape& shape = graph.shape(sort.operands[0]);
  kernels::sort::SortRequest request;
  for (int64_t d = 0; d < shape.rank(); ++d) {
    if (d != dimension) (d < dimension ? request.outer : request.inner) *= shape.dims[d];
  }
  request.length = shape.dims[dimension];
  request.take = graph.shape(sort.results[0]).dims[dimension];
  request.buffers = static_cast<int64_t>(group.inputs.size());
  auto buffer_of = [&](int64_t operand) -> int64_t {
    auto found = std::find(group.inputs.begin(), group.inputs.end(), sort.operands[operand]);
    return found == group.inputs.end() ? -1 : found - group.inputs.begin();
  };
  request.keys = *KeysOf(graph, sort);
  for (SortKey& key : request.keys) key.buffer = buffer_of(key.buffer);
  for (ValueId output : group.outputs) {
    const int64_t result = std::find(sort.results.begin(), sort.results.end(), output) - sort.results.begin();
    request.outputs.push_back({buffer_of(result), graph.shape(output).type});
  }
  request.keeps_subnormals = target.keeps_subnormals;
  return kernels::sort::PlanSort(request, target);
}

}  // namespace treadle::plan

#include "compiler/plan/schedules/combiner.h"

#include <string>
#include <utility>

#include "compiler/plan/schedules/elementwise.h"

namespace treadle::plan {
namespace {

using graph::OpCode;

// Regions of one operation on their two arguments.
void ClassifySingle(OpCode code, ElementType type, Combiner& combiner) {
  bool is_float = IsFloat(type);
  switch (code) {
    case OpCode::kAdd:
      combiner.commutes = true;
      combiner.identity = is_float ? uint64_t{1} << (8 * ElementBytes(type) - 1) : 0;  // -0 + x is x, also for -0
      break;
    case OpCode::kMultiply:
      combiner.commutes = true;
      combiner.identity = OneBits(type);
      break;
    case OpCode::kMaximum:
    case OpCode::kMinimum:
      combiner.commutes = combiner.idempotent = true;
      combiner.identity = code == OpCode::kMaximum ? LowestBits(type) : HighestBits(type);
      break;
    case OpCode::kAnd:
      combiner.commutes = combiner.idempotent = true;
      combiner.identity = type == ElementType::kI1 ? 1 : ~uint64_t{0};
      break;
    case OpCode::kOr:
      combiner.commutes = combiner.idempotent = true;
      combiner.identity = 0;
      break;
    case OpCode::kXor:
      combiner.commutes = true;
      combiner.identity = 0;
      break;
    default:
      break;
  }
  if (combiner.identity && IsUnsigned(type) && ElementBytes(type) < 8) {
    *combiner.identity &= (uint64_t{1} << 8 * ElementBytes(type)) - 1;
  }
}

// The expression that defines `value`, with commutative operands ordered and comparisons turned to "less".
std::string Expression(const graph::Graph& graph, graph::ValueId value,
                       const std::map<graph::ValueId, std::string>& names, int depth) {
  if (auto name = names.find(value); name != names.end()) return name->second;
  graph::OpId def = graph.values[value].def;
  if (def < 0 || depth > 6) return "?";
  const graph::Op& op = graph.ops[def];
  std::vector<std::string> args;
  for (graph::ValueId operand : op.operands) args.push_back(Expression(graph, operand, names, depth + 1));
  std::string name(graph::OpName(op.code));
  bool commutes = op.code == OpCode::kAnd || op.code == OpCode::kOr;
  if (op.code == OpCode::kCompare) {
    auto direction = op.attrs.direction;
    if (direction == graph::Direction::kGt || direction == graph::Direction::kGe) {
      std::swap(args[0], args[1]);
      direction = direction == graph::Direction::kGt ? graph::Direction::kLt : graph::Direction::kLe;
    }
    commutes = direction == graph::Direction::kEq || direction == graph::Direction::kNe;
    name =
        std::string("cmp") + static_cast<char>('0' + static_cast<int>(direction)) + (op.attrs.total_order ? "t" : "");
  }
  if (commutes && args.size() == 2 && args[1] < args[0]) std::swap(args[0], args[1]);
  std::string text = name + "(";
  for (const std::string& arg : args) text += arg + ",";
  return text + ")";
}

// The same expressions, built by hand: pick = better(x, y) or x is NaN; index = pick or (x == y and i < j).
std::string Compare(graph::Direction direction, std::string x, std::string y) {
  bool commutes = direction == graph::Direction::kEq || direction == graph::Direction::kNe;
  if (commutes && y < x) std::swap(x, y);
  return std::string("cmp") + static_cast<char>('0' + static_cast<int>(direction)) + "(" + x + "," + y + ",)";
}

std::string Logic(std::string_view name, std::string x, std::string y) {
  if (y < x) std::swap(x, y);
  return "stablehlo." + std::string(name) + "(" + x + "," + y + ",)";
}

Combiner::Best ClassifyBest(const graph::Graph& graph, const graph::Region& region) {
  using graph::Direction;
  if (region.results.size() != 2 || region.arguments.size() != 4) return Combiner::kNone;
  ElementType index_type = graph.shape(region.arguments[1]).type;
  if (!IsInteger(index_type)) return Combiner::kNone;
  for (bool swapped : {false, true}) {
    const char* const* n;
    static constexpr const char* kFirst[] = {"a", "i", "b", "j"};
    static constexpr const char* kSecond[] = {"b", "j", "a", "i"};
    n = swapped ? kSecond : kFirst;
    std::map<graph::ValueId, std::string> names;
    for (int k = 0; k < 4; ++k) names[region.arguments[k]] = n[k];
    std::string value = Expression(graph, region.results[0], names, 0),
                index = Expression(graph, region.results[1], names, 0);
    for (bool greatest : {false, true}) {
      std::string better = greatest ? Compare(Direction::kLt, "b", "a") : Compare(Direction::kLt, "a", "b");
      std::string tie = Logic("and", Compare(Direction::kEq, "a", "b"), Compare(Direction::kLt, "i", "j"));
      for (bool nan : {true, false}) {
        if (!nan && IsFloat(graph.shape(region.arguments[0]).type)) continue;
        std::string pick = nan ? Logic("or", better, Compare(Direction::kNe, "a", "a")) : better;
        std::string pick_index = Logic("or", pick, tie);
        if (value == "stablehlo.select(" + pick + ",a,b,)" && index == "stablehlo.select(" + pick_index + ",i,j,)") {
          return greatest ? Combiner::kGreatest : Combiner::kLeast;
        }
      }
    }
  }
  return Combiner::kNone;
}

// argmin and argmax with every hole closed, so that no order of combining can be seen: among NaNs, too, the lowest
// index wins.
std::vector<Id> EmitBest(Builder& b, Combiner::Best best, Id x, Id i, Id y, Id j) {
  Id better = best == Combiner::kGreatest ? b.Compare(Predicate::kGt, x, y) : b.Compare(Predicate::kLt, x, y);
  Id tie = b.Compare(Predicate::kEq, x, y);
  if (IsFloat(b.elt(x))) {
    Id x_nan = b.Compare(Predicate::kNe, x, x), y_nan = b.Compare(Predicate::kNe, y, y);
    better = b.Binary(Op::kOr, better, b.Binary(Op::kAnd, x_nan, b.Unary(Op::kNot, y_nan)));
    tie = b.Binary(Op::kOr, tie, b.Binary(Op::kAnd, x_nan, y_nan));
  }
  Id pick = b.Binary(Op::kOr, better, b.Binary(Op::kAnd, tie, b.Compare(Predicate::kLt, i, j)));
  return {b.Select(pick, x, y), b.Select(pick, i, j)};
}

}  // namespace

Combiner CombinerOf(const graph::Graph& graph, const graph::Op& reduce) {
  Combiner combiner{.region = reduce.regions[0]};
  const graph::Region& region = graph.regions[combiner.region];
  combiner.best = ClassifyBest(graph, region);
  if (combiner.best != Combiner::kNone) combiner.commutes = combiner.idempotent = true;
  if (region.results.size() == 1 && region.arguments.size() == 2 && graph.values[region.results[0]].def >= 0) {
    const graph::Op& op = graph.ops[graph.values[region.results[0]].def];
    bool both =
        op.operands.size() == 2 && ((op.operands[0] == region.arguments[0] && op.operands[1] == region.arguments[1]) ||
                                    (op.operands[1] == region.arguments[0] && op.operands[0] == region.arguments[1]));
    if (both) ClassifySingle(op.code, graph.shape(op.results[0]).type, combiner);
  }
  return combiner;
}

StatusOr<std::vector<Id>> EmitCombine(Builder& b, const graph::Graph& graph, const Combiner& combiner,
                                      std::span<const Id> accumulated, std::span<const Id> values) {
  if (combiner.best != Combiner::kNone) {
    return EmitBest(b, combiner.best, accumulated[0], accumulated[1], values[0], values[1]);
  }
  const graph::Region& region = graph.regions[combiner.region];
  std::map<graph::ValueId, Id> ids;
  for (size_t k = 0; k < accumulated.size(); ++k) {
    ids[region.arguments[k]] = accumulated[k];
    ids[region.arguments[accumulated.size() + k]] = values[k];
  }
  return EmitScalarRegion(b, graph, combiner.region, std::move(ids), "reduce");
}

StatusOr<std::vector<Id>> EmitScalarRegion(Builder& b, const graph::Graph& graph, graph::RegionId region,
                                           std::map<graph::ValueId, Id> ids, std::string_view owner) {
  auto find = [&](graph::ValueId value) -> std::optional<Id> {
    if (auto found = ids.find(value); found != ids.end()) return found->second;
    graph::OpId def = graph.values[value].def;
    if (def < 0 || graph.ops[def].code != OpCode::kConstant) return std::nullopt;
    ElementType type = graph.shape(value).type;
    return b.Const(type, LiteralBits(graph.ops[def], type, 0));
  };
  const std::string where = "a region of " + std::string(owner);
  for (graph::OpId op_id : graph.regions[region].ops) {
    const graph::Op& op = graph.ops[op_id];
    if (op.code == OpCode::kConstant) continue;
    std::vector<Id> args;
    for (graph::ValueId operand : op.operands) {
      std::optional<Id> id = find(operand);
      if (!id) return Unsupported(graph, op, where + " that reads a value from outside it");
      args.push_back(*id);
    }
    if (op.code == OpCode::kReshape || op.code == OpCode::kBroadcastInDim || op.code == OpCode::kOptimizationBarrier) {
      for (size_t k = 0; k < op.results.size(); ++k) ids[op.results[k]] = args[k];
    } else if (graph::OpClassOf(op.code) == graph::OpClass::kElementwise) {
      TREADLE_ASSIGN_OR_RETURN(ids[op.results[0]], EmitElementwise(b, graph, op, args));
    } else {
      return Unsupported(graph, op, "inside " + where);
    }
  }
  std::vector<Id> results;
  for (graph::ValueId result : graph.regions[region].results) {
    std::optional<Id> id = find(result);
    if (!id) return Internal(where + " returns a value from outside it");
    results.push_back(*id);
  }
  return results;
}

int CombineUops(const graph::Graph& graph, const Combiner& combiner) {
  if (combiner.best != Combiner::kNone) return 12;
  int uops = 0;
  for (graph::OpId op : graph.regions[combiner.region].ops) uops += UopsOf(graph, graph.ops[op]);
  return uops;
}

}  // namespace treadle::plan

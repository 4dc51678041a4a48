#include "compiler/plan/schedules/map_loop.h"

#include <algorithm>
#include <limits>
#include <map>
#include <optional>
#include <set>
#include <utility>

#include "compiler/plan/operation_class.h"
#include "compiler/plan/schedules/elementwise.h"
#include "compiler/plan/schedules/kernel.h"
#include "compiler/plan/schedules/map.h"
#include "compiler/plan/sources.h"

namespace treadle::plan {
namespace {

using graph::Graph;
using graph::OpCode;
using graph::OpId;
using graph::RegionId;
using graph::ValueId;

constexpr int64_t kFewestElements = 17;  // below, single elements are as good as vectors
constexpr size_t kMostOps = 500;         // of the graph, in a trip
constexpr int kMostUops = 1200;          // vector operations of a trip
constexpr size_t kMostBuffers = 48;
constexpr double kGuessedTrips = 64;  // of a loop whose count nobody knows

// Whether each result element is the operand's at the same index, or the operand's only one.
bool KeepsIndex(const Graph& graph, const graph::Op& op) {
  if (op.code == OpCode::kReshape || op.code == OpCode::kOptimizationBarrier) return true;
  if (op.code != OpCode::kBroadcastInDim) return false;
  return graph.shape(op.operands[0]).elements() == 1 || StepOf(graph, op) == PathStep::kLinear;
}

// Whether a nest can compute the result at any index.
bool FitsNest(const graph::Op& op) {
  switch (op.code) {
    case OpCode::kBroadcastInDim:
    case OpCode::kConstant:
    case OpCode::kIota:
    case OpCode::kOptimizationBarrier:
    case OpCode::kReshape:
    case OpCode::kReverse:
    case OpCode::kSlice:
    case OpCode::kTranspose:
      return true;
    default:
      return graph::OpClassOf(op.code) == graph::OpClass::kElementwise;
  }
}

bool TypesFit(const Graph& graph, const graph::Op& op) {
  auto fits = [&](ValueId value) { return IsPlanType(graph.shape(value).type); };
  if (!std::ranges::all_of(op.operands, fits) || !std::ranges::all_of(op.results, fits)) return false;
  return op.code != OpCode::kBitcastConvert ||
         ElementBits(graph.shape(op.operands[0]).type) == ElementBits(graph.shape(op.results[0]).type);
}

// What is known of a while that is a loop of maps.
class MapLoop {
 public:
  MapLoop(const Graph& graph, OpId number)
      : graph_(graph),
        op_(graph.ops[number]),
        cond_(graph.regions[op_.regions[0]]),
        body_(graph.regions[op_.regions[1]]) {}

  // Whether it is one. REQUIRED before all else.
  bool Analyse();

  const graph::Op& op() const { return op_; }
  const graph::Region& cond() const { return cond_; }
  const graph::Region& body() const { return body_; }
  int uops() const { return uops_; }
  bool IsScalar(ValueId value) const { return graph_.shape(value).elements() == 1; }
  // Whether the value is made inside and not the same in all trips.
  bool Changes(ValueId value) const { return changing_.contains(value); }
  // Constants that stand in the code.
  bool IsLiteral(ValueId value) const { return IsConstant(graph_, value) && IsBaked(graph_, value); }
  // Values that operations which change, or the ends of the loop, read and that do not change; without literals.
  const std::set<ValueId>& fixed() const { return fixed_; }
  // Of these and what they are computed from, the values that are memory; without literals.
  std::set<ValueId> Memory() const;
  // How often it goes round, where constants tell.
  std::optional<int64_t> Trips() const;

 private:
  bool AnalyseCarries();
  bool AnalyseRegion(const graph::Region& region);
  bool AnalyseOp(const graph::Op& op);
  void Read(ValueId value) {
    if (!Changes(value) && !IsLiteral(value)) fixed_.insert(value);
  }
  bool FixedFit() const;

  const Graph& graph_;
  const graph::Op& op_;
  const graph::Region& cond_;
  const graph::Region& body_;
  int64_t elements_ = 1;  // of the arrays that change
  size_t ops_ = 0;
  int uops_ = 0;
  std::set<ValueId> changing_, inside_, fixed_;
};

bool MapLoop::Analyse() {
  if (!AnalyseCarries() || !AnalyseRegion(cond_) || !AnalyseRegion(body_)) return false;
  if (!Changes(cond_.results[0])) return false;
  for (ValueId value : op_.operands) Read(value);
  for (ValueId value : body_.results) Read(value);
  return uops_ <= kMostUops && FixedFit() && Memory().size() + op_.results.size() <= kMostBuffers;
}

bool MapLoop::AnalyseCarries() {
  for (size_t k = 0; k < op_.results.size(); ++k) {
    const Shape& shape = graph_.shape(op_.results[k]);
    if (!IsPlanType(shape.type)) return false;
    if (!IsScalar(op_.results[k])) {
      if (elements_ == 1) elements_ = shape.elements();
      if (shape.elements() != elements_) return false;
    }
    changing_.insert(cond_.arguments[k]);
    changing_.insert(body_.arguments[k]);
  }
  inside_ = changing_;
  return elements_ >= kFewestElements;
}

bool MapLoop::AnalyseRegion(const graph::Region& region) {
  ops_ += region.ops.size();
  if (ops_ > kMostOps) return false;
  return std::ranges::all_of(region.ops, [&](OpId number) { return AnalyseOp(graph_.ops[number]); });
}

bool MapLoop::AnalyseOp(const graph::Op& op) {
  if (!FitsNest(op) || !TypesFit(graph_, op)) return false;
  inside_.insert(op.results.begin(), op.results.end());
  if (std::ranges::none_of(op.operands, [&](ValueId value) { return Changes(value); })) return true;
  const bool moves = graph::OpClassOf(op.code) != graph::OpClass::kElementwise;
  if (moves && !KeepsIndex(graph_, op)) return false;
  for (size_t k = 0; k < op.operands.size(); ++k) {
    const ValueId result = op.results[op.code == OpCode::kOptimizationBarrier ? k : 0];
    const int64_t from = graph_.shape(op.operands[k]).elements(), to = graph_.shape(result).elements();
    if ((to != 1 && to != elements_) || (from != 1 && from != to)) return false;
    Read(op.operands[k]);
    changing_.insert(result);
  }
  if (!moves && !IsScalar(op.results[0])) uops_ += UopsOf(graph_, op);
  return true;
}

bool MapLoop::FixedFit() const {
  return std::ranges::all_of(
      fixed_, [&](ValueId value) { return IsScalar(value) || graph_.shape(value).elements() == elements_; });
}

std::set<ValueId> MapLoop::Memory() const {
  std::set<ValueId> memory, visited;
  std::vector<ValueId> stack(fixed_.begin(), fixed_.end());
  while (!stack.empty()) {
    const ValueId value = stack.back();
    stack.pop_back();
    if (IsLiteral(value) || !visited.insert(value).second) continue;
    if (!inside_.contains(value) || IsConstant(graph_, value)) {
      memory.insert(value);
    } else {
      const std::vector<ValueId>& operands = graph_.ops[graph_.values[value].def].operands;
      stack.insert(stack.end(), operands.begin(), operands.end());
    }
  }
  return memory;
}

// A counter from one constant up to another by a third, without wrapping round.
std::optional<int64_t> MapLoop::Trips() const {
  auto number = [&](ValueId value) -> std::optional<int64_t> {
    const ElementType type = graph_.shape(value).type;
    if (!IsLiteral(value) || !IsInteger(type)) return std::nullopt;
    return static_cast<int64_t>(LiteralBits(graph_.ops[graph_.values[value].def], type, 0));
  };
  if (graph_.values[cond_.results[0]].def == graph::kNoOp) return std::nullopt;  // a carry
  const graph::Op& compare = graph_.ops[graph_.values[cond_.results[0]].def];
  if (compare.code != OpCode::kCompare || compare.attrs.direction != graph::Direction::kLt) return std::nullopt;
  const auto argument = std::ranges::find(cond_.arguments, compare.operands[0]);
  const std::optional<int64_t> limit = number(compare.operands[1]);
  if (argument == cond_.arguments.end() || !limit) return std::nullopt;
  const size_t counter = argument - cond_.arguments.begin();
  const OpId def = graph_.values[body_.results[counter]].def;
  const std::optional<int64_t> start = number(op_.operands[counter]);
  if (def == graph::kNoOp || graph_.ops[def].code != OpCode::kAdd || !start) return std::nullopt;
  const std::vector<ValueId>& terms = graph_.ops[def].operands;
  const int which = terms[0] == body_.arguments[counter] ? 1 : 0;
  if (terms[1 - which] != body_.arguments[counter]) return std::nullopt;
  const std::optional<int64_t> step = number(terms[which]);
  constexpr int64_t kLargest = std::numeric_limits<int32_t>::max();  // beyond, nobody counts to the end
  if (!step || *step <= 0 || *start < 0 || *limit < 0 || *limit > kLargest) return std::nullopt;
  if (*limit <= *start) return 0;
  const int64_t trips = (*limit - *start - 1) / *step + 1;
  const int value_bits =
      ElementBits(graph_.shape(compare.operands[1]).type) - (IsSigned(graph_.shape(compare.operands[1]).type) ? 1 : 0);
  const bool wraps = value_bits < 63 && *start + trips * *step >= int64_t{1} << value_bits;
  return wraps ? std::nullopt : std::optional(trips);
}

// Writes the loop at a point of a box.
class LoopEmitter {
 public:
  // `arrays`: all of it; else what the scalars need.
  LoopEmitter(const MapLoop& loop, Kernel& kernel, MapBox& box, bool arrays)
      : loop_(loop), kernel_(kernel), graph_(kernel.graph()), b_(kernel.b()), box_(box), arrays_(arrays) {
    for (size_t k = 0; k < loop.op().results.size(); ++k) {
      if (IsWanted(loop.op().results[k])) carries_.push_back(k);
    }
  }

  // What does not change is computed in front. Before the box is prepared.
  void AddRoots() {
    for (ValueId value : loop_.fixed()) {
      if (IsWanted(value)) roots_[value] = box_.nest().AddRoot(value, At(graph_.shape(value).dims));
    }
  }

  static Nest::IndexOf At(const std::vector<int64_t>& dims) {
    const bool one = std::ranges::all_of(dims, [](int64_t size) { return size == 1; });
    return [dims, one](IndexSpace& space) { return one ? Index(dims.size()) : Nest::Whole(space, dims); };
  }

  // `trips`: a push constant, or nothing where the condition is asked. Returns the results that are outputs here.
  StatusOr<std::vector<Id>> Emit(std::optional<Size> trips) {
    for (const auto& [value, root] : roots_) {
      TREADLE_ASSIGN_OR_RETURN(values_[value], box_.nest().Value(box_.nest().Root(root)));
    }
    std::vector<Id> init;
    for (size_t k : carries_) init.push_back(ValueOf(loop_.op().operands[k]));
    if (trips) {
      const Id hi = b_.SizeValue(*trips);
      b_.BeginFor(b_.ConstI64(0), hi, kNone, init);
    } else {
      b_.BeginWhile(init);
      b_.BeginCond();
      TREADLE_RETURN_IF_ERROR(EmitRegion(loop_.cond()));
      b_.Yield({ValueOf(loop_.cond().results[0])});
      b_.BeginBody();
    }
    TREADLE_RETURN_IF_ERROR(EmitRegion(loop_.body()));
    std::vector<Id> next;
    for (size_t k : carries_) next.push_back(ValueOf(loop_.body().results[k]));
    b_.Yield(next);
    const std::vector<Id> ends = b_.EndLoop();
    std::vector<Id> results;
    for (ValueId output : kernel_.group().outputs) {
      if (loop_.IsScalar(output) == arrays_) continue;
      const size_t carry = std::ranges::find(loop_.op().results, output) - loop_.op().results.begin();
      results.push_back(ends[std::ranges::find(carries_, carry) - carries_.begin()]);
    }
    return results;
  }

 private:
  bool IsWanted(ValueId value) const { return arrays_ || loop_.IsScalar(value); }

  Id ValueOf(ValueId value) {
    if (!loop_.IsLiteral(value)) return values_.at(value);
    const ElementType type = graph_.shape(value).type;
    return b_.Const(type, LiteralBits(graph_.ops[graph_.values[value].def], type, 0));
  }

  Status EmitRegion(const graph::Region& region) {
    for (size_t k = 0; k < carries_.size(); ++k) values_[region.arguments[carries_[k]]] = b_.Carry(static_cast<int>(k));
    for (OpId number : region.ops) {
      const graph::Op& op = graph_.ops[number];
      if (op.code == OpCode::kOptimizationBarrier) {
        for (size_t k = 0; k < op.results.size(); ++k) {
          if (loop_.Changes(op.results[k]) && IsWanted(op.results[k])) values_[op.results[k]] = ValueOf(op.operands[k]);
        }
        continue;
      }
      if (!loop_.Changes(op.results[0]) || !IsWanted(op.results[0])) continue;
      std::vector<Id> args;
      for (ValueId operand : op.operands) args.push_back(ValueOf(operand));
      values_[op.results[0]] = args[0];
      if (graph::OpClassOf(op.code) != graph::OpClass::kElementwise) continue;
      TREADLE_ASSIGN_OR_RETURN(values_[op.results[0]], EmitElementwise(b_, graph_, op, args));
    }
    return OkStatus();
  }

  const MapLoop& loop_;
  Kernel& kernel_;
  const Graph& graph_;
  Builder& b_;
  MapBox& box_;
  const bool arrays_;
  std::vector<size_t> carries_;  // those that are written here
  std::map<ValueId, int> roots_;
  std::map<ValueId, Id> values_;
};

// One phase of the kernel.
class LoopPhase {
 public:
  LoopPhase(const MapLoop& loop, Kernel& kernel, bool arrays)
      : loop_(loop),
        kernel_(kernel),
        arrays_(arrays),
        box_(kernel, arrays ? Domain() : std::vector<int64_t>{}),
        emitter_(loop, kernel, box_, arrays) {}

  Status Emit(std::optional<int64_t> trips, std::optional<Size> trips_pushed) {
    emitter_.AddRoots();
    for (size_t k = 0; k < kernel_.group().outputs.size(); ++k) {
      const ValueId output = kernel_.group().outputs[k];
      if (loop_.IsScalar(output) == arrays_) continue;
      const std::vector<int64_t>& dims = kernel_.graph().shape(output).dims;
      outputs_.push_back(k);
      box_.AddTarget(kernel_.OutputBuffer(static_cast<int>(k)), dims, LoopEmitter::At(dims));
    }
    box_.SetBody([this, trips_pushed] { return emitter_.Emit(trips_pushed); }, 2 + (arrays_ ? loop_.uops() : 0));
    box_.SetRounds(trips ? static_cast<double>(*trips) : kGuessedTrips);
    TREADLE_RETURN_IF_ERROR(box_.Prepare(MostUnroll()));
    const Id tile = kernel_.b().BeginPhase();
    TREADLE_RETURN_IF_ERROR(box_.Emit(tile));
    kernel_.EndPhase(box_.tiles(), box_.cost());
    return OkStatus();
  }

  // Whose memory the outputs may take: that of what the carry starts from, rather than any other. Before
  // Kernel::Finish.
  std::vector<std::pair<uint16_t, int16_t>> Shares() {
    std::vector<std::vector<int16_t>> fitting(kernel_.group().outputs.size());
    std::vector<int16_t> preferred(fitting.size(), -1);
    for (size_t number = 0; number < outputs_.size(); ++number) {
      const int store = static_cast<int>(number);
      const ValueId output = kernel_.group().outputs[outputs_[number]];
      const size_t carry = std::ranges::find(loop_.op().results, output) - loop_.op().results.begin();
      fitting[outputs_[number]] = box_.nest().SharedInputs({&store, 1});
      preferred[outputs_[number]] = static_cast<int16_t>(kernel_.InputBuffer(loop_.op().operands[carry]));
    }
    return ChooseShares(kernel_, fitting, preferred);
  }

 private:
  // Of the array with the most dimensions, so that fewest axes have to be cut.
  std::vector<int64_t> Domain() const {
    std::vector<int64_t> dims;
    for (ValueId result : loop_.op().results) {
      const std::vector<int64_t>& own = kernel_.graph().shape(result).dims;
      if (!loop_.IsScalar(result) && own.size() >= dims.size()) dims = own;
    }
    return dims;
  }

  // Some of the carries of all copies may lie on the stack, but not most of them.
  int MostUnroll() const {
    int bytes = 0;
    for (ValueId result : loop_.op().results) {
      if (!loop_.IsScalar(result)) bytes += std::max(4, ElementBytes(kernel_.graph().shape(result).type));
    }
    const int registers = kernel_.target().isa == executable::IsaLevel::kV4 ? 32 : 16;
    const int most = 2 * registers * 4 / std::max(bytes, 4);
    return most >= 8 ? 8 : most >= 4 ? 4 : most >= 2 ? 2 : 1;
  }

  const MapLoop& loop_;
  Kernel& kernel_;
  const bool arrays_;
  MapBox box_;
  LoopEmitter emitter_;
  std::vector<size_t> outputs_;  // numbers of the group's that are written here
};

}  // namespace

bool IsMapLoop(const Graph& graph, OpId op) {
  return graph.ops[op].code == OpCode::kWhile && MapLoop(graph, op).Analyse();
}

Group MapLoopGroup(const Graph& graph, OpId op, const std::function<bool(ValueId)>& is_used) {
  MapLoop loop(graph, op);
  loop.Analyse();
  const std::set<ValueId> memory = loop.Memory();
  Group group{.ops = {op}, .inputs = {memory.begin(), memory.end()}};
  for (ValueId result : graph.ops[op].results) {
    if (!is_used(result)) continue;
    group.outputs.push_back(result);
    group.starts_from.push_back(-1);
  }
  return group;
}

StatusOr<Instance> ScheduleMapLoop(const Graph& graph, const Group& group, const executable::Target& target) {
  MapLoop loop(graph, group.ops.front());
  loop.Analyse();
  Kernel kernel("map of loops", graph, group, target);
  const std::optional<int64_t> trips = loop.Trips();
  const std::optional<Size> pushed = trips ? std::optional(kernel.AddSize(*trips)) : std::nullopt;
  std::vector<std::pair<uint16_t, int16_t>> shares;
  for (bool arrays : {true, false}) {
    if (std::ranges::all_of(group.outputs, [&](ValueId output) { return loop.IsScalar(output) == arrays; })) continue;
    LoopPhase phase(loop, kernel, arrays);
    TREADLE_RETURN_IF_ERROR(phase.Emit(trips, pushed));
    if (arrays) shares = phase.Shares();
  }
  Instance instance = kernel.Finish();
  SetShares(shares, instance.plan);
  return instance;
}

}  // namespace treadle::plan

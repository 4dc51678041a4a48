#include "compiler/plan/schedules/serial.h"

#include <algorithm>
#include <map>
#include <set>
#include <unordered_map>
#include <utility>

#include "compiler/plan/operation_class.h"
#include "compiler/plan/schedules/combiner.h"
#include "compiler/plan/schedules/elementwise.h"
#include "compiler/plan/schedules/index_space.h"
#include "compiler/plan/schedules/kernel.h"
#include "compiler/plan/schedules/unrolled.h"
#include "compiler/plan/work.h"

namespace treadle::plan {
namespace {

using graph::Graph;
using graph::OpCode;
using graph::OpId;
using graph::RegionId;
using graph::ValueId;

constexpr int64_t kSmall = 64;                  // elements of an array that may live in registers
constexpr int64_t kTiny = 16;                   // up to here single elements are as good as vectors
constexpr int64_t kMaxCode = 3000;              // machine operations, about
constexpr int64_t kMaxCodeOfSmall = 800;        // if there are arrays above kTiny
constexpr int64_t kMaxCodeOfScalars = 200'000;  // if nearly every operation is one of scalars
constexpr size_t kNodesOfScalar = 4;            // that such an operation becomes, at most, on average
constexpr size_t kMaxCarries = 512;             // of a long body: the code generator takes the square of their number
constexpr size_t kMaxOps = 100'000;             // of the graph: more are not looked at

bool IsSmall(const Graph& graph, ValueId value) { return graph.shape(value).elements() <= kSmall; }

// A while's carry that the body hands on as it came.
bool IsInvariant(const Graph& graph, const graph::Op& loop, size_t carry) {
  if (loop.code != OpCode::kWhile) return false;
  const graph::Region& body = graph.regions[loop.regions[1]];
  return body.results[carry] == body.arguments[carry];
}

// Walks the operation and its regions and writes their code.
class SerialEmitter {
 public:
  // `loaded`: inputs whose elements are loaded in front of the loop; the others are only read in place.
  SerialEmitter(Kernel& kernel, std::set<ValueId>& loaded)
      : kernel_(kernel), graph_(kernel.graph()), b_(kernel.b()), loaded_(loaded) {}

  Status Run(OpId number) {
    const graph::Op& op = graph_.ops[number];
    b_.BeginPhase();
    for (ValueId input : kernel_.group().inputs) BindInput(input);
    // Carries that are written start where their output is.
    std::vector<Value> operands;
    for (size_t k = 0; k < op.operands.size(); ++k) {
      TREADLE_ASSIGN_OR_RETURN(Value operand, ValueOf(op.operands[k]));
      operands.push_back(std::move(operand));
    }
    for (size_t k = 0; k < kernel_.group().outputs.size(); ++k) {
      if (kernel_.group().starts_from[k] < 0) continue;
      size_t carry = std::find(op.results.begin(), op.results.end(), kernel_.group().outputs[k]) - op.results.begin();
      operands[carry] = NewPlace(kernel_.OutputBuffer(static_cast<int>(k)));
    }
    TREADLE_ASSIGN_OR_RETURN(std::vector<Value> results, EmitControl(op, operands));
    for (size_t k = 0; k < kernel_.group().outputs.size(); ++k) {
      if (kernel_.group().starts_from[k] >= 0) continue;
      size_t number_of_result =
          std::find(op.results.begin(), op.results.end(), kernel_.group().outputs[k]) - op.results.begin();
      TREADLE_ASSIGN_OR_RETURN(Elements elements, ElementsOf(op, results[number_of_result]));
      for (size_t e = 0; e < elements.size(); ++e) {
        b_.Store({kernel_.OutputBuffer(static_cast<int>(k)), {-1, static_cast<int64_t>(e)}, {}}, elements[e]);
      }
    }
    return OkStatus();
  }

 private:
  // An array: in scalars, or in a buffer as it was at some time, or both.
  struct Value {
    Elements elements;
    bool has_elements = false;
    int place = -1;
    int version = 0;
    ValueId input = -1;  // the group's input that this is
  };
  struct Place {
    uint16_t buffer;
    int version = 0;  // changed by each write
  };

  Value NewPlace(uint16_t buffer) {
    places_.push_back({buffer, ++versions_});
    return {.place = static_cast<int>(places_.size() - 1), .version = versions_};
  }

  void BindInput(ValueId input) {
    int buffer = kernel_.BufferOf(input);
    if (buffer < 0) return;
    Value value = NewPlace(static_cast<uint16_t>(buffer));
    value.input = input;
    if (loaded_.contains(input)) {
      value.has_elements = true;
      for (int64_t e = 0; e < graph_.shape(input).elements(); ++e) {
        value.elements.push_back(b_.Load({static_cast<uint16_t>(buffer), {-1, e}, {}}));
      }
    }
    values_[input] = std::move(value);
  }

  StatusOr<Value> ValueOf(ValueId value) {
    if (auto found = values_.find(value); found != values_.end()) return found->second;
    OpId def = graph_.values[value].def;
    if (def == graph::kNoOp || graph_.ops[def].code != OpCode::kConstant)
      return Internal("a serial loop reads a value out of scope");
    if (!IsSmall(graph_, value)) return Unsupported(graph_, graph_.ops[def], "a large constant inside a serial loop");
    return Value{.elements = UnrolledConstant(b_, graph_, graph_.ops[def]), .has_elements = true};
  }

  // The scalars of a value that `op` reads.
  StatusOr<Elements> ElementsOf(const graph::Op& op, Value value) {
    if (value.has_elements) return std::move(value.elements);
    if (value.input >= 0 && IsSmall(graph_, value.input)) {
      // In this first walk its type will do; the next one loads it in front of the loop.
      loaded_.insert(value.input);
      return Elements(graph_.shape(value.input).elements(), b_.Const(graph_.shape(value.input).type, 0));
    }
    return Unsupported(graph_, op, "computes with a large array inside a serial loop");
  }

  Status CheckCurrent(const graph::Op& op, const Value& value) {
    if (places_[value.place].version == value.version) return OkStatus();
    return Unsupported(graph_, op, "reads an array that the loop has written since");
  }

  // Operations of a region in order; its results.
  StatusOr<std::vector<Value>> EmitRegion(RegionId region) {
    for (OpId number : graph_.regions[region].ops) {
      const graph::Op& op = graph_.ops[number];
      if (op.code != OpCode::kConstant) TREADLE_RETURN_IF_ERROR(EmitOp(op));
    }
    std::vector<Value> results;
    for (ValueId result : graph_.regions[region].results) {
      TREADLE_ASSIGN_OR_RETURN(Value value, ValueOf(result));
      results.push_back(std::move(value));
    }
    return results;
  }

  Status EmitOp(const graph::Op& op) {
    std::vector<Value> operands;
    for (ValueId operand : op.operands) {
      TREADLE_ASSIGN_OR_RETURN(Value value, ValueOf(operand));
      operands.push_back(std::move(value));
    }
    std::vector<Value> results;
    bool in_place = !operands.empty() && operands[0].place >= 0;
    if (op.code == OpCode::kWhile || op.code == OpCode::kIf || op.code == OpCode::kCase) {
      TREADLE_ASSIGN_OR_RETURN(results, EmitControl(op, operands));
    } else if (in_place && (op.code == OpCode::kDynamicSlice || op.code == OpCode::kSlice)) {
      TREADLE_ASSIGN_OR_RETURN(Value value, ReadWindow(op, operands));
      results.push_back(std::move(value));
    } else if (in_place && op.code == OpCode::kDynamicUpdateSlice && !IsSmall(graph_, op.operands[0])) {
      TREADLE_ASSIGN_OR_RETURN(Value value, WriteWindow(op, operands));
      results.push_back(std::move(value));
    } else if (in_place && op.code == OpCode::kGather) {
      TREADLE_ASSIGN_OR_RETURN(Value value, ReadIndexed(op, operands));
      results.push_back(std::move(value));
    } else if (in_place && op.code == OpCode::kScatter && op.results.size() == 1 && !IsSmall(graph_, op.operands[0])) {
      TREADLE_ASSIGN_OR_RETURN(Value value, WriteIndexed(op, operands));
      results.push_back(std::move(value));
    } else if (in_place && (op.code == OpCode::kReshape || op.code == OpCode::kOptimizationBarrier) &&
               !operands[0].has_elements && op.results.size() == 1) {
      results.push_back(operands[0]);
    } else {
      for (ValueId result : op.results) {
        if (!IsSmall(graph_, result)) return Unsupported(graph_, op, "makes a large array inside a serial loop");
      }
      std::vector<Elements> elements;
      for (Value& operand : operands) {
        TREADLE_ASSIGN_OR_RETURN(Elements of_one, ElementsOf(op, std::move(operand)));
        elements.push_back(std::move(of_one));
      }
      TREADLE_ASSIGN_OR_RETURN(std::vector<Elements> made, EmitUnrolled(b_, graph_, op, elements));
      for (Elements& one : made) results.push_back({.elements = std::move(one), .has_elements = true});
    }
    for (size_t k = 0; k < op.results.size(); ++k) values_[op.results[k]] = std::move(results[k]);
    return OkStatus();
  }

  // Element `number` of a window (row-major) of an array in memory.
  Access WindowAccess(const Place& place, const Shape& array, const std::vector<int64_t>& window,
                      const std::vector<int64_t>& first, const std::vector<int64_t>& steps,
                      const std::vector<Id>& starts, int64_t number) const {
    Access access{place.buffer, {}, {}};
    std::vector<int64_t> strides = array.Strides();
    for (size_t d = window.size(); d-- > 0; number /= window[d]) {
      access.offset.c += strides[d] * (first[d] + number % window[d] * steps[d]);
    }
    for (size_t d = 0; d < starts.size(); ++d) {
      if (starts[d] != kNone) access.terms.push_back({starts[d], {-1, strides[d]}});
    }
    return access;
  }

  // Starts of a window, kNone where it can only be 0.
  StatusOr<std::vector<Id>> Starts(const graph::Op& op, const Shape& array, const std::vector<int64_t>& window,
                                   std::span<const Value> operands) {
    std::vector<Id> starts;
    for (size_t d = 0; d < window.size(); ++d) {
      TREADLE_ASSIGN_OR_RETURN(Elements start, ElementsOf(op, operands[d]));
      int64_t limit = array.dims[d] - window[d];
      starts.push_back(limit == 0 ? kNone : ClampStart(b_, start[0], limit));
    }
    return starts;
  }

  StatusOr<Value> ReadWindow(const graph::Op& op, const std::vector<Value>& operands) {
    TREADLE_RETURN_IF_ERROR(CheckCurrent(op, operands[0]));
    const Shape &array = graph_.shape(op.operands[0]), &window = graph_.shape(op.results[0]);
    if (!IsSmall(graph_, op.results[0])) return Unsupported(graph_, op, "makes a large array inside a serial loop");
    if (!IsPlanType(array.type)) return Unsupported(graph_, op, "this element type is not supported yet");
    bool dynamic = op.code == OpCode::kDynamicSlice;
    std::vector<int64_t> first(window.dims.size(), 0), steps(window.dims.size(), 1);
    std::vector<Id> starts;
    if (dynamic) {
      TREADLE_ASSIGN_OR_RETURN(starts, Starts(op, array, window.dims, std::span(operands).subspan(1)));
    } else {
      first = op.attrs.starts;
      steps = op.attrs.strides;
    }
    Value value{.has_elements = true};
    for (int64_t e = 0; e < window.elements(); ++e) {
      value.elements.push_back(
          b_.Load(WindowAccess(places_[operands[0].place], array, window.dims, first, steps, starts, e)));
    }
    return value;
  }

  StatusOr<Value> WriteWindow(const graph::Op& op, const std::vector<Value>& operands) {
    TREADLE_RETURN_IF_ERROR(CheckCurrent(op, operands[0]));
    const Shape &array = graph_.shape(op.operands[0]), &window = graph_.shape(op.operands[1]);
    if (operands[0].input >= 0) return Unsupported(graph_, op, "writes to an input of a serial loop");
    if (!IsPlanType(array.type)) return Unsupported(graph_, op, "this element type is not supported yet");
    TREADLE_ASSIGN_OR_RETURN(Elements update, ElementsOf(op, operands[1]));
    TREADLE_ASSIGN_OR_RETURN(std::vector<Id> starts, Starts(op, array, window.dims, std::span(operands).subspan(2)));
    Place& place = places_[operands[0].place];
    std::vector<int64_t> zeros(window.dims.size(), 0), ones(window.dims.size(), 1);
    for (int64_t e = 0; e < window.elements(); ++e) {
      b_.Store(WindowAccess(place, array, window.dims, zeros, ones, starts, e), update[e]);
    }
    place.version = ++versions_;
    return Value{.place = operands[0].place, .version = place.version};
  }

  // --- gather and scatter, element by element ---

  // The element that a gather or scatter means by position `at` of its result (updates).
  struct Indexed {
    Access access;                      // with starts clamped, so that it is good in any case
    std::vector<Id> starts;             // as they are, by component
    std::vector<int64_t> limits;        // of the starts, by component
    std::vector<int64_t> index_vector;  // which one
  };

  Indexed Locate(const graph::Op& op, uint16_t buffer, const Shape& array, const Shape& indices,
                 const Elements& index_elements, const std::vector<int64_t>& window, const std::vector<int64_t>& at) {
    const graph::IndexedWindows& windows = op.attrs.windows;
    Index constant;
    for (int64_t k : at) constant.push_back({k, {}});
    IndexedPlace place = PlaceOf(windows, constant, array.dims.size());
    std::vector<int64_t> strides = array.Strides(), index_strides = indices.Strides();
    Indexed indexed{.access = {buffer, {}, {}}};
    for (size_t d = 0; d < strides.size(); ++d) indexed.access.offset.c += strides[d] * place.window[d].offset;
    for (const Affine& k : place.index_vector) indexed.index_vector.push_back(k.offset);
    for (size_t c = 0; c < windows.index_map.size(); ++c) {
      const Index position = ComponentPlace(windows, place, c, indices.rank());
      int64_t number = 0, d = windows.index_map[c];
      for (size_t k = 0; k < position.size(); ++k) number += position[k].offset * index_strides[k];
      indexed.starts.push_back(index_elements[number]);
      indexed.limits.push_back(array.dims[d] - window[d]);
      if (indexed.limits.back() <= 0) continue;
      indexed.access.terms.push_back({ClampStart(b_, indexed.starts[c], indexed.limits[c]), {-1, strides[d]}});
    }
    return indexed;
  }

  StatusOr<Value> ReadIndexed(const graph::Op& op, const std::vector<Value>& operands) {
    TREADLE_RETURN_IF_ERROR(CheckCurrent(op, operands[0]));
    const Shape &array = graph_.shape(op.operands[0]), &result = graph_.shape(op.results[0]);
    if (!IsSmall(graph_, op.results[0])) return Unsupported(graph_, op, "makes a large array inside a serial loop");
    if (!IsPlanType(array.type)) return Unsupported(graph_, op, "this element type is not supported yet");
    TREADLE_ASSIGN_OR_RETURN(Elements indices, ElementsOf(op, operands[1]));
    Value value{.has_elements = true};
    for (int64_t e = 0; e < result.elements(); ++e) {
      Indexed element = Locate(op, places_[operands[0].place].buffer, array, graph_.shape(op.operands[1]), indices,
                               op.attrs.limits, IndexOf(e, result.dims));
      value.elements.push_back(b_.Load(std::move(element.access)));
    }
    return value;
  }

  Id IsInside(const Indexed& element) {
    Id inside = b_.Const(ElementType::kI1, 1);
    for (size_t c = 0; c < element.starts.size(); ++c) {
      Id clamped = ClampStart(b_, element.starts[c], element.limits[c]);
      // Where clamping changes nothing; 64-bit unsigned numbers that would be negative ones are larger than any limit.
      Id same = b_.Compare(Predicate::kEq, b_.Convert(ElementType::kI64, element.starts[c]), clamped);
      inside = b_.Binary(Op::kAnd, inside, same);
    }
    return inside;
  }

  // Updates of one index vector share the question whether their window lies inside.
  StatusOr<Value> WriteIndexed(const graph::Op& op, const std::vector<Value>& operands) {
    TREADLE_RETURN_IF_ERROR(CheckCurrent(op, operands[0]));
    const Shape &array = graph_.shape(op.operands[0]), &updates = graph_.shape(op.operands[2]);
    if (operands[0].input >= 0) return Unsupported(graph_, op, "writes to an input of a serial loop");
    if (!IsPlanType(array.type)) return Unsupported(graph_, op, "this element type is not supported yet");
    TREADLE_ASSIGN_OR_RETURN(Elements indices, ElementsOf(op, operands[1]));
    TREADLE_ASSIGN_OR_RETURN(Elements update, ElementsOf(op, operands[2]));
    Place& place = places_[operands[0].place];
    const std::vector<int64_t> windows = WindowSizes(op.attrs.windows, updates.dims, array.dims.size());
    std::map<std::vector<int64_t>, std::vector<std::pair<Indexed, Id>>> by_vector;
    for (int64_t e = 0; e < updates.elements(); ++e) {
      Indexed element =
          Locate(op, place.buffer, array, graph_.shape(op.operands[1]), indices, windows, IndexOf(e, updates.dims));
      std::vector<int64_t> vector = element.index_vector;
      by_vector[std::move(vector)].push_back({std::move(element), update[e]});
    }
    Combiner combiner{.region = op.regions[0]};
    for (auto& [vector, elements] : by_vector) {
      b_.BeginIf(IsInside(elements.front().first), {});
      for (auto& [element, value] : elements) {
        Id current = b_.Load(element.access);
        TREADLE_ASSIGN_OR_RETURN(std::vector<Id> result, EmitCombine(b_, graph_, combiner, {&current, 1}, {&value, 1}));
        b_.Store(std::move(element.access), result[0]);
      }
      b_.Yield({});
      b_.BeginElse();
      b_.EndLoop();
    }
    place.version = ++versions_;
    return Value{.place = operands[0].place, .version = place.version};
  }

  StatusOr<std::vector<Value>> EmitControl(const graph::Op& op, const std::vector<Value>& operands) {
    if (op.code == OpCode::kWhile) return EmitWhile(op, operands);
    TREADLE_ASSIGN_OR_RETURN(Elements selector, ElementsOf(op, operands[0]));
    return EmitBranches(op, selector[0], 0);
  }

  static void Flatten(const Elements& elements, std::vector<Id>& into) {
    into.insert(into.end(), elements.begin(), elements.end());
  }

  StatusOr<std::vector<Value>> EmitWhile(const graph::Op& op, const std::vector<Value>& operands) {
    const graph::Region &cond = graph_.regions[op.regions[0]], &body = graph_.regions[op.regions[1]];
    size_t count = operands.size();
    std::vector<Value> carries = operands;  // what the blocks' arguments are
    std::vector<Id> init;
    for (size_t k = 0; k < count; ++k) {
      if (IsInvariant(graph_, op, k)) continue;
      if (!operands[k].has_elements && (operands[k].input < 0 || !IsSmall(graph_, op.operands[k]))) {
        TREADLE_RETURN_IF_ERROR(CheckCurrent(op, operands[k]));
        // What it was before the loop is gone after the first iteration.
        carries[k].version = places_[operands[k].place].version = ++versions_;
        continue;
      }
      TREADLE_ASSIGN_OR_RETURN(Elements elements, ElementsOf(op, operands[k]));
      Flatten(elements, init);
      carries[k] = {.elements = elements, .has_elements = true};
    }
    auto carried = [&](size_t k) { return carries[k].has_elements && !IsInvariant(graph_, op, k); };
    auto bind = [&](const graph::Region& region) {
      int number = 0;
      for (size_t k = 0; k < count; ++k) {
        Value value = carries[k];
        if (carried(k)) {
          for (Id& id : value.elements) id = b_.Carry(number++);
        }
        values_[region.arguments[k]] = std::move(value);
      }
    };
    b_.BeginWhile(init);
    b_.BeginCond();
    bind(cond);
    int versions = versions_;
    TREADLE_ASSIGN_OR_RETURN(std::vector<Value> condition, EmitRegion(op.regions[0]));
    if (versions_ != versions) return Unsupported(graph_, op, "its condition writes to memory");
    TREADLE_ASSIGN_OR_RETURN(Elements go_on, ElementsOf(op, condition[0]));
    b_.Yield({go_on[0]});
    b_.BeginBody();
    bind(body);
    TREADLE_ASSIGN_OR_RETURN(std::vector<Value> next, EmitRegion(op.regions[1]));
    std::vector<Id> yields;
    for (size_t k = 0; k < count; ++k) {
      if (IsInvariant(graph_, op, k)) continue;
      if (carried(k)) {
        TREADLE_ASSIGN_OR_RETURN(Elements elements, ElementsOf(op, next[k]));
        Flatten(elements, yields);
      } else {
        if (next[k].place != carries[k].place) return Unsupported(graph_, op, "a large carry changes its place");
        TREADLE_RETURN_IF_ERROR(CheckCurrent(op, next[k]));
      }
    }
    b_.Yield(yields);
    std::vector<Id> ends = b_.EndLoop();
    size_t number = 0;
    for (size_t k = 0; k < count; ++k) {
      if (carried(k)) {
        for (Id& id : carries[k].elements) id = ends[number++];
      } else if (!IsInvariant(graph_, op, k)) {
        carries[k].version = places_[carries[k].place].version;
      }
    }
    return carries;
  }

  // if: true, then false. case: branches from `branch` on, the last one for all other selectors.
  StatusOr<std::vector<Value>> EmitBranches(const graph::Op& op, Id selector, size_t branch) {
    bool is_if = op.code == OpCode::kIf;
    if (branch + 1 == op.regions.size()) return EmitRegion(op.regions[branch]);
    Id here = is_if ? selector : b_.Compare(Predicate::kEq, selector, b_.Const(b_.elt(selector), branch));
    std::vector<ElementType> types;
    for (ValueId result : op.results) {
      const Shape& shape = graph_.shape(result);
      if (IsSmall(graph_, result)) types.insert(types.end(), shape.elements(), shape.type);
    }
    std::vector<Place> before = places_;
    b_.BeginIf(here, types);
    TREADLE_ASSIGN_OR_RETURN(std::vector<Value> first, EmitRegion(op.regions[branch]));
    TREADLE_RETURN_IF_ERROR(YieldBranch(op, first));
    std::vector<Place> after = places_;
    places_ = before;
    b_.BeginElse();
    TREADLE_ASSIGN_OR_RETURN(std::vector<Value> second, EmitBranches(op, selector, branch + 1));
    TREADLE_RETURN_IF_ERROR(YieldBranch(op, second));
    std::vector<Id> ends = b_.EndLoop();
    for (size_t p = 0; p < places_.size(); ++p) {  // written in one or the other
      if (places_[p].version != before[p].version || after[p].version != before[p].version)
        places_[p].version = ++versions_;
    }
    std::vector<Value> results;
    size_t number = 0;
    for (size_t k = 0; k < op.results.size(); ++k) {
      if (!IsSmall(graph_, op.results[k])) {
        if (first[k].place < 0 || first[k].place != second[k].place || first[k].input >= 0) {
          return Unsupported(graph_, op, "its branches give different large arrays");
        }
        results.push_back({.place = first[k].place, .version = places_[first[k].place].version});
        continue;
      }
      Value value{.has_elements = true};
      for (int64_t e = 0; e < graph_.shape(op.results[k]).elements(); ++e) value.elements.push_back(ends[number++]);
      results.push_back(std::move(value));
    }
    return results;
  }

  Status YieldBranch(const graph::Op& op, const std::vector<Value>& results) {
    std::vector<Id> yields;
    for (size_t k = 0; k < results.size(); ++k) {
      if (IsSmall(graph_, op.results[k])) {
        TREADLE_ASSIGN_OR_RETURN(Elements elements, ElementsOf(op, results[k]));
        Flatten(elements, yields);
      } else {
        TREADLE_RETURN_IF_ERROR(CheckCurrent(op, results[k]));
      }
    }
    b_.Yield(yields);
    return OkStatus();
  }

  Kernel& kernel_;
  const Graph& graph_;
  Builder& b_;
  std::set<ValueId>& loaded_;
  std::unordered_map<ValueId, Value> values_;
  std::vector<Place> places_;
  int versions_ = 0;
};

size_t OpsIn(const Graph& graph, const graph::Op& op) {
  size_t count = 0;
  for (RegionId region : op.regions) {
    count += graph.regions[region].ops.size();
    for (OpId inner : graph.regions[region].ops) {
      if (count <= kMaxOps && graph.ops[inner].code != OpCode::kReduce) count += OpsIn(graph, graph.ops[inner]);
    }
  }
  return count;
}

// Elements that elementwise operations inside make; each is a node of the plan, unless it folds.
int64_t ElementsComputed(const Graph& graph, const graph::Op& op) {
  int64_t elements = 0;
  for (RegionId region : op.regions) {
    for (OpId number : graph.regions[region].ops) {
      const graph::Op& inner = graph.ops[number];
      if (graph::OpClassOf(inner.code) == graph::OpClass::kElementwise) {
        elements += graph.shape(inner.results[0]).elements();
      } else if (inner.code != OpCode::kReduce) {
        elements += ElementsComputed(graph, inner);
      }
    }
  }
  return elements;
}

// How much code the operation may become, with `ops` operations inside that are `nodes` in a plan.
int64_t CodeLimit(const graph::Op& op, bool tiny, int64_t nodes, size_t ops) {
  if (!tiny) return kMaxCodeOfSmall;
  const bool scalars = nodes <= static_cast<int64_t>(kNodesOfScalar * ops);
  return scalars && op.operands.size() <= kMaxCarries ? kMaxCodeOfScalars : kMaxCode;
}

// Whether no operation inside makes an array above kTiny, other than by writing into one.
bool OnlyTiny(const Graph& graph, const graph::Op& op) {
  for (RegionId region : op.regions) {
    for (OpId number : graph.regions[region].ops) {
      const graph::Op& inner = graph.ops[number];
      for (ValueId result : inner.results) {
        if (graph.shape(result).elements() > kTiny && IsSmall(graph, result)) return false;
      }
      if (!OnlyTiny(graph, inner)) return false;
    }
  }
  return true;
}

// Whether the operation is or holds one for which an execution may have to stop: no kernel can.
bool MayStop(const Graph& graph, const graph::Op& op) {
  if (op.code == OpCode::kExchange || op.code == OpCode::kTransfer) return true;
  for (RegionId region : op.regions) {
    for (OpId inner : graph.regions[region].ops) {
      if (MayStop(graph, graph.ops[inner])) return true;
    }
  }
  return false;
}

// Inputs whose elements are certain to be read one by one: scalars, and small carries that a loop changes.
std::set<ValueId> CertainlyLoaded(const Graph& graph, const Group& group) {
  std::set<ValueId> loaded;
  for (ValueId input : group.inputs) {
    if (graph.shape(input).rank() == 0) loaded.insert(input);
  }
  const graph::Op& op = graph.ops[group.ops.front()];
  for (size_t k = 0; op.code == OpCode::kWhile && k < op.operands.size(); ++k) {
    if (IsSmall(graph, op.operands[k]) && !IsInvariant(graph, op, k)) loaded.insert(op.operands[k]);
  }
  return loaded;
}

StatusOr<Instance> Build(const Graph& graph, const Group& group, const executable::Target& target) {
  std::set<ValueId> loaded = CertainlyLoaded(graph, group);
  for (;;) {
    size_t before = loaded.size();
    Kernel kernel("serial", graph, group, target);
    TREADLE_RETURN_IF_ERROR(SerialEmitter(kernel, loaded).Run(group.ops.front()));
    kernel.EndPhase(/*tiles=*/1, {});
    if (loaded.size() > before) continue;
    Instance instance = kernel.Finish();
    constexpr double kNsOfOp = 0.4, kLongest = 1e12;
    const int64_t ns = static_cast<int64_t>(std::min(20 + kNsOfOp * WorkOf(instance.plan), kLongest));
    instance.costs[0] = {ns, 2 * ns};
    return instance;
  }
}

}  // namespace

Group SerialGroup(const Graph& graph, OpId number, const std::function<bool(ValueId)>& is_used) {
  const graph::Op& op = graph.ops[number];
  Group group;
  group.ops = {number};
  std::set<ValueId> inputs;
  for (ValueId operand : op.operands) {
    if (!IsConstant(graph, operand) || !IsSmall(graph, operand)) inputs.insert(operand);
  }
  for (RegionId region : op.regions) AddFreeValues(graph, region, inputs);
  group.inputs.assign(inputs.begin(), inputs.end());
  for (size_t k = 0; k < op.results.size(); ++k) {
    bool in_place = op.code == OpCode::kWhile && !IsSmall(graph, op.results[k]);
    if (!is_used(op.results[k]) && (!in_place || IsInvariant(graph, op, k))) continue;
    group.outputs.push_back(op.results[k]);
    auto at = in_place ? std::find(group.inputs.begin(), group.inputs.end(), op.operands[k]) : group.inputs.end();
    group.starts_from.push_back(at == group.inputs.end() ? -1 : static_cast<int32_t>(at - group.inputs.begin()));
  }
  return group;
}

bool IsSerial(const Graph& graph, OpId number) {
  const graph::Op& op = graph.ops[number];
  const size_t ops = OpsIn(graph, op);
  if (op.results.empty() || ops > kMaxOps || MayStop(graph, op)) return false;
  // What is too long though half of it should fold is not written to see.
  const bool tiny = OnlyTiny(graph, op);
  const int64_t least = ElementsComputed(graph, op) / 2;
  if (least > CodeLimit(op, tiny, least, ops)) return false;
  Group group = SerialGroup(graph, number, [](ValueId) { return true; });
  // What a written carry starts from is not read by anything else; it may start other written carries.
  std::set<ValueId> also_read;
  for (RegionId region : op.regions) AddFreeValues(graph, region, also_read);
  for (size_t k = 0; k < op.operands.size(); ++k) {
    if (IsInvariant(graph, op, k)) also_read.insert(op.operands[k]);
  }
  for (size_t k = 0; k < op.results.size(); ++k) {
    if (IsSmall(graph, op.results[k])) continue;
    if (op.code != OpCode::kWhile) return false;
    if (!IsInvariant(graph, op, k) && also_read.contains(op.operands[k])) return false;
  }
  StatusOr<Instance> instance = Build(graph, group, executable::Target{});
  if (!instance.ok()) return false;
  return CodeSize(instance->plan) <= CodeLimit(op, tiny, static_cast<int64_t>(instance->plan.nodes.size()), ops);
}

StatusOr<Instance> ScheduleSerial(const Graph& graph, const Group& group, const executable::Target& target) {
  return Build(graph, group, target);
}

}  // namespace treadle::plan

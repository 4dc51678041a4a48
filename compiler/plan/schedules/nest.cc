#include "compiler/plan/schedules/nest.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "compiler/plan/operation_class.h"
#include "compiler/plan/schedules/combiner.h"
#include "compiler/plan/schedules/elementwise.h"

namespace treadle::plan {

using graph::OpClass;
using graph::OpCode;

Nest::Nest(Kernel& kernel, std::vector<Axis> axes) : kernel_(kernel) {
  for (const Axis& axis : axes) {
    if (axis.size != 1) domain_.push_back(axis);
  }
}

Index Nest::Whole(IndexSpace& space, const std::vector<int64_t>& dims) {
  std::vector<int64_t> sizes;
  for (int axis = 0; axis < space.axes(); ++axis) sizes.push_back(space.variable(axis).size);
  return space.Reshape(space.Identity(), sizes, dims);
}

Index Nest::Part(IndexSpace& space, bool reduced, const std::vector<int64_t>& dims) const {
  std::vector<int64_t> sizes;
  Index index;
  for (int axis = 0; axis < space.axes(); ++axis) {
    if (domain_[axis].reduced != reduced) continue;
    sizes.push_back(domain_[axis].size);
    index.push_back(Affine::Variable(axis));
  }
  return space.Reshape(index, sizes, dims);
}

int Nest::AddRoot(graph::ValueId value, IndexOf at) {
  roots_.push_back({value, std::move(at), -1});
  return static_cast<int>(roots_.size() - 1);
}

int Nest::AddStore(uint16_t buffer, const std::vector<int64_t>& dims, IndexOf at) {
  stores_.push_back({buffer, dims, std::move(at), {}, {}});
  return static_cast<int>(stores_.size() - 1);
}

// Windows' starts, wherever they hide in an expression.
void Nest::AddStarts(const Affine& at, std::vector<Place>& places) const {
  for (const auto& [number, coefficient] : at.terms) {
    const Variable& variable = space_->variable(number);
    if (variable.kind == Variable::kStart) places.push_back({variable.start, variable.at});
    AddStarts(variable.of, places);
  }
}

Nest::Item Nest::DescribePad(const graph::Op& op, const Index& index, std::vector<Place>& operands) {
  const std::vector<int64_t>& dims = kernel_.graph().shape(op.operands[0]).dims;
  Item item{op.results[0], Item::kOp, {}, {}};
  Index inside(dims.size());
  for (size_t d = 0; d < dims.size(); ++d) {
    Affine at = index[d];
    at.offset -= op.attrs.low[d];
    if (space_->OutOfRange(at, dims[d])) {
      operands.push_back({op.operands[1], Index{}});
      return Item{op.results[0], Item::kOp, {}, {}, {}, 1};
    }
    inside[d] = space_->Clamp(at, dims[d]);
    if (!space_->InRange(at, dims[d])) item.bounds.push_back({std::move(at), 0, dims[d]});
  }
  operands.push_back({op.operands[0], std::move(inside)});
  if (!item.bounds.empty()) operands.push_back({op.operands[1], Index{}});
  item.choices = operands.size();
  for (const Bound& bound : item.bounds) AddStarts(bound.at, operands);
  return item;
}

Nest::Item Nest::DescribeConcatenate(const graph::Op& op, const Index& index, std::vector<Place>& operands) {
  const int64_t axis = op.attrs.dims[0];
  Item item{op.results[0], Item::kOp, {}, {}};
  int64_t offset = 0;
  for (graph::ValueId operand : op.operands) {
    const int64_t size = kernel_.graph().shape(operand).dims[axis];
    Index inside = index;
    inside[axis].offset -= offset;
    offset += size;
    if (space_->OutOfRange(inside[axis], size)) continue;
    inside[axis] = space_->Clamp(inside[axis], size);
    operands.push_back({operand, std::move(inside)});
    item.bounds.push_back({index[axis], std::numeric_limits<int64_t>::min(), offset});
  }
  item.bounds.pop_back();
  item.choices = operands.size();
  for (const Bound& bound : item.bounds) AddStarts(bound.at, operands);
  return item;
}

StatusOr<Nest::Item> Nest::Describe(graph::ValueId value, const Index& index, std::vector<Place>& operands) {
  const graph::Graph& graph = kernel_.graph();
  if (provided_.contains(value)) {
    if (index != Kept(*space_, graph.shape(value).dims) && !space_->wanted_split())
      return Internal("a reduction's result is read out of its row");
    return Item{value, Item::kProvided, {}, {}};
  }
  if (kernel_.InputBuffer(value) >= 0) {
    Affine at = space_->Linear(index, graph.shape(value).dims);
    AddStarts(at, operands);
    return Item{value, Item::kLoad, at, {}};
  }
  graph::OpId def = graph.values[value].def;
  if (def == graph::kNoOp) return Internal("a group reads a value that is not among its inputs");
  const graph::Op& op = graph.ops[def];
  if (op.code == OpCode::kConstant) return Item{value, Item::kLiteral, {}, {}};
  if (op.code == OpCode::kIota) {
    Affine at = index[op.attrs.dims[0]];
    AddStarts(at, operands);
    return Item{value, Item::kIota, at, {}};
  }
  if (op.code == OpCode::kOptimizationBarrier) {
    int number = static_cast<int>(std::find(op.results.begin(), op.results.end(), value) - op.results.begin());
    operands.push_back({op.operands[number], index});
    return Item{value, Item::kOp, {}, {}};
  }
  if (op.code == OpCode::kReduce && ClassOf(graph, op) != OperationClass::kPointwise) {
    return Internal("a reduction inside of a map");
  }
  if (op.code == OpCode::kPad) return DescribePad(op, index, operands);
  if (op.code == OpCode::kConcatenate) return DescribeConcatenate(op, index, operands);
  bool starts_in_index = op.code == OpCode::kDynamicSlice || op.code == OpCode::kGather;
  int read = starts_in_index ? 1 : static_cast<int>(op.operands.size());
  for (int k = 0; k < read; ++k) {
    std::optional<Index> at = space_->OperandIndex(graph, op, k, index);
    if (!at) return Unsupported(graph, op, "this operation cannot be part of a larger kernel");
    operands.push_back({op.operands[k], *std::move(at)});
  }
  return Item{value, Item::kOp, {}, {}};
}

// Depth first with its own stack: programs may be chains of any length.
StatusOr<int> Nest::Walk(graph::ValueId value, Index index) {
  std::vector<Place> stack{{value, std::move(index)}};
  while (true) {
    Place top = stack.back();
    if (item_of_.contains(top)) {
      stack.pop_back();
      if (stack.empty()) return item_of_[top];
      continue;
    }
    std::vector<Place> operands;
    TREADLE_ASSIGN_OR_RETURN(Item item, Describe(top.first, top.second, operands));
    size_t before = stack.size();
    for (Place& operand : operands) {
      auto found = item_of_.find(operand);
      if (found != item_of_.end()) {
        item.operands.push_back(found->second);
      } else {
        stack.push_back(std::move(operand));
      }
    }
    if (stack.size() > before) continue;
    item_of_.emplace(std::move(top), static_cast<int>(items_.size()));
    items_.push_back(std::move(item));
  }
}

Status Nest::WalkAll() {
  for (RootInfo& root : roots_) {
    TREADLE_ASSIGN_OR_RETURN(root.item, Walk(root.value, root.at(*space_)));
  }
  for (NumberInfo& number : numbers_) number.value = number.of(*space_);
  for (StoreInfo& store : stores_) {
    store.element = space_->Linear(store.at(*space_), store.dims);
    std::vector<Place> starts;
    AddStarts(store.element, starts);
    for (Place& start : starts) {
      TREADLE_ASSIGN_OR_RETURN(int item, Walk(start.first, start.second));
      store.starts.push_back(item);
    }
  }
  return OkStatus();
}

int Nest::AddNumber(NumberOf number) {
  numbers_.push_back({std::move(number), {}});
  return static_cast<int>(numbers_.size() - 1);
}

Status Nest::Analyse() {
  for (int attempt = 0;; ++attempt) {
    std::vector<int64_t> sizes;
    for (const Axis& axis : domain_) sizes.push_back(axis.size);
    space_.emplace(sizes, /*may_split=*/attempt < 16);
    items_.clear();
    item_of_.clear();
    for (StoreInfo& store : stores_) store.starts.clear();
    TREADLE_RETURN_IF_ERROR(WalkAll());
    if (!space_->wanted_split()) break;
    auto [axis, inner] = *space_->wanted_split();
    domain_[axis].size /= inner;
    domain_.insert(domain_.begin() + axis + 1, {inner, domain_[axis].reduced});
  }
  Merge();
  made_.assign(items_.size(), kNone);
  axis_ids_.assign(merged_.size(), kNone);
  scopes_.emplace_back();
  return OkStatus();
}

void Nest::Merge() {
  std::vector<const Affine*> uses;
  for (const Item& item : items_) {
    uses.push_back(&item.at);
    for (const Bound& bound : item.bounds) uses.push_back(&bound.at);
  }
  for (const StoreInfo& store : stores_) uses.push_back(&store.element);
  for (const NumberInfo& number : numbers_) uses.push_back(&number.value);
  for (int k = space_->axes(); k < space_->variables(); ++k) uses.push_back(&space_->variable(k).of);
  group_of_.assign(domain_.size(), 0);
  merged_.clear();
  innermost_.clear();
  for (size_t axis = 0; axis < domain_.size(); ++axis) {
    bool merges = axis > 0 && domain_[axis].reduced == domain_[axis - 1].reduced;
    for (size_t k = 0; merges && k < uses.size(); ++k) {
      merges = uses[k]->Coefficient(axis - 1) == uses[k]->Coefficient(axis) * domain_[axis].size;
    }
    if (merges) {
      merged_.back().size *= domain_[axis].size;
      innermost_.back() = static_cast<int>(axis);
    } else {
      merged_.push_back(domain_[axis]);
      innermost_.push_back(static_cast<int>(axis));
    }
    group_of_[axis] = static_cast<int>(merged_.size() - 1);
  }
}

int Nest::ItemUops(int item) const {
  if (items_[item].kind == Item::kIota) return 3;
  if (items_[item].choices > 1) return static_cast<int>(3 * items_[item].bounds.size());
  if (items_[item].kind != Item::kOp) return 0;
  return UopsOf(kernel_.graph(), kernel_.graph().ops[kernel_.graph().values[items_[item].value].def]);
}

bool Nest::UsesAxis(int item, int axis) const {
  const std::vector<Bound>& bounds = items_[item].bounds;
  return Uses(items_[item].at, axis) ||
         std::any_of(bounds.begin(), bounds.end(), [&](const Bound& bound) { return Uses(bound.at, axis); });
}

std::vector<int64_t> Nest::TurnsAlongInnermost(int64_t size) const {
  const int axis = space_->axes() - 1;
  std::set<int64_t> turns;
  if (axis < 0 || domain_[axis].size != size) return {};
  for (const Item& item : items_) {
    for (const Bound& bound : item.bounds) {
      if (bound.at.terms.size() != 1 || bound.at.terms[0].first != axis) continue;
      const int64_t step = bound.at.terms[0].second;
      for (int64_t limit : {bound.low, bound.high}) {
        if (limit == std::numeric_limits<int64_t>::min()) continue;
        // The first place from which on the number has passed the limit.
        const int64_t distance = step > 0 ? limit - bound.at.offset : bound.at.offset - limit + 1;
        const int64_t turn = (distance + std::abs(step) - 1) / std::abs(step);
        if (turn > 0 && turn < size) turns.insert(turn);
      }
    }
  }
  return {turns.begin(), turns.end()};
}

bool Nest::Uses(const Affine& at, int axis) const {
  return std::any_of(at.terms.begin(), at.terms.end(), [&](const auto& term) {
    if (term.first < space_->axes()) return group_of_[term.first] == axis;
    const Variable& variable = space_->variable(term.first);
    return Uses(variable.of, axis) ||
           std::any_of(variable.at.begin(), variable.at.end(), [&](const Affine& part) { return Uses(part, axis); });
  });
}

double Nest::Iterations() const {
  double iterations = 1;
  for (const Axis& axis : domain_) iterations *= static_cast<double>(axis.size);
  return iterations;
}

double Nest::Bytes() const {
  double bytes = 0;
  std::set<graph::ValueId> seen;
  for (const Item& item : items_) {
    if (item.kind != Item::kLoad || !seen.insert(item.value).second) continue;
    const Shape& shape = kernel_.graph().shape(item.value);
    bytes += std::min(static_cast<double>(shape.bytes()), Iterations() * ElementBytes(shape.type));
  }
  for (const StoreInfo& store : stores_) {
    double elements = 1;
    for (size_t axis = 0; axis < domain_.size(); ++axis) {
      if (store.element.Coefficient(static_cast<int>(axis)) != 0) elements *= static_cast<double>(domain_[axis].size);
    }
    bytes += elements * ElementBytes(kernel_.b().buffer_elt(store.buffer));
  }
  return bytes;
}

int Nest::UopsPerIteration() const {
  int uops = 1;
  for (size_t k = 0; k < items_.size(); ++k) uops += ItemUops(static_cast<int>(k));
  return uops + static_cast<int>(stores_.size());
}

double Nest::Uops() const { return Iterations() * UopsPerIteration() / (kernel_.target().vector_bytes() / 4.0); }

std::vector<int16_t> Nest::SharedInputs(std::span<const int> stores) const {
  const StoreInfo& first = stores_[stores.front()];
  std::map<int, bool> same;  // buffer -> read only where the store writes
  for (const Item& item : items_) {
    if (item.kind != Item::kLoad) continue;
    int buffer = kernel_.InputBuffer(item.value);
    int64_t elements = 1;
    for (int64_t size : first.dims) elements *= size;
    bool fits =
        std::any_of(stores.begin(), stores.end(), [&](int store) { return item.at == stores_[store].element; }) &&
        kernel_.graph().shape(item.value).elements() == elements &&
        ElementBytes(kernel_.b().buffer_elt(buffer)) == ElementBytes(kernel_.b().buffer_elt(first.buffer));
    auto [found, added] = same.try_emplace(buffer, fits);
    if (!added) found->second = found->second && fits;
  }
  std::vector<int16_t> inputs;
  for (const auto& [buffer, fits] : same) {
    bool is_output = false;
    for (size_t k = 0; k < kernel_.group().outputs.size(); ++k) is_output |= kernel_.OutputBuffer(k) == buffer;
    if (fits && !is_output) inputs.push_back(static_cast<int16_t>(buffer));
  }
  return inputs;
}

int16_t Nest::SharedInput(std::span<const int> stores) const {
  const std::vector<int16_t> inputs = SharedInputs(stores);
  return inputs.empty() ? int16_t{-1} : inputs.front();
}

void Nest::BindDigits(const std::vector<int>& axes, Id number) {
  for (size_t k = axes.size(); k-- > 0;) {
    if (k == 0) {
      Bind(axes[k], number);
      break;
    }
    Id size = kernel_.AddI64(merged_[axes[k]].size);
    auto [quotient, remainder] = kernel_.DivRem(number, size);
    Bind(axes[k], remainder);
    number = quotient;
  }
}

void Nest::Unbind(const std::vector<int>& axes) {
  for (int axis : axes) Bind(axis, kNone);
}

int64_t Nest::Extent(const std::vector<int>& axes) const {
  int64_t elements = 1;
  for (int axis : axes) elements *= merged_[axis].size;
  return elements;
}

void Nest::CloseScope() {
  for (int item : scopes_.back().items) made_[item] = kNone;
  for (int variable : scopes_.back().variables) variable_ids_.erase(variable);
  scopes_.pop_back();
}

void Nest::SetItem(int item, Id id) {
  made_[item] = id;
  scopes_.back().items.push_back(item);
}

void Nest::Provide(graph::ValueId value, Id id) {
  for (size_t k = 0; k < items_.size(); ++k) {
    if (items_[k].value == value && items_[k].kind == Item::kProvided) SetItem(static_cast<int>(k), id);
  }
}

void Nest::ProvideStart(int item, Id id) {
  for (int number = space_->axes(); number < space_->variables(); ++number) {
    const Variable& variable = space_->variable(number);
    if (variable.kind != Variable::kStart || variable_ids_.contains(number)) continue;
    if (item_of_.at({variable.start, variable.at}) != item) continue;
    variable_ids_[number] = id;
    scopes_.back().variables.push_back(number);
  }
}

// min(max(start, 0), limit) as an i64. 64-bit unsigned numbers are compared as they are, for they may be larger than
// any signed one; those of 32 bits too, for vectors have twice as many.
Id Nest::Clamped(Id start, int64_t limit) {
  Builder& b = kernel_.b();
  ElementType type = b.elt(start);
  bool as_it_is =
      type == ElementType::kU64 || (ElementBytes(type) == 4 && limit <= std::numeric_limits<int32_t>::max());
  if (!as_it_is) type = ElementType::kI64;
  Id value = b.Convert(type, start), high = b.Convert(type, kernel_.AddI64(limit));
  if (!IsUnsigned(type)) value = b.Max(value, b.Const(type, 0));
  return b.Convert(ElementType::kI64, b.Min(value, high));
}

StatusOr<Id> Nest::VariableId(int number) {
  Builder& b = kernel_.b();
  if (number < space_->axes()) return axis_ids_[group_of_[number]];
  if (auto found = variable_ids_.find(number); found != variable_ids_.end()) return found->second;
  const Variable variable = space_->variable(number);
  Id id;
  if (variable.kind == Variable::kStart) {
    int item = item_of_.at({variable.start, variable.at});
    TREADLE_ASSIGN_OR_RETURN(Id start, Value(item));
    id = Clamped(start, variable.size - 1);
  } else if (variable.kind == Variable::kClamped) {
    TREADLE_ASSIGN_OR_RETURN(Id of, AffineId(variable.of));
    id = b.Min(b.Max(of, b.ConstI64(0)), kernel_.AddI64(variable.size - 1));
  } else {
    TREADLE_ASSIGN_OR_RETURN(Id of, AffineId(variable.of));
    Id by = kernel_.AddI64(variable.by);
    auto [quotient, remainder] = kernel_.DivRem(of, by);
    id = variable.kind == Variable::kQuotient ? quotient : remainder;
  }
  variable_ids_[number] = id;
  scopes_.back().variables.push_back(number);
  return id;
}

StatusOr<Access> Nest::AccessTo(uint16_t buffer, const Affine& at) {
  Access access{.buffer = buffer};
  if (at.offset != 0) {
    auto [found, added] = offsets_.try_emplace(at.offset);
    if (added) found->second = kernel_.AddFactor(at.offset);
    access.offset = found->second;
  }
  for (const auto& [number, coefficient] : at.terms) {
    bool is_axis = number < space_->axes();
    if (is_axis && innermost_[group_of_[number]] != number)
      continue;  // the merged axis' innermost member speaks for all
    TREADLE_ASSIGN_OR_RETURN(Id id, VariableId(number));
    auto [found, added] = strides_.try_emplace({number, coefficient});
    if (added) {
      bool lane = is_axis && group_of_[number] == lane_axis_;
      bool baked = lane && std::abs(coefficient) <= 4;  // strides that the emitter has shuffles for
      found->second = baked ? Size{-1, coefficient} : kernel_.AddFactor(coefficient);
    }
    access.terms.push_back({id, found->second});
  }
  return access;
}

StatusOr<Id> Nest::AffineId(const Affine& at) {
  Builder& b = kernel_.b();
  TREADLE_ASSIGN_OR_RETURN(Access sum, AccessTo(0, at));
  Id value = kNone;
  for (const Term& term : sum.terms) {
    Id product = term.stride == Size{-1, 1} ? term.index : b.Mul(term.index, b.SizeValue(term.stride));
    value = value == kNone ? product : b.Add(value, product);
  }
  if (value == kNone) return b.SizeValue(sum.offset);
  return sum.offset == Size{} ? value : b.Add(value, b.SizeValue(sum.offset));
}

StatusOr<Access> Nest::StoreAccess(int store) {
  for (int start : stores_[store].starts) {
    TREADLE_RETURN_IF_ERROR(Value(start).status());
  }
  return AccessTo(stores_[store].buffer, stores_[store].element);
}

StatusOr<Id> Nest::Holds(const Bound& bound) {
  Builder& b = kernel_.b();
  TREADLE_ASSIGN_OR_RETURN(Id at, AffineId(bound.at));
  Id below = b.Compare(Predicate::kLt, at, kernel_.AddI64(bound.high));
  if (bound.low == std::numeric_limits<int64_t>::min()) return below;
  return b.Binary(Op::kAnd, b.Compare(Predicate::kGe, at, b.SizeValue(kernel_.AddFactor(bound.low))), below);
}

StatusOr<Id> Nest::Choose(const Item& item) {
  Builder& b = kernel_.b();
  const bool pad = kernel_.graph().ops[kernel_.graph().values[item.value].def].code == OpCode::kPad;
  Id value = made_[item.operands[item.choices - 1]], all = kNone;
  for (size_t k = item.bounds.size(); k-- > 0;) {
    TREADLE_ASSIGN_OR_RETURN(Id holds, Holds(item.bounds[k]));
    if (pad) {
      all = all == kNone ? holds : b.Binary(Op::kAnd, all, holds);
    } else {
      value = b.Select(holds, made_[item.operands[k]], value);
    }
  }
  return pad ? b.Select(all, made_[item.operands[0]], value) : value;
}

StatusOr<Id> Nest::Make(int number) {
  const Item item = items_[number];
  Builder& b = kernel_.b();
  const graph::Graph& graph = kernel_.graph();
  ElementType type = graph.shape(item.value).type;
  switch (item.kind) {
    case Item::kLoad: {
      TREADLE_ASSIGN_OR_RETURN(Access access, AccessTo(kernel_.InputBuffer(item.value), item.at));
      return b.Load(std::move(access));
    }
    case Item::kLiteral:
      return kernel_.Literal(item.value);
    case Item::kIota: {
      TREADLE_ASSIGN_OR_RETURN(Id id, AffineId(item.at));
      if (IsFloat(type) && Iterations() < 2147483648.0)
        id = b.Convert(ElementType::kI32, id);  // vectors convert i32 well
      return b.Convert(type, id);
    }
    case Item::kProvided:
      return Internal("a reduction's result is read before it is there");
    case Item::kOp:
      break;
  }
  const graph::Op& op = graph.ops[graph.values[item.value].def];
  if (op.code == OpCode::kReduce) {
    Id init = made_[item.operands[1]], value = made_[item.operands[0]];
    TREADLE_ASSIGN_OR_RETURN(std::vector<Id> results,
                             EmitCombine(b, graph, CombinerOf(graph, op), {&init, 1}, {&value, 1}));
    return results[0];
  }
  if (item.choices > 1) return Choose(item);
  if (graph::OpClassOf(op.code) != OpClass::kElementwise) return made_[item.operands[0]];
  std::vector<Id> args;
  for (int operand : item.operands) args.push_back(made_[operand]);
  return EmitElementwise(b, graph, op, args);
}

StatusOr<Id> Nest::Value(int root) {
  std::vector<int> stack{root};
  while (!stack.empty()) {
    int top = stack.back();
    if (made_[top] != kNone) {
      stack.pop_back();
      continue;
    }
    size_t before = stack.size();
    for (size_t k = items_[top].operands.size(); k-- > 0;) {
      if (made_[items_[top].operands[k]] == kNone) stack.push_back(items_[top].operands[k]);
    }
    if (stack.size() > before) continue;
    stack.pop_back();
    TREADLE_ASSIGN_OR_RETURN(Id id, Make(top));
    SetItem(top, id);
  }
  return made_[root];
}

bool Nest::IsBound(const Affine& at) const {
  return std::all_of(at.terms.begin(), at.terms.end(), [&](const auto& term) {
    if (term.first < space_->axes()) return axis_ids_[group_of_[term.first]] != kNone;
    const Variable& variable = space_->variable(term.first);
    return IsBound(variable.of) &&
           std::all_of(variable.at.begin(), variable.at.end(), [&](const Affine& part) { return IsBound(part); });
  });
}

Status Nest::Hoist() {
  std::vector<bool> ready(items_.size());
  for (size_t k = 0; k < items_.size(); ++k) {
    const Item& item = items_[k];
    ready[k] = made_[k] != kNone || (item.kind != Item::kProvided && IsBound(item.at));
    for (const Bound& bound : item.bounds) ready[k] = ready[k] && IsBound(bound.at);
    for (int operand : item.operands) ready[k] = ready[k] && ready[operand];
    if (item.kind == Item::kLoad && kernel_.graph().shape(item.value).elements() == 0) ready[k] = false;
    if (!ready[k] || made_[k] != kNone) continue;
    TREADLE_RETURN_IF_ERROR(Value(static_cast<int>(k)).status());
  }
  return OkStatus();
}

}  // namespace treadle::plan

#include "compiler/plan/builder.h"

#include <algorithm>
#include <cassert>
#include <optional>
#include <utility>

#include "compiler/plan/simplify.h"

namespace treadle::plan {

size_t Builder::KeyHash::operator()(const Key& key) const {
  constexpr uint64_t kFactor = 0x9e3779b97f4a7c15;
  uint64_t hash = key.imm * kFactor + static_cast<uint64_t>(key.op) * 256 + static_cast<uint64_t>(key.elt);
  for (Id arg : key.args) hash = (hash ^ (hash >> 29) ^ arg) * kFactor;
  return hash ^ (hash >> 32);
}

Builder::Builder(std::string name) { plan_.name = std::move(name); }

uint16_t Builder::AddBuffer(ElementType elt, Role role, Size elements, int16_t may_share) {
  plan_.buffers.push_back({elt, role, may_share, elements});
  return static_cast<uint16_t>(plan_.buffers.size() - 1);
}

int Builder::AddPush(ElementType type) {
  plan_.push.push_back(type);
  return static_cast<int>(plan_.push.size() - 1);
}

Range Builder::Operands(std::span<const Id> ids) {
  Range range{static_cast<uint32_t>(plan_.operands.size()), static_cast<uint32_t>(ids.size())};
  plan_.operands.insert(plan_.operands.end(), ids.begin(), ids.end());
  return range;
}

Id Builder::Append(Op op, ElementType elt, std::span<const Id> args, uint64_t imm) {
  Range range = Operands(args);
  plan_.nodes.push_back({op, elt, range, imm});
  return static_cast<Id>(plan_.nodes.size() - 1);
}

Id Builder::Emit(Op op, ElementType elt, std::span<const Id> args, uint64_t imm) {
  assert(OpArity(op) < 0 || OpArity(op) == static_cast<int>(args.size()));
  if (!OpIsPure(op)) return Append(op, elt, args, imm);
  if (std::optional<Simpler> simpler = Simplify(plan_, op, elt, args, imm)) {
    if (simpler->value == kNone) return Const(elt, simpler->bits);
    return simpler->op == Op::kConst ? simpler->value
                                     : Emit(simpler->op, elt, {simpler->value, Const(elt, simpler->bits)});
  }
  Key key{op, elt, {kNone, kNone, kNone}, imm};
  std::copy(args.begin(), args.end(), key.args.begin());
  for (const Scope& scope : scopes_) {
    if (auto found = scope.made.find(key); found != scope.made.end()) return found->second;
  }
  Id id = Append(op, elt, args, imm);
  scopes_.back().made.emplace(key, id);
  return id;
}

Id Builder::SizeValue(Size size) {
  if (size.sym < 0) return ConstI64(size.c);
  Id value = Push(size.sym);
  return size.c == 0 ? value : Add(value, ConstI64(size.c));
}

Id Builder::BeginPhase() {
  assert(open_.empty() && phase_start_ == kNone);
  scopes_.emplace_back();
  phase_start_ = static_cast<Id>(plan_.nodes.size());
  return Append(Op::kBlockArg, ElementType::kI64, {}, 0);
}

void Builder::EndPhase() {
  assert(open_.empty());
  Append(Op::kYield, ElementType::kInvalid, {}, 0);
  plan_.phases.push_back({{phase_start_, static_cast<Id>(plan_.nodes.size())}});
  phase_start_ = kNone;
  scopes_.pop_back();
}

Id Builder::Load(Access access) {
  ElementType elt = plan_.buffers[access.buffer].elt;
  plan_.accesses.push_back(std::move(access));
  return Append(Op::kLoad, elt, {}, plan_.accesses.size() - 1);
}

void Builder::Store(Access access, Id value) {
  assert(elt(value) == plan_.buffers[access.buffer].elt);
  plan_.accesses.push_back(std::move(access));
  Append(Op::kStore, ElementType::kInvalid, {&value, 1}, plan_.accesses.size() - 1);
}

void Builder::AddMove(Move move) {
  plan_.moves.push_back(std::move(move));
  Append(Op::kMove, ElementType::kInvalid, {}, plan_.moves.size() - 1);
}

void Builder::AddCall(Call call, std::span<const Id> args) {
  plan_.calls.push_back(std::move(call));
  Append(Op::kCall, ElementType::kInvalid, args, plan_.calls.size() - 1);
}

Id Builder::StartLoop(Loop loop, std::span<const Id> init, std::vector<ElementType> carries) {
  loop.init = Operands(init);
  plan_.loops.push_back(loop);
  uint32_t number = static_cast<uint32_t>(plan_.loops.size() - 1);
  Id node = Append(Op::kLoop, ElementType::kInvalid, {}, number);
  open_.push_back({node, number, std::move(carries), {}, false, 0});
  return node;
}

Block& Builder::BlockOf(const OpenLoop& open) {
  Loop& loop = plan_.loops[open.loop];
  return open.block == 0 ? loop.body : open.block == 1 ? loop.cond : loop.combine;
}

void Builder::OpenBlock(int which, bool index, int copies) {
  OpenLoop& open = open_.back();
  assert(!open.open);
  open.open = true;
  open.block = which;
  open.block_args.clear();
  scopes_.emplace_back();
  BlockOf(open).first = static_cast<Id>(plan_.nodes.size());
  uint64_t number = 0;
  if (index) open.block_args.push_back(Append(Op::kBlockArg, ElementType::kI64, {}, number++));
  for (int copy = 0; copy < copies; ++copy) {
    for (ElementType type : open.carries) open.block_args.push_back(Append(Op::kBlockArg, type, {}, number++));
  }
}

namespace {

std::vector<ElementType> TypesOf(const Builder& builder, std::span<const Id> values) {
  std::vector<ElementType> types;
  for (Id value : values) types.push_back(builder.elt(value));
  return types;
}

}  // namespace

Id Builder::BeginLanes(Id lo, Id hi, int unroll) {
  Loop loop{.kind = LoopKind::kLanes, .unroll = static_cast<uint8_t>(unroll), .lo = lo, .hi = hi};
  StartLoop(loop, {}, {});
  OpenBlock(0, /*index=*/true, 0);
  return open_.back().block_args[0];
}

Id Builder::BeginFor(Id lo, Id hi, Id step, std::span<const Id> init, int unroll) {
  Loop loop{.kind = LoopKind::kFor, .unroll = static_cast<uint8_t>(unroll), .lo = lo, .hi = hi, .step = step};
  StartLoop(loop, init, TypesOf(*this, init));
  OpenBlock(0, /*index=*/true, 1);
  return open_.back().block_args[0];
}

Id Builder::BeginReduce(LoopKind kind, Tree tree, Id lo, Id hi, std::span<const Id> init, int unroll) {
  Loop loop{.kind = kind, .tree = tree, .unroll = static_cast<uint8_t>(unroll), .lo = lo, .hi = hi};
  StartLoop(loop, init, TypesOf(*this, init));
  OpenBlock(0, /*index=*/true, 0);
  return open_.back().block_args[0];
}

void Builder::BeginWhile(std::span<const Id> init) {
  StartLoop({.kind = LoopKind::kWhile}, init, TypesOf(*this, init));
}

void Builder::BeginIf(Id condition, std::span<const ElementType> results) {
  StartLoop({.kind = LoopKind::kIf, .lo = condition}, {}, std::vector<ElementType>(results.begin(), results.end()));
  OpenBlock(0, /*index=*/false, 0);
}

void Builder::BeginCond() { OpenBlock(1, /*index=*/false, 1); }
void Builder::BeginBody() { OpenBlock(0, /*index=*/false, 1); }
void Builder::BeginCombine() { OpenBlock(2, /*index=*/false, 2); }
void Builder::BeginElse() { OpenBlock(1, /*index=*/false, 0); }

Id Builder::Carry(int k) const {
  const OpenLoop& open = open_.back();
  bool index = open.block == 0 && plan_.loops[open.loop].kind == LoopKind::kFor;
  return open.block_args[k + (index ? 1 : 0)];
}

Id Builder::NewValue(int k) const { return open_.back().block_args[open_.back().carries.size() + k]; }

void Builder::Yield(std::span<const Id> values) {
  Append(Op::kYield, ElementType::kInvalid, values, 0);
  OpenLoop& open = open_.back();
  assert(open.open);
  open.open = false;
  BlockOf(open).end = static_cast<Id>(plan_.nodes.size());
  scopes_.pop_back();
}

std::vector<Id> Builder::EndLoop() {
  if (open_.back().open) Yield({});
  OpenLoop open = std::move(open_.back());
  open_.pop_back();
  std::vector<Id> results;
  for (size_t k = 0; k < open.carries.size(); ++k) {
    results.push_back(Append(Op::kResult, open.carries[k], {&open.node, 1}, k));
  }
  return results;
}

Plan Builder::Finish() {
  assert(open_.empty() && scopes_.empty());
  return std::exchange(plan_, {});
}

}  // namespace treadle::plan

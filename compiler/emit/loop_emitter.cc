// Control flow: loops over scalars, and over lanes without a tree.
#include <algorithm>

#include "compiler/emit/function_emitter.h"

namespace treadle::emit {

using plan::Block;
using plan::Id;
using plan::Loop;
using plan::LoopKind;
using plan::Op;
using plan::Tree;

namespace {

// From here on a lanes loop's body is written once, with masks: compiling it costs more than they do.
constexpr int kOneCopyCost = 300;
// Up to here an overlapping last vector, which is a further copy, is worth its compilation.
constexpr int kOverlapCost = 16;

llvm::BasicBlock* NewBlock(llvm::Function* function) {
  return llvm::BasicBlock::Create(function->getContext(), "", function);
}

}  // namespace

// for (index = lo; index < hi; index += step): a guard and a rotated loop.
Parts FunctionEmitter::For(llvm::Value* lo, llvm::Value* hi, llvm::Value* step, Parts init, const Body& body) {
  llvm::BasicBlock* before = b_.GetInsertBlock();
  llvm::BasicBlock* head = NewBlock(function_);
  llvm::BasicBlock* exit = NewBlock(function_);
  PushScope(b_.CreateCondBr(b_.CreateICmpSLT(lo, hi), head, exit));
  b_.SetInsertPoint(head);
  llvm::PHINode* index = b_.CreatePHI(lo->getType(), 2);
  index->addIncoming(lo, before);
  llvm::SmallVector<llvm::PHINode*, 8> phis;
  Parts carries;
  for (llvm::Value* value : init) {
    phis.push_back(b_.CreatePHI(value->getType(), 2));
    phis.back()->addIncoming(value, before);
    carries.push_back(phis.back());
  }
  Parts next = body(index, carries);
  llvm::Value* after = b_.CreateAdd(index, step);
  llvm::BasicBlock* latch = b_.GetInsertBlock();
  index->addIncoming(after, latch);
  for (size_t k = 0; k < phis.size(); ++k) phis[k]->addIncoming(next[k], latch);
  b_.CreateCondBr(b_.CreateICmpSLT(after, hi), head, exit);
  PopScope();
  exit->moveAfter(latch);
  b_.SetInsertPoint(exit);
  Parts results;
  for (size_t k = 0; k < init.size(); ++k) {
    llvm::PHINode* phi = b_.CreatePHI(init[k]->getType(), 2);
    phi->addIncoming(init[k], before);
    phi->addIncoming(next[k], latch);
    results.push_back(phi);
  }
  return results;
}

Parts FunctionEmitter::While(Parts init, const std::function<llvm::Value*(const Parts&)>& cond,
                             const std::function<Parts(const Parts&)>& body) {
  llvm::BasicBlock* before = b_.GetInsertBlock();
  llvm::BasicBlock* head = NewBlock(function_);
  llvm::BasicBlock* work = NewBlock(function_);
  llvm::BasicBlock* exit = NewBlock(function_);
  PushScope(b_.CreateBr(head));
  b_.SetInsertPoint(head);
  llvm::SmallVector<llvm::PHINode*, 8> phis;
  Parts carries;
  for (llvm::Value* value : init) {
    phis.push_back(b_.CreatePHI(value->getType(), 2));
    phis.back()->addIncoming(value, before);
    carries.push_back(phis.back());
  }
  llvm::Value* go_on = cond(carries);
  b_.CreateCondBr(go_on, work, exit);
  b_.SetInsertPoint(work);
  Parts next = body(carries);
  llvm::BasicBlock* latch = b_.GetInsertBlock();
  for (size_t k = 0; k < phis.size(); ++k) phis[k]->addIncoming(next[k], latch);
  b_.CreateBr(head);
  PopScope();
  exit->moveAfter(latch);
  b_.SetInsertPoint(exit);
  return carries;
}

Parts FunctionEmitter::If(llvm::Value* condition, const std::function<Parts()>& then,
                          const std::function<Parts()>& otherwise) {
  llvm::BasicBlock* sides[2] = {NewBlock(function_), NewBlock(function_)};
  llvm::BasicBlock* exit = NewBlock(function_);
  llvm::Instruction* branch = b_.CreateCondBr(condition, sides[0], sides[1]);
  Parts values[2];
  llvm::BasicBlock* ends[2];
  for (int side = 0; side < 2; ++side) {
    PushScope(branch);
    b_.SetInsertPoint(sides[side]);
    values[side] = side == 0 ? then() : otherwise();
    ends[side] = b_.GetInsertBlock();
    b_.CreateBr(exit);
    PopScope();
    sides[1]->moveAfter(ends[0]);
  }
  exit->moveAfter(ends[1]);
  b_.SetInsertPoint(exit);
  Parts results;
  for (size_t k = 0; k < values[0].size(); ++k) {
    llvm::PHINode* phi = b_.CreatePHI(values[0][k]->getType(), 2);
    for (int side = 0; side < 2; ++side) phi->addIncoming(values[side][k], ends[side]);
    results.push_back(phi);
  }
  return results;
}

void FunctionEmitter::EmitLoop(Id id) {
  const Loop& loop = plan_.loop(id);
  if (loop.tree != Tree::kNone) return EmitTree(id, loop);
  switch (loop.kind) {
    case LoopKind::kFor:
      return EmitFor(id, loop);
    case LoopKind::kLanes:
      return EmitLanes(loop);
    case LoopKind::kWhile:
      return EmitWhile(id, loop);
    case LoopKind::kIf:
      return EmitIf(id, loop);
  }
}

std::vector<Value> FunctionEmitter::Inits(const Loop& loop) {
  std::vector<Value> values;
  for (uint32_t k = 0; k < loop.init.count; ++k) values.push_back(values_[plan_.operands[loop.init.first + k]]);
  return values;
}

std::vector<ElementType> FunctionEmitter::CarryTypes(const Loop& loop) {
  std::vector<ElementType> types;
  for (uint32_t k = 0; k < loop.init.count; ++k) types.push_back(plan_.node(plan_.operands[loop.init.first + k]).elt);
  return types;
}

Parts FunctionEmitter::Pack(std::vector<Value>& values, const std::vector<bool>& vary) {
  Parts parts;
  for (size_t k = 0; k < values.size(); ++k) parts.append(ToCarry(values[k], vary[k]));
  return parts;
}

std::vector<Value> FunctionEmitter::Unpack(const std::vector<ElementType>& types, const std::vector<bool>& vary,
                                           llvm::ArrayRef<llvm::Value*> parts) {
  std::vector<Value> values;
  size_t at = 0;
  for (size_t k = 0; k < types.size(); ++k) {
    values.push_back(FromCarry(types[k], vary[k], parts.slice(at, CarryParts(vary[k]))));
    at += CarryParts(vary[k]);
  }
  return values;
}

// Which carries are vectors.
std::vector<bool> FunctionEmitter::CarriesVary(Id id, const Loop& loop) {
  std::vector<bool> vary;
  bool index = loop.kind == LoopKind::kFor;
  for (uint32_t k = 0; k < loop.init.count; ++k) {
    Id argument = loop.tree == Tree::kNone ? loop.body.first + (index ? 1 : 0) + k : loop.combine.first + k;
    vary.push_back(lanes_.width > 0 && variance_[argument] != Variance::kUniform);
  }
  return vary;
}

void FunctionEmitter::EmitFor(Id id, const Loop& loop) {
  auto constant = [&](Id value, int64_t otherwise, int64_t& out) {
    if (value == plan::kNone) return out = otherwise, true;
    auto* known = values_[value].wide.size() == 1 ? llvm::dyn_cast<llvm::ConstantInt>(values_[value].wide[0]) : nullptr;
    if (known != nullptr) out = known->getSExtValue();
    return known != nullptr;
  };
  int64_t lo = 0, hi = 0, step = 1;
  if (!quick() && constant(loop.lo, 0, lo) && constant(loop.hi, 0, hi) && constant(loop.step, 1, step) &&
      (hi - lo + step - 1) / step <= std::max<int>(loop.unroll, 1)) {
    return EmitUnrolledFor(id, loop, lo, hi, step);
  }
  std::vector<ElementType> types = CarryTypes(loop);
  std::vector<bool> vary = CarriesVary(id, loop);
  std::vector<Value> inits = Inits(loop);
  Parts init = Pack(inits, vary);
  llvm::Value* step_value = loop.step == plan::kNone ? I64(1) : Scalar(loop.step);
  Parts results = For(Scalar(loop.lo), Scalar(loop.hi), step_value, init, [&](llvm::Value* index, const Parts& parts) {
    std::vector<Value> arguments = Unpack(types, vary, parts);
    arguments.insert(arguments.begin(), Value{.elt = ElementType::kI64, .level = top(), .wide = {index}});
    std::vector<Value> yields = EmitBlock(loop.body, arguments);
    return Pack(yields, vary);
  });
  results_[id] = Unpack(types, vary, results);
}

void FunctionEmitter::EmitUnrolledFor(Id id, const Loop& loop, int64_t lo, int64_t hi, int64_t step) {
  std::vector<Value> carries = Inits(loop);
  for (int64_t index = lo; index < hi; index += step) {
    std::vector<Value> arguments = carries;
    for (Value& argument : arguments) argument.level = top();
    arguments.insert(arguments.begin(), Value{.elt = ElementType::kI64, .level = top(), .wide = {I64(index)}});
    carries = EmitBlock(loop.body, arguments);
    Forget(loop.body);
  }
  results_[id] = std::move(carries);
}

void FunctionEmitter::EmitWhile(Id id, const Loop& loop) {
  std::vector<ElementType> types = CarryTypes(loop);
  std::vector<bool> vary = CarriesVary(id, loop);
  std::vector<Value> inits = Inits(loop);
  Parts init = Pack(inits, vary);
  Parts active;  // of the lanes whose own condition ended, values stay as they are
  auto cond = [&](const Parts& parts) -> llvm::Value* {
    std::vector<Value> yields = EmitBlock(loop.cond, Unpack(types, vary, parts));
    active.clear();
    if (yields[0].variance == Variance::kUniform) return Wide(yields[0], false)[0];
    active = Wide(yields[0], true);
    if (lanes_.count != nullptr) {
      for (size_t p = 0; p < active.size(); ++p) active[p] = b_.CreateAnd(active[p], lanes_.masks[p]);
    }
    llvm::Value* any = active[0];
    for (size_t p = 1; p < active.size(); ++p) any = b_.CreateOr(any, active[p]);
    return b_.CreateOrReduce(any);
  };
  Parts results = While(init, cond, [&](const Parts& parts) {
    std::vector<Value> arguments = Unpack(types, vary, parts);
    std::vector<Value> yields = EmitBlock(loop.body, arguments);
    Parts next;
    size_t at = 0;
    for (size_t k = 0; k < yields.size(); ++k) {
      Parts carried = ToCarry(yields[k], vary[k]);
      if (!active.empty()) {
        Parts old(parts.begin() + at, parts.begin() + at + carried.size());
        carried = SelectParts(active, carried, old);
      }
      at += carried.size();
      next.append(carried);
    }
    return next;
  });
  results_[id] = Unpack(types, vary, results);
}

void FunctionEmitter::EmitIf(Id id, const Loop& loop) {
  Value& condition = values_[loop.lo];
  if (condition.variance != Variance::kUniform) {
    return Fail(Internal("kernel '" + plan_.name + "': a branch on a value that differs between lanes"));
  }
  size_t count = loop.body.empty() ? 0 : plan_.node(loop.body.end - 1).args.count;
  std::vector<ElementType> types;
  std::vector<bool> vary;
  for (size_t k = 0; k < count; ++k) {
    Id a = plan_.arg(loop.body.end - 1, k), c = plan_.arg(loop.cond.end - 1, k);
    types.push_back(plan_.node(a).elt);
    vary.push_back(lanes_.width > 0 && (variance_[a] != Variance::kUniform || variance_[c] != Variance::kUniform));
  }
  auto side = [&](const Block& block) {
    if (block.empty()) return Parts{};
    std::vector<Value> yields = EmitBlock(block, {});
    return Pack(yields, vary);
  };
  Parts results = If(Wide(condition, false)[0], [&] { return side(loop.body); }, [&] { return side(loop.cond); });
  results_[id] = Unpack(types, vary, results);
}

void FunctionEmitter::SetLanes(int width, int parts, llvm::Value* count) {
  lanes_ = {width, parts, count, {}};
  if (count == nullptr) return;
  llvm::Type* type = b_.getIntNTy(std::min(32, options_.target.vector_bytes() * 8 / width));
  // Lanes in use as a vector compare in the width of the data; counts past the last lane are clipped so that they fit.
  llvm::Value* clipped = b_.CreateBinaryIntrinsic(llvm::Intrinsic::umin, count, I64(width * parts));
  if (type->getIntegerBitWidth() == 8 && width * parts > 127) type = b_.getInt16Ty();
  llvm::Value* limit = b_.CreateVectorSplat(width, b_.CreateTrunc(clipped, type));
  for (int part = 0; part < parts; ++part) {
    lanes_.masks.push_back(b_.CreateICmpSLT(Iota(type, part * width), limit));
  }
}

int FunctionEmitter::LaneWidth(const Loop& loop) {
  return options_.target.vector_bytes() / WidestVaryingBytes(plan_, loop, variance_);
}

// Vectors in flight: light bodies need several to hide latencies and the loop's own instructions, heavy ones cost
// compile time.
int FunctionEmitter::MapUnroll(const Loop& loop) {
  if (quick()) return 1;
  int cost = BodyCost(plan_, loop.body, variance_);
  bool jams = false;  // a loop inside: its chains run side by side
  for (Id id = loop.body.first; id < loop.body.end; ++id) jams |= plan_.node(id).op == Op::kLoop;
  int most = cost <= 14 ? 4 : cost <= 120 ? 2 : 1;
  if (jams) most = cost <= 250 ? 2 * most : 1;
  return std::clamp<int>(loop.unroll, 1, most);
}

// Whether a whole vector reads memory between and after its elements: strides of 2 to 4, loaded densely and shuffled.
// Of pairs, all elements are wanted anyway.
bool FunctionEmitter::ReadsPastLane(const Loop& loop) {
  for (Id id = loop.body.first; id < loop.body.end; ++id) {
    if (plan_.node(id).op != Op::kLoad) continue;
    std::optional<int64_t> stride = LaneStride(plan_, plan_.accesses[plan_.node(id).imm], variance_);
    bool paired = stride && *stride == 2 && (Neighbour(id, 1) != plan::kNone || Neighbour(id, -1) != plan::kNone);
    if (stride && *stride >= 2 && *stride <= 4 && !paired) return true;
  }
  return false;
}

Value FunctionEmitter::LaneIndex(llvm::Value* first) {
  return {.elt = ElementType::kI64, .variance = Variance::kAffine, .level = top(), .base = first, .stride = I64(1)};
}

// Whether the last vector may be computed before the others and stored after them: light, straight-line code whose
// stores are dense and follow all loads, so that computing elements twice gives them the same values.
bool FunctionEmitter::MayOverlap(const Loop& loop) {
  if (v4() || quick() || ReadsPastLane(loop) || BodyCost(plan_, loop.body, variance_) > kOverlapCost) return false;
  bool stored = false;
  for (Id id = loop.body.first; id < loop.body.end; ++id) {
    Op op = plan_.node(id).op;
    if (op == Op::kLoop || op == Op::kMove || op == Op::kCall || (op == Op::kLoad && stored)) return false;
    if (op != Op::kStore) continue;
    stored = true;
    if (LaneStride(plan_, plan_.accesses[plan_.node(id).imm], variance_) != 1) return false;
  }
  return true;
}

// Whole vectors, `parts` of them at once; returns the first element that is not done.
llvm::Value* FunctionEmitter::WholeVectors(const Loop& loop, llvm::Value* lo, llvm::Value* hi, int width, int parts) {
  int64_t step = int64_t{width} * parts;
  llvm::Value* end = b_.CreateSub(hi, I64(step - (ReadsPastLane(loop) ? 0 : 1)));  // while i + step <= hi
  return For(lo, end, I64(step), {lo}, [&](llvm::Value* index, const Parts&) {
    SetLanes(width, parts, nullptr);
    EmitBlock(loop.body, {LaneIndex(index)});
    return Parts{b_.CreateAdd(index, I64(step))};
  })[0];
}

// One vector at a time, with the lanes past the end switched off.
void FunctionEmitter::MaskedVectors(const Loop& loop, llvm::Value* lo, llvm::Value* hi, int width) {
  For(lo, hi, I64(width), {}, [&](llvm::Value* index, const Parts&) {
    SetLanes(width, 1, b_.CreateSub(hi, index));
    EmitBlock(loop.body, {LaneIndex(index)});
    return Parts{};
  });
}

void FunctionEmitter::EmitLanes(const Loop& loop) {
  Lanes outside = lanes_;
  int width = LaneWidth(loop);
  int parts = MapUnroll(loop);
  llvm::Value* lo = Scalar(loop.lo);
  llvm::Value* hi = Scalar(loop.hi);
  if (v4() && BodyCost(plan_, loop.body, variance_) > kOneCopyCost) {
    MaskedVectors(loop, lo, hi, width);
  } else if (!MayOverlap(loop)) {
    MaskedVectors(loop, WholeVectors(loop, lo, hi, width, parts), hi, width);
  } else {
    // Where masks are slow: the last vector overlaps the one before it. Loaded first, so that it is right in place.
    llvm::Value* enough = b_.CreateICmpSGE(b_.CreateSub(hi, lo), I64(width));
    auto overlapping = [&] {
      std::vector<DeferredStore> last;
      SetLanes(width, 1, nullptr);
      deferred_ = &last;
      EmitBlock(loop.body, {LaneIndex(b_.CreateSub(hi, I64(width)))});
      Forget(loop.body);
      deferred_ = nullptr;
      llvm::Value* at = WholeVectors(loop, lo, hi, width, parts);
      if (parts > 1) WholeVectors(loop, at, hi, width, 1);
      SetLanes(width, 1, nullptr);
      for (const DeferredStore& store : last) StoreDense(store.place, 0, store.value);
      return Parts{};
    };
    If(enough, overlapping, [&] {
      MaskedVectors(loop, lo, hi, width);
      return Parts{};
    });
  }
  lanes_ = outside;
}

}  // namespace treadle::emit

// Loops whose iterations are combined by a tree. The association is that of plan.h on every instruction set: lanes and
// unrolling only decide which slots one instruction works on.
#include <algorithm>
#include <bit>

#include "compiler/emit/function_emitter.h"

namespace treadle::emit {

using plan::Id;
using plan::Loop;
using plan::LoopKind;
using plan::Op;
using plan::Tree;

namespace {

constexpr int kMostSubtrees = 48;  // a binary counter over any count of elements that fits in memory

// The bits x with op(x, v) = v for every v that is not a denormal (those are flushed when the initial value comes in).
std::optional<uint64_t> IdentityBits(Op op, ElementType elt) {
  bool is_float = IsFloat(elt);
  if (is_float && ElementBytes(elt) == 1) return std::nullopt;  // not all of them have infinities or -0
  int bits = ElementBits(elt);
  uint64_t ones = bits == 64 ? ~0ull : (1ull << bits) - 1;
  uint64_t sign = 1ull << (bits - 1);
  uint64_t infinity = elt == ElementType::kF64   ? 0x7ff0000000000000
                      : elt == ElementType::kF32 ? 0x7f800000
                      : elt == ElementType::kF16 ? 0x7c00
                                                 : 0x7f80;
  uint64_t one = elt == ElementType::kF64   ? 0x3ff0000000000000
                 : elt == ElementType::kF32 ? 0x3f800000
                 : elt == ElementType::kF16 ? 0x3c00
                 : is_float                 ? 0x3f80
                                            : 1;
  switch (op) {
    case Op::kAdd:
      return is_float ? sign : 0;
    case Op::kMul:
      return one;
    case Op::kMax:
      if (is_float) return infinity | sign;
      return IsSigned(elt) ? sign : 0;
    case Op::kMin:
      if (is_float) return infinity;
      return IsSigned(elt) ? sign - 1 : ones;
    case Op::kAnd:
      return ones;
    case Op::kOr:
    case Op::kXor:
      return 0;
    default:
      return std::nullopt;
  }
}

// Whether the bounds say that there are no more than kLeafElements iterations: hi = min(lo + n, ...) or, from 0, min(n,
// ...).
bool IsOneLeaf(const plan::Plan& plan, const Loop& loop) {
  if (plan.node(loop.hi).op != Op::kMin) return false;
  auto literal = [&](Id id) {
    return plan.node(id).op == Op::kConst ? static_cast<int64_t>(plan.node(id).imm) : INT64_MAX;
  };
  for (int k = 0; k < 2; ++k) {
    Id limit = plan.arg(loop.hi, k);
    if (literal(limit) <= plan::kLeafElements && literal(loop.lo) == 0) return true;
    if (plan.node(limit).op != Op::kAdd) continue;
    for (int side = 0; side < 2; ++side) {
      if (plan.arg(limit, side) == loop.lo && literal(plan.arg(limit, 1 - side)) <= plan::kLeafElements) return true;
    }
  }
  return false;
}

}  // namespace

// One literal a carry where each is reduced by a single known operation; else empty.
FunctionEmitter::Values FunctionEmitter::Identity(const Loop& loop) {
  Values values;
  Id yield = loop.combine.end - 1;
  uint32_t carries = loop.init.count;
  for (uint32_t k = 0; k < carries; ++k) {
    Id made = plan_.arg(yield, static_cast<int>(k));
    const plan::Node& node = plan_.node(made);
    if (node.args.count != 2) return {};
    Id old_value = loop.combine.first + k, new_value = old_value + carries;
    Id a = plan_.arg(made, 0), b = plan_.arg(made, 1);
    if (!((a == old_value && b == new_value) || (a == new_value && b == old_value))) return {};
    std::optional<uint64_t> bits = IdentityBits(node.op, node.elt);
    if (!bits) return {};
    values.push_back(Literal(node.elt, *bits));
  }
  return values;
}

FunctionEmitter::Values FunctionEmitter::Combine(const Loop& loop, Values old_values, Values new_values) {
  Values arguments = std::move(old_values);
  arguments.insert(arguments.end(), new_values.begin(), new_values.end());
  for (Value& argument : arguments) argument.level = top();
  Values results = EmitBlock(loop.combine, arguments);
  Forget(loop.combine);
  return results;
}

void FunctionEmitter::EmitTree(Id id, const Loop& loop) {
  llvm::Value* lo = Scalar(loop.lo);
  llvm::Value* hi = Scalar(loop.hi);
  llvm::Value* length = b_.CreateSub(hi, lo);
  auto pieces = [&](llvm::Value* piece) {  // of a positive length
    return b_.CreateSDiv(b_.CreateAdd(length, b_.CreateSub(piece, I64(1))), piece);
  };
  if (loop.kind == LoopKind::kFor) {
    llvm::Value* step = loop.step == plan::kNone ? nullptr : Scalar(loop.step);
    results_[id] =
        Counter(loop, step == nullptr ? length : pieces(step), CarriesVary(id, loop), [&](llvm::Value* number) {
          llvm::Value* index = b_.CreateAdd(lo, step == nullptr ? number : b_.CreateMul(number, step));
          return EmitBlock(loop.body, {Value{.elt = ElementType::kI64, .level = top(), .wide = {index}}});
        });
    return;
  }
  // In adjacent pairs, a tree over vectors is the tree over leaves: both are powers of two.
  bool in_order = loop.tree == Tree::kInOrder;
  int width = LaneWidth(loop);
  int64_t leaf = in_order ? width : plan::kLeafElements;
  Lanes outside = lanes_;
  if (!in_order && IsOneLeaf(plan_, loop)) {
    std::vector<ElementType> types = CarryTypes(loop);
    std::vector<bool> vary(types.size(), false);
    Values init = Inits(loop);
    auto fold = [&] {
      Values values = LeafOfLanes(loop, lo, hi);
      lanes_ = outside;
      values = Combine(loop, init, std::move(values));
      return Pack(values, vary);
    };
    results_[id] = Unpack(types, vary, If(b_.CreateICmpSGT(length, I64(0)), fold, [&] { return Pack(init, vary); }));
    return;
  }
  results_[id] = Counter(loop, pieces(I64(leaf)), std::vector<bool>(loop.init.count, false), [&](llvm::Value* number) {
    llvm::Value* first = b_.CreateAdd(lo, b_.CreateMul(number, I64(leaf)));
    llvm::Value* rest = b_.CreateSub(hi, first);
    Values values =
        in_order ? VectorInOrder(loop, first, rest, width)
                 : LeafOfLanes(loop, first,
                               b_.CreateAdd(first, b_.CreateBinaryIntrinsic(llvm::Intrinsic::smin, rest, I64(leaf))));
    lanes_ = outside;
    return values;
  });
}

// The items folded pairwise by a binary counter, then into the initial values.
FunctionEmitter::Values FunctionEmitter::Counter(const Loop& loop, llvm::Value* count, const std::vector<bool>& vary,
                                                 const std::function<Values(llvm::Value*)>& item) {
  std::vector<ElementType> types = CarryTypes(loop);
  Values init = Inits(loop);
  std::vector<llvm::AllocaInst*> stacks;  // of waiting subtrees, one a carry and part
  auto slot = [&](size_t stack, llvm::Value* at) {
    return b_.CreateGEP(stacks[stack]->getAllocatedType(), stacks[stack], at);
  };
  auto pop = [&](llvm::Value* at) {
    Parts parts;
    for (size_t s = 0; s < stacks.size(); ++s)
      parts.push_back(b_.CreateLoad(stacks[s]->getAllocatedType(), slot(s, at)));
    return Unpack(types, vary, parts);
  };
  auto merge = [&](llvm::Value* below, llvm::ArrayRef<llvm::Value*> parts) {
    Values values = Combine(loop, pop(below), Unpack(types, vary, parts));
    return Pack(values, vary);
  };
  Parts init_parts = Pack(init, vary);
  for (llvm::Value* part : init_parts) stacks.push_back(StackArray(part->getType(), kMostSubtrees));

  auto fold = [&] {
    Parts height = For(I64(0), count, I64(1), {I64(0)}, [&](llvm::Value* number, const Parts& carried) {
      Values values = item(number);
      Parts state = {number, carried[0]};
      state.append(Pack(values, vary));
      state = While(
          state, [&](const Parts& s) { return b_.CreateTrunc(s[0], b_.getInt1Ty()); },
          [&](const Parts& s) {
            llvm::Value* below = b_.CreateSub(s[1], I64(1));
            Parts next = {b_.CreateLShr(s[0], I64(1)), below};
            next.append(merge(below, llvm::ArrayRef(s).drop_front(2)));
            return next;
          });
      for (size_t s = 0; s < stacks.size(); ++s) b_.CreateStore(state[s + 2], slot(s, state[1]));
      return Parts{b_.CreateAdd(state[1], I64(1))};
    });
    llvm::Value* last = b_.CreateSub(height[0], I64(1));
    Values latest = pop(last);
    Parts state = {last};
    state.append(Pack(latest, vary));
    state = While(
        state, [&](const Parts& s) { return b_.CreateICmpSGT(s[0], I64(0)); },
        [&](const Parts& s) {
          llvm::Value* below = b_.CreateSub(s[0], I64(1));
          Parts next = {below};
          next.append(merge(below, llvm::ArrayRef(s).drop_front(1)));
          return next;
        });
    Values all = Combine(loop, init, Unpack(types, vary, llvm::ArrayRef(state).drop_front(1)));
    return Pack(all, vary);
  };
  return Unpack(types, vary, If(b_.CreateICmpSGT(count, I64(0)), fold, [&] { return init_parts; }));
}

FunctionEmitter::Slots FunctionEmitter::MakeSlots(const Loop& loop) {
  Slots slots;
  int bytes = 0;
  for (ElementType type : CarryTypes(loop)) {
    bytes += ElementBytes(type);
    slots.types.push_back(MemoryType(type));
  }
  slots.count = static_cast<int>(std::bit_floor(static_cast<unsigned>(std::max(1, plan::kSlotBytes / bytes))));
  slots.width = std::min(LaneWidth(loop), slots.count);
  for (llvm::Type* type : slots.types) slots.arrays.push_back(StackArray(type, slots.count + slots.width));
  slots.identity = Identity(loop);
  return slots;
}

// The slots from `at` on, as vectors of the present lanes.
FunctionEmitter::Values FunctionEmitter::LoadSlots(const Loop& loop, const Slots& slots, llvm::Value* at) {
  std::vector<ElementType> types = CarryTypes(loop);
  Values values;
  for (size_t k = 0; k < types.size(); ++k) {
    Parts parts;
    for (int part = 0; part < lanes_.parts; ++part) {
      llvm::Value* index = b_.CreateAdd(at, I64(part * lanes_.width));
      llvm::Value* pointer = b_.CreateGEP(slots.types[k], slots.arrays[k], index);
      parts.push_back(b_.CreateAlignedLoad(Widen(slots.types[k]), pointer, llvm::Align(ElementBytes(types[k]))));
    }
    values.push_back(FromMemory(types[k], Variance::kVarying, std::move(parts)));
  }
  return values;
}

void FunctionEmitter::StoreSlots(const Slots& slots, llvm::Value* at, Values& values) {
  for (size_t k = 0; k < values.size(); ++k) {
    Parts parts = ToMemory(values[k], true);
    for (int part = 0; part < lanes_.parts; ++part) {
      llvm::Value* index = b_.CreateAdd(at, I64(part * lanes_.width));
      llvm::Value* pointer = b_.CreateGEP(slots.types[k], slots.arrays[k], index);
      b_.CreateAlignedStore(parts[part], pointer, llvm::Align(ElementBytes(values[k].elt)));
    }
  }
}

// Whether all slots stay in registers: a known combiner, a light body and few vectors.
bool FunctionEmitter::InRegisters(const Loop& loop, const Slots& slots) {
  if (quick() || slots.identity.empty()) return false;
  int vectors = 0;
  for (ElementType type : CarryTypes(loop)) {
    vectors += std::max(slots.count * std::max(ComputeBytes(type), 1) / options_.target.vector_bytes(),
                        slots.count / slots.width);
  }
  return vectors <= (v4() ? 16 : 8) && BodyCost(plan_, loop.body, variance_) * (slots.count / slots.width) <= 64;
}

// One leaf: elements [lo, hi), at least one.
FunctionEmitter::Values FunctionEmitter::LeafOfLanes(const Loop& loop, llvm::Value* lo, llvm::Value* hi) {
  Slots slots = MakeSlots(loop);
  llvm::Value* start = lo;
  if (InRegisters(loop, slots)) {
    start = SumInRegisters(loop, slots, lo, hi);
  } else {
    if (!slots.identity.empty()) {
      SetLanes(slots.width, slots.count / slots.width, nullptr);
      StoreSlots(slots, I64(0), slots.identity);
    }
    int parts = quick() || BodyCost(plan_, loop.body, variance_) > 60 ? 1 : std::min(2, slots.count / slots.width);
    int64_t step = int64_t{slots.width} * parts;
    llvm::Value* end = b_.CreateSub(hi, I64(step - (ReadsPastLane(loop) ? 0 : 1)));
    SumInSlots(loop, slots, lo, lo, end, hi, parts);
    // Where the loop over whole vectors stopped.
    llvm::Value* whole = b_.CreateBinaryIntrinsic(llvm::Intrinsic::smax, b_.CreateSub(end, lo), I64(0));
    whole = b_.CreateAnd(b_.CreateAdd(whole, I64(step - 1)), I64(-step));
    start = b_.CreateAdd(lo, whole);
  }
  SumInSlots(loop, slots, lo, start, hi, hi, 0);
  llvm::Value* used = b_.CreateBinaryIntrinsic(llvm::Intrinsic::smin, b_.CreateSub(hi, lo), I64(slots.count));
  return FoldSlots(loop, slots, used);
}

// Whole rounds of all slots; returns where they end.
llvm::Value* FunctionEmitter::SumInRegisters(const Loop& loop, const Slots& slots, llvm::Value* lo, llvm::Value* hi) {
  std::vector<ElementType> types = CarryTypes(loop);
  std::vector<bool> vary(types.size(), true);
  int parts = slots.count / slots.width;
  SetLanes(slots.width, parts, nullptr);
  Values identity = slots.identity;
  Parts init = Pack(identity, vary);
  init.push_back(lo);
  llvm::Value* end = b_.CreateSub(hi, I64(slots.count - (ReadsPastLane(loop) ? 0 : 1)));
  Parts sums = For(lo, end, I64(slots.count), init, [&](llvm::Value* index, const Parts& carried) {
    Values values = EmitBlock(loop.body, {LaneIndex(index)});
    values = Combine(loop, Unpack(types, vary, llvm::ArrayRef(carried).drop_back()), std::move(values));
    Parts next = Pack(values, vary);
    next.push_back(b_.CreateAdd(index, I64(slots.count)));
    return next;
  });
  Values values = Unpack(types, vary, llvm::ArrayRef(sums).drop_back());
  StoreSlots(slots, I64(0), values);
  return sums.back();
}

// Elements from `start` below `end` into their slots; `lo` is the leaf's first. parts 0: one vector at a time, without
// the lanes from `hi` on.
void FunctionEmitter::SumInSlots(const Loop& loop, const Slots& slots, llvm::Value* lo, llvm::Value* start,
                                 llvm::Value* end, llvm::Value* hi, int parts) {
  std::vector<bool> vary(loop.init.count, true);
  bool tail = parts == 0;
  parts = std::max(parts, 1);
  For(start, end, I64(int64_t{slots.width} * parts), {}, [&](llvm::Value* index, const Parts&) {
    SetLanes(slots.width, parts, tail ? b_.CreateSub(hi, index) : nullptr);
    Parts masks = lanes_.masks;
    Values values = EmitBlock(loop.body, {LaneIndex(index)});
    llvm::Value* done = b_.CreateSub(index, lo);
    llvm::Value* at = b_.CreateAnd(done, I64(slots.count - 1));
    Values old_values = LoadSlots(loop, slots, at);
    Values combined = Combine(loop, old_values, values);
    std::vector<ElementType> types = CarryTypes(loop);
    Parts next = Pack(combined, vary);
    if (slots.identity.empty()) {  // the first round only fills the slots
      llvm::Value* first = b_.CreateICmpSLT(done, I64(slots.count));
      next = SelectParts({first}, Pack(values, vary), next);
    }
    if (tail) next = SelectParts(masks, next, Pack(old_values, vary));
    Values stored = Unpack(types, vary, next);
    StoreSlots(slots, at, stored);
    return Parts{};
  });
}

// Slot s with slot s + half, half by half. Slots from `count` on take no part (with a known combiner they hold its
// identity).
FunctionEmitter::Values FunctionEmitter::FoldSlots(const Loop& loop, const Slots& slots, llvm::Value* count) {
  std::vector<ElementType> types = CarryTypes(loop);
  std::vector<bool> vary(types.size(), true);
  int width = slots.width;
  bool known = !slots.identity.empty();
  Values values;
  SetLanes(width, 1, nullptr);
  if (known && !quick()) {
    std::vector<Values> vectors;
    for (int at = 0; at < slots.count; at += width) vectors.push_back(LoadSlots(loop, slots, I64(at)));
    for (size_t half = vectors.size() / 2; half >= 1; half /= 2) {
      for (size_t i = 0; i < half; ++i) vectors[i] = Combine(loop, vectors[i], vectors[i + half]);
    }
    Parts sums = Pack(vectors[0], vary);
    for (int half = width / 2; half >= 1; half /= 2) {
      llvm::SmallVector<int, 64> mask;
      for (int lane = 0; lane < width; ++lane) mask.push_back(lane < half ? lane + half : lane);
      Parts upper = sums;
      for (llvm::Value*& part : upper) part = b_.CreateShuffleVector(part, mask);
      Values folded = Combine(loop, Unpack(types, vary, sums), Unpack(types, vary, upper));
      sums = Pack(folded, vary);
    }
    values = Unpack(types, vary, sums);
    StoreSlots(slots, I64(0), values);
  } else {
    While(
        {I64(slots.count / 2)}, [&](const Parts& s) { return b_.CreateICmpSGT(s[0], I64(0)); },
        [&](const Parts& s) {
          llvm::Value* half = s[0];
          For(I64(0), half, I64(width), {}, [&](llvm::Value* at, const Parts&) {
            llvm::Value* partner = b_.CreateAdd(at, half);
            Values low = LoadSlots(loop, slots, at);
            Values folded = Combine(loop, low, LoadSlots(loop, slots, partner));
            if (!known) {
              llvm::Type* type = b_.getInt16Ty();
              llvm::Value* lanes_used = b_.CreateTrunc(b_.CreateSub(count, partner), type);
              llvm::Value* mask = b_.CreateICmpSLT(Iota(type, 0), b_.CreateVectorSplat(width, lanes_used));
              folded = Unpack(types, vary, SelectParts({mask}, Pack(folded, vary), Pack(low, vary)));
            }
            StoreSlots(slots, at, folded);
            return Parts{};
          });
          return Parts{b_.CreateLShr(half, I64(1))};
        });
  }
  lanes_ = {};
  Values results;
  for (size_t k = 0; k < types.size(); ++k) {
    results.push_back(FromMemory(types[k], Variance::kUniform, {b_.CreateLoad(slots.types[k], slots.arrays[k])}));
  }
  return results;
}

// One vector of the tree of adjacent pairs: `count` lanes or all.
FunctionEmitter::Values FunctionEmitter::VectorInOrder(const Loop& loop, llvm::Value* lo, llvm::Value* count,
                                                       int width) {
  std::vector<ElementType> types = CarryTypes(loop);
  std::vector<bool> vary(types.size(), true);
  SetLanes(width, 1, count);
  Values values = EmitBlock(loop.body, {LaneIndex(lo)});
  Parts state = Pack(values, vary);
  lanes_ = {width, 1, nullptr, {}};
  llvm::Type* type = b_.getInt16Ty();
  llvm::Value* used = b_.CreateTrunc(b_.CreateBinaryIntrinsic(llvm::Intrinsic::smin, count, I64(width)), type);
  llvm::SmallVector<int, 64> even, odd;
  llvm::SmallVector<llvm::Constant*, 64> partners;
  for (int lane = 0; lane < width; ++lane) {
    even.push_back(lane < width / 2 ? 2 * lane : lane);
    odd.push_back(lane < width / 2 ? 2 * lane + 1 : lane);
    partners.push_back(llvm::ConstantInt::get(type, lane < width / 2 ? 2 * lane + 1 : 32767));
  }
  state.push_back(used);
  state = While(
      state, [&](const Parts& s) { return b_.CreateICmpSGT(s.back(), llvm::ConstantInt::get(type, 1)); },
      [&](const Parts& s) {
        Parts low(s.begin(), s.end() - 1), high = low;
        for (llvm::Value*& part : low) part = b_.CreateShuffleVector(part, even);
        for (llvm::Value*& part : high) part = b_.CreateShuffleVector(part, odd);
        Values folded = Combine(loop, Unpack(types, vary, low), Unpack(types, vary, high));
        llvm::Value* limit = b_.CreateVectorSplat(width, s.back());
        llvm::Value* paired = b_.CreateICmpSLT(llvm::ConstantVector::get(partners), limit);
        Parts next = SelectParts({paired}, Pack(folded, vary), low);
        llvm::Value* one = llvm::ConstantInt::get(type, 1);
        next.push_back(b_.CreateLShr(b_.CreateAdd(s.back(), one), one));
        return next;
      });
  Values results;
  values = Unpack(types, vary, llvm::ArrayRef(state).drop_back());
  for (size_t k = 0; k < types.size(); ++k) {
    Parts memory = ToMemory(values[k], true);
    results.push_back(FromMemory(types[k], Variance::kUniform, {b_.CreateExtractElement(memory[0], uint64_t{0})}));
  }
  return results;
}

}  // namespace treadle::emit

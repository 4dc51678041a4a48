// Loads and stores, by the stride from lane to lane: 0, 1, -1, 2 to 4, any, and gathers.
#include <algorithm>
#include <utility>

#include "compiler/emit/codegen.h"
#include "compiler/emit/function_emitter.h"

namespace treadle::emit {

using plan::Id;
using plan::Role;

llvm::Value* FunctionEmitter::SizeOf(plan::Size size) {
  if (size.sym < 0) return I64(size.c);
  llvm::Value* value = PushConstant(size.sym).wide[0];
  if (size.c != 0) AtLevel(0, [&] { value = b_.CreateAdd(value, I64(size.c)); });
  return value;
}

// At the function's entry; locals and scratch buffers follow one another at multiples of 64 bytes.
llvm::Value* FunctionEmitter::BufferPointer(int number) {
  llvm::Value*& pointer = buffer_pointers_[number];
  if (pointer != nullptr) return pointer;
  const plan::Buffer& buffer = plan_.buffers[number];
  AtLevel(0, [&] {
    if (buffer.role != Role::kLocal && buffer.role != Role::kScratch) {
      int64_t position = 0;
      for (int i = 0; i < number; ++i) {
        position += plan_.buffers[i].role != Role::kLocal && plan_.buffers[i].role != Role::kScratch;
      }
      pointer = b_.CreateLoad(b_.getPtrTy(), b_.CreateConstInBoundsGEP1_64(b_.getPtrTy(), buffers_, position));
      return;
    }
    llvm::Value* offset = I64(0);
    for (int i = 0; i < number; ++i) {
      const plan::Buffer& other = plan_.buffers[i];
      if (other.role != buffer.role) continue;
      llvm::Value* bytes = b_.CreateMul(SizeOf(other.elements), I64(ElementBytes(other.elt)));
      bytes = b_.CreateAnd(b_.CreateAdd(bytes, I64(63)), I64(-64));
      offset = b_.CreateAdd(offset, bytes);
    }
    pointer = b_.CreateGEP(b_.getInt8Ty(), buffer.role == Role::kLocal ? local_ : scratch_, offset);
  });
  return pointer;
}

// The uniform part of an address is built outwards in: what belongs to an outer loop is added there, once for all
// accesses that share it; the constant offset comes last and ends up in the instruction.
FunctionEmitter::Place FunctionEmitter::Locate(const plan::Access& access) {
  const plan::Buffer& buffer = plan_.buffers[access.buffer];
  Place place;
  place.type = MemoryType(buffer.elt);
  place.bytes = ElementBytes(buffer.elt);
  place.invariant = !written_[access.buffer];
  place.pointer = BufferPointer(access.buffer);

  std::vector<plan::Term> uniform;
  for (const plan::Term& term : access.terms) {
    if (values_[term.index].variance != Variance::kVarying) uniform.push_back(term);
  }
  std::stable_sort(uniform.begin(), uniform.end(), [&](const plan::Term& a, const plan::Term& b) {
    return values_[a.index].level < values_[b.index].level;
  });
  std::vector<uint64_t> key = {access.buffer};
  auto add = [&](int level, const std::function<llvm::Value*()>& elements) {
    auto [entry, fresh] = pointers_.try_emplace(key, nullptr);
    if (fresh) {
      llvm::Value* from = place.pointer;
      AtLevel(level, [&] { entry->second = b_.CreateGEP(place.type, from, elements()); });
      scopes_[std::min(level, top())].pointers.push_back(key);
    }
    place.pointer = entry->second;
  };
  if (access.offset.sym >= 0) {
    key.insert(key.end(), {~0ull, static_cast<uint64_t>(access.offset.sym)});
    add(0, [&] { return SizeOf({access.offset.sym, 0}); });
  }
  int level = 0;
  for (const plan::Term& term : uniform) {
    Value& index = values_[term.index];
    level = std::max(level, index.level);
    key.insert(key.end(), {term.index, static_cast<uint64_t>(term.stride.sym), static_cast<uint64_t>(term.stride.c)});
    llvm::Value* base = index.variance == Variance::kAffine ? index.base : Wide(index, false)[0];
    bool unit = term.stride == plan::Size{-1, 1};
    add(level, [&] { return unit ? base : b_.CreateMul(base, SizeOf(term.stride)); });
    if (index.variance != Variance::kAffine) continue;
    llvm::Value* stride = b_.CreateMul(index.stride, SizeOf(term.stride));
    place.stride = place.stride == nullptr ? stride : b_.CreateAdd(place.stride, stride);
  }
  if (access.offset.c != 0) place.pointer = b_.CreateGEP(place.type, place.pointer, I64(access.offset.c));

  for (const plan::Term& term : access.terms) {
    Value& index = values_[term.index];
    if (index.variance != Variance::kVarying) continue;
    llvm::Value* stride = b_.CreateVectorSplat(lanes_.width, SizeOf(term.stride));
    for (int part = 0; part < lanes_.parts; ++part) {
      llvm::Value* elements = b_.CreateMul(Wide(index, true)[part], stride);
      if (static_cast<int>(place.index.size()) <= part) {
        place.index.push_back(elements);
      } else {
        place.index[part] = b_.CreateAdd(place.index[part], elements);
      }
    }
  }
  if (auto* zero = llvm::dyn_cast_or_null<llvm::ConstantInt>(place.stride); zero != nullptr && zero->isZero()) {
    place.stride = nullptr;
  }
  return place;
}

llvm::Value* FunctionEmitter::ElementPointer(const Place& place, llvm::Value* index) {
  return b_.CreateGEP(place.type, place.pointer, index);
}

llvm::Value* FunctionEmitter::LoadAt(const Place& place, llvm::Type* type, llvm::Value* pointer) {
  llvm::LoadInst* load = b_.CreateAlignedLoad(type, pointer, llvm::Align(place.bytes));
  if (place.invariant) load->setMetadata(llvm::LLVMContext::MD_invariant_load, llvm::MDNode::get(b_.getContext(), {}));
  return load;
}

void FunctionEmitter::EmitLoad(Id id) {
  const plan::Node& node = plan_.node(id);
  Place place = Locate(plan_.accesses[node.imm]);
  if (place.stride == nullptr && place.index.empty()) {
    return Define(id, FromMemory(node.elt, Variance::kUniform, {LoadAt(place, place.type, place.pointer)}));
  }
  auto* known = llvm::dyn_cast_or_null<llvm::ConstantInt>(place.stride);
  int64_t stride = known == nullptr ? 0 : known->getSExtValue();
  Parts parts;
  if (!place.index.empty() || (stride != 1 && lanes_.count != nullptr) || stride < -1 || stride == 0 || stride > 4) {
    parts = Gather(place);
  } else if (stride == 2 && Neighbour(id, -1) != plan::kNone) {  // the same vectors as those of the neighbour
    plan::Access access = plan_.accesses[node.imm];
    --access.offset.c;
    place = Locate(access);
    for (int part = 0; part < lanes_.parts; ++part) parts.push_back(LoadStrided(place, part, stride, 1));
  } else {
    for (int part = 0; part < lanes_.parts; ++part) {
      parts.push_back(stride == 1 ? LoadDense(place, part) : LoadStrided(place, part, stride));
    }
  }
  Define(id, FromMemory(node.elt, Variance::kVarying, std::move(parts)));
}

// The access of the same kind in the same block that is `offset` elements away, or kNone. Looks at what is near.
Id FunctionEmitter::Neighbour(Id id, int64_t offset) {
  constexpr int kFar = 256;
  const plan::Node& node = plan_.node(id);
  const plan::Access& access = plan_.accesses[node.imm];
  auto fits = [&](Id other) {
    if (plan_.node(other).op != node.op || plan_.node(other).elt != node.elt) return false;
    const plan::Access& that = plan_.accesses[plan_.node(other).imm];
    return that.buffer == access.buffer && that.terms == access.terms && that.offset.sym == access.offset.sym &&
           that.offset.c == access.offset.c + offset;
  };
  auto ends = [&](Id other) {
    const plan::Op op = plan_.node(other).op;
    return op == plan::Op::kLoop || op == plan::Op::kYield || op == plan::Op::kBlockArg;
  };
  const Id size = static_cast<Id>(plan_.nodes.size());
  for (Id other = id + 1; other < size && other < id + kFar && !ends(other); ++other) {
    if (fits(other)) return other;
  }
  for (Id other = id; other > 0 && id - other < kFar && !ends(other - 1); --other) {
    if (fits(other - 1)) return other - 1;
  }
  return plan::kNone;
}

void FunctionEmitter::EmitStore(Id id) {
  if (id == std::exchange(stored_, plan::kNone)) return;
  if (lanes_.width > 0 && LaneStride(plan_, plan_.accesses[plan_.node(id).imm], variance_) == 2) {
    if (Neighbour(id, 1) == id + 1) return StorePairs(id, id + 1);
  }
  Place place = Locate(plan_.accesses[plan_.node(id).imm]);
  Value& value = values_[plan_.arg(id, 0)];
  bool vector = place.stride != nullptr || !place.index.empty() || value.variance != Variance::kUniform;
  Parts parts = ToMemory(value, vector);
  if (!vector) {
    b_.CreateAlignedStore(parts[0], place.pointer, llvm::Align(place.bytes));
    return;
  }
  auto* known = llvm::dyn_cast_or_null<llvm::ConstantInt>(place.stride);
  if (!place.index.empty() || known == nullptr ||
      (!known->isOne() && !(known->isMinusOne() && lanes_.count == nullptr))) {
    return Scatter(place, parts);
  }
  for (int part = 0; part < lanes_.parts; ++part) {
    if (known->isOne() && deferred_ != nullptr) {
      deferred_->push_back({place, parts[part]});
    } else if (known->isOne()) {
      StoreDense(place, part, parts[part]);
    } else {
      int width = lanes_.width;
      llvm::Value* at = ElementPointer(place, I64(-(part + 1) * width + 1));
      b_.CreateAlignedStore(b_.CreateVectorReverse(parts[part]), at, llvm::Align(place.bytes));
    }
  }
}

// Two stores, one after the other, of all elements of a stretch of memory: dense stores of both values side by side.
void FunctionEmitter::StorePairs(Id first, Id second) {
  Place place = Locate(plan_.accesses[plan_.node(first).imm]);
  Parts values[2] = {ToMemory(values_[plan_.arg(first, 0)], true), ToMemory(values_[plan_.arg(second, 0)], true)};
  const int width = lanes_.width;
  for (int part = 0; part < lanes_.parts; ++part) {
    for (int half = 0; half < 2; ++half) {
      llvm::SmallVector<int, 64> mask;
      for (int lane = 0; lane < width; ++lane) mask.push_back((half * width + lane) / 2 + (lane % 2) * width);
      llvm::Value* pairs = b_.CreateShuffleVector(values[0][part], values[1][part], mask);
      const int64_t from = int64_t{2 * part + half} * width;
      llvm::Value* pointer = ElementPointer(place, I64(from));
      if (lanes_.count == nullptr) {
        b_.CreateAlignedStore(pairs, pointer, llvm::Align(place.bytes));
      } else {
        StoreSome(place, pointer, pairs, b_.CreateSub(b_.CreateShl(lanes_.count, 1), I64(from)));
      }
    }
  }
  stored_ = second;
}

// The first `count` elements of a vector, none where that is negative.
void FunctionEmitter::StoreSome(const Place& place, llvm::Value* pointer, llvm::Value* value, llvm::Value* count) {
  const int width = lanes_.width;
  count = b_.CreateBinaryIntrinsic(llvm::Intrinsic::smax, count, I64(0));
  count = b_.CreateBinaryIntrinsic(llvm::Intrinsic::smin, count, I64(width));
  if (HasMaskedAccess(place.bytes, true)) {
    llvm::Type* type = b_.getIntNTy(std::max(16, std::min(32, options_.target.vector_bytes() * 8 / width)));
    llvm::Value* limit = b_.CreateVectorSplat(width, b_.CreateTrunc(count, type));
    b_.CreateMaskedStore(value, pointer, llvm::Align(place.bytes), b_.CreateICmpSLT(Iota(type, 0), limit));
    return;
  }
  llvm::Function* store = TailStore(place.bytes * width);
  llvm::Value* bytes = b_.CreateBitCast(value, store->getArg(2)->getType());
  b_.CreateCall(store, {pointer, b_.CreateMul(count, I64(place.bytes)), bytes});
}

bool FunctionEmitter::HasMaskedAccess(int bytes, bool store) const {
  return v4() || (v3() && !store && bytes >= 4);  // AVX2's masked stores are slow on some machines
}

// Bytes of the lanes of a part that are in use.
llvm::Value* FunctionEmitter::ActiveBytes(int part, int bytes) {
  llvm::Value* lanes = b_.CreateSub(lanes_.count, I64(part * lanes_.width));
  lanes = b_.CreateBinaryIntrinsic(llvm::Intrinsic::smax, lanes, I64(0));
  lanes = b_.CreateBinaryIntrinsic(llvm::Intrinsic::smin, lanes, I64(lanes_.width));
  return b_.CreateMul(lanes, I64(bytes));
}

llvm::Value* FunctionEmitter::LoadDense(const Place& place, int part) {
  llvm::Type* type = Widen(place.type);
  llvm::Value* pointer = ElementPointer(place, I64(part * lanes_.width));
  if (lanes_.count == nullptr) return LoadAt(place, type, pointer);
  if (HasMaskedAccess(place.bytes, false)) {
    return b_.CreateMaskedLoad(type, pointer, llvm::Align(place.bytes), lanes_.masks[part],
                               llvm::Constant::getNullValue(type));
  }
  llvm::Function* load = TailLoad(place.bytes * lanes_.width);
  return b_.CreateBitCast(b_.CreateCall(load, {pointer, ActiveBytes(part, place.bytes)}), type);
}

void FunctionEmitter::StoreDense(const Place& place, int part, llvm::Value* value) {
  llvm::Value* pointer = ElementPointer(place, I64(part * lanes_.width));
  if (lanes_.count == nullptr) {
    b_.CreateAlignedStore(value, pointer, llvm::Align(place.bytes));
  } else if (HasMaskedAccess(place.bytes, true)) {
    b_.CreateMaskedStore(value, pointer, llvm::Align(place.bytes), lanes_.masks[part]);
  } else {
    llvm::Function* store = TailStore(place.bytes * lanes_.width);
    llvm::Value* bytes = b_.CreateBitCast(value, store->getArg(2)->getType());
    b_.CreateCall(store, {pointer, ActiveBytes(part, place.bytes), bytes});
  }
}

// Stride -1: a vector reversed. 2 to 4: that many vectors, of which every stride-th element; reads up to stride - 1
// elements past the last lane (see ReadsPastLane).
// `first`: how many elements after the place's pointer lane 0 is.
llvm::Value* FunctionEmitter::LoadStrided(const Place& place, int part, int64_t stride, int first) {
  int width = lanes_.width;
  llvm::Type* type = Widen(place.type);
  if (stride == -1) {
    return b_.CreateVectorReverse(LoadAt(place, type, ElementPointer(place, I64(-(part + 1) * width + 1))));
  }
  llvm::Value* gathered = nullptr;
  for (int k = 0; k < stride; ++k) {
    llvm::Value* vector = LoadAt(place, type, ElementPointer(place, I64((part * stride + k) * width)));
    if (k == 0) {
      gathered = vector;
      continue;
    }
    // Lane l comes from element l * stride of all vectors; those of the vectors so far stand in `gathered` already,
    // except that of the first vector they are still in place.
    llvm::SmallVector<int, 64> mask;
    for (int lane = 0; lane < width; ++lane) {
      int element = lane * static_cast<int>(stride) + first;
      if (element / width > k) {
        mask.push_back(-1);
      } else if (element / width == k) {
        mask.push_back(width + element % width);
      } else {
        mask.push_back(k == 1 ? element : lane);
      }
    }
    gathered = b_.CreateShuffleVector(gathered, vector, mask);
  }
  return gathered;
}

// Elements from the place's pointer of each lane, <width x i64>. Lanes not in use repeat lane 0, which always is.
llvm::Value* FunctionEmitter::LaneIndices(const Place& place, int part) {
  int width = lanes_.width;
  llvm::Type* i64 = b_.getInt64Ty();
  llvm::Value* indices = place.index.empty() ? nullptr : place.index[part];
  if (place.stride != nullptr) {
    llvm::Value* affine = b_.CreateMul(Iota(i64, part * width), b_.CreateVectorSplat(width, place.stride));
    indices = indices == nullptr ? affine : b_.CreateAdd(indices, affine);
  }
  if (indices == nullptr) return llvm::Constant::getNullValue(Widen(i64));
  if (lanes_.count == nullptr) return indices;
  llvm::Value* first = place.index.empty() ? I64(0) : b_.CreateExtractElement(place.index[0], uint64_t{0});
  return b_.CreateSelect(lanes_.masks[part], indices, b_.CreateVectorSplat(width, first));
}

Parts FunctionEmitter::Gather(const Place& place) {
  int width = lanes_.width;
  llvm::Type* type = Widen(place.type);
  Parts parts;
  for (int part = 0; part < lanes_.parts; ++part) {
    llvm::Value* indices = LaneIndices(place, part);
    if (v4() && place.bytes >= 4) {
      parts.push_back(b_.CreateMaskedGather(type, ElementPointer(place, indices), llvm::Align(place.bytes)));
      continue;
    }
    if (width <= 16) {
      llvm::Value* vector = Poison(type);
      for (int lane = 0; lane < width; ++lane) {
        llvm::Value* pointer = ElementPointer(place, b_.CreateExtractElement(indices, lane));
        vector = b_.CreateInsertElement(vector, LoadAt(place, place.type, pointer), lane);
      }
      parts.push_back(vector);
      continue;
    }
    llvm::AllocaInst* from = StackArray(Widen(b_.getInt64Ty()), 1);
    llvm::AllocaInst* to = StackArray(type, 1);
    b_.CreateStore(indices, from);
    For(I64(0), I64(width), I64(1), {}, [&](llvm::Value* lane, const Parts&) {
      llvm::Value* index = b_.CreateLoad(b_.getInt64Ty(), b_.CreateGEP(b_.getInt64Ty(), from, lane));
      llvm::Value* element = LoadAt(place, place.type, ElementPointer(place, index));
      b_.CreateStore(element, b_.CreateGEP(place.type, to, lane));
      return Parts{};
    });
    parts.push_back(b_.CreateLoad(type, to));
  }
  return parts;
}

// Element by element, in the order of lanes.
void FunctionEmitter::Scatter(const Place& place, const Parts& parts) {
  int width = lanes_.width;
  for (int part = 0; part < lanes_.parts; ++part) {
    llvm::Value* indices = LaneIndices(place, part);
    if (v4() && place.bytes >= 4) {
      llvm::Value* mask = lanes_.count == nullptr ? nullptr : lanes_.masks[part];
      b_.CreateMaskedScatter(parts[part], ElementPointer(place, indices), llvm::Align(place.bytes), mask);
      continue;
    }
    if (width <= 16 && lanes_.count == nullptr) {
      for (int lane = 0; lane < width; ++lane) {
        llvm::Value* pointer = ElementPointer(place, b_.CreateExtractElement(indices, lane));
        b_.CreateAlignedStore(b_.CreateExtractElement(parts[part], lane), pointer, llvm::Align(place.bytes));
      }
      continue;
    }
    llvm::AllocaInst* where = StackArray(Widen(b_.getInt64Ty()), 1);
    llvm::AllocaInst* what = StackArray(parts[part]->getType(), 1);
    b_.CreateStore(indices, where);
    b_.CreateStore(parts[part], what);
    llvm::Value* used = I64(width);
    if (lanes_.count != nullptr) {
      used = b_.CreateBinaryIntrinsic(llvm::Intrinsic::smin, used, b_.CreateSub(lanes_.count, I64(part * width)));
    }
    For(I64(0), used, I64(1), {}, [&](llvm::Value* lane, const Parts&) {
      llvm::Value* index = b_.CreateLoad(b_.getInt64Ty(), b_.CreateGEP(b_.getInt64Ty(), where, lane));
      llvm::Value* element = b_.CreateLoad(place.type, b_.CreateGEP(place.type, what, lane));
      b_.CreateAlignedStore(element, ElementPointer(place, index), llvm::Align(place.bytes));
      return Parts{};
    });
  }
}

namespace {

// Copies the low `bytes` bytes in pieces of powers of two, the largest first.
void CopyPieces(llvm::IRBuilderBase& b, llvm::Function* function, llvm::Value* to, llvm::Value* from,
                llvm::Value* bytes, int whole) {
  llvm::Value* offset = b.getInt64(0);
  for (int piece = whole; piece >= 1; piece /= 2) {
    llvm::BasicBlock* before = b.GetInsertBlock();
    llvm::BasicBlock* copy = llvm::BasicBlock::Create(b.getContext(), "", function);
    llvm::BasicBlock* next = llvm::BasicBlock::Create(b.getContext(), "", function);
    b.CreateCondBr(b.CreateIsNotNull(b.CreateAnd(bytes, b.getInt64(piece))), copy, next);
    b.SetInsertPoint(copy);
    llvm::Type* type = piece <= 8 ? static_cast<llvm::Type*>(b.getIntNTy(piece * 8))
                                  : llvm::FixedVectorType::get(b.getInt64Ty(), piece / 8);
    llvm::Value* value = b.CreateAlignedLoad(type, b.CreateGEP(b.getInt8Ty(), from, offset), llvm::Align(1));
    b.CreateAlignedStore(value, b.CreateGEP(b.getInt8Ty(), to, offset), llvm::Align(1));
    llvm::Value* after = b.CreateAdd(offset, b.getInt64(piece));
    b.CreateBr(next);
    b.SetInsertPoint(next);
    llvm::PHINode* phi = b.CreatePHI(b.getInt64Ty(), 2);
    phi->addIncoming(offset, before);
    phi->addIncoming(after, copy);
    offset = phi;
  }
}

}  // namespace

// <bytes x i8> load(pointer, i64 in_use): memory past the bytes in use is not touched; they read as 0.
llvm::Function* FunctionEmitter::TailLoad(int bytes) {
  std::string name = "tail_load_" + std::to_string(bytes);
  if (llvm::Function* known = module_.getFunction(name)) return known;
  llvm::Type* vector = llvm::FixedVectorType::get(b_.getInt8Ty(), bytes);
  auto* type = llvm::FunctionType::get(vector, {b_.getPtrTy(), b_.getInt64Ty()}, false);
  auto* function = llvm::Function::Create(type, llvm::Function::InternalLinkage, name, module_);
  SetFunctionAttributes(*function, options_.target);
  llvm::IRBuilder<> b(llvm::BasicBlock::Create(b_.getContext(), "", function));
  llvm::AllocaInst* memory = b.CreateAlloca(vector);
  memory->setAlignment(llvm::Align(64));
  b.CreateStore(llvm::Constant::getNullValue(vector), memory);
  CopyPieces(b, function, memory, function->getArg(0), function->getArg(1), bytes);
  b.CreateRet(b.CreateLoad(vector, memory));
  return function;
}

// void store(pointer, i64 in_use, <bytes x i8>).
llvm::Function* FunctionEmitter::TailStore(int bytes) {
  std::string name = "tail_store_" + std::to_string(bytes);
  if (llvm::Function* known = module_.getFunction(name)) return known;
  llvm::Type* vector = llvm::FixedVectorType::get(b_.getInt8Ty(), bytes);
  auto* type = llvm::FunctionType::get(b_.getVoidTy(), {b_.getPtrTy(), b_.getInt64Ty(), vector}, false);
  auto* function = llvm::Function::Create(type, llvm::Function::InternalLinkage, name, module_);
  SetFunctionAttributes(*function, options_.target);
  llvm::IRBuilder<> b(llvm::BasicBlock::Create(b_.getContext(), "", function));
  llvm::AllocaInst* memory = b.CreateAlloca(vector);
  memory->setAlignment(llvm::Align(64));
  b.CreateStore(function->getArg(2), memory);
  CopyPieces(b, function, function->getArg(0), memory, function->getArg(1), bytes);
  b.CreateRetVoid();
  return function;
}

}  // namespace treadle::emit

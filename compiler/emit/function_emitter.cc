#include "compiler/emit/function_emitter.h"

#include <algorithm>

#include "compiler/emit/codegen.h"
#include "compiler/plan/math.h"

namespace treadle::emit {

using plan::Block;
using plan::Id;
using plan::Node;
using plan::Op;

FunctionEmitter::FunctionEmitter(llvm::Module& module, const plan::Plan& plan, const EmitOptions& options)
    : module_(module), plan_(plan), options_(options), b_(module.getContext()), ops_(module, b_, options.target) {
  written_.resize(plan.buffers.size());
  for (size_t i = 0; i < plan.buffers.size(); ++i) {
    const plan::Buffer& buffer = plan.buffers[i];
    if (buffer.role != plan::Role::kIn) written_[i] = true;
    if (buffer.may_share >= 0) written_[buffer.may_share] = true;
  }
}

void FunctionEmitter::Fail(Status status) {
  if (status_.ok()) status_ = std::move(status);
}

// A function whose first argument is the call frame: its entry, and nothing known in it yet.
void FunctionEmitter::BeginFunction(llvm::FunctionType* type, llvm::GlobalValue::LinkageTypes linkage,
                                    const std::string& symbol) {
  function_ = llvm::Function::Create(type, linkage, symbol, module_);
  SetFunctionAttributes(*function_, options_.target);
  buffer_pointers_.assign(plan_.buffers.size(), nullptr);
  push_values_.assign(plan_.push.size(), {});
  pointers_.clear();
  scopes_.assign(1, {});
  entry_ = llvm::BasicBlock::Create(b_.getContext(), "", function_);
  b_.SetInsertPoint(entry_);
  auto field = [&](int offset) {
    llvm::Value* place = b_.CreateConstInBoundsGEP1_64(b_.getInt8Ty(), function_->getArg(0), offset);
    return b_.CreateLoad(b_.getPtrTy(), place);
  };
  buffers_ = field(0);
  args_ = field(8);
  local_ = field(16);
  scratch_ = field(24);
}

Status FunctionEmitter::EmitPhase(const plan::Phase& phase, const std::string& symbol) {
  values_.assign(plan_.nodes.size(), {});
  results_.clear();
  variance_ = AnalyzeVariance(plan_, phase.body);
  int math_sites = 0;
  for (Id id = phase.body.first; id < phase.body.end; ++id) math_sites += plan::IsMathOp(plan_.node(id).op);
  ops_.set_inline_math(!quick() && math_sites <= 6);

  BeginFunction(llvm::FunctionType::get(b_.getInt32Ty(), {b_.getPtrTy()}, false), llvm::Function::ExternalLinkage,
                symbol);
  auto field = [&](int offset) {
    llvm::Value* place = b_.CreateConstInBoundsGEP1_64(b_.getInt8Ty(), function_->getArg(0), offset);
    return b_.CreateLoad(b_.getInt64Ty(), place);
  };
  llvm::Value* begin = field(40);
  llvm::Value* end = field(48);
  For(begin, end, I64(1), {}, [&](llvm::Value* tile, const Parts&) {
    Value argument{.elt = ElementType::kI64, .wide = {tile}};
    EmitBlock(phase.body, {argument});
    return Parts{};
  });
  b_.CreateRet(b_.getInt32(0));
  return status_;
}

void FunctionEmitter::PushScope(llvm::Instruction* before) { scopes_.push_back({before, {}, {}}); }

void FunctionEmitter::PopScope() {
  for (Id id : scopes_.back().values) values_[id] = {};
  for (const std::vector<uint64_t>& key : scopes_.back().pointers) pointers_.erase(key);
  scopes_.pop_back();
}

// Runs `emit` with the builder at the end of the code that scope `level` has so far.
void FunctionEmitter::AtLevel(int level, const std::function<void()>& emit) {
  if (level >= top()) return emit();
  llvm::IRBuilderBase::InsertPointGuard guard(b_);
  b_.SetInsertPoint(scopes_[level + 1].before);
  emit();
}

void FunctionEmitter::Define(Id id, Value value) {
  if (value.level < 0) value.level = top();
  scopes_[value.level].values.push_back(id);
  values_[id] = std::move(value);
}

// For blocks written several times in one scope: drops what the last copy made in it.
void FunctionEmitter::Forget(const Block& block) {
  for (Id id = block.first; id < block.end; ++id) {
    if (values_[id].level == top()) values_[id] = {};
  }
  for (const std::vector<uint64_t>& key : scopes_.back().pointers) pointers_.erase(key);
  scopes_.back().pointers.clear();
}

std::vector<Value> FunctionEmitter::EmitBlock(const Block& block, const std::vector<Value>& arguments) {
  Id id = block.first;
  for (const Value& argument : arguments) Define(id++, argument);
  const plan::Cut cut = lanes_.width == 0 ? plan::CutBlock(plan_, block, options_.cut) : plan::Cut{};
  if (!cut.parts.empty()) {
    EmitParts(block, cut);
    id = block.end;
  }
  for (; id < block.end && plan_.node(id).op != Op::kYield; id = plan_.Next(id)) {
    if (values_[id].level < 0) EmitNode(id);  // hoisted by an earlier copy of this block: already there
  }
  std::vector<Value> yields;
  const Node& yield = plan_.node(block.end - 1);
  for (uint32_t k = 0; k < yield.args.count; ++k) yields.push_back(values_[plan_.arg(block.end - 1, k)]);
  return yields;
}

void FunctionEmitter::EmitNode(Id id) {
  const Node& node = plan_.node(id);
  switch (node.op) {
    case Op::kConst:
      return Define(id, Literal(node.elt, node.imm));
    case Op::kPush:
      return Define(id, PushConstant(static_cast<int>(node.imm)));
    case Op::kBlockArg:
    case Op::kYield:
      return Fail(Internal("plan '" + plan_.name + "': a block argument or yield in the middle of a block"));
    case Op::kLoop:
      return EmitLoop(id);
    case Op::kResult: {
      Value value = results_[plan_.arg(id, 0)][node.imm];
      value.level = top();
      return Define(id, std::move(value));
    }
    case Op::kLoad:
      return EmitLoad(id);
    case Op::kStore:
      return EmitStore(id);
    case Op::kMove:
      return EmitMove(id);
    case Op::kCall:
      return EmitCall(id);
    default:
      return EmitOperation(id);
  }
}

Value FunctionEmitter::Literal(ElementType elt, uint64_t bits) {
  Value value{.elt = elt, .level = 0};
  llvm::Type* memory = MemoryType(elt);
  if (IsSigned(elt)) {  // extended, as registers hold it
    int unused = 64 - ElementBits(elt);
    bits = static_cast<uint64_t>(static_cast<int64_t>(bits << unused) >> unused);
  }
  auto* integer = llvm::ConstantInt::get(b_.getIntNTy(memory->getScalarSizeInBits()), bits, false, true);
  if (elt == ElementType::kI1) {
    value.wide = {b_.getInt1(bits != 0)};
  } else if (IsNarrowFloat(elt)) {
    value.bits = {integer};
  } else {
    value.wide = {b_.CreateBitCast(integer, memory)};  // folds to a constant
  }
  return value;
}

Value FunctionEmitter::PushConstant(int number) {
  ElementType elt = plan_.push[number];
  if (push_values_[number].level >= 0) return push_values_[number];
  llvm::Value* loaded = nullptr;
  AtLevel(0, [&] {
    llvm::LoadInst* load = b_.CreateAlignedLoad(
        MemoryType(elt), b_.CreateConstInBoundsGEP1_64(b_.getInt64Ty(), args_, number), llvm::Align(8));
    load->setMetadata(llvm::LLVMContext::MD_invariant_load, llvm::MDNode::get(b_.getContext(), {}));
    loaded = elt == ElementType::kI1 ? b_.CreateIsNotNull(load) : static_cast<llvm::Value*>(load);
  });
  Value value{.elt = elt, .level = 0};
  (IsNarrowFloat(elt) ? value.bits : value.wide) = {loaded};
  push_values_[number] = value;
  return value;
}

void FunctionEmitter::EmitOperation(Id id) {
  const Node& node = plan_.node(id);
  int level = 0;
  Variance variance = Variance::kUniform;
  for (uint32_t k = 0; k < node.args.count; ++k) {
    const Value& arg = values_[plan_.arg(id, k)];
    level = std::max(level, arg.level);
    variance = std::max(variance, arg.variance);
  }
  if (variance == Variance::kAffine && EmitAffine(id, level)) return;
  bool vector = variance != Variance::kUniform;
  Value value;
  AtLevel(level, [&] {
    if (node.op == Op::kSelect) {
      value = SelectOf(node, id, vector);
    } else if (node.op == Op::kBitcast) {
      value = BitcastOf(node, id, vector);
    } else {
      ElementType from = plan_.node(plan_.arg(id, 0)).elt;
      for (int part = 0; part < CarryParts(vector); ++part) {
        llvm::SmallVector<llvm::Value*, 4> args;
        for (uint32_t k = 0; k < node.args.count; ++k) args.push_back(Wide(plan_.arg(id, k), vector)[part]);
        llvm::Value* result = ops_.Emit(node, from, args);
        if (result == nullptr) {
          Fail(Unimplemented("kernel '" + plan_.name + "': " + std::string(plan::OpText(node.op)) + " from " +
                             std::string(ElementTypeName(from)) + " to " + std::string(ElementTypeName(node.elt))));
          llvm::Type* type = WideType(node.elt);
          result = Poison(vector ? Widen(type) : type);
        }
        value.wide.push_back(result);
      }
    }
  });
  value.elt = node.elt;
  value.variance = vector ? Variance::kVarying : Variance::kUniform;
  value.level = level;
  Define(id, std::move(value));
}

// Integer sums and multiples of the lane index, as scalars.
bool FunctionEmitter::EmitAffine(Id id, int level) {
  std::vector<Variance> known;
  const Node& node = plan_.node(id);
  if (variance_[id] != Variance::kAffine) return false;
  Value& a = values_[plan_.arg(id, 0)];
  Value value{.elt = node.elt, .variance = Variance::kAffine, .level = level};
  llvm::Type* type = WideType(node.elt);
  AtLevel(level, [&] {
    auto base = [&](Value& v) { return v.variance == Variance::kAffine ? v.base : v.wide[0]; };
    auto stride = [&](Value& v) -> llvm::Value* {
      return v.variance == Variance::kAffine ? v.stride : llvm::ConstantInt::get(type, 0);
    };
    if (node.op == Op::kConvert) {
      value.base = b_.CreateTrunc(a.base, type);
      value.stride = b_.CreateTrunc(a.stride, type);
      return;
    }
    Value& c = values_[plan_.arg(id, 1)];
    if (node.op == Op::kMul) {
      Value& affine = a.variance == Variance::kAffine ? a : c;
      llvm::Value* factor = (a.variance == Variance::kAffine ? c : a).wide[0];
      value.base = b_.CreateMul(affine.base, factor);
      value.stride = b_.CreateMul(affine.stride, factor);
    } else if (node.op == Op::kAdd) {
      value.base = b_.CreateAdd(base(a), base(c));
      value.stride = b_.CreateAdd(stride(a), stride(c));
    } else {
      value.base = b_.CreateSub(base(a), base(c));
      value.stride = b_.CreateSub(stride(a), stride(c));
    }
  });
  Define(id, std::move(value));
  return true;
}

Value FunctionEmitter::SelectOf(const Node& node, Id id, bool vector) {
  Value& predicate = values_[plan_.arg(id, 0)];
  Value& a = values_[plan_.arg(id, 1)];
  Value& c = values_[plan_.arg(id, 2)];
  bool narrow = IsNarrowFloat(node.elt);
  bool bits = narrow && (a.wide.empty() || c.wide.empty());  // keep the form that is there, and NaN payloads
  bool lanes = vector && predicate.variance != Variance::kUniform;
  Value value;
  for (int part = 0; part < CarryParts(vector); ++part) {
    llvm::Value* x = (bits ? Bits(a, vector) : Wide(a, vector))[part];
    llvm::Value* y = (bits ? Bits(c, vector) : Wide(c, vector))[part];
    llvm::Value* holds = Wide(predicate, lanes)[lanes ? part : 0];
    (bits ? value.bits : value.wide).push_back(ops_.Select(holds, x, y));
  }
  return value;
}

Value FunctionEmitter::BitcastOf(const Node& node, Id id, bool vector) {
  Value& from = values_[plan_.arg(id, 0)];
  bool narrow_from = IsNarrowFloat(from.elt), narrow_to = IsNarrowFloat(node.elt);
  Value value;
  for (int part = 0; part < CarryParts(vector); ++part) {
    llvm::Value* x = (narrow_from ? Bits(from, vector) : Wide(from, vector))[part];
    llvm::Type* type = narrow_to ? MemoryType(node.elt) : WideType(node.elt);
    llvm::Value* result = ops_.Normalize(b_.CreateBitCast(x, vector ? Widen(type) : type), node.elt);
    (narrow_to ? value.bits : value.wide).push_back(result);
  }
  return value;
}

// Uninitialised memory of the function's frame.
llvm::AllocaInst* FunctionEmitter::StackArray(llvm::Type* type, int64_t count) {
  llvm::IRBuilder<> at_entry(entry_, entry_->begin());
  llvm::AllocaInst* array = at_entry.CreateAlloca(type, at_entry.getInt32(static_cast<uint32_t>(count)));
  array->setAlignment(llvm::Align(64));
  return array;
}

}  // namespace treadle::emit

// Long blocks as several functions: each loads what it reads from a state in the caller's frame, does its part of the
// block, and stores what later parts read.
#include <utility>

#include "compiler/emit/codegen.h"
#include "compiler/emit/function_emitter.h"

namespace treadle::emit {

using plan::Block;
using plan::Id;

// What belongs to the function that is being written, put aside while another one is.
class FunctionEmitter::OtherFunction {
 public:
  explicit OtherFunction(FunctionEmitter& emitter) : emitter_(emitter), guard_(emitter.b_) { Swap(); }
  ~OtherFunction() { Swap(); }

 private:
  void Swap() {
    std::swap(emitter_.function_, function_);
    std::swap(emitter_.entry_, entry_);
    std::swap(emitter_.buffers_, buffers_);
    std::swap(emitter_.args_, args_);
    std::swap(emitter_.local_, local_);
    std::swap(emitter_.scratch_, scratch_);
    std::swap(emitter_.push_values_, push_values_);
    std::swap(emitter_.buffer_pointers_, buffer_pointers_);
    std::swap(emitter_.pointers_, pointers_);
    std::swap(emitter_.scopes_, scopes_);
  }

  FunctionEmitter& emitter_;
  llvm::IRBuilderBase::InsertPointGuard guard_;
  llvm::Function* function_ = nullptr;
  llvm::BasicBlock* entry_ = nullptr;
  llvm::Value* buffers_ = nullptr;
  llvm::Value* args_ = nullptr;
  llvm::Value* local_ = nullptr;
  llvm::Value* scratch_ = nullptr;
  Values push_values_;
  std::vector<llvm::Value*> buffer_pointers_;
  std::map<std::vector<uint64_t>, llvm::Value*> pointers_;
  std::vector<Scope> scopes_;
};

// Values lie in the state in the form in which loops carry them, so that it makes no difference to their bits.
void FunctionEmitter::StoreState(llvm::Value* state, uint32_t slot, Value& value) {
  AtLevel(value.level, [&] {
    llvm::Value* carried = ToCarry(value, /*vector=*/false)[0];
    if (value.elt == ElementType::kI1) carried = b_.CreateZExt(carried, b_.getInt8Ty());
    b_.CreateAlignedStore(carried, b_.CreateConstInBoundsGEP1_64(b_.getInt64Ty(), state, slot), llvm::Align(8));
  });
}

void FunctionEmitter::DefineFromState(Id id, llvm::Value* state, uint32_t slot) {
  const ElementType elt = plan_.node(id).elt;
  const bool as_bits = IsNarrowFloat(elt) && elt != ElementType::kBF16;
  llvm::Type* type = as_bits || elt == ElementType::kI1 ? MemoryType(elt) : WideType(elt);
  llvm::Value* carried =
      b_.CreateAlignedLoad(type, b_.CreateConstInBoundsGEP1_64(b_.getInt64Ty(), state, slot), llvm::Align(8));
  if (elt == ElementType::kI1) carried = b_.CreateIsNotNull(carried);
  Define(id, FromCarry(elt, /*vector=*/false, carried));
}

void FunctionEmitter::EmitParts(const Block& block, const plan::Cut& cut) {
  llvm::Value* state = StackArray(b_.getInt64Ty(), cut.slot_count);
  for (auto [id, slot] : cut.slots) {
    if (id < cut.parts.front().nodes.first) StoreState(state, slot, values_[id]);
  }
  for (const plan::Part& part : cut.parts) {
    llvm::Function* function = EmitPart(part, cut);
    b_.CreateCall(function, {function_->getArg(0), state});
  }
  const Id yield = block.end - 1;
  for (uint32_t k = 0; k < plan_.node(yield).args.count; ++k) {
    const Id id = plan_.arg(yield, k);
    if (values_[id].level >= 0) continue;
    auto slot = cut.slots.find(id);
    if (slot == cut.slots.end()) {
      EmitNode(id);  // a constant
    } else {
      DefineFromState(id, state, slot->second);
    }
  }
}

llvm::Function* FunctionEmitter::EmitPart(const plan::Part& part, const plan::Cut& cut) {
  const std::string symbol = function_->getName().str() + ".part";  // LLVM numbers them
  OtherFunction other(*this);
  std::vector<std::pair<Id, Value>> callers;
  for (const std::vector<Id>* ids : {&part.constants, &part.reads}) {
    for (Id id : *ids) callers.emplace_back(id, std::exchange(values_[id], {}));
  }
  llvm::Type* pointer = b_.getPtrTy();
  BeginFunction(llvm::FunctionType::get(b_.getVoidTy(), {pointer, pointer}, false), llvm::Function::InternalLinkage,
                symbol);
  llvm::Function* function = function_;
  llvm::Value* state = function_->getArg(1);
  for (Id id : part.constants) EmitNode(id);
  for (Id id : part.reads) DefineFromState(id, state, cut.slots.at(id));
  for (Id id = part.nodes.first; id < part.nodes.end; id = plan_.Next(id)) {
    if (values_[id].level < 0) EmitNode(id);
  }
  for (Id id : part.writes) StoreState(state, cut.slots.at(id), values_[id]);
  b_.CreateRetVoid();
  for (Id id : scopes_[0].values) values_[id] = {};
  for (auto& [id, value] : callers) values_[id] = std::move(value);
  return function;
}

}  // namespace treadle::emit

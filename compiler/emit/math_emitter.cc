// Mathematical functions: the sequences of compiler/plan/math.h written as vector code. Short ones stand where they are
// used; long ones, and all in code that is compiled quickly, are called: functions of one vector, from the library that
// was compiled with Treadle (math_library.h) or, for vectors that it does not have, of the module. All are the same
// sequence, so the same bits.
#include <array>
#include <type_traits>

#include "compiler/emit/codegen.h"
#include "compiler/emit/math_library.h"
#include "compiler/emit/op_emitter.h"
#include "compiler/plan/math.h"

namespace treadle::emit {
namespace {

using plan::Op;

// The evaluator of math.h that writes IR. `lanes` 0: scalars.
template <int bits>
class IrMath {
 public:
  static constexpr int kBits = bits;
  using F = llvm::Value*;
  using I = llvm::Value*;
  using B = llvm::Value*;

  IrMath(llvm::IRBuilderBase& b, unsigned lanes, const executable::Target& target)
      : b_(b), lanes_(lanes), target_(target) {}

  bool fma() const { return target_.isa >= executable::IsaLevel::kV3; }
  bool keeps_subnormals() const { return target_.keeps_subnormals; }
  F Const(double c) const { return llvm::ConstantFP::get(FloatType(), c); }
  I Int(int64_t c) const { return llvm::ConstantInt::get(IntType(), static_cast<uint64_t>(c), true, true); }
  F Add(F a, F b) { return b_.CreateFAdd(a, b); }
  F Sub(F a, F b) { return b_.CreateFSub(a, b); }
  F Mul(F a, F b) { return b_.CreateFMul(a, b); }
  F Div(F a, F b) { return b_.CreateFDiv(a, b); }
  F Fma(F a, F b, F c) {
    if (!fma()) return Add(Mul(a, b), c);
    return b_.CreateIntrinsic(llvm::Intrinsic::fma, {FloatType()}, {a, b, c});
  }
  F Sqrt(F a) { return b_.CreateUnaryIntrinsic(llvm::Intrinsic::sqrt, a); }
  F Floor(F a) { return b_.CreateUnaryIntrinsic(llvm::Intrinsic::floor, a); }
  B Lt(F a, F b) { return b_.CreateFCmpOLT(a, b); }
  B Le(F a, F b) { return b_.CreateFCmpOLE(a, b); }
  B Eq(F a, F b) { return b_.CreateFCmpOEQ(a, b); }
  B ILt(I a, I b) { return b_.CreateICmpSLT(a, b); }
  B And(B a, B b) { return b_.CreateAnd(a, b); }
  B Or(B a, B b) { return b_.CreateOr(a, b); }
  B Not(B a) { return b_.CreateNot(a); }
  F Select(B p, F a, F b) { return b_.CreateSelect(p, a, b); }
  I Bits(F a) { return b_.CreateBitCast(a, IntType()); }
  F FromBits(I a) { return b_.CreateBitCast(a, FloatType()); }
  I IAdd(I a, I b) { return b_.CreateAdd(a, b); }
  I ISub(I a, I b) { return b_.CreateSub(a, b); }
  I IAnd(I a, I b) { return b_.CreateAnd(a, b); }
  I IOr(I a, I b) { return b_.CreateOr(a, b); }
  I IXor(I a, I b) { return b_.CreateXor(a, b); }
  I Shl(I a, int n) { return b_.CreateShl(a, Int(n)); }
  I ShrL(I a, int n) { return b_.CreateLShr(a, Int(n)); }
  I ShlV(I a, I n) { return b_.CreateShl(a, n); }
  I ShrLV(I a, I n) { return b_.CreateLShr(a, n); }
  I IMul(I a, I b) { return b_.CreateMul(a, b); }
  I MulHi(I a, I b) {
    llvm::Type* wide = Vector(b_.getIntNTy(2 * kBits));
    llvm::Value* product = b_.CreateMul(b_.CreateZExt(a, wide), b_.CreateZExt(b, wide));
    return b_.CreateTrunc(b_.CreateLShr(product, kBits), IntType());
  }

  // `index` may be anything in lanes that will not be used.
  I Lookup(const uint64_t* table, int size, I index) {
    llvm::Constant* data = llvm::ConstantDataArray::get(b_.getContext(), llvm::ArrayRef(table, size));
    llvm::Module& module = *b_.GetInsertBlock()->getModule();
    auto* global = new llvm::GlobalVariable(module, data->getType(), true, llvm::GlobalValue::PrivateLinkage, data);
    index = b_.CreateBinaryIntrinsic(llvm::Intrinsic::umin, index, Int(size - 1));
    auto load = [&](llvm::Value* at) {
      return b_.CreateLoad(b_.getInt64Ty(), b_.CreateGEP(b_.getInt64Ty(), global, at));
    };
    if (lanes_ == 0) return load(index);
    llvm::Value* result = llvm::PoisonValue::get(IntType());
    for (unsigned lane = 0; lane < lanes_; ++lane) {
      result = b_.CreateInsertElement(result, load(b_.CreateExtractElement(index, lane)), lane);
    }
    return result;
  }

  // A branch: only at the end of a block that has no terminator yet. Lanes one after the other, by a function: seldom
  // run, quickly compiled.
  template <size_t n, class Fn>
  std::array<F, n> Rare(B mask, std::array<F, n> usual, const char* name, F x, Fn f) {
    llvm::BasicBlock* before = b_.GetInsertBlock();
    llvm::Function* function = before->getParent();
    llvm::BasicBlock* rare = llvm::BasicBlock::Create(b_.getContext(), "", function);
    llvm::BasicBlock* after = llvm::BasicBlock::Create(b_.getContext(), "", function);
    b_.CreateCondBr(lanes_ == 0 ? mask : b_.CreateOrReduce(mask), rare, after);
    b_.SetInsertPoint(rare);
    llvm::Function* scalar = RareFunction<n>(name, f);
    std::array<F, n> values;
    if (lanes_ == 0) {
      llvm::Value* call = b_.CreateCall(scalar, {x});
      for (size_t k = 0; k < n; ++k) values[k] = b_.CreateExtractValue(call, k);
    } else {
      values = EachLane<n>(scalar, x);
    }
    for (size_t k = 0; k < n; ++k) values[k] = Select(mask, values[k], usual[k]);
    llvm::BasicBlock* end = b_.GetInsertBlock();
    b_.CreateBr(after);
    b_.SetInsertPoint(after);
    std::array<F, n> results;
    for (size_t k = 0; k < n; ++k) {
      llvm::PHINode* phi = b_.CreatePHI(FloatType(), 2);
      phi->addIncoming(usual[k], before);
      phi->addIncoming(values[k], end);
      results[k] = phi;
    }
    return results;
  }

 private:
  // Of a scalar, giving n of them.
  template <size_t n, class Fn>
  llvm::Function* RareFunction(const char* name, Fn f) {
    llvm::Module& module = *b_.GetInsertBlock()->getModule();
    if (llvm::Function* made = module.getFunction(name)) return made;
    llvm::Type* type = FloatType()->getScalarType();
    auto* signature = llvm::FunctionType::get(llvm::ArrayType::get(type, n), {type}, false);
    auto* made = llvm::Function::Create(signature, llvm::Function::InternalLinkage, name, module);
    llvm::AttributeSet attributes = b_.GetInsertBlock()->getParent()->getAttributes().getFnAttrs();
    made->addFnAttrs(llvm::AttrBuilder(module.getContext(), attributes));
    llvm::IRBuilder<> b(llvm::BasicBlock::Create(module.getContext(), "", made));
    IrMath m(b, 0, target_);
    std::array<F, n> values = f(m, made->getArg(0));
    llvm::Value* result = llvm::PoisonValue::get(signature->getReturnType());
    for (size_t k = 0; k < n; ++k) result = b.CreateInsertValue(result, values[k], k);
    b.CreateRet(result);
    return made;
  }

  template <size_t n>
  std::array<F, n> EachLane(llvm::Function* scalar, F x) {
    llvm::BasicBlock* before = b_.GetInsertBlock();
    llvm::BasicBlock* loop = llvm::BasicBlock::Create(b_.getContext(), "", before->getParent());
    llvm::BasicBlock* after = llvm::BasicBlock::Create(b_.getContext(), "", before->getParent());
    b_.CreateBr(loop);
    b_.SetInsertPoint(loop);
    llvm::PHINode* lane = b_.CreatePHI(b_.getInt32Ty(), 2);
    lane->addIncoming(b_.getInt32(0), before);
    std::array<llvm::PHINode*, n> phis;
    for (llvm::PHINode*& phi : phis) {
      phi = b_.CreatePHI(FloatType(), 2);
      phi->addIncoming(llvm::PoisonValue::get(FloatType()), before);
    }
    llvm::Value* call = b_.CreateCall(scalar, {b_.CreateExtractElement(x, lane)});
    std::array<F, n> values;
    for (size_t k = 0; k < n; ++k) {
      values[k] = b_.CreateInsertElement(phis[k], b_.CreateExtractValue(call, k), lane);
      phis[k]->addIncoming(values[k], loop);
    }
    llvm::Value* next = b_.CreateAdd(lane, b_.getInt32(1));
    lane->addIncoming(next, loop);
    b_.CreateCondBr(b_.CreateICmpULT(next, b_.getInt32(lanes_)), loop, after);
    b_.SetInsertPoint(after);
    return values;
  }

 protected:
  llvm::Type* Vector(llvm::Type* scalar) const {
    return lanes_ == 0 ? scalar : llvm::FixedVectorType::get(scalar, lanes_);
  }
  llvm::Type* FloatType() const { return Vector(kBits == 32 ? b_.getFloatTy() : b_.getDoubleTy()); }
  llvm::Type* IntType() const { return Vector(b_.getIntNTy(kBits)); }

  llvm::IRBuilderBase& b_;
  unsigned lanes_;
  const executable::Target& target_;
};

class IrMath32 : public IrMath<32> {
 public:
  using Wide = IrMath<64>;
  IrMath32(llvm::IRBuilderBase& b, unsigned lanes, const executable::Target& target)
      : IrMath(b, lanes, target), wide_(b, lanes, target) {}
  Wide& wide() { return wide_; }
  llvm::Value* Widen(llvm::Value* a) { return b_.CreateFPExt(a, Vector(b_.getDoubleTy())); }
  llvm::Value* Narrow(llvm::Value* a) { return b_.CreateFPTrunc(a, Vector(b_.getFloatTy())); }

 private:
  Wide wide_;
};

llvm::Value* Write(llvm::IRBuilderBase& b, Op op, llvm::ArrayRef<llvm::Value*> args, const executable::Target& target) {
  auto* vector = llvm::dyn_cast<llvm::FixedVectorType>(args[0]->getType());
  unsigned lanes = vector == nullptr ? 0 : vector->getNumElements();
  llvm::Value* second = args.size() > 1 ? args[1] : nullptr;
  if (args[0]->getType()->getScalarSizeInBits() == 64) {
    IrMath<64> m(b, lanes, target);
    return plan::EvaluateMath(m, op, args[0], second);
  }
  IrMath32 m(b, lanes, target);
  return plan::EvaluateMath(m, op, args[0], second);
}

bool IsShort(Op op) {
  switch (op) {
    case Op::kExp:
    case Op::kExpm1:
    case Op::kLog:
    case Op::kLog1p:
    case Op::kTanh:
    case Op::kLogistic:
    case Op::kErf:
    case Op::kErfc:
      return true;
    default:
      return false;
  }
}

}  // namespace

llvm::Function* OpEmitter::DeclareMath(Op op, llvm::Type* type, const std::string& name) {
  llvm::SmallVector<llvm::Type*, 2> types(plan::OperandsOfMath(op), type);
  auto* signature = llvm::FunctionType::get(type, types, false);
  auto* function = llvm::Function::Create(signature, llvm::Function::ExternalLinkage, name, module_);
  SetFunctionAttributes(*function, target_);
  return function;
}

void OpEmitter::DefineMath(Op op, llvm::Function& function) {
  llvm::IRBuilder<> b(llvm::BasicBlock::Create(module_.getContext(), "", &function));
  llvm::SmallVector<llvm::Value*, 2> values;
  for (llvm::Argument& argument : function.args()) values.push_back(&argument);
  b.CreateRet(Write(b, op, values, target_));
}

llvm::Value* OpEmitter::Math(Op op, llvm::ArrayRef<llvm::Value*> args) {
  if (!plan::IsMathOp(op)) return nullptr;
  llvm::Type* type = args[0]->getType();
  auto* vector = llvm::dyn_cast<llvm::FixedVectorType>(type);
  if (inline_math_ && IsShort(op) && vector != nullptr) {
    return Write(b_, op, args, target_);
  }
  const int bits = static_cast<int>(type->getScalarSizeInBits());
  const int lanes = vector == nullptr ? 0 : static_cast<int>(vector->getNumElements());
  const std::string name = MathSymbol(op, bits, lanes, target_);
  llvm::Function* function = module_.getFunction(name);
  if (function == nullptr) {
    function = DeclareMath(op, type, name);
    if (!InMathLibrary(bits, lanes, target_)) {
      function->setLinkage(llvm::Function::InternalLinkage);
      DefineMath(op, *function);
    }
  }
  return b_.CreateCall(function, args);
}

}  // namespace treadle::emit

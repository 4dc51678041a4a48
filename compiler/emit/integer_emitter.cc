// Integer division, shifts and powers: where LLVM's instructions are undefined or slow.
#include "compiler/emit/codegen.h"
#include "compiler/emit/op_emitter.h"

namespace treadle::emit {

using plan::Op;

llvm::Value* OpEmitter::Shift(Op op, llvm::Value* a, llvm::Value* amount, ElementType elt) {
  int width = ElementBits(elt);
  amount = LowBits(amount, elt);
  if (op == Op::kShrL) a = LowBits(a, elt);
  if (op == Op::kShrA && width < 8 && !IsSigned(elt)) {  // its highest bit is the sign
    a = b_.CreateAShr(b_.CreateShl(a, Int(a, 8 - width)), Int(a, 8 - width));
  }
  llvm::Value* fits = b_.CreateICmpULT(amount, Int(a, width));
  if (op == Op::kShrA) return b_.CreateAShr(a, b_.CreateSelect(fits, amount, Int(a, width - 1)));
  llvm::Value* shifted = op == Op::kShl ? b_.CreateShl(a, amount) : b_.CreateLShr(a, amount);
  return b_.CreateSelect(fits, shifted, Int(a, 0));
}

// Exact: the quotient of integers below 2^p, rounded to a format of more than p bits, truncates to the right integer.
llvm::Value* OpEmitter::DivideByFloat(llvm::Value* a, llvm::Value* b, bool is_signed) {
  bool narrow = a->getType()->getScalarSizeInBits() <= 16;
  llvm::Type* fp = Like(a, narrow ? b_.getFloatTy() : b_.getDoubleTy());
  llvm::Type* wide = Like(a, b_.getInt32Ty());
  if (is_signed || narrow) {
    auto extend = [&](llvm::Value* x) { return is_signed ? b_.CreateSExt(x, wide) : b_.CreateZExt(x, wide); };
    llvm::Value* quotient = b_.CreateFDiv(b_.CreateSIToFP(extend(a), fp), b_.CreateSIToFP(extend(b), fp));
    return b_.CreateTrunc(b_.CreateFPToSI(quotient, wide), a->getType());
  }
  return b_.CreateFPToUI(b_.CreateFDiv(b_.CreateUIToFP(a, fp), b_.CreateUIToFP(b, fp)), a->getType());
}

// floor(a m / 2^s), plus one below zero, with m a little above 2^s / divisor: exact for all 32-bit integers. One
// product of 64 bits is a shorter chain than what LLVM makes of a high half of 32.
llvm::Value* OpEmitter::DivideByReciprocal(llvm::Value* a, int64_t divisor) {
  int log = 64 - static_cast<int>(llvm::countl_zero(static_cast<uint64_t>(divisor - 1)));
  uint64_t factor = (uint64_t{1} << (31 + log)) / static_cast<uint64_t>(divisor) + 1;
  llvm::Value* product = b_.CreateMul(b_.CreateSExt(a, b_.getInt64Ty()), b_.getInt64(factor));
  llvm::Value* quotient = b_.CreateTrunc(b_.CreateAShr(product, 31 + log), a->getType());
  return b_.CreateSub(quotient, b_.CreateAShr(a, 31));
}

// x/0 is all ones and x%0 is x; MIN/-1 is MIN and MIN%-1 is 0.
llvm::Value* OpEmitter::Divide(llvm::Value* a, llvm::Value* b, bool is_signed, bool remainder) {
  auto* constant = llvm::dyn_cast<llvm::Constant>(b);
  if (constant != nullptr && constant->getType()->isVectorTy()) constant = constant->getSplatValue();
  auto* known = llvm::dyn_cast_or_null<llvm::ConstantInt>(constant);
  bool harmless = known != nullptr && !known->isZero() && !(is_signed && known->isMinusOne());
  llvm::Value* zero = harmless ? nullptr : b_.CreateICmpEQ(b, Int(b, 0));
  llvm::Value* divisor = b;
  if (!harmless) {
    llvm::Value* trap = zero;
    if (is_signed) {
      int width = static_cast<int>(a->getType()->getScalarSizeInBits());
      llvm::Value* least = b_.CreateICmpEQ(a, Int(a, static_cast<int64_t>(~0ull << (width - 1))));
      trap = b_.CreateOr(zero, b_.CreateAnd(least, b_.CreateICmpEQ(b, Int(b, -1))));
    }
    divisor = b_.CreateSelect(trap, Int(b, 1), b);
  }
  bool by_float = a->getType()->isVectorTy() && a->getType()->getScalarSizeInBits() <= 32 && !harmless;
  bool by_reciprocal = harmless && is_signed && a->getType()->isIntegerTy(32) && known->getSExtValue() > 2 &&
                       !known->getValue().isPowerOf2();
  llvm::Value* quotient = by_reciprocal ? DivideByReciprocal(a, known->getSExtValue())
                          : by_float    ? DivideByFloat(a, divisor, is_signed)
                          : is_signed   ? b_.CreateSDiv(a, divisor)
                                        : b_.CreateUDiv(a, divisor);
  if (!remainder) return harmless ? quotient : b_.CreateSelect(zero, Int(a, -1), quotient);
  llvm::Value* rest = b_.CreateSub(a, b_.CreateMul(quotient, divisor));
  return harmless ? rest : b_.CreateSelect(zero, a, rest);
}

// By squaring, in a function of its own: a loop as long as any exponent has bits left.
llvm::Value* OpEmitter::IntegerPower(llvm::Value* base, llvm::Value* exponent, bool is_signed) {
  llvm::Type* type = base->getType();
  auto* vector = llvm::dyn_cast<llvm::FixedVectorType>(type);
  std::string name = "power_" + std::to_string(vector == nullptr ? 0 : vector->getNumElements()) + "_" +
                     std::to_string(type->getScalarSizeInBits());
  llvm::Function* power = module_.getFunction(name);
  if (power == nullptr) {
    auto* signature = llvm::FunctionType::get(type, {type, type}, false);
    power = llvm::Function::Create(signature, llvm::Function::InternalLinkage, name, module_);
    SetFunctionAttributes(*power, target_);
    llvm::LLVMContext& context = module_.getContext();
    llvm::BasicBlock* entry = llvm::BasicBlock::Create(context, "", power);
    llvm::BasicBlock* loop = llvm::BasicBlock::Create(context, "", power);
    llvm::BasicBlock* exit = llvm::BasicBlock::Create(context, "", power);
    llvm::IRBuilder<> b(entry);
    b.CreateBr(loop);
    b.SetInsertPoint(loop);
    llvm::PHINode* result = b.CreatePHI(type, 2);
    llvm::PHINode* square = b.CreatePHI(type, 2);
    llvm::PHINode* rest = b.CreatePHI(type, 2);
    llvm::Value* odd = b.CreateICmpNE(b.CreateAnd(rest, Int(base, 1)), Int(base, 0));
    llvm::Value* next = b.CreateSelect(odd, b.CreateMul(result, square), result);
    llvm::Value* after = b.CreateLShr(rest, Int(base, 1));
    result->addIncoming(Int(base, 1), entry);
    result->addIncoming(next, loop);
    square->addIncoming(power->getArg(0), entry);
    square->addIncoming(b.CreateMul(square, square), loop);
    rest->addIncoming(power->getArg(1), entry);
    rest->addIncoming(after, loop);
    llvm::Value* left = b.CreateICmpNE(after, Int(base, 0));
    b.CreateCondBr(vector == nullptr ? left : b.CreateOrReduce(left), loop, exit);
    b.SetInsertPoint(exit);
    b.CreateRet(next);
  }
  llvm::Value* result = b_.CreateCall(power, {base, exponent});
  if (!is_signed) return result;
  llvm::Value* odd = b_.CreateICmpNE(b_.CreateAnd(exponent, Int(base, 1)), Int(base, 0));
  llvm::Value* of_minus_one = b_.CreateSelect(odd, Int(base, -1), Int(base, 1));
  llvm::Value* inverse = b_.CreateSelect(b_.CreateICmpEQ(base, Int(base, -1)), of_minus_one, Int(base, 0));
  inverse = b_.CreateSelect(b_.CreateICmpEQ(base, Int(base, 1)), Int(base, 1), inverse);
  return b_.CreateSelect(b_.CreateIsNeg(exponent), inverse, result);
}

}  // namespace treadle::emit

#include "compiler/emit/op_emitter.h"

#include "compiler/emit/variance.h"

namespace treadle::emit {

using plan::Op;
using plan::Predicate;

llvm::Type* OpEmitter::Like(llvm::Value* value, llvm::Type* scalar) {
  auto* vector = llvm::dyn_cast<llvm::FixedVectorType>(value->getType());
  return vector == nullptr ? scalar : llvm::FixedVectorType::get(scalar, vector->getNumElements());
}

llvm::Constant* OpEmitter::Int(llvm::Value* like, int64_t value) {
  return llvm::ConstantInt::get(like->getType(), static_cast<uint64_t>(value), /*IsSigned=*/true,
                                /*ImplicitTrunc=*/true);
}

llvm::Constant* OpEmitter::Fp(llvm::Value* like, double value) { return llvm::ConstantFP::get(like->getType(), value); }

llvm::Value* OpEmitter::AsInt(llvm::Value* value) {
  return b_.CreateBitCast(value, Like(value, b_.getIntNTy(value->getType()->getScalarSizeInBits())));
}

llvm::Value* OpEmitter::Intrinsic(llvm::Intrinsic::ID id, llvm::ArrayRef<llvm::Value*> args) {
  return b_.CreateIntrinsic(id, {args[0]->getType()}, args);
}

llvm::Value* OpEmitter::Emit(const plan::Node& node, ElementType from, llvm::ArrayRef<llvm::Value*> args) {
  switch (node.op) {
    case Op::kCmp:
      return Compare(static_cast<Predicate>(node.imm), from, args[0], args[1]);
    case Op::kConvert:
      return Convert(node.elt, from, args[0]);
    case Op::kIsFinite: {
      llvm::Value* infinity = llvm::ConstantFP::getInfinity(args[0]->getType());
      return b_.CreateFCmpONE(Intrinsic(llvm::Intrinsic::fabs, {args[0]}), infinity);
    }
    default:
      break;
  }
  if (node.elt == ElementType::kI1) return Boolean(node, args);
  if (IsInteger(node.elt)) {
    llvm::Value* result = Integer(node, args);
    return result == nullptr ? result : Normalize(result, node.elt);
  }
  if (!IsFloat(node.elt)) return nullptr;
  llvm::Value* result = Float(node, args);
  bool half = node.elt == ElementType::kF16 || node.elt == ElementType::kBF16;  // 8-bit types may lack -0
  bool exact = half && (node.op == Op::kAbs || node.op == Op::kNeg || node.op == Op::kSign || node.op == Op::kMax ||
                        node.op == Op::kMin);
  return result == nullptr || exact ? result : RoundNarrow(result, node.elt);
}

llvm::Value* OpEmitter::Boolean(const plan::Node& node, llvm::ArrayRef<llvm::Value*> args) {
  switch (node.op) {
    case Op::kAdd:
    case Op::kOr:
    case Op::kMax:
      return b_.CreateOr(args[0], args[1]);
    case Op::kMul:
    case Op::kAnd:
    case Op::kMin:
      return b_.CreateAnd(args[0], args[1]);
    case Op::kXor:
      return b_.CreateXor(args[0], args[1]);
    case Op::kNot:
      return b_.CreateNot(args[0]);
    default:
      return nullptr;
  }
}

llvm::Value* OpEmitter::Integer(const plan::Node& node, llvm::ArrayRef<llvm::Value*> args) {
  bool is_signed = IsSigned(node.elt);
  llvm::Value* a = args[0];
  llvm::Value* b = args.size() > 1 ? args[1] : nullptr;
  switch (node.op) {
    case Op::kAdd:
      return b_.CreateAdd(a, b);
    case Op::kSub:
      return b_.CreateSub(a, b);
    case Op::kMul:
      return b_.CreateMul(a, b);
    case Op::kDiv:
    case Op::kRem:
      return Divide(a, b, is_signed, node.op == Op::kRem);
    case Op::kMax:
      return b_.CreateBinaryIntrinsic(is_signed ? llvm::Intrinsic::smax : llvm::Intrinsic::umax, a, b);
    case Op::kMin:
      return b_.CreateBinaryIntrinsic(is_signed ? llvm::Intrinsic::smin : llvm::Intrinsic::umin, a, b);
    case Op::kAbs:
      return is_signed ? b_.CreateIntrinsic(llvm::Intrinsic::abs, {a->getType()}, {a, b_.getFalse()}) : a;
    case Op::kNeg:
      return b_.CreateNeg(a);
    case Op::kSign: {
      llvm::Value* positive = b_.CreateSelect(b_.CreateICmpNE(a, Int(a, 0)), Int(a, 1), Int(a, 0));
      return is_signed ? b_.CreateSelect(b_.CreateIsNeg(a), Int(a, -1), positive) : positive;
    }
    case Op::kAnd:
      return b_.CreateAnd(a, b);
    case Op::kOr:
      return b_.CreateOr(a, b);
    case Op::kXor:
      return b_.CreateXor(a, b);
    case Op::kNot:
      return b_.CreateNot(a);
    case Op::kShl:
    case Op::kShrL:
    case Op::kShrA:
      return Shift(node.op, a, b, node.elt);
    case Op::kPopcnt:
      return b_.CreateUnaryIntrinsic(llvm::Intrinsic::ctpop, LowBits(a, node.elt));
    case Op::kClz: {
      int unused = ElementBytes(node.elt) * 8 - ElementBits(node.elt);
      llvm::Value* zeros =
          b_.CreateIntrinsic(llvm::Intrinsic::ctlz, {a->getType()}, {LowBits(a, node.elt), b_.getFalse()});
      return unused == 0 ? zeros : b_.CreateSub(zeros, Int(a, unused));
    }
    case Op::kPow:
      return IntegerPower(a, b, is_signed);
    default:
      return nullptr;
  }
}

llvm::Value* OpEmitter::LowBits(llvm::Value* value, ElementType elt) {
  return ElementBits(elt) >= 8 ? value : b_.CreateAnd(value, Int(value, (1 << ElementBits(elt)) - 1));
}

// Signed integers in the order of plan.h's kTotal predicates. Narrow floats compare as the floats they are.
llvm::Value* OpEmitter::TotalOrder(llvm::Value* value) {
  llvm::Value* bits = AsInt(value);
  int width = static_cast<int>(bits->getType()->getScalarSizeInBits());
  llvm::Value* flip = b_.CreateLShr(b_.CreateAShr(bits, Int(bits, width - 1)), Int(bits, 1));
  return b_.CreateXor(bits, flip);
}

llvm::Value* OpEmitter::Compare(Predicate predicate, ElementType elt, llvm::Value* a, llvm::Value* b) {
  using P = llvm::CmpInst::Predicate;
  int order = static_cast<int>(predicate);
  if (predicate >= Predicate::kTotalGe) {
    static constexpr P kSigned[] = {P::ICMP_SGE, P::ICMP_SGT, P::ICMP_SLE, P::ICMP_SLT};
    return b_.CreateICmp(kSigned[order - static_cast<int>(Predicate::kTotalGe)], TotalOrder(a), TotalOrder(b));
  }
  static constexpr P kFloat[] = {P::FCMP_OEQ, P::FCMP_UNE, P::FCMP_OGE, P::FCMP_OGT, P::FCMP_OLE, P::FCMP_OLT};
  static constexpr P kSigned[] = {P::ICMP_EQ, P::ICMP_NE, P::ICMP_SGE, P::ICMP_SGT, P::ICMP_SLE, P::ICMP_SLT};
  static constexpr P kUnsigned[] = {P::ICMP_EQ, P::ICMP_NE, P::ICMP_UGE, P::ICMP_UGT, P::ICMP_ULE, P::ICMP_ULT};
  if (IsFloat(elt)) return b_.CreateFCmp(kFloat[order], a, b);
  return b_.CreateICmp(IsSigned(elt) ? kSigned[order] : kUnsigned[order], a, b);
}

// A choice by a comparison of the same two floats would become the machine's minimum or maximum, which flush denormals:
// choose between integers then.
llvm::Value* OpEmitter::Select(llvm::Value* holds, llvm::Value* x, llvm::Value* y) {
  auto* compare = llvm::dyn_cast<llvm::FCmpInst>(holds);
  bool extreme = compare != nullptr && ((compare->getOperand(0) == x && compare->getOperand(1) == y) ||
                                        (compare->getOperand(0) == y && compare->getOperand(1) == x));
  if (!extreme) return b_.CreateSelect(holds, x, y);
  return b_.CreateBitCast(b_.CreateSelect(holds, AsInt(x), AsInt(y)), x->getType());
}

llvm::Value* OpEmitter::PerLane(llvm::ArrayRef<llvm::Value*> args, llvm::Function* scalar) {
  auto* vector = llvm::dyn_cast<llvm::FixedVectorType>(args[0]->getType());
  if (vector == nullptr) return b_.CreateCall(scalar, args);
  llvm::Value* result = llvm::PoisonValue::get(vector);
  for (unsigned lane = 0; lane < vector->getNumElements(); ++lane) {
    llvm::SmallVector<llvm::Value*, 3> elements;
    for (llvm::Value* arg : args) elements.push_back(b_.CreateExtractElement(arg, lane));
    result = b_.CreateInsertElement(result, b_.CreateCall(scalar, elements), lane);
  }
  return result;
}

}  // namespace treadle::emit

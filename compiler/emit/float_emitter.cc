// Floating-point arithmetic in f32 and f64.
#include "compiler/emit/codegen.h"
#include "compiler/emit/op_emitter.h"
#include "llvm/IR/IntrinsicsX86.h"

namespace treadle::emit {

using plan::Op;

namespace {

bool IsLiteral(llvm::Value* value, double a, double b) {
  auto* constant = llvm::dyn_cast<llvm::Constant>(value);
  if (constant != nullptr && constant->getType()->isVectorTy()) constant = constant->getSplatValue();
  auto* fp = llvm::dyn_cast_or_null<llvm::ConstantFP>(constant);
  return fp != nullptr && (fp->isExactlyValue(a) || fp->isExactlyValue(b));
}

}  // namespace

llvm::Value* OpEmitter::Float(const plan::Node& node, llvm::ArrayRef<llvm::Value*> args) {
  llvm::Value* a = args[0];
  llvm::Value* b = args.size() > 1 ? args[1] : nullptr;
  // x*1, x+0 and the like are no operations to LLVM, but they flush denormals: keep them.
  auto keep = [&](llvm::Value* x) { return Canonical(x); };
  switch (node.op) {
    case Op::kAdd:
      if (IsLiteral(b, 0.0, -0.0)) a = keep(a);
      if (IsLiteral(a, 0.0, -0.0)) b = keep(b);
      return b_.CreateFAdd(a, b);
    case Op::kSub:
      if (IsLiteral(b, 0.0, -0.0)) a = keep(a);
      if (IsLiteral(a, 0.0, -0.0)) b = keep(b);
      return b_.CreateFSub(a, b);
    case Op::kMul:
      if (IsLiteral(b, 1.0, -1.0)) a = keep(a);
      if (IsLiteral(a, 1.0, -1.0)) b = keep(b);
      return b_.CreateFMul(a, b);
    case Op::kDiv:
      if (IsLiteral(b, 1.0, -1.0)) a = keep(a);
      return b_.CreateFDiv(a, b);
    case Op::kRem:
      return Remainder(a, b);
    case Op::kMax:
      return Extreme(true, a, b);
    case Op::kMin:
      return Extreme(false, a, b);
    case Op::kAbs:
      return Intrinsic(llvm::Intrinsic::fabs, {a});
    case Op::kNeg:
      return b_.CreateFNeg(a);
    case Op::kSign:
      return Sign(a);
    case Op::kFma:
      return target_.isa >= executable::IsaLevel::kV3 ? Intrinsic(llvm::Intrinsic::fma, args)
                                                      : b_.CreateFAdd(b_.CreateFMul(a, b), args[2]);
    case Op::kFloor:
      return Intrinsic(llvm::Intrinsic::floor, {a});
    case Op::kCeil:
      return Intrinsic(llvm::Intrinsic::ceil, {a});
    case Op::kRoundAfz:
      return Intrinsic(llvm::Intrinsic::round, {a});
    case Op::kRoundEven:
      return Intrinsic(llvm::Intrinsic::roundeven, {a});
    case Op::kReducePrecision:
      return ReducePrecision(a, static_cast<int>(node.imm >> 8), static_cast<int>(node.imm & 0xff));
    case Op::kSqrt:
      return Intrinsic(llvm::Intrinsic::sqrt, {a});
    case Op::kRsqrt:
      return b_.CreateFDiv(Fp(a, 1.0), Intrinsic(llvm::Intrinsic::sqrt, {a}));
    default:
      return Math(node.op, args);
  }
}

// x with denormals flushed. LLVM's x86 target has no canonicalize for vectors shorter than a register.
llvm::Value* OpEmitter::Canonical(llvm::Value* x) {
  auto* vector = llvm::dyn_cast<llvm::FixedVectorType>(x->getType());
  int lanes = vector == nullptr ? 0 : static_cast<int>(vector->getNumElements());
  int whole = 128 / static_cast<int>(x->getType()->getScalarSizeInBits());
  if (vector == nullptr || lanes >= whole) return b_.CreateUnaryIntrinsic(llvm::Intrinsic::canonicalize, x);
  llvm::SmallVector<int, 4> grow, shrink;
  for (int lane = 0; lane < whole; ++lane) grow.push_back(lane % lanes);
  for (int lane = 0; lane < lanes; ++lane) shrink.push_back(lane);
  llvm::Value* wide = b_.CreateUnaryIntrinsic(llvm::Intrinsic::canonicalize, b_.CreateShuffleVector(x, grow));
  return b_.CreateShuffleVector(wide, shrink);
}

// max: NaN if either is one; where they compare equal, the one without a sign. The machine's maximum gives its second
// operand for equal ones.
llvm::Value* OpEmitter::Extreme(bool max, llvm::Value* a, llvm::Value* b) {
  auto literal = [](llvm::Value* value) -> const llvm::ConstantFP* {
    auto* constant = llvm::dyn_cast<llvm::Constant>(value);
    if (constant != nullptr && constant->getType()->isVectorTy()) constant = constant->getSplatValue();
    return llvm::dyn_cast_or_null<llvm::ConstantFP>(constant);
  };
  if (literal(a) != nullptr) std::swap(a, b);
  if (const llvm::ConstantFP* bound = literal(b); bound != nullptr && !bound->isNaN()) {
    // Only `a` may be NaN. max(a, +0) and min(a, -0) give the literal for equal ones; all others may give `a`.
    bool prefer_bound = bound->isZero() && bound->isNegative() != max;
    if (!prefer_bound) return b_.CreateSelect(max ? b_.CreateFCmpOGT(b, a) : b_.CreateFCmpOLT(b, a), b, a);
    llvm::Value* result = b_.CreateSelect(max ? b_.CreateFCmpOGT(a, b) : b_.CreateFCmpOLT(a, b), a, b);
    return b_.CreateSelect(b_.CreateFCmpUNO(a, a), a, result);
  }
  llvm::Value* nan = llvm::ConstantFP::getNaN(a->getType());
  if (a->getType()->isVectorTy() &&
      a->getType()->getPrimitiveSizeInBits() == 512) {  // AVX-512's range knows about zeros
    bool is_double = a->getType()->getScalarType()->isDoubleTy();
    llvm::Intrinsic::ID id =
        is_double ? llvm::Intrinsic::x86_avx512_mask_range_pd_512 : llvm::Intrinsic::x86_avx512_mask_range_ps_512;
    llvm::Value* all = llvm::Constant::getAllOnesValue(b_.getIntNTy(is_double ? 8 : 16));
    constexpr int kSignOfResult = 4, kCurrentRounding = 4;
    llvm::Value* result =
        b_.CreateCall(llvm::Intrinsic::getOrInsertDeclaration(&module_, id),
                      {a, b, b_.getInt32(kSignOfResult | (max ? 1 : 0)), a, all, b_.getInt32(kCurrentRounding)});
    return b_.CreateSelect(b_.CreateFCmpUNO(a, b), nan, result);
  }
  llvm::Value* negative = b_.CreateIsNeg(AsInt(a));
  llvm::Value* first = b_.CreateSelect(negative, max ? a : b, max ? b : a);
  llvm::Value* second = b_.CreateSelect(negative, max ? b : a, max ? a : b);
  llvm::Value* wins = max ? b_.CreateFCmpOGT(first, second) : b_.CreateFCmpOLT(first, second);
  llvm::Value* result = b_.CreateSelect(wins, first, second);
  return b_.CreateSelect(b_.CreateFCmpUNO(a, b), nan, result);
}

llvm::Value* OpEmitter::Sign(llvm::Value* x) {
  llvm::Value* one = b_.CreateBinaryIntrinsic(llvm::Intrinsic::copysign, Fp(x, 1.0), x);
  return b_.CreateSelect(b_.CreateFCmpONE(x, Fp(x, 0.0)), one, x);
}

// Rounds to nearest even to a format of fewer bits, kept in this one: overflow to infinity, what would be denormal
// there to 0.
llvm::Value* OpEmitter::ReducePrecision(llvm::Value* x, int exponent_bits, int mantissa_bits) {
  llvm::Value* bits = AsInt(x);
  bool is_double = bits->getType()->getScalarSizeInBits() == 64;
  int width = is_double ? 64 : 32, mantissa = is_double ? 52 : 23, exponent = is_double ? 11 : 8;
  int64_t sign_bit = static_cast<int64_t>(1ull << (width - 1));
  llvm::Value* sign = b_.CreateAnd(bits, Int(bits, sign_bit));
  llvm::Value* result = bits;
  if (mantissa_bits < mantissa) {
    int drop = mantissa - mantissa_bits;
    int64_t last = int64_t{1} << drop;
    llvm::Value* odd = b_.CreateAnd(b_.CreateLShr(bits, Int(bits, drop)), Int(bits, 1));
    result = b_.CreateAdd(bits, b_.CreateAdd(odd, Int(bits, (last >> 1) - 1)));
    result = b_.CreateAnd(result, Int(bits, ~(last - 1)));
  }
  if (exponent_bits < exponent) {
    int64_t bias = (int64_t{1} << (exponent - 1)) - 1, small_bias = (int64_t{1} << (exponent_bits - 1)) - 1;
    int64_t exponent_mask = ((int64_t{1} << exponent) - 1) << mantissa;
    llvm::Value* field = b_.CreateAnd(result, Int(bits, exponent_mask));
    llvm::Value* infinity = b_.CreateOr(sign, Int(bits, exponent_mask));
    llvm::Value* over = b_.CreateICmpUGT(field, Int(bits, (bias + small_bias) << mantissa));
    llvm::Value* under = b_.CreateICmpULE(field, Int(bits, (bias - small_bias) << mantissa));
    result = b_.CreateSelect(over, infinity, result);
    result = b_.CreateSelect(under, sign, result);
  }
  llvm::Value* value = b_.CreateBitCast(result, x->getType());
  return b_.CreateSelect(b_.CreateFCmpUNO(x, x), x, value);
}

// fmod, exactly: the dividend's mantissa is shifted by the difference of the exponents, as many bits at a time as fit,
// and divided in between. A function of one pair of numbers.
llvm::Function* OpEmitter::RemainderFunction(llvm::Type* type) {
  bool is_double = type->isDoubleTy();
  std::string name = is_double ? "fmod_64" : "fmod_32";
  if (llvm::Function* known = module_.getFunction(name)) return known;
  auto* signature = llvm::FunctionType::get(type, {type, type}, false);
  auto* function = llvm::Function::Create(signature, llvm::Function::InternalLinkage, name, module_);
  SetFunctionAttributes(*function, target_);
  llvm::LLVMContext& context = module_.getContext();
  auto block = [&] { return llvm::BasicBlock::Create(context, "", function); };
  llvm::BasicBlock *entry = block(), *ordinary = block(), *loop = block(), *done = block(), *special = block();
  llvm::IRBuilder<> b(entry);
  llvm::Type* bits_type = b.getIntNTy(is_double ? 64 : 32);
  int mantissa = is_double ? 52 : 23, bias = is_double ? 1023 : 127, chunk = is_double ? 11 : 40;
  auto canonical = [&](llvm::Value* x) { return b.CreateUnaryIntrinsic(llvm::Intrinsic::canonicalize, x); };
  llvm::Value* x = canonical(function->getArg(0));
  llvm::Value* y = canonical(function->getArg(1));
  llvm::Value* size_x = b.CreateUnaryIntrinsic(llvm::Intrinsic::fabs, x);
  llvm::Value* size_y = b.CreateUnaryIntrinsic(llvm::Intrinsic::fabs, y);
  // Also false where one is NaN, x infinite or y zero, and where x is the result.
  llvm::Value* infinite = b.CreateFCmpOEQ(size_x, llvm::ConstantFP::getInfinity(type));
  llvm::Value* zero = b.CreateFCmpOEQ(size_y, llvm::ConstantFP::get(type, 0.0));
  llvm::Value* bad = b.CreateOr(b.CreateOr(infinite, zero), b.CreateFCmpUNO(x, y));
  b.CreateCondBr(b.CreateAnd(b.CreateFCmpOGE(size_x, size_y), b.CreateNot(bad)), ordinary, special);

  b.SetInsertPoint(special);
  b.CreateRet(b.CreateSelect(bad, llvm::ConstantFP::getNaN(type), x));

  b.SetInsertPoint(ordinary);
  llvm::Type* i64 = b.getInt64Ty();
  auto split = [&](llvm::Value* size) {
    llvm::Value* bits = b.CreateZExt(b.CreateBitCast(size, bits_type), i64);
    llvm::Value* low = b.CreateAnd(bits, b.getInt64((uint64_t{1} << mantissa) - 1));
    llvm::Value* field = b.CreateLShr(bits, b.getInt64(mantissa));
    llvm::Value* number = b.CreateOr(low, b.getInt64(uint64_t{1} << mantissa));
    if (!target_.keeps_subnormals) return std::pair(number, field);
    llvm::Value* subnormal = b.CreateIsNull(field);
    return std::pair(b.CreateSelect(subnormal, low, number), b.CreateSelect(subnormal, b.getInt64(1), field));
  };
  auto [mantissa_x, exponent_x] = split(size_x);
  auto [mantissa_y, exponent_y] = split(size_y);
  llvm::Value* first = b.CreateURem(mantissa_x, mantissa_y);
  llvm::Value* distance = b.CreateSub(exponent_x, exponent_y);
  b.CreateCondBr(b.CreateIsNotNull(distance), loop, done);

  b.SetInsertPoint(loop);
  llvm::PHINode* rest = b.CreatePHI(i64, 2);
  llvm::PHINode* left = b.CreatePHI(i64, 2);
  llvm::Value* step = b.CreateBinaryIntrinsic(llvm::Intrinsic::umin, left, b.getInt64(chunk));
  llvm::Value* next = b.CreateURem(b.CreateShl(rest, step), mantissa_y);
  llvm::Value* after = b.CreateSub(left, step);
  rest->addIncoming(first, ordinary);
  rest->addIncoming(next, loop);
  left->addIncoming(distance, ordinary);
  left->addIncoming(after, loop);
  b.CreateCondBr(b.CreateIsNotNull(after), loop, done);

  b.SetInsertPoint(done);
  llvm::PHINode* last = b.CreatePHI(i64, 2);
  last->addIncoming(first, ordinary);
  last->addIncoming(next, loop);
  // last * 2^(exponent of y - bias - mantissa), by the exponent's bits; what would be denormal is 0.
  if (target_.keeps_subnormals) {  // a product with that power, exact even where both are subnormal
    llvm::Value* above = b.CreateSub(exponent_y, b.getInt64(mantissa));
    llvm::Value* normal = b.CreateShl(above, b.getInt64(mantissa));
    llvm::Value* subnormal = b.CreateShl(b.getInt64(1), b.CreateSub(exponent_y, b.getInt64(1)));
    llvm::Value* power = b.CreateSelect(b.CreateICmpSGT(above, b.getInt64(0)), normal, subnormal);
    llvm::Value* scale = b.CreateBitCast(b.CreateTrunc(power, bits_type), type);
    llvm::Value* rest_of_x = b.CreateFMul(b.CreateUIToFP(last, type), scale);
    b.CreateRet(b.CreateBinaryIntrinsic(llvm::Intrinsic::copysign, rest_of_x, x));
    return function;
  }
  llvm::Value* bits = b.CreateZExt(b.CreateBitCast(b.CreateUIToFP(last, type), bits_type), i64);
  llvm::Value* shift = b.CreateSub(exponent_y, b.getInt64(bias + mantissa));
  llvm::Value* exponent = b.CreateAdd(b.CreateLShr(bits, b.getInt64(mantissa)), shift);
  bits = b.CreateAdd(bits, b.CreateShl(shift, b.getInt64(mantissa)));
  llvm::Value* nothing = b.CreateOr(b.CreateIsNull(last), b.CreateICmpSLE(exponent, b.getInt64(0)));
  bits = b.CreateSelect(nothing, b.getInt64(0), bits);
  llvm::Value* size = b.CreateBitCast(b.CreateTrunc(bits, bits_type), type);
  b.CreateRet(b.CreateBinaryIntrinsic(llvm::Intrinsic::copysign, size, x));
  return function;
}

llvm::Value* OpEmitter::Remainder(llvm::Value* a, llvm::Value* b) {
  return PerLane({a, b}, RemainderFunction(a->getType()->getScalarType()));
}

}  // namespace treadle::emit

// Changes of type, and narrow floats as f32.
#include <cmath>

#include "compiler/emit/op_emitter.h"
#include "compiler/emit/variance.h"
#include "compiler/plan/narrow_float.h"

namespace treadle::emit {

// Saturating, NaN is 0. LLVM's own saturating conversions take several times as many instructions, and the plain ones
// are undefined out of range: so the range is checked before.
llvm::Value* OpEmitter::FloatToInteger(ElementType to, llvm::Value* x) {
  int bits = ElementBits(to);
  bool is_signed = IsSigned(to);
  double least = is_signed ? -std::ldexp(1.0, bits - 1) : 0.0;
  double past = std::ldexp(1.0, is_signed ? bits - 1 : bits);
  uint64_t ones = bits == 64 ? ~0ull : (1ull << bits) - 1;
  llvm::Value* above = b_.CreateFCmpOGE(x, Fp(x, past));
  llvm::Value* inside = b_.CreateAnd(b_.CreateFCmpOGT(x, Fp(x, least)), b_.CreateFCmpOLT(x, Fp(x, past)));
  llvm::Value* safe = b_.CreateSelect(inside, x, Fp(x, 0.0));
  llvm::Type* type = Like(x, b_.getIntNTy(ElementBytes(to) * 8));
  llvm::Type* through = bits < 32 ? Like(x, b_.getInt32Ty()) : type;  // there are instructions for these
  llvm::Value* converted = is_signed || bits < 32 ? b_.CreateFPToSI(safe, through) : b_.CreateFPToUI(safe, through);
  if (through != type) converted = b_.CreateTrunc(converted, type);
  converted = b_.CreateSelect(above, Int(converted, static_cast<int64_t>(is_signed ? ones >> 1 : ones)), converted);
  if (!is_signed) return converted;
  llvm::Value* below = b_.CreateFCmpOLE(x, Fp(x, least));
  return b_.CreateSelect(below, Int(converted, static_cast<int64_t>(~0ull << (bits - 1))), converted);
}

llvm::Value* OpEmitter::Convert(ElementType to, ElementType from, llvm::Value* x) {
  if (to == from) return x;
  bool from_float = IsFloat(from);
  if (to == ElementType::kI1) return from_float ? b_.CreateFCmpUNE(x, Fp(x, 0.0)) : b_.CreateIsNotNull(x);
  if (IsFloat(to)) {
    llvm::Type* fp = Like(x, to == ElementType::kF64 ? b_.getDoubleTy() : b_.getFloatTy());
    llvm::Value* value = nullptr;
    if (!from_float) {
      bool is_signed = IsSigned(from);
      // Narrow integers convert exactly through i32, for which there are instructions.
      if (from == ElementType::kI1 || ElementBytes(from) < 4) {
        llvm::Type* i32 = Like(x, b_.getInt32Ty());
        x = is_signed ? b_.CreateSExt(x, i32) : b_.CreateZExt(x, i32);
        is_signed = true;
      }
      value = is_signed ? b_.CreateSIToFP(x, fp) : b_.CreateUIToFP(x, fp);
    } else {
      value = b_.CreateFPCast(x, fp);
    }
    return RoundNarrow(value, to);
  }
  if (!IsInteger(to)) return nullptr;
  if (from_float) return FloatToInteger(to, x);
  llvm::Type* type = Like(x, b_.getIntNTy(ElementBytes(to) * 8));
  return Normalize(IsSigned(from) ? b_.CreateSExtOrTrunc(x, type) : b_.CreateZExtOrTrunc(x, type), to);
}

llvm::Value* OpEmitter::Normalize(llvm::Value* value, ElementType elt) {
  if (ElementBits(elt) >= 8 || elt == ElementType::kI1) return value;
  if (!IsSigned(elt)) return LowBits(value, elt);
  llvm::Value* unused = Int(value, 8 - ElementBits(elt));
  return b_.CreateAShr(b_.CreateShl(value, unused), unused);
}

llvm::Value* OpEmitter::RoundNarrow(llvm::Value* value, ElementType elt) {
  if (!IsNarrowFloat(elt)) return value;
  if (elt != ElementType::kBF16) return WidenNarrow(NarrowBits(value, elt), elt);
  // To nearest even by integers: LLVM's own rounding is a call a lane. A NaN keeps its sign and the top of its payload.
  llvm::Value* bits = AsInt(value);
  llvm::Value* odd = b_.CreateAnd(b_.CreateLShr(bits, Int(bits, 16)), Int(bits, 1));
  llvm::Value* rounded = b_.CreateAdd(bits, b_.CreateAdd(odd, Int(bits, 0x7fff)));
  llvm::Value* quiet = b_.CreateOr(bits, Int(bits, 0x400000));
  llvm::Value* chosen = b_.CreateSelect(b_.CreateFCmpUNO(value, value), quiet, rounded);
  return b_.CreateBitCast(b_.CreateAnd(chosen, Int(bits, static_cast<int64_t>(0xffff0000))), value->getType());
}

namespace {

// Codes of a format without the sign: the largest finite value, what overflow gives, what NaN gives.
struct Codes {
  explicit Codes(const plan::FloatFormat& f) : sign(1 << (f.exponent_bits + f.mantissa_bits)), signed_nan(true) {
    switch (f.special) {
      case plan::FloatFormat::kIeee:
        largest = sign - 1 - (1 << f.mantissa_bits);
        overflow = largest + 1;
        nan = sign - (1 << (f.mantissa_bits - 1));
        return;
      case plan::FloatFormat::kNan:
        largest = sign - 2;
        overflow = nan = sign - 1;
        return;
      default:  // NaN, or what stands for it, is the code of -0
        largest = sign - 1;
        nan = sign;
        overflow = f.special == plan::FloatFormat::kFinite ? largest : nan;
        signed_nan = false;
    }
  }
  int64_t sign, largest, overflow, nan;
  bool signed_nan;
};

}  // namespace

// f8E8M0FNU: the exponent, rounded (ties go up: the significand 1 is odd).
llvm::Value* OpEmitter::ScaleBits(llvm::Value* bits) {
  llvm::Value* code = b_.CreateLShr(b_.CreateAdd(bits, Int(bits, 0x400000)), Int(bits, 23));
  code = b_.CreateBinaryIntrinsic(llvm::Intrinsic::umin, code, Int(bits, 255));
  llvm::Value* denormal = b_.CreateZExt(b_.CreateICmpUGE(bits, Int(bits, 0x00600000)), bits->getType());
  code = b_.CreateSelect(b_.CreateICmpULT(bits, Int(bits, 0x00800000)), denormal, code);
  // Zero, negative numbers, infinity and NaN.
  llvm::Value* nan = b_.CreateICmpUGE(b_.CreateSub(bits, Int(bits, 1)), Int(bits, 0x7f800000 - 1));
  return b_.CreateSelect(nan, Int(bits, 255), code);
}

llvm::Value* OpEmitter::NarrowBits(llvm::Value* value, ElementType elt) {
  llvm::Value* bits = AsInt(value);
  llvm::Type* narrow = Like(value, b_.getIntNTy(ElementBytes(elt) * 8));
  if (elt == ElementType::kBF16) return b_.CreateTrunc(b_.CreateLShr(bits, Int(bits, 16)), narrow);
  if (elt == ElementType::kF16 && target_.isa >= executable::IsaLevel::kV3) {
    return b_.CreateBitCast(b_.CreateFPTrunc(value, Like(value, b_.getHalfTy())), narrow);
  }
  plan::FloatFormat f = plan::FormatOf(elt);
  if (f.special == plan::FloatFormat::kScale) return b_.CreateTrunc(ScaleBits(bits), narrow);
  Codes codes(f);
  int drop = 23 - f.mantissa_bits;
  // Normal results round by integers, denormal ones by an addition whose last place is theirs.
  llvm::Value* magnitude = b_.CreateAnd(bits, Int(bits, 0x7fffffff));
  llvm::Value* odd = b_.CreateAnd(b_.CreateLShr(magnitude, Int(bits, drop)), Int(bits, 1));
  int64_t rebias = int64_t{127 - f.bias} << 23;
  llvm::Value* rounded = b_.CreateAdd(magnitude, b_.CreateAdd(odd, Int(bits, (int64_t{1} << (drop - 1)) - 1 - rebias)));
  llvm::Value* normal = b_.CreateLShr(rounded, Int(bits, drop));
  double magic = std::ldexp(1.0, 24 - f.bias - f.mantissa_bits);
  llvm::Value* sum = b_.CreateFAdd(b_.CreateBitCast(magnitude, value->getType()), Fp(value, magic));
  llvm::Value* denormal = b_.CreateSub(AsInt(sum), AsInt(Fp(value, magic)));
  int64_t least_normal = int64_t{128 - f.bias} << 23;
  llvm::Value* result = b_.CreateSelect(b_.CreateICmpULT(magnitude, Int(bits, least_normal)), denormal, normal);
  llvm::Value* sign =
      b_.CreateAnd(b_.CreateLShr(bits, Int(bits, 31 - (f.exponent_bits + f.mantissa_bits))), Int(bits, codes.sign));
  if (f.special == plan::FloatFormat::kFnuz) {  // no -0
    sign = b_.CreateSelect(b_.CreateICmpEQ(result, Int(bits, 0)), Int(bits, 0), sign);
  }
  llvm::Value* over = b_.CreateICmpSGT(result, Int(bits, codes.largest));
  result = b_.CreateSelect(over, Int(bits, codes.overflow), result);
  if (codes.overflow == codes.nan && !codes.signed_nan) sign = b_.CreateSelect(over, Int(bits, 0), sign);
  llvm::Value* is_nan = b_.CreateFCmpUNO(value, value);
  result = b_.CreateSelect(is_nan, Int(bits, codes.nan), result);
  if (!codes.signed_nan) sign = b_.CreateSelect(is_nan, Int(bits, 0), sign);
  return b_.CreateTrunc(b_.CreateOr(result, sign), narrow);
}

llvm::Value* OpEmitter::WidenNarrow(llvm::Value* bits, ElementType elt) {
  llvm::Type* fp = Like(bits, b_.getFloatTy());
  if (elt == ElementType::kF16 && target_.isa >= executable::IsaLevel::kV3) {
    return b_.CreateFPExt(b_.CreateBitCast(bits, Like(bits, b_.getHalfTy())), fp);
  }
  llvm::Value* wide = b_.CreateZExt(bits, Like(bits, b_.getInt32Ty()));
  if (elt == ElementType::kBF16) return b_.CreateBitCast(b_.CreateShl(wide, Int(wide, 16)), fp);
  plan::FloatFormat f = plan::FormatOf(elt);
  llvm::Value* nan = Int(wide, 0x7fc00000);
  if (f.special == plan::FloatFormat::kScale) {
    llvm::Value* value =
        b_.CreateSelect(b_.CreateICmpEQ(wide, Int(wide, 0)), Int(wide, 1 << 22), b_.CreateShl(wide, Int(wide, 23)));
    return b_.CreateBitCast(b_.CreateSelect(b_.CreateICmpEQ(wide, Int(wide, 255)), nan, value), fp);
  }
  Codes codes(f);
  llvm::Value* magnitude = b_.CreateAnd(wide, Int(wide, codes.sign - 1));
  llvm::Value* normal =
      b_.CreateAdd(b_.CreateShl(magnitude, Int(wide, 23 - f.mantissa_bits)), Int(wide, int64_t{127 - f.bias} << 23));
  double unit = std::ldexp(1.0, 1 - f.bias - f.mantissa_bits);
  llvm::Value* scaled = b_.CreateFMul(b_.CreateSIToFP(magnitude, fp), llvm::ConstantFP::get(fp, unit));
  llvm::Value* denormal = b_.CreateICmpULT(magnitude, Int(wide, int64_t{1} << f.mantissa_bits));
  llvm::Value* result = b_.CreateSelect(denormal, AsInt(scaled), normal);
  if (f.special == plan::FloatFormat::kIeee) {
    llvm::Value* infinite = b_.CreateICmpEQ(magnitude, Int(wide, codes.overflow));
    llvm::Value* special = b_.CreateSelect(infinite, Int(wide, 0x7f800000), nan);
    result = b_.CreateSelect(b_.CreateICmpUGT(magnitude, Int(wide, codes.largest)), special, result);
  } else if (f.special == plan::FloatFormat::kNan) {
    result = b_.CreateSelect(b_.CreateICmpUGT(magnitude, Int(wide, codes.largest)), nan, result);
  }
  llvm::Value* sign =
      b_.CreateShl(b_.CreateAnd(wide, Int(wide, codes.sign)), Int(wide, 31 - (f.exponent_bits + f.mantissa_bits)));
  result = b_.CreateOr(result, sign);
  if (f.special == plan::FloatFormat::kFnuz)
    result = b_.CreateSelect(b_.CreateICmpEQ(wide, Int(wide, codes.sign)), nan, result);
  return b_.CreateBitCast(result, fp);
}

}  // namespace treadle::emit

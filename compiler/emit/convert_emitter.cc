// Changes of type, and 16-bit floats as f32.
#include <cmath>

#include "compiler/emit/op_emitter.h"

namespace treadle::emit {

// Saturating, NaN is 0. LLVM's own saturating conversions take several times as many instructions, and the plain ones are
// undefined out of range: so the range is checked before.
llvm::Value* OpEmitter::FloatToInteger(ElementType to, llvm::Value* x) {
  int bits = ElementBytes(to) * 8;
  bool is_signed = IsSigned(to);
  double least = is_signed ? -std::ldexp(1.0, bits - 1) : 0.0;
  double past = std::ldexp(1.0, is_signed ? bits - 1 : bits);
  uint64_t ones = bits == 64 ? ~0ull : (1ull << bits) - 1;
  llvm::Value* above = b_.CreateFCmpOGE(x, Fp(x, past));
  llvm::Value* inside = b_.CreateAnd(b_.CreateFCmpOGT(x, Fp(x, least)), b_.CreateFCmpOLT(x, Fp(x, past)));
  llvm::Value* safe = b_.CreateSelect(inside, x, Fp(x, 0.0));
  llvm::Type* type = Like(x, b_.getIntNTy(bits));
  llvm::Type* through = bits < 32 ? Like(x, b_.getInt32Ty()) : type;  // there are instructions for these
  llvm::Value* converted = is_signed || bits < 32 ? b_.CreateFPToSI(safe, through) : b_.CreateFPToUI(safe, through);
  if (through != type) converted = b_.CreateTrunc(converted, type);
  converted = b_.CreateSelect(above, Int(converted, static_cast<int64_t>(is_signed ? ones >> 1 : ones)), converted);
  if (!is_signed) return converted;
  llvm::Value* below = b_.CreateFCmpOLE(x, Fp(x, least));
  return b_.CreateSelect(below, Int(converted, static_cast<int64_t>(1ull << (bits - 1))), converted);
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
    return Round16(value, to);
  }
  if (!IsInteger(to)) return nullptr;
  if (from_float) return FloatToInteger(to, x);
  llvm::Type* type = Like(x, b_.getIntNTy(ElementBytes(to) * 8));
  return IsSigned(from) ? b_.CreateSExtOrTrunc(x, type) : b_.CreateZExtOrTrunc(x, type);
}

llvm::Value* OpEmitter::Round16(llvm::Value* value, ElementType elt) {
  if (elt == ElementType::kF16) return Wide16(Bits16(value, elt), elt);
  if (elt != ElementType::kBF16) return value;
  // To nearest even by integers: LLVM's own rounding is a call a lane. A NaN keeps its sign and the top of its payload.
  llvm::Value* bits = AsInt(value);
  llvm::Value* odd = b_.CreateAnd(b_.CreateLShr(bits, Int(bits, 16)), Int(bits, 1));
  llvm::Value* rounded = b_.CreateAdd(bits, b_.CreateAdd(odd, Int(bits, 0x7fff)));
  llvm::Value* quiet = b_.CreateOr(bits, Int(bits, 0x400000));
  llvm::Value* chosen = b_.CreateSelect(b_.CreateFCmpUNO(value, value), quiet, rounded);
  return b_.CreateBitCast(b_.CreateAnd(chosen, Int(bits, static_cast<int64_t>(0xffff0000))), value->getType());
}

llvm::Value* OpEmitter::Bits16(llvm::Value* value, ElementType elt) {
  llvm::Value* bits = AsInt(value);
  llvm::Type* i16 = Like(value, b_.getInt16Ty());
  if (elt == ElementType::kBF16) return b_.CreateTrunc(b_.CreateLShr(bits, Int(bits, 16)), i16);
  if (target_.isa >= executable::IsaLevel::kV3) {
    return b_.CreateBitCast(b_.CreateFPTrunc(value, Like(value, b_.getHalfTy())), i16);
  }
  // Without F16C. Normal results round by integers, denormal ones by an addition whose last place is theirs.
  llvm::Value* magnitude = b_.CreateAnd(bits, Int(bits, 0x7fffffff));
  llvm::Value* sign = b_.CreateAnd(b_.CreateLShr(bits, Int(bits, 16)), Int(bits, 0x8000));
  llvm::Value* odd = b_.CreateAnd(b_.CreateLShr(magnitude, Int(bits, 13)), Int(bits, 1));
  llvm::Value* rounded = b_.CreateAdd(magnitude, b_.CreateAdd(odd, Int(bits, 0xfff - (112 << 23))));
  llvm::Value* normal = b_.CreateLShr(rounded, Int(bits, 13));
  llvm::Value* half = b_.CreateFAdd(b_.CreateBitCast(magnitude, value->getType()), Fp(value, 0.5));
  llvm::Value* denormal = b_.CreateSub(AsInt(half), Int(bits, 0x3f000000));
  llvm::Value* result = b_.CreateSelect(b_.CreateICmpULT(magnitude, Int(bits, 0x38800000)), denormal, normal);
  result = b_.CreateSelect(b_.CreateICmpUGE(magnitude, Int(bits, 0x477ff000)), Int(bits, 0x7c00), result);
  llvm::Value* payload = b_.CreateAnd(b_.CreateLShr(magnitude, Int(bits, 13)), Int(bits, 0x3ff));
  llvm::Value* nan = b_.CreateOr(payload, Int(bits, 0x7e00));
  result = b_.CreateSelect(b_.CreateICmpUGT(magnitude, Int(bits, 0x7f800000)), nan, result);
  return b_.CreateTrunc(b_.CreateOr(result, sign), i16);
}

llvm::Value* OpEmitter::Wide16(llvm::Value* bits, ElementType elt) {
  llvm::Type* fp = Like(bits, b_.getFloatTy());
  llvm::Type* i32 = Like(bits, b_.getInt32Ty());
  if (elt == ElementType::kBF16) {
    llvm::Value* wide = b_.CreateZExt(bits, i32);
    return b_.CreateBitCast(b_.CreateShl(wide, Int(wide, 16)), fp);
  }
  if (target_.isa >= executable::IsaLevel::kV3) {
    return b_.CreateFPExt(b_.CreateBitCast(bits, Like(bits, b_.getHalfTy())), fp);
  }
  llvm::Value* wide = b_.CreateZExt(bits, i32);
  llvm::Value* sign = b_.CreateShl(b_.CreateAnd(wide, Int(wide, 0x8000)), Int(wide, 16));
  llvm::Value* magnitude = b_.CreateAnd(wide, Int(wide, 0x7fff));
  llvm::Value* moved = b_.CreateShl(magnitude, Int(wide, 13));
  llvm::Value* normal = b_.CreateAdd(moved, Int(wide, 112 << 23));
  llvm::Value* special = b_.CreateAdd(moved, Int(wide, 224 << 23));
  llvm::Value* quiet = b_.CreateOr(special, Int(wide, 0x400000));
  special = b_.CreateSelect(b_.CreateICmpUGT(magnitude, Int(wide, 0x7c00)), quiet, special);
  llvm::Value* scaled = b_.CreateFMul(b_.CreateSIToFP(magnitude, fp), llvm::ConstantFP::get(fp, std::ldexp(1.0, -24)));
  llvm::Value* denormal = b_.CreateBitCast(scaled, i32);
  llvm::Value* result = b_.CreateSelect(b_.CreateICmpULT(magnitude, Int(wide, 0x400)), denormal, normal);
  result = b_.CreateSelect(b_.CreateICmpUGE(magnitude, Int(wide, 0x7c00)), special, result);
  return b_.CreateBitCast(b_.CreateOr(result, sign), fp);
}

}  // namespace treadle::emit

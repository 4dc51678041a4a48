// The forms of a value: scalar, vector, 16-bit, in memory, carried by a loop.
#include "compiler/emit/function_emitter.h"

namespace treadle::emit {
llvm::Type* FunctionEmitter::WideType(ElementType elt) {
  switch (elt) {
    case ElementType::kI1:
      return b_.getInt1Ty();
    case ElementType::kF32:
      return b_.getFloatTy();
    default:
      return IsNarrowFloat(elt) ? b_.getFloatTy() : MemoryType(elt);
  }
}

llvm::Type* FunctionEmitter::MemoryType(ElementType elt) {
  switch (elt) {
    case ElementType::kF32:
      return b_.getFloatTy();
    case ElementType::kF64:
      return b_.getDoubleTy();
    default:
      if (elt == ElementType::kI1 || IsInteger(elt) || IsNarrowFloat(elt)) return b_.getIntNTy(ElementBytes(elt) * 8);
      Fail(Unimplemented("kernel '" + plan_.name + "': values of type " + std::string(ElementTypeName(elt))));
      return b_.getInt8Ty();
  }
}

llvm::Type* FunctionEmitter::Widen(llvm::Type* scalar) { return llvm::FixedVectorType::get(scalar, lanes_.width); }

// <width x scalar>: first, first + 1, ...
llvm::Value* FunctionEmitter::Iota(llvm::Type* scalar, int first) {
  llvm::SmallVector<llvm::Constant*, 64> lanes;
  for (int lane = 0; lane < lanes_.width; ++lane) {
    lanes.push_back(llvm::ConstantInt::get(scalar, static_cast<uint64_t>(first + lane), false, true));
  }
  return llvm::ConstantVector::get(lanes);
}

// The scalar (one part), or with `vector` one vector a part. The forms made on the way are kept with the value.
const Parts& FunctionEmitter::Wide(Value& value, bool vector) {
  if (value.wide.empty() && value.variance != Variance::kAffine) {
    AtLevel(value.level, [&] {
      for (llvm::Value* bits : value.bits) value.wide.push_back(ops_.WidenNarrow(bits, value.elt));
    });
  }
  if (!vector) return value.wide;
  if (value.variance == Variance::kUniform) {
    auto width = [](llvm::Value* v) { return llvm::cast<llvm::FixedVectorType>(v->getType())->getNumElements(); };
    if (value.splat.empty() || width(value.splat[0]) != static_cast<unsigned>(lanes_.width)) {
      AtLevel(value.level, [&] { value.splat = {b_.CreateVectorSplat(lanes_.width, value.wide[0])}; });
    }
    value.splat.resize(lanes_.parts, value.splat[0]);
    return value.splat;
  }
  if (value.variance == Variance::kAffine && value.wide.empty()) {
    AtLevel(value.level, [&] {
      llvm::Type* type = value.base->getType();
      llvm::Value* base = b_.CreateVectorSplat(lanes_.width, value.base);
      llvm::Value* stride = b_.CreateVectorSplat(lanes_.width, value.stride);
      for (int part = 0; part < lanes_.parts; ++part) {
        value.wide.push_back(b_.CreateAdd(base, b_.CreateMul(Iota(type, part * lanes_.width), stride)));
      }
    });
  }
  return value.wide;
}

void FunctionEmitter::MakeBits(Value& value) {
  if (!value.bits.empty()) return;
  AtLevel(value.level, [&] {
    for (llvm::Value* wide : value.wide) value.bits.push_back(ops_.NarrowBits(wide, value.elt));
  });
}

const Parts& FunctionEmitter::Bits(Value& value, bool vector) {
  MakeBits(value);
  if (!vector || value.variance != Variance::kUniform) return value.bits;
  AtLevel(value.level,
          [&] { value.splat_bits.assign(lanes_.parts, b_.CreateVectorSplat(lanes_.width, value.bits[0])); });
  return value.splat_bits;
}

Parts FunctionEmitter::ToMemory(Value& value, bool vector) {
  if (IsNarrowFloat(value.elt)) return Bits(value, vector);
  Parts parts = Wide(value, vector);
  if (value.elt != ElementType::kI1) return parts;
  for (llvm::Value*& part : parts) part = b_.CreateZExt(part, vector ? Widen(b_.getInt8Ty()) : b_.getInt8Ty());
  return parts;
}

Value FunctionEmitter::FromMemory(ElementType elt, Variance variance, Parts parts) {
  Value value{.elt = elt, .variance = variance, .level = top()};
  for (llvm::Value*& part : parts)
    part = elt == ElementType::kI1 ? b_.CreateIsNotNull(part) : ops_.Normalize(part, elt);
  (IsNarrowFloat(elt) ? value.bits : value.wide) = std::move(parts);
  return value;
}

// What a phi holds: narrow floats as bits (their NaNs survive), but bf16 as f32; masks as integers of a lane's width
// except where the CPU has mask registers.
Parts FunctionEmitter::ToCarry(Value& value, bool vector) {
  if (IsNarrowFloat(value.elt) && value.elt != ElementType::kBF16) return Bits(value, vector);
  Parts parts = Wide(value, vector);
  if (value.elt == ElementType::kI1 && vector && !v4()) {
    llvm::Type* type = Widen(b_.getIntNTy(options_.target.vector_bytes() * 8 / lanes_.width));
    for (llvm::Value*& part : parts) part = b_.CreateSExt(part, type);
  }
  return parts;
}

Value FunctionEmitter::FromCarry(ElementType elt, bool vector, llvm::ArrayRef<llvm::Value*> parts) {
  Value value{.elt = elt, .variance = vector ? Variance::kVarying : Variance::kUniform, .level = top()};
  Parts copy(parts.begin(), parts.end());
  if (elt == ElementType::kI1 && vector && !v4()) {
    for (llvm::Value*& part : copy) part = b_.CreateIsNeg(part);
  }
  (IsNarrowFloat(elt) && elt != ElementType::kBF16 ? value.bits : value.wide) = std::move(copy);
  return value;
}

Parts FunctionEmitter::SelectParts(llvm::ArrayRef<llvm::Value*> masks, const Parts& a, const Parts& b) {
  Parts parts;
  for (size_t i = 0; i < a.size(); ++i) parts.push_back(b_.CreateSelect(masks[i % masks.size()], a[i], b[i]));
  return parts;
}

}  // namespace treadle::emit

#include "compiler/plan/narrow_float.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

namespace treadle::plan {

FloatFormat FormatOf(ElementType type) {
  switch (type) {
    case ElementType::kF4E2M1FN:
      return {2, 1, 1, FloatFormat::kFinite};
    case ElementType::kF6E2M3FN:
      return {2, 3, 1, FloatFormat::kFinite};
    case ElementType::kF6E3M2FN:
      return {3, 2, 3, FloatFormat::kFinite};
    case ElementType::kF8E3M4:
      return {3, 4, 3, FloatFormat::kIeee};
    case ElementType::kF8E4M3:
      return {4, 3, 7, FloatFormat::kIeee};
    case ElementType::kF8E4M3FN:
      return {4, 3, 7, FloatFormat::kNan};
    case ElementType::kF8E4M3FNUZ:
      return {4, 3, 8, FloatFormat::kFnuz};
    case ElementType::kF8E4M3B11FNUZ:
      return {4, 3, 11, FloatFormat::kFnuz};
    case ElementType::kF8E5M2:
      return {5, 2, 15, FloatFormat::kIeee};
    case ElementType::kF8E5M2FNUZ:
      return {5, 2, 16, FloatFormat::kFnuz};
    case ElementType::kF8E8M0FNU:
      return {8, 0, 127, FloatFormat::kScale};
    case ElementType::kBF16:
      return {8, 7, 127, FloatFormat::kIeee};
    case ElementType::kF16:
      return {5, 10, 15, FloatFormat::kIeee};
    case ElementType::kF64:
      return {11, 52, 1023, FloatFormat::kIeee};
    default:
      return {8, 23, 127, FloatFormat::kIeee};
  }
}

namespace {

constexpr float kNan = std::numeric_limits<float>::quiet_NaN();

uint32_t SignBit(const FloatFormat& f) { return 1u << (f.exponent_bits + f.mantissa_bits); }

// The code of the largest finite value, without sign.
uint32_t LargestFinite(const FloatFormat& f) {
  uint32_t all = SignBit(f) - 1;
  switch (f.special) {
    case FloatFormat::kIeee:
      return all - (1u << f.mantissa_bits);
    case FloatFormat::kNan:
    case FloatFormat::kScale:
      return all - 1;
    case FloatFormat::kFinite:
    case FloatFormat::kFnuz:
      break;
  }
  return all;
}

uint32_t NanCode(const FloatFormat& f, uint32_t sign) {
  switch (f.special) {
    case FloatFormat::kIeee:
      return sign | (SignBit(f) - (1u << (f.mantissa_bits - 1)));
    case FloatFormat::kNan:
      return sign | (SignBit(f) - 1);
    case FloatFormat::kScale:
      return SignBit(f) - 1;
    case FloatFormat::kFinite:
    case FloatFormat::kFnuz:
      break;
  }
  return SignBit(f);
}

uint32_t OverflowCode(const FloatFormat& f, uint32_t sign) {
  if (f.special == FloatFormat::kFinite) return sign | LargestFinite(f);
  return f.special == FloatFormat::kIeee ? sign | (LargestFinite(f) + 1) : NanCode(f, sign);
}

}  // namespace

float NarrowToFloat(ElementType type, uint64_t bits) {
  if (type == ElementType::kBF16) return std::bit_cast<float>(static_cast<uint32_t>(bits) << 16);
  FloatFormat f = FormatOf(type);
  uint32_t code = static_cast<uint32_t>(bits);
  if (f.special == FloatFormat::kScale)
    return code == 255 ? kNan : std::bit_cast<float>(code == 0 ? 1u << 22 : code << 23);
  uint32_t magnitude = code & (SignBit(f) - 1);
  bool negative = code & SignBit(f);
  if (f.special == FloatFormat::kFnuz && magnitude == 0 && negative) return kNan;
  if (magnitude > LargestFinite(f)) {
    bool infinite = f.special == FloatFormat::kIeee && magnitude == LargestFinite(f) + 1;
    float value = infinite ? std::numeric_limits<float>::infinity() : kNan;
    return negative ? -value : value;
  }
  int exponent = static_cast<int>(magnitude >> f.mantissa_bits);
  float mantissa = static_cast<float>(magnitude & ((1u << f.mantissa_bits) - 1));
  if (exponent > 0) mantissa += static_cast<float>(1u << f.mantissa_bits);
  float value = std::ldexp(mantissa, std::max(exponent, 1) - f.bias - f.mantissa_bits);
  return negative ? -value : value;
}

uint64_t FloatToNarrow(ElementType type, float value) {
  uint32_t bits = std::bit_cast<uint32_t>(value), magnitude = bits & 0x7fffffff;
  if (type == ElementType::kBF16) {
    if (magnitude > 0x7f800000) return (bits >> 16) | 0x40;
    return (bits + 0x7fff + ((bits >> 16) & 1)) >> 16;
  }
  FloatFormat f = FormatOf(type);
  bool negative = bits >> 31;
  uint32_t sign = negative ? SignBit(f) : 0;
  if (magnitude > 0x7f800000) return NanCode(f, sign);
  if (f.special == FloatFormat::kScale) {
    if (negative || magnitude == 0 || magnitude == 0x7f800000) return 255;
    if (magnitude < 0x00800000) return magnitude >= 0x00600000;  // a float's denormals: up to 2^-127, code 0
    uint32_t code = (magnitude + 0x400000) >> 23;                // ties go up: the significand 1 is odd
    return std::min(code, 255u);
  }
  if (magnitude == 0x7f800000) return OverflowCode(f, sign);
  // Zeros and what is far below the narrow type's smallest value round to zero.
  uint32_t code = 0;
  int exponent = static_cast<int>(magnitude >> 23) - 127, least = 1 - f.bias;
  int shift = 23 - f.mantissa_bits + std::max(0, least - exponent);
  if (shift <= 25 && magnitude >= 0x00800000) {
    uint32_t mantissa = (magnitude & 0x7fffff) | 0x800000;
    uint32_t rounded = (mantissa + (1u << (shift - 1)) - 1 + ((mantissa >> shift) & 1)) >> shift;
    code = (static_cast<uint32_t>(std::max(exponent, least) + f.bias - 1) << f.mantissa_bits) + rounded;
  }
  if (code > LargestFinite(f)) return OverflowCode(f, sign);
  if (f.special == FloatFormat::kFnuz && code == 0) return 0;
  return sign | code;
}

}  // namespace treadle::plan

// Element types of StableHLO tensors, with the names of its text form ("f32", "ui8", "complex<f32>").
#ifndef TREADLE_BASE_ELEMENT_TYPE_H_
#define TREADLE_BASE_ELEMENT_TYPE_H_

#include <cstdint>
#include <optional>
#include <string_view>

namespace treadle {

enum class ElementType : uint8_t {
  kInvalid,
  kI1,  // one byte in memory, 0 or 1
  kI2,  // 2- and 4-bit integers and every float below 8 bits: one byte in memory each
  kI4,
  kI8,
  kI16,
  kI32,
  kI64,
  kU2,
  kU4,
  kU8,
  kU16,
  kU32,
  kU64,
  kF4E2M1FN,
  kF6E2M3FN,
  kF6E3M2FN,
  kF8E3M4,
  kF8E4M3,
  kF8E4M3FN,
  kF8E4M3FNUZ,
  kF8E4M3B11FNUZ,
  kF8E5M2,
  kF8E5M2FNUZ,
  kF8E8M0FNU,
  kBF16,
  kF16,
  kF32,
  kF64,
  kC64,   // pairs of f32, real first
  kC128,  // pairs of f64
  kToken,
};

// Bytes of one element in memory; 0 for tokens.
int ElementBytes(ElementType type);

// Bits of the value itself: 1 for i1, 4 for i4, 6 for f6E2M3FN, 64 for complex<f32>.
int ElementBits(ElementType type);

std::string_view ElementTypeName(ElementType type);
std::optional<ElementType> ParseElementType(std::string_view name);

bool IsFloat(ElementType type);     // real floating point, any width
bool IsSigned(ElementType type);    // i2 to i64
bool IsUnsigned(ElementType type);  // u2 to u64
inline bool IsInteger(ElementType type) { return IsSigned(type) || IsUnsigned(type); }  // without i1
inline bool IsComplex(ElementType type) { return type == ElementType::kC64 || type == ElementType::kC128; }

// Of the parts of a complex type, and the other way round; kInvalid where there is none.
ElementType PartOf(ElementType complex);
ElementType ComplexOf(ElementType part);

}  // namespace treadle

#endif  // TREADLE_BASE_ELEMENT_TYPE_H_

#include "base/element_type.h"

#include <iterator>

namespace treadle {
namespace {

enum class Class : uint8_t { kOther, kSigned, kUnsigned, kFloat };
struct Row {
  std::string_view name;
  uint8_t bits;
  uint8_t bytes;
  Class cls;
};

// In the order of the enum.
constexpr Row kRows[] = {
    {"invalid", 0, 0, Class::kOther},
    {"i1", 1, 1, Class::kOther},
    {"i2", 2, 1, Class::kSigned},
    {"i4", 4, 1, Class::kSigned},
    {"i8", 8, 1, Class::kSigned},
    {"i16", 16, 2, Class::kSigned},
    {"i32", 32, 4, Class::kSigned},
    {"i64", 64, 8, Class::kSigned},
    {"ui2", 2, 1, Class::kUnsigned},
    {"ui4", 4, 1, Class::kUnsigned},
    {"ui8", 8, 1, Class::kUnsigned},
    {"ui16", 16, 2, Class::kUnsigned},
    {"ui32", 32, 4, Class::kUnsigned},
    {"ui64", 64, 8, Class::kUnsigned},
    {"f4E2M1FN", 4, 1, Class::kFloat},
    {"f6E2M3FN", 6, 1, Class::kFloat},
    {"f6E3M2FN", 6, 1, Class::kFloat},
    {"f8E3M4", 8, 1, Class::kFloat},
    {"f8E4M3", 8, 1, Class::kFloat},
    {"f8E4M3FN", 8, 1, Class::kFloat},
    {"f8E4M3FNUZ", 8, 1, Class::kFloat},
    {"f8E4M3B11FNUZ", 8, 1, Class::kFloat},
    {"f8E5M2", 8, 1, Class::kFloat},
    {"f8E5M2FNUZ", 8, 1, Class::kFloat},
    {"f8E8M0FNU", 8, 1, Class::kFloat},
    {"bf16", 16, 2, Class::kFloat},
    {"f16", 16, 2, Class::kFloat},
    {"f32", 32, 4, Class::kFloat},
    {"f64", 64, 8, Class::kFloat},
    {"complex<f32>", 64, 8, Class::kOther},
    {"complex<f64>", 128, 16, Class::kOther},
    {"token", 0, 0, Class::kOther},
};
static_assert(std::size(kRows) == static_cast<size_t>(ElementType::kToken) + 1);

const Row& RowOf(ElementType type) { return kRows[static_cast<size_t>(type)]; }

}  // namespace

int ElementBytes(ElementType type) { return RowOf(type).bytes; }
int ElementBits(ElementType type) { return RowOf(type).bits; }
std::string_view ElementTypeName(ElementType type) { return RowOf(type).name; }

std::optional<ElementType> ParseElementType(std::string_view name) {
  for (size_t i = 1; i < std::size(kRows); ++i) {
    if (kRows[i].name == name) return static_cast<ElementType>(i);
  }
  return std::nullopt;
}

bool IsFloat(ElementType type) { return RowOf(type).cls == Class::kFloat; }
bool IsSigned(ElementType type) { return RowOf(type).cls == Class::kSigned; }
bool IsUnsigned(ElementType type) { return RowOf(type).cls == Class::kUnsigned; }

ElementType PartOf(ElementType complex) {
  if (complex == ElementType::kC64) return ElementType::kF32;
  return complex == ElementType::kC128 ? ElementType::kF64 : ElementType::kInvalid;
}

ElementType ComplexOf(ElementType part) {
  if (part == ElementType::kF32) return ElementType::kC64;
  return part == ElementType::kF64 ? ElementType::kC128 : ElementType::kInvalid;
}

}  // namespace treadle

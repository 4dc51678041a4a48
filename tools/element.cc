#include "tools/element.h"

#include <bit>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <limits>

namespace treadle::tools {
namespace {

uint16_t ToBfloat16(float value) {
  uint32_t bits = std::bit_cast<uint32_t>(value);
  if (std::isnan(value)) return static_cast<uint16_t>(bits >> 16 | 0x40);
  return static_cast<uint16_t>((bits + 0x7fff + (bits >> 16 & 1)) >> 16);
}

float FromBfloat16(uint16_t bits) { return std::bit_cast<float>(static_cast<uint32_t>(bits) << 16); }

bool ParseFloat(std::string_view text, double& value) {
  std::string copy(text);
  char* end = nullptr;
  value = std::strtod(copy.c_str(), &end);
  return !copy.empty() && end == copy.c_str() + copy.size();
}

template <typename T>
bool StoreInteger(std::string_view text, char* out) {
  T value;
  auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) return false;
  std::memcpy(out, &value, sizeof value);
  return true;
}

template <typename T>
std::string PrintNumber(const char* in) {
  T value;
  std::memcpy(&value, in, sizeof value);
  char buffer[64];
  auto [end, error] = std::to_chars(buffer, buffer + sizeof buffer, value);
  return std::string(buffer, end);
}

std::string PrintFloat(float value) { return PrintNumber<float>(reinterpret_cast<const char*>(&value)); }

template <typename T>
void Store(T value, char* out) {
  std::memcpy(out, &value, sizeof value);
}

std::string_view Trimmed(std::string_view text) {
  while (text.starts_with(' ')) text.remove_prefix(1);
  while (text.ends_with(' ')) text.remove_suffix(1);
  return text;
}

// "(1,-2)", or the real part alone.
bool ParseComplex(std::string_view text, ElementType type, char* out) {
  const ElementType part = PartOf(type);
  std::string_view re = text, im = "0";
  if (text.starts_with('(')) {
    const size_t comma = text.find(',');
    if (comma == std::string_view::npos || !text.ends_with(')')) return false;
    re = Trimmed(text.substr(1, comma - 1));
    im = Trimmed(text.substr(comma + 1, text.size() - comma - 2));
  }
  return ParseElement(re, part, out) && ParseElement(im, part, out + ElementBytes(part));
}

}  // namespace

bool ParseElement(std::string_view text, ElementType type, char* out) {
  if (IsComplex(type)) return ParseComplex(text, type, out);
  switch (type) {
    case ElementType::kI1:
      if (text != "true" && text != "false" && text != "1" && text != "0") return false;
      *out = text == "true" || text == "1";
      return true;
    case ElementType::kI8:
      return StoreInteger<int8_t>(text, out);
    case ElementType::kI16:
      return StoreInteger<int16_t>(text, out);
    case ElementType::kI32:
      return StoreInteger<int32_t>(text, out);
    case ElementType::kI64:
      return StoreInteger<int64_t>(text, out);
    case ElementType::kU8:
      return StoreInteger<uint8_t>(text, out);
    case ElementType::kU16:
      return StoreInteger<uint16_t>(text, out);
    case ElementType::kU32:
      return StoreInteger<uint32_t>(text, out);
    case ElementType::kU64:
      return StoreInteger<uint64_t>(text, out);
    default:
      break;
  }
  double value;
  if (!IsFloat(type) || !ParseFloat(text, value)) return false;
  switch (type) {
    case ElementType::kF64:
      Store(value, out);
      return true;
    case ElementType::kF32:
      Store(static_cast<float>(value), out);
      return true;
    case ElementType::kF16:
      Store(static_cast<_Float16>(value), out);
      return true;
    case ElementType::kBF16:
      Store(ToBfloat16(static_cast<float>(value)), out);
      return true;
    default:
      return false;
  }
}

std::string PrintElement(ElementType type, const char* in) {
  if (IsComplex(type)) {
    const ElementType part = PartOf(type);
    return "(" + PrintElement(part, in) + "," + PrintElement(part, in + ElementBytes(part)) + ")";
  }
  switch (type) {
    case ElementType::kI1:
      return *in ? "true" : "false";
    case ElementType::kI8:
      return PrintNumber<int8_t>(in);
    case ElementType::kI16:
      return PrintNumber<int16_t>(in);
    case ElementType::kI32:
      return PrintNumber<int32_t>(in);
    case ElementType::kI64:
      return PrintNumber<int64_t>(in);
    case ElementType::kU8:
      return PrintNumber<uint8_t>(in);
    case ElementType::kU16:
      return PrintNumber<uint16_t>(in);
    case ElementType::kU32:
      return PrintNumber<uint32_t>(in);
    case ElementType::kU64:
      return PrintNumber<uint64_t>(in);
    case ElementType::kF32:
      return PrintNumber<float>(in);
    case ElementType::kF64:
      return PrintNumber<double>(in);
    case ElementType::kF16: {
      _Float16 value;
      std::memcpy(&value, in, sizeof value);
      return PrintFloat(static_cast<float>(value));
    }
    case ElementType::kBF16: {
      uint16_t bits;
      std::memcpy(&bits, in, sizeof bits);
      return PrintFloat(FromBfloat16(bits));
    }
    default:
      return "?";
  }
}

}  // namespace treadle::tools

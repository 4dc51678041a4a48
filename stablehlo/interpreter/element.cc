#include "stablehlo/interpreter/element.h"

#include <bit>
#include <charconv>
#include <cmath>
#include <cstring>
#include <limits>

#include "llvm/ADT/APFloat.h"

namespace treadle::interpreter {

namespace {

const llvm::fltSemantics& SemanticsOf(ElementType type) {
  switch (type) {
    case ElementType::kF4E2M1FN:
      return llvm::APFloat::Float4E2M1FN();
    case ElementType::kF6E2M3FN:
      return llvm::APFloat::Float6E2M3FN();
    case ElementType::kF6E3M2FN:
      return llvm::APFloat::Float6E3M2FN();
    case ElementType::kF8E3M4:
      return llvm::APFloat::Float8E3M4();
    case ElementType::kF8E4M3:
      return llvm::APFloat::Float8E4M3();
    case ElementType::kF8E4M3FN:
      return llvm::APFloat::Float8E4M3FN();
    case ElementType::kF8E4M3FNUZ:
      return llvm::APFloat::Float8E4M3FNUZ();
    case ElementType::kF8E4M3B11FNUZ:
      return llvm::APFloat::Float8E4M3B11FNUZ();
    case ElementType::kF8E5M2:
      return llvm::APFloat::Float8E5M2();
    case ElementType::kF8E5M2FNUZ:
      return llvm::APFloat::Float8E5M2FNUZ();
    case ElementType::kBF16:
      return llvm::APFloat::BFloat();
    case ElementType::kF16:
      return llvm::APFloat::IEEEhalf();
    case ElementType::kF32:
      return llvm::APFloat::IEEEsingle();
    default:
      return llvm::APFloat::IEEEdouble();
  }
}

bool HasNoNan(ElementType type) {
  return type == ElementType::kF4E2M1FN || type == ElementType::kF6E2M3FN || type == ElementType::kF6E3M2FN;
}

// f8E8M0FNU: powers of two from 2^-127 to 2^127 and NaN; the byte is the exponent.
constexpr int kE8M0Bias = 127;
constexpr uint64_t kE8M0Nan = 0xff;

double RoundToPowerOfTwo(Extended value) {
  if (!std::isfinite(value) || std::signbit(value) || value == 0) return std::numeric_limits<double>::quiet_NaN();
  int exponent;
  const Extended fraction = std::frexp(value, &exponent);  // in [0.5, 1); 1.5 times a power of two goes up
  exponent = std::max(exponent - (fraction >= 0.75L ? 0 : 1), -kE8M0Bias);
  if (exponent > kE8M0Bias) return std::numeric_limits<double>::quiet_NaN();
  return std::ldexp(1.0, exponent);
}

llvm::APFloat ToAPFloat(Extended value) {
  uint64_t words[2] = {0, 0};
  std::memcpy(words, &value, 10);  // the rest of its 16 bytes is padding
  return {llvm::APFloat::x87DoubleExtended(), llvm::APInt(80, words)};
}

template <typename T>
T Read(const char* from) {
  T value;
  std::memcpy(&value, from, sizeof value);
  return value;
}

template <typename T>
void Write(T value, char* to) {
  std::memcpy(to, &value, sizeof value);
}

template <typename T>
std::string Digits(T value) {
  char buffer[64];
  auto [end, error] = std::to_chars(buffer, buffer + sizeof buffer, value);
  return {buffer, end};
}

}  // namespace

Kind KindOf(ElementType type) {
  if (type == ElementType::kI1) return Kind::kBool;
  if (IsFloat(type)) return Kind::kFloat;
  if (IsComplex(type)) return Kind::kComplex;
  return IsUnsigned(type) ? Kind::kUnsigned : Kind::kSigned;
}

int64_t Wrap(int64_t value, ElementType type) {
  const int unused = 64 - ElementBits(type);
  const uint64_t shifted = static_cast<uint64_t>(value) << unused;
  if (!IsSigned(type)) return static_cast<int64_t>(shifted >> unused);
  return static_cast<int64_t>(shifted) >> unused;
}

double Round(Extended value, ElementType type) {
  if (type == ElementType::kF64) return static_cast<double>(value);
  if (type == ElementType::kF32) return static_cast<float>(value);
  if (type == ElementType::kF8E8M0FNU) return RoundToPowerOfTwo(value);
  if (HasNoNan(type) && std::isnan(value)) return -0.0;
  const llvm::fltSemantics& semantics = SemanticsOf(type);
  if (HasNoNan(type) && std::isinf(value)) {
    return llvm::APFloat::getLargest(semantics, std::signbit(value)).convertToDouble();
  }
  if (std::isnan(value)) return static_cast<double>(value);  // keeps sign and payload for Store
  llvm::APFloat number = ToAPFloat(value);
  bool loses = false;
  number.convert(semantics, llvm::APFloat::rmNearestTiesToEven, &loses);
  return number.convertToDouble();
}

Element FloatElement(Extended value, ElementType type) { return Element::OfFloat(Round(value, type)); }

Element ComplexElement(ComplexExtended value, ElementType type) {
  const ElementType part = PartOf(type);
  return Element::OfComplex(Round(value.real(), part), Round(value.imag(), part));
}

Element MultiplyComplex(Element x, Element y, ElementType type) {
  const ElementType part = PartOf(type);
  auto product = [&](double a, double b) { return Round(a * b, part); };
  return Element::OfComplex(Round(product(x.real, y.real) - product(x.imag, y.imag), part),
                            Round(product(x.real, y.imag) + product(x.imag, y.real), part));
}

uint64_t BitsOf(double value, ElementType type) {
  switch (type) {
    case ElementType::kF64:
      return std::bit_cast<uint64_t>(value);
    case ElementType::kF32:
      return std::bit_cast<uint32_t>(static_cast<float>(value));
    case ElementType::kF8E8M0FNU:
      value = RoundToPowerOfTwo(value);
      return std::isnan(value) ? kE8M0Nan : static_cast<uint64_t>(std::ilogb(value) + kE8M0Bias);
    default:
      break;
  }
  if (!std::isnan(value)) value = Round(value, type);
  if (HasNoNan(type) && std::isnan(value)) value = -0.0;
  llvm::APFloat number(value);
  bool loses = false;
  number.convert(SemanticsOf(type), llvm::APFloat::rmNearestTiesToEven, &loses);
  return number.bitcastToAPInt().getZExtValue();
}

double FromBits(uint64_t bits, ElementType type) {
  switch (type) {
    case ElementType::kF64:
      return std::bit_cast<double>(bits);
    case ElementType::kF32:
      return std::bit_cast<float>(static_cast<uint32_t>(bits));
    case ElementType::kF8E8M0FNU:
      return bits == kE8M0Nan ? std::numeric_limits<double>::quiet_NaN()
                              : std::ldexp(1.0, static_cast<int>(bits) - kE8M0Bias);
    default:
      break;
  }
  const unsigned width = static_cast<unsigned>(ElementBits(type));
  return llvm::APFloat(SemanticsOf(type), llvm::APInt(width, bits, false, /*implicitTrunc=*/true)).convertToDouble();
}

Element Load(const char* from, ElementType type) {
  if (IsFloat(type)) {
    uint64_t bits = 0;
    std::memcpy(&bits, from, ElementBytes(type));
    return Element::OfFloat(FromBits(bits, type));
  }
  switch (type) {
    case ElementType::kC64:
      return Element::OfComplex(Read<float>(from), Read<float>(from + 4));
    case ElementType::kC128:
      return Element::OfComplex(Read<double>(from), Read<double>(from + 8));
    case ElementType::kI1:
      return Element::OfBool(*from != 0);
    default:
      break;
  }
  uint64_t bits = 0;
  std::memcpy(&bits, from, ElementBytes(type));
  return Element::OfInteger(Wrap(static_cast<int64_t>(bits), type));
}

void Store(Element element, ElementType type, char* to) {
  switch (KindOf(type)) {
    case Kind::kFloat: {
      const uint64_t bits = BitsOf(element.real, type);
      std::memcpy(to, &bits, ElementBytes(type));
      return;
    }
    case Kind::kComplex:
      if (type == ElementType::kC64) {
        Write(static_cast<float>(element.real), to);
        Write(static_cast<float>(element.imag), to + 4);
      } else {
        Write(element.real, to);
        Write(element.imag, to + 8);
      }
      return;
    case Kind::kBool:
      *to = static_cast<char>(element.integer != 0);
      return;
    case Kind::kSigned:
    case Kind::kUnsigned: {
      // Narrow ones lie in a byte with their sign or zeros above them.
      const int64_t value = Wrap(element.integer, type);
      std::memcpy(to, &value, ElementBytes(type));
      return;
    }
  }
}

std::string Print(Element element, ElementType type) {
  switch (KindOf(type)) {
    case Kind::kBool:
      return element.integer != 0 ? "true" : "false";
    case Kind::kSigned:
      return Digits(element.integer);
    case Kind::kUnsigned:
      return Digits(static_cast<uint64_t>(element.integer));
    case Kind::kFloat:
      return type == ElementType::kF64 ? Digits(element.real) : Digits(static_cast<float>(element.real));
    case Kind::kComplex: {
      const ElementType part = PartOf(type);
      return "(" + Print(Element::OfFloat(element.real), part) + "," + Print(Element::OfFloat(element.imag), part) +
             ")";
    }
  }
  return "?";
}

FloatFormat FormatOf(ElementType type) {
  switch (type) {
    case ElementType::kF4E2M1FN:
      return {2, 1};
    case ElementType::kF6E2M3FN:
      return {2, 3};
    case ElementType::kF6E3M2FN:
      return {3, 2};
    case ElementType::kF8E3M4:
      return {3, 4};
    case ElementType::kF8E4M3:
    case ElementType::kF8E4M3FN:
    case ElementType::kF8E4M3FNUZ:
    case ElementType::kF8E4M3B11FNUZ:
      return {4, 3};
    case ElementType::kF8E5M2:
    case ElementType::kF8E5M2FNUZ:
      return {5, 2};
    case ElementType::kF8E8M0FNU:
      return {8, 0};
    case ElementType::kBF16:
      return {8, 7};
    case ElementType::kF16:
      return {5, 10};
    case ElementType::kF32:
      return {8, 23};
    case ElementType::kF64:
      return {11, 52};
    default:
      return {0, 0};
  }
}

}  // namespace treadle::interpreter

#include "compiler/plan/testing/tensor.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <utility>

namespace treadle::plan::testing {
namespace {

template <typename T>
T Read(const std::string& bytes, int64_t number) {
  T value;
  std::memcpy(&value, bytes.data() + number * sizeof(T), sizeof(T));
  return value;
}

template <typename T>
void Write(std::string& bytes, int64_t number, T value) {
  std::memcpy(bytes.data() + number * sizeof(T), &value, sizeof(T));
}

double HalfToDouble(uint16_t bits) {
  int exponent = bits >> 10 & 31, mantissa = bits & 1023;
  double magnitude = exponent == 31 ? (mantissa ? NAN : INFINITY)
                     : exponent     ? std::ldexp(1024 + mantissa, exponent - 25)
                                    : std::ldexp(mantissa, -24);
  return bits >> 15 ? -magnitude : magnitude;
}

uint16_t DoubleToHalf(double value) {
  uint16_t sign = std::signbit(value) ? 0x8000 : 0;
  if (std::isnan(value)) return sign | 0x7e00;
  double rounded = std::abs(RoundTo(value, 10, -24, 65536));
  if (std::isinf(rounded)) return sign | 0x7c00;
  if (rounded < std::ldexp(1, -14)) return sign | static_cast<uint16_t>(std::ldexp(rounded, 24));
  int exponent;
  double fraction = std::frexp(rounded, &exponent);
  return sign | static_cast<uint16_t>((exponent + 14) << 10) | (static_cast<uint16_t>(std::ldexp(fraction, 11)) & 1023);
}

uint16_t DoubleToBfloat(double value) {
  if (std::isnan(value)) return 0x7fc0;
  return static_cast<uint16_t>(
      std::bit_cast<uint32_t>(static_cast<float>(RoundTo(value, 7, -133, std::ldexp(1, 128)))) >> 16);
}

}  // namespace

double RoundTo(double value, int mantissa, int lowest, double overflow) {
  if (value == 0 || !std::isfinite(value)) return value;
  int exponent;
  std::frexp(value, &exponent);
  int unit = std::max(exponent - 1 - mantissa, lowest);
  double rounded = std::ldexp(std::nearbyint(std::ldexp(value, -unit)), unit);
  return std::abs(rounded) >= overflow ? std::copysign(INFINITY, value) : rounded;
}

Tensor Tensor::Zeros(Shape shape) {
  int64_t bytes = shape.bytes();
  return {std::move(shape), std::string(bytes, '\0')};
}

double Tensor::Float(int64_t number) const {
  switch (shape.type) {
    case ElementType::kF64:
      return Read<double>(bytes, number);
    case ElementType::kF32:
      return Read<float>(bytes, number);
    case ElementType::kF16:
      return HalfToDouble(Read<uint16_t>(bytes, number));
    case ElementType::kBF16:
      return std::bit_cast<float>(uint32_t{Read<uint16_t>(bytes, number)} << 16);
    default:
      return IsUnsigned(shape.type) ? static_cast<double>(static_cast<uint64_t>(Integer(number)))
                                    : static_cast<double>(Integer(number));
  }
}

int64_t Tensor::Integer(int64_t number) const {
  switch (shape.type) {
    case ElementType::kI1:
      return Read<uint8_t>(bytes, number) != 0;
    case ElementType::kI8:
      return Read<int8_t>(bytes, number);
    case ElementType::kI16:
      return Read<int16_t>(bytes, number);
    case ElementType::kI32:
      return Read<int32_t>(bytes, number);
    case ElementType::kU8:
      return Read<uint8_t>(bytes, number);
    case ElementType::kU16:
      return Read<uint16_t>(bytes, number);
    case ElementType::kU32:
      return Read<uint32_t>(bytes, number);
    default:
      return Read<int64_t>(bytes, number);
  }
}

void Tensor::SetFloat(int64_t number, double value) {
  switch (shape.type) {
    case ElementType::kF64:
      return Write(bytes, number, value);
    case ElementType::kF32:
      return Write(bytes, number, static_cast<float>(value));
    case ElementType::kF16:
      return Write(bytes, number, DoubleToHalf(value));
    case ElementType::kBF16:
      return Write(bytes, number, DoubleToBfloat(value));
    default:
      std::abort();
  }
}

void Tensor::SetInteger(int64_t number, int64_t value) {
  switch (ElementBytes(shape.type)) {
    case 1:
      return Write(bytes, number, static_cast<uint8_t>(value));
    case 2:
      return Write(bytes, number, static_cast<uint16_t>(value));
    case 4:
      return Write(bytes, number, static_cast<uint32_t>(value));
    default:
      return Write(bytes, number, value);
  }
}

void Copy(Tensor& to, int64_t i, const Tensor& from, int64_t j) {
  const int bytes = ElementBytes(to.shape.type);
  std::memcpy(to.bytes.data() + i * bytes, from.bytes.data() + j * bytes, bytes);
}

}  // namespace treadle::plan::testing

#include "compiler/plan/evaluate.h"

#include <emmintrin.h>

#include <bit>
#include <cmath>
#include <cstring>
#include <limits>
#include <type_traits>

#include "compiler/plan/math.h"
#include "compiler/plan/math/scalar.h"
#include "compiler/plan/narrow_float.h"

namespace treadle::plan {
namespace {

constexpr unsigned kFlushToZero = 0x8000, kDenormalsAreZero = 0x0040;

bool KeepsSubnormals() { return (_mm_getcsr() & kDenormalsAreZero) == 0; }

template <class T>
using BitsOf = std::conditional_t<sizeof(T) == 4, uint32_t, uint64_t>;

template <class T>
T FromBits(uint64_t bits) {
  return std::bit_cast<T>(static_cast<BitsOf<T>>(bits));
}

template <class T>
uint64_t ToBits(T value) {
  return std::bit_cast<BitsOf<T>>(value);
}

// What library functions that know no flushing see and give, where this thread flushes. By bits: compared with zero, a
// denormal is one already.
template <class T>
T Flushed(T x) {
  if (KeepsSubnormals()) return x;
  constexpr int kMantissaBits = sizeof(T) == 4 ? 23 : 52;
  BitsOf<T> exponent = std::bit_cast<BitsOf<T>>(std::numeric_limits<T>::infinity());
  if ((std::bit_cast<BitsOf<T>>(x) & exponent) >> kMantissaBits != 0) return x;
  return std::bit_cast<T>(static_cast<BitsOf<T>>(std::bit_cast<BitsOf<T>>(x) & std::bit_cast<BitsOf<T>>(T(-0.0))));
}

template <class T>
T Max(T a, T b) {
  if (a != a || b != b) return std::numeric_limits<T>::quiet_NaN();
  if (a == b) return std::signbit(a) ? b : a;
  return a > b ? a : b;
}

template <class T>
T Min(T a, T b) {
  if (a != a || b != b) return std::numeric_limits<T>::quiet_NaN();
  if (a == b) return std::signbit(a) ? a : b;
  return a < b ? a : b;
}

template <class T>
T Math(Op op, T x, T y, bool fma) {
  if constexpr (sizeof(T) == 4) {
    math::Scalar32 m(fma, KeepsSubnormals());
    return EvaluateMath(m, op, x, y);
  } else {
    math::Scalar64 m(fma, KeepsSubnormals());
    return EvaluateMath(m, op, x, y);
  }
}

// Rounds to fewer exponent and mantissa bits; what the smaller format could not tell from zero becomes zero.
template <class T>
T ReducePrecision(T x, int exponent_bits, int mantissa_bits) {
  constexpr int kMantissaBits = sizeof(T) == 4 ? 23 : 52;
  constexpr int kBias = sizeof(T) == 4 ? 127 : 1023;
  if (x != x) return x;
  BitsOf<T> bits = std::bit_cast<BitsOf<T>>(x);
  BitsOf<T> sign = bits & (BitsOf<T>{1} << (8 * sizeof(T) - 1));
  if (mantissa_bits < kMantissaBits) {
    int drop = kMantissaBits - mantissa_bits;
    BitsOf<T> last = BitsOf<T>{1} << drop;
    bits += (last >> 1) - 1 + ((bits >> drop) & 1);
    bits &= ~(last - 1);
  }
  BitsOf<T> magnitude = bits & ~(BitsOf<T>{1} << (8 * sizeof(T) - 1));
  int bias = (1 << (exponent_bits - 1)) - 1;
  if (bias < kBias) {
    BitsOf<T> infinity = std::bit_cast<BitsOf<T>>(std::numeric_limits<T>::infinity());
    int exponent = static_cast<int>(magnitude >> kMantissaBits) - kBias;
    if (exponent > bias) magnitude = infinity;
    if (exponent < 1 - bias) magnitude = 0;
  }
  return std::bit_cast<T>(static_cast<BitsOf<T>>(sign | magnitude));
}

template <class T>
T FloatOp(Op op, const T* a, uint64_t imm, bool fma) {
  switch (op) {
    case Op::kAdd:
      return a[0] + a[1];
    case Op::kSub:
      return a[0] - a[1];
    case Op::kMul:
      return a[0] * a[1];
    case Op::kDiv:
      return a[0] / a[1];
    case Op::kRem:
      return Flushed(std::fmod(Flushed(a[0]), Flushed(a[1])));
    case Op::kMax:
      return Max(a[0], a[1]);
    case Op::kMin:
      return Min(a[0], a[1]);
    case Op::kAbs:
      return FromBits<T>(ToBits(a[0]) & ~ToBits(T(-0.0)));
    case Op::kNeg:
      return FromBits<T>(ToBits(a[0]) ^ ToBits(T(-0.0)));
    case Op::kSign:
      return a[0] == 0 || a[0] != a[0] ? a[0] : std::copysign(T(1), a[0]);
    case Op::kFma:
      return fma ? std::fma(a[0], a[1], a[2]) : a[0] * a[1] + a[2];
    case Op::kFloor:
      return std::floor(Flushed(a[0]));
    case Op::kCeil:
      return std::ceil(Flushed(a[0]));
    case Op::kRoundAfz:
      return std::round(Flushed(a[0]));
    case Op::kRoundEven:
      return std::nearbyint(Flushed(a[0]));
    case Op::kReducePrecision:
      return ReducePrecision(a[0], static_cast<int>(imm >> 8), static_cast<int>(imm & 0xff));
    default:
      return Math(op, a[0], a[1], fma);
  }
}

uint64_t IntegerPow(ElementType elt, uint64_t base, uint64_t exponent) {
  if (IsSigned(elt) && static_cast<int64_t>(exponent) < 0) {
    if (base == 1) return 1;
    if (static_cast<int64_t>(base) == -1) return exponent & 1 ? base : 1;
    return 0;
  }
  uint64_t power = 1;
  for (; exponent != 0; exponent >>= 1, base *= base) {
    if (exponent & 1) power *= base;
  }
  return power;
}

uint64_t Shift(Op op, ElementType elt, uint64_t value, uint64_t amount) {
  uint64_t width = ElementBits(elt);
  uint64_t mask = width == 64 ? ~uint64_t{0} : (uint64_t{1} << width) - 1;
  amount &= mask;
  if (op == Op::kShl) return amount >= width ? 0 : value << amount;
  if (op == Op::kShrL) return amount >= width ? 0 : (value & mask) >> amount;
  // All sign bits of a signed type; of an unsigned one, the highest bit counts as its sign.
  int64_t extended = static_cast<int64_t>(value << (64 - width)) >> (64 - width);
  return static_cast<uint64_t>(extended >> std::min<uint64_t>(amount, 63));
}

uint64_t IntegerOp(Op op, ElementType elt, const uint64_t* a) {
  bool is_signed = IsSigned(elt);
  auto s = [&](int k) { return static_cast<int64_t>(a[k]); };
  auto less = [&] { return is_signed ? s(0) < s(1) : a[0] < a[1]; };
  int bits = ElementBits(elt);
  uint64_t mask = bits == 64 ? ~uint64_t{0} : (uint64_t{1} << bits) - 1;
  switch (op) {
    case Op::kAdd:
      return elt == ElementType::kI1 ? a[0] | a[1] : a[0] + a[1];
    case Op::kSub:
      return a[0] - a[1];
    case Op::kMul:
      return a[0] * a[1];
    case Op::kDiv:
      if (a[1] == 0) return ~uint64_t{0};
      if (is_signed && s(1) == -1) return 0 - a[0];
      return is_signed ? static_cast<uint64_t>(s(0) / s(1)) : a[0] / a[1];
    case Op::kRem:
      if (a[1] == 0) return a[0];
      if (is_signed && s(1) == -1) return 0;
      return is_signed ? static_cast<uint64_t>(s(0) % s(1)) : a[0] % a[1];
    case Op::kMax:
      return less() ? a[1] : a[0];
    case Op::kMin:
      return less() ? a[0] : a[1];
    case Op::kAbs:
      return is_signed && s(0) < 0 ? 0 - a[0] : a[0];
    case Op::kNeg:
      return 0 - a[0];
    case Op::kSign:
      return is_signed && s(0) < 0 ? ~uint64_t{0} : a[0] != 0;
    case Op::kAnd:
      return a[0] & a[1];
    case Op::kOr:
      return a[0] | a[1];
    case Op::kXor:
      return a[0] ^ a[1];
    case Op::kNot:
      return ~a[0];
    case Op::kShl:
    case Op::kShrL:
    case Op::kShrA:
      return Shift(op, elt, a[0], a[1]);
    case Op::kPopcnt:
      return std::popcount(a[0] & mask);
    case Op::kClz:
      return std::countl_zero(a[0] & mask) - (64 - bits);
    case Op::kPow:
      return IntegerPow(elt, a[0], a[1]);
    default:
      return 0;
  }
}

template <class T>
bool Holds(Predicate p, T a, T b) {
  switch (p) {
    case Predicate::kEq:
      return a == b;
    case Predicate::kNe:
      return a != b;
    case Predicate::kGe:
    case Predicate::kTotalGe:
      return a >= b;
    case Predicate::kGt:
    case Predicate::kTotalGt:
      return a > b;
    case Predicate::kLe:
    case Predicate::kTotalLe:
      return a <= b;
    case Predicate::kLt:
    case Predicate::kTotalLt:
      return a < b;
  }
  return false;
}

double ToDouble(ElementType elt, uint64_t bits) {
  if (elt == ElementType::kF64) return FromBits<double>(bits);
  if (elt == ElementType::kF32) return FromBits<float>(bits);
  return NarrowToFloat(elt, bits);
}

// The bits as an integer in the order of values, -NaN first.
int64_t TotalOrder(ElementType elt, uint64_t bits) {
  int width = ElementBits(elt);
  int64_t extended = static_cast<int64_t>(bits << (64 - width)) >> (64 - width);
  return extended >= 0 ? extended : extended ^ static_cast<int64_t>((uint64_t{1} << (width - 1)) - 1);
}

bool Compare(Predicate p, ElementType elt, uint64_t a, uint64_t b) {
  if (!IsFloat(elt)) {
    return IsSigned(elt) ? Holds(p, static_cast<int64_t>(a), static_cast<int64_t>(b)) : Holds(p, a, b);
  }
  if (p >= Predicate::kTotalGe) return Holds(p, TotalOrder(elt, a), TotalOrder(elt, b));
  if (elt == ElementType::kF64) return Holds(p, FromBits<double>(a), FromBits<double>(b));
  if (elt == ElementType::kF32) return Holds(p, FromBits<float>(a), FromBits<float>(b));
  return Holds(p, NarrowToFloat(elt, a), NarrowToFloat(elt, b));
}

uint64_t FloatToInteger(ElementType to, double value) {
  if (value != value) return 0;
  int bits = ElementBits(to);
  if (IsSigned(to)) {
    double limit = std::ldexp(1.0, bits - 1);
    if (value < -limit) return static_cast<uint64_t>(int64_t{-1}) << (bits - 1);
    if (value >= limit) return (uint64_t{1} << (bits - 1)) - 1;
    return static_cast<uint64_t>(static_cast<int64_t>(value));
  }
  if (value <= 0) return 0;
  if (value >= std::ldexp(1.0, bits)) return bits == 64 ? ~uint64_t{0} : (uint64_t{1} << bits) - 1;
  return static_cast<uint64_t>(value);
}

uint64_t Convert(ElementType to, ElementType from, uint64_t v) {
  if (to == ElementType::kI1) return IsFloat(from) ? ToDouble(from, v) != 0 : v != 0;
  if (!IsFloat(to)) return IsFloat(from) ? FloatToInteger(to, ToDouble(from, v)) : Normalize(to, v);
  if (IsFloat(from)) {
    if (to == from) return v;
    if (to == ElementType::kF64) return ToBits(ToDouble(from, v));
    float value = from == ElementType::kF64   ? static_cast<float>(FromBits<double>(v))
                  : from == ElementType::kF32 ? FromBits<float>(v)
                                              : NarrowToFloat(from, v);
    return to == ElementType::kF32 ? ToBits(value) : FloatToNarrow(to, value);
  }
  bool is_signed = IsSigned(from);
  if (to == ElementType::kF64)
    return ToBits(is_signed ? static_cast<double>(static_cast<int64_t>(v)) : static_cast<double>(v));
  float value = is_signed ? static_cast<float>(static_cast<int64_t>(v)) : static_cast<float>(v);
  return to == ElementType::kF32 ? ToBits(value) : FloatToNarrow(to, value);
}

uint64_t FloatValue(Op op, ElementType elt, const uint64_t* args, uint64_t imm, bool fma) {
  int count = OpArity(op);
  if (elt == ElementType::kF64) {
    double a[3] = {};
    for (int k = 0; k < count; ++k) a[k] = FromBits<double>(args[k]);
    return ToBits(FloatOp(op, a, imm, fma));
  }
  float a[3] = {};
  bool narrow = elt != ElementType::kF32;
  for (int k = 0; k < count; ++k) a[k] = narrow ? NarrowToFloat(elt, args[k]) : FromBits<float>(args[k]);
  float value = FloatOp(op, a, imm, fma);
  return narrow ? FloatToNarrow(elt, value) : ToBits(value);
}

}  // namespace

FlushDenormals::FlushDenormals() : saved_(_mm_getcsr()) { _mm_setcsr(saved_ | kFlushToZero | kDenormalsAreZero); }
FlushDenormals::~FlushDenormals() { _mm_setcsr(saved_); }

uint64_t Normalize(ElementType type, uint64_t bits) {
  int width = ElementBits(type);
  if (width == 64) return bits;
  if (IsSigned(type)) return static_cast<uint64_t>(static_cast<int64_t>(bits << (64 - width)) >> (64 - width));
  return bits & ((uint64_t{1} << width) - 1);
}

uint64_t Evaluate(Op op, ElementType elt, ElementType arg_elt, const uint64_t* args, uint64_t imm, bool fma) {
  switch (op) {
    case Op::kCmp:
      return Compare(static_cast<Predicate>(imm), arg_elt, args[0], args[1]);
    case Op::kSelect:
      return args[0] ? args[1] : args[2];
    case Op::kConvert:
      return Convert(elt, arg_elt, args[0]);
    case Op::kBitcast:
      return Normalize(elt, args[0]);
    case Op::kIsFinite:
      return !IsFloat(arg_elt) || std::isfinite(ToDouble(arg_elt, args[0]));
    case Op::kAnd:
    case Op::kOr:
    case Op::kXor:
    case Op::kNot:
      return Normalize(elt, IntegerOp(op, elt, args));
    default:
      return IsFloat(elt) ? FloatValue(op, elt, args, imm, fma) : Normalize(elt, IntegerOp(op, elt, args));
  }
}

uint64_t LoadElement(ElementType type, const void* from) {
  uint64_t bits = 0;
  std::memcpy(&bits, from, ElementBytes(type));
  return type == ElementType::kI1 ? bits != 0 : Normalize(type, bits);
}

void StoreElement(ElementType type, void* to, uint64_t value) { std::memcpy(to, &value, ElementBytes(type)); }

}  // namespace treadle::plan

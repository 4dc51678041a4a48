#include "compiler/plan/testing/elementwise.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdlib>
#include <cstring>

namespace treadle::plan::testing {
namespace {

using graph::OpCode;

double FloatOp(OpCode code, double a, double b) {
  switch (code) {
    case OpCode::kAbs:
      return std::abs(a);
    case OpCode::kAdd:
      return a + b;
    case OpCode::kAtan2:
      return std::atan2(a, b);
    case OpCode::kCbrt:
      return std::cbrt(a);
    case OpCode::kCeil:
      return std::ceil(a);
    case OpCode::kCosine:
      return std::cos(a);
    case OpCode::kDivide:
      return a / b;
    case OpCode::kErf:
      return std::erf(a);
    case OpCode::kErfc:
      return std::erfc(a);
    case OpCode::kExponential:
      return std::exp(a);
    case OpCode::kExponentialMinusOne:
      return std::expm1(a);
    case OpCode::kFloor:
      return std::floor(a);
    case OpCode::kLog:
      return std::log(a);
    case OpCode::kLogPlusOne:
      return std::log1p(a);
    case OpCode::kLogistic:
      return 1 / (1 + std::exp(-a));
    case OpCode::kMaximum:
      return std::isnan(a) || std::isnan(b) ? NAN : a == b ? (std::signbit(a) ? b : a) : std::max(a, b);
    case OpCode::kMinimum:
      return std::isnan(a) || std::isnan(b) ? NAN : a == b ? (std::signbit(a) ? a : b) : std::min(a, b);
    case OpCode::kMultiply:
      return a * b;
    case OpCode::kNegate:
      return -a;
    case OpCode::kPower:
      return std::pow(a, b);
    case OpCode::kRemainder:
      return std::fmod(a, b);
    case OpCode::kRoundAfz:
      return std::round(a);
    case OpCode::kRoundEven:
      return std::nearbyint(a);
    case OpCode::kRsqrt:
      return 1 / std::sqrt(a);
    case OpCode::kSign:
      return std::isnan(a) || a == 0 ? a : std::copysign(1, a);
    case OpCode::kSine:
      return std::sin(a);
    case OpCode::kSqrt:
      return std::sqrt(a);
    case OpCode::kSubtract:
      return a - b;
    case OpCode::kTan:
      return std::tan(a);
    case OpCode::kTanh:
      return std::tanh(a);
    default:
      std::abort();
  }
}

int64_t IntegerOp(OpCode code, int64_t a, int64_t b, ElementType type) {
  int width = type == ElementType::kI1 ? 1 : 8 * ElementBytes(type);
  bool is_unsigned = IsUnsigned(type) || type == ElementType::kI1;
  uint64_t mask = width == 64 ? ~uint64_t{0} : (uint64_t{1} << width) - 1;
  uint64_t ua = static_cast<uint64_t>(a) & mask, ub = static_cast<uint64_t>(b) & mask;
  bool too_far = ub >= static_cast<uint64_t>(width);
  switch (code) {
    case OpCode::kAbs:
      return a < 0 ? static_cast<int64_t>(-static_cast<uint64_t>(a)) : a;
    case OpCode::kAdd:
      return type == ElementType::kI1 ? a | b : static_cast<int64_t>(ua + ub);
    case OpCode::kSubtract:
      return static_cast<int64_t>(ua - ub);
    case OpCode::kMultiply:
      return static_cast<int64_t>(ua * ub);
    case OpCode::kDivide:
      if (ub == 0) return -1;
      if (is_unsigned) return static_cast<int64_t>(ua / ub);
      return b == -1 ? static_cast<int64_t>(-static_cast<uint64_t>(a)) : a / b;
    case OpCode::kRemainder:
      if (ub == 0) return a;
      if (is_unsigned) return static_cast<int64_t>(ua % ub);
      return b == -1 ? 0 : a % b;
    case OpCode::kMaximum:
      return is_unsigned ? static_cast<int64_t>(std::max(ua, ub)) : std::max(a, b);
    case OpCode::kMinimum:
      return is_unsigned ? static_cast<int64_t>(std::min(ua, ub)) : std::min(a, b);
    case OpCode::kAnd:
      return a & b;
    case OpCode::kOr:
      return a | b;
    case OpCode::kXor:
      return a ^ b;
    case OpCode::kNot:
      return type == ElementType::kI1 ? !a : ~a;
    case OpCode::kNegate:
      return static_cast<int64_t>(-static_cast<uint64_t>(a));
    case OpCode::kSign:
      return a < 0 ? -1 : a > 0;
    case OpCode::kShiftLeft:
      return too_far ? 0 : static_cast<int64_t>(ua << ub);
    case OpCode::kShiftRightLogical:
      return too_far ? 0 : static_cast<int64_t>(ua >> ub);
    case OpCode::kShiftRightArithmetic: {
      int64_t extended = static_cast<int64_t>(ua << (64 - width)) >> (64 - width);
      return extended >> (too_far ? width - 1 : static_cast<int>(ub));
    }
    case OpCode::kPopcnt:
      return std::popcount(ua);
    case OpCode::kClz:
      return std::countl_zero(ua) - (64 - width);
    case OpCode::kPower: {
      if (b < 0 && !is_unsigned) return a == 1 ? 1 : a == -1 ? (b % 2 ? -1 : 1) : 0;
      uint64_t result = 1;
      for (uint64_t k = 0; k < ub; ++k) result *= ua;
      return static_cast<int64_t>(result);
    }
    default:
      std::abort();
  }
}

bool Compare(const graph::Op& op, const Tensor& x, int64_t i, const Tensor& y, int64_t j) {
  int order;  // -1, 0, 1; 2: unordered
  if (IsFloat(x.shape.type)) {
    double a = x.Float(i), b = y.Float(j);
    if (op.attrs.total_order) {
      auto key = [](double v) {
        int64_t bits = std::bit_cast<int64_t>(v);
        return bits < 0 ? bits ^ INT64_MAX : bits;
      };
      order = key(a) < key(b) ? -1 : key(a) > key(b);
    } else {
      order = std::isnan(a) || std::isnan(b) ? 2 : a < b ? -1 : a > b;
    }
  } else if (IsUnsigned(x.shape.type)) {
    uint64_t a = static_cast<uint64_t>(x.Integer(i)), b = static_cast<uint64_t>(y.Integer(j));
    order = a < b ? -1 : a > b;
  } else {
    order = x.Integer(i) < y.Integer(j) ? -1 : x.Integer(i) > y.Integer(j);
  }
  switch (op.attrs.direction) {
    case graph::Direction::kEq:
      return order == 0;
    case graph::Direction::kNe:
      return order != 0;
    case graph::Direction::kGe:
      return order == 0 || order == 1;
    case graph::Direction::kGt:
      return order == 1;
    case graph::Direction::kLe:
      return order == 0 || order == -1;
    case graph::Direction::kLt:
      return order == -1;
  }
  return false;
}

void Convert(Tensor& to, int64_t i, const Tensor& from, int64_t j) {
  if (IsFloat(to.shape.type)) return to.SetFloat(i, from.Float(j));
  bool is_float = IsFloat(from.shape.type);
  if (to.shape.type == ElementType::kI1) return to.SetInteger(i, is_float ? from.Float(j) != 0 : from.Integer(j) != 0);
  if (!is_float) return to.SetInteger(i, from.Integer(j));
  double value = std::trunc(from.Float(j));
  int width = 8 * ElementBytes(to.shape.type);
  bool is_signed = IsSigned(to.shape.type);
  double limit = std::ldexp(1, is_signed ? width - 1 : width), low = is_signed ? -limit : 0;
  if (std::isnan(value)) return to.SetInteger(i, 0);
  if (value < low) value = low;
  if (value >= limit) return to.SetInteger(i, is_signed ? static_cast<int64_t>((uint64_t{1} << (width - 1)) - 1) : -1);
  to.SetInteger(i, is_signed ? static_cast<int64_t>(value) : static_cast<int64_t>(static_cast<uint64_t>(value)));
}

}  // namespace

void ElementwiseAt(const graph::Op& op, const std::vector<const Tensor*>& in, Tensor& out, int64_t i) {
  auto at = [&](int k) { return in[k]->shape.rank() == 0 ? 0 : i; };
  switch (op.code) {
    case OpCode::kSelect:
      return Copy(out, i, in[0]->Integer(at(0)) ? *in[1] : *in[2], i);
    case OpCode::kMultiplyAdd:
      if (out.shape.type == ElementType::kF64)
        return out.SetFloat(i, std::fma(in[0]->Float(i), in[1]->Float(i), in[2]->Float(i)));
      return out.SetFloat(i, std::fma(static_cast<float>(in[0]->Float(i)), static_cast<float>(in[1]->Float(i)),
                                      static_cast<float>(in[2]->Float(i))));
    case OpCode::kCompare:
      return out.SetInteger(i, Compare(op, *in[0], i, *in[1], i));
    case OpCode::kConvert:
      return Convert(out, i, *in[0], i);
    case OpCode::kBitcastConvert:
      return Copy(out, i, *in[0], i);
    case OpCode::kIsFinite:
      return out.SetInteger(i, std::isfinite(in[0]->Float(i)));
    case OpCode::kReducePrecision: {
      int bias = (1 << (op.attrs.exponent_bits - 1)) - 1;
      double value = RoundTo(in[0]->Float(i), op.attrs.mantissa_bits, -10000, std::ldexp(1, bias + 1));
      if (value != 0 && std::abs(value) < std::ldexp(1, 1 - bias)) value = std::copysign(0, value);
      return out.SetFloat(i, value);
    }
    case OpCode::kClamp:
      if (IsFloat(out.shape.type)) {
        return out.SetFloat(i,
                            FloatOp(OpCode::kMinimum, FloatOp(OpCode::kMaximum, in[1]->Float(i), in[0]->Float(at(0))),
                                    in[2]->Float(at(2))));
      }
      return out.SetInteger(
          i, IntegerOp(OpCode::kMinimum,
                       IntegerOp(OpCode::kMaximum, in[1]->Integer(i), in[0]->Integer(at(0)), out.shape.type),
                       in[2]->Integer(at(2)), out.shape.type));
    default:
      break;
  }
  if (IsFloat(out.shape.type)) {
    out.SetFloat(i, FloatOp(op.code, in[0]->Float(i), in.size() > 1 ? in[1]->Float(i) : 0));
  } else {
    out.SetInteger(i, IntegerOp(op.code, in[0]->Integer(i), in.size() > 1 ? in[1]->Integer(i) : 0, out.shape.type));
  }
}

}  // namespace treadle::plan::testing

#include "compiler/plan/schedules/elementwise.h"

#include <algorithm>
#include <cstring>
#include <optional>
#include <string>

namespace treadle::plan {

using graph::OpCode;

Status Unsupported(const graph::Graph& graph, const graph::Op& op, std::string_view why) {
  std::string text = std::string(graph::OpName(op.code)) + " (";
  for (size_t k = 0; k < op.operands.size(); ++k) text += (k ? ", " : "") + graph.shape(op.operands[k]).ToString();
  text += ") -> ";
  for (size_t k = 0; k < op.results.size(); ++k) text += (k ? ", " : "") + graph.shape(op.results[k]).ToString();
  return Unimplemented(text + " at " + graph.location(op) + ": " + std::string(why));
}

bool IsPlanType(ElementType type) {
  switch (type) {
    case ElementType::kI1:
    case ElementType::kI8:
    case ElementType::kI16:
    case ElementType::kI32:
    case ElementType::kI64:
    case ElementType::kU8:
    case ElementType::kU16:
    case ElementType::kU32:
    case ElementType::kU64:
    case ElementType::kBF16:
    case ElementType::kF16:
    case ElementType::kF32:
    case ElementType::kF64:
      return true;
    default:
      return false;
  }
}

namespace {

// Operations with one counterpart in the plan, same operands in the same order.
std::optional<Op> Counterpart(OpCode code) {
  switch (code) {
    case OpCode::kAbs:
      return Op::kAbs;
    case OpCode::kAdd:
      return Op::kAdd;
    case OpCode::kAnd:
      return Op::kAnd;
    case OpCode::kAtan2:
      return Op::kAtan2;
    case OpCode::kCbrt:
      return Op::kCbrt;
    case OpCode::kCeil:
      return Op::kCeil;
    case OpCode::kClz:
      return Op::kClz;
    case OpCode::kCosine:
      return Op::kCos;
    case OpCode::kDivide:
      return Op::kDiv;
    case OpCode::kErf:
      return Op::kErf;
    case OpCode::kErfc:
      return Op::kErfc;
    case OpCode::kExponential:
      return Op::kExp;
    case OpCode::kExponentialMinusOne:
      return Op::kExpm1;
    case OpCode::kFloor:
      return Op::kFloor;
    case OpCode::kIsFinite:
      return Op::kIsFinite;
    case OpCode::kLog:
      return Op::kLog;
    case OpCode::kLogPlusOne:
      return Op::kLog1p;
    case OpCode::kLogistic:
      return Op::kLogistic;
    case OpCode::kMaximum:
      return Op::kMax;
    case OpCode::kMinimum:
      return Op::kMin;
    case OpCode::kMultiply:
      return Op::kMul;
    case OpCode::kMultiplyAdd:
      return Op::kFma;
    case OpCode::kNegate:
      return Op::kNeg;
    case OpCode::kNot:
      return Op::kNot;
    case OpCode::kOr:
      return Op::kOr;
    case OpCode::kPopcnt:
      return Op::kPopcnt;
    case OpCode::kPower:
      return Op::kPow;
    case OpCode::kRemainder:
      return Op::kRem;
    case OpCode::kRoundAfz:
      return Op::kRoundAfz;
    case OpCode::kRoundEven:
      return Op::kRoundEven;
    case OpCode::kRsqrt:
      return Op::kRsqrt;
    case OpCode::kSelect:
      return Op::kSelect;
    case OpCode::kShiftLeft:
      return Op::kShl;
    case OpCode::kShiftRightArithmetic:
      return Op::kShrA;
    case OpCode::kShiftRightLogical:
      return Op::kShrL;
    case OpCode::kSign:
      return Op::kSign;
    case OpCode::kSine:
      return Op::kSin;
    case OpCode::kSqrt:
      return Op::kSqrt;
    case OpCode::kSubtract:
      return Op::kSub;
    case OpCode::kTan:
      return Op::kTan;
    case OpCode::kTanh:
      return Op::kTanh;
    case OpCode::kXor:
      return Op::kXor;
    default:
      return std::nullopt;
  }
}

ElementType UnsignedOfWidth(ElementType type) {
  switch (ElementBytes(type)) {
    case 1:
      return ElementType::kU8;
    case 2:
      return ElementType::kU16;
    case 4:
      return ElementType::kU32;
    default:
      return ElementType::kU64;
  }
}

Id EmitCompare(Builder& b, const graph::Op& op, Id x, Id y) {
  static constexpr Predicate kPlain[] = {Predicate::kEq, Predicate::kNe, Predicate::kGe,
                                         Predicate::kGt, Predicate::kLe, Predicate::kLt};
  static constexpr Predicate kTotal[] = {Predicate::kEq,      Predicate::kNe,      Predicate::kTotalGe,
                                         Predicate::kTotalGt, Predicate::kTotalLe, Predicate::kTotalLt};
  int direction = static_cast<int>(op.attrs.direction);
  if (!op.attrs.total_order || !IsFloat(b.elt(x))) return b.Compare(kPlain[direction], x, y);
  if (direction < 2) {  // equal in the total order: the same bits
    ElementType bits = UnsignedOfWidth(b.elt(x));
    x = b.Emit(Op::kBitcast, bits, {x});
    y = b.Emit(Op::kBitcast, bits, {y});
  }
  return b.Compare(kTotal[direction], x, y);
}

}  // namespace

StatusOr<Id> EmitElementwise(Builder& b, const graph::Graph& graph, const graph::Op& op, std::span<const Id> args) {
  ElementType type = graph.shape(op.results[0]).type;
  for (graph::ValueId operand : op.operands) {
    if (!IsPlanType(graph.shape(operand).type)) return Unsupported(graph, op, "this element type is not supported yet");
  }
  if (!IsPlanType(type)) return Unsupported(graph, op, "this element type is not supported yet");
  switch (op.code) {
    case OpCode::kClamp:
      return b.Min(b.Max(args[1], args[0]), args[2]);
    case OpCode::kCompare:
      return EmitCompare(b, op, args[0], args[1]);
    case OpCode::kConvert:
      return b.Convert(type, args[0]);
    case OpCode::kBitcastConvert:
      if (ElementBits(b.elt(args[0])) != ElementBits(type)) return Unsupported(graph, op, "the widths differ");
      return b.elt(args[0]) == type ? args[0] : b.Emit(Op::kBitcast, type, {args[0]});
    case OpCode::kReducePrecision:
      return b.Emit(Op::kReducePrecision, type, {args[0]},
                    static_cast<uint64_t>(op.attrs.exponent_bits) << 8 | op.attrs.mantissa_bits);
    default:
      if (std::optional<Op> code = Counterpart(op.code)) return b.Emit(*code, type, args);
      return Unsupported(graph, op, "no counterpart in loop plans");
  }
}

namespace {

// Lanes that walk a window load vectors, others an element each.
int GatherUops(const graph::Graph& graph, const graph::Op& op) {
  const Shape& shape = graph.shape(op.results[0]);
  const std::vector<int64_t>& window = op.attrs.windows.window;
  bool walks = std::find(window.begin(), window.end(), shape.rank() - 1) != window.end() && shape.dims.back() >= 8;
  return walks || shape.elements() == 1 ? 1 : 16;
}

}  // namespace

int UopsOf(const graph::Graph& graph, const graph::Op& op) {
  if (op.code == OpCode::kGather) return GatherUops(graph, op);
  if (graph::OpClassOf(op.code) != graph::OpClass::kElementwise) return 0;
  ElementType type = graph.shape(op.results[0]).type;
  int wide = ElementBytes(type) == 8 ? 2 : 1;
  bool half = type == ElementType::kBF16 || type == ElementType::kF16;
  switch (op.code) {
    case OpCode::kExponential:
    case OpCode::kLog:
    case OpCode::kExponentialMinusOne:
    case OpCode::kLogPlusOne:
    case OpCode::kCbrt:
      return 24 * wide;
    case OpCode::kTanh:
    case OpCode::kLogistic:
    case OpCode::kErf:
    case OpCode::kErfc:
    case OpCode::kSine:
    case OpCode::kCosine:
      return 32 * wide;
    case OpCode::kTan:
    case OpCode::kAtan2:
      return 45 * wide;
    case OpCode::kPower:
      return 70 * wide;
    case OpCode::kDivide:
    case OpCode::kRemainder:
      return (IsFloat(type) && op.code == OpCode::kDivide ? 6 : 40) * wide;
    case OpCode::kSqrt:
      return 8 * wide;
    case OpCode::kRsqrt:
      return 14 * wide;
    case OpCode::kPopcnt:
    case OpCode::kClz:
      return 12;
    case OpCode::kReducePrecision:
      return 12;
    case OpCode::kClamp:
      return half ? 16 : 6;
    case OpCode::kMaximum:
    case OpCode::kMinimum:
    case OpCode::kConvert:
      return half ? 8 : 3;
    default:
      return half ? 8 : 1;
  }
}

uint64_t LiteralBits(const graph::Op& constant, ElementType type, int64_t number) {
  int bytes = ElementBytes(type);
  uint64_t bits = 0;
  std::memcpy(&bits, constant.attrs.literal->data() + (constant.attrs.splat ? 0 : number * bytes), bytes);
  if (type == ElementType::kI1) return bits != 0;
  if (IsSigned(type) && bytes < 8) {  // sign-extended, as push constants are
    int unused = 64 - 8 * bytes;
    bits = static_cast<uint64_t>(static_cast<int64_t>(bits << unused) >> unused);
  }
  return bits;
}

uint64_t OneBits(ElementType type) {
  switch (type) {
    case ElementType::kBF16:
      return 0x3f80;
    case ElementType::kF16:
      return 0x3c00;
    case ElementType::kF32:
      return 0x3f800000;
    case ElementType::kF64:
      return 0x3ff0000000000000;
    default:
      return 1;
  }
}

uint64_t HighestBits(ElementType type) {
  switch (type) {
    case ElementType::kBF16:
      return 0x7f80;
    case ElementType::kF16:
      return 0x7c00;
    case ElementType::kF32:
      return 0x7f800000;
    case ElementType::kF64:
      return 0x7ff0000000000000;
    case ElementType::kI1:
      return 1;
    default: {
      int bits = 8 * ElementBytes(type);
      if (IsSigned(type)) return (uint64_t{1} << (bits - 1)) - 1;
      return bits == 64 ? ~uint64_t{0} : (uint64_t{1} << bits) - 1;
    }
  }
}

uint64_t LowestBits(ElementType type) {
  if (IsFloat(type)) return HighestBits(type) | uint64_t{1} << (8 * ElementBytes(type) - 1);
  if (IsSigned(type)) return ~HighestBits(type);
  return 0;
}

}  // namespace treadle::plan

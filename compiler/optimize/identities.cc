#include "compiler/optimize/identities.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <memory>
#include <string>
#include <utility>

namespace treadle::compiler {
namespace {

using graph::Attributes;
using graph::Graph;
using graph::Op;
using graph::OpCode;
using graph::ValueId;

Outcome Is(ValueId value) { return {value, true}; }
Outcome Changed() { return {-1, true}; }

const Op* Def(const Graph& graph, ValueId value) {
  graph::OpId def = graph.values[value].def;
  return def == graph::kNoOp ? nullptr : &graph.ops[def];
}

const Op* Def(const Graph& graph, ValueId value, OpCode code) {
  const Op* op = Def(graph, value);
  return op && op->code == code ? op : nullptr;
}

bool AllZero(const std::vector<int64_t>& list) {
  return std::all_of(list.begin(), list.end(), [](int64_t x) { return x == 0; });
}

bool IsIota(const std::vector<int64_t>& list) {
  for (size_t i = 0; i < list.size(); ++i) {
    if (list[i] != static_cast<int64_t>(i)) return false;
  }
  return true;
}

// The bytes of the one element that a constant is made of.
std::optional<std::string> Splat(const Graph& graph, ValueId value) {
  const Op* constant = Def(graph, value, OpCode::kConstant);
  if (!constant || !(constant->attrs.splat || graph.shape(value).elements() == 1)) return std::nullopt;
  return *constant->attrs.literal;
}

bool IsFloatSplat(const Graph& graph, ValueId value, double wanted) {
  std::optional<std::string> bytes = Splat(graph, value);
  ElementType type = graph.shape(value).type;
  if (!bytes || !IsFloat(type)) return false;
  uint64_t bits = 0;
  std::memcpy(&bits, bytes->data(), bytes->size());
  switch (type) {
    case ElementType::kF64:
      return bits == std::bit_cast<uint64_t>(wanted);
    case ElementType::kF32:
      return bits == std::bit_cast<uint32_t>(static_cast<float>(wanted));
    case ElementType::kBF16:  // exact for the few values asked for
      return bits == std::bit_cast<uint32_t>(static_cast<float>(wanted)) >> 16;
    case ElementType::kF16:
      return bits == std::bit_cast<uint16_t>(static_cast<_Float16>(wanted));
    default:
      return false;
  }
}

bool IsIntegerSplat(const Graph& graph, ValueId value, int64_t wanted) {
  return IsInteger(graph.shape(value).type) && ScalarInteger(graph, value) == wanted;
}

// x op neutral = x, for every x.
Outcome Arithmetic(const Graph& graph, Rewrite& r) {
  ValueId a = r.operands[0], b = r.operands.size() > 1 ? r.operands[1] : -1;
  switch (r.code) {
    case OpCode::kAdd:  // floats: x + -0 = x; x + +0 is not x for -0
      if (IsIntegerSplat(graph, b, 0) || IsFloatSplat(graph, b, -0.0)) return Is(a);
      if (IsIntegerSplat(graph, a, 0) || IsFloatSplat(graph, a, -0.0)) return Is(b);
      break;
    case OpCode::kSubtract:
      if (IsIntegerSplat(graph, b, 0) || IsFloatSplat(graph, b, 0.0)) return Is(a);
      break;
    case OpCode::kMultiply:
      if (IsIntegerSplat(graph, b, 1)) return Is(a);
      if (IsIntegerSplat(graph, a, 1)) return Is(b);
      break;
    case OpCode::kDivide:
      if (IsIntegerSplat(graph, b, 1)) return Is(a);
      break;
    case OpCode::kAnd:
    case OpCode::kOr:
    case OpCode::kMaximum:
    case OpCode::kMinimum:
      if (a == b) return Is(a);
      break;
    case OpCode::kShiftLeft:
    case OpCode::kShiftRightArithmetic:
    case OpCode::kShiftRightLogical:
      if (IsIntegerSplat(graph, b, 0)) return Is(a);
      break;
    case OpCode::kNegate:
    case OpCode::kNot:
      if (const Op* inner = Def(graph, a, r.code)) return Is(inner->operands[0]);
      break;
    case OpCode::kSelect:
      if (r.operands[1] == r.operands[2]) return Is(r.operands[1]);
      if (auto predicate = ScalarInteger(graph, a)) return Is(r.operands[*predicate ? 1 : 2]);
      break;
    default:
      break;
  }
  return {};
}

// Whether every value of `from` is a value of `to`.
bool Widens(ElementType from, ElementType to) {
  if (from == ElementType::kI1) return true;
  if (IsInteger(from) && IsInteger(to)) {
    if (IsSigned(from) != IsSigned(to)) return IsUnsigned(from) && ElementBits(to) > ElementBits(from);
    return ElementBits(to) >= ElementBits(from);
  }
  if (from == ElementType::kBF16) return to == ElementType::kF32 || to == ElementType::kF64;
  if (IsFloat(from) && IsFloat(to)) return to != ElementType::kBF16 && ElementBits(to) >= ElementBits(from);
  return false;
}

Outcome Converts(const Graph& graph, Rewrite& r, const Shape& shape) {
  ValueId a = r.operands[0];
  if (graph.shape(a).type == shape.type) return Is(a);
  const Op* inner = Def(graph, a, OpCode::kConvert);
  if (!inner) return {};
  ElementType origin = graph.shape(inner->operands[0]).type, middle = graph.shape(a).type;
  // Integers only: a float on the way quiets NaNs and flushes denormals.
  if (!Widens(origin, middle) || IsFloat(origin) || IsFloat(middle)) return {};
  r.operands[0] = inner->operands[0];
  return Changed();
}

Attributes WithLiteral(std::string bytes) {
  Attributes attrs;
  attrs.literal = std::make_shared<const std::string>(std::move(bytes));
  attrs.splat = true;
  return attrs;
}

// Movement of a splat gives a splat.
bool MovesWithoutMixing(OpCode code) {
  switch (code) {
    case OpCode::kBroadcastInDim:
    case OpCode::kReshape:
    case OpCode::kTranspose:
    case OpCode::kSlice:
    case OpCode::kReverse:
    case OpCode::kDynamicSlice:
      return true;
    default:
      return false;
  }
}

Outcome DynamicSlice(const Graph& graph, Rewrite& r, const Shape& shape) {
  const Shape& operand = graph.shape(r.operands[0]);
  if (shape == operand) return Is(r.operands[0]);
  Attributes attrs;
  for (int64_t d = 0; d < operand.rank(); ++d) {
    std::optional<int64_t> start = ScalarInteger(graph, r.operands[1 + d]);
    bool whole = operand.dims[d] == shape.dims[d];
    if (!start && !whole) return {};
    ElementType type = graph.shape(r.operands[1 + d]).type;
    bool beyond = !whole && type == ElementType::kU64 && *start < 0;
    int64_t clamped = whole    ? 0
                      : beyond ? operand.dims[d] - shape.dims[d]
                               : std::clamp<int64_t>(*start, 0, operand.dims[d] - shape.dims[d]);
    attrs.starts.push_back(clamped);
    attrs.limits.push_back(clamped + shape.dims[d]);
    attrs.strides.push_back(1);
  }
  r = {OpCode::kSlice, {r.operands[0]}, std::move(attrs)};
  return Changed();
}

Outcome Movement(const Graph& graph, Rewrite& r, const Shape& shape) {
  ValueId a = r.operands[0];
  if (MovesWithoutMixing(r.code) && shape.elements() > 0) {
    if (std::optional<std::string> element = Splat(graph, a)) {
      r = {OpCode::kConstant, {}, WithLiteral(std::move(*element))};
      return Changed();
    }
  }
  switch (r.code) {
    case OpCode::kReshape:
      if (graph.shape(a) == shape) return Is(a);
      if (const Op* inner = Def(graph, a, OpCode::kReshape)) {
        r.operands[0] = inner->operands[0];
        return Changed();
      }
      break;
    case OpCode::kTranspose:
      if (IsIota(r.attrs.dims)) return Is(a);
      if (const Op* inner = Def(graph, a, OpCode::kTranspose)) {
        std::vector<int64_t> composed;
        for (int64_t d : r.attrs.dims) composed.push_back(inner->attrs.dims[d]);
        r.operands[0] = inner->operands[0];
        r.attrs.dims = std::move(composed);
        return Changed();
      }
      break;
    case OpCode::kBroadcastInDim:
      if (graph.shape(a) == shape && IsIota(r.attrs.dims)) return Is(a);
      if (const Op* inner = Def(graph, a, OpCode::kBroadcastInDim)) {
        std::vector<int64_t> composed;
        for (int64_t d : inner->attrs.dims) composed.push_back(r.attrs.dims[d]);
        r.operands[0] = inner->operands[0];
        r.attrs.dims = std::move(composed);
        return Changed();
      }
      break;
    case OpCode::kSlice:
      if (graph.shape(a) == shape) return Is(a);
      break;
    case OpCode::kReverse:
      if (r.attrs.dims.empty()) return Is(a);
      break;
    case OpCode::kConcatenate:
      if (r.operands.size() == 1) return Is(a);
      break;
    case OpCode::kPad:
      if (AllZero(r.attrs.low) && AllZero(r.attrs.high) && AllZero(r.attrs.interior)) return Is(a);
      break;
    case OpCode::kDynamicSlice:
      return DynamicSlice(graph, r, shape);
    case OpCode::kDynamicUpdateSlice:
      if (graph.shape(r.operands[1]) == shape) return Is(r.operands[1]);
      break;
    default:
      break;
  }
  return {};
}

// A product reads its operands in any order of dimensions, so a transpose in front of it only renames them, as long as
// those that remain in the result keep their order.
Outcome ReadThroughTranspose(const Graph& graph, Rewrite& r, int operand, std::vector<int64_t>& batch,
                             std::vector<int64_t>& contracting) {
  const Op* transpose = Def(graph, r.operands[operand], OpCode::kTranspose);
  if (!transpose) return {};
  const std::vector<int64_t>& permutation = transpose->attrs.dims;
  if (r.attrs.pairs && permutation.back() != static_cast<int64_t>(permutation.size()) - 1) return {};
  int64_t last = -1;
  for (int64_t d = 0; d < static_cast<int64_t>(permutation.size()); ++d) {
    if (std::count(batch.begin(), batch.end(), d) || std::count(contracting.begin(), contracting.end(), d)) continue;
    if (permutation[d] < last) return {};
    last = permutation[d];
  }
  for (int64_t& d : batch) d = permutation[d];
  for (int64_t& d : contracting) d = permutation[d];
  r.operands[operand] = transpose->operands[0];
  return Changed();
}

Outcome Contraction(const Graph& graph, Rewrite& r) {
  graph::DotDims& dot = r.attrs.dot;
  Outcome outcome = ReadThroughTranspose(graph, r, 0, dot.lhs_batch, dot.lhs_contracting);
  return outcome.changed ? outcome : ReadThroughTranspose(graph, r, 1, dot.rhs_batch, dot.rhs_contracting);
}

// A kernel turned around, as gradients have it, is read backwards.
Outcome ConvolutionKernel(const Graph& graph, Rewrite& r) {
  const Op* reverse = Def(graph, r.operands[1], OpCode::kReverse);
  if (!reverse) return {};
  graph::Convolution conv = *r.attrs.conv;
  for (int64_t dim : reverse->attrs.dims) {
    auto at = std::find(conv.rhs.spatial.begin(), conv.rhs.spatial.end(), dim);
    if (at == conv.rhs.spatial.end()) return {};
    conv.reversed[at - conv.rhs.spatial.begin()].flip();
  }
  r.attrs.conv = std::make_shared<const graph::Convolution>(std::move(conv));
  r.operands[1] = reverse->operands[0];
  return Changed();
}

}  // namespace

std::optional<int64_t> ScalarInteger(const Graph& graph, ValueId value) {
  ElementType type = graph.shape(value).type;
  if (type != ElementType::kI1 && !IsInteger(type)) return std::nullopt;
  std::optional<std::string> bytes = Splat(graph, value);
  if (!bytes) return std::nullopt;
  uint64_t bits = 0;
  std::memcpy(&bits, bytes->data(), bytes->size());
  int unused = 64 - 8 * static_cast<int>(bytes->size());
  return IsSigned(type) ? static_cast<int64_t>(bits << unused) >> unused : static_cast<int64_t>(bits);
}

Outcome ApplyIdentity(const Graph& graph, Rewrite& r, const Shape& shape) {
  if (r.operands.empty()) return {};
  if (r.code == OpCode::kConvert) return Converts(graph, r, shape);
  if (r.code == OpCode::kDotGeneral) return Contraction(graph, r);
  if (r.code == OpCode::kConvolution) return ConvolutionKernel(graph, r);
  if (OpClassOf(r.code) == graph::OpClass::kElementwise) return Arithmetic(graph, r);
  return Movement(graph, r, shape);
}

}  // namespace treadle::compiler

#include "compiler/optimize/integer_formulas.h"

#include <algorithm>
#include <array>
#include <utility>
#include <vector>

namespace treadle::compiler {
namespace {

using graph::OpCode;
using graph::ValueId;

constexpr ElementType kU32 = ElementType::kU32, kU64 = ElementType::kU64;

ElementType UnsignedOf(ElementType type) {
  switch (ElementBytes(type)) {
    case 1:
      return ElementType::kU8;
    case 2:
      return ElementType::kU16;
    case 4:
      return kU32;
    default:
      return kU64;
  }
}

// Elementwise operations on integers of the operands' own type.
class Integers {
 public:
  explicit Integers(Formula& f) : f_(f) {}

  const Shape& shape(ValueId x) const { return f_.graph().shape(x); }
  ValueId Op(OpCode code, ValueId a, ValueId b) { return f_.Op(code, {a, b}, shape(a)); }
  ValueId OpNumber(OpCode code, ValueId a, uint64_t b) { return Op(code, a, f_.Splat(shape(a), b)); }
  ValueId Convert(ValueId x, ElementType type) {
    return shape(x).type == type ? x : f_.Op(OpCode::kConvert, {x}, {type, shape(x).dims});
  }
  ValueId Bitcast(ValueId x, ElementType type) {
    return shape(x).type == type ? x : f_.Op(OpCode::kBitcastConvert, {x}, {type, shape(x).dims});
  }
  ValueId Reshape(ValueId x, std::vector<int64_t> dims) {
    if (shape(x).dims == dims) return x;
    return f_.Op(OpCode::kReshape, {x}, {shape(x).type, std::move(dims)});
  }
  ValueId Iota(const Shape& shape, int64_t dim) { return f_.Op(OpCode::kIota, {}, shape, {.dims = {dim}}); }
  ValueId Broadcast(ValueId scalar, std::vector<int64_t> dims) {
    return f_.Op(OpCode::kBroadcastInDim, {scalar}, {shape(scalar).type, std::move(dims)});
  }
  // Elements [first, first + size) of dimension `dim`.
  ValueId Slice(ValueId x, size_t dim, int64_t first, int64_t size) {
    graph::Attributes attrs;
    attrs.limits = shape(x).dims;
    attrs.starts.assign(attrs.limits.size(), 0);
    attrs.strides.assign(attrs.limits.size(), 1);
    attrs.starts[dim] = first;
    attrs.limits[dim] = first + size;
    Shape result = shape(x);
    result.dims[dim] = size;
    return f_.Op(OpCode::kSlice, {x}, std::move(result), std::move(attrs));
  }
  ValueId Element(ValueId vector, int64_t number) { return Reshape(Slice(vector, 0, number, 1), {}); }
  ValueId Concatenate(const std::vector<ValueId>& parts, size_t dim) {
    Shape result = shape(parts[0]);
    result.dims[dim] = 0;
    for (ValueId part : parts) result.dims[dim] += shape(part).dims[dim];
    return f_.Op(OpCode::kConcatenate, parts, std::move(result), {.dims = {static_cast<int64_t>(dim)}});
  }
  ValueId Low(ValueId x) { return Convert(x, kU32); }
  ValueId High(ValueId x) { return Convert(OpNumber(OpCode::kShiftRightLogical, x, 32), kU32); }
  ValueId Join(ValueId low, ValueId high) {
    return Op(OpCode::kOr, Convert(low, kU64), OpNumber(OpCode::kShiftLeft, Convert(high, kU64), 32));
  }
  // As `type`: the low bits of unsigned numbers.
  ValueId Narrowed(ValueId x, ElementType type) { return Bitcast(Convert(x, UnsignedOf(type)), type); }

 private:
  Formula& f_;
};

using Pair = std::array<ValueId, 2>;
using Four = std::array<ValueId, 4>;

Pair Threefry(Integers& n, Pair x, Pair key) {
  constexpr int kRotations[2][4] = {{13, 15, 26, 6}, {17, 29, 16, 24}};
  const std::array<ValueId, 3> keys = {key[0], key[1],
                                       n.OpNumber(OpCode::kXor, n.Op(OpCode::kXor, key[0], key[1]), 0x1BD11BDA)};
  x = {n.Op(OpCode::kAdd, x[0], keys[0]), n.Op(OpCode::kAdd, x[1], keys[1])};
  for (uint64_t group = 1; group <= 5; ++group) {
    for (int distance : kRotations[(group - 1) % 2]) {
      x[0] = n.Op(OpCode::kAdd, x[0], x[1]);
      ValueId turned = n.Op(OpCode::kOr, n.OpNumber(OpCode::kShiftLeft, x[1], distance),
                            n.OpNumber(OpCode::kShiftRightLogical, x[1], 32 - distance));
      x[1] = n.Op(OpCode::kXor, x[0], turned);
    }
    x[0] = n.Op(OpCode::kAdd, x[0], keys[group % 3]);
    x[1] = n.OpNumber(OpCode::kAdd, n.Op(OpCode::kAdd, x[1], keys[(group + 1) % 3]), group);
  }
  return x;
}

Four Philox(Integers& n, Four x, Pair key) {
  for (int round = 0; round < 10; ++round) {
    ValueId first = n.OpNumber(OpCode::kMultiply, n.Convert(x[0], kU64), 0xD2511F53);
    ValueId second = n.OpNumber(OpCode::kMultiply, n.Convert(x[2], kU64), 0xCD9E8D57);
    x = {n.Op(OpCode::kXor, n.Op(OpCode::kXor, n.High(second), x[1]), key[0]), n.Low(second),
         n.Op(OpCode::kXor, n.Op(OpCode::kXor, n.High(first), x[3]), key[1]), n.Low(first)};
    key = {n.OpNumber(OpCode::kAdd, key[0], 0x9E3779B9), n.OpNumber(OpCode::kAdd, key[1], 0xBB67AE85)};
  }
  return x;
}

// start, start + 1, ...: ui64[count].
ValueId Counters(Integers& n, ValueId start, int64_t count) {
  return n.Op(OpCode::kAdd, n.Broadcast(start, {count}), n.Iota({kU64, {count}}, 0));
}

Pair Broadcast(Integers& n, ValueId key, int64_t count) {
  return {n.Broadcast(n.Low(key), {count}), n.Broadcast(n.High(key), {count})};
}

// Vectors of `count` elements, one of each in turn, cut to the elements of `output`.
ValueId InTurn(Integers& n, const std::vector<ValueId>& parts, const Shape& output) {
  std::vector<ValueId> columns;
  const int64_t count = n.shape(parts[0]).dims[0], all = count * static_cast<int64_t>(parts.size());
  for (ValueId part : parts) columns.push_back(n.Reshape(part, {count, 1}));
  ValueId flat = n.Slice(n.Reshape(n.Concatenate(columns, 1), {all}), 0, 0, output.elements());
  return n.Reshape(flat, output.dims);
}

// Two halves of 32-bit numbers: pairs along the first even dimension, or along the longest.
ValueId PairsAlongDimension(Integers& n, const Pair& halves, size_t dim, const Shape& output) {
  if (output.dims.empty()) return n.Reshape(halves[0], {});
  std::vector<int64_t> half = output.dims, whole = output.dims;
  half[dim] = (output.dims[dim] + 1) / 2;
  whole[dim] = half[dim] * 2;
  half.insert(half.begin() + static_cast<int64_t>(dim) + 1, 1);
  ValueId joined = n.Concatenate({n.Reshape(halves[0], half), n.Reshape(halves[1], half)}, dim + 1);
  return n.Slice(n.Reshape(joined, whole), dim, 0, output.dims[dim]);
}

size_t PairedDimension(const std::vector<int64_t>& dims) {
  auto even = std::find_if(dims.begin(), dims.end(), [](int64_t size) { return size % 2 == 0; });
  if (even != dims.end()) return even - dims.begin();
  return std::max_element(dims.begin(), dims.end()) - dims.begin();
}

}  // namespace

RandomBits ThreefryBits(Formula& f, ValueId state, const Shape& output) {
  Integers n(f);
  ValueId key = n.Element(state, 0), counter = n.Element(state, 1);
  const bool wide = ElementBytes(output.type) == 8;
  const size_t dim = output.dims.empty() ? 0 : PairedDimension(output.dims);
  int64_t count = output.elements();
  if (!wide) count = output.dims.empty() ? 1 : count == 0 ? 0 : count / output.dims[dim] * ((output.dims[dim] + 1) / 2);
  ValueId counters = Counters(n, counter, count);
  Pair bits = Threefry(n, {n.Low(counters), n.High(counters)}, Broadcast(n, key, count));
  ValueId all = wide ? n.Reshape(n.Join(bits[0], bits[1]), output.dims) : PairsAlongDimension(n, bits, dim, output);
  ValueId next = n.OpNumber(OpCode::kAdd, counter, static_cast<uint64_t>(count));
  return {n.Concatenate({n.Reshape(key, {1}), n.Reshape(next, {1})}, 0), n.Narrowed(all, output.type)};
}

RandomBits PhiloxBits(Formula& f, ValueId state, const Shape& output) {
  Integers n(f);
  const bool full = n.shape(state).dims[0] >= 3, wide = ElementBytes(output.type) == 8;
  ValueId key = n.Element(state, 0), low = n.Element(state, 1), high = n.Element(state, full ? 2 : 0);
  const int64_t count = (output.elements() * (wide ? 2 : 1) + 3) / 4;
  // A counter of 128 bits: the high half goes up where the low one wraps.
  auto carried = [&](ValueId sum, ValueId before, ValueId upper) {
    ValueId wraps = f.Compare(sum, graph::Direction::kLt, before);
    return n.Op(OpCode::kAdd, upper, n.Convert(wraps, kU64));
  };
  ValueId lows = Counters(n, low, count);
  ValueId highs = carried(lows, n.Broadcast(low, {count}), n.Broadcast(high, {count}));
  Four bits = Philox(n, {n.Low(lows), n.High(lows), n.Low(highs), n.High(highs)}, Broadcast(n, key, count));
  ValueId all = wide ? InTurn(n, {n.Join(bits[0], bits[1]), n.Join(bits[2], bits[3])}, output)
                     : InTurn(n, {bits.begin(), bits.end()}, output);
  ValueId next = n.OpNumber(OpCode::kAdd, low, static_cast<uint64_t>(count));
  std::vector<ValueId> after = {n.Reshape(key, {1}), n.Reshape(next, {1})};
  if (full) after.push_back(n.Reshape(carried(next, low, high), {1}));
  return {n.Concatenate(after, 0), n.Narrowed(all, output.type)};
}

ValueId BitcastInMemory(Formula& f, ValueId x, const Shape& result) {
  Integers n(f);
  const auto bits_of = [](ElementType type) { return type == ElementType::kI1 ? 1 : 8 * ElementBytes(type); };
  const ElementType from = n.shape(x).type;
  const int64_t from_bits = bits_of(from), to_bits = bits_of(result.type);
  if (from_bits == to_bits) return n.Bitcast(n.Reshape(x, result.dims), result.type);
  std::vector<int64_t> dims = from_bits < to_bits ? result.dims : n.shape(x).dims;
  dims.push_back(std::max(from_bits, to_bits) / std::min(from_bits, to_bits));
  const size_t last = dims.size() - 1;
  if (from_bits < to_bits) {
    const ElementType wide = UnsignedOf(result.type);
    ValueId parts = n.Reshape(x, dims), joined = -1;
    parts = n.Convert(from_bits == 1 ? parts : n.Bitcast(parts, UnsignedOf(from)), wide);
    for (int64_t k = 0; k < dims[last]; ++k) {
      ValueId part = n.Reshape(n.Slice(parts, last, k, 1), result.dims);
      part = k == 0 ? part : n.OpNumber(OpCode::kShiftLeft, part, static_cast<uint64_t>(k * from_bits));
      joined = k == 0 ? part : n.Op(OpCode::kOr, joined, part);
    }
    return n.Bitcast(joined, result.type);
  }
  const ElementType wide = UnsignedOf(from);
  graph::Attributes spread;
  for (size_t d = 0; d < last; ++d) spread.dims.push_back(static_cast<int64_t>(d));
  ValueId repeated = f.Op(OpCode::kBroadcastInDim, {n.Bitcast(x, wide)}, {wide, dims}, std::move(spread));
  ValueId number = n.Iota({wide, dims}, static_cast<int64_t>(last));
  ValueId shifted =
      n.Op(OpCode::kShiftRightLogical, repeated, n.OpNumber(OpCode::kMultiply, number, static_cast<uint64_t>(to_bits)));
  ValueId narrow = to_bits == 1 ? n.Convert(n.OpNumber(OpCode::kAnd, shifted, 1), ElementType::kI1)
                                : n.Bitcast(n.Convert(shifted, UnsignedOf(result.type)), result.type);
  return n.Reshape(narrow, result.dims);
}

}  // namespace treadle::compiler

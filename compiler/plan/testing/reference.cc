#include "compiler/plan/testing/reference.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <numeric>
#include <utility>

namespace treadle::plan::testing {
namespace {

using graph::Graph;
using graph::OpCode;

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

// Nearest even with so many mantissa bits, down to the smallest subnormal of `lowest` exponent.
double RoundTo(double value, int mantissa, int lowest, double overflow) {
  if (value == 0 || !std::isfinite(value)) return value;
  int exponent;
  std::frexp(value, &exponent);
  int unit = std::max(exponent - 1 - mantissa, lowest);
  double rounded = std::ldexp(std::nearbyint(std::ldexp(value, -unit)), unit);
  return std::abs(rounded) >= overflow ? std::copysign(INFINITY, value) : rounded;
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

namespace {

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

void Copy(Tensor& to, int64_t i, const Tensor& from, int64_t j) {
  int bytes = ElementBytes(to.shape.type);
  std::memcpy(to.bytes.data() + i * bytes, from.bytes.data() + j * bytes, bytes);
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

std::vector<int64_t> Unravel(int64_t number, const std::vector<int64_t>& dims) {
  std::vector<int64_t> index(dims.size());
  for (size_t k = dims.size(); k-- > 0; number /= dims[k]) index[k] = number % dims[k];
  return index;
}

int64_t Ravel(const std::vector<int64_t>& index, const std::vector<int64_t>& dims) {
  int64_t number = 0;
  for (size_t k = 0; k < dims.size(); ++k) number = number * dims[k] + index[k];
  return number;
}

int64_t WindowStart(const Tensor& start, int64_t limit, int64_t number = 0) {
  if (IsUnsigned(start.shape.type)) return static_cast<int64_t>(std::min<uint64_t>(start.Integer(number), limit));
  return std::min(std::max<int64_t>(start.Integer(number), 0), limit);
}

bool Contains(const std::vector<int64_t>& list, int64_t value) {
  return std::find(list.begin(), list.end(), value) != list.end();
}

// Gather and scatter after the specification's text: of an index of the result (the updates) the full batching and
// window indices, and the elements of the index vector.
struct IndexedElement {
  std::vector<int64_t> inside;      // the full window index plus the full batching index
  std::vector<int64_t> components;  // element numbers in the indices, by component
};

IndexedElement Locate(const graph::IndexedWindows& windows, const std::vector<int64_t>& index,
                      const std::vector<int64_t>& indices_dims, size_t operand_rank) {
  std::vector<int64_t> batch, window;
  for (size_t d = 0; d < index.size(); ++d) {
    (Contains(windows.window, static_cast<int64_t>(d)) ? window : batch).push_back(index[d]);
  }
  IndexedElement element;
  element.inside.resize(operand_rank);
  size_t next = 0;
  for (size_t d = 0; d < operand_rank; ++d) {
    auto dim = static_cast<int64_t>(d);
    if (!Contains(windows.dropped, dim) && !Contains(windows.operand_batch, dim)) element.inside[d] = window[next++];
  }
  for (size_t k = 0; k < windows.operand_batch.size(); ++k) {
    int64_t dim = windows.indices_batch[k];
    element.inside[windows.operand_batch[k]] = batch[dim - (windows.index_vector < dim)];
  }
  for (size_t c = 0; c < windows.index_map.size(); ++c) {
    std::vector<int64_t> at = batch;
    if (static_cast<size_t>(windows.index_vector) < indices_dims.size()) {
      at.insert(at.begin() + windows.index_vector, static_cast<int64_t>(c));
    }
    element.components.push_back(Ravel(at, indices_dims));
  }
  return element;
}

std::vector<int64_t> GatherSource(const graph::Op& op, const std::vector<const Tensor*>& in,
                                  const std::vector<int64_t>& i) {
  const std::vector<int64_t>& dims = in[0]->shape.dims;
  IndexedElement element = Locate(op.attrs.windows, i, in[1]->shape.dims, dims.size());
  for (size_t c = 0; c < element.components.size(); ++c) {
    int64_t d = op.attrs.windows.index_map[c];
    element.inside[d] += WindowStart(*in[1], dims[d] - op.attrs.limits[d], element.components[c]);
  }
  return element.inside;
}

// Where element `i` of the result comes from in operand 0.
std::vector<int64_t> SourceIndex(const graph::Op& op, const std::vector<const Tensor*>& in, std::vector<int64_t> i) {
  if (op.code == OpCode::kGather) return GatherSource(op, in, i);
  const std::vector<int64_t>& dims = in[0]->shape.dims;
  std::vector<int64_t> index(dims.size());
  for (size_t k = 0; k < dims.size(); ++k) {
    switch (op.code) {
      case OpCode::kBroadcastInDim:
        index[k] = dims[k] == 1 ? 0 : i[op.attrs.dims[k]];
        break;
      case OpCode::kTranspose:
        index[op.attrs.dims[k]] = i[k];
        break;
      case OpCode::kSlice:
        index[k] = op.attrs.starts[k] + i[k] * op.attrs.strides[k];
        break;
      case OpCode::kReverse:
        index[k] = i[k];
        break;
      case OpCode::kDynamicSlice:
        index[k] = i[k] + WindowStart(*in[1 + k], dims[k] - op.attrs.limits[k]);
        break;
      default:
        std::abort();
    }
  }
  if (op.code == OpCode::kReverse) {
    for (int64_t k : op.attrs.dims) index[k] = dims[k] - 1 - index[k];
  }
  return index;
}

void Move(const graph::Op& op, const std::vector<const Tensor*>& in, Tensor& out) {
  const std::vector<int64_t>& dims = out.shape.dims;
  int64_t elements = out.shape.elements();
  switch (op.code) {
    case OpCode::kConstant:
      for (int64_t i = 0; i < elements; ++i) Copy(out, i, Tensor{out.shape, *op.attrs.literal}, op.attrs.splat ? 0 : i);
      return;
    case OpCode::kIota:
      for (int64_t i = 0; i < elements; ++i) {
        int64_t value = Unravel(i, dims)[op.attrs.dims[0]];
        IsFloat(out.shape.type) ? out.SetFloat(i, static_cast<double>(value)) : out.SetInteger(i, value);
      }
      return;
    case OpCode::kReshape:
      out.bytes = in[0]->bytes;
      return;
    case OpCode::kConcatenate: {
      int64_t axis = op.attrs.dims[0], offset = 0;
      for (const Tensor* operand : in) {
        for (int64_t i = 0; i < operand->shape.elements(); ++i) {
          std::vector<int64_t> index = Unravel(i, operand->shape.dims);
          index[axis] += offset;
          Copy(out, Ravel(index, dims), *operand, i);
        }
        offset += operand->shape.dims[axis];
      }
      return;
    }
    case OpCode::kPad:
      for (int64_t i = 0; i < elements; ++i) Copy(out, i, *in[1], 0);
      for (int64_t i = 0; i < in[0]->shape.elements(); ++i) {
        std::vector<int64_t> index = Unravel(i, in[0]->shape.dims);
        bool inside = true;
        for (size_t k = 0; k < index.size(); ++k) {
          index[k] = op.attrs.low[k] + index[k] * (op.attrs.interior[k] + 1);
          inside = inside && index[k] >= 0 && index[k] < dims[k];
        }
        if (inside) Copy(out, Ravel(index, dims), *in[0], i);
      }
      return;
    case OpCode::kDynamicUpdateSlice:
      out.bytes = in[0]->bytes;
      for (int64_t i = 0; i < in[1]->shape.elements(); ++i) {
        std::vector<int64_t> index = Unravel(i, in[1]->shape.dims);
        for (size_t k = 0; k < index.size(); ++k) index[k] += WindowStart(*in[2 + k], dims[k] - in[1]->shape.dims[k]);
        Copy(out, Ravel(index, dims), *in[1], i);
      }
      return;
    default:
      for (int64_t i = 0; i < elements; ++i) {
        Copy(out, i, *in[0], Ravel(SourceIndex(op, in, Unravel(i, dims)), in[0]->shape.dims));
      }
  }
}

void Reduce(const Graph& graph, const graph::Op& op, const std::vector<const Tensor*>& in, Values& values) {
  size_t count = op.results.size();
  const Shape& shape = in[0]->shape;
  const graph::Region& region = graph.regions[op.regions[0]];
  std::vector<Tensor> out;
  for (size_t k = 0; k < count; ++k) {
    out.push_back(Tensor::Zeros(graph.shape(op.results[k])));
    for (int64_t i = 0; i < out[k].shape.elements(); ++i) Copy(out[k], i, *in[count + k], 0);
  }
  for (int64_t i = 0; i < shape.elements(); ++i) {
    std::vector<int64_t> index = Unravel(i, shape.dims), kept;
    for (size_t k = 0; k < index.size(); ++k) {
      bool reduced = false;
      for (int64_t d : op.attrs.dims) reduced |= d == static_cast<int64_t>(k);
      if (!reduced) kept.push_back(index[k]);
    }
    int64_t to = Ravel(kept, out[0].shape.dims);
    Values local = {};
    for (size_t k = 0; k < count; ++k) {
      Tensor accumulated = Tensor::Zeros(graph.shape(region.arguments[k])), value = accumulated;
      Copy(accumulated, 0, out[k], to);
      Copy(value, 0, *in[k], i);
      local[region.arguments[k]] = accumulated;
      local[region.arguments[count + k]] = value;
    }
    Evaluate(graph, op.regions[0], local);
    for (size_t k = 0; k < count; ++k) Copy(out[k], to, local.at(region.results[k]), 0);
  }
  for (size_t k = 0; k < count; ++k) values[op.results[k]] = out[k];
}

// Insertion from the end of what is sorted: stable, and defined for every comparator.
void Sort(const Graph& graph, const graph::Op& op, const std::vector<const Tensor*>& in, Values& values) {
  const graph::Region& region = graph.regions[op.regions[0]];
  const std::vector<int64_t>& dims = in[0]->shape.dims;
  std::vector<Tensor> out;
  for (graph::ValueId result : op.results) out.push_back(Tensor::Zeros(graph.shape(result)));
  const size_t take = out[0].shape.dims[op.attrs.dims[0]];
  auto goes_before = [&](int64_t a, int64_t b) {
    Values local = values;
    for (size_t k = 0; k < in.size(); ++k) {
      for (int side = 0; side < 2; ++side) {
        Tensor one = Tensor::Zeros({in[k]->shape.type, {}});
        Copy(one, 0, *in[k], side ? b : a);
        local[region.arguments[2 * k + side]] = one;
      }
    }
    Evaluate(graph, op.regions[0], local);
    return local.at(region.results[0]).Integer(0) != 0;
  };
  for (int64_t first = 0; first < in[0]->shape.elements(); ++first) {
    std::vector<int64_t> index = Unravel(first, dims);
    int64_t& at = index[op.attrs.dims[0]];
    if (at != 0) continue;
    std::vector<int64_t> order, places;
    for (at = 0; at < dims[op.attrs.dims[0]]; ++at) {
      places.push_back(Ravel(index, dims));
      size_t place = order.size();
      while (place > 0 && goes_before(places.back(), order[place - 1])) --place;
      order.insert(order.begin() + static_cast<int64_t>(place), places.back());
    }
    for (size_t k = 0; k < in.size(); ++k) {
      for (size_t i = 0; i < take; ++i) {
        at = static_cast<int64_t>(i);
        Copy(out[k], Ravel(index, out[k].shape.dims), *in[k], order[i]);
      }
      at = static_cast<int64_t>(order.size());
    }
  }
  for (size_t k = 0; k < in.size(); ++k) values[op.results[k]] = out[k];
}

// Whether the whole window that element `index` of the updates belongs to lies inside, and where the element goes.
std::pair<bool, std::vector<int64_t>> ScatterTarget(const graph::Op& op, const std::vector<const Tensor*>& in,
                                                    const std::vector<int64_t>& index) {
  const graph::IndexedWindows& windows = op.attrs.windows;
  const Tensor& indices = *in[op.results.size()];
  const std::vector<int64_t>&dims = in[0]->shape.dims, &updates = in.back()->shape.dims;
  IndexedElement element = Locate(windows, index, indices.shape.dims, dims.size());
  std::vector<int64_t> last(updates.size());
  for (size_t d = 0; d < last.size(); ++d) {
    last[d] = Contains(windows.window, static_cast<int64_t>(d)) ? updates[d] - 1 : index[d];
  }
  std::vector<int64_t> end = Locate(windows, last, indices.shape.dims, dims.size()).inside;
  bool inside = true;
  for (size_t c = 0; c < element.components.size(); ++c) {
    int64_t d = windows.index_map[c], start = indices.Integer(element.components[c]);
    bool huge = indices.shape.type == ElementType::kU64 && start < 0;
    inside = inside && !huge && start >= 0 && start < dims[d] && start + end[d] < dims[d];
    element.inside[d] = huge ? -1 : element.inside[d] + start;
  }
  return {inside, element.inside};
}

// The updates' elements, window after window: the order that the specification leaves open.
std::vector<int64_t> InOrderOfIndexVectors(const graph::IndexedWindows& windows, const Shape& updates) {
  auto vector_of = [&](int64_t i) {
    std::vector<int64_t> index = Unravel(i, updates.dims), batch;
    for (size_t d = 0; d < index.size(); ++d) {
      if (!Contains(windows.window, static_cast<int64_t>(d))) batch.push_back(index[d]);
    }
    return batch;
  };
  std::vector<int64_t> order(updates.elements());
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(), [&](int64_t a, int64_t b) { return vector_of(a) < vector_of(b); });
  return order;
}

void Scatter(const Graph& graph, const graph::Op& op, const std::vector<const Tensor*>& in, Values& values) {
  size_t count = op.results.size();
  const graph::Region& region = graph.regions[op.regions[0]];
  std::vector<Tensor> out;
  for (size_t k = 0; k < count; ++k) out.push_back(*in[k]);
  const Shape& updates = in.back()->shape;
  for (int64_t i : InOrderOfIndexVectors(op.attrs.windows, updates)) {
    auto [inside, target] = ScatterTarget(op, in, Unravel(i, updates.dims));
    if (!inside) continue;
    int64_t to = Ravel(target, out[0].shape.dims);
    Values local = {};
    for (size_t k = 0; k < count; ++k) {
      Tensor current = Tensor::Zeros(graph.shape(region.arguments[k])), update = current;
      Copy(current, 0, out[k], to);
      Copy(update, 0, *in[count + 1 + k], i);
      local[region.arguments[k]] = current;
      local[region.arguments[count + k]] = update;
    }
    Evaluate(graph, op.regions[0], local);
    for (size_t k = 0; k < count; ++k) Copy(out[k], to, local.at(region.results[k]), 0);
  }
  for (size_t k = 0; k < count; ++k) values[op.results[k]] = out[k];
}

// Tap `tap` of result `i`: the operand's element number, or -1 for padding.
int64_t TapElement(const graph::Attributes& a, const std::vector<int64_t>& dims, const std::vector<int64_t>& i,
                   const std::vector<int64_t>& tap) {
  std::vector<int64_t> index(dims.size());
  for (size_t d = 0; d < dims.size(); ++d) {
    int64_t place = i[d] * a.strides[d] + tap[d] * a.dilations[d] - a.low[d], base = a.interior[d] + 1;
    if (place < 0 || place % base != 0 || place / base >= dims[d]) return -1;
    index[d] = place / base;
  }
  return Ravel(index, dims);
}

void ReduceWindow(const Graph& graph, const graph::Op& op, const std::vector<const Tensor*>& in, Values& values) {
  size_t count = op.results.size();
  const graph::Region& region = graph.regions[op.regions[0]];
  int64_t taps = 1;
  for (int64_t size : op.attrs.limits) taps *= size;
  std::vector<Tensor> out;
  for (size_t k = 0; k < count; ++k) out.push_back(Tensor::Zeros(graph.shape(op.results[k])));
  for (int64_t i = 0; i < out[0].shape.elements(); ++i) {
    for (size_t k = 0; k < count; ++k) Copy(out[k], i, *in[count + k], 0);
    for (int64_t tap = 0; tap < taps; ++tap) {
      int64_t from =
          TapElement(op.attrs, in[0]->shape.dims, Unravel(i, out[0].shape.dims), Unravel(tap, op.attrs.limits));
      Values local = {};
      for (size_t k = 0; k < count; ++k) {
        Tensor folded = Tensor::Zeros(graph.shape(region.arguments[k])), value = folded;
        Copy(folded, 0, out[k], i);
        from < 0 ? Copy(value, 0, *in[count + k], 0) : Copy(value, 0, *in[k], from);
        local[region.arguments[k]] = folded;
        local[region.arguments[count + k]] = value;
      }
      Evaluate(graph, op.regions[0], local);
      for (size_t k = 0; k < count; ++k) Copy(out[k], i, local.at(region.results[k]), 0);
    }
  }
  for (size_t k = 0; k < count; ++k) values[op.results[k]] = out[k];
}

// Its regions see all values around them.
void While(const Graph& graph, const graph::Op& op, const std::vector<const Tensor*>& in, Values& values) {
  std::vector<Tensor> carries;
  for (const Tensor* tensor : in) carries.push_back(*tensor);
  auto run = [&](graph::RegionId number) {
    const graph::Region& region = graph.regions[number];
    Values local = values;
    for (size_t k = 0; k < carries.size(); ++k) local[region.arguments[k]] = carries[k];
    Evaluate(graph, number, local);
    std::vector<Tensor> results;
    for (graph::ValueId result : region.results) results.push_back(local.at(result));
    return results;
  };
  while (run(op.regions[0])[0].Integer(0) != 0) carries = run(op.regions[1]);
  for (size_t k = 0; k < carries.size(); ++k) values[op.results[k]] = carries[k];
}

}  // namespace

void Evaluate(const Graph& graph, graph::RegionId region, Values& values) {
  for (graph::OpId number : graph.regions[region].ops) {
    const graph::Op& op = graph.ops[number];
    std::vector<const Tensor*> in;
    for (graph::ValueId operand : op.operands) in.push_back(&values.at(operand));
    if (op.code == OpCode::kReduce) {
      Reduce(graph, op, in, values);
      continue;
    }
    if (op.code == OpCode::kSort) {
      Sort(graph, op, in, values);
      continue;
    }
    if (op.code == OpCode::kReduceWindow) {
      ReduceWindow(graph, op, in, values);
      continue;
    }
    if (op.code == OpCode::kScatter) {
      Scatter(graph, op, in, values);
      continue;
    }
    if (op.code == OpCode::kWhile) {
      While(graph, op, in, values);
      continue;
    }
    if (op.code == OpCode::kOptimizationBarrier) {
      for (size_t k = 0; k < in.size(); ++k) values[op.results[k]] = *in[k];
      continue;
    }
    Tensor out = Tensor::Zeros(graph.shape(op.results[0]));
    if (graph::OpClassOf(op.code) == graph::OpClass::kElementwise) {
      for (int64_t i = 0; i < out.shape.elements(); ++i) ElementwiseAt(op, in, out, i);
    } else {
      Move(op, in, out);
    }
    values[op.results[0]] = std::move(out);
  }
}

}  // namespace treadle::plan::testing

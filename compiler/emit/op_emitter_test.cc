// Every operation on every pair of telling values of every type: emitted code against the interpreter, bit for bit
// (NaNs are equal to NaNs).
#include <bit>
#include <cstring>
#include <limits>
#include <optional>
#include <vector>

#include "compiler/emit/emit.h"
#include "compiler/emit/testing/object_loader.h"
#include "compiler/plan/builder.h"
#include "compiler/plan/evaluate.h"
#include "compiler/plan/identity.h"
#include "compiler/plan/interpret.h"
#include "compiler/plan/math.h"
#include "compiler/plan/narrow_float.h"
#include "compiler/plan/testing/random_plan.h"
#include "gtest/gtest.h"

namespace treadle::emit {
namespace {

using plan::Id;
using plan::Op;
using plan::Role;

const ElementType kTypes[] = {ElementType::kI1,    ElementType::kI4,  ElementType::kI8,  ElementType::kI16,
                              ElementType::kI32,   ElementType::kI64, ElementType::kU4,  ElementType::kU8,
                              ElementType::kU16,   ElementType::kU32, ElementType::kU64, ElementType::kBF16,
                              ElementType::kF16,   ElementType::kF32, ElementType::kF64, ElementType::kF8E4M3FN,
                              ElementType::kF8E5M2};

std::vector<uint64_t> Integers(ElementType type) {
  int bits = ElementBits(type);
  uint64_t mask = bits == 64 ? ~0ull : (1ull << bits) - 1;
  std::vector<uint64_t> values;
  for (uint64_t v : {0ull, 1ull, 2ull, 3ull, 5ull, 7ull, 31ull, 63ull, 64ull, 100ull}) {
    values.push_back(v);
    values.push_back(0 - v);
    values.push_back((mask >> 1) - v);
    values.push_back((mask >> 1) + 1 + v);
  }
  values.push_back(0x123456789abcdef1);
  values.push_back(0xfedcba9876543211);
  return values;
}

std::vector<uint64_t> Floats(ElementType type) {
  const double infinity = std::numeric_limits<double>::infinity();
  std::vector<double> numbers = {0.0,
                                 -0.0,
                                 1.0,
                                 -1.0,
                                 0.5,
                                 -0.5,
                                 1.5,
                                 2.5,
                                 -2.5,
                                 3.14159,
                                 -7.75,
                                 1e-3,
                                 100.0,
                                 -255.0,
                                 65504.0,
                                 65536.0,
                                 -3e9,
                                 1e10,
                                 -1e19,
                                 3e38,
                                 1e-30,
                                 88.0,
                                 -90.0,
                                 700.0,
                                 1e5,
                                 2097152.5,
                                 16777217.0,
                                 1e22,
                                 infinity,
                                 -infinity,
                                 std::numeric_limits<double>::quiet_NaN(),
                                 0.49999997,
                                 -8388609.5,
                                 6e-8};
  std::vector<uint64_t> values;
  for (double number : numbers) {
    if (type == ElementType::kF64) {
      values.push_back(std::bit_cast<uint64_t>(number));
    } else if (type == ElementType::kF32) {
      values.push_back(std::bit_cast<uint32_t>(static_cast<float>(number)));
    } else {
      values.push_back(plan::FloatToNarrow(type, static_cast<float>(number)));
    }
  }
  return values;
}

bool Supported(Op op, ElementType type) {
  if (op < Op::kAdd) return false;
  bool is_float = IsFloat(type), is_bool = type == ElementType::kI1;
  switch (op) {
    case Op::kAdd:
    case Op::kMul:
    case Op::kMax:
    case Op::kMin:
      return true;
    case Op::kAnd:
    case Op::kOr:
    case Op::kXor:
    case Op::kNot:
      return !is_float;
    case Op::kShl:
    case Op::kShrL:
    case Op::kShrA:
    case Op::kPopcnt:
    case Op::kClz:
      return IsInteger(type);
    case Op::kFloor:
    case Op::kCeil:
    case Op::kRoundAfz:
    case Op::kRoundEven:
    case Op::kFma:
    case Op::kReducePrecision:
    case Op::kIsFinite:
      return is_float;
    case Op::kCmp:
    case Op::kSelect:
    case Op::kConvert:
    case Op::kBitcast:
      return false;  // by hand below
    case Op::kPow:
      return !is_bool;
    default:
      return plan::IsMathOp(op) ? is_float : !is_bool;
  }
}

enum class Kind { kArithmetic, kExtremes, kMath };

Kind KindOf(Op op) {
  if (op == Op::kMax || op == Op::kMin) return Kind::kExtremes;
  return plan::IsMathOp(op) ? Kind::kMath : Kind::kArithmetic;
}

// z_k[i] = op_k(x[i], y[i]) for all operations of the type and kind.
plan::Plan MakePlan(ElementType type, Kind kind) {
  plan::Builder b(std::string(ElementTypeName(type)));
  int n = b.AddPush(ElementType::kI64);
  uint16_t x = b.AddBuffer(type, Role::kIn), y = b.AddBuffer(type, Role::kIn);
  b.BeginPhase();
  Id i = b.BeginLanes(b.ConstI64(0), b.Push(n), 2);
  auto at = [&](uint16_t buffer) { return plan::Access{buffer, {}, {{i, {-1, 1}}}}; };
  Id a = b.Load(at(x)), c = b.Load(at(y));
  auto out = [&](Id value) { b.Store(at(b.AddBuffer(b.elt(value), Role::kOut)), value); };
  for (int k = 0; k <= static_cast<int>(Op::kErfc); ++k) {
    Op op = static_cast<Op>(k);
    if (!Supported(op, type) || KindOf(op) != kind) continue;
    Id args[] = {a, c, a};
    ElementType result = op == Op::kIsFinite ? ElementType::kI1 : type;
    out(b.Emit(op, result, std::span<const Id>(args, plan::OpArity(op)), op == Op::kReducePrecision ? 4 << 8 | 2 : 0));
  }
  if (kind != Kind::kArithmetic) {
    b.EndLoop();
    b.EndPhase();
    return b.Finish();
  }
  int predicates = IsFloat(type) && ElementBytes(type) >= 4 ? 10 : 6;
  for (int p = 0; p < predicates; ++p) {
    Id holds = b.Compare(static_cast<plan::Predicate>(p), a, c);
    out(holds);
    if (p % 3 == 0) out(b.Select(holds, c, a));
  }
  for (ElementType to : kTypes) {
    if (to != type) out(b.Convert(to, a));
    if (to != type && ElementBits(to) == ElementBits(type)) out(b.Emit(Op::kBitcast, to, {a}));
  }
  b.EndLoop();
  b.EndPhase();
  return b.Finish();
}

plan::RandomPlan WithValues(ElementType type, Kind kind, bool keeps_subnormals) {
  plan::Plan plan = MakePlan(type, kind);
  std::vector<uint64_t> values = IsFloat(type) ? Floats(type) : Integers(type);
  // Denormals. Whether max and min flush them is left open: the machine's do, comparisons and selects do not.
  if (kind != Kind::kExtremes || keeps_subnormals) values.insert(values.end(), {1, 0x31234});
  plan::RandomPlan data{.plan = std::move(plan)};
  int64_t n = static_cast<int64_t>(values.size() * values.size()), bytes = ElementBytes(type);
  data.args = {static_cast<uint64_t>(n)};
  data.tiles = {1};
  for (const plan::Buffer& buffer : data.plan.buffers) data.memory.emplace_back(n * ElementBytes(buffer.elt));
  for (int64_t i = 0; i < n; ++i) {
    uint64_t pair[2] = {values[i / values.size()], values[i % values.size()]};
    for (int k = 0; k < 2; ++k) {
      uint64_t value = type == ElementType::kI1 ? pair[k] & 1 : plan::Normalize(type, pair[k]);
      std::memcpy(data.memory[k].data() + i * bytes, &value, bytes);
    }
  }
  return data;
}

void Check(const plan::RandomPlan& data, const executable::Target& target, Tier tier) {
  const plan::Plan* plans[] = {&data.plan};
  StatusOr<std::string> object = EmitPlans(plans, {.target = target, .tier = tier, .verify = true});
  ASSERT_TRUE(object.ok()) << object.status().ToString();
  ObjectLoader loader;
  ASSERT_TRUE(loader.Add(*object).ok());
  StatusOr<TreadleKernel> kernel = loader.Find(plan::KernelSymbol(data.plan, target, 0));
  ASSERT_TRUE(kernel.ok()) << kernel.status().ToString();
  plan::InterpretOptions options{.fma = target.isa >= executable::IsaLevel::kV3,
                                 .keeps_subnormals = target.keeps_subnormals};
  auto expected = plan::RunPhases(data, 0, [&](int phase, const TreadleCallFrame& frame) {
    return plan::Interpret(data.plan, phase, frame, options);
  });
  auto actual = plan::RunPhases(data, 0, [&](int, const TreadleCallFrame& frame) {
    std::optional<plan::FlushDenormals> flush;
    if (!target.keeps_subnormals) flush.emplace();
    return (*kernel)(&frame) == 0 ? OkStatus() : Internal("the kernel failed");
  });
  ASSERT_TRUE(expected.ok() && actual.ok());
  EXPECT_EQ(plan::Difference(data, *expected, *actual), "");
}

class OpEmitterTest : public testing::TestWithParam<ElementType> {};

void CheckKind(ElementType type, Kind kind) {
  for (bool keeps_subnormals : {false, true}) {
    plan::RandomPlan data = WithValues(type, kind, keeps_subnormals);
    for (const executable::Target& host : HostTargets()) {
      const executable::Target target = keeps_subnormals ? executable::KeepingSubnormals(host) : host;
      SCOPED_TRACE(target.Key());
      Check(data, target, Tier::kFull);
    }
  }
}

TEST_P(OpEmitterTest, ArithmeticComparisonsAndConversions) { CheckKind(GetParam(), Kind::kArithmetic); }

TEST_P(OpEmitterTest, Extremes) { CheckKind(GetParam(), Kind::kExtremes); }

TEST_P(OpEmitterTest, Mathematics) {
  if (!IsFloat(GetParam())) GTEST_SKIP() << "functions of floats";
  CheckKind(GetParam(), Kind::kMath);
}

INSTANTIATE_TEST_SUITE_P(Types, OpEmitterTest, testing::ValuesIn(kTypes),
                         [](const auto& info) { return std::string(ElementTypeName(info.param)); });

}  // namespace
}  // namespace treadle::emit

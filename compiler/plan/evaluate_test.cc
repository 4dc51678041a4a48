// Operations at the corners that ops.def closes, narrow floats, and the builder's simplifications against the
// definition.
#include "compiler/plan/evaluate.h"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <limits>

#include "compiler/plan/builder.h"
#include "compiler/plan/narrow_float.h"
#include "compiler/plan/simplify.h"

namespace treadle::plan {
namespace {

using E = ElementType;

uint64_t F32(float value) { return std::bit_cast<uint32_t>(value); }
uint64_t F64(double value) { return std::bit_cast<uint64_t>(value); }
uint64_t I(int64_t value) { return static_cast<uint64_t>(value); }

uint64_t Unary(Op op, E elt, uint64_t a, uint64_t imm = 0) { return Evaluate(op, elt, elt, &a, imm); }
uint64_t Binary(Op op, E elt, uint64_t a, uint64_t b) {
  uint64_t args[] = {a, b};
  return Evaluate(op, elt, elt, args, 0);
}
uint64_t Convert(E to, E from, uint64_t a) { return Evaluate(Op::kConvert, to, from, &a, 0); }

TEST(EvaluateTest, IntegerDivision) {
  EXPECT_EQ(Binary(Op::kDiv, E::kI32, I(7), I(0)), I(-1));
  EXPECT_EQ(Binary(Op::kDiv, E::kU8, 7, 0), 255u);
  EXPECT_EQ(Binary(Op::kDiv, E::kI32, I(INT32_MIN), I(-1)), I(INT32_MIN));
  EXPECT_EQ(Binary(Op::kDiv, E::kI64, I(INT64_MIN), I(-1)), I(INT64_MIN));
  EXPECT_EQ(Binary(Op::kDiv, E::kI32, I(-7), I(2)), I(-3));
  EXPECT_EQ(Binary(Op::kRem, E::kI32, I(-7), I(2)), I(-1));
  EXPECT_EQ(Binary(Op::kRem, E::kI32, I(-7), I(0)), I(-7));
  EXPECT_EQ(Binary(Op::kRem, E::kI64, I(INT64_MIN), I(-1)), 0u);
}

TEST(EvaluateTest, Shifts) {
  EXPECT_EQ(Binary(Op::kShl, E::kI32, 1, 31), I(INT32_MIN));
  EXPECT_EQ(Binary(Op::kShl, E::kI32, 1, 32), 0u);
  EXPECT_EQ(Binary(Op::kShrL, E::kI8, I(-1), 1), 127u);
  EXPECT_EQ(Binary(Op::kShrL, E::kI8, I(-1), I(-1)), 0u);
  EXPECT_EQ(Binary(Op::kShrA, E::kI8, I(-2), 100), I(-1));
  EXPECT_EQ(Binary(Op::kShrA, E::kU8, 0x80, 1), 0xc0u);
}

TEST(EvaluateTest, IntegersWrap) {
  EXPECT_EQ(Binary(Op::kAdd, E::kI4, I(7), I(1)), I(-8));
  EXPECT_EQ(Binary(Op::kMul, E::kU2, 3, 3), 1u);
  EXPECT_EQ(Unary(Op::kNeg, E::kI8, I(-128)), I(-128));
  EXPECT_EQ(Unary(Op::kAbs, E::kI8, I(-128)), I(-128));
  EXPECT_EQ(Unary(Op::kClz, E::kI16, 0), 16u);
  EXPECT_EQ(Unary(Op::kPopcnt, E::kI8, I(-1)), 8u);
  EXPECT_EQ(Binary(Op::kPow, E::kI32, 3, 5), 243u);
  EXPECT_EQ(Binary(Op::kPow, E::kI32, I(-1), I(-3)), I(-1));
  EXPECT_EQ(Binary(Op::kPow, E::kI32, 2, I(-3)), 0u);
}

TEST(EvaluateTest, MaxAndMinKeepNanAndOrderZeros) {
  uint64_t nan = F32(NAN);
  EXPECT_TRUE(std::isnan(std::bit_cast<float>(static_cast<uint32_t>(Binary(Op::kMax, E::kF32, nan, F32(1))))));
  EXPECT_TRUE(std::isnan(std::bit_cast<float>(static_cast<uint32_t>(Binary(Op::kMin, E::kF32, F32(1), nan)))));
  EXPECT_EQ(Binary(Op::kMax, E::kF32, F32(-0.0f), F32(0.0f)), F32(0.0f));
  EXPECT_EQ(Binary(Op::kMin, E::kF64, F64(0.0), F64(-0.0)), F64(-0.0));
}

TEST(EvaluateTest, ConversionsSaturate) {
  EXPECT_EQ(Convert(E::kI32, E::kF32, F32(3e9f)), I(INT32_MAX));
  EXPECT_EQ(Convert(E::kI32, E::kF32, F32(-3e9f)), I(INT32_MIN));
  EXPECT_EQ(Convert(E::kI8, E::kF64, F64(-1.9)), I(-1));
  EXPECT_EQ(Convert(E::kU8, E::kF32, F32(-1)), 0u);
  EXPECT_EQ(Convert(E::kU64, E::kF64, F64(1e30)), ~uint64_t{0});
  EXPECT_EQ(Convert(E::kI64, E::kF32, F32(NAN)), 0u);
  EXPECT_EQ(Convert(E::kI1, E::kF32, F32(0.5f)), 1u);
  EXPECT_EQ(Convert(E::kF32, E::kU64, ~uint64_t{0}), F32(0x1p64f));
  EXPECT_EQ(Convert(E::kI8, E::kI32, 200), I(-56));
}

TEST(EvaluateTest, DenormalsAreFlushed) {
  FlushDenormals flush;
  uint64_t tiny = 1;  // the smallest float
  EXPECT_EQ(Binary(Op::kAdd, E::kF32, tiny, tiny), 0u);
  EXPECT_EQ(Binary(Op::kMul, E::kF32, F32(1e-30f), F32(1e-30f)), 0u);
  EXPECT_EQ(Unary(Op::kCeil, E::kF32, tiny), 0u);
  EXPECT_EQ(Unary(Op::kAbs, E::kF32, tiny | 0x80000000), tiny);
}

TEST(EvaluateTest, TotalOrder) {
  auto compare = [](Predicate p, float a, float b) {
    uint64_t args[] = {F32(a), F32(b)};
    return Evaluate(Op::kCmp, E::kI1, E::kF32, args, static_cast<uint64_t>(p));
  };
  EXPECT_EQ(compare(Predicate::kTotalLt, -0.0f, 0.0f), 1u);
  EXPECT_EQ(compare(Predicate::kLt, -0.0f, 0.0f), 0u);
  EXPECT_EQ(compare(Predicate::kTotalGt, NAN, INFINITY), 1u);
  EXPECT_EQ(compare(Predicate::kTotalLt, -NAN, -INFINITY), 1u);
  EXPECT_EQ(compare(Predicate::kNe, NAN, NAN), 1u);
}

TEST(EvaluateTest, ReducePrecision) {
  EXPECT_EQ(Unary(Op::kReducePrecision, E::kF32, F32(1.00390625f), 5 << 8 | 7), F32(1.0f));  // a tie
  EXPECT_EQ(Unary(Op::kReducePrecision, E::kF32, F32(1e10f), 5 << 8 | 10), F32(INFINITY));
  EXPECT_EQ(Unary(Op::kReducePrecision, E::kF32, F32(-1e-10f), 5 << 8 | 10), F32(-0.0f));
  EXPECT_EQ(Unary(Op::kReducePrecision, E::kF32, F32(1.2345f), 8 << 8 | 23), F32(1.2345f));
}

// Every finite code of every type survives; ties and overflow at chosen values.
TEST(NarrowFloatTest, RoundTripAndRounding) {
  for (E type : {E::kF4E2M1FN, E::kF6E2M3FN, E::kF6E3M2FN, E::kF8E3M4, E::kF8E4M3, E::kF8E4M3FN, E::kF8E4M3FNUZ,
                 E::kF8E4M3B11FNUZ, E::kF8E5M2, E::kF8E5M2FNUZ, E::kF8E8M0FNU, E::kBF16, E::kF16}) {
    for (uint64_t code = 0; code < uint64_t{1} << ElementBits(type); ++code) {
      float value = NarrowToFloat(type, code);
      if (!std::isnan(value)) {
        ASSERT_EQ(FloatToNarrow(type, value), code) << ElementTypeName(type);
      }
    }
  }
  EXPECT_EQ(NarrowToFloat(E::kF8E4M3FN, 0x7e), 448);
  EXPECT_EQ(FloatToNarrow(E::kF8E4M3FN, 464), 0x7eu);  // a tie, to even
  EXPECT_EQ(FloatToNarrow(E::kF8E4M3FN, 465), 0x7fu);
  EXPECT_EQ(FloatToNarrow(E::kF8E5M2, 61440), 0x7cu);
  EXPECT_EQ(FloatToNarrow(E::kF4E2M1FN, 100), 7u);
  EXPECT_EQ(FloatToNarrow(E::kF8E4M3FNUZ, -1e-10f), 0u);
  EXPECT_EQ(FloatToNarrow(E::kF8E4M3FNUZ, 241), 0x7fu);
  EXPECT_EQ(FloatToNarrow(E::kF8E8M0FNU, 12), 131u);
  EXPECT_EQ(FloatToNarrow(E::kF16, 65520), 0x7c00u);
  EXPECT_EQ(FloatToNarrow(E::kF16, 0x1.8p-25f), 1u);
  EXPECT_EQ(FloatToNarrow(E::kBF16, 1.00390625f), 0x3f80u);
}

// Every operation on small integers, with every constant on either side: the simplification is what the operation
// gives.
TEST(SimplifyTest, KeepsEveryBit) {
  int simplified = 0;
  for (E type : {E::kI1, E::kI8, E::kU8, E::kI4}) {
    uint64_t count = uint64_t{1} << ElementBits(type);
    for (Op op = Op::kAdd; op <= Op::kSelect; op = static_cast<Op>(static_cast<int>(op) + 1)) {
      if (OpArity(op) != 2) continue;
      for (uint64_t c = 0; c < count; ++c) {
        for (uint64_t imm = 0; imm < (op == Op::kCmp ? 6 : 1); ++imm) {
          Plan plan;
          plan.nodes = {{.op = Op::kPush, .elt = type}, {.op = Op::kConst, .elt = type, .imm = Normalize(type, c)}};
          for (std::vector<Id> args : {std::vector<Id>{0, 1}, std::vector<Id>{1, 0}, std::vector<Id>{0, 0}}) {
            E elt = op == Op::kCmp ? E::kI1 : type;
            std::optional<Simpler> simpler = Simplify(plan, op, elt, args, imm);
            if (!simpler) continue;
            ++simplified;
            for (uint64_t x = 0; x < count; ++x) {
              uint64_t values[] = {Normalize(type, x), Normalize(type, c)};
              uint64_t operands[] = {values[args[0]], values[args[1]]};
              uint64_t want = Evaluate(op, elt, type, operands, imm);
              ASSERT_EQ(simpler->value == kNone ? simpler->bits : values[simpler->value], want)
                  << OpText(op) << " of " << operands[0] << " and " << operands[1] << " as " << ElementTypeName(type);
            }
          }
        }
      }
    }
  }
  EXPECT_GT(simplified, 100);
}

TEST(SimplifyTest, BuilderFoldsConstantsAndSigns) {
  Builder b("fold");
  b.AddPush(E::kI32);
  b.BeginPhase();
  Id x = b.Push(0), zero = b.Const(E::kI32, 0), three = b.Const(E::kI32, 3);
  EXPECT_EQ(b.Add(three, b.Const(E::kI32, 4)), b.Const(E::kI32, 7));
  EXPECT_EQ(b.Unary(Op::kNeg, b.Const(E::kF32, F32(2))), b.Const(E::kF32, F32(-2)));
  Id negative = b.Compare(Predicate::kLt, x, zero), differs = b.Compare(Predicate::kNe, x, zero);
  EXPECT_EQ(b.Binary(Op::kAnd, negative, differs), negative);
  EXPECT_EQ(b.Binary(Op::kAnd, differs, negative), negative);
  EXPECT_EQ(b.Select(b.Compare(Predicate::kLt, zero, three), x, zero), x);
  b.EndPhase();
}

// Floor division and remainder by a power of two, as programs write them, are a shift and a mask.
TEST(SimplifyTest, FloorDivisionByPowersOfTwo) {
  for (int power : {0, 1, 3, 6}) {
    Builder b("floor");
    b.AddPush(E::kI8);
    b.BeginPhase();
    Id x = b.Push(0), by = b.Const(E::kI8, uint64_t{1} << power), zero = b.Const(E::kI8, 0), one = b.Const(E::kI8, 1);
    Id quotient = b.Div(x, by), rest = b.Rem(x, by), inexact = b.Compare(Predicate::kNe, rest, zero);
    Id signs = b.Compare(Predicate::kNe, b.Unary(Op::kSign, x), b.Unary(Op::kSign, by));
    Id floor = b.Select(b.Binary(Op::kAnd, signs, inexact), b.Sub(quotient, one), quotient);
    Id mod = b.Select(b.Compare(Predicate::kLt, rest, zero), b.Add(rest, by), rest);
    b.EndPhase();
    Plan plan = b.Finish();
    ASSERT_EQ(plan.node(floor).op, power == 0 ? Op::kPush : Op::kShrA);
    ASSERT_TRUE(power == 0 || plan.node(mod).op == Op::kAnd);
    for (int value = -128; value < 128; ++value) {
      auto run = [&](Id id) {
        if (id == x) return static_cast<int64_t>(value);
        if (plan.node(id).op == Op::kConst) return static_cast<int64_t>(plan.node(id).imm);
        return static_cast<int64_t>(Binary(plan.node(id).op, E::kI8, I(value), plan.node(plan.arg(id, 1)).imm));
      };
      EXPECT_EQ(run(floor), static_cast<int64_t>(std::floor(value / std::ldexp(1.0, power))));
      EXPECT_EQ(run(mod), value - static_cast<int64_t>(std::ldexp(std::floor(value / std::ldexp(1.0, power)), power)));
    }
  }
}

}  // namespace
}  // namespace treadle::plan

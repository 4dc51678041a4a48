#include "compiler/plan/print.h"

#include <gtest/gtest.h>

#include "compiler/plan/builder.h"
#include "compiler/plan/identity.h"

namespace treadle::plan {
namespace {

Plan MapPlan(std::string name, int unroll) {
  Builder b(std::move(name));
  int n = b.AddPush(ElementType::kI64);
  uint16_t x = b.AddBuffer(ElementType::kF32, Role::kIn);
  uint16_t y = b.AddBuffer(ElementType::kF32, Role::kOut, {}, 0);
  Id tile = b.BeginPhase();
  Id lo = b.Mul(tile, b.ConstI64(8192));
  Id hi = b.Min(b.Add(lo, b.ConstI64(8192)), b.Push(n));
  b.Add(lo, lo);  // dead
  Id i = b.BeginLanes(lo, hi, unroll);
  b.Store({y, {}, {{i, {-1, 1}}}},
          b.Add(b.Load({x, {0, -1}, {{i, {-1, 1}}, {tile, {0, 3}}}}), b.Const(ElementType::kF32, 0x3f800000)));
  b.EndLoop();
  b.EndPhase();
  return b.Finish();
}

TEST(PrintTest, Map) {
  EXPECT_EQ(Print(MapPlan("map add", 4)), R"(plan "map add"
push i64
buffer in f32
buffer out f32 share 0
phase %0 {
  %1 = mul i64 %0 8192
  %2 = add i64 %1 8192
  %3 = min i64 %2 $0
  lanes %4 in %1..%3 u4 {
    %5 = load f32 @0[$0-1 + %4 + %0*$0+3]
    %6 = add f32 %5 f32#3f800000
    store @1[%4] %6
  }
}
)");
}

TEST(PrintTest, Loops) {
  Builder b("loops");
  uint16_t x = b.AddBuffer(ElementType::kF32, Role::kIn), acc = b.AddBuffer(ElementType::kF32, Role::kLocal, {-1, 64});
  b.BeginPhase();
  Id zero = b.Const(ElementType::kF32, 0);
  Id i = b.BeginReduce(LoopKind::kLanes, Tree::kLanes, b.ConstI64(0), b.ConstI64(64), {&zero, 1}, 8);
  b.Yield({b.Load({x, {}, {{i, {-1, 1}}}})});
  b.BeginCombine();
  b.Yield({b.Add(b.Carry(0), b.NewValue(0))});
  Id sum = b.EndLoop()[0];
  b.BeginWhile({&sum, 1});
  b.BeginCond();
  b.Yield({b.Compare(Predicate::kLt, b.Carry(0), zero)});
  b.BeginBody();
  b.Yield({b.Unary(Op::kExp, b.Carry(0))});
  Id last = b.EndLoop()[0];
  ElementType types[] = {ElementType::kF32};
  b.BeginIf(b.Compare(Predicate::kEq, last, sum), types);
  b.Yield({last});
  b.BeginElse();
  b.Yield({sum});
  Id pick = b.EndLoop()[0];
  b.Store({acc, {-1, 3}, {}}, pick);
  b.EndPhase();
  EXPECT_EQ(PrintWithoutName(b.Finish()), R"(buffer in f32
buffer local f32 64
phase %0 {
  %1 = lanes %2 in 0..64 u8 tree lanes (f32#0) {
    %3 = load f32 @0[%2]
    yield %3
  } combine %4 %5 {
    %6 = add f32 %4 %5
    yield %6
  }
  %7 = while (%1) cond %8 {
    %9 = cmp.lt i1 %8 f32#0
    yield %9
  } do %10 {
    %11 = exp f32 %10
    yield %11
  }
  %12 = cmp.eq i1 %7 %1
  %13 = if %12 (f32) {
    yield %7
  } else {
    yield %1
  }
  store @1[3] %13
}
)");
}

TEST(IdentityTest, DependsOnTheTextAndTheTarget) {
  executable::Target v3{.isa = executable::IsaLevel::kV3}, v4{.isa = executable::IsaLevel::kV4};
  std::string symbol = KernelSymbol(MapPlan("a", 4), v3, 0);
  EXPECT_EQ(symbol.size(), std::string("treadle_").size() + 32 + 2);
  EXPECT_EQ(symbol, KernelSymbol(MapPlan("b", 4), v3, 0));
  EXPECT_NE(symbol, KernelSymbol(MapPlan("a", 2), v3, 0));
  EXPECT_NE(symbol, KernelSymbol(MapPlan("a", 4), v4, 0));
}

}  // namespace
}  // namespace treadle::plan

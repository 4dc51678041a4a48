// Pointwise plans on every instruction set and tier, at sizes around the vector's.
#include <cstring>
#include <vector>

#include "compiler/emit/emit.h"
#include "compiler/emit/testing/object_loader.h"
#include "compiler/plan/builder.h"
#include "compiler/plan/identity.h"
#include "gtest/gtest.h"

namespace treadle::emit {
namespace {

using executable::IsaLevel;
using plan::Builder;
using plan::Id;
using plan::Role;

// y[i] = x[i] + c over tiles of 50 elements.
plan::Plan AddConstant(int unroll) {
  Builder b("map add");
  int n = b.AddPush(ElementType::kI64), c = b.AddPush(ElementType::kF32);
  uint16_t x = b.AddBuffer(ElementType::kF32, Role::kIn), y = b.AddBuffer(ElementType::kF32, Role::kOut, {}, 0);
  Id tile = b.BeginPhase();
  Id lo = b.Mul(tile, b.ConstI64(50)), hi = b.Min(b.Add(lo, b.ConstI64(50)), b.Push(n));
  Id i = b.BeginLanes(lo, hi, unroll);
  b.Store({y, {}, {{i, {-1, 1}}}}, b.Add(b.Load({x, {}, {{i, {-1, 1}}}}), b.Push(c)));
  b.EndLoop();
  b.EndPhase();
  return b.Finish();
}

TEST(MapTest, AddsAConstant) {
  for (const executable::Target& target : HostTargets()) {
    for (Tier tier : {Tier::kQuick, Tier::kFull}) {
      for (int unroll : {1, 4}) {
        SCOPED_TRACE(target.Key() + (tier == Tier::kQuick ? " quick" : " full") + " unroll " + std::to_string(unroll));
        plan::Plan plan = AddConstant(unroll);
        const plan::Plan* plans[] = {&plan};
        StatusOr<std::string> object = EmitPlans(plans, {.target = target, .tier = tier, .verify = true});
        ASSERT_TRUE(object.ok()) << object.status().ToString();
        ObjectLoader loader;
        ASSERT_TRUE(loader.Add(*object).ok());
        StatusOr<TreadleKernel> kernel = loader.Find(plan::KernelSymbol(plan, target, 0));
        ASSERT_TRUE(kernel.ok()) << kernel.status().ToString();
        for (int64_t n = 1; n <= 170; ++n) {
          std::vector<float> x(n), y(n + 1, -1.0f);
          for (int64_t i = 0; i < n; ++i) x[i] = static_cast<float>(i) * 0.5f;
          float c = 2.5f;
          uint64_t args[2] = {static_cast<uint64_t>(n), 0};
          std::memcpy(&args[1], &c, sizeof c);
          bool in_place = n % 2 == 0;
          void* buffers[2] = {in_place ? y.data() : x.data(), y.data()};
          if (in_place) std::memcpy(y.data(), x.data(), n * sizeof(float));
          TreadleCallFrame frame = {buffers, args, nullptr, nullptr, nullptr, 0, (n + 49) / 50};
          ASSERT_EQ((*kernel)(&frame), 0);
          for (int64_t i = 0; i < n; ++i) ASSERT_EQ(y[i], x[i] + c) << "n " << n << " i " << i;
          ASSERT_EQ(y[n], -1.0f);
        }
      }
    }
  }
}

TEST(MapTest, UsesWholeRegisters) {
  for (const executable::Target& target : HostTargets()) {
    plan::Plan plan = AddConstant(4);
    const plan::Plan* plans[] = {&plan};
    StatusOr<std::string> text = EmitPlans(plans, {.target = target, .output = Output::kAssembly});
    ASSERT_TRUE(text.ok()) << text.status().ToString();
    const char* registers = target.isa == IsaLevel::kV4 ? "%zmm" : target.isa == IsaLevel::kV3 ? "%ymm" : "%xmm";
    EXPECT_NE(text->find(registers), std::string::npos) << *text;
  }
}

}  // namespace
}  // namespace treadle::emit

#include "compiler/emit/kernel_cache.h"

#include <thread>

#include "compiler/emit/testing/object_loader.h"
#include "compiler/plan/builder.h"
#include "compiler/plan/identity.h"
#include "gtest/gtest.h"

namespace treadle::emit {
namespace {

using plan::Id;
using plan::Role;

// y[i] = x[i] + constant; `name` is not part of what the kernel is.
plan::Plan AddConstant(std::string name, uint32_t bits) {
  plan::Builder b(std::move(name));
  int n = b.AddPush(ElementType::kI64);
  uint16_t x = b.AddBuffer(ElementType::kF32, Role::kIn), y = b.AddBuffer(ElementType::kF32, Role::kOut);
  b.BeginPhase();
  Id i = b.BeginLanes(b.ConstI64(0), b.Push(n));
  b.Store({y, {}, {{i, {-1, 1}}}}, b.Add(b.Load({x, {}, {{i, {-1, 1}}}}), b.Const(ElementType::kF32, bits)));
  b.EndLoop();
  b.EndPhase();
  return b.Finish();
}

StatusOr<CompiledKernels> Compile(std::span<const plan::Plan* const> plans, const executable::Target& target,
                                  Tier tier) {
  std::vector<KernelRequest> requests;
  for (const plan::Plan* plan : plans) requests.push_back({plan, tier});
  return CompileKernels(requests, target, CodegenThreads());
}

TEST(KernelCacheTest, CompilesEachTextOnce) {
  executable::Target target = *executable::HostTarget();
  plan::Plan one = AddConstant("one", 0x40000000), same = AddConstant("same", 0x40000000);
  plan::Plan other = AddConstant("other", 0x40400000);
  KernelCounts before = CountKernels();
  const plan::Plan* plans[] = {&one, &other, &same};
  StatusOr<CompiledKernels> first = Compile(plans, target, Tier::kFull);
  ASSERT_TRUE(first.ok()) << first.status().ToString();
  EXPECT_EQ(CountKernels().compiled - before.compiled, 2);
  EXPECT_EQ(CountKernels().from_memory - before.from_memory, 1);
  ASSERT_EQ(first->object_of_request.size(), 3u);
  EXPECT_EQ(first->object_of_request[0], first->object_of_request[2]);

  const plan::Plan* again[] = {&same};
  StatusOr<CompiledKernels> second = Compile(again, target, Tier::kFull);
  ASSERT_TRUE(second.ok()) << second.status().ToString();
  EXPECT_EQ(CountKernels().compiled - before.compiled, 2);
  EXPECT_EQ(second->objects[0].bytes, first->objects[first->object_of_request[0]].bytes);

  ObjectLoader loader;
  for (const executable::Object& object : first->objects) ASSERT_TRUE(loader.Add(object.bytes).ok());
  for (const plan::Plan* plan : plans) EXPECT_TRUE(loader.Find(plan::KernelSymbol(*plan, target, 0)).ok());
}

TEST(KernelCacheTest, TiersAndTargetsAreDifferentCode) {
  executable::Target target = *executable::HostTarget();
  executable::Target v2 = HostTargets()[0];
  plan::Plan plan = AddConstant("tiers", 0x40800000);
  const plan::Plan* plans[] = {&plan};
  KernelCounts before = CountKernels();
  ASSERT_TRUE(Compile(plans, target, Tier::kQuick).ok());
  ASSERT_TRUE(Compile(plans, target, Tier::kFull).ok());
  ASSERT_TRUE(Compile(plans, v2, Tier::kFull).ok());
  EXPECT_EQ(CountKernels().compiled - before.compiled, target == v2 ? 2 : 3);
}

TEST(KernelCacheTest, TiersMayBeMixedAndEachObjectSaysWhichItIs) {
  executable::Target target = *executable::HostTarget();
  plan::Plan fast = AddConstant("fast", 0x41800000), good = AddConstant("good", 0x41900000);
  const KernelRequest requests[] = {{&fast, Tier::kQuick}, {&good, Tier::kFull}};
  EXPECT_FALSE(IsCompiled(good, target, Tier::kFull));
  StatusOr<CompiledKernels> kernels = CompileKernels(requests, target, /*threads=*/1);
  ASSERT_TRUE(kernels.ok()) << kernels.status().ToString();
  EXPECT_TRUE(kernels->objects[kernels->object_of_request[0]].quick);
  EXPECT_FALSE(kernels->objects[kernels->object_of_request[1]].quick);
  EXPECT_TRUE(IsCompiled(good, target, Tier::kFull));
  EXPECT_TRUE(IsCompiled(fast, target, Tier::kQuick));
  EXPECT_FALSE(IsCompiled(fast, target, Tier::kFull));
}

TEST(KernelCacheTest, ManyKernelsOnManyThreadsAreCompiledOnce) {
  executable::Target target = *executable::HostTarget();
  KernelCounts before = CountKernels();
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&] {
      std::vector<plan::Plan> plans;
      std::vector<const plan::Plan*> pointers;
      for (uint32_t k = 0; k < 12; ++k) plans.push_back(AddConstant("many", 0x41000000 + k));
      for (const plan::Plan& plan : plans) pointers.push_back(&plan);
      StatusOr<CompiledKernels> kernels = Compile(pointers, target, Tier::kQuick);
      ASSERT_TRUE(kernels.ok()) << kernels.status().ToString();
      ASSERT_EQ(kernels->object_of_request.size(), 12u);
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(CountKernels().compiled - before.compiled, 12);
}

TEST(KernelCacheTest, UnsupportedPlansAreErrorsThatNameThem) {
  plan::Builder b("odd types");
  uint16_t x = b.AddBuffer(ElementType::kC64, Role::kIn), y = b.AddBuffer(ElementType::kC64, Role::kOut);
  b.BeginPhase();
  b.Store({y, {}, {}}, b.Load({x, {}, {}}));
  b.EndPhase();
  plan::Plan plan = b.Finish();
  const plan::Plan* plans[] = {&plan};
  StatusOr<CompiledKernels> kernels = Compile(plans, *executable::HostTarget(), Tier::kFull);
  ASSERT_FALSE(kernels.ok());
  EXPECT_EQ(kernels.status().code(), StatusCode::kUnimplemented);
  EXPECT_NE(kernels.status().message().find("odd types"), std::string::npos) << kernels.status().ToString();
}

}  // namespace
}  // namespace treadle::emit

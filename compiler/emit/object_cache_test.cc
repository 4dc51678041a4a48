// The cache on disk as kernels use it. Each process has one, so that every step here is a process.
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <functional>
#include <iterator>
#include <memory>
#include <string>
#include <vector>

#include "base/background.h"
#include "compiler/cache/testing/scratch.h"
#include "compiler/emit/better_code.h"
#include "compiler/emit/kernel_cache.h"
#include "compiler/plan/builder.h"
#include "gtest/gtest.h"

namespace treadle::emit {
namespace {

// y[i] = x[i] + constant
plan::Plan AddConstant(uint32_t bits) {
  plan::Builder b("add constant");
  int n = b.AddPush(ElementType::kI64);
  uint16_t x = b.AddBuffer(ElementType::kF32, plan::Role::kIn), y = b.AddBuffer(ElementType::kF32, plan::Role::kOut);
  b.BeginPhase();
  plan::Id i = b.BeginLanes(b.ConstI64(0), b.Push(n));
  b.Store({y, {}, {{i, {-1, 1}}}}, b.Add(b.Load({x, {}, {{i, {-1, 1}}}}), b.Const(ElementType::kF32, bits)));
  b.EndLoop();
  b.EndPhase();
  return b.Finish();
}

class ObjectCacheTest : public testing::Test {
 protected:
  // A process that uses the cache and ends in an orderly way.
  void InProcess(const std::function<void()>& work) {
    const pid_t child = fork();
    if (child == 0) {
      UseDiskCache({.path = scratch_ / "kernels", .most_bytes = 16 << 20, .build = "build"});
      work();
      FinishBackgroundWork();
      std::fflush(nullptr);
      _exit(HasFailure() ? 1 : 0);
    }
    int status = 0;
    waitpid(child, &status, 0);
    ASSERT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0);
  }

  // Two kernels at this tier; where their code came from.
  KernelCounts Compile(Tier tier) {
    const plan::Plan one = AddConstant(0x40000001), two = AddConstant(0x40000002);
    const KernelRequest requests[] = {{&one, tier}, {&two, tier}};
    StatusOr<CompiledKernels> kernels = CompileKernels(requests, target_, /*threads=*/1);
    EXPECT_TRUE(kernels.ok()) << kernels.status().ToString();
    if (!kernels.ok()) return {};
    quick_ = kernels->objects.front().quick;
    bytes_ = kernels->objects.front().bytes;
    return kernels->counts;
  }

  cache::Scratch scratch_;
  const executable::Target target_ = *executable::HostTarget();
  bool quick_ = false;
  std::string bytes_;
};

TEST_F(ObjectCacheTest, TheSecondProcessCompilesNothing) {
  int pipe_ends[2];
  ASSERT_EQ(pipe(pipe_ends), 0);
  InProcess([&] {
    EXPECT_EQ(Compile(Tier::kFull).compiled, 2);
    EXPECT_EQ(Compile(Tier::kFull).from_memory, 2);
    EXPECT_EQ(write(pipe_ends[1], bytes_.data(), bytes_.size()), static_cast<ssize_t>(bytes_.size()));
  });
  close(pipe_ends[1]);
  std::string written(1 << 16, '\0');
  written.resize(static_cast<size_t>(std::max<ssize_t>(0, read(pipe_ends[0], written.data(), written.size()))));
  close(pipe_ends[0]);
  InProcess([&] {
    const KernelCounts counts = Compile(Tier::kFull);
    EXPECT_EQ(counts.compiled, 0);
    EXPECT_EQ(counts.from_disk, 2);
    EXPECT_EQ(bytes_, written);
    EXPECT_EQ(Compile(Tier::kFull).from_memory, 2);
  });
}

TEST_F(ObjectCacheTest, TheBestTierThatThereIsServes) {
  InProcess([&] {
    EXPECT_EQ(Compile(Tier::kQuick).compiled, 2);
    EXPECT_TRUE(quick_);
  });
  InProcess([&] {
    EXPECT_EQ(Compile(Tier::kQuick).from_disk, 2);
    EXPECT_TRUE(quick_);
    EXPECT_FALSE(IsCompiled(AddConstant(0x40000001), target_, Tier::kFull));
    EXPECT_EQ(Compile(Tier::kFull).compiled, 2);
  });
  InProcess([&] {
    EXPECT_EQ(Compile(Tier::kQuick).from_disk, 2);
    EXPECT_FALSE(quick_);
    EXPECT_TRUE(IsCompiled(AddConstant(0x40000001), target_, Tier::kFull));
  });
}

class NoSink : public executable::CodeSink {
  void Take(executable::Object, std::vector<std::string>) override {}
};

// A process that ends has up to two seconds left for it.
TEST_F(ObjectCacheTest, GoodCodeThatIsDueWhenAProcessEndsIsStored) {
  InProcess([&] {
    CompileBetterCode({AddConstant(0x40000001), AddConstant(0x40000002)}, target_, std::make_shared<NoSink>());
  });
  InProcess([&] { EXPECT_EQ(Compile(Tier::kFull).from_disk, 2); });
}

TEST_F(ObjectCacheTest, WarmUpIsNotCountedAndDoneOnce) {
  for (int process = 0; process < 2; ++process) {
    InProcess([&] {
      WarmUp(target_);
      EXPECT_EQ(CountKernels().compiled, 0);
      EXPECT_EQ(CountKernels().cached(), 0);
    });
    EXPECT_EQ(std::distance(std::filesystem::directory_iterator(scratch_ / "kernels"), {}), 1);
  }
}

}  // namespace
}  // namespace treadle::emit

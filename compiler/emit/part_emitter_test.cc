// Loops with long bodies: functions of bounded length, and the interpreter's bits.
#include <algorithm>
#include <array>
#include <cstring>
#include <sstream>
#include <string>
#include <vector>

#include "compiler/emit/emit.h"
#include "compiler/emit/testing/object_loader.h"
#include "compiler/plan/builder.h"
#include "compiler/plan/evaluate.h"
#include "compiler/plan/identity.h"
#include "compiler/plan/interpret.h"
#include "compiler/plan/verify.h"
#include "gtest/gtest.h"

namespace treadle::emit {
namespace {

using plan::Builder;
using plan::Id;
using plan::Op;
using plan::Role;

constexpr ElementType kF32 = ElementType::kF32, kBF16 = ElementType::kBF16;
constexpr int kFloats = 7;

// A loop of five iterations over floats, a bf16, a mask and a counter, with about `ops` operations in its body, among
// them a branch and a loop; what it starts from and gives lies in a buffer of floats.
plan::Plan LongLoop(int ops) {
  Builder b("long");
  const uint16_t x = b.AddBuffer(kF32, Role::kInOut);
  b.BeginPhase();
  std::vector<Id> init;
  for (int k = 0; k < kFloats; ++k) init.push_back(b.Load({x, {-1, k}, {}}));
  const Id outside = b.Mul(init[0], init[1]);
  init.push_back(b.Convert(kBF16, init[2]));
  init.push_back(b.Compare(plan::Predicate::kGt, init[3], init[4]));
  init.push_back(b.ConstI64(0));
  b.BeginWhile(init);
  b.BeginCond();
  b.Yield({b.Compare(plan::Predicate::kLt, b.Carry(kFloats + 2), b.ConstI64(5))});
  b.BeginBody();
  std::vector<Id> values;
  for (int k = 0; k < kFloats; ++k) values.push_back(b.Carry(k));
  Id narrow = b.Carry(kFloats), mask = b.Carry(kFloats + 1);
  for (int k = 0; k < ops; ++k) {
    Id &to = values[k % kFloats], other = values[(3 * k + 1) % kFloats];
    if (k % 50 == 20) narrow = b.Add(narrow, b.Convert(kBF16, other));
    if (k % 50 == 30) mask = b.Compare(plan::Predicate::kLt, to, b.Convert(kF32, narrow));
    if (k % 1000 == 40) {
      const ElementType types[] = {kF32};
      b.BeginIf(mask, types);
      b.Yield({b.Mul(to, outside)});
      b.BeginElse();
      b.Yield({other});
      to = b.EndLoop()[0];
    }
    if (k % 1000 == 60) {
      const Id start[] = {to};
      const Id index = b.BeginFor(b.ConstI64(0), b.ConstI64(3), plan::kNone, start);
      b.Yield({b.Add(b.Mul(b.Carry(0), b.Const(kF32, 0x3f000000)), b.Convert(kF32, index))});
      to = b.EndLoop()[0];
    }
    to = k % 3 == 0   ? b.Add(b.Mul(to, b.Const(kF32, 0x3f000000)), other)
         : k % 3 == 1 ? b.Select(mask, to, b.Sub(other, outside))
                      : b.Emit(Op::kMul, kF32, {b.Add(to, other), b.Const(kF32, 0x3e99999a)});
  }
  values.insert(values.end(), {narrow, mask, b.Add(b.Carry(kFloats + 2), b.ConstI64(1))});
  b.Yield(values);
  const std::vector<Id> ends = b.EndLoop();
  for (int k = 0; k < kFloats; ++k) b.Store({x, {-1, k}, {}}, ends[k]);
  b.Store({x, {-1, kFloats}, {}}, b.Convert(kF32, ends[kFloats]));
  b.Store({x, {-1, kFloats + 1}, {}}, b.Convert(kF32, ends[kFloats + 1]));
  b.EndPhase();
  return b.Finish();
}

using Floats = std::array<float, kFloats + 2>;

template <typename Run>
Floats Result(Run&& run) {
  Floats floats = {0.5f, -1.25f, 3.75f, 0.1f, -0.0f, 2e-3f, 1.5f, 0, 0};
  std::array<void*, 1> buffers = {floats.data()};
  TreadleCallFrame frame{};
  frame.buffers = buffers.data();
  frame.tile_end = 1;
  plan::FlushDenormals flush;
  EXPECT_TRUE(run(frame));
  return floats;
}

TEST(PartEmitterTest, LongLoopsGiveTheInterpretersBits) {
  for (int ops : {100, 1400, 1450, 1500, 1550, 1600, 9000}) {  // from about 1500 on it is cut
    const plan::Plan plan = LongLoop(ops);
    ASSERT_TRUE(plan::Verify(plan).ok());
    const Floats expected =
        Result([&](const TreadleCallFrame& frame) { return plan::Interpret(plan, 0, frame, {}).ok(); });
    EXPECT_TRUE(std::ranges::any_of(expected, [](float x) { return x != 0 && x == x; }));
    for (const executable::Target& target : HostTargets()) {
      for (Tier tier : {Tier::kQuick, Tier::kFull}) {
        const plan::Plan* plans[] = {&plan};
        StatusOr<std::string> object = EmitPlans(plans, {.target = target, .tier = tier, .verify = true});
        ASSERT_TRUE(object.ok()) << object.status().ToString();
        ObjectLoader loader;
        ASSERT_TRUE(loader.Add(*std::move(object)).ok());
        StatusOr<TreadleKernel> kernel = loader.Find(plan::KernelSymbol(plan, target, 0));
        ASSERT_TRUE(kernel.ok()) << kernel.status().ToString();
        const Floats actual = Result([&](const TreadleCallFrame& frame) { return (*kernel)(&frame) == 0; });
        EXPECT_EQ(std::memcmp(&actual, &expected, sizeof actual), 0) << ops << " " << target.Key();
      }
    }
  }
}

// Lines of the longest function, and how many functions there are.
std::pair<int, int> FunctionsOf(const std::string& llvm_ir) {
  std::istringstream lines(llvm_ir);
  int longest = 0, count = 0, length = 0;
  for (std::string line; std::getline(lines, line); ++length) {
    if (line.starts_with("define")) ++count, length = 0;
    if (line == "}") longest = std::max(longest, length);
  }
  return {longest, count};
}

TEST(PartEmitterTest, FunctionsAreBounded) {
  constexpr int kFew = 3200;  // the longest part, its state, and branches
  for (auto [ops, least, most] : {std::tuple{500, 1, 1}, {3000, 3, 6}, {30'000, 20, 40}}) {
    const plan::Plan plan = LongLoop(ops);
    const plan::Plan* plans[] = {&plan};
    StatusOr<std::string> text = EmitPlans(plans, {.target = HostTargets().front(), .output = Output::kLlvmIr});
    ASSERT_TRUE(text.ok());
    const auto [longest, count] = FunctionsOf(*text);
    EXPECT_LE(longest, kFew) << ops;
    EXPECT_GE(count, least) << ops;
    EXPECT_LE(count, most) << ops;
  }
}

}  // namespace
}  // namespace treadle::emit

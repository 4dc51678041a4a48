#include "compiler/emit/better_code.h"

#include <condition_variable>
#include <map>
#include <mutex>

#include "base/background.h"
#include "compiler/emit/kernel_cache.h"
#include "compiler/plan/builder.h"
#include "compiler/plan/identity.h"
#include "gtest/gtest.h"

namespace treadle::emit {
namespace {

using plan::Id;
using plan::Role;

// y[i] = x[i] * constant, and as many further operations as make `nodes` of them.
plan::Plan Scale(uint32_t bits, int nodes) {
  plan::Builder b("scale");
  int n = b.AddPush(ElementType::kI64);
  uint16_t x = b.AddBuffer(ElementType::kF32, Role::kIn), y = b.AddBuffer(ElementType::kF32, Role::kOut);
  b.BeginPhase();
  Id i = b.BeginLanes(b.ConstI64(0), b.Push(n));
  Id value = b.Load({x, {}, {{i, {-1, 1}}}});
  for (int k = 0; k < nodes; ++k) value = b.Mul(value, b.Const(ElementType::kF32, bits + k));
  b.Store({y, {}, {{i, {-1, 1}}}}, value);
  b.EndLoop();
  b.EndPhase();
  return b.Finish();
}

struct Received {
  std::mutex mutex;
  std::condition_variable changed;
  std::map<std::string, std::string> object_of_symbol;
  int quick_objects = 0;
  bool ended = false;

  void AwaitEnd() {
    std::unique_lock lock(mutex);
    changed.wait(lock, [this] { return ended; });
  }
};

class Sink : public executable::CodeSink {
 public:
  explicit Sink(Received& received) : received_(received) {}
  ~Sink() override {
    std::lock_guard lock(received_.mutex);
    received_.ended = true;
    received_.changed.notify_all();
  }
  void Take(executable::Object object, std::vector<std::string> symbols) override {
    std::lock_guard lock(received_.mutex);
    received_.quick_objects += object.quick;
    for (const std::string& symbol : symbols) received_.object_of_symbol[symbol] = object.bytes;
  }

 private:
  Received& received_;
};

TEST(BetterCodeTest, GivesEachKernelAndEnds) {
  executable::Target target = *executable::HostTarget();
  std::vector<plan::Plan> plans;
  for (uint32_t k = 0; k < 5; ++k) plans.push_back(Scale(0x3f800100 + 1000 * k, 150));  // several batches
  Received received;
  CompileBetterCode(plans, target, std::make_shared<Sink>(received));
  received.AwaitEnd();
  EXPECT_EQ(received.quick_objects, 0);
  EXPECT_EQ(received.object_of_symbol.size(), plans.size());
  for (const plan::Plan& plan : plans) {
    const std::string symbol = plan::KernelSymbol(plan, target, 0);
    ASSERT_TRUE(received.object_of_symbol.contains(symbol));
    EXPECT_TRUE(IsCompiled(plan, target, Tier::kFull));
  }
}

TEST(BetterCodeTest, EndsWhereTheProcessEnds) {
  executable::Target target = *executable::HostTarget();
  std::vector<plan::Plan> plans;
  for (uint32_t k = 0; k < 50; ++k) plans.push_back(Scale(0x40000100 + 1000 * k, 200));
  Received received;
  CompileBetterCode(plans, target, std::make_shared<Sink>(received));
  FinishBackgroundWork();
  received.AwaitEnd();
  EXPECT_LT(received.object_of_symbol.size(), plans.size());
}

}  // namespace
}  // namespace treadle::emit

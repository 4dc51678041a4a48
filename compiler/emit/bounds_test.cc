// Emitted code touches no byte outside of its buffers: they end, and begin, at pages that may not be touched.
#include <sys/mman.h>

#include <cstring>
#include <vector>

#include "compiler/emit/emit.h"
#include "compiler/emit/testing/object_loader.h"
#include "compiler/plan/builder.h"
#include "compiler/plan/identity.h"
#include "gtest/gtest.h"

namespace treadle::emit {
namespace {

using plan::Id;
using plan::Role;

// One page between two forbidden ones.
class GuardedPage {
 public:
  static constexpr size_t kBytes = 4096;
  GuardedPage() {
    base_ = static_cast<uint8_t*>(mmap(nullptr, 3 * kBytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
    mprotect(base_ + kBytes, kBytes, PROT_READ | PROT_WRITE);
  }
  ~GuardedPage() { munmap(base_, 3 * kBytes); }
  uint8_t* AtEnd(size_t bytes) { return base_ + 2 * kBytes - bytes; }
  uint8_t* AtStart() { return base_ + kBytes; }

 private:
  uint8_t* base_;
};

struct Case {
  ElementType type;
  int stride;   // of the input
  bool reduce;  // to one element, else stored densely
  bool reverse_out = false;
};

plan::Plan Make(const Case& c) {
  plan::Builder b("bounds");
  int n = b.AddPush(ElementType::kI64);
  uint16_t x = b.AddBuffer(c.type, Role::kIn), y = b.AddBuffer(c.type, Role::kOut);
  b.BeginPhase();
  Id zero = b.ConstI64(0), last = b.Sub(b.Push(n), b.ConstI64(1));
  auto input = [&](Id i) {
    plan::Access access{x, {}, {{i, {-1, c.stride}}}};
    if (c.stride < 0) access.terms.push_back({last, {-1, -c.stride}});
    return b.Load(access);
  };
  if (c.reduce) {
    Id init = b.Const(c.type, 0);
    Id i = b.BeginReduce(plan::LoopKind::kLanes, plan::Tree::kLanes, zero, b.Push(n), {&init, 1}, 4);
    b.Yield({input(i)});
    b.BeginCombine();
    b.Yield({b.Add(b.Carry(0), b.NewValue(0))});
    Id sum = b.EndLoop()[0];
    b.Store({y, {}, {}}, sum);
  } else {
    Id i = b.BeginLanes(zero, b.Push(n), 4);
    plan::Access out{y, {}, {{i, {-1, c.reverse_out ? -1 : 1}}}};
    if (c.reverse_out) out.terms.push_back({last, {-1, 1}});
    b.Store(out, input(i));
    b.EndLoop();
  }
  b.EndPhase();
  return b.Finish();
}

void RunCase(const Case& c, const executable::Target& target, Tier tier) {
  plan::Plan plan = Make(c);
  const plan::Plan* plans[] = {&plan};
  StatusOr<std::string> object = EmitPlans(plans, {.target = target, .tier = tier, .verify = true});
  ASSERT_TRUE(object.ok()) << object.status().ToString();
  ObjectLoader loader;
  ASSERT_TRUE(loader.Add(*object).ok());
  StatusOr<TreadleKernel> kernel = loader.Find(plan::KernelSymbol(plan, target, 0));
  ASSERT_TRUE(kernel.ok()) << kernel.status().ToString();
  GuardedPage in, out;
  size_t bytes = ElementBytes(c.type);
  int step = std::abs(c.stride);
  for (int64_t n = 1; n <= 140; ++n) {
    size_t in_bytes = ((n - 1) * step + 1) * bytes, out_bytes = (c.reduce ? 1 : n) * bytes;
    if (in_bytes > GuardedPage::kBytes) break;
    for (bool at_end : {false, true}) {
      uint8_t* x = at_end ? in.AtEnd(in_bytes) : in.AtStart();
      uint8_t* y = at_end ? out.AtEnd(out_bytes) : out.AtStart();
      for (size_t i = 0; i < in_bytes; ++i)
        x[i] = static_cast<uint8_t>(c.type == ElementType::kI1 ? i % 3 == 0 : i * 7);
      void* buffers[] = {x, y};
      uint64_t args[] = {static_cast<uint64_t>(n)};
      TreadleCallFrame frame = {buffers, args, nullptr, nullptr, nullptr, 0, 1};
      ASSERT_EQ((*kernel)(&frame), 0);
      for (int64_t i = 0; i < n && !c.reduce; ++i) {
        int64_t from = (c.stride < 0 ? n - 1 - i : i) * step, to = c.reverse_out ? n - 1 - i : i;
        ASSERT_EQ(std::memcmp(x + from * bytes, y + to * bytes, bytes), 0) << "n " << n << " i " << i;
      }
    }
  }
}

TEST(BoundsTest, NothingOutsideOfBuffersIsTouched) {
  for (const executable::Target& target : HostTargets()) {
    for (Tier tier : {Tier::kQuick, Tier::kFull}) {
      for (ElementType type :
           {ElementType::kI1, ElementType::kI8, ElementType::kF16, ElementType::kF32, ElementType::kI64}) {
        SCOPED_TRACE(target.Key() + " " + std::string(ElementTypeName(type)));
        RunCase({type, 1, false}, target, tier);
        RunCase({type, 1, true}, target, tier);
      }
      for (int stride : {-1, 2, 3, 4, 5, -2}) {
        SCOPED_TRACE(target.Key() + " stride " + std::to_string(stride));
        RunCase({ElementType::kF32, stride, false}, target, tier);
        RunCase({ElementType::kI16, stride, true}, target, tier);
        RunCase({ElementType::kF64, stride, false, true}, target, tier);
      }
    }
  }
}

}  // namespace
}  // namespace treadle::emit

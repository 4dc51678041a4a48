#include "compiler/plan/cut.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <random>
#include <set>
#include <vector>

#include "compiler/plan/builder.h"
#include "compiler/plan/uses.h"

namespace treadle::plan {
namespace {

constexpr ElementType kF32 = ElementType::kF32;

// A phase that loads `width` values, does `ops` operations on random ones of the last `width`, and stores the last.
Plan Straight(int ops, int width, uint64_t seed) {
  std::mt19937_64 random(seed);
  Builder b("straight");
  const uint16_t x = b.AddBuffer(kF32, Role::kInOut);
  b.BeginPhase();
  std::vector<Id> values;
  for (int k = 0; k < width; ++k) values.push_back(b.Load({x, {-1, k}, {}}));
  const int push = b.AddPush(kF32);
  for (int k = 0; k < ops; ++k) {
    const Id other = k % 5 == 0 ? b.Push(push) : values[random() % width];
    values[k % width] = b.Emit(k % 2 ? Op::kAdd : Op::kMul, kF32, {values[(k + 1) % width], other});
  }
  for (int k = 0; k < width; ++k) b.Store({x, {-1, k}, {}}, values[k]);
  b.EndPhase();
  return b.Finish();
}

int64_t NodesIn(const Block& block) { return static_cast<int64_t>(block.end) - block.first; }

// What a cut promises of any block.
void Check(const Plan& plan, const Block& block, const Cut& cut) {
  ASSERT_FALSE(cut.parts.empty());
  Id next = block.first;
  while (plan.node(next).op == Op::kBlockArg) ++next;
  std::set<Id> there;  // in the state
  std::map<uint32_t, Id> holds;
  auto put = [&](Id id) {
    ASSERT_TRUE(cut.slots.contains(id)) << "%" << id;
    ASSERT_LT(cut.slots.at(id), cut.slot_count);
    if (auto old = holds.find(cut.slots.at(id)); old != holds.end()) there.erase(old->second);
    holds[cut.slots.at(id)] = id;
    there.insert(id);
  };
  for (auto [id, slot] : cut.slots) {
    if (id < next) put(id);
  }
  for (const Part& part : cut.parts) {
    EXPECT_EQ(part.nodes.first, next);
    EXPECT_NE(plan.node(next).op, Op::kResult) << "apart from its loop";
    for (Id id : part.reads) EXPECT_TRUE(there.contains(id)) << "%" << id << " is not in the state, or no more";
    for (Id id = part.nodes.first; id < part.nodes.end; ++id) {
      ForEachUse(plan, id, [&](Id used) {
        const bool known = used >= part.nodes.first || std::ranges::count(part.reads, used) == 1 ||
                           std::ranges::count(part.constants, used) == 1;
        EXPECT_TRUE(known) << "%" << used;
      });
    }
    for (Id id : part.writes) put(id);
    next = part.nodes.end;
  }
  EXPECT_EQ(next, block.end - 1);
  ForEachUse(plan, block.end - 1, [&](Id used) {
    const Op op = plan.node(used).op;
    const bool here = used >= cut.parts.front().nodes.first && op != Op::kConst && op != Op::kPush;
    EXPECT_TRUE(!here || there.contains(used)) << "%" << used << " is yielded";
  });
}

TEST(CutTest, ShortBlocksStayWhole) {
  const CutLimits limits{.least = 60, .most = 100};
  for (int ops : {0, 1, 99, 100}) {
    const Plan plan = Straight(ops, 1, ops);
    const bool longer = ops + 2 > limits.most;  // with its load and store
    EXPECT_EQ(CutBlock(plan, plan.phases[0].body, limits).parts.empty(), !longer) << ops;
  }
}

TEST(CutTest, PartsAreBoundedAndReadWhatIsThere) {
  const CutLimits limits{.least = 60, .most = 100};
  for (int width : {1, 2, 7, 31}) {
    for (int ops : {101, 160, 1000, 5003}) {
      const Plan plan = Straight(ops, width, width * 1000 + ops);
      const Block& block = plan.phases[0].body;
      const Cut cut = CutBlock(plan, block, limits);
      Check(plan, block, cut);
      for (const Part& part : cut.parts) EXPECT_LE(NodesIn(part.nodes), 2 * limits.most);  // constants are free
      EXPECT_LE(cut.parts.size(), 2 + static_cast<size_t>(NodesIn(block) / limits.least));
      EXPECT_LE(cut.slot_count, 2 * static_cast<uint32_t>(width)) << "slots are used again";
    }
  }
}

TEST(CutTest, LimitsOfParts) {
  const Plan plan = Straight(30'000, 31, 1);
  const CutLimits limits;
  const Cut cut = CutBlock(plan, plan.phases[0].body, limits);
  Check(plan, plan.phases[0].body, cut);
  EXPECT_GE(cut.parts.size(), 30'000u / limits.most);
  EXPECT_LE(cut.parts.size(), 1 + 30'000u / limits.least);
}

// Stretches of many operations on one value between ones on many: the cuts fall where one is alive.
TEST(CutTest, CutsWhereFewValuesAreAlive) {
  Builder b("waists");
  const uint16_t x = b.AddBuffer(kF32, Role::kInOut);
  b.BeginPhase();
  Id waist = b.Load({x, {}, {}});
  for (int k = 0; k < 20; ++k) {
    std::vector<Id> wide;
    for (int i = 0; i < 20; ++i) wide.push_back(b.Mul(waist, b.Const(kF32, 0x3f000001 + k * 100 + i)));
    waist = wide[0];
    for (int i = 1; i < 20; ++i) waist = b.Add(waist, wide[i]);
  }
  b.Store({x, {}, {}}, waist);
  b.EndPhase();
  const Plan plan = b.Finish();
  const Cut cut = CutBlock(plan, plan.phases[0].body, {.least = 60, .most = 110});
  Check(plan, plan.phases[0].body, cut);
  for (const Part& part : cut.parts) EXPECT_LE(part.writes.size(), 1u);
}

// Loops stay with their results, count with what is in them, and are cut inside rather than outside where they are
// long.
TEST(CutTest, Loops) {
  const CutLimits limits{.least = 20, .most = 40};
  Builder b("loops");
  const uint16_t x = b.AddBuffer(kF32, Role::kInOut);
  b.BeginPhase();
  Id value = b.Load({x, {}, {}}), first = value;
  for (int ops : {1, 10, 100, 30}) {
    const Id init[] = {value, first};
    const Id index = b.BeginFor(b.ConstI64(0), b.ConstI64(10), kNone, init);
    Id sum = b.Add(b.Carry(0), b.Convert(kF32, index));
    for (int k = 0; k < ops; ++k) sum = b.Add(b.Mul(sum, first), b.Carry(1));
    b.Yield({sum, b.Carry(0)});
    const std::vector<Id> ends = b.EndLoop();
    value = b.Add(ends[0], ends[1]);
  }
  b.Store({x, {}, {}}, value);
  b.EndPhase();
  const Plan plan = b.Finish();
  const Cut cut = CutBlock(plan, plan.phases[0].body, limits);
  Check(plan, plan.phases[0].body, cut);
  int cut_inside = 0;
  for (const Loop& loop : plan.loops) {
    const Cut inner = CutBlock(plan, loop.body, limits);
    if (inner.parts.empty()) continue;
    Check(plan, loop.body, inner);
    ++cut_inside;
  }
  EXPECT_EQ(cut_inside, 2);
}

}  // namespace
}  // namespace treadle::plan

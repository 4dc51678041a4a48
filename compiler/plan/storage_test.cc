#include "compiler/plan/storage.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>

namespace treadle::plan {
namespace {

using executable::Home;
using graph::Graph;
using graph::OpCode;
using graph::ValueId;

const Shape kArray{ElementType::kF32, {100}};
const Shape kScalar{ElementType::kI32, {}};
const Shape kPred{ElementType::kI1, {}};

TEST(PackIntervalsTest, OverlappingIntervalsDoNotShare) {
  std::mt19937 random(1);
  std::vector<Interval> intervals;
  for (int i = 0; i < 300; ++i) {
    Position first = static_cast<Position>(random() % 1000);
    intervals.push_back(
        {first, first + static_cast<Position>(random() % 60), static_cast<int64_t>(random() % 5000), 0});
  }
  int64_t total = PackIntervals(intervals);
  int64_t needed = 0;
  for (int t = 0; t < 1100; ++t) {
    int64_t live = 0;
    for (const Interval& a : intervals) live += a.first <= t && t <= a.last ? a.bytes : 0;
    needed = std::max(needed, live);
  }
  EXPECT_LE(total, 2 * needed);
  for (size_t i = 0; i < intervals.size(); ++i) {
    const Interval& a = intervals[i];
    EXPECT_EQ(a.offset % 64, 0);
    EXPECT_LE(a.offset + a.bytes, total);
    for (size_t j = 0; j < i; ++j) {
      const Interval& b = intervals[j];
      bool meet = a.first <= b.last && b.first <= a.last && a.bytes > 0 && b.bytes > 0;
      if (meet) EXPECT_TRUE(a.offset + a.bytes <= b.offset || b.offset + b.bytes <= a.offset);
    }
  }
}

// Builds graphs whose every operation is a group of its own.
struct Program {
  Graph graph;
  Position clock = 1;
  TaskList tasks;

  Program() { graph.AddRegion(); }

  ValueId Argument(graph::RegionId region, const Shape& shape) {
    ValueId value = graph.AddValue(shape, region);
    graph.regions[region].arguments.push_back(value);
    if (region == 0) graph.donated.push_back(false), graph.aliased_result.push_back(-1);
    return value;
  }

  ValueId Op(graph::RegionId region, OpCode code, std::vector<ValueId> operands, const Shape& shape) {
    return graph.ops[graph.AddOp(region, code, std::move(operands), {shape})].results[0];
  }

  // `sharing`: outputs may take the memory of the first input.
  TaskList Tasks(graph::RegionId region, bool sharing) {
    TaskList list;
    list.region = region;
    list.begin = clock++;
    for (graph::OpId id : graph.regions[region].ops) {
      const graph::Op& op = graph.ops[id];
      Task task;
      task.begin = task.earliest = clock++;
      task.group.ops = {id};
      for (ValueId v : op.operands) {
        if (std::find(task.group.inputs.begin(), task.group.inputs.end(), v) == task.group.inputs.end())
          task.group.inputs.push_back(v);
      }
      if (!op.regions.empty()) {
        task.group.kind = GroupKind::kControl;
        for (graph::RegionId inner : op.regions) task.regions.push_back(Tasks(inner, sharing));
      } else {
        task.group.outputs = op.results;
        task.group.starts_from = {op.code == OpCode::kDynamicUpdateSlice ? 0 : -1};
        for (size_t i = 0; i < task.group.inputs.size(); ++i)
          task.instance.plan.buffers.push_back({ElementType::kF32, Role::kIn, -1, {}});
        task.instance.plan.buffers.push_back(
            {ElementType::kF32, Role::kOut, static_cast<int16_t>(sharing ? 0 : -1), {}});
      }
      task.end = clock++;
      list.tasks.push_back(std::move(task));
    }
    list.end = clock++;
    return list;
  }

  Placement Place(bool sharing = true) {
    tasks = Tasks(0, sharing);
    return PlaceValues(graph, tasks, {});
  }
};

TEST(StorageTest, AChainNeedsTwoBuffersAtMost) {
  Program p;
  ValueId v = p.Argument(0, kArray);
  for (int i = 0; i < 10; ++i) v = p.Op(0, OpCode::kNegate, {v}, kArray);
  p.graph.regions[0].results = {v};
  Placement placement = p.Place(/*sharing=*/false);
  EXPECT_LE(placement.arena_bytes, 2 * 448);
  EXPECT_EQ(placement.values[placement.value_of[v]].home, Home::kResult);
}

// while (i < n) { carry = f(carry); i = i + 1 }
struct Loop {
  Program p;
  ValueId init, count, body_carry, body_count, next, result;

  explicit Loop(OpCode f) {
    init = p.Op(0, OpCode::kNegate, {p.Argument(0, kArray)}, kArray);
    count = p.Op(0, OpCode::kNegate, {p.Argument(0, kScalar)}, kScalar);
    graph::RegionId cond = p.graph.AddRegion(), body = p.graph.AddRegion();
    p.Argument(cond, kArray);
    ValueId n = p.Argument(cond, kScalar);
    p.graph.regions[cond].results = {p.Op(cond, OpCode::kCompare, {n, n}, kPred)};
    body_carry = p.Argument(body, kArray);
    body_count = p.Argument(body, kScalar);
    next = p.Op(body, f, {body_carry}, kArray);
    ValueId next_count = p.Op(body, OpCode::kNegate, {body_count}, kScalar);
    p.graph.regions[body].results = {next, next_count};
    graph::OpId loop = p.graph.AddOp(0, OpCode::kWhile, {init, count}, {kArray, kScalar}, {}, {cond, body});
    result = p.graph.ops[loop].results[0];
    p.graph.regions[0].results = {result};
  }
};

TEST(StorageTest, ALoopUpdatesItsCarryWhereItIs) {
  Loop loop(OpCode::kNegate);
  Placement placement = loop.p.Place();
  EXPECT_EQ(placement.value_of[loop.next], placement.value_of[loop.body_carry]);
  EXPECT_EQ(placement.value_of[loop.init], placement.value_of[loop.result]);
  EXPECT_EQ(placement.values[placement.value_of[loop.result]].home, Home::kResult);
}

TEST(StorageTest, WithoutLeaveToShareACarryIsNotOverwrittenWhileRead) {
  Loop loop(OpCode::kNegate);
  Placement placement = loop.p.Place(/*sharing=*/false);
  EXPECT_NE(placement.value_of[loop.next], placement.value_of[loop.body_carry]);
}

TEST(StorageTest, UpdatesOfSlicesAreInPlaceUnlessTheOldValueIsNeeded) {
  Loop loop(OpCode::kDynamicUpdateSlice);
  Placement placement = loop.p.Place(/*sharing=*/false);
  EXPECT_EQ(placement.value_of[loop.next], placement.value_of[loop.body_carry]);

  Program p;
  ValueId a = p.Op(0, OpCode::kNegate, {p.Argument(0, kArray)}, kArray);
  ValueId b = p.Op(0, OpCode::kDynamicUpdateSlice, {a}, kArray);
  ValueId c = p.Op(0, OpCode::kAdd, {a, b}, kArray);
  p.graph.regions[0].results = {c};
  placement = p.Place();
  EXPECT_NE(placement.value_of[a], placement.value_of[b]);
}

TEST(StorageTest, SwappedCarriesKeepTheirOwnMemory) {
  Program p;
  ValueId a = p.Op(0, OpCode::kNegate, {p.Argument(0, kArray)}, kArray);
  ValueId b = p.Op(0, OpCode::kAbs, {p.Argument(0, kArray)}, kArray);
  graph::RegionId cond = p.graph.AddRegion(), body = p.graph.AddRegion();
  p.Argument(cond, kArray), p.Argument(cond, kArray);
  ValueId n = p.graph.regions[cond].arguments[0];
  p.graph.regions[cond].results = {p.Op(cond, OpCode::kCompare, {n, n}, kPred)};
  ValueId x = p.Argument(body, kArray), y = p.Argument(body, kArray);
  p.graph.regions[body].results = {y, x};
  graph::OpId loop = p.graph.AddOp(0, OpCode::kWhile, {a, b}, {kArray, kArray}, {}, {cond, body});
  p.graph.regions[0].results = p.graph.ops[loop].results;
  Placement placement = p.Place();
  EXPECT_NE(placement.value_of[x], placement.value_of[y]);
  EXPECT_EQ(placement.value_of[x], placement.value_of[p.graph.ops[loop].results[0]]);
}

TEST(StorageTest, DonatedArgumentsGiveTheirMemoryWhenTheyAreDoneWith) {
  Program p;
  ValueId x = p.Argument(0, kArray);
  p.graph.donated[0] = true;
  ValueId y = p.Op(0, OpCode::kNegate, {x}, kArray);
  p.graph.regions[0].results = {y};
  EXPECT_EQ(p.Place().donor, std::vector<int32_t>{0});

  ValueId z = p.Op(0, OpCode::kAdd, {y, x}, kArray);  // x is needed after y is there
  p.graph.regions[0].results = {y, z};
  p.clock = 1;
  EXPECT_EQ(p.Place().donor, (std::vector<int32_t>{-1, -1}));
}

}  // namespace
}  // namespace treadle::plan

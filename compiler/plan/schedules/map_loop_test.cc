// Loops of maps against the naive evaluation of the same loops, and which loops are such.
#include "compiler/plan/schedules/map_loop.h"

#include <algorithm>
#include <cstdlib>
#include <string>
#include <vector>

#include "compiler/plan/schedule.h"
#include "compiler/plan/testing/program.h"
#include "compiler/plan/testing/random_map_loop.h"
#include "compiler/plan/testing/run_plans.h"
#include "compiler/plan/work.h"
#include "gtest/gtest.h"

namespace treadle::plan {
namespace {

using graph::Direction;
using graph::OpCode;
using graph::ValueId;
using testing::ExpectLikeReference;
using testing::Program;
using E = ElementType;
using Ids = std::vector<ValueId>;

ValueId Less(Program& p, ValueId x, ValueId y) { return p.Compare(Direction::kLt, x, y); }
ValueId Count(Program& p, ValueId counter, double step = 1) {
  return p.Binary(OpCode::kAdd, counter, p.Splat(p.graph().shape(counter), step));
}

// The loop (counter, carries...) of so many trips.
Ids Repeat(Program& p, int trips, Ids init, const std::function<Ids(const Ids&)>& step) {
  init.insert(init.begin(), p.Splat({E::kI32, {}}, 0));
  return p.While(
      init, [&](Program&, const Ids& c) { return Ids{Less(p, c[0], p.Splat({E::kI32, {}}, trips))}; },
      [&](Program&, const Ids& c) {
        Ids next = step({c.begin() + 1, c.end()});
        next.insert(next.begin(), Count(p, c[0]));
        return next;
      });
}

bool LastIsMapLoop(Program& p) { return IsMapLoop(p.graph(), p.graph().regions[0].ops.back()); }

Instance Scheduled(Program& p) {
  auto groups = GroupRegion(p.graph(), 0, {});
  EXPECT_TRUE(groups.ok()) << groups.status().ToString();
  EXPECT_EQ(groups->size(), 1u);
  auto instance = ScheduleGroup(p.graph(), groups->front(), {});
  EXPECT_TRUE(instance.ok()) << instance.status().ToString();
  return *std::move(instance);
}

TEST(MapLoop, EscapeTimes) {
  for (int64_t n : {17, 31, 32, 33, 63, 64, 65, 127, 1000, 5000}) {
    for (int trips : {0, 1, 5}) {
      Program p;
      const Shape shape{E::kF32, {n}};
      ValueId a = p.Argument(shape), b = p.Argument(shape), zero = p.Splat(shape, 0);
      Ids results = Repeat(p, trips, {zero, zero, p.Splat({E::kI32, {n}}, 0)}, [&](const Ids& c) {
        ValueId xx = p.Binary(OpCode::kMultiply, c[0], c[0]), yy = p.Binary(OpCode::kMultiply, c[1], c[1]);
        ValueId xy = p.Binary(OpCode::kMultiply, c[0], c[1]);
        ValueId inside = Less(p, p.Binary(OpCode::kAdd, xx, yy), p.Splat(shape, 4));
        ValueId x = p.Binary(OpCode::kAdd, p.Binary(OpCode::kSubtract, xx, yy), a);
        ValueId y = p.Binary(OpCode::kAdd, p.Binary(OpCode::kAdd, xy, xy), b);
        return Ids{p.Add(OpCode::kSelect, {inside, x, c[0]}, shape), p.Add(OpCode::kSelect, {inside, y, c[1]}, shape),
                   p.Binary(OpCode::kAdd, c[2], p.Add(OpCode::kConvert, {inside}, {E::kI32, {n}}))};
      });
      p.Return({results[3]});
      EXPECT_TRUE(LastIsMapLoop(p));
      ExpectLikeReference(p.graph(), 1);
      Instance instance = Scheduled(p);
      EXPECT_EQ(instance.plan.phases.size(), 1u);
      EXPECT_FALSE(MayRunForever(instance.plan));
    }
  }
}

TEST(MapLoop, CarriesSwapPlaces) {
  for (int trips : {0, 1, 2, 3}) {
    Program p;
    ValueId a = p.Argument({E::kF32, {100}}), b = p.Argument({E::kF32, {100}});
    Ids results = Repeat(p, trips, {a, b}, [&](const Ids& c) { return Ids{c[1], c[0]}; });
    p.Return({results[1], results[2]});
    EXPECT_TRUE(LastIsMapLoop(p));
    ExpectLikeReference(p.graph(), 1);
    // Each result may take the memory of what its own carry starts from.
    Instance instance = Scheduled(p);
    EXPECT_EQ(instance.plan.buffers[2].may_share, 0);
    EXPECT_EQ(instance.plan.buffers[3].may_share, 1);
  }
}

// Trips that an argument tells; the scalars' ends are wanted: a second phase writes them once.
TEST(MapLoop, ScalarResultsAndTripsKnownLate) {
  Program p;
  const Shape shape{E::kF32, {7, 30}};
  ValueId x = p.Argument(shape), n = p.Argument({E::kI32, {}}), t = p.Argument({E::kF32, {}});
  Ids results = p.While(
      {p.Splat({E::kI32, {}}, -3), t, x}, [&](Program&, const Ids& c) { return Ids{Less(p, c[0], n)}; },
      [&](Program&, const Ids& c) {
        return Ids{Count(p, c[0]), Count(p, c[1], 0.5),
                   p.Binary(OpCode::kAdd, c[2], p.Broadcast(c[1], {}, shape.dims))};
      });
  p.Return({results[2], results[0], results[1]});
  EXPECT_TRUE(LastIsMapLoop(p));
  for (uint32_t seed = 0; seed < 8; ++seed) ExpectLikeReference(p.graph(), seed);
  Instance instance = Scheduled(p);
  EXPECT_EQ(instance.plan.phases.size(), 2u);
  EXPECT_EQ(instance.tiles[1], 1);
  EXPECT_TRUE(MayRunForever(instance.plan));
}

TEST(MapLoop, ReadsRowsConstantsAndOtherShapes) {
  Program p;
  const Shape shape{E::kF32, {6, 20}}, flat{E::kF32, {120}};
  ValueId x = p.Argument(shape), y = p.Argument(flat), row = p.Argument({E::kF32, {20}});
  graph::Attributes numbers;
  std::string bytes(120 * sizeof(float), '\0');
  for (size_t k = 0; k < 120; ++k) reinterpret_cast<float*>(bytes.data())[k] = static_cast<float>(k) / 4;
  numbers.literal = std::make_shared<std::string>(bytes);
  ValueId constant = p.Add(OpCode::kConstant, {}, flat, numbers);
  Ids results = Repeat(p, 3, {x, y}, [&](const Ids& c) {
    ValueId sum = p.Binary(OpCode::kAdd, c[0], p.Broadcast(row, {1}, shape.dims));
    ValueId i = p.Add(OpCode::kIota, {}, shape, {.dims = {0}});
    sum = p.Binary(OpCode::kSubtract, sum, p.Binary(OpCode::kMultiply, i, p.Reshape(c[1], shape.dims)));
    return Ids{
        sum, p.Binary(OpCode::kAdd, p.Reshape(c[0], {120}), p.Add(OpCode::kReverse, {constant}, flat, {.dims = {0}}))};
  });
  p.Return({results[1], results[2]});
  EXPECT_TRUE(LastIsMapLoop(p));
  ExpectLikeReference(p.graph(), 1);
}

TEST(MapLoop, OthersAreNone) {
  auto is = [](int64_t n, const std::function<Ids(Program&, const Ids&)>& step) {
    Program p;
    ValueId x = p.Argument({E::kF32, {n}}), s = p.Argument({E::kF32, {}});
    Ids results = Repeat(p, 4, {x, s}, [&](const Ids& c) { return step(p, c); });
    p.Return({results[1]});
    return LastIsMapLoop(p);
  };
  EXPECT_TRUE(is(100, [](Program& p, const Ids& c) { return Ids{p.Binary(OpCode::kMultiply, c[0], c[0]), c[1]}; }));
  EXPECT_FALSE(is(8, [](Program& p, const Ids& c) { return Ids{p.Binary(OpCode::kMultiply, c[0], c[0]), c[1]}; }));
  EXPECT_FALSE(is(100, [](Program& p, const Ids& c) {
    return Ids{p.Add(OpCode::kReverse, {c[0]}, {E::kF32, {100}}, {.dims = {0}}), c[1]};
  }));
  EXPECT_FALSE(is(100, [](Program& p, const Ids& c) { return Ids{c[0], p.Reduce(OpCode::kAdd, c[0], 0, {0})}; }));
  EXPECT_FALSE(is(100, [](Program& p, const Ids& c) {
    graph::Attributes first{.starts = {0}, .limits = {1}, .strides = {1}};
    return Ids{c[0], p.Reshape(p.Add(OpCode::kSlice, {c[0]}, {E::kF32, {1}}, first), {})};
  }));
  EXPECT_FALSE(is(100, [](Program& p, const Ids& c) {  // each element for a row of another carry's
    Ids inner = Repeat(p, 2, {c[0]}, [&](const Ids& d) { return Ids{p.Unary(OpCode::kNegate, d[0])}; });
    return Ids{inner[1], c[1]};
  }));
}

// Conditions that arrays take part in, arrays of two sizes.
TEST(MapLoop, ConditionsOfArraysAndTwoSizes) {
  Program p;
  ValueId x = p.Argument({E::kF32, {50}}), one = p.Splat({E::kF32, {}}, 1);
  p.Return(p.While(
      {x}, [&](Program&, const Ids& c) { return Ids{Less(p, p.Reduce(OpCode::kAdd, c[0], 0, {0}), one)}; },
      [&](Program&, const Ids& c) { return Ids{Count(p, c[0])}; }));
  EXPECT_FALSE(LastIsMapLoop(p));
  Program q;
  ValueId y = q.Argument({E::kF32, {50}}), z = q.Argument({E::kF32, {60}});
  q.Return(Repeat(q, 3, {y, z}, [&](const Ids& c) { return Ids{Count(q, c[0]), Count(q, c[1])}; }));
  EXPECT_FALSE(LastIsMapLoop(q));
}

// A counter that wraps round before it reaches the limit goes on: nobody knows how long.
TEST(MapLoop, CountersThatWrap) {
  auto asks = [](const Loop& loop) { return loop.kind == LoopKind::kWhile; };
  for (auto [limit, step, known] : std::vector<std::tuple<int, int, bool>>{
           {127, 2, false}, {127, 1, true}, {126, 2, true}, {125, 3, true}, {127, 3, false}}) {
    Program p;
    ValueId x = p.Argument({E::kF32, {50}}), zero = p.Splat({E::kI8, {}}, 0);
    Ids results = p.While(
        {zero, x}, [&](Program&, const Ids& c) { return Ids{Less(p, c[0], p.Splat({E::kI8, {}}, limit))}; },
        [&](Program&, const Ids& c) { return Ids{Count(p, c[0], step), Count(p, c[1])}; });
    p.Return({results[1]});
    EXPECT_TRUE(LastIsMapLoop(p));
    const Instance instance = Scheduled(p);
    EXPECT_EQ(std::ranges::none_of(instance.plan.loops, asks), known) << limit << " by " << step;
    if (known) ExpectLikeReference(p.graph(), 1);
  }
}

// Whether to go on is a carry itself.
TEST(MapLoop, ConditionIsACarry) {
  Program p;
  ValueId x = p.Argument({E::kF32, {50}}), t = p.Argument({E::kF32, {}}), go = p.Argument({E::kI1, {}});
  Ids results = p.While(
      {go, t, x}, [](Program&, const Ids& c) { return Ids{c[0]}; },
      [&](Program&, const Ids& c) {
        ValueId next = Count(p, c[1]);
        return Ids{Less(p, next, p.Splat({E::kF32, {}}, 3)), next, p.Binary(OpCode::kMultiply, c[2], c[2])};
      });
  p.Return({results[2], results[1]});
  EXPECT_TRUE(LastIsMapLoop(p));
  for (uint32_t seed = 0; seed < 4; ++seed) ExpectLikeReference(p.graph(), seed);
}

// TREADLE_SEEDS=n tries so many.
TEST(MapLoop, Random) {
  const char* count = std::getenv("TREADLE_SEEDS");
  uint32_t seeds = count != nullptr ? static_cast<uint32_t>(std::strtoul(count, nullptr, 10)) : 100;
  for (uint32_t seed = 0; seed < seeds; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    Program p = testing::MakeRandomMapLoop(seed);
    ASSERT_TRUE(LastIsMapLoop(p)) << graph::Print(p.graph());
    ExpectLikeReference(p.graph(), seed);
    if (::testing::Test::HasFailure()) return;
  }
}

}  // namespace
}  // namespace treadle::plan

// Plans as the schedules write them, emitted: the interpreter's bits, on every instruction set and tier.
#include <cmath>
#include <cstdlib>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "compiler/emit/emit.h"
#include "compiler/emit/testing/object_loader.h"
#include "compiler/plan/evaluate.h"
#include "compiler/plan/identity.h"
#include "compiler/plan/interpret.h"
#include "compiler/plan/testing/program.h"
#include "compiler/plan/testing/random_graph.h"
#include "compiler/plan/testing/random_map_loop.h"
#include "compiler/plan/testing/random_windows.h"
#include "compiler/plan/testing/run_plans.h"
#include "gtest/gtest.h"

namespace treadle::emit {
namespace {

using graph::OpCode;
using graph::ValueId;
using plan::testing::Program;
using plan::testing::RunOptions;
using plan::testing::Values;

constexpr ElementType kF32 = ElementType::kF32;

// Compiles each plan when it is first run.
class Emitted {
 public:
  explicit Emitted(EmitOptions options) : options_(std::move(options)) {}

  Status Run(const plan::Plan& plan, int phase, const TreadleCallFrame& frame) {
    std::string symbol = plan::KernelSymbol(plan, options_.target, phase);
    StatusOr<TreadleKernel> kernel = loader_.Find(symbol);
    if (!kernel.ok()) {
      const plan::Plan* plans[] = {&plan};
      TREADLE_ASSIGN_OR_RETURN(std::string object, EmitPlans(plans, options_));
      TREADLE_RETURN_IF_ERROR(loader_.Add(std::move(object)));
      kernel = loader_.Find(symbol);
      if (!kernel.ok()) return kernel.status();
    }
    plan::FlushDenormals flush;
    return (*kernel)(&frame) == 0 ? OkStatus() : Internal("the kernel failed");
  }

 private:
  EmitOptions options_;
  ObjectLoader loader_;
};

void ExpectInterpretersBits(Program& p, bool real = true) {
  Values arguments = plan::testing::RandomArguments(p.graph(), 1, real);
  for (const executable::Target& target : HostTargets()) {
    RunOptions options{.target = target};
    plan::InterpretOptions interpret{.fma = target.isa >= executable::IsaLevel::kV3};
    options.run = [&](const plan::Plan& plan, int phase, const TreadleCallFrame& frame) {
      return plan::Interpret(plan, phase, frame, interpret);
    };
    Values expected = arguments;
    Status status = plan::testing::RunPlans(p.graph(), expected, options);
    ASSERT_TRUE(status.ok()) << status.ToString();
    for (Tier tier : {Tier::kQuick, Tier::kFull}) {
      Emitted emitted({.target = target, .tier = tier});
      options.run = [&](const plan::Plan& plan, int phase, const TreadleCallFrame& frame) {
        return emitted.Run(plan, phase, frame);
      };
      for (bool in_place : {false, true}) {
        options.in_place = in_place;
        options.one_tile_at_a_time = in_place;
        Values actual = arguments;
        std::vector<plan::Instance> instances;
        status = plan::testing::RunPlans(p.graph(), actual, options, &instances);
        ASSERT_TRUE(status.ok()) << status.ToString();
        for (ValueId result : p.graph().regions[0].results) {
          ASSERT_TRUE(actual.at(result).bytes == expected.at(result).bytes)
              << target.Key() << (tier == Tier::kQuick ? " quick" : " full") << " %" << result << "\n"
              << graph::Print(p.graph());
        }
      }
    }
  }
}

TEST(Schedules, MapWithBroadcastsAndShortRows) {
  for (auto [n, c] : std::vector<std::pair<int64_t, int64_t>>{{5, 70}, {300, 3}, {1, 1}}) {
    Program p;
    ValueId x = p.Argument({kF32, {n, c}}), b = p.Argument({kF32, {c}}), r = p.Argument({kF32, {n}});
    ValueId sum = p.Binary(OpCode::kAdd, x, p.Broadcast(b, {1}, {n, c}));
    sum = p.Binary(OpCode::kMultiply, sum, p.Broadcast(r, {0}, {n, c}));
    ValueId i = p.Add(OpCode::kIota, {}, {kF32, {n, c}}, {.dims = {1}});
    p.Return({p.Binary(OpCode::kMaximum, p.Binary(OpCode::kSubtract, sum, i), p.Splat({kF32, {n, c}}, 0)),
              p.Reshape(p.Transpose(x, {1, 0}), {n * c})});
    ExpectInterpretersBits(p);
  }
}

TEST(Schedules, SlicesReversesReshapes) {
  Program p;
  ValueId x = p.Argument({kF32, {9, 33}}), row = p.Argument({kF32, {6}}), y = p.Argument({kF32, {4, 30}}),
          k = p.Argument({ElementType::kI32, {}});
  ValueId s = p.Add(OpCode::kSlice, {x}, {kF32, {4, 11}}, {.starts = {1, 0}, .limits = {9, 33}, .strides = {2, 3}});
  ValueId r = p.Add(OpCode::kReverse, {s}, {kF32, {4, 11}}, {.dims = {0, 1}});
  ValueId wide = p.Reshape(p.Broadcast(row, {0}, {6, 20}), {120});
  ValueId uneven = p.Reshape(
      p.Add(OpCode::kSlice, {y}, {kF32, {4, 15}}, {.starts = {0, 3}, .limits = {4, 18}, .strides = {1, 1}}), {60});
  ValueId window = p.Add(OpCode::kDynamicSlice, {x, k, k}, {kF32, {3, 20}}, {.limits = {3, 20}});
  ValueId updated = p.Add(OpCode::kDynamicUpdateSlice, {x, p.Unary(OpCode::kNegate, window), k, k}, {kF32, {9, 33}});
  p.Return({p.Unary(OpCode::kNegate, r), p.Binary(OpCode::kAdd, wide, p.Reshape(y, {120})), uneven, window, updated});
  ExpectInterpretersBits(p);
}

TEST(Schedules, SoftmaxAndArgmaxOfRows) {
  for (auto [n, c] : std::vector<std::pair<int64_t, int64_t>>{{40, 10}, {3, 100}, {2, 9000}}) {
    Program p;
    ValueId x = p.Argument({kF32, {n, c}});
    ValueId max = p.Broadcast(p.Reduce(OpCode::kMaximum, x, -INFINITY, {1}), {0}, {n, c});
    ValueId e = p.Unary(OpCode::kExponential, p.Binary(OpCode::kSubtract, x, max));
    ValueId sum = p.Broadcast(p.Reduce(OpCode::kAdd, e, 0, {1}), {0}, {n, c});
    p.Return({p.Binary(OpCode::kDivide, e, sum), p.ArgBest(true, x)[1], p.ArgBest(false, e)[1]});
    ExpectInterpretersBits(p);
  }
}

TEST(Schedules, StagedSplitAndOrderedReductions) {
  Program p;
  ValueId x = p.Argument({kF32, {2, 12, 10}}), w = p.Argument({kF32, {10}}), v = p.Argument({kF32, {30000}});
  ValueId y = p.Binary(OpCode::kMultiply, x, p.Broadcast(w, {2}, {2, 12, 10}));
  ValueId a = p.Argument({ElementType::kU32, {2, 8200}});
  ValueId one = p.Splat({ElementType::kU32, {}}, 1), zero = p.Splat({ElementType::kU32, {}}, 0);
  std::vector<ValueId> maps = p.Reduce({a, a}, {one, zero}, {1}, [](Program& q, const std::vector<ValueId>& s) {
    return std::vector<ValueId>{q.Binary(OpCode::kMultiply, s[0], s[2]),
                                q.Binary(OpCode::kAdd, q.Binary(OpCode::kMultiply, s[1], s[2]), s[3])};
  });
  p.Return({p.Reduce(OpCode::kAdd, y, 1, {1, 2}), p.Reduce(OpCode::kAdd, y, 0, {0, 2}),
            p.Reduce(OpCode::kAdd, p.Unary(OpCode::kTanh, v), 0, {0}), maps[0], maps[1]});
  ExpectInterpretersBits(p);
}

TEST(Schedules, ColumnsAndTypes) {
  for (ElementType type : {kF32, ElementType::kBF16, ElementType::kI8, ElementType::kF64}) {
    Program p;
    ValueId x = p.Argument({type, {300, 17}}), w = p.Argument({type, {300}});
    ValueId y = p.Binary(OpCode::kMultiply, x, p.Broadcast(w, {0}, {300, 17}));
    p.Return({p.Unary(OpCode::kNegate, p.Reduce(OpCode::kAdd, y, 1, {0})), y, p.Reduce(OpCode::kMaximum, x, 0, {0}),
              p.Reduce(OpCode::kAdd, x, 0, {1})});
    ExpectInterpretersBits(p);
  }
}

TEST(Schedules, MovesAndPieces) {
  for (ElementType type : {kF32, ElementType::kI8}) {
    Program p;
    ValueId x = p.Argument({type, {150, 90}}), y = p.Argument({type, {150, 3}}), z = p.Argument({type, {}});
    ValueId padded =
        p.Add(OpCode::kPad, {x, z}, {type, {153, 180}}, {.low = {1, -1}, .high = {2, 2}, .interior = {0, 1}});
    ValueId edges =
        p.Add(OpCode::kPad, {x, z}, {type, {153, 91}}, {.low = {1, -1}, .high = {2, 2}, .interior = {0, 0}});
    p.Return({p.Transpose(x, {1, 0}), p.Transpose(y, {1, 0}),
              p.Add(OpCode::kConcatenate, {x, y, x}, {type, {150, 183}}, {.dims = {1}}), padded, edges});
    ExpectInterpretersBits(p, false);
  }
}

TEST(Schedules, PairsInAndOut) {
  for (ElementType type : {kF32, ElementType::kF64, ElementType::kBF16, ElementType::kI8}) {
    for (int64_t size : {1, 15, 16, 31, 32, 33, 64, 100, 5000}) {
      Program p;
      ValueId z = p.Argument({type, {size, 2}}), x = p.Argument({type, {size, 1}});
      auto column = [&](int64_t number) {
        return p.Add(OpCode::kSlice, {z}, {type, {size, 1}},
                     {.starts = {0, number}, .limits = {size, number + 1}, .strides = {1, 1}});
      };
      ValueId re = p.Binary(OpCode::kMultiply, column(0), x), im = p.Binary(OpCode::kSubtract, column(1), column(0));
      p.Return({p.Add(OpCode::kConcatenate, {re, im}, {type, {size, 2}}, {.dims = {1}}),
                p.Add(OpCode::kConcatenate, {column(1), x}, {type, {size, 2}}, {.dims = {1}})});
      ExpectInterpretersBits(p);
    }
  }
}

// TREADLE_SEEDS=n tries so many.
void TryRandom(Program (*make)(uint32_t seed)) {
  const char* count = std::getenv("TREADLE_SEEDS");
  uint32_t seeds = count != nullptr ? static_cast<uint32_t>(std::strtoul(count, nullptr, 10)) : 10;
  for (uint32_t seed = 0; seed < seeds; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    Program p = make(seed);
    ASSERT_NO_FATAL_FAILURE(ExpectInterpretersBits(p));
    if (::testing::Test::HasFailure()) return;
  }
}

TEST(Schedules, SortsByAnyComparator) {
  for (const std::vector<int64_t>& dims : std::vector<std::vector<int64_t>>{{1}, {100}, {3, 33}, {5, 20, 7}}) {
    Program p;
    int64_t dimension = dims.size() > 1 ? 1 : 0;
    ValueId x = p.Argument({kF32, dims}), y = p.Argument({ElementType::kBF16, dims}), b = p.Argument({kF32, {}});
    std::vector<ValueId> sorted = p.Sort({x, y}, dimension, [&](Program& p, const std::vector<ValueId>& args) {
      auto product = [&](size_t side) {
        return p.Binary(OpCode::kMultiply, p.Binary(OpCode::kAdd, args[side], b),
                        p.Add(OpCode::kConvert, {args[2 + side]}, {kF32, {}}));
      };
      return p.Compare(graph::Direction::kLt, product(0), product(1));
    });
    p.Return(sorted);
    ExpectInterpretersBits(p);
  }
}

TEST(Schedules, RandomGraphs) { TryRandom(plan::testing::MakeRandomGraph); }
TEST(Schedules, RandomGathers) { TryRandom(plan::testing::MakeRandomGather); }
TEST(Schedules, RandomReduceWindows) { TryRandom(plan::testing::MakeRandomReduceWindow); }
TEST(Schedules, RandomMapLoops) { TryRandom(plan::testing::MakeRandomMapLoop); }
TEST(Schedules, RandomScatters) { TryRandom(plan::testing::MakeRandomScatter); }

}  // namespace
}  // namespace treadle::emit

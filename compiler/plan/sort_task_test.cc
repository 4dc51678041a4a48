#include "compiler/plan/sort_task.h"

#include <cmath>
#include <functional>

#include "compiler/plan/group.h"
#include "compiler/plan/testing/program.h"
#include "compiler/plan/testing/run_plans.h"
#include "gtest/gtest.h"

namespace treadle::plan {
namespace {

using graph::Direction;
using graph::OpCode;
using graph::ValueId;
using kernels::sort::SortKey;
using testing::Program;
using enum ElementType;

using Args = std::vector<ValueId>;
using Body = std::function<ValueId(Program&, const Args&)>;

// What the comparator `body` of operands of these types orders by.
std::optional<std::vector<SortKey>> KeysFor(const std::vector<ElementType>& types, const Body& body) {
  Program p;
  Args operands;
  for (ElementType type : types) operands.push_back(p.Argument({type, {4}}));
  Args results = p.Sort(operands, 0, body);
  const graph::Graph& graph = p.graph();
  return KeysOf(graph, graph.ops[graph.values[results[0]].def]);
}

constexpr Direction kLt = Direction::kLt, kGt = Direction::kGt, kEq = Direction::kEq, kNe = Direction::kNe;

ValueId Select(Program& p, ValueId pred, ValueId yes, ValueId no) {
  return p.Add(OpCode::kSelect, {pred, yes, no}, p.graph().shape(yes));
}
ValueId Number(Program& p, ValueId like, double value) { return p.Splat(p.graph().shape(like), value); }
ValueId ZerosMade(Program& p, ValueId x) { return Select(p, p.Compare(kEq, x, Number(p, x, 0)), Number(p, x, 0), x); }
// As JAX writes it.
ValueId Canonical(Program& p, ValueId x) {
  ValueId zeros = ZerosMade(p, x);
  return Select(p, p.Compare(kNe, x, x), Number(p, x, std::abs(NAN)), zeros);
}
ValueId And(Program& p, ValueId x, ValueId y) { return p.Binary(OpCode::kAnd, x, y); }
ValueId Or(Program& p, ValueId x, ValueId y) { return p.Binary(OpCode::kOr, x, y); }

using Keys = std::vector<SortKey>;

TEST(KeysOf, PlainComparisons) {
  for (bool total : {false, true}) {
    for (bool swapped : {false, true}) {
      for (Direction direction : {kLt, kGt}) {
        auto compare = [&](Program& p, const Args& a) { return p.Compare(direction, a[swapped], a[!swapped], total); };
        const bool descending = (direction == kGt) != swapped;
        EXPECT_EQ(KeysFor({kF32}, compare), (Keys{{0, kF32, descending, !total, !total}}));
        if (total) continue;
        EXPECT_EQ(KeysFor({kI8}, compare), (Keys{{0, kI8, descending, false, false}}));
        EXPECT_EQ(KeysFor({kI1}, compare), (Keys{{0, kI1, descending, false, false}}));
      }
    }
  }
  EXPECT_EQ(KeysFor({kF32, kU16}, [](Program& p, const Args& a) { return p.Compare(kLt, a[2], a[3]); }),
            (Keys{{1, kU16, false, false, false}}));
}

TEST(KeysOf, ZerosAndNansMadeOne) {
  for (ElementType type : {kF32, kF64, kF16, kBF16}) {
    EXPECT_EQ(
        KeysFor({type},
                [](Program& p, const Args& a) { return p.Compare(kLt, Canonical(p, a[0]), Canonical(p, a[1]), true); }),
        (Keys{{0, type, false, true, true}}));
    EXPECT_EQ(
        KeysFor({type},
                [](Program& p, const Args& a) { return p.Compare(kGt, ZerosMade(p, a[0]), ZerosMade(p, a[1]), true); }),
        (Keys{{0, type, true, true, false}}));
    EXPECT_EQ(KeysFor({type},
                      [](Program& p, const Args& a) {
                        auto nans = [&](ValueId x) {
                          return Select(p, p.Compare(kEq, x, x), x, Number(p, x, std::abs(NAN)));
                        };
                        return p.Compare(kLt, nans(a[0]), nans(a[1]), true);
                      }),
              (Keys{{0, type, false, false, true}}));
  }
}

TEST(KeysOf, OneKeyAfterTheOther) {
  auto lt = [](Program& p, const Args& a, int k) { return p.Compare(kLt, a[2 * k], a[2 * k + 1]); };
  auto eq = [](Program& p, const Args& a, int k) { return p.Compare(kEq, a[2 * k + 1], a[2 * k]); };
  const Keys expected = {{0, kI8}, {1, kU8}, {2, kI32}};
  const std::vector<ElementType> types = {kI8, kU8, kI32};
  EXPECT_EQ(KeysFor(types,
                    [&](Program& p, const Args& a) {
                      return Or(p, lt(p, a, 0),
                                And(p, eq(p, a, 0), Or(p, lt(p, a, 1), And(p, eq(p, a, 1), lt(p, a, 2)))));
                    }),
            expected);
  EXPECT_EQ(KeysFor(types,
                    [&](Program& p, const Args& a) {
                      return Or(p, And(p, Or(p, And(p, lt(p, a, 2), eq(p, a, 1)), lt(p, a, 1)), eq(p, a, 0)),
                                lt(p, a, 0));
                    }),
            expected);
  EXPECT_EQ(KeysFor(types,
                    [&](Program& p, const Args& a) {
                      ValueId rest = Select(p, p.Compare(kNe, a[2], a[3]), lt(p, a, 1), lt(p, a, 2));
                      return Select(p, eq(p, a, 0), rest, lt(p, a, 0));
                    }),
            expected);
  EXPECT_EQ(KeysFor({kF32, kI32},
                    [&](Program& p, const Args& a) {
                      ValueId x = Canonical(p, a[0]), y = Canonical(p, a[1]);
                      return Or(p, p.Compare(kGt, x, y, true), And(p, p.Compare(kEq, x, y, true), lt(p, a, 1)));
                    }),
            (Keys{{0, kF32, true, true, true}, {1, kI32}}));
}

// What looks like an order by keys and is another one, or none.
TEST(KeysOf, Lookalikes) {
  auto none = [](const char* what, const Body& body) { EXPECT_FALSE(KeysFor({kF32, kF32}, body).has_value()) << what; };
  for (Direction direction : {Direction::kLe, Direction::kGe, kEq, kNe})
    none("not strict", [&](Program& p, const Args& a) { return p.Compare(direction, a[0], a[1], true); });
  none("two operands", [](Program& p, const Args& a) { return p.Compare(kLt, a[0], a[3]); });
  none("one side", [](Program& p, const Args& a) { return p.Compare(kLt, a[0], a[0]); });
  none("a number", [](Program& p, const Args& a) { return p.Compare(kLt, a[0], Number(p, a[0], 1)); });
  none("constant", [](Program& p, const Args&) { return p.Splat({kI1, {}}, 0); });
  none("arithmetic", [](Program& p, const Args& a) {
    return p.Compare(kLt, p.Unary(OpCode::kNegate, a[0]), p.Unary(OpCode::kNegate, a[1]));
  });
  none("made one on one side",
       [](Program& p, const Args& a) { return p.Compare(kLt, Canonical(p, a[0]), a[1], true); });
  none("zeros on one side, NaNs on the other",
       [](Program& p, const Args& a) { return p.Compare(kLt, Canonical(p, a[0]), ZerosMade(p, a[1]), true); });
  auto made = [&](const char* what, const std::function<ValueId(Program&, ValueId, ValueId)>& make) {
    none(what,
         [&](Program& p, const Args& a) { return p.Compare(kLt, make(p, a[0], a[1]), make(p, a[1], a[0]), true); });
  };
  made("another number than zero", [](Program& p, ValueId x, ValueId) {
    return Select(p, p.Compare(kEq, x, Number(p, x, 1)), Number(p, x, 1), x);
  });
  made("zero becomes one", [](Program& p, ValueId x, ValueId) {
    return Select(p, p.Compare(kEq, x, Number(p, x, 0)), Number(p, x, 1), x);
  });
  made("the other side is tested", [](Program& p, ValueId x, ValueId y) {
    return Select(p, p.Compare(kEq, y, Number(p, y, 0)), Number(p, x, 0), x);
  });
  made("branches changed", [](Program& p, ValueId x, ValueId) {
    return Select(p, p.Compare(kEq, x, Number(p, x, 0)), x, Number(p, x, 0));
  });
  made("zeros by total order", [](Program& p, ValueId x, ValueId) {
    return Select(p, p.Compare(kEq, x, Number(p, x, 0), true), Number(p, x, 0), x);
  });
  made("below zero", [](Program& p, ValueId x, ValueId) {
    return Select(p, p.Compare(kLt, x, Number(p, x, 0)), Number(p, x, 0), x);
  });
  made("NaN becomes infinite",
       [](Program& p, ValueId x, ValueId) { return Select(p, p.Compare(kNe, x, x), Number(p, x, INFINITY), x); });
  made("NaN becomes negative",
       [](Program& p, ValueId x, ValueId) { return Select(p, p.Compare(kNe, x, x), Number(p, x, -std::abs(NAN)), x); });
  made("where the sides differ", [](Program& p, ValueId x, ValueId y) {
    return Select(p, p.Compare(kNe, x, y), Number(p, x, std::abs(NAN)), x);
  });
  auto lt = [](Program& p, const Args& a, int k) { return p.Compare(kLt, a[2 * k], a[2 * k + 1]); };
  auto eq = [](Program& p, const Args& a, int k, bool total = false) {
    return p.Compare(kEq, a[2 * k], a[2 * k + 1], total);
  };
  none("or", [&](Program& p, const Args& a) { return Or(p, lt(p, a, 0), lt(p, a, 1)); });
  none("and", [&](Program& p, const Args& a) { return And(p, lt(p, a, 0), lt(p, a, 1)); });
  none("ties of another key",
       [&](Program& p, const Args& a) { return Or(p, lt(p, a, 0), And(p, eq(p, a, 1), lt(p, a, 1))); });
  none("ties by bits",
       [&](Program& p, const Args& a) { return Or(p, lt(p, a, 0), And(p, eq(p, a, 0, true), lt(p, a, 1))); });
  none("differs, not ties",
       [&](Program& p, const Args& a) { return Or(p, lt(p, a, 0), And(p, p.Compare(kNe, a[0], a[1]), lt(p, a, 1))); });
  none("zeros tie, though ordered", [&](Program& p, const Args& a) {
    ValueId tie = p.Compare(kEq, ZerosMade(p, a[0]), ZerosMade(p, a[1]), true);
    return Or(p, p.Compare(kLt, a[0], a[1], true), And(p, tie, lt(p, a, 1)));
  });
  none("select the wrong way",
       [&](Program& p, const Args& a) { return Select(p, eq(p, a, 0), lt(p, a, 0), lt(p, a, 1)); });
  none("a rest that is no order",
       [&](Program& p, const Args& a) { return Or(p, lt(p, a, 0), And(p, eq(p, a, 0), eq(p, a, 1))); });
}

ValueId JaxLess(Program& p, const Args& a) { return p.Compare(kLt, Canonical(p, a[0]), Canonical(p, a[1]), true); }

// Iotas and operands whose results nobody wants are not read; equal operands once.
TEST(SortTask, ReadsWhatItNeeds) {
  Program p;
  Shape shape{kF32, {3, 40}}, index{kI32, {3, 40}};
  ValueId x = p.Argument(shape), y = p.Argument(shape), iota = p.Add(OpCode::kIota, {}, index, {.dims = {1}});
  ValueId wide = p.Broadcast(p.Add(OpCode::kIota, {}, {kI32, {40}}, {.dims = {0}}), {1}, {3, 40});
  ValueId rows = p.Add(OpCode::kIota, {}, index, {.dims = {0}});
  Args sorted = p.Sort({x, iota, y, x, rows, wide}, 1, JaxLess);
  p.Return({sorted[1], sorted[3], sorted[4], sorted[5]});
  auto groups = GroupRegion(p.graph(), 0, executable::Target());
  ASSERT_TRUE(groups.ok());
  ASSERT_EQ(groups->size(), 2);  // `rows` is made
  EXPECT_EQ((*groups)[1].kind, GroupKind::kSort);
  EXPECT_EQ((*groups)[1].inputs, (Args{x, rows}));
  EXPECT_EQ((*groups)[1].outputs, (Args{sorted[1], sorted[3], sorted[4], sorted[5]}));
  testing::ExpectLikeReference(p.graph(), 1);
}

TEST(SortTask, AnyShapeAndDimension) {
  for (const std::vector<int64_t>& dims : std::vector<std::vector<int64_t>>{
           {1}, {2}, {31}, {0}, {3, 5}, {3, 0, 2}, {20, 9, 7}, {1, 33, 1}, {2, 3, 4, 5}}) {
    for (int64_t dimension = 0; dimension < static_cast<int64_t>(dims.size()); ++dimension) {
      Program p;
      ValueId x = p.Argument({kF32, dims}), y = p.Argument({kI8, dims});
      ValueId iota = p.Add(OpCode::kIota, {}, {kI32, dims}, {.dims = {dimension}});
      Args sorted = p.Sort({x, y, iota}, dimension, JaxLess);
      p.Return({sorted[0], sorted[1], p.Unary(OpCode::kNegate, sorted[2])});
      testing::ExpectLikeReference(p.graph(), 2);
    }
  }
}

// More key bits than one item holds: a loop plan does it.
TEST(SortTask, TooManyKeysAreAPlan) {
  Program p;
  Shape shape{kF64, {30}};
  ValueId x = p.Argument(shape), y = p.Argument(shape);
  Args sorted = p.Sort({x, y}, 0, [](Program& p, const Args& a) {
    return Or(p, p.Compare(kLt, a[0], a[1]), And(p, p.Compare(kEq, a[0], a[1]), p.Compare(kGt, a[2], a[3])));
  });
  p.Return(sorted);
  auto groups = GroupRegion(p.graph(), 0, executable::Target());
  ASSERT_TRUE(groups.ok());
  EXPECT_EQ((*groups)[0].kind, GroupKind::kPlan);
  testing::ExpectLikeReference(p.graph(), 3);
}

TEST(SortTask, ConstantsAsOperands) {
  Program p;
  ValueId x = p.Argument({kF32, {2, 10}}), zeros = p.Splat({kF32, {2, 10}}, 0);
  Args sorted = p.Sort({zeros, x}, 1, JaxLess);
  p.Return({sorted[1], p.Sort({x, zeros}, 1, JaxLess)[1]});
  testing::ExpectLikeReference(p.graph(), 4);
}

// Of results that have fewer elements along the dimension, the first of each row.
TEST(SortTask, TakesTheFirst) {
  for (bool plain : {true, false}) {
    for (int64_t dimension : {0, 1}) {
      Program p;
      ValueId x = p.Argument({kF32, {9, 8}});
      ValueId iota = p.Add(OpCode::kIota, {}, {kI32, {9, 8}}, {.dims = {dimension}});
      Args sorted = p.Sort({x, iota}, dimension, [&](Program& p, const Args& a) {
        return plain ? JaxLess(p, a) : p.Compare(kGt, p.Unary(OpCode::kAbs, a[0]), p.Unary(OpCode::kAbs, a[1]));
      });
      for (ValueId value : sorted) p.graph().values[value].shape.dims[dimension] = 3;
      p.Return(sorted);
      testing::ExpectLikeReference(p.graph(), 5);
    }
  }
}

}  // namespace
}  // namespace treadle::plan

#include "compiler/plan/schedule.h"

#include <cmath>

#include "compiler/plan/testing/program.h"
#include "compiler/plan/testing/run_plans.h"
#include "gtest/gtest.h"

namespace treadle::plan {
namespace {

using graph::OpCode;
using graph::ValueId;
using testing::ExpectLikeReference;
using testing::Program;

constexpr ElementType kF32 = ElementType::kF32;

TEST(Map, Chain) {
  for (const std::vector<int64_t>& dims :
       std::vector<std::vector<int64_t>>{{}, {1}, {7}, {0}, {3, 5}, {2, 0, 3}, {4, 1, 9}, {40000}}) {
    Program p;
    ValueId x = p.Argument({kF32, dims}), y = p.Argument({kF32, dims});
    ValueId z = p.Binary(OpCode::kMultiply, p.Binary(OpCode::kAdd, x, y), p.Splat({kF32, dims}, 2.5));
    p.Return({z, p.Unary(OpCode::kNegate, x)});
    ExpectLikeReference(p.graph(), 1);
  }
}

TEST(Map, Broadcasts) {
  for (auto [n, c] : std::vector<std::pair<int64_t, int64_t>>{
           {5, 7}, {1, 3}, {100, 3}, {64, 40}, {3, 20000}, {0, 4}, {9, 1}, {2000, 10}}) {
    Program p;
    ValueId x = p.Argument({kF32, {n, c}}), b = p.Argument({kF32, {c}}), r = p.Argument({kF32, {n}}),
            s = p.Argument({kF32, {}});
    ValueId sum = p.Binary(OpCode::kAdd, x, p.Broadcast(b, {1}, {n, c}));
    sum = p.Binary(OpCode::kMultiply, sum, p.Broadcast(r, {0}, {n, c}));
    sum = p.Binary(OpCode::kSubtract, sum, p.Broadcast(s, {}, {n, c}));
    p.Return({sum});
    ExpectLikeReference(p.graph(), 2);
  }
}

TEST(Map, ReshapesThatSplitAndMerge) {
  Program p;
  ValueId x = p.Argument({kF32, {6, 20}}), row = p.Argument({kF32, {6}}), y = p.Argument({kF32, {4, 30}});
  ValueId wide = p.Reshape(p.Broadcast(row, {0}, {6, 20}), {120});
  ValueId sum = p.Binary(OpCode::kAdd, p.Reshape(x, {120}), wide);
  sum = p.Binary(OpCode::kAdd, sum, p.Reshape(y, {120}));
  ValueId uneven = p.Reshape(
      p.Add(OpCode::kSlice, {y}, {kF32, {4, 15}}, {.starts = {0, 3}, .limits = {4, 18}, .strides = {1, 1}}), {60});
  ValueId half = p.Add(OpCode::kSlice, {sum}, {kF32, {60}}, {.starts = {10}, .limits = {70}, .strides = {1}});
  p.Return({sum, p.Binary(OpCode::kMultiply, half, uneven), p.Reshape(p.Transpose(x, {1, 0}), {4, 30})});
  ExpectLikeReference(p.graph(), 3);
}

TEST(Map, SlicesReversesIotas) {
  Program p;
  ValueId x = p.Argument({ElementType::kI32, {9, 33}});
  ValueId s = p.Add(OpCode::kSlice, {x}, {ElementType::kI32, {4, 11}},
                    {.starts = {1, 0}, .limits = {9, 33}, .strides = {2, 3}});
  ValueId r = p.Add(OpCode::kReverse, {s}, p.graph().shape(s), {.dims = {0, 1}});
  ValueId i = p.Add(OpCode::kIota, {}, p.graph().shape(s), {.dims = {1}}),
          k = p.Add(OpCode::kIota, {}, p.graph().shape(s), {.dims = {0}});
  ValueId f = p.Add(OpCode::kConvert, {p.Binary(OpCode::kMultiply, i, k)}, {kF32, {4, 11}});
  p.Return(
      {p.Binary(OpCode::kAdd, r, i), f, p.Reshape(p.Add(OpCode::kIota, {}, {kF32, {44}}, {.dims = {0}}), {4, 11})});
  ExpectLikeReference(p.graph(), 4);
}

TEST(Map, DynamicSlices) {
  for (ElementType type : {ElementType::kI32, ElementType::kU8, ElementType::kI64, ElementType::kU64}) {
    for (uint32_t seed = 0; seed < 6; ++seed) {
      Program p;
      ValueId x = p.Argument({kF32, {6, 10}}), i = p.Argument({type, {}}), j = p.Argument({type, {}});
      ValueId s = p.Add(OpCode::kDynamicSlice, {x, i, j}, {kF32, {3, 10}}, {.limits = {3, 10}});
      ValueId u = p.Unary(OpCode::kNegate, s);
      ValueId same = p.Add(OpCode::kDynamicUpdateSlice, {x, u, i, j}, {kF32, {6, 10}});
      ValueId other = p.Add(OpCode::kDynamicUpdateSlice, {same, p.Argument({kF32, {2, 2}}), j, i}, {kF32, {6, 10}});
      p.Return({s, same, other});
      ExpectLikeReference(p.graph(), 5 + seed);
    }
  }
}

// The gradient of the sum of squared differences: one kernel, whose choices along rows are made by cutting them.
TEST(Map, PadsOfShiftedValuesAreChosenFrom) {
  for (int64_t width : {2, 3, 40}) {
    Program p;
    ValueId x = p.Argument({kF32, {5, width}}), zero = p.Splat({kF32, {}}, 0), sum = -1;
    for (size_t dim : {0, 1}) {
      std::vector<int64_t> dims{5, width}, whole = dims;
      dims[dim] -= 1;
      std::vector<int64_t> one{dim == 0, dim == 1}, none{0, 0};
      ValueId later = p.Add(OpCode::kSlice, {x}, {kF32, dims}, {.starts = one, .limits = whole, .strides = {1, 1}});
      ValueId earlier = p.Add(OpCode::kSlice, {x}, {kF32, dims}, {.starts = none, .limits = dims, .strides = {1, 1}});
      ValueId twice =
          p.Binary(OpCode::kMultiply, p.Binary(OpCode::kSubtract, later, earlier), p.Splat({kF32, dims}, 2));
      auto pad = [&](ValueId value, std::vector<int64_t> low, std::vector<int64_t> high) {
        return p.Add(OpCode::kPad, {value, zero}, {kF32, whole}, {.low = low, .high = high, .interior = none});
      };
      ValueId part = p.Binary(OpCode::kSubtract, pad(twice, one, none), pad(twice, none, one));
      sum = sum < 0 ? part : p.Binary(OpCode::kAdd, sum, part);
    }
    p.Return({sum});
    ExpectLikeReference(p.graph(), 7);
    auto groups = GroupRegion(p.graph(), 0, executable::Target());
    ASSERT_TRUE(groups.ok());
    EXPECT_EQ(groups->size(), 1);
  }
}

TEST(Map, ConcatenatesAndPadsInsideOfEachOther) {
  for (ElementType type : {kF32, ElementType::kI8}) {
    Program p;  // pad(concat(a, b), ...)[::2, ::-1] + roll(c)
    ValueId a = p.Argument({type, {6, 10}}), b = p.Argument({type, {6, 9}}), c = p.Argument({type, {4, 23}});
    ValueId joined = p.Add(OpCode::kConcatenate, {a, b}, {type, {6, 19}}, {.dims = {1}});
    ValueId padded = p.Add(OpCode::kPad, {joined, p.Splat({type, {}}, 3)}, {type, {8, 23}},
                           {.low = {1, 2}, .high = {1, 2}, .interior = {0, 0}});
    ValueId thin =
        p.Add(OpCode::kSlice, {padded}, {type, {4, 23}}, {.starts = {0, 0}, .limits = {8, 23}, .strides = {2, 1}});
    ValueId turned = p.Add(OpCode::kReverse, {thin}, {type, {4, 23}}, {.dims = {1}});
    ValueId tail =
        p.Add(OpCode::kSlice, {c}, {type, {4, 5}}, {.starts = {0, 18}, .limits = {4, 23}, .strides = {1, 1}});
    ValueId head =
        p.Add(OpCode::kSlice, {c}, {type, {4, 18}}, {.starts = {0, 0}, .limits = {4, 18}, .strides = {1, 1}});
    ValueId rolled = p.Add(OpCode::kConcatenate, {tail, head}, {type, {4, 23}}, {.dims = {1}});
    p.Return({p.Binary(OpCode::kAdd, turned, rolled), turned});
    ExpectLikeReference(p.graph(), 8);
  }
}

TEST(Map, ManyRollsStayManyKernels) {
  Program p;  // each doubles what an element may come from
  ValueId x = p.Argument({kF32, {40}});
  for (int k = 1; k <= 30; ++k) {
    ValueId tail = p.Add(OpCode::kSlice, {x}, {kF32, {k}}, {.starts = {40 - k}, .limits = {40}, .strides = {1}});
    ValueId head = p.Add(OpCode::kSlice, {x}, {kF32, {40 - k}}, {.starts = {0}, .limits = {40 - k}, .strides = {1}});
    x = p.Add(OpCode::kConcatenate, {tail, head}, {kF32, {40}}, {.dims = {0}});
  }
  p.Return({p.Unary(OpCode::kNegate, x)});
  ExpectLikeReference(p.graph(), 9);
}

TEST(Map, UpdateMovesItsOwnOperand) {
  Program p;  // x[1:] = x[:-1]
  ValueId x = p.Argument({kF32, {100}});
  ValueId s = p.Add(OpCode::kSlice, {x}, {kF32, {99}}, {.starts = {0}, .limits = {99}, .strides = {1}});
  p.Return({p.Add(OpCode::kDynamicUpdateSlice, {x, s, p.Splat({ElementType::kI32, {}}, 1)}, {kF32, {100}})});
  ExpectLikeReference(p.graph(), 6);
}

TEST(Rows, SumsOfEveryLength) {
  for (int64_t length : {0, 1, 2, 8, 31, 32, 33, 64, 100, 700, 9000, 20000}) {
    for (int64_t rows : {0, 1, 3, 70}) {
      if (rows * length > 30000) continue;
      Program p;
      ValueId x = p.Argument({kF32, {rows, length}});
      p.Return({p.Reduce(OpCode::kAdd, x, 3, {1}), p.Reduce(OpCode::kMaximum, x, -INFINITY, {1})});
      ExpectLikeReference(p.graph(), 7);
    }
  }
}

TEST(Rows, Softmax) {
  for (auto [n, c] :
       std::vector<std::pair<int64_t, int64_t>>{{4, 100}, {128, 10}, {1, 50}, {33, 33}, {2, 9000}, {3, 1}}) {
    Program p;
    ValueId x = p.Argument({kF32, {n, c}});
    ValueId max = p.Broadcast(p.Reduce(OpCode::kMaximum, x, -INFINITY, {1}), {0}, {n, c});
    ValueId e = p.Unary(OpCode::kExponential, p.Binary(OpCode::kSubtract, x, max));
    ValueId sum = p.Broadcast(p.Reshape(p.Reduce(OpCode::kAdd, e, 0, {1}), {n, 1}), {0, 1}, {n, c});
    p.Return({p.Binary(OpCode::kDivide, e, sum)});
    ExpectLikeReference(p.graph(), 8, 1e-5, /*real=*/true);
    auto groups = GroupRegion(p.graph(), 0, executable::Target());
    ASSERT_TRUE(groups.ok());
    EXPECT_EQ(groups->size(), 1);
  }
}

TEST(Rows, LayerNorm) {
  for (auto [n, c] : std::vector<std::pair<int64_t, int64_t>>{{4, 768}, {64, 12}, {5, 40}}) {
    Program p;
    ValueId x = p.Argument({kF32, {n, c}}), gain = p.Argument({kF32, {c}}), bias = p.Argument({kF32, {c}});
    auto mean = [&](ValueId v) {
      ValueId sum = p.Reshape(p.Reduce(OpCode::kAdd, v, 0, {1}), {n, 1});
      return p.Binary(OpCode::kDivide, sum, p.Splat({kF32, {n, 1}}, static_cast<double>(c)));
    };
    auto wide = [&](ValueId v) { return p.Broadcast(v, {0, 1}, {n, c}); };
    ValueId centred = p.Binary(OpCode::kSubtract, x, wide(mean(x)));
    ValueId variance = mean(p.Binary(OpCode::kMultiply, centred, centred));
    ValueId scale = p.Unary(OpCode::kRsqrt, p.Binary(OpCode::kAdd, variance, p.Splat({kF32, {n, 1}}, 1e-5)));
    ValueId y =
        p.Binary(OpCode::kMultiply, p.Binary(OpCode::kMultiply, centred, wide(scale)), p.Broadcast(gain, {1}, {n, c}));
    p.Return({p.Binary(OpCode::kAdd, y, p.Broadcast(bias, {1}, {n, c}))});
    ExpectLikeReference(p.graph(), 9, 1e-5, /*real=*/true);
    auto groups = GroupRegion(p.graph(), 0, executable::Target());
    ASSERT_TRUE(groups.ok());
    EXPECT_EQ(groups->size(), 1);
  }
}

TEST(Rows, OperandsThatDoNotMergeAreStaged) {
  for (auto [a, b] : std::vector<std::pair<int64_t, int64_t>>{{3, 10}, {12, 10}, {128, 10}, {3, 5000}, {30000, 4}}) {
    Program p;
    ValueId x = p.Argument({kF32, {2, a, b}}), w = p.Argument({kF32, {b}});
    ValueId y = p.Binary(OpCode::kMultiply, x, p.Broadcast(w, {2}, {2, a, b}));
    p.Return(
        {p.Reduce(OpCode::kAdd, y, 1, {1, 2}), p.Reduce(OpCode::kAdd, p.Reduce(OpCode::kAdd, y, 0, {2}), 0, {0, 1})});
    ExpectLikeReference(p.graph(), 10);
  }
}

TEST(Rows, ArgmaxWithTiesAndNans) {
  for (bool greatest : {true, false}) {
    for (int64_t length : {1, 10, 33, 300, 9000}) {
      Program p;
      ValueId x = p.Argument({kF32, {3, length}});
      ValueId zero = p.Splat({kF32, {3, length}}, 0);
      ValueId odd = p.Add(OpCode::kCompare, {x, p.Splat({kF32, {3, length}}, 3)}, {ElementType::kI1, {3, length}},
                          {.direction = graph::Direction::kEq});
      ValueId nan = p.Add(OpCode::kSelect, {odd, p.Binary(OpCode::kDivide, zero, zero), x}, {kF32, {3, length}});
      std::vector<ValueId> plain = p.ArgBest(greatest, x), with_nan = p.ArgBest(greatest, nan);
      p.Return({plain[0], plain[1], with_nan[1]});
      ExpectLikeReference(p.graph(), 11);
    }
  }
}

// x, y -> x * y' where y' is the second of the pairs: associative, not commutative.
TEST(Rows, RegionsInOrder) {
  for (const std::vector<int64_t>& dims : std::vector<std::vector<int64_t>>{{1}, {0}, {0, 1}}) {
    for (auto [n, c] : std::vector<std::pair<int64_t, int64_t>>{{5, 40}, {300, 3}, {2, 8200}}) {
      Program p;
      ValueId a = p.Argument({ElementType::kU32, {n, c}}), b = p.Argument({ElementType::kU32, {n, c}});
      ValueId one = p.Splat({ElementType::kU32, {}}, 1), zero = p.Splat({ElementType::kU32, {}}, 0);
      p.Return(p.Reduce({a, b}, {one, zero}, dims, [](Program& p, const std::vector<ValueId>& v) {
        // Affine maps t -> s*t + o, one after another.
        return std::vector<ValueId>{p.Binary(OpCode::kMultiply, v[0], v[2]),
                                    p.Binary(OpCode::kAdd, p.Binary(OpCode::kMultiply, v[1], v[2]), v[3])};
      }));
      ExpectLikeReference(p.graph(), 12);
    }
  }
}

TEST(Rows, ReducedOnBothSides) {
  for (std::vector<int64_t> dims : std::vector<std::vector<int64_t>>{{4, 3, 50}, {4, 3, 1, 5}, {2, 70, 9}, {3, 1, 8}}) {
    Program p;
    ValueId x = p.Argument({kF32, dims}), w = p.Argument({kF32, {dims[1]}});
    ValueId y = p.Binary(OpCode::kMultiply, x, p.Broadcast(w, {1}, dims));
    std::vector<int64_t> reduced{0};
    for (int64_t k = 2; k < static_cast<int64_t>(dims.size()); ++k) reduced.push_back(k);
    p.Return({p.Reduce(OpCode::kAdd, y, 1, reduced), y});
    ExpectLikeReference(p.graph(), 13);
  }
}

TEST(All, FewLongRows) {
  for (int64_t rows : {1, 3}) {
    int64_t length = 75001 / rows;
    Program p;
    ValueId x = p.Argument({kF32, {rows, length}}), w = p.Argument({kF32, {length}});
    ValueId y = p.Unary(OpCode::kExponential, p.Binary(OpCode::kMultiply, x, p.Broadcast(w, {1}, {rows, length})));
    ValueId z = p.Unary(OpCode::kTanh, y);
    ValueId sum = p.Reduce(OpCode::kAdd, p.Unary(OpCode::kCeil, z), 2, {1});  // exact in any order
    p.Return({p.Unary(OpCode::kNegate, sum), p.Reduce(OpCode::kMaximum, z, 0, {1}),
              p.Reduce(OpCode::kMaximum, x, 0, {0, 1})});
    testing::Values values = testing::RandomArguments(p.graph(), 1);
    std::vector<Instance> instances;
    ASSERT_TRUE(RunPlans(p.graph(), values, {}, &instances).ok());
    EXPECT_EQ(instances[0].plan.phases.size(), 2);
    ExpectLikeReference(p.graph(), 14, 1e-5);
  }
}

TEST(Cols, Sums) {
  for (auto [r, c] : std::vector<std::pair<int64_t, int64_t>>{
           {1, 5}, {0, 5}, {5, 0}, {7, 33}, {256, 10}, {257, 10}, {1000, 17}, {20, 5000}}) {
    Program p;
    ValueId x = p.Argument({kF32, {r, c}}), w = p.Argument({kF32, {r}});
    ValueId y = p.Binary(OpCode::kMultiply, x, p.Broadcast(w, {0}, {r, c}));
    ValueId sum = p.Reduce(OpCode::kAdd, y, 1, {0});
    p.Return({p.Unary(OpCode::kNegate, sum), y, p.Reduce(OpCode::kMinimum, x, INFINITY, {0})});
    ExpectLikeReference(p.graph(), 15);
  }
}

TEST(Cols, KeptAndReducedAlternate) {
  for (std::vector<int64_t> dims : std::vector<std::vector<int64_t>>{{3, 4, 5, 6}, {2, 300, 2, 9}, {1, 4, 2, 8}}) {
    Program p;
    ValueId x = p.Argument({kF32, dims}), w = p.Argument({kF32, {dims[3]}}), v = p.Argument({kF32, {dims[2]}});
    ValueId y =
        p.Binary(OpCode::kMultiply, p.Binary(OpCode::kAdd, x, p.Broadcast(w, {3}, dims)), p.Broadcast(v, {2}, dims));
    p.Return({p.Reduce(OpCode::kAdd, y, 1, {1}), p.Reduce(OpCode::kAdd, y, 1, {0, 2}),
              p.Reduce(OpCode::kAdd, x, 1, {0, 1, 2})});
    ExpectLikeReference(p.graph(), 16);
  }
}

TEST(Transpose, Permutations) {
  for (ElementType type : {kF32, ElementType::kI8, ElementType::kF64}) {
    for (auto& [dims, permutation] :
         std::vector<std::pair<std::vector<int64_t>, std::vector<int64_t>>>{{{100, 130}, {1, 0}},
                                                                            {{3, 500}, {1, 0}},
                                                                            {{500, 3}, {1, 0}},
                                                                            {{9, 9}, {1, 0}},
                                                                            {{2, 40, 3, 20}, {0, 3, 2, 1}},
                                                                            {{4, 30, 1, 17}, {3, 0, 1, 2}},
                                                                            {{0, 5}, {1, 0}},
                                                                            {{6, 50, 40}, {2, 0, 1}},
                                                                            {{600, 90}, {1, 0}},
                                                                            {{10, 20, 64}, {1, 0, 2}}}) {
      Program p;
      ValueId x = p.Argument({type, dims});
      p.Return({p.Transpose(p.Unary(OpCode::kNegate, x), permutation)});
      ExpectLikeReference(p.graph(), 18);
    }
  }
}

// Not an order by keys, so no kernel knows it: by distance from a scalar of outside, the greatest first.
ValueId FarthestFirst(Program& p, ValueId centre, const std::vector<ValueId>& args) {
  auto distance = [&](ValueId x) { return p.Unary(OpCode::kAbs, p.Binary(OpCode::kSubtract, x, centre)); };
  return p.Compare(graph::Direction::kGt, distance(args[0]), distance(args[1]));
}

TEST(Sort, AnyComparatorAlongAnyDimension) {
  for (const std::vector<int64_t>& dims : std::vector<std::vector<int64_t>>{
           {1}, {2}, {3}, {8}, {17}, {0}, {3, 5}, {3, 0, 2}, {0, 3}, {4, 9, 7}, {1, 33, 1}, {2, 3, 4, 5}}) {
    for (int64_t dimension = 0; dimension < static_cast<int64_t>(dims.size()); ++dimension) {
      Program p;
      ValueId x = p.Argument({kF32, dims}), y = p.Argument({ElementType::kI8, dims}), centre = p.Argument({kF32, {}});
      std::vector<ValueId> sorted =
          p.Sort({x, y, x}, dimension, [&](Program& p, const auto& args) { return FarthestFirst(p, centre, args); });
      p.Return({sorted[2], sorted[1]});
      ExpectLikeReference(p.graph(), 31);
    }
  }
}

TEST(Sort, EveryElementTypeMoves) {
  using enum ElementType;
  for (ElementType type : {kI1, kI8, kI16, kI32, kI64, kU8, kU16, kU32, kU64, kBF16, kF16, kF32, kF64}) {
    Program p;
    ValueId x = p.Argument({type, {3, 20}}), key = p.Argument({kI32, {3, 20}});
    std::vector<ValueId> sorted = p.Sort({x, key}, 1, [](Program& p, const auto& args) {
      ValueId bit = p.Splat({kI32, {}}, 1);  // even ones first
      return p.Compare(graph::Direction::kLt, p.Binary(OpCode::kAnd, args[2], bit),
                       p.Binary(OpCode::kAnd, args[3], bit));
    });
    p.Return(sorted);
    ExpectLikeReference(p.graph(), 32);
  }
}

// Comparators that are no order at all: what comes out is a permutation all the same.
TEST(Sort, AnyAnswersGiveSomePermutation) {
  for (int kind = 0; kind < 4; ++kind) {
    for (int64_t length : {1, 2, 3, 7, 64, 100}) {
      Program p;
      ValueId x = p.Argument({kF32, {2, length}}),
              number = p.Add(OpCode::kIota, {}, {ElementType::kI32, {2, length}}, {.dims = {1}});
      std::vector<ValueId> sorted = p.Sort({x, number}, 1, [&](Program& p, const auto& args) {
        if (kind < 2) return p.Splat({ElementType::kI1, {}}, kind);
        return p.Compare(kind == 2 ? graph::Direction::kNe : graph::Direction::kLe, args[0], args[1]);
      });
      p.Return(sorted);
      testing::Values values = testing::RandomArguments(p.graph(), 33);
      ASSERT_TRUE(testing::RunPlans(p.graph(), values, {}).ok());
      for (int64_t row = 0; row < 2; ++row) {
        std::vector<bool> seen(length, false);
        for (int64_t i = 0; i < length; ++i) {
          int64_t from = values.at(sorted[1]).Integer(row * length + i);
          ASSERT_TRUE(from >= 0 && from < length && !seen[from]);
          seen[from] = true;
          EXPECT_EQ(values.at(sorted[0]).Float(row * length + i), values.at(x).Float(row * length + from));
        }
      }
    }
  }
}

TEST(Sort, NamesWhatAComparatorMayNotDo) {
  Program p;
  ValueId x = p.Argument({kF32, {8}});
  std::vector<ValueId> sorted = p.Sort({x}, 0, [](Program& p, const auto& args) {
    ValueId wide = p.Add(OpCode::kIota, {}, {kF32, {4}}, {.dims = {0}});
    return p.Compare(graph::Direction::kLt, args[0], p.Reduce(OpCode::kAdd, wide, 0, {0}));
  });
  p.Return(sorted);
  testing::Values values = testing::RandomArguments(p.graph(), 34);
  Status status = testing::RunPlans(p.graph(), values, {});
  EXPECT_EQ(status.code(), StatusCode::kUnimplemented);
  EXPECT_NE(status.ToString().find("inside a region of sort"), std::string::npos) << status.ToString();
}

TEST(Concatenate, AlongEveryAxis) {
  for (int64_t axis : {0, 1, 2}) {
    for (int64_t inner : {1, 3, 50}) {
      Program p;
      std::vector<ValueId> operands;
      std::vector<int64_t> result{4, 5, inner};
      result[axis] = 0;
      for (int64_t size : {2, 0, 7, 1}) {
        std::vector<int64_t> dims{4, 5, inner};
        dims[axis] = size;
        result[axis] += size;
        operands.push_back(p.Argument({kF32, dims}));
      }
      operands[0] = p.Unary(OpCode::kNegate, operands[0]);
      operands[2] = p.Add(OpCode::kReverse, {operands[2]}, p.graph().shape(operands[2]), {.dims = {1, 2}});
      p.Return({p.Add(OpCode::kConcatenate, operands, {kF32, result}, {.dims = {axis}})});
      ExpectLikeReference(p.graph(), 19);
    }
  }
  Program many;
  std::vector<ValueId> operands;
  for (int k = 0; k < 40; ++k) operands.push_back(many.Argument({kF32, {3, 1 + k % 4}}));
  many.Return({many.Add(OpCode::kConcatenate, operands, {kF32, {3, 100}}, {.dims = {1}})});
  ExpectLikeReference(many.graph(), 19);
  Program p;  // more than one tile
  ValueId x = p.Argument({kF32, {30000}}), y = p.Argument({kF32, {1000}});
  p.Return({p.Add(OpCode::kConcatenate, {x, y, x}, {kF32, {61000}}, {.dims = {0}})});
  ExpectLikeReference(p.graph(), 19);
}

// Pairs (re, im) in, pairs out, as complex numbers lie in memory.
ValueId Column(Program& p, ValueId pairs, int64_t number) {
  std::vector<int64_t> dims = p.graph().shape(pairs).dims, starts(dims.size()), strides(dims.size(), 1), limits = dims;
  starts.back() = number;
  limits.back() = number + 1;
  dims.back() = 1;
  ElementType type = p.graph().shape(pairs).type;
  ValueId column =
      p.Add(OpCode::kSlice, {pairs}, {type, dims}, {.starts = starts, .limits = limits, .strides = strides});
  dims.pop_back();
  return p.Reshape(column, dims);
}

ValueId Interleave(Program& p, ValueId first, ValueId second) {
  Shape shape = p.graph().shape(first);
  shape.dims.push_back(1);
  std::vector<ValueId> columns{p.Reshape(first, shape.dims), p.Reshape(second, shape.dims)};
  shape.dims.back() = 2;
  return p.Add(OpCode::kConcatenate, columns, shape, {.dims = {shape.rank() - 1}});
}

TEST(Interleave, PairsAreWrittenByTheMapThatMakesThem) {
  for (ElementType type : {kF32, ElementType::kF64, ElementType::kI8}) {
    for (std::vector<int64_t> dims :
         std::vector<std::vector<int64_t>>{{}, {0}, {1}, {7}, {16}, {17}, {33}, {70000}, {5, 3}, {3, 40}, {2, 1, 9}}) {
      Program p;
      std::vector<int64_t> pairs = dims;
      pairs.push_back(2);
      ValueId z = p.Argument({type, pairs}), w = p.Argument({type, pairs}), x = p.Argument({type, dims});
      ValueId re = p.Binary(OpCode::kAdd, Column(p, z, 0), Column(p, w, 1));
      ValueId im = p.Binary(OpCode::kSubtract, Column(p, z, 1), x);
      ValueId both = Interleave(p, re, im);
      p.Return({both, re, Interleave(p, Column(p, both, 1), x)});
      ExpectLikeReference(p.graph(), 3);
    }
  }
}

TEST(Interleave, OfOtherSources) {
  Program p;
  ValueId x = p.Argument({kF32, {40, 30}}), z = p.Argument({kF32, {40, 2}}), k = p.Argument({kF32, {}});
  ValueId row = p.Reduce(OpCode::kAdd, x, 0, {1});
  ValueId swapped = Interleave(p, Column(p, z, 1), Column(p, z, 0));
  ValueId reversed = p.Add(OpCode::kReverse, {Column(p, z, 0)}, {kF32, {40}}, {.dims = {0}});
  p.Return({Interleave(p, row, p.Broadcast(k, {}, {40})), swapped, Interleave(p, reversed, row),
            Interleave(p, p.Transpose(x, {1, 0}), p.Splat({kF32, {30, 40}}, 2)),
            p.Reduce(OpCode::kAdd, Interleave(p, x, x), 0, {0, 1})});
  ExpectLikeReference(p.graph(), 5);
}

TEST(Pad, EdgesNegativeAndInterior) {
  using List = std::vector<int64_t>;
  for (auto& [dims, low, high, interior] :
       std::vector<std::tuple<List, List, List, List>>{{{5, 7}, {1, 2}, {3, 0}, {0, 0}},
                                                       {{5, 7}, {-1, 2}, {3, -3}, {0, 0}},
                                                       {{5, 7}, {1, -2}, {-1, 3}, {2, 1}},
                                                       {{5, 7}, {-6, 0}, {0, 0}, {0, 0}},
                                                       {{0, 7}, {1, 1}, {1, 1}, {0, 0}},
                                                       {{4}, {-2}, {-1}, {3}},
                                                       {{300, 200}, {1, 1}, {1, 1}, {0, 0}},
                                                       {{}, {}, {}, {}},
                                                       {{3, 3}, {0, 0}, {0, 0}, {0, 0}},
                                                       {{4}, {-20}, {30}, {3}},
                                                       {{6}, {2}, {-30}, {4}}}) {
    Program p;
    ValueId x = p.Argument({kF32, dims}), value = p.Argument({kF32, {}});
    List result;
    for (size_t k = 0; k < dims.size(); ++k) {
      result.push_back(
          std::max<int64_t>(0, low[k] + high[k] + dims[k] + std::max<int64_t>(0, dims[k] - 1) * interior[k]));
    }
    p.Return({p.Add(OpCode::kPad, {p.Unary(OpCode::kNegate, x), value}, {kF32, result},
                    {.low = low, .high = high, .interior = interior})});
    ExpectLikeReference(p.graph(), 20);
  }
}

TEST(Types, EveryElementwiseOperation) {
  using enum OpCode;
  for (ElementType type : {ElementType::kF32, ElementType::kF64, ElementType::kF16, ElementType::kBF16,
                           ElementType::kI8, ElementType::kI16, ElementType::kI32, ElementType::kI64, ElementType::kU8,
                           ElementType::kU16, ElementType::kU32, ElementType::kU64, ElementType::kI1}) {
    Shape shape{type, {50}};
    Program p;
    ValueId x = p.Argument(shape), y = p.Argument(shape), q = p.Argument({ElementType::kI1, {50}});
    std::vector<ValueId> results{p.Add(kSelect, {q, x, y}, shape)};
    auto compare = [&](graph::Direction direction, bool total) {
      results.push_back(
          p.Add(kCompare, {x, y}, {ElementType::kI1, {50}}, {.direction = direction, .total_order = total}));
    };
    std::vector<OpCode> unary, binary;
    if (type == ElementType::kI1) {
      unary = {kNot};
      binary = {kAnd, kOr, kXor, kAdd, kMultiply, kMaximum, kMinimum};
    } else if (IsFloat(type)) {
      unary = {kAbs,      kCeil,     kFloor,     kNegate,      kSign,
               kSqrt,     kRoundAfz, kRoundEven, kExponential, kTanh,
               kLogistic, kCosine,   kSine,      kCbrt,        kExponentialMinusOne,
               kRsqrt,    kErf,      kErfc,      kLog,         kLogPlusOne};
      binary = {kAdd, kSubtract, kMultiply, kDivide, kRemainder, kMaximum, kMinimum, kAtan2};
      results.push_back(p.Add(kIsFinite, {x}, {ElementType::kI1, {50}}));
      results.push_back(p.Add(kReducePrecision, {x}, shape, {.exponent_bits = 4, .mantissa_bits = 2}));
    } else {
      unary = {kNot, kPopcnt, kClz};
      if (IsSigned(type)) unary.insert(unary.end(), {kAbs, kNegate, kSign});
      binary = {kAdd,
                kSubtract,
                kMultiply,
                kDivide,
                kRemainder,
                kMaximum,
                kMinimum,
                kAnd,
                kOr,
                kXor,
                kShiftLeft,
                kShiftRightLogical,
                kShiftRightArithmetic,
                kPower};
    }
    for (OpCode code : unary) results.push_back(p.Unary(code, x));
    for (OpCode code : binary) results.push_back(p.Binary(code, x, y));
    for (int direction = 0; direction < 6; ++direction) {
      compare(static_cast<graph::Direction>(direction), false);
      if (IsFloat(type)) compare(static_cast<graph::Direction>(direction), true);
    }
    if (type != ElementType::kI1) {
      ValueId low = p.Splat({type, {}}, 1), high = p.Splat({type, {}}, 3);
      results.push_back(p.Add(kClamp, {low, x, high}, shape));
    }
    for (ElementType to : {ElementType::kF32, ElementType::kI1, ElementType::kI8, ElementType::kU32, ElementType::kBF16,
                           ElementType::kI64}) {
      results.push_back(p.Add(kConvert, {x}, {to, {50}}));
    }
    p.Return(results);
    ExpectLikeReference(p.graph(), 17, type == ElementType::kF64 || type == kF32 ? 2e-6 : IsFloat(type) ? 1e-2 : 0);
  }
}

// Every output has an input whose memory it may take, the caller's choice first.
TEST(ScheduleMap, OutputsTakeInputsMemory) {
  for (bool swapped : {false, true}) {
    Program p;
    ValueId x = p.Argument({kF32, {100}}), y = p.Argument({kF32, {100}});
    if (swapped) p.graph().aliased_result = {1, 0};
    ValueId sum = p.Binary(OpCode::kAdd, x, y);
    p.Return({sum, p.Binary(OpCode::kMultiply, sum, y)});
    auto groups = GroupRegion(p.graph(), 0, {});
    ASSERT_TRUE(groups.ok()) << groups.status().ToString();
    ASSERT_EQ(groups->size(), 1u);
    auto instance = ScheduleGroup(p.graph(), groups->front(), {});
    ASSERT_TRUE(instance.ok()) << instance.status().ToString();
    EXPECT_EQ(instance->plan.buffers[2].may_share, swapped ? 1 : 0);
    EXPECT_EQ(instance->plan.buffers[3].may_share, swapped ? 0 : 1);
    ExpectLikeReference(p.graph(), 1);
  }
}

}  // namespace
}  // namespace treadle::plan

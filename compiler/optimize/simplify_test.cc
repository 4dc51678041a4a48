#include "compiler/optimize/simplify.h"

#include <gtest/gtest.h>

#include <cstring>
#include <memory>
#include <string>

namespace treadle::compiler {
namespace {

using graph::Attributes;
using graph::Graph;
using graph::OpCode;
using graph::ValueId;

const Shape kMatrix{ElementType::kF32, {2, 3}};
const Shape kInts{ElementType::kI32, {4}};
const Shape kIndex{ElementType::kI32, {}};
const Shape kPred{ElementType::kI1, {}};

struct Program {
  Graph graph;
  Program() { graph.AddRegion(); }

  ValueId Argument(const Shape& shape, graph::RegionId region = 0) {
    ValueId value = graph.AddValue(shape, region);
    graph.regions[region].arguments.push_back(value);
    if (region == 0) graph.donated.push_back(false), graph.aliased_result.push_back(-1);
    return value;
  }
  ValueId Op(OpCode code, std::vector<ValueId> operands, const Shape& shape, Attributes attrs = {},
             graph::RegionId region = 0) {
    return graph.ops[graph.AddOp(region, code, std::move(operands), {shape}, std::move(attrs))].results[0];
  }
  template <typename T>
  ValueId Constant(T value, const Shape& shape, graph::RegionId region = 0) {
    Attributes attrs;
    std::string bytes(sizeof value, '\0');
    std::memcpy(bytes.data(), &value, sizeof value);
    attrs.literal = std::make_shared<const std::string>(bytes);
    attrs.splat = true;
    return Op(OpCode::kConstant, {}, shape, attrs, region);
  }
  // Operations left when `result` is all that is asked for.
  std::string Simplified(ValueId result) {
    graph.regions[0].results = {result};
    return Print(Simplify(graph));
  }
};

TEST(SimplifyTest, NeutralElementsGo) {
  Program p;
  ValueId x = p.Argument(kInts);
  ValueId y = p.Op(OpCode::kAdd, {x, p.Constant<int32_t>(0, kInts)}, kInts);
  y = p.Op(OpCode::kMultiply, {p.Constant<int32_t>(1, kInts), y}, kInts);
  EXPECT_EQ(p.Simplified(y), "region 0(%0)\n  return %0\n");
}

TEST(SimplifyTest, ConvolutionsReadKernelsBackwards) {
  Program p;
  const Shape image{ElementType::kF32, {1, 8, 9, 2}}, kernel{ElementType::kF32, {3, 3, 2, 2}};
  ValueId x = p.Argument(image), w = p.Argument(kernel);
  Attributes turn;
  turn.dims = {1};
  Attributes attrs;
  graph::Convolution conv;
  conv.lhs = conv.out = {0, 3, {1, 2}};
  conv.rhs = {2, 3, {0, 1}};
  conv.reversed = {false, false};
  attrs.conv = std::make_shared<const graph::Convolution>(conv);
  attrs.strides = attrs.dilations = {1, 1};
  attrs.low = attrs.high = {1, 1};
  attrs.interior = {0, 0};
  ValueId y = p.Op(OpCode::kConvolution, {x, p.Op(OpCode::kReverse, {w}, kernel, turn)}, image, attrs);
  p.graph.regions[0].results = {y};
  const Graph simple = Simplify(p.graph);
  ASSERT_EQ(simple.regions[0].ops.size(), 1u);
  EXPECT_EQ(simple.ops[simple.regions[0].ops[0]].attrs.conv->reversed, (std::vector<bool>{false, true}));
  // Features cannot be.
  turn.dims = {2};
  y = p.Op(OpCode::kConvolution, {x, p.Op(OpCode::kReverse, {w}, kernel, turn)}, image, attrs);
  p.graph.regions[0].results = {y};
  EXPECT_EQ(Simplify(p.graph).regions[0].ops.size(), 2u);
}

TEST(SimplifyTest, WhatWouldChangeMinusZeroStays) {
  Program p;
  ValueId x = p.Argument(kMatrix);
  ValueId kept = p.Op(OpCode::kAdd, {x, p.Constant(0.0f, kMatrix)}, kMatrix);
  EXPECT_NE(p.Simplified(kept).find("stablehlo.add"), std::string::npos);
  ValueId gone = p.Op(OpCode::kAdd, {x, p.Constant(-0.0f, kMatrix)}, kMatrix);
  EXPECT_EQ(p.Simplified(gone), "region 0(%0)\n  return %0\n");
}

TEST(SimplifyTest, MovesCollapse) {
  Program p;
  ValueId x = p.Argument(kMatrix);
  Attributes swap;
  swap.dims = {1, 0};
  Shape turned{ElementType::kF32, {3, 2}};
  ValueId y = p.Op(OpCode::kTranspose, {p.Op(OpCode::kTranspose, {x}, turned, swap)}, kMatrix, swap);
  y = p.Op(OpCode::kReshape, {p.Op(OpCode::kReshape, {y}, {ElementType::kF32, {6}})}, kMatrix);
  EXPECT_EQ(p.Simplified(y), "region 0(%0)\n  return %0\n");
}

TEST(SimplifyTest, EqualOperationsAreDoneOnce) {
  Program p;
  ValueId x = p.Argument(kMatrix);
  ValueId y = p.Op(OpCode::kAdd, {p.Op(OpCode::kTanh, {x}, kMatrix), p.Op(OpCode::kTanh, {x}, kMatrix)}, kMatrix);
  std::string text = p.Simplified(y);
  EXPECT_EQ(text.find("tanh"), text.rfind("tanh"));
}

TEST(SimplifyTest, SlicesAtConstantPlacesAreClampedAndStatic) {
  Program p;
  ValueId x = p.Argument(kInts);
  Attributes sizes;
  sizes.limits = {2};
  ValueId y = p.Op(OpCode::kDynamicSlice, {x, p.Constant<int32_t>(9, kIndex)}, {ElementType::kI32, {2}}, sizes);
  EXPECT_NE(p.Simplified(y).find("stablehlo.slice %0 starts=[2] limits=[4]"), std::string::npos);
}

TEST(SimplifyTest, UnchangedCarriesAreValuesFromOutside) {
  Program p;
  ValueId x = p.Argument(kMatrix), n = p.Argument(kIndex);
  graph::RegionId cond = p.graph.AddRegion(), body = p.graph.AddRegion();
  for (graph::RegionId region : {cond, body}) p.Argument(kMatrix, region), p.Argument(kIndex, region);
  ValueId i = p.graph.regions[cond].arguments[1];
  p.graph.regions[cond].results = {p.Op(OpCode::kCompare, {i, i}, kPred, {}, cond)};
  ValueId m = p.graph.regions[body].arguments[0], j = p.graph.regions[body].arguments[1];
  p.graph.regions[body].results = {m, p.Op(OpCode::kNegate, {j}, kIndex, {}, body)};
  graph::OpId loop = p.graph.AddOp(0, OpCode::kWhile, {x, n}, {kMatrix, kIndex}, {}, {cond, body});
  p.graph.regions[0].results = p.graph.ops[loop].results;
  Graph simple = Simplify(p.graph);
  EXPECT_EQ(simple.regions[0].results[0], simple.regions[0].arguments[0]);
  EXPECT_EQ(simple.ops.back().operands.size(), 1u);
}

TEST(SimplifyTest, UnneededWorkGoes) {
  Program p;
  ValueId x = p.Argument(kMatrix);
  p.Op(OpCode::kTanh, {x}, kMatrix);
  EXPECT_EQ(p.Simplified(x), "region 0(%0)\n  return %0\n");
}

// A sort of `x` along dimension 1, least first.
ValueId Sort(Program& p, ValueId x) {
  const graph::RegionId region = p.graph.AddRegion();
  const Shape scalar{p.graph.shape(x).type, {}};
  const ValueId a = p.Argument(scalar, region), b = p.Argument(scalar, region);
  p.graph.regions[region].results = {
      p.Op(OpCode::kCompare, {a, b}, kPred, {.direction = graph::Direction::kLt}, region)};
  const Shape shape = p.graph.shape(x);
  return p.graph.ops[p.graph.AddOp(0, OpCode::kSort, {x}, {shape}, {.dims = {1}}, {region})].results[0];
}

TEST(SimplifyTest, SortsGiveWhatIsTaken) {
  Program p;
  const ValueId x = p.Argument({ElementType::kF32, {2, 30}});
  auto piece = [&](ValueId from, int64_t start, int64_t limit) {
    return p.Op(OpCode::kSlice, {from}, {ElementType::kF32, {2, limit - start}},
                {.starts = {0, start}, .limits = {2, limit}, .strides = {1, 1}});
  };
  const ValueId whole = Sort(p, x), some = Sort(p, x), first = Sort(p, x);
  p.graph.regions[0].results = {whole, piece(whole, 0, 3), piece(some, 2, 5), piece(some, 0, 4), piece(first, 0, 7)};
  const Graph simple = Simplify(Simplify(p.graph));
  std::vector<int64_t> lengths;
  for (const graph::Op& op : simple.ops) {
    if (op.code == OpCode::kSort) lengths.push_back(simple.shape(op.results[0]).dims[1]);
  }
  EXPECT_EQ(lengths, (std::vector<int64_t>{30, 5, 7}));
  EXPECT_EQ(simple.ops[simple.values[simple.regions[0].results[4]].def].code, OpCode::kSort);
}

TEST(SimplifyTest, SortsOfSingleElementsGo) {
  Program p;
  const ValueId x = p.Argument({ElementType::kF32, {30, 1}});
  EXPECT_EQ(p.Simplified(Sort(p, x)), "region 0(%0)\n  return %0\n");
}

}  // namespace
}  // namespace treadle::compiler

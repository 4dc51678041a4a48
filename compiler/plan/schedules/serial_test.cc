// Loops as one kernel, run by the interpreter, against the same loops in C++.
#include "compiler/plan/schedules/serial.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <functional>
#include <map>
#include <memory>

#include "compiler/plan/interpret.h"
#include "compiler/plan/print.h"
#include "compiler/plan/schedule.h"
#include "compiler/plan/verify.h"
#include "compiler/plan/work.h"

namespace treadle::plan {
namespace {

using graph::Attributes;
using graph::Direction;
using graph::Graph;
using graph::OpCode;
using graph::RegionId;
using graph::ValueId;
using E = ElementType;

// A program under construction: operations go to `region`.
struct Program {
  Graph graph;
  RegionId region;

  Program() : region(graph.AddRegion()) {}

  const Shape& shape(ValueId value) const { return graph.shape(value); }
  ValueId Argument(Shape shape) {
    ValueId value = graph.AddValue(std::move(shape), region);
    graph.regions[region].arguments.push_back(value);
    return value;
  }
  ValueId Op(OpCode code, std::vector<ValueId> operands, Shape shape, Attributes attrs = {}) {
    return graph.ops[graph.AddOp(region, code, std::move(operands), {std::move(shape)}, std::move(attrs))].results[0];
  }
  ValueId Same(OpCode code, ValueId a, ValueId b) { return Op(code, {a, b}, shape(a)); }
  template <class T>
  ValueId Constant(E type, std::vector<int64_t> dims, std::vector<T> values) {
    Attributes attrs;
    attrs.literal =
        std::make_shared<std::string>(reinterpret_cast<const char*>(values.data()), values.size() * sizeof(T));
    return Op(OpCode::kConstant, {}, {type, std::move(dims)}, std::move(attrs));
  }
  ValueId I32(int32_t value) { return Constant<int32_t>(E::kI32, {}, {value}); }
  ValueId F32(float value) { return Constant<float>(E::kF32, {}, {value}); }
  ValueId Compare(Direction direction, ValueId a, ValueId b) {
    Attributes attrs;
    attrs.direction = direction;
    return Op(OpCode::kCompare, {a, b}, {E::kI1, shape(a).dims}, attrs);
  }
  ValueId Broadcast(ValueId value, std::vector<int64_t> to, std::vector<int64_t> dims = {}) {
    Attributes attrs;
    attrs.dims = std::move(dims);
    return Op(OpCode::kBroadcastInDim, {value}, {shape(value).type, std::move(to)}, attrs);
  }
  ValueId Slice(ValueId value, int64_t from, int64_t to) {
    Attributes attrs;
    attrs.starts = {from}, attrs.limits = {to}, attrs.strides = {1};
    return Op(OpCode::kSlice, {value}, {shape(value).type, {to - from}}, attrs);
  }
  ValueId Concatenate(std::vector<ValueId> values) {
    Attributes attrs;
    attrs.dims = {0};
    int64_t size = 0;
    for (ValueId value : values) size += shape(value).dims[0];
    E type = shape(values[0]).type;
    return Op(OpCode::kConcatenate, std::move(values), {type, {size}}, attrs);
  }
  // A window of a vector.
  ValueId At(ValueId vector, ValueId start, int64_t size) {
    Attributes attrs;
    attrs.limits = {size};
    return Op(OpCode::kDynamicSlice, {vector, start}, {shape(vector).type, {size}}, attrs);
  }
  ValueId Put(ValueId vector, ValueId window, ValueId start) {
    return Op(OpCode::kDynamicUpdateSlice, {vector, window, start}, shape(vector));
  }
  ValueId Reshape(ValueId value, std::vector<int64_t> dims) {
    return Op(OpCode::kReshape, {value}, {shape(value).type, std::move(dims)});
  }

  using Body = std::function<std::vector<ValueId>(const std::vector<ValueId>&)>;
  RegionId Region(const std::vector<ValueId>& like, const Body& body) {
    RegionId outer = region;
    region = graph.AddRegion();
    RegionId inner = region;
    std::vector<ValueId> arguments;
    for (ValueId value : like) arguments.push_back(Argument(shape(value)));
    std::vector<ValueId> results = body(arguments);
    graph.regions[inner].results = std::move(results);
    region = outer;
    return inner;
  }
  std::vector<ValueId> While(std::vector<ValueId> init, const Body& cond, const Body& body) {
    std::vector<Shape> shapes;
    for (ValueId value : init) shapes.push_back(shape(value));
    RegionId first = Region(init, cond), second = Region(init, body);
    return graph.ops[graph.AddOp(region, OpCode::kWhile, init, shapes, {}, {first, second})].results;
  }
};

// Runs the program's last operation as a serial group; the bytes of its outputs, by result.
std::map<ValueId, std::string> RunLoop(Program& program, const std::map<ValueId, std::string>& memory) {
  graph::OpId op = program.graph.regions[0].ops.back();
  EXPECT_TRUE(IsSerial(program.graph, op));
  Group group = SerialGroup(program.graph, op, [](ValueId) { return true; });
  auto instance = ScheduleSerial(program.graph, group, {});
  EXPECT_TRUE(instance.ok()) << instance.status().ToString();
  if (!instance.ok()) return {};
  Status verified = Verify(instance->plan);
  EXPECT_TRUE(verified.ok()) << verified.ToString() << Print(instance->plan);
  std::map<ValueId, std::string> bytes;
  std::vector<void*> buffers;
  for (size_t k = 0; k < group.inputs.size(); ++k) {
    if (std::count(group.starts_from.begin(), group.starts_from.end(), static_cast<int32_t>(k))) continue;
    bytes[group.inputs[k]] = memory.at(group.inputs[k]);
    buffers.push_back(bytes[group.inputs[k]].data());
  }
  for (size_t k = 0; k < group.outputs.size(); ++k) {
    int32_t from = group.starts_from[k];
    std::string& output = bytes[group.outputs[k]];
    output = from >= 0 ? memory.at(group.inputs[from]) : std::string(program.shape(group.outputs[k]).bytes(), '\xcd');
    buffers.push_back(output.data());
  }
  TreadleCallFrame frame = {.buffers = buffers.data(), .args = instance->args.data(), .tile_begin = 0, .tile_end = 1};
  Status status = Interpret(instance->plan, 0, frame);
  EXPECT_TRUE(status.ok()) << status.ToString();
  return bytes;
}

template <class T>
std::string Bytes(const std::vector<T>& values) {
  return std::string(reinterpret_cast<const char*>(values.data()), values.size() * sizeof(T));
}

template <class T>
std::vector<T> Values(const std::string& bytes) {
  std::vector<T> values(bytes.size() / sizeof(T));
  std::memcpy(values.data(), bytes.data(), bytes.size());
  return values;
}

TEST(SerialTest, ScalarCarries) {
  Program p;
  ValueId x = p.Argument({E::kF32, {}}), zero = p.I32(0);
  auto results = p.While(
      {zero, x}, [&](auto& c) { return std::vector{p.Compare(Direction::kLt, c[0], p.I32(1000))}; },
      [&](auto& c) {
        ValueId next = p.Same(OpCode::kAdd, p.Same(OpCode::kMultiply, c[1], p.F32(0.999999f)), p.F32(1e-6f));
        return std::vector{p.Same(OpCode::kAdd, c[0], p.I32(1)), next};
      });
  auto out = RunLoop(p, {{x, Bytes<float>({2.5f})}});
  float want = 2.5f;
  for (int i = 0; i < 1000; ++i) want = want * 0.999999f + 1e-6f;
  EXPECT_EQ(Values<float>(out[results[1]]), std::vector{want});
  EXPECT_EQ(Values<int32_t>(out[results[0]]), std::vector{1000});
  // Grouping finds it, and asks for the results that are needed only.
  p.graph.regions[0].results = {results[1]};
  auto groups = GroupRegion(p.graph, 0, {});
  ASSERT_TRUE(groups.ok()) << groups.status().ToString();
  ASSERT_EQ(groups->size(), 1u);
  EXPECT_EQ((*groups)[0].kind, GroupKind::kPlan);
  EXPECT_EQ((*groups)[0].outputs, std::vector{results[1]});
  auto instance = ScheduleGroup(p.graph, (*groups)[0], {});
  ASSERT_TRUE(instance.ok());
  // The trips are counted: a thousand of some six operations.
  EXPECT_GT(instance->costs[0].ns, 1000);
  EXPECT_LT(instance->costs[0].ns, 10'000);
  EXPECT_FALSE(MayRunForever(instance->plan));
}

TEST(SerialTest, SmallArraysAreScalars) {
  Program p;
  ValueId s0 = p.Argument({E::kF32, {3}}), matrix = p.Argument({E::kF32, {3, 3}});
  auto results = p.While(
      {p.I32(0), s0}, [&](auto& c) { return std::vector{p.Compare(Direction::kLt, c[0], p.I32(7))}; },
      [&](auto& c) {
        Attributes dot;
        dot.dot = {.lhs_contracting = {1}, .rhs_contracting = {0}};
        ValueId product = p.Op(OpCode::kDotGeneral, {matrix, c[1]}, {E::kF32, {3}}, dot);
        // The sum of its elements takes part, and its elements rotate.
        Attributes reduce;
        reduce.dims = {0};
        RegionId add =
            p.Region({p.F32(0), p.F32(0)}, [&](auto& a) { return std::vector{p.Same(OpCode::kAdd, a[0], a[1])}; });
        ValueId sum =
            p.graph.ops[p.graph.AddOp(p.region, OpCode::kReduce, {product, p.F32(0)}, {{E::kF32, {}}}, reduce, {add})]
                .results[0];
        ValueId rotated = p.Concatenate({p.Slice(product, 1, 3), p.Slice(product, 0, 1)});
        return std::vector{p.Same(OpCode::kAdd, c[0], p.I32(1)), p.Same(OpCode::kAdd, rotated, p.Broadcast(sum, {3}))};
      });
  std::vector<float> s{1, 2, 3}, m{.1f, .2f, .3f, -.1f, .25f, .5f, .7f, -.2f, .1f};
  auto out = RunLoop(p, {{s0, Bytes(s)}, {matrix, Bytes(m)}});
  for (int t = 0; t < 7; ++t) {
    float v[3];
    for (int i = 0; i < 3; ++i) {
      v[i] = 0;
      for (int k = 0; k < 3; ++k) v[i] = std::fma(m[3 * i + k], s[k], v[i]);
    }
    float sum = ((0.0f + v[0]) + v[1]) + v[2];
    s = {v[1] + sum, v[2] + sum, v[0] + sum};
  }
  EXPECT_EQ(Values<float>(out[results[1]]), s);
}

// As JAX writes scan: inputs read and results written at the counter.
TEST(SerialTest, ScanReadsAndWritesInPlace) {
  Program p;
  constexpr int64_t kLength = 100;
  ValueId xs = p.Argument({E::kF32, {kLength}}), ys = p.Argument({E::kF32, {kLength, 2}}),
          first = p.Argument({E::kF32, {}});
  auto results = p.While(
      {p.I32(0), first, ys, xs}, [&](auto& c) { return std::vector{p.Compare(Direction::kLt, c[0], p.I32(kLength))}; },
      [&](auto& c) {
        ValueId x = p.Reshape(p.At(c[3], c[0], 1), {});
        ValueId sum = p.Same(OpCode::kAdd, c[1], x);
        ValueId row = p.Reshape(p.Concatenate({p.Reshape(sum, {1}), p.Reshape(x, {1})}), {1, 2});
        ValueId written = p.Op(OpCode::kDynamicUpdateSlice, {c[2], row, c[0], p.I32(0)}, p.shape(ys));
        return std::vector{p.Same(OpCode::kAdd, c[0], p.I32(1)), sum, written, c[3]};
      });
  std::vector<float> in, want;
  float sum = 0.5f;
  for (int i = 0; i < kLength; ++i) {
    in.push_back(0.37f * i);
    sum += in.back();
    want.insert(want.end(), {sum, in.back()});
  }
  // Unlike RunLoop, as the grouper does: the scan's inputs are not results.
  graph::OpId op = p.graph.regions[0].ops.back();
  ASSERT_TRUE(IsSerial(p.graph, op));
  Group group = SerialGroup(p.graph, op, [&](ValueId value) { return value == results[2]; });
  EXPECT_EQ(group.outputs, std::vector{results[2]});
  auto instance = ScheduleSerial(p.graph, group, {});
  ASSERT_TRUE(instance.ok());
  std::vector<float> out(2 * kLength, -1), start{0.5f};
  std::map<ValueId, void*> memory{{xs, in.data()}, {first, start.data()}};
  std::vector<void*> buffers;
  for (ValueId input : group.inputs) {
    if (input != ys) buffers.push_back(memory.at(input));
  }
  buffers.push_back(out.data());
  TreadleCallFrame frame = {.buffers = buffers.data(), .args = instance->args.data(), .tile_begin = 0, .tile_end = 1};
  ASSERT_TRUE(Interpret(instance->plan, 0, frame).ok());
  EXPECT_EQ(out, want);
}

TEST(SerialTest, NestedLoopsBranchesAndDynamicIndices) {
  Program p;
  ValueId table = p.Argument({E::kI32, {5}}), n = p.Argument({E::kI32, {}});
  auto results = p.While(
      {p.I32(0), table}, [&](auto& c) { return std::vector{p.Compare(Direction::kLt, c[0], n)}; },
      [&](auto& c) {
        // The innermost loop counts down from the counter; the branch picks what is put where (clamped).
        auto inner = p.While(
            {c[0], p.I32(1)}, [&](auto& d) { return std::vector{p.Compare(Direction::kGt, d[0], p.I32(0))}; },
            [&](auto& d) {
              return std::vector{p.Same(OpCode::kSubtract, d[0], p.I32(1)), p.Same(OpCode::kAdd, d[1], d[0])};
            });
        ValueId odd = p.Compare(Direction::kEq, p.Same(OpCode::kAnd, c[0], p.I32(1)), p.I32(1));
        RegionId yes = p.Region({}, [&](auto&) { return std::vector{inner[1]}; });
        RegionId no = p.Region({}, [&](auto&) { return std::vector{p.Reshape(p.At(c[1], inner[1], 1), {})}; });
        ValueId picked =
            p.graph.ops[p.graph.AddOp(p.region, OpCode::kIf, {odd}, {{E::kI32, {}}}, {}, {yes, no})].results[0];
        return std::vector{p.Same(OpCode::kAdd, c[0], p.I32(1)), p.Put(c[1], p.Reshape(picked, {1}), c[0])};
      });
  std::vector<int32_t> want{7, 8, 9, 10, 11};
  auto out = RunLoop(p, {{table, Bytes(want)}, {n, Bytes<int32_t>({8})}});
  for (int i = 0; i < 8; ++i) {
    int sum = 1;
    for (int d = i; d > 0; --d) sum += d;
    want[std::min(i, 4)] = i % 2 ? sum : want[std::min(sum, 4)];
  }
  EXPECT_EQ(Values<int32_t>(out[results[1]]), want);
}

TEST(SerialTest, CarriesSwap) {
  Program p;
  ValueId a = p.Argument({E::kI64, {}}), b = p.Argument({E::kI64, {}});
  auto results = p.While(
      {a, b, p.I32(0)}, [&](auto& c) { return std::vector{p.Compare(Direction::kLt, c[2], p.I32(3))}; },
      [&](auto& c) { return std::vector{c[1], c[0], p.Same(OpCode::kAdd, c[2], p.I32(1))}; });
  auto out = RunLoop(p, {{a, Bytes<int64_t>({5})}, {b, Bytes<int64_t>({6})}});
  EXPECT_EQ(Values<int64_t>(out[results[0]]), std::vector<int64_t>{6});
  EXPECT_EQ(Values<int64_t>(out[results[1]]), std::vector<int64_t>{5});
}

TEST(SerialTest, CaseTakesTheLastBranchForOthers) {
  for (int32_t selector : {-1, 0, 1, 2, 3}) {
    Program p;
    ValueId which = p.Argument({E::kI32, {}});
    std::vector<RegionId> branches;
    for (int k = 0; k < 3; ++k) branches.push_back(p.Region({}, [&](auto&) { return std::vector{p.I32(10 * k)}; }));
    ValueId result = p.graph.ops[p.graph.AddOp(0, OpCode::kCase, {which}, {{E::kI32, {}}}, {}, branches)].results[0];
    auto out = RunLoop(p, {{which, Bytes<int32_t>({selector})}});
    EXPECT_EQ(Values<int32_t>(out[result]), std::vector{selector == 0 ? 0 : selector == 1 ? 10 : 20});
  }
}

TEST(SerialTest, LargeArraysAreNotComputedWith) {
  Program p;
  ValueId x = p.Argument({E::kF32, {1000}});
  p.While(
      {p.I32(0), x}, [&](auto& c) { return std::vector{p.Compare(Direction::kLt, c[0], p.I32(3))}; },
      [&](auto& c) { return std::vector{p.Same(OpCode::kAdd, c[0], p.I32(1)), p.Same(OpCode::kAdd, c[1], c[1])}; });
  EXPECT_FALSE(IsSerial(p.graph, p.graph.regions[0].ops.back()));
}

// The old contents are needed after the write: another place would be necessary.
TEST(SerialTest, ReadsOfOldContentsAreRefused) {
  Program p;
  ValueId x = p.Argument({E::kF32, {100}});
  p.While(
      {p.I32(0), x}, [&](auto& c) { return std::vector{p.Compare(Direction::kLt, c[0], p.I32(50))}; },
      [&](auto& c) {
        ValueId next = p.Same(OpCode::kAdd, c[0], p.I32(1));
        ValueId written = p.Put(c[1], p.Reshape(p.F32(1), {1}), next);
        ValueId old = p.At(c[1], next, 1);
        return std::vector{next, p.Put(written, old, c[0])};
      });
  EXPECT_FALSE(IsSerial(p.graph, p.graph.regions[0].ops.back()));
}

// Bodies of thousands of operations on scalars are one kernel (the emitter cuts it); those of arrays are not.
TEST(SerialTest, LongBodies) {
  for (int64_t elements : {1, 9, 64}) {
    Program p;
    const Shape shape{E::kI32, elements == 1 ? std::vector<int64_t>{} : std::vector<int64_t>{elements}};
    ValueId x = p.Argument(shape), y = p.Argument(shape);
    std::vector<int32_t> want{7, -3};
    auto results = p.While(
        {p.I32(0), x, y}, [&](auto& c) { return std::vector{p.Compare(Direction::kLt, c[0], p.I32(3))}; },
        [&](auto& c) {
          ValueId a = c[1], b = c[2];
          for (int k = 0; k < 6000; ++k) {
            a = p.Same(k % 3 == 0 ? OpCode::kAdd : k % 3 == 1 ? OpCode::kXor : OpCode::kMultiply, b, a);
            std::swap(a, b);
          }
          return std::vector{p.Same(OpCode::kAdd, c[0], p.I32(1)), a, b};
        });
    if (elements > 1) {
      EXPECT_FALSE(IsSerial(p.graph, p.graph.regions[0].ops.back())) << elements;
      continue;
    }
    auto out = RunLoop(p, {{x, Bytes<int32_t>({want[0]})}, {y, Bytes<int32_t>({want[1]})}});
    for (int i = 0; i < 3; ++i) {
      uint32_t a = want[0], b = want[1];
      for (int k = 0; k < 6000; ++k) {
        a = k % 3 == 0 ? b + a : k % 3 == 1 ? b ^ a : b * a;
        std::swap(a, b);
      }
      want = {static_cast<int32_t>(a), static_cast<int32_t>(b)};
    }
    EXPECT_EQ(Values<int32_t>(out[results[1]]), std::vector{want[0]});
    EXPECT_EQ(Values<int32_t>(out[results[2]]), std::vector{want[1]});
  }
}

// Long bodies with very many carries are not.
TEST(SerialTest, LongBodiesWithManyCarries) {
  for (auto [carries, serial] : {std::pair(511, true), {512, false}}) {
    Program p;
    std::vector<ValueId> init{p.I32(0)};
    for (int k = 0; k < carries; ++k) init.push_back(p.Argument({E::kF32, {}}));
    p.While(
        init, [&](auto& c) { return std::vector{p.Compare(Direction::kLt, c[0], p.I32(3))}; },
        [&](auto& c) {
          std::vector<ValueId> next = c;
          for (size_t k = 0; k < 6000; ++k) {
            ValueId& to = next[1 + k % (c.size() - 1)];
            to = p.Same(OpCode::kAdd, to, next[1 + (7 * k + 1) % (c.size() - 1)]);
          }
          next[0] = p.Same(OpCode::kAdd, c[0], p.I32(1));
          return next;
        });
    EXPECT_EQ(IsSerial(p.graph, p.graph.regions[0].ops.back()), serial) << carries;
  }
}

}  // namespace
}  // namespace treadle::plan

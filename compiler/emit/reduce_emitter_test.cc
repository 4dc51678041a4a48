// Trees of reductions at lengths around slots, vectors and leaves, with few and many carries, against the interpreter.
#include <bit>
#include <cstring>
#include <vector>

#include "compiler/emit/emit.h"
#include "compiler/emit/testing/object_loader.h"
#include "compiler/plan/builder.h"
#include "compiler/plan/evaluate.h"
#include "compiler/plan/identity.h"
#include "compiler/plan/interpret.h"
#include "gtest/gtest.h"

namespace treadle::emit {
namespace {

using plan::Id;
using plan::LoopKind;
using plan::Op;
using plan::Role;
using plan::Tree;

// `carries` reductions at once of x[i], x[i] + 1, ..., by `op`; kSub stands for a combiner that is no known one:
// a - b where a > b, else a + b.
plan::Plan MakeReduction(ElementType type, LoopKind kind, Tree tree, int carries, Op op) {
  plan::Builder b("reduce");
  int n = b.AddPush(ElementType::kI64);
  uint16_t x = b.AddBuffer(type, Role::kIn), y = b.AddBuffer(type, Role::kOut);
  b.BeginPhase();
  std::vector<Id> init(carries, b.Const(type, 0)), values, sums;
  Id one = b.Convert(type, b.Const(ElementType::kI32, 1));
  Id i = b.BeginReduce(kind, tree, b.ConstI64(0), b.Push(n), init, 4);
  values.push_back(b.Load({x, {}, {{i, {-1, 1}}}}));
  while (static_cast<int>(values.size()) < carries) values.push_back(b.Add(values.back(), one));
  b.Yield(values);
  b.BeginCombine();
  for (int k = 0; k < carries; ++k) {
    Id a = b.Carry(k), c = b.NewValue(k);
    sums.push_back(op == Op::kSub ? b.Select(b.Compare(plan::Predicate::kGt, a, c), b.Sub(a, c), b.Add(a, c))
                                  : b.Binary(op, a, c));
  }
  b.Yield(sums);
  std::vector<Id> results = b.EndLoop();
  for (int k = 0; k < carries; ++k) b.Store({y, {-1, k}, {}}, results[k]);
  b.EndPhase();
  return b.Finish();
}

struct Case {
  ElementType type;
  LoopKind kind;
  Tree tree;
  int carries;
  Op op;
  Tier tier = Tier::kFull;
};

void Check(const Case& c, const executable::Target& target, const std::vector<int64_t>& lengths) {
  SCOPED_TRACE(target.Key() + " " + std::string(ElementTypeName(c.type)) + " " + std::to_string(c.carries) +
               " carries of " + std::string(plan::OpText(c.op)));
  plan::Plan plan = MakeReduction(c.type, c.kind, c.tree, c.carries, c.op);
  const plan::Plan* plans[] = {&plan};
  StatusOr<std::string> object = EmitPlans(plans, {.target = target, .tier = c.tier, .verify = true});
  ASSERT_TRUE(object.ok()) << object.status().ToString();
  ObjectLoader loader;
  ASSERT_TRUE(loader.Add(*object).ok());
  StatusOr<TreadleKernel> kernel = loader.Find(plan::KernelSymbol(plan, target, 0));
  ASSERT_TRUE(kernel.ok()) << kernel.status().ToString();
  int64_t bytes = ElementBytes(c.type);
  for (int64_t n : lengths) {
    std::vector<uint8_t> x(n * bytes + 1), expected(c.carries * bytes), actual(c.carries * bytes);
    for (int64_t i = 0; i < n; ++i) {
      float value = static_cast<float>((i * 7919 + 13) % 4093) / 64.0f - 30.0f;
      uint64_t args[] = {std::bit_cast<uint32_t>(value)};
      uint64_t element = plan::Evaluate(Op::kConvert, c.type, ElementType::kF32, args, 0);
      std::memcpy(x.data() + i * bytes, &element, bytes);
    }
    uint64_t push[] = {static_cast<uint64_t>(n)};
    void* buffers[] = {x.data(), expected.data()};
    TreadleCallFrame frame = {buffers, push, nullptr, nullptr, nullptr, 0, 1};
    ASSERT_TRUE(plan::Interpret(plan, 0, frame).ok());
    buffers[1] = actual.data();
    plan::FlushDenormals flush;
    ASSERT_EQ((*kernel)(&frame), 0);
    ASSERT_EQ(expected, actual) << "n " << n;
  }
}

TEST(ReduceEmitterTest, LengthsAroundSlotsAndLeaves) {
  for (const executable::Target& target : HostTargets()) {
    for (Op op : {Op::kAdd, Op::kMax, Op::kSub}) {
      for (Tree tree : {Tree::kLanes, Tree::kInOrder}) {
        Check({ElementType::kF32, LoopKind::kLanes, tree, 1, op}, target,
              {0, 1, 2, 3, 15, 16, 17, 63, 64, 65, 127, 1000, 8191, 8192, 8193, 24579, 40961});
      }
      Check({ElementType::kF32, LoopKind::kFor, Tree::kPairwise, 1, op}, target, {0, 1, 2, 3, 7, 100, 1023});
      Check({ElementType::kF32, LoopKind::kLanes, Tree::kLanes, 1, op, Tier::kQuick}, target,
            {0, 1, 63, 64, 200, 8193});
    }
  }
}

TEST(ReduceEmitterTest, TypesOfEveryWidth) {
  for (const executable::Target& target : HostTargets()) {
    for (ElementType type : {ElementType::kI8, ElementType::kU16, ElementType::kBF16, ElementType::kF16,
                             ElementType::kI32, ElementType::kF64}) {
      for (Op op : {Op::kAdd, Op::kSub}) {
        Check({type, LoopKind::kLanes, Tree::kLanes, 1, op}, target, {0, 1, 31, 200, 511, 8200});
      }
    }
  }
}

// Down to one slot, which is one lane; beyond 256 bytes there still is one.
TEST(ReduceEmitterTest, ManyCarries) {
  for (const executable::Target& target : HostTargets()) {
    for (int carries : {2, 3, 9, 17, 33, 40}) {
      for (Op op : {Op::kAdd, Op::kSub}) {
        for (Tree tree : {Tree::kLanes, Tree::kInOrder}) {
          Check({ElementType::kF32, LoopKind::kLanes, tree, carries, op}, target, {0, 1, 5, 100});
        }
        Check({ElementType::kF64, LoopKind::kLanes, Tree::kLanes, carries, op}, target, {0, 1, 5, 100});
      }
    }
  }
}

}  // namespace
}  // namespace treadle::emit

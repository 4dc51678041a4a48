// The association of each tree, written out by hand; loops, accesses and errors of the interpreter.
#include "compiler/plan/interpret.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <vector>

#include "compiler/plan/parse.h"

namespace treadle::plan {
namespace {

// Not commutative, not associative: the result tells the tree.
int64_t C(int64_t a, int64_t b) { return 3 * a - 2 * b; }

constexpr char kCombine[] = R"( (7) {
    %3 = load i64 @0[%2]
    yield %3
  } combine %4 %5 {
    %6 = mul i64 %4 3
    %7 = mul i64 %5 2
    %8 = sub i64 %6 %7
    yield %8
  }
  store @1[0] %1
}
)";

// The tree over x, from the first value 7.
int64_t Reduce(std::string loop, std::vector<int64_t> x) {
  StatusOr<Plan> plan = Parse("push i64\nbuffer in i64\nbuffer out i64\nphase %0 {\n  %1 = " + loop + kCombine);
  EXPECT_TRUE(plan.ok()) << plan.status().ToString();
  if (!plan.ok()) return 0;
  int64_t out = 0;
  void* buffers[] = {x.data(), &out};
  uint64_t args[] = {x.size()};
  TreadleCallFrame frame = {.buffers = buffers, .args = args, .tile_begin = 0, .tile_end = 1};
  EXPECT_TRUE(Interpret(*plan, 0, frame).ok());
  return out;
}

std::vector<int64_t> Numbers(int64_t n) {
  std::vector<int64_t> x;
  for (int64_t i = 0; i < n; ++i) x.push_back(10 + i * i % 23);
  return x;
}

TEST(TreeTest, Pairwise) {
  const std::string loop = "for %2 in 0..$0 tree pairwise";
  std::vector<int64_t> x = Numbers(7);
  EXPECT_EQ(Reduce(loop, {}), 7);
  EXPECT_EQ(Reduce(loop, {x[0]}), C(7, x[0]));
  EXPECT_EQ(Reduce(loop, {x[0], x[1], x[2]}), C(7, C(C(x[0], x[1]), x[2])));
  // Complete subtrees of 4, 2 and 1: from the smallest to the largest.
  EXPECT_EQ(Reduce(loop, x), C(7, C(C(C(x[0], x[1]), C(x[2], x[3])), C(C(x[4], x[5]), x[6]))));
}

TEST(TreeTest, InOrder) {
  const std::string loop = "lanes %2 in 0..$0 tree inorder";
  std::vector<int64_t> x = Numbers(5);
  EXPECT_EQ(Reduce(loop, {}), 7);
  // At each level an odd last one moves up.
  EXPECT_EQ(Reduce(loop, x), C(7, C(C(C(x[0], x[1]), C(x[2], x[3])), x[4])));
}

TEST(TreeTest, LanesHas32SlotsOfEightBytes) {
  const std::string loop = "lanes %2 in 0..$0 u4 tree lanes";
  EXPECT_EQ(Reduce(loop, {}), 7);
  std::vector<int64_t> x = Numbers(3);
  EXPECT_EQ(Reduce(loop, x), C(7, C(C(x[0], x[2]), x[1])));
  x = Numbers(34);
  std::vector<int64_t> slot(x.begin(), x.begin() + 32);
  slot[0] = C(x[0], x[32]);
  slot[1] = C(x[1], x[33]);
  for (int half : {16, 8, 4, 2, 1}) {
    for (int s = 0; s < half; ++s) slot[s] = C(slot[s], slot[s + half]);
  }
  EXPECT_EQ(Reduce(loop, x), C(7, slot[0]));
}

TEST(TreeTest, LeavesOfALongReductionAreFoldedPairwise) {
  const std::string loop = "lanes %2 in 0..$0 tree lanes";
  // Leaves 0 and 1 have a value in slot 0 alone that is not zero; so has the third.
  std::vector<int64_t> x(2 * kLeafElements + 1, 0);
  x[0] = 1, x[kLeafElements] = 5, x[2 * kLeafElements] = 9;
  auto leaf = [](int64_t first) {  // each slot: 256 values in order, all but the very first zero
    uint64_t slot = static_cast<uint64_t>(first);
    for (int i = 0; i < 255; ++i) slot *= 3;
    for (int level = 0; level < 5; ++level) slot *= 3;
    return static_cast<int64_t>(slot);
  };
  auto wrapped = [](int64_t a, int64_t b) {
    return static_cast<int64_t>(3 * static_cast<uint64_t>(a) - 2 * static_cast<uint64_t>(b));
  };
  EXPECT_EQ(Reduce(loop, x), wrapped(7, wrapped(wrapped(leaf(1), leaf(5)), 9)));
}

Status RunText(const std::string& text, std::vector<int64_t>& out, int64_t local_words = 0) {
  StatusOr<Plan> plan = Parse(text);
  if (!plan.ok()) return plan.status();
  void* buffers[] = {out.data()};
  std::vector<uint64_t> local(local_words + 8);
  TreadleCallFrame frame = {.buffers = buffers, .local = local.data(), .tile_begin = 0, .tile_end = 2};
  return Interpret(*plan, 0, frame);
}

TEST(InterpretTest, LoopsBranchesAndMoves) {
  std::vector<int64_t> out(12, -1);
  Status status = RunText(R"(buffer out i64
buffer local i64 6
phase %0 {
  for %1 in 0..6 step 4 {
    %2 = mul i64 %1 10
    %3 = add i64 %2 %0
    store @1[%1] %3
  }
  %4 = cmp.eq i1 %0 0
  %5 = if %4 (i64) {
    yield 100
  } else {
    %6 %7 = while (1 3) cond %8 %9 {
      %10 = cmp.gt i1 %9 0
      yield %10
    } do %11 %12 {
      %13 = mul i64 %11 2
      %14 = sub i64 %12 1
      yield %13 %14
    }
    yield %6
  }
  move @1[0] by 4 1 to @0[%0*6] by 1 3 extent 2 1
  store @0[5 + %0*6] %5
}
)",
                          out, 6);
  ASSERT_TRUE(status.ok()) << status.ToString();
  EXPECT_EQ(out, (std::vector<int64_t>{0, 40, -1, -1, -1, 100, 1, 41, -1, -1, -1, 8}));
}

TEST(InterpretTest, AccessOutsideOfALocalIsAnError) {
  std::vector<int64_t> out(2);
  Status status = RunText("buffer out i64\nbuffer local i64 4\nphase %0 {\n  store @1[4 + %0] 1\n}\n", out, 4);
  EXPECT_EQ(status.code(), StatusCode::kOutOfRange) << status.ToString();
}

TEST(InterpretTest, UnknownKernelIsAnError) {
  std::vector<int64_t> out(2);
  Status status = RunText("buffer out i64\nphase %0 {\n  call \"nothing\" @0[0] %0\n}\n", out);
  EXPECT_EQ(status.code(), StatusCode::kNotFound) << status.ToString();
}

// What the verifier is for.
TEST(VerifyTest, RefusesWhatTheEmitterCannotDo) {
  const char* const kBad[] = {
      "buffer in f32\nphase %0 {\n  store @0[0] f32#0\n}\n",  // writes to an input
      "buffer out f32\nphase %0 {\n  lanes %1 in 0..4 {\n    lanes %2 in 0..4 {\n    }\n  }\n}\n",  // nested lanes
      "buffer out i64\nphase %0 {\n  lanes %1 in 0..4 {\n    store @0[0] %1\n  }\n}\n",             // one place
      "buffer out i64\nphase %0 {\n  lanes %1 in 0..4 {\n    for %2 in 0..%1 {\n    }\n  }\n}\n",   // trips differ
      "buffer inout f32\nphase %0 {\n  %1 = load f32 @0[0]\n  %2 = and f32 %1 f32#1\n  store @0[0] %2\n}\n",
      "buffer out i64\nphase %0 {\n  for %1 in 0..4 {\n    %2 = add i64 %1 %0\n  }\n  store @0[0] %2\n}\n",  // scope
  };
  for (const char* text : kBad) EXPECT_FALSE(Parse(text).ok()) << text;
}

}  // namespace
}  // namespace treadle::plan

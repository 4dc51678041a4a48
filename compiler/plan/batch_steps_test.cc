#include "compiler/plan/batch_steps.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <vector>

namespace treadle::plan {
namespace {

using executable::CopyStep;
using executable::Executable;
using executable::Home;
using executable::KernelStep;
using executable::Step;
using executable::ValueId;
using executable::WhileStep;

// Values 0 to 9 are parameters, 10 to 19 results, 20 to 29 in the arena, 100 bytes each.
Executable Empty() {
  Executable exe;
  for (int k = 0; k < 10; ++k) exe.values.push_back({Home::kParameter, k, 0, 100});
  for (int k = 0; k < 10; ++k) exe.values.push_back({Home::kResult, k, 0, 100});
  for (int k = 0; k < 10; ++k) exe.values.push_back({Home::kArena, 0, k * 128, 100});
  exe.parameters.resize(10);
  exe.results.resize(10);
  exe.sequences.resize(1);
  return exe;
}

Step Kernel(int32_t kernel, ValueId from, ValueId to, int64_t tiles = 3, int64_t cost_ns = 5) {
  KernelStep step;
  step.frames = {{.kernel = kernel, .buffers = {{from, 0}, {to, 0}}, .tiles = tiles, .cost_ns = cost_ns}};
  return {step, "kernel", {from}, {to}};
}

Step Narrow(int32_t kernel, ValueId from, ValueId to) { return Kernel(kernel, from, to, 1, 50'000); }
Step Wide(int32_t kernel, ValueId from, ValueId to) { return Kernel(kernel, from, to, 100, 80'000); }

// For each step that is left: the value that each of its frames writes.
std::vector<std::vector<ValueId>> Batched(Executable exe, std::vector<Step> steps) {
  exe.sequences[0].steps = std::move(steps);
  BatchSteps(exe);
  std::vector<std::vector<ValueId>> written;
  for (const Step& step : exe.sequences[0].steps) {
    written.emplace_back();
    const auto* kernel = std::get_if<KernelStep>(&step.what);
    if (kernel == nullptr) continue;
    for (const executable::Frame& frame : kernel->frames) written.back().push_back(frame.buffers[1].value);
  }
  return written;
}

using Written = std::vector<std::vector<ValueId>>;

TEST(BatchSteps, IndependentStepsOfAKernelAreOne) {
  EXPECT_EQ(Batched(Empty(), {Kernel(0, 0, 10), Kernel(0, 1, 11), Kernel(0, 0, 20)}), (Written{{10, 11, 20}}));
  EXPECT_EQ(Batched(Empty(), {Kernel(0, 0, 10), Kernel(1, 1, 11), Kernel(0, 2, 12), Kernel(1, 3, 13)}),
            (Written{{10, 12}, {11, 13}}));
  Executable exe = Empty();
  exe.sequences[0].steps = {Kernel(0, 0, 10), Kernel(0, 1, 11)};
  std::get<KernelStep>(exe.sequences[0].steps[1].what).local_bytes = 77;
  BatchSteps(exe);
  const auto& step = std::get<KernelStep>(exe.sequences[0].steps[0].what);
  EXPECT_EQ(step.local_bytes, 77);
  EXPECT_EQ(step.cost_ns(), 10);
  EXPECT_EQ(exe.sequences[0].steps[0].reads, (std::vector<ValueId>{0, 1}));
  EXPECT_EQ(exe.sequences[0].steps[0].writes, (std::vector<ValueId>{10, 11}));
}

TEST(BatchSteps, StepsThatWaitStayApart) {
  // One reads what the other writes, writes what it reads, writes what it writes.
  EXPECT_EQ(Batched(Empty(), {Kernel(0, 0, 20), Kernel(0, 20, 10)}), (Written{{20}, {10}}));
  EXPECT_EQ(Batched(Empty(), {Kernel(0, 20, 10), Kernel(0, 0, 20)}), (Written{{10}, {20}}));
  EXPECT_EQ(Batched(Empty(), {Kernel(0, 0, 20), Kernel(0, 1, 20)}), (Written{{20}, {20}}));
  // Through a step between.
  EXPECT_EQ(Batched(Empty(), {Kernel(0, 0, 20), Kernel(1, 1, 21), Kernel(0, 21, 10)}), (Written{{20}, {21}, {10}}));
  EXPECT_EQ(Batched(Empty(), {Kernel(0, 0, 20), Kernel(1, 21, 10), Kernel(0, 2, 21)}), (Written{{20}, {10}, {21}}));
  // The later of two frames waits for the earlier.
  EXPECT_EQ(Batched(Empty(), {Kernel(0, 0, 20), Kernel(0, 1, 21), Kernel(0, 21, 22)}), (Written{{20, 21}, {22}}));
}

TEST(BatchSteps, SharedMemoryUnderOtherNames) {
  Executable exe = Empty();
  exe.values[21].offset = exe.values[20].offset + 64;  // overlap
  EXPECT_EQ(Batched(exe, {Kernel(0, 0, 20), Kernel(0, 1, 21)}), (Written{{20}, {21}}));
  exe.results[1].donor = 0;  // the second writes into what the first reads
  EXPECT_EQ(Batched(exe, {Kernel(0, 0, 10), Kernel(0, 1, 11)}), (Written{{10}, {11}}));
  EXPECT_EQ(Batched(exe, {Kernel(0, 2, 11), Kernel(0, 0, 10)}), (Written{{11}, {10}}));
  EXPECT_EQ(Batched(exe, {Kernel(0, 2, 11), Kernel(0, 3, 10)}), (Written{{11, 10}}));
}

TEST(BatchSteps, ScratchCopiesAndControlFlow) {
  Step scratch = Kernel(0, 1, 11);
  std::get<KernelStep>(scratch.what).frames[0].scratch = 25;
  scratch.writes.push_back(25);
  Step same_scratch = scratch;
  std::get<KernelStep>(same_scratch.what).frames[0].buffers[1].value = same_scratch.writes[0] = 12;
  EXPECT_EQ(Batched(Empty(), {scratch, same_scratch}), (Written{{11}, {12}}));
  Step other_scratch = same_scratch;
  std::get<KernelStep>(other_scratch.what).frames[0].scratch = other_scratch.writes[1] = 26;
  EXPECT_EQ(Batched(Empty(), {scratch, other_scratch}), (Written{{11, 12}}));
  EXPECT_EQ(Batched(Empty(), {Kernel(0, 0, 10), scratch}), (Written{{10, 11}}));
  Step copy{CopyStep{{2, 0}, {12, 0}, 100}, "copy", {2}, {12}};
  EXPECT_EQ(Batched(Empty(), {Kernel(0, 0, 10), copy, Kernel(0, 1, 11)}), (Written{{10, 11}, {}}));
  EXPECT_EQ(Batched(Empty(), {Kernel(0, 0, 10), copy, Kernel(0, 12, 11)}), (Written{{10}, {}, {11}}));
  Step loop{WhileStep{}, "while", {}, {}};
  EXPECT_EQ(Batched(Empty(), {Kernel(0, 0, 10), loop, Kernel(0, 1, 11)}), (Written{{10}, {}, {11}}));
}

TEST(BatchSteps, NarrowOnesOfOtherKernelsRunBeside) {
  EXPECT_EQ(Batched(Empty(), {Narrow(0, 0, 10), Narrow(1, 1, 11)}), (Written{{10, 11}}));
  EXPECT_EQ(Batched(Empty(), {Narrow(0, 0, 10), Wide(1, 1, 11)}), (Written{{10, 11}}));
  // The dearest tiles come first.
  EXPECT_EQ(Batched(Empty(), {Wide(0, 0, 10), Wide(1, 1, 11), Narrow(2, 2, 12)}), (Written{{12, 10}, {11}}));
  // Nothing is gained where both fill the threads, or nothing takes long.
  EXPECT_EQ(Batched(Empty(), {Wide(0, 0, 10), Wide(1, 1, 11)}), (Written{{10}, {11}}));
  EXPECT_EQ(Batched(Empty(), {Kernel(0, 0, 10), Kernel(1, 1, 11)}), (Written{{10}, {11}}));
  // What others wait for goes first.
  EXPECT_EQ(Batched(Empty(), {Narrow(0, 0, 10), Kernel(1, 1, 20), Narrow(2, 20, 11)}), (Written{{20}, {10, 11}}));
  EXPECT_EQ(Batched(Empty(), {Narrow(0, 0, 20), Kernel(1, 20, 21), Narrow(2, 21, 11)}), (Written{{20}, {21}, {11}}));
  // Two chains side by side.
  EXPECT_EQ(Batched(Empty(), {Narrow(0, 0, 20), Narrow(1, 20, 10), Narrow(2, 1, 21), Narrow(3, 21, 11)}),
            (Written{{20, 21}, {10, 11}}));
  EXPECT_EQ(Batched(Empty(), {Narrow(0, 0, 20), Narrow(1, 20, 10)}), (Written{{20}, {10}}));
}

// What a step with frames leaves in memory, cell by cell, where its frames run in order or the other way round.
class Memory {
 public:
  explicit Memory(const Executable& exe) : exe_(exe), cells_(exe.values.size() * 100) {
    for (size_t i = 0; i < cells_.size(); ++i) cells_[i] = i;
  }

  void Run(const KernelStep& step, bool backwards) {
    std::vector<executable::Frame> frames = step.frames;
    if (backwards) std::ranges::reverse(frames);
    for (const executable::Frame& frame : frames) {
      uint64_t hash = frame.kernel;
      for (size_t cell : Cells(frame.buffers[0].value)) hash = (hash ^ cells_[cell]) * 0x9e3779b97f4a7c15u;
      for (size_t cell : Cells(frame.buffers[1].value)) cells_[cell] = hash += cell;
    }
  }

  bool operator==(const Memory& other) const { return cells_ == other.cells_; }

 private:
  std::vector<size_t> Cells(ValueId value) const {
    const executable::Value& v = exe_.values[value];
    size_t first = static_cast<size_t>(value) * 100;
    if (v.home == Home::kArena) first = static_cast<size_t>(2000 + v.offset / 64);
    if (v.home == Home::kResult && exe_.results[v.index].donor >= 0) first = exe_.results[v.index].donor * 100;
    return {first, first + 1};  // arena values are 100 bytes: two cells of 64
  }

  const Executable& exe_;
  std::vector<uint64_t> cells_;
};

TEST(BatchSteps, RandomStepsLeaveTheSameMemory) {
  std::mt19937 random(1);
  const auto below = [&](int n) { return static_cast<int>(random() % n); };
  size_t before = 0, after = 0;
  for (int round = 0; round < 2000; ++round) {
    Executable exe = Empty();
    for (int k = 20; k < 30; ++k) exe.values[k].offset = below(20) * 64;
    for (int k = 0; k < 3; ++k) exe.results[below(10)].donor = k;
    for (int k = 0; k < 12; ++k) {
      const int tiles = below(2) != 0 ? 1 : 100;
      const int cost = below(3) != 0 ? 50'000 : 10;
      exe.sequences[0].steps.push_back(Kernel(below(6), below(30), 10 + below(20), tiles, cost));
    }
    std::vector<Memory> memories(3, Memory(exe));
    for (const Step& step : exe.sequences[0].steps) memories[0].Run(std::get<KernelStep>(step.what), false);
    BatchSteps(exe);
    for (const Step& step : exe.sequences[0].steps) {
      memories[1].Run(std::get<KernelStep>(step.what), false);
      memories[2].Run(std::get<KernelStep>(step.what), true);
    }
    ASSERT_TRUE(memories[0] == memories[1] && memories[0] == memories[2]) << round;
    before += 12;
    after += exe.sequences[0].steps.size();
  }
  EXPECT_LT(after, before * 9 / 10);
}

}  // namespace
}  // namespace treadle::plan

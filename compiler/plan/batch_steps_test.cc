#include "compiler/plan/batch_steps.h"

#include <gtest/gtest.h>

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

Step Kernel(int32_t kernel, ValueId from, ValueId to) {
  KernelStep step{.kernel = kernel, .frames = {{.buffers = {{from, 0}, {to, 0}}, .tiles = 3}}, .cost_ns = 5};
  return {step, "kernel", {from}, {to}};
}

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
  EXPECT_EQ(step.cost_ns, 10);
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
  std::get<KernelStep>(scratch.what).scratch = 25;
  scratch.writes.push_back(25);
  EXPECT_EQ(Batched(Empty(), {scratch, scratch}).size(), 2u);
  EXPECT_EQ(Batched(Empty(), {Kernel(0, 0, 10), scratch}).size(), 2u);
  Step copy{CopyStep{{2, 0}, {12, 0}, 100}, "copy", {2}, {12}};
  EXPECT_EQ(Batched(Empty(), {Kernel(0, 0, 10), copy, Kernel(0, 1, 11)}), (Written{{10, 11}, {}}));
  EXPECT_EQ(Batched(Empty(), {Kernel(0, 0, 10), copy, Kernel(0, 12, 11)}), (Written{{10}, {}, {11}}));
  Step loop{WhileStep{}, "while", {}, {}};
  EXPECT_EQ(Batched(Empty(), {Kernel(0, 0, 10), loop, Kernel(0, 1, 11)}), (Written{{10}, {}, {11}}));
  Step other = Kernel(0, 1, 11);
  std::get<KernelStep>(other.what).callbacks = {1};
  EXPECT_EQ(Batched(Empty(), {Kernel(0, 0, 10), other}), (Written{{10}, {11}}));
}

}  // namespace
}  // namespace treadle::plan

// A plan in the making, with the push constants of the shapes at hand: what all schedules share.
#ifndef TREADLE_COMPILER_PLAN_SCHEDULES_KERNEL_H_
#define TREADLE_COMPILER_PLAN_SCHEDULES_KERNEL_H_

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "base/status.h"
#include "compiler/graph/graph.h"
#include "compiler/plan/builder.h"
#include "compiler/plan/group.h"
#include "compiler/plan/plan.h"
#include "executable/target.h"

namespace treadle::plan {

// Not thread-safe; lives while one plan is built.
class Kernel {
 public:
  // Adds the group's buffers in the order that schedule.h promises.
  Kernel(std::string schedule, const graph::Graph& graph, const Group& group, const executable::Target& target);

  const graph::Graph& graph() const { return graph_; }
  const Group& group() const { return group_; }
  const executable::Target& target() const { return target_; }
  Builder& b() { return builder_; }

  // The buffer that holds `value`, or -1: the value is computed here, or baked. What an output starts from is not read.
  int InputBuffer(graph::ValueId value) const;
  // As InputBuffer; for what an output starts from, the output's.
  int BufferOf(graph::ValueId value) const;
  uint16_t OutputBuffer(int number) const { return outputs_[number]; }

  // Push constants. Each call of these makes a new one: equal numbers may differ for other shapes.
  Size AddSize(int64_t value);
  Id AddI64(int64_t value) { return builder_.SizeValue(AddSize(value)); }
  // 0, 1 and -1 stand in the code itself, all else is a push constant.
  Size AddFactor(int64_t value) { return value >= -1 && value <= 1 ? Size{-1, value} : AddSize(value); }
  // A literal: baked where that changes the code (0, 1, -1, infinities, divisors, shifts), else a push constant, once a
  // value.
  Id Literal(graph::ValueId constant);

  // number / by and number % by. REQUIRES: number >= 0, by > 0. One division of unsigned numbers, which needs no care
  // for -1.
  std::pair<Id, Id> DivRem(Id number, Id by);

  // The tile that is being written, [0, tiles) of the phase.
  void EndPhase(int64_t tiles, Cost cost);

  Instance Finish();

 private:
  const graph::Graph& graph_;
  const Group& group_;
  const executable::Target& target_;
  Builder builder_;
  std::map<graph::ValueId, uint16_t> inputs_, started_;
  std::vector<uint16_t> outputs_;
  std::map<graph::ValueId, int> literals_;
  std::set<graph::ValueId> baked_;
  Instance instance_;
};

// Declares (output buffer, input buffer or -1) pairs that may be one memory; each input once.
void SetShares(const std::vector<std::pair<uint16_t, int16_t>>& shares, Plan& plan);

// Such pairs for the group's outputs, of which `fitting` tells the inputs that each may take: where the program's
// caller gives an argument's memory up for a result, that pair first; then `preferred` (per output, or -1), then any.
// Before Kernel::Finish.
std::vector<std::pair<uint16_t, int16_t>> ChooseShares(const Kernel& kernel,
                                                       const std::vector<std::vector<int16_t>>& fitting,
                                                       const std::vector<int16_t>& preferred = {});

// The time for work that moves `bytes` of a working set of `set_bytes` and takes `uops` vector operations.
Cost Estimate(const executable::Target& target, double bytes, double set_bytes, double uops);

// Elements of a tile of a loop that touches so many bytes and takes so many cycles an element; a multiple of 64.
int64_t TileElements(double bytes_per_element, double uops_per_element);

// Copies in flight of a loop body of so many operations.
int UnrollFor(int uops);

// The same of a body that is a loop, by the operations of a round: each waits for the one before, so that more copies
// are needed to keep the machine busy.
int UnrollForRounds(int uops);

}  // namespace treadle::plan

#endif  // TREADLE_COMPILER_PLAN_SCHEDULES_KERNEL_H_

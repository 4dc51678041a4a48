#include "compiler/plan/cut.h"

#include <algorithm>

#include "compiler/plan/math.h"
#include "compiler/plan/uses.h"

namespace treadle::plan {
namespace {

constexpr int64_t kOfMath = 5;       // a call, and what is saved around it
constexpr int64_t kOfCutBlock = 50;  // its calls, and the state that goes in and comes out

bool IsConstant(const Node& node) { return node.op == Op::kConst || node.op == Op::kPush; }

int64_t LengthOf(const Plan& plan, const Block& block, bool may_be_cut, const CutLimits& limits);

// Of a node with everything in it.
int64_t LengthOf(const Plan& plan, Id id, bool may_be_cut, const CutLimits& limits) {
  const Node& node = plan.nodes[id];
  if (node.op == Op::kBlockArg || node.op == Op::kResult || node.op == Op::kYield || IsConstant(node)) return 0;
  if (node.op != Op::kLoop) return node.op != Op::kSqrt && IsMathOp(node.op) ? kOfMath : 1;
  const Loop& loop = plan.loop(id);
  int64_t length = 2;
  for (const Block& block : {loop.body, loop.cond, loop.combine}) {
    const bool inner_may_be_cut = may_be_cut && loop.kind != LoopKind::kLanes;
    const int64_t inner = LengthOf(plan, block, inner_may_be_cut, limits);
    length += inner_may_be_cut && inner > limits.most ? kOfCutBlock : inner;
  }
  return length;
}

int64_t LengthOf(const Plan& plan, const Block& block, bool may_be_cut, const CutLimits& limits) {
  int64_t length = 0;
  for (Id id = block.first; id < block.end; id = plan.Next(id)) length += LengthOf(plan, id, may_be_cut, limits);
  return length;
}

class Cutter {
 public:
  Cutter(const Plan& plan, const Block& block, const CutLimits& limits) : plan_(plan), block_(block), limits_(limits) {}

  Cut Run() {
    const auto nodes = static_cast<int64_t>(block_.end - block_.first);
    if (nodes * kOfMath <= limits_.most || LengthOf(plan_, block_, true, limits_) <= limits_.most) return {};
    FindLastUses();
    FindParts();
    AssignSlots();
    return std::move(cut_);
  }

 private:
  // Values are numbered by the node of the block itself that they stand in.
  size_t StepOf(Id id) const { return step_of_[id - block_.first]; }

  // With `use(id, step)`: every value of the block that step number `step` reads.
  template <typename Use>
  void ForEachUseOfStep(Id id, Use&& use) const {
    for (Id inner = id; inner < plan_.Next(id); ++inner) ForEachUse(plan_, inner, use);
  }

  void FindLastUses() {
    step_of_.resize(block_.end - block_.first);
    for (Id id = block_.first; id < block_.end; id = plan_.Next(id)) {
      for (Id inner = id; inner < plan_.Next(id); ++inner) step_of_[inner - block_.first] = steps_.size();
      steps_.push_back(id);
    }
    last_use_.resize(steps_.size(), 0);
    for (size_t step = 0; step < steps_.size(); ++step) {
      ForEachUseOfStep(steps_[step], [&](Id used) {
        if (used >= block_.first) last_use_[StepOf(used)] = std::max(last_use_[StepOf(used)], step);
      });
    }
  }

  // How many values that the block's steps make are alive between each step and the next.
  std::vector<int64_t> AliveAfter() const {
    std::vector<int64_t> change(steps_.size() + 1, 0);
    for (size_t step = 0; step < steps_.size(); ++step) {
      const Node& node = plan_.nodes[steps_[step]];
      if (node.op == Op::kBlockArg || IsConstant(node) || last_use_[step] <= step) continue;
      ++change[step];
      --change[last_use_[step]];
    }
    for (size_t step = 1; step < change.size(); ++step) change[step] += change[step - 1];
    return change;
  }

  // A loop's results follow it; they belong to its part.
  bool MayEndAfter(size_t step) const { return plan_.nodes[steps_[step + 1]].op != Op::kResult; }

  // The last step of the part that begins with `first`.
  size_t EndOfPart(size_t first, const std::vector<int64_t>& alive) const {
    const size_t last = steps_.size() - 2;  // in front of the yield
    size_t best = steps_.size();
    int64_t length = 0;
    bool long_enough = false;
    for (size_t step = first; step <= last; ++step) {
      length += LengthOf(plan_, steps_[step], true, limits_);
      if (length > limits_.most && best < steps_.size()) return best;
      if (!MayEndAfter(step)) continue;
      if (!long_enough || alive[step] <= alive[best]) best = step;
      long_enough = long_enough || length >= limits_.least;
    }
    return last;
  }

  void FindParts() {
    const std::vector<int64_t> alive = AliveAfter();
    size_t first = 0;
    while (plan_.nodes[steps_[first]].op == Op::kBlockArg) ++first;
    while (first + 1 < steps_.size()) {
      const size_t last = EndOfPart(first, alive);
      AddPart(first, last);
      first = last + 1;
    }
  }

  void AddPart(size_t first, size_t last) {
    Part part{.nodes = {steps_[first], steps_[last + 1]}};
    for (size_t step = first; step <= last; ++step) {
      ForEachUseOfStep(steps_[step], [&](Id used) {
        if (used >= part.nodes.first) return;
        (IsConstant(plan_.nodes[used]) ? part.constants : part.reads).push_back(used);
      });
      if (last_use_[step] > last && !IsConstant(plan_.nodes[steps_[step]])) part.writes.push_back(steps_[step]);
    }
    for (std::vector<Id>* ids : {&part.constants, &part.reads}) {
      std::sort(ids->begin(), ids->end());
      ids->erase(std::unique(ids->begin(), ids->end()), ids->end());
    }
    cut_.parts.push_back(std::move(part));
  }

  uint32_t NewSlot() {
    if (free_.empty()) return cut_.slot_count++;
    const uint32_t slot = free_.back();
    free_.pop_back();
    return slot;
  }

  // A part reads its values before it writes others, so a slot is free again for the last part that reads it. Values
  // from outside the block stay: they may be put there once for many iterations.
  void AssignSlots() {
    std::map<Id, size_t> last_reader;
    for (size_t p = 0; p < cut_.parts.size(); ++p) {
      for (Id id : cut_.parts[p].reads) last_reader[id] = p;
    }
    for (const auto& [id, part] : last_reader) {
      if (id < cut_.parts.front().nodes.first) cut_.slots[id] = NewSlot();
    }
    ForEachUse(plan_, block_.end - 1, [&](Id id) { last_reader[id] = cut_.parts.size(); });
    for (size_t p = 0; p < cut_.parts.size(); ++p) {
      for (Id id : cut_.parts[p].reads) {
        if (last_reader[id] == p && id >= block_.first) free_.push_back(cut_.slots[id]);
      }
      for (Id id : cut_.parts[p].writes) cut_.slots[id] = NewSlot();
    }
  }

  const Plan& plan_;
  const Block block_;
  const CutLimits limits_;
  std::vector<Id> steps_;         // the block's own nodes: loops stand for what is in them
  std::vector<size_t> step_of_;   // of every node from the block's first one on
  std::vector<size_t> last_use_;  // of a step's value: the last step that reads it
  std::vector<uint32_t> free_;    // slots
  Cut cut_;
};

}  // namespace

Cut CutBlock(const Plan& plan, const Block& block, const CutLimits& limits) {
  return Cutter(plan, block, limits).Run();
}

}  // namespace treadle::plan

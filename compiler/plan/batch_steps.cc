#include "compiler/plan/batch_steps.h"

#include <algorithm>
#include <span>
#include <unordered_map>
#include <utility>
#include <variant>
#include <vector>

namespace treadle::plan {
namespace {

using executable::Executable;
using executable::Home;
using executable::KernelStep;
using executable::Sequence;
using executable::Step;
using executable::Value;
using executable::ValueId;

constexpr size_t kReach = 32;           // steps back
constexpr size_t kMostFrames = 1024;    // of a step
constexpr size_t kMostCompared = 4096;  // pairs of values, for one step

class Batcher {
 public:
  explicit Batcher(const Executable& executable) : exe_(executable) {}

  void Run(Sequence& sequence) {
    std::vector<Step> steps;
    steps.reserve(sequence.steps.size());
    last_.clear();
    for (Step& step : sequence.steps) {
      if (Step* batch = Join(steps, step)) {
        Add(*batch, step);
        continue;
      }
      if (const KernelStep* kernel = Batchable(step)) last_[kernel->kernel] = steps.size();
      steps.push_back(std::move(step));
    }
    sequence.steps = std::move(steps);
  }

 private:
  static const KernelStep* Batchable(const Step& step) {
    const auto* kernel = std::get_if<KernelStep>(&step.what);
    // Frames run at the same time, and scratch is one for all.
    return kernel != nullptr && kernel->scratch == executable::kNoValue ? kernel : nullptr;
  }

  // The step, of those before, that `step` can be part of, or null. Control flow touches more than its lists name.
  Step* Join(std::vector<Step>& steps, const Step& step) const {
    const KernelStep* kernel = Batchable(step);
    const auto last = kernel == nullptr ? last_.end() : last_.find(kernel->kernel);
    if (last == last_.end() || steps.size() - last->second > kReach) return nullptr;
    const auto& other = std::get<KernelStep>(steps[last->second].what);
    if (other.callbacks != kernel->callbacks || other.frames.size() + kernel->frames.size() > kMostFrames) {
      return nullptr;
    }
    size_t left = kMostCompared;
    for (size_t k = steps.size(); k-- > last->second;) {
      const bool plain = std::holds_alternative<KernelStep>(steps[k].what) ||
                         std::holds_alternative<executable::CopyStep>(steps[k].what);
      if (!plain || !Independent(steps[k], step, left)) return nullptr;
    }
    return &steps[last->second];
  }

  static void Add(Step& batch, Step& step) {
    auto &into = std::get<KernelStep>(batch.what), &from = std::get<KernelStep>(step.what);
    into.frames.insert(into.frames.end(), std::make_move_iterator(from.frames.begin()),
                       std::make_move_iterator(from.frames.end()));
    into.local_bytes = std::max(into.local_bytes, from.local_bytes);
    into.cost_ns += from.cost_ns;
    batch.reads.insert(batch.reads.end(), step.reads.begin(), step.reads.end());
    batch.writes.insert(batch.writes.end(), step.writes.begin(), step.writes.end());
  }

  bool Independent(const Step& a, const Step& b, size_t& left) const {
    return Apart(a.writes, b.writes, left) && Apart(a.writes, b.reads, left) && Apart(a.reads, b.writes, left);
  }

  bool Apart(std::span<const ValueId> a, std::span<const ValueId> b, size_t& left) const {
    if (left < a.size() * b.size()) return false;
    left -= a.size() * b.size();
    return std::ranges::none_of(
        a, [&](ValueId one) { return std::ranges::any_of(b, [&](ValueId other) { return MayOverlap(one, other); }); });
  }

  // Results may be in the memory of arguments.
  bool MayOverlap(ValueId one, ValueId other) const {
    if (one == other) return true;
    const Value &a = exe_.values[one], &b = exe_.values[other];
    if (a.home == Home::kArena && b.home == Home::kArena) {
      return a.offset < b.offset + b.bytes && b.offset < a.offset + a.bytes;
    }
    if (a.home == b.home) return a.index == b.index;
    if (a.home == Home::kResult && b.home == Home::kParameter) return exe_.results[a.index].donor == b.index;
    if (b.home == Home::kResult && a.home == Home::kParameter) return exe_.results[b.index].donor == a.index;
    return false;
  }

  const Executable& exe_;
  std::unordered_map<int32_t, size_t> last_;  // of each kernel: the last step that others may join
};

}  // namespace

void BatchSteps(Executable& executable) {
  Batcher batcher(executable);
  for (Sequence& sequence : executable.sequences) batcher.Run(sequence);
}

}  // namespace treadle::plan

#include "compiler/plan/batch_steps.h"

#include <algorithm>
#include <functional>
#include <span>
#include <unordered_map>
#include <utility>
#include <variant>
#include <vector>

namespace treadle::plan {
namespace {

using executable::Executable;
using executable::Frame;
using executable::Home;
using executable::KernelStep;
using executable::Sequence;
using executable::Step;
using executable::Value;
using executable::ValueId;

constexpr size_t kMostFrames = 1024;    // of a step
constexpr size_t kMostCompared = 4096;  // pairs of values, for one step
constexpr size_t kLongestName = 60;

int64_t Tiles(const KernelStep& step) {
  int64_t tiles = 0;
  for (const Frame& frame : step.frames) tiles += frame.tiles;
  return tiles;
}

bool IsNarrow(const KernelStep& step) { return plan::IsNarrow(Tiles(step), step.cost_ns()); }

class Batcher {
 public:
  explicit Batcher(const Executable& executable) : exe_(executable) {}

  void Run(Sequence& sequence) {
    MoveShortOnes(sequence.steps);
    std::vector<Step> steps;
    steps.reserve(sequence.steps.size());
    last_.clear();
    last_narrow_ = kNone;
    for (Step& step : sequence.steps) {
      const size_t joined = Join(steps, step), at = std::min(joined, steps.size());
      if (const auto* kernel = std::get_if<KernelStep>(&step.what)) {
        last_[kernel->frames.front().kernel] = at;
        if (IsNarrow(*kernel)) last_narrow_ = at;
      }
      if (joined == kNone) {
        steps.push_back(std::move(step));
      } else {
        Add(steps[at], step);
      }
    }
    sequence.steps = std::move(steps);
  }

 private:
  static constexpr size_t kNone = ~size_t{0};

  static bool IsPlain(const Step& step) {
    return std::holds_alternative<KernelStep>(step.what) || std::holds_alternative<executable::CopyStep>(step.what);
  }

  // Before the narrow steps that they are independent of.
  void MoveShortOnes(std::vector<Step>& steps) const {
    size_t last_narrow = kNone;
    for (size_t i = 0; i < steps.size(); ++i) {
      const auto* kernel = std::get_if<KernelStep>(&steps[i].what);
      if (kernel == nullptr) continue;
      if (IsNarrow(*kernel)) last_narrow = i;
      if (IsLong(kernel->cost_ns()) || last_narrow == kNone || i - last_narrow > kBatchReach) continue;
      size_t to = i, left = kMostCompared;
      for (size_t k = i; k-- > i - std::min(i, kBatchReach);) {
        if (!IsPlain(steps[k]) || !Independent(steps[k], steps[i], left)) break;
        const auto* other = std::get_if<KernelStep>(&steps[k].what);
        if (other != nullptr && IsNarrow(*other)) to = k;
      }
      if (to == i) continue;
      std::rotate(steps.begin() + static_cast<int64_t>(to), steps.begin() + static_cast<int64_t>(i),
                  steps.begin() + static_cast<int64_t>(i) + 1);
      ++last_narrow;
    }
  }

  // Which of the steps before `step` can be part of, or kNone. Control flow touches more than its lists name.
  size_t Join(const std::vector<Step>& steps, const Step& step) const {
    const auto* kernel = std::get_if<KernelStep>(&step.what);
    if (kernel == nullptr) return kNone;
    const bool narrow = IsNarrow(*kernel);
    size_t best = kNone, left = kMostCompared;
    for (size_t k = steps.size(); k-- > Farthest(steps.size(), *kernel, narrow);) {
      const auto* other = std::get_if<KernelStep>(&steps[k].what);
      if (!IsPlain(steps[k]) || !Independent(steps[k], step, left)) break;
      if (other == nullptr || other->frames.size() + kernel->frames.size() > kMostFrames) continue;
      if (other->frames.front().kernel == kernel->frames.front().kernel) return k;
      if (narrow ? IsLong(other->cost_ns()) : IsLong(kernel->cost_ns()) && IsNarrow(*other)) best = k;
    }
    return best;
  }

  // The first step worth a look.
  size_t Farthest(size_t count, const KernelStep& kernel, bool narrow) const {
    const size_t first = count - std::min(count, kBatchReach);
    if (narrow) return first;
    size_t farthest = last_narrow_ == kNone ? count : last_narrow_;
    if (const auto same = last_.find(kernel.frames.front().kernel); same != last_.end()) {
      farthest = std::min(farthest, same->second);
    }
    return std::max(first, farthest);
  }

  static void Add(Step& batch, Step& step) {
    auto &into = std::get<KernelStep>(batch.what), &from = std::get<KernelStep>(step.what);
    const bool same = into.frames.front().kernel == from.frames.front().kernel;
    into.frames.insert(into.frames.end(), std::make_move_iterator(from.frames.begin()),
                       std::make_move_iterator(from.frames.end()));
    into.local_bytes = std::max(into.local_bytes, from.local_bytes);
    batch.reads.insert(batch.reads.end(), step.reads.begin(), step.reads.end());
    batch.writes.insert(batch.writes.end(), step.writes.begin(), step.writes.end());
    if (same) return;
    std::ranges::stable_sort(into.frames, std::greater<>(),
                             [](const Frame& frame) { return frame.tiles > 0 ? frame.cost_ns / frame.tiles : 0; });
    if (batch.name.size() + step.name.size() < kLongestName) batch.name += " | " + step.name;
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
  std::unordered_map<int32_t, size_t> last_;  // of each kernel: the last step with it
  size_t last_narrow_ = kNone;
};

}  // namespace

void BatchSteps(Executable& executable) {
  Batcher batcher(executable);
  for (Sequence& sequence : executable.sequences) batcher.Run(sequence);
}

}  // namespace treadle::plan

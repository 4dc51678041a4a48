#include <algorithm>
#include <cstddef>
#include <map>
#include <numeric>
#include <queue>
#include <utility>

#include "compiler/plan/storage.h"

namespace treadle::plan {
namespace {

// Free memory below the top of what was ever used, by offset.
class Holes {
 public:
  int64_t Take(int64_t bytes) {
    auto best = holes_.end();
    for (auto it = holes_.begin(); it != holes_.end(); ++it) {
      if (it->second >= bytes && (best == holes_.end() || it->second < best->second)) best = it;
    }
    if (best == holes_.end()) return Extend(bytes);
    auto [offset, size] = *best;
    holes_.erase(best);
    if (size > bytes) holes_[offset + bytes] = size - bytes;
    return offset;
  }

  void Give(int64_t offset, int64_t bytes) {
    auto next = holes_.lower_bound(offset);
    if (next != holes_.end() && offset + bytes == next->first) {
      bytes += next->second;
      next = holes_.erase(next);
    }
    if (next != holes_.begin()) {
      auto before = std::prev(next);
      if (before->first + before->second == offset) {
        before->second += bytes;
        return;
      }
    }
    holes_[offset] = bytes;
  }

  int64_t top() const { return top_; }

 private:
  // A hole that ends at the top grows; else the memory is new.
  int64_t Extend(int64_t bytes) {
    int64_t offset = top_;
    if (!holes_.empty()) {
      auto last = std::prev(holes_.end());
      if (last->first + last->second == top_) {
        offset = last->first;
        holes_.erase(last);
      }
    }
    top_ = offset + bytes;
    return offset;
  }

  std::map<int64_t, int64_t> holes_;
  int64_t top_ = 0;
};

}  // namespace

int64_t PackIntervals(std::vector<Interval>& intervals) {
  std::vector<size_t> order(intervals.size());
  std::iota(order.begin(), order.end(), 0);
  std::sort(order.begin(), order.end(),
            [&](size_t a, size_t b) { return std::pair(intervals[a].first, a) < std::pair(intervals[b].first, b); });
  using Ending = std::pair<Position, size_t>;
  std::priority_queue<Ending, std::vector<Ending>, std::greater<>> live;
  Holes holes;
  auto rounded = [](int64_t bytes) { return (bytes + 63) / 64 * 64; };
  for (size_t i : order) {
    while (!live.empty() && live.top().first < intervals[i].first) {
      const Interval& ended = intervals[live.top().second];
      live.pop();
      if (ended.bytes > 0) holes.Give(ended.offset, rounded(ended.bytes));
    }
    intervals[i].offset = intervals[i].bytes > 0 ? holes.Take(rounded(intervals[i].bytes)) : 0;
    live.push({intervals[i].last, i});
  }
  return holes.top();
}

}  // namespace treadle::plan

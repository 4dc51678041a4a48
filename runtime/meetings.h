// Meetings: where the executions of one call on several devices wait for each other. Internal.
//
// Nobody blocks: an execution that has to wait is told so, stops, and is resumed by whoever comes last. Nobody waits
// for ever either: the executions of a call are all here, so it shows when those that have not finished all wait.
#ifndef TREADLE_RUNTIME_MEETINGS_H_
#define TREADLE_RUNTIME_MEETINGS_H_

#include <cstdint>
#include <functional>
#include <mutex>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"

namespace treadle::internal {

// Thread-safe. Bits and memory: an execution that has come and the one that is resumed are ordered, so what the one has
// written the other sees.
class Meetings {
 public:
  struct Exchange {
    std::string_view name;  // for errors
    const std::vector<std::vector<int32_t>>* groups;
    uint32_t operands;
  };
  // `resume(participant)` lets a stopped execution go on, or fail where `failure` says so. Called without a lock, on
  // the thread of another one. `name`: of the program, for errors.
  Meetings(std::string_view name, int32_t participants, std::span<const Exchange> exchanges,
           std::function<void(int32_t)> resume);

  // As in Partners, for execution `participant`. After a failure: false, and the execution is resumed at once.
  bool Meet(int32_t participant, uint32_t exchange, std::span<void* const> operands);
  void* Lent(int32_t participant, uint32_t exchange, uint32_t operand) const {
    const Point& point = points_[exchange];
    return point.lent[participant * point.operands + operand];
  }
  bool Leave(int32_t participant, uint32_t exchange) { return Come(participant, exchange); }

  // The execution has ended and does not come any more. An error is that of all from now on.
  void Finish(int32_t participant, const Status& status);

  // Ok, or why no execution can go on.
  Status failure() const;

 private:
  struct Point {
    std::string_view name;
    uint32_t operands;
    std::vector<int32_t> group_of, group_size;
    std::vector<std::vector<int32_t>> waiting;  // by group
    std::vector<void*> lent;                    // by participant, then operand
  };

  bool Come(int32_t participant, uint32_t exchange);
  bool Stuck() const { return waiting_ > 0 && waiting_ + finished_ == participants_; }
  // What follows: REQUIRES mutex_.
  std::vector<int32_t> Fail(Status status);
  Status Deadlock() const;

  const std::string_view name_;
  const int32_t participants_;
  const std::function<void(int32_t)> resume_;
  mutable std::mutex mutex_;
  std::vector<Point> points_;
  int32_t waiting_ = 0, finished_ = 0;
  Status failure_;
};

}  // namespace treadle::internal

#endif  // TREADLE_RUNTIME_MEETINGS_H_

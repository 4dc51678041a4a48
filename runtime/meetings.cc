#include "runtime/meetings.h"

#include <algorithm>
#include <utility>

namespace treadle::internal {

Meetings::Meetings(std::string_view name, int32_t participants, std::span<const Exchange> exchanges,
                   std::function<void(int32_t)> resume)
    : name_(name), participants_(participants), resume_(std::move(resume)) {
  for (const Exchange& exchange : exchanges) {
    Point& point = points_.emplace_back();
    point.name = exchange.name;
    point.operands = exchange.operands;
    point.group_of.resize(participants);
    for (const std::vector<int32_t>& group : *exchange.groups) {
      for (int32_t participant : group) {
        point.group_of[participant] = static_cast<int32_t>(point.group_size.size());
      }
      point.group_size.push_back(static_cast<int32_t>(group.size()));
    }
    point.waiting.resize(point.group_size.size());
    point.lent.resize(size_t{point.operands} * participants);
  }
}

bool Meetings::Meet(int32_t participant, uint32_t exchange, std::span<void* const> operands) {
  Point& point = points_[exchange];
  // Nobody reads this before Come has let the last one in.
  std::copy(operands.begin(), operands.end(), point.lent.begin() + participant * point.operands);
  return Come(participant, exchange);
}

bool Meetings::Come(int32_t participant, uint32_t exchange) {
  bool here = false;
  std::vector<int32_t> resumed;
  {
    const std::lock_guard lock(mutex_);
    Point& point = points_[exchange];
    const int32_t group = point.group_of[participant];
    if (!failure_.ok()) {
      resumed = {participant};
    } else if (static_cast<int32_t>(point.waiting[group].size()) + 1 == point.group_size[group]) {
      resumed = std::exchange(point.waiting[group], {});
      waiting_ -= static_cast<int32_t>(resumed.size());
      here = true;
    } else {
      point.waiting[group].push_back(participant);
      ++waiting_;
      if (Stuck()) resumed = Fail(Deadlock());
    }
  }
  for (int32_t other : resumed) resume_(other);
  return here;
}

void Meetings::Finish(int32_t participant, const Status& status) {
  std::vector<int32_t> resumed;
  {
    const std::lock_guard lock(mutex_);
    ++finished_;
    if (!failure_.ok()) return;
    if (!status.ok()) {
      resumed = Fail(participants_ == 1
                         ? status
                         : status.WithContext("on device " + std::to_string(participant) + " of the program's"));
    } else if (Stuck()) {
      resumed = Fail(Deadlock());
    }
  }
  for (int32_t other : resumed) resume_(other);
}

Status Meetings::failure() const {
  const std::lock_guard lock(mutex_);
  return failure_;
}

std::vector<int32_t> Meetings::Fail(Status status) {
  failure_ = std::move(status);
  waiting_ = 0;
  std::vector<int32_t> stopped;
  for (Point& point : points_) {
    for (std::vector<int32_t>& waiting : point.waiting) {
      stopped.insert(stopped.end(), waiting.begin(), waiting.end());
      waiting.clear();
    }
  }
  return stopped;
}

Status Meetings::Deadlock() const {
  std::string text;
  for (const Point& point : points_) {
    std::string waiting;
    for (const std::vector<int32_t>& group : point.waiting) {
      for (int32_t participant : group) waiting += (waiting.empty() ? "" : ", ") + std::to_string(participant);
    }
    if (!waiting.empty()) text += "; " + waiting + " at '" + std::string(point.name) + "'";
  }
  return FailedPrecondition("the devices of " + std::string(name_) +
                            " wait for others that do not come: they do not run the same collectives" + text + "; " +
                            std::to_string(finished_) + " have finished");
}

}  // namespace treadle::internal

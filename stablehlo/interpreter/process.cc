#include "stablehlo/interpreter/process.h"

#include <algorithm>

namespace treadle::interpreter {

bool Grid::Wait(std::unique_lock<std::mutex>& baton, const std::function<bool()>& ready) {
  const auto self = waiting_.insert(waiting_.end(), ready);
  while (!ready() && !stuck_) {
    const bool all_wait = static_cast<int64_t>(waiting_.size()) == running_;
    if (all_wait && std::none_of(waiting_.begin(), waiting_.end(), [](const auto& other) { return other(); })) {
      stuck_ = true;
      changed_.notify_all();
    } else {
      changed_.wait(baton);
    }
  }
  waiting_.erase(self);
  return ready();
}

StatusOr<std::vector<Values>> Grid::Meet(std::unique_lock<std::mutex>& baton, const std::string& name, int64_t process,
                                         const std::vector<int64_t>& members, Values brought) {
  Meeting& meeting = meetings_[name];
  meeting.brought[process] = std::move(brought);
  changed_.notify_all();
  auto complete = [&] {
    return std::all_of(members.begin(), members.end(),
                       [&](int64_t member) { return meeting.brought.contains(member); });
  };
  if (!Wait(baton, complete)) return FailedPrecondition("waits for a process that never comes");
  std::vector<Values> all;
  for (int64_t member : members) all.push_back(meeting.brought[member]);
  if (++meeting.taken == members.size()) meetings_.erase(name);
  return all;
}

void Grid::Send(const std::string& channel, Values values) {
  channels_[channel].push_back(std::move(values));
  changed_.notify_all();
}

StatusOr<Values> Grid::Receive(std::unique_lock<std::mutex>& baton, const std::string& channel) {
  if (!Wait(baton, [&] { return !channels_[channel].empty(); })) {
    return FailedPrecondition("waits for a value that nobody sends");
  }
  Values values = std::move(channels_[channel].front());
  channels_[channel].pop_front();
  return values;
}

StatusOr<Values> Grid::Infeed() {
  if (infeed_.empty()) return FailedPrecondition("the host feeds no more values in");
  Values values = std::move(infeed_.front());
  infeed_.pop_front();
  return values;
}

void Grid::Leave() {
  --running_;
  changed_.notify_all();
}

}  // namespace treadle::interpreter

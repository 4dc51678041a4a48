#include "async/serial_queue.h"

#include <utility>

namespace treadle {

void SerialQueue::Push(Event after, std::function<void()> task) {
  bool start;
  {
    std::unique_lock lock(mutex_);
    if (!ThreadPool::OnWorker()) {
      changed_.wait(lock, [this] { return entries_.size() < static_cast<size_t>(depth_) || waiting_; });
    }
    entries_.push_back({std::move(after), std::move(task)});
    start = !std::exchange(active_, true);
  }
  if (start) pool_->Schedule([this] { Step(); });
}

void SerialQueue::Drain() {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [this] { return entries_.empty() && !active_; });
}

void SerialQueue::Step() {
  std::unique_lock lock(mutex_);
  waiting_ = false;
  while (!entries_.empty()) {
    Entry& entry = entries_.front();  // stays in place while others push
    if (!entry.after.ready()) {
      waiting_ = true;
      changed_.notify_all();
      const Event after = entry.after;
      lock.unlock();
      after.OnReady([this](const Status&) { pool_->Schedule([this] { Step(); }); });
      return;
    }
    lock.unlock();
    entry.task();
    entry = {};  // what the task holds goes before the next one starts
    lock.lock();
    entries_.pop_front();
    changed_.notify_all();
  }
  active_ = false;
  changed_.notify_all();
}

}  // namespace treadle

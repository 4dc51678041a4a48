#include "async/serial_queue.h"

#include <utility>

namespace treadle {

void SerialQueue::Push(Event after, std::function<void()> task) {
  Add({.after = std::move(after), .task = std::move(task), .asynchronous = nullptr});
}

void SerialQueue::PushAsynchronous(Event after, std::function<Event()> task) {
  Add({.after = std::move(after), .task = nullptr, .asynchronous = std::move(task)});
}

void SerialQueue::Add(Entry entry) {
  bool start;
  {
    std::unique_lock lock(mutex_);
    if (!ThreadPool::OnWorker()) {
      changed_.wait(lock, [this] { return entries_.size() < static_cast<size_t>(depth_) || waiting_; });
    }
    entries_.push_back(std::move(entry));
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
      waiting_ = entry.task != nullptr || entry.asynchronous != nullptr;  // else the task itself goes on
      changed_.notify_all();
      const Event after = entry.after;
      lock.unlock();
      after.OnReady([this](const Status&) { pool_->Schedule([this] { Step(); }); });
      return;
    }
    lock.unlock();
    Event rest;
    if (entry.task != nullptr) entry.task();
    if (entry.asynchronous != nullptr) rest = entry.asynchronous();
    entry = {};  // what the task holds goes before the next one starts
    lock.lock();
    if (!rest.ready()) {
      entry.after = std::move(rest);
      continue;
    }
    entries_.pop_front();
    changed_.notify_all();
  }
  active_ = false;
  changed_.notify_all();
}

}  // namespace treadle

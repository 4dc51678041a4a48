#include "async/serial_queue.h"

#include <utility>

namespace treadle {

void SerialQueue::Push(Event after, std::function<void()> task) {
  Add({.after = std::move(after), .task = std::move(task), .asynchronous = nullptr});
}

void SerialQueue::PushAsynchronous(Event after, std::function<Event()> task, bool may_need_caller) {
  Add({.after = std::move(after),
       .task = nullptr,
       .asynchronous = std::move(task),
       .may_need_caller = may_need_caller});
}

void SerialQueue::PushApart(Event after, std::function<Event()> task) {
  {
    const std::lock_guard lock(mutex_);
    ++apart_;
  }
  const auto ended = [this](const Status&) {
    const std::lock_guard lock(mutex_);
    if (--apart_ == 0) changed_.notify_all();
  };
  after.OnReady([this, ended, task = std::move(task)](const Status&) {
    pool_->Schedule([ended, task] { task().OnReady(ended); });
  });
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
  changed_.wait(lock, [this] { return entries_.empty() && !active_ && apart_ == 0; });
}

void SerialQueue::Step() {
  std::unique_lock lock(mutex_);
  waiting_ = false;
  while (!entries_.empty()) {
    Entry& entry = entries_.front();  // stays in place while others push
    if (!entry.after.ready()) {
      const bool goes_on = entry.task == nullptr && entry.asynchronous == nullptr;
      waiting_ = !goes_on || entry.may_need_caller;
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
    // What the task holds goes before the next one starts.
    entry = {.after = {}, .task = nullptr, .asynchronous = nullptr, .may_need_caller = entry.may_need_caller};
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

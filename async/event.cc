#include "async/event.h"

#include <chrono>
#include <condition_variable>
#include <memory>
#include <mutex>
#include <vector>

#include "async/spin.h"

namespace treadle {
namespace internal {

class EventState {
 public:
  void Retain() { references_.fetch_add(1, std::memory_order_relaxed); }
  void Release() {
    if (references_.fetch_sub(1, std::memory_order_acq_rel) == 1) delete this;
  }

  bool ready() const { return ready_.load(std::memory_order_acquire); }
  const Status& status() const { return status_; }

  void Await() {
    if (SpinUntil([this] { return ready(); }, kSpinNs)) return;
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [this] { return ready(); });
  }

  void OnReady(Event::Callback callback) {
    if (!ready()) {
      std::lock_guard lock(mutex_);
      if (!ready()) {
        callbacks_.push_back(std::move(callback));
        return;
      }
    }
    callback(status_);
  }

  bool Set(Status status) {
    std::vector<Event::Callback> callbacks;
    {
      std::lock_guard lock(mutex_);
      if (ready()) return false;
      status_ = std::move(status);
      callbacks.swap(callbacks_);
      ready_.store(true, std::memory_order_release);
      changed_.notify_all();
    }
    for (Event::Callback& callback : callbacks) {
      callback(status_);
      callback = nullptr;  // what it holds goes before the next one runs
    }
    return true;
  }

 private:
  static constexpr int64_t kSpinNs = 20'000;

  std::atomic<int> references_{1};
  std::atomic<bool> ready_{false};
  Status status_;  // written once, before ready_
  std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<Event::Callback> callbacks_;
};

void Retain(EventState* state) { state->Retain(); }
void Release(EventState* state) { state->Release(); }

}  // namespace internal

Event::Event(Status status) {
  if (status.ok()) return;
  state_ = new internal::EventState;
  state_->Set(std::move(status));
}

bool Event::StateReady() const { return state_->ready(); }

const Status& Event::status() const {
  static const Status* const ok = new Status;  // outlives threads that run while the process ends
  return state_ == nullptr ? *ok : state_->status();
}

const Status& Event::Await() const {
  if (state_ != nullptr) state_->Await();
  return status();
}

void Event::OnReady(Callback callback) const {
  if (state_ == nullptr) {
    callback(OkStatus());
    return;
  }
  const Event keep = *this;  // the callback may drop the last handle
  keep.state_->OnReady(std::move(callback));
}

Event Event::All(std::span<const Event> events) {
  struct Join {
    std::vector<Event> events;
    std::atomic<size_t> pending;
    Promise promise;
  };
  std::vector<Event> interesting;  // those that are not ready and those that failed
  size_t pending = 0;
  for (const Event& event : events) {
    const bool ready = event.ready();
    if (ready && event.status().ok()) continue;
    pending += !ready;
    interesting.push_back(event);
  }
  if (interesting.empty()) return Event();
  if (interesting.size() == 1) return interesting.front();
  if (pending == 0) return interesting.front();

  auto join = std::make_shared<Join>();
  join->events = std::move(interesting);
  join->pending = join->events.size();
  const Event all = join->promise.event();
  for (const Event& event : std::vector<Event>(join->events)) {
    event.OnReady([join](const Status&) {
      if (join->pending.fetch_sub(1, std::memory_order_acq_rel) != 1) return;
      Status first;
      for (const Event& each : join->events) {
        if (first.ok()) first = each.status();
      }
      join->promise.Set(std::move(first));
    });
  }
  return all;
}

Promise::Promise() : state_(new internal::EventState) {}

Promise::~Promise() {
  if (state_ == nullptr) return;
  if (!state_->ready()) state_->Set(Status(StatusCode::kAborted, "what was to be awaited was dropped unfinished"));
  state_->Release();
}

Event Promise::event() const {
  state_->Retain();
  return Event(state_);
}

bool Promise::Set(Status status) {
  internal::EventState* state = state_;
  state->Retain();  // a callback may drop this promise
  const bool first = state->Set(std::move(status));
  state->Release();
  return first;
}

}  // namespace treadle

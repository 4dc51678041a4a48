// Event: something that becomes ready once, with success or an error. The only asynchronous value that crosses the
// boundary of a program: results have their final address at once, their event says when the contents are there.
//
// An Event is a handle; copies share one state. The default Event is ready and costs nothing: no allocation, no
// atomics. Dropping a handle never cancels the callbacks that were registered through it.
#ifndef TREADLE_ASYNC_EVENT_H_
#define TREADLE_ASYNC_EVENT_H_

#include <atomic>
#include <functional>
#include <span>
#include <utility>

#include "base/status.h"

namespace treadle {

namespace internal {
class EventState;
void Retain(EventState* state);
void Release(EventState* state);
}  // namespace internal

// Thread-safe in the way of std::shared_ptr: one handle belongs to one thread at a time, the state to all.
class Event {
 public:
  // Gets the final status. It is called exactly once: inline in OnReady where the event is ready already, else on the
  // thread that makes it ready; never with a lock of this library held, so it may drop events and call back.
  using Callback = std::function<void(const Status&)>;

  Event() = default;              // ready, without error
  explicit Event(Status status);  // ready, with `status`
  Event(const Event& other) : state_(other.state_) {
    if (state_ != nullptr) internal::Retain(state_);
  }
  Event(Event&& other) noexcept : state_(std::exchange(other.state_, nullptr)) {}
  Event& operator=(Event other) noexcept {
    std::swap(state_, other.state_);
    return *this;
  }
  ~Event() {
    if (state_ != nullptr) internal::Release(state_);
  }

  bool ready() const { return state_ == nullptr || StateReady(); }

  // REQUIRES: ready(). Valid as long as this handle.
  const Status& status() const;

  // Whether the event is ready without error. Cheap.
  bool ok() const { return state_ == nullptr || (StateReady() && status().ok()); }

  // Blocks until ready: spins briefly, then sleeps. Not to be called on a thread of a ThreadPool.
  const Status& Await() const;

  void OnReady(Callback callback) const;

  // Ready when all of `events` are; its error is the first in their order.
  static Event All(std::span<const Event> events);

 private:
  friend class Promise;
  explicit Event(internal::EventState* adopted) : state_(adopted) {}
  bool StateReady() const;

  internal::EventState* state_ = nullptr;  // null: ready without error
};

// The side that makes an event ready. A promise that is dropped unset fails its event with ABORTED: nobody hangs.
class Promise {
 public:
  Promise();
  Promise(Promise&& other) noexcept : state_(std::exchange(other.state_, nullptr)) {}
  Promise& operator=(Promise&& other) noexcept {
    std::swap(state_, other.state_);
    return *this;
  }
  ~Promise();

  Event event() const;

  // Makes the event ready and runs its callbacks on this thread. The first call wins; false for the later ones.
  bool Set(Status status = OkStatus());

 private:
  internal::EventState* state_;
};

}  // namespace treadle

#endif  // TREADLE_ASYNC_EVENT_H_

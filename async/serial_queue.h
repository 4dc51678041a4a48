// Runs tasks one after another, in order, on a thread pool; a task may wait for an event without holding a thread.
#ifndef TREADLE_ASYNC_SERIAL_QUEUE_H_
#define TREADLE_ASYNC_SERIAL_QUEUE_H_

#include <condition_variable>
#include <cstdint>
#include <deque>
#include <functional>
#include <mutex>

#include "async/event.h"
#include "async/thread_pool.h"

namespace treadle {

// Thread-safe. Destruction waits until the queue is empty.
class SerialQueue {
 public:
  // At most `depth` tasks are in the queue; beyond that Push blocks while they run. It does not block on a worker,
  // which must not, nor while the queue itself waits for an event: the caller may be who makes that ready.
  SerialQueue(ThreadPool* pool, int depth) : pool_(pool), depth_(depth) {}
  ~SerialQueue() { Drain(); }

  // Runs `task` on the pool after all tasks pushed before, and after `after` is ready (with or without error: the task
  // looks at it itself).
  void Push(Event after, std::function<void()> task);

  // As Push, for a task that goes on after it has returned: the next one starts when the event is ready that it returns
  // (with or without error). `may_need_caller`: that may be for the caller to bring about, who is not blocked
  // meanwhile.
  void PushAsynchronous(Event after, std::function<Event()> task, bool may_need_caller = false);

  // Runs `task` on the pool when `after` is ready, whatever else is in the queue; only Drain waits for the event that
  // it returns. Does not block.
  void PushApart(Event after, std::function<Event()> task);

  // Blocks until no task is left. Not on a worker.
  void Drain();

 private:
  struct Entry {
    Event after;
    std::function<void()> task;
    std::function<Event()> asynchronous;  // in place of `task`
    bool may_need_caller = false;
  };
  void Add(Entry entry);

  void Step();

  ThreadPool* const pool_;
  const int depth_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<Entry> entries_;
  bool active_ = false;   // a Step is scheduled, running, or waiting for an event
  bool waiting_ = false;  // for an event that a task comes after, or that may need the caller
  int64_t apart_ = 0;     // tasks that have not ended
};

}  // namespace treadle

#endif  // TREADLE_ASYNC_SERIAL_QUEUE_H_

#include "runtime/channels.h"

#include <system_error>
#include <thread>
#include <utility>

namespace treadle {
namespace {

int64_t BytesOf(const Message& message) {
  int64_t bytes = 0;
  for (const Message::Array& array : message.arrays) bytes += static_cast<int64_t>(array.bytes.size());
  return bytes;
}

// On a thread of its own: takers are user code, which may hold it for ever.
StatusOr<Event> Hand(const std::string& channel, std::function<Status(Message)> take, Message message) {
  Promise taken;
  Event event = taken.event();
  try {
    std::thread([take = std::move(take), message = std::move(message), taken = std::move(taken)]() mutable {
      taken.Set(take(std::move(message)));
    }).detach();
  } catch (const std::system_error& error) {
    return ResourceExhausted(channel + ": no thread for who takes the message: " + error.what());
  }
  return event;
}

}  // namespace

std::string Channels::OfDevice(std::string_view channel, int device) {
  return std::string(channel) + " of device " + std::to_string(device);
}

void Channels::SetTaker(const std::string& channel, std::function<Status(Message)> take) {
  const std::lock_guard lock(mutex_);
  queues_[channel].take = std::move(take);
}

void Channels::SetGiver(const std::string& channel, std::function<void(std::span<const Shape>)> ask) {
  const std::lock_guard lock(mutex_);
  queues_[channel].ask = std::move(ask);
}

StatusOr<Event> Channels::Put(const std::string& channel, Message message) {
  const int64_t bytes = BytesOf(message);
  std::optional<Promise> next;  // fulfilled without the lock
  {
    const std::lock_guard lock(mutex_);
    Queue& queue = queues_[channel];
    if (queue.take) return Hand(channel, queue.take, std::move(message));
    if (bytes > limit_ - bytes_) {
      return ResourceExhausted(channel + ": messages of " + std::to_string(bytes_) +
                               " bytes wait to be taken, no room for " + std::to_string(bytes) + " more");
    }
    bytes_ += bytes;
    queue.messages.push_back(std::move(message));
    next.swap(queue.next);
  }
  if (next) next->Set();
  return Event();
}

StatusOr<std::variant<Message, Event>> Channels::Take(const std::string& channel, std::span<const Shape> wanted) {
  std::function<void(std::span<const Shape>)> ask;  // called without the lock
  Event arrival;
  {
    const std::lock_guard lock(mutex_);
    Queue& queue = queues_[channel];
    if (!queue.messages.empty()) return std::variant<Message, Event>(Pop(queue));
    if (stopped_) return Status(StatusCode::kCancelled, channel + ": " + *stopped_);
    if (!queue.next) queue.next.emplace();
    arrival = queue.next->event();
    ask = queue.ask;
  }
  if (ask) ask(wanted);
  return std::variant<Message, Event>(std::move(arrival));
}

std::optional<Message> Channels::TryTake(const std::string& channel) {
  const std::lock_guard lock(mutex_);
  auto found = queues_.find(channel);
  if (found == queues_.end() || found->second.messages.empty()) return std::nullopt;
  return Pop(found->second);
}

Message Channels::Pop(Queue& queue) {
  Message message = std::move(queue.messages.front());
  queue.messages.pop_front();
  bytes_ -= BytesOf(message);
  return message;
}

void Channels::StopWaiting(std::string reason) {
  std::vector<Promise> waited;
  {
    const std::lock_guard lock(mutex_);
    stopped_ = std::move(reason);
    for (auto& [name, queue] : queues_) {
      if (queue.next) waited.push_back(*std::exchange(queue.next, std::nullopt));
    }
  }
  for (Promise& promise : waited) promise.Set();
}

}  // namespace treadle

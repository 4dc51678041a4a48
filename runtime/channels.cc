#include "runtime/channels.h"

#include <utility>

namespace treadle {
namespace {

int64_t BytesOf(const Message& message) {
  int64_t bytes = 0;
  for (const Message::Array& array : message.arrays) bytes += static_cast<int64_t>(array.bytes.size());
  return bytes;
}

}  // namespace

std::string Channels::OfDevice(std::string_view channel, int device) {
  return std::string(channel) + " of device " + std::to_string(device);
}

Status Channels::Put(const std::string& channel, Message message) {
  const int64_t bytes = BytesOf(message);
  std::optional<Promise> next;  // fulfilled without the lock
  {
    const std::lock_guard lock(mutex_);
    if (bytes > limit_ - bytes_) {
      return ResourceExhausted(channel + ": messages of " + std::to_string(bytes_) +
                               " bytes wait to be taken, no room for " + std::to_string(bytes) + " more");
    }
    bytes_ += bytes;
    Queue& queue = queues_[channel];
    queue.messages.push_back(std::move(message));
    next.swap(queue.next);
  }
  if (next) next->Set();
  return OkStatus();
}

StatusOr<std::variant<Message, Event>> Channels::Take(const std::string& channel) {
  const std::lock_guard lock(mutex_);
  Queue& queue = queues_[channel];
  if (!queue.messages.empty()) {
    Message message = std::move(queue.messages.front());
    queue.messages.pop_front();
    bytes_ -= BytesOf(message);
    return std::variant<Message, Event>(std::move(message));
  }
  if (stopped_) return Status(StatusCode::kCancelled, channel + ": " + *stopped_);
  if (!queue.next) queue.next.emplace();
  return std::variant<Message, Event>(queue.next->event());
}

std::optional<Message> Channels::TryTake(const std::string& channel) {
  const std::lock_guard lock(mutex_);
  auto found = queues_.find(channel);
  if (found == queues_.end() || found->second.messages.empty()) return std::nullopt;
  Message message = std::move(found->second.messages.front());
  found->second.messages.pop_front();
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

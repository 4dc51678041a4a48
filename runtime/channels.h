// Channels: queues of messages between running programs and whoever feeds them: infeed, outfeed, send, recv.
//
// Putting never waits. Who takes from an empty channel is told of the next message by an event, and tries again: nobody
// holds a thread meanwhile.
#ifndef TREADLE_RUNTIME_CHANNELS_H_
#define TREADLE_RUNTIME_CHANNELS_H_

#include <cstdint>
#include <deque>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "async/event.h"
#include "base/shape.h"
#include "base/status.h"

namespace treadle {

struct Message {
  struct Array {
    Shape shape;
    std::string bytes;  // dense, row-major
  };
  std::string config = {};  // outfeed_config of the operation that put it
  std::vector<Array> arrays;
};

// Thread-safe. Messages of a channel are taken in the order in which they were put. What was written before a Put is
// seen by whoever takes the message.
class Channels {
 public:
  // Messages that nobody takes fill the memory: up to so many bytes in all channels together.
  static constexpr int64_t kDefaultLimit = int64_t{1} << 30;

  explicit Channels(int64_t limit = kDefaultLimit) : limit_(limit) {}

  // The names of the channels of a device that infeed and outfeed use.
  static std::string Infeed(int device) { return OfDevice("infeed", device); }
  static std::string Outfeed(int device) { return OfDevice("outfeed", device); }
  static std::string OfDevice(std::string_view channel, int device);

  // RESOURCE_EXHAUSTED beyond the limit.
  Status Put(const std::string& channel, Message message);

  // The next message. Where there is none: an event that is ready when the next one has come (another taker may be
  // faster), or when waiting has ended. CANCELLED after
  // StopWaiting, where there is none.
  StatusOr<std::variant<Message, Event>> Take(const std::string& channel);

  // The next message, if there is one.
  std::optional<Message> TryTake(const std::string& channel);

  // Nobody waits any more: who takes from an empty channel, now or later, gets CANCELLED with `reason`.
  void StopWaiting(std::string reason);

 private:
  struct Queue {
    std::deque<Message> messages;
    std::optional<Promise> next;  // of the next message, if somebody waits for it
  };

  const int64_t limit_;
  std::mutex mutex_;
  std::map<std::string, Queue> queues_;
  int64_t bytes_ = 0;
  std::optional<std::string> stopped_;
};

}  // namespace treadle

#endif  // TREADLE_RUNTIME_CHANNELS_H_

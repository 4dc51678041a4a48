// Channels: queues of messages between running programs and whoever feeds them: infeed, outfeed, send, recv.
//
// A channel is a queue of messages, or it has somebody at its other end: a taker, who gets what is put, or a giver, who
// is asked for what is wanted. Whoever has to wait gets an event: nobody holds a thread meanwhile.
#ifndef TREADLE_RUNTIME_CHANNELS_H_
#define TREADLE_RUNTIME_CHANNELS_H_

#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <mutex>
#include <optional>
#include <span>
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
  // That of a send or recv whose other end is the host.
  static std::string Host(int64_t number, int device) {
    return OfDevice("host channel " + std::to_string(number), device);
  }
  static std::string OfDevice(std::string_view channel, int device);

  // Gives what is put into `channel` to `take`, a message at a time for each Put, on a thread of its own: it may work
  // for long, and run programs. REQUIRES: nothing has been put yet.
  void SetTaker(const std::string& channel, std::function<Status(Message)> take);

  // Tells `ask` whenever somebody would have to wait for a message of `channel`, of which shapes it shall be. It
  // answers by Put, at once or later, and must not work for long.
  void SetGiver(const std::string& channel, std::function<void(std::span<const Shape> wanted)> ask);

  // An event: when the taker is through with the message, with its error; ready where there is none.
  // RESOURCE_EXHAUSTED beyond the limit, or for lack of threads.
  StatusOr<Event> Put(const std::string& channel, Message message);

  // The next message. Where there is none: an event that is ready when the next one has come (another taker may be
  // faster), or when waiting has ended. CANCELLED after StopWaiting, where there is none.
  StatusOr<std::variant<Message, Event>> Take(const std::string& channel, std::span<const Shape> wanted);

  // The next message, if there is one.
  std::optional<Message> TryTake(const std::string& channel);

  // Nobody waits any more: who takes from an empty channel, now or later, gets CANCELLED with `reason`.
  void StopWaiting(std::string reason);

 private:
  struct Queue {
    std::deque<Message> messages;
    std::optional<Promise> next;  // of the next message, if somebody waits for it
    std::function<Status(Message)> take;
    std::function<void(std::span<const Shape>)> ask;
  };

  Message Pop(Queue& queue);  // REQUIRES: mutex_, and a message

  const int64_t limit_;
  std::mutex mutex_;
  std::map<std::string, Queue> queues_;
  int64_t bytes_ = 0;
  std::optional<std::string> stopped_;
};

}  // namespace treadle

#endif  // TREADLE_RUNTIME_CHANNELS_H_

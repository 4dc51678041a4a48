// Client: the threads and the devices that programs run on. The root object of a process's use of Treadle.
#ifndef TREADLE_RUNTIME_CLIENT_H_
#define TREADLE_RUNTIME_CLIENT_H_

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "async/serial_queue.h"
#include "async/thread_pool.h"
#include "base/status.h"
#include "device/device.h"
#include "runtime/channels.h"

namespace treadle {

struct ClientOptions {
  int num_devices = 0;  // 0: TREADLE_NUM_DEVICES, else 1
  int num_threads = 0;  // 0: ThreadPool::DefaultThreads()
  // Bytes of fresh memory that all devices together keep at hand, taken in the background; at most a 64th of what there
  // is. TREADLE_PREPARED_MIB overrides it.
  int64_t prepared_memory = 0;
  bool keep_subnormals = false;  // executable::Target::keeps_subnormals
};

// Buffers and executables must end before their client. Destruction waits for the work that is enqueued.
class Client {
 public:
  // INVALID_ARGUMENT for options or environment that make no sense.
  static StatusOr<std::unique_ptr<Client>> Create(const ClientOptions& options);
  ~Client();

  const std::vector<std::unique_ptr<Device>>& devices() const { return devices_; }
  const executable::Target& target() const { return devices_.front()->target(); }
  ThreadPool& pool() { return pool_; }
  // Calls of programs that several devices run together, one after another.
  SerialQueue& parallel_calls() { return parallel_calls_; }
  // Of all its devices. Programs that still wait for a message when the client ends fail.
  Channels& channels() { return channels_; }

 private:
  explicit Client(int threads);

  Channels channels_;
  ThreadPool pool_;  // outlives the devices
  SerialQueue parallel_calls_;
  std::vector<std::unique_ptr<Device>> devices_;
};

}  // namespace treadle

#endif  // TREADLE_RUNTIME_CLIENT_H_

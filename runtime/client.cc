#include "runtime/client.h"

#include <cstdlib>
#include <string>

#include "base/log.h"
#include "device/host/host_device.h"

namespace treadle {
namespace {

constexpr int kMaxDevices = 4096;
constexpr int kParallelCalls = 16;  // on their way: each has memory for the results of all its devices

StatusOr<int> NumDevices(int asked) {
  if (asked < 0 || asked > kMaxDevices) return InvalidArgument("num_devices is " + std::to_string(asked));
  if (asked > 0) return asked;
  const std::string text(Environment("TREADLE_NUM_DEVICES"));
  if (text.empty()) return 1;
  char* end = nullptr;
  const long devices = std::strtol(text.c_str(), &end, 10);
  if (*end != '\0' || devices < 1 || devices > kMaxDevices) {
    return InvalidArgument("TREADLE_NUM_DEVICES is '" + text + "', not a number of devices");
  }
  return static_cast<int>(devices);
}

StatusOr<int64_t> PreparedMemory(int64_t asked) {
  const std::string text(Environment("TREADLE_PREPARED_MIB"));
  if (text.empty()) return asked;
  char* end = nullptr;
  const long long mib = std::strtoll(text.c_str(), &end, 10);
  if (*end != '\0' || mib < 0 || mib > (1 << 20)) {
    return InvalidArgument("TREADLE_PREPARED_MIB is '" + text + "', not a number of MiB");
  }
  return mib << 20;
}

}  // namespace

StatusOr<std::unique_ptr<Client>> Client::Create(const ClientOptions& options) {
  TREADLE_ASSIGN_OR_RETURN(const int devices, NumDevices(options.num_devices));
  if (options.num_threads < 0) return InvalidArgument("num_threads is " + std::to_string(options.num_threads));
  TREADLE_ASSIGN_OR_RETURN(const int64_t prepared, PreparedMemory(options.prepared_memory));
  TREADLE_ASSIGN_OR_RETURN(executable::Target target, executable::HostTarget());
  if (options.keep_subnormals) target = executable::KeepingSubnormals(std::move(target));
  std::unique_ptr<Client> client(
      new Client(options.num_threads > 0 ? options.num_threads : ThreadPool::DefaultThreads()));
  for (int id = 0; id < devices; ++id) {
    client->devices_.push_back(
        MakeHostDevice(&client->pool_, target, {.id = id, .prepared_memory = prepared / devices}));
  }
  return client;
}

Client::Client(int threads) : pool_(threads), parallel_calls_(&pool_, kParallelCalls) {}

Client::~Client() {
  channels_.StopWaiting("the client ends");
  parallel_calls_.Drain();
  for (auto& device : devices_) device->Drain();
}

}  // namespace treadle

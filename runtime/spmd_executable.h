// SpmdExecutable: a compiled program on all of the devices that run it together ("single program, multiple data").
#ifndef TREADLE_RUNTIME_SPMD_EXECUTABLE_H_
#define TREADLE_RUNTIME_SPMD_EXECUTABLE_H_

#include <memory>
#include <span>
#include <vector>

#include "async/event.h"
#include "base/status.h"
#include "executable/executable.h"
#include "runtime/buffer.h"
#include "runtime/client.h"
#include "runtime/loaded_executable.h"

namespace treadle {

namespace internal {
class GlobalView;
class Program;
}  // namespace internal

// Thread-safe: any number of threads may Execute at once.
class SpmdExecutable {
 public:
  // `devices`: by participant, different ones of `client`, which outlives the result. INVALID_ARGUMENT for an
  // executable that is not well-formed or for another number of devices; other errors as LoadedExecutable::Load.
  static StatusOr<std::unique_ptr<SpmdExecutable>> Load(std::shared_ptr<const executable::Executable> executable,
                                                        Client* client, std::span<Device* const> devices);
  ~SpmdExecutable();  // executions in progress go on

  const executable::Executable& executable() const { return *executable_; }

  // Runs the program on all devices. All lists are by participant: arguments[p] and results[p] are what that device
  // holds (Executable::HeldShape). Errors and results as for LoadedExecutable::Execute; `done` gets an event for each
  // device. What goes wrong on one device is an error of all that have not finished by then.
  Status Execute(std::span<const std::span<Buffer* const>> arguments, const ExecuteOptions& options,
                 std::span<const std::span<std::unique_ptr<Buffer>>> results, std::span<Event> done);

 private:
  SpmdExecutable(std::shared_ptr<const executable::Executable> executable, Client* client);

  const std::shared_ptr<const executable::Executable> executable_;
  Client* const client_;
  std::vector<std::shared_ptr<internal::Program>> programs_;  // View::kDevice: by participant
  std::shared_ptr<internal::GlobalView> global_;              // View::kGlobal
};

}  // namespace treadle

#endif  // TREADLE_RUNTIME_SPMD_EXECUTABLE_H_

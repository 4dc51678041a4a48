// LoadedExecutable: a compiled program, linked and placed on one device, and the executor that runs it. Programs for
// several devices: SpmdExecutable.
#ifndef TREADLE_RUNTIME_LOADED_EXECUTABLE_H_
#define TREADLE_RUNTIME_LOADED_EXECUTABLE_H_

#include <cstdint>
#include <memory>
#include <span>

#include "async/event.h"
#include "base/status.h"
#include "device/device.h"
#include "executable/executable.h"
#include "runtime/buffer.h"
#include "runtime/channels.h"

namespace treadle {

struct ExecuteOptions {
  // Parameters that the caller keeps although the program may take them (positions, any order).
  std::span<const int64_t> non_donatable = {};
  // Where the program's transfers go; outlives the execution. FAILED_PRECONDITION for a program that has any without.
  Channels* channels = nullptr;
  // In their place: channels of this execution alone, which keeps them. It need not wait for executions before it then,
  // nor they for it: whoever is at the other end may want the device.
  std::shared_ptr<Channels> own_channels = {};

  Channels* used_channels() const { return own_channels != nullptr ? own_channels.get() : channels; }
};

namespace internal {
class Program;
}

// Thread-safe: any number of threads may Execute at once.
class LoadedExecutable {
 public:
  // Links the kernels (each once a process), copies the constants to the device and prepares the steps. The device
  // outlives the result. INVALID_ARGUMENT for an executable that is not well-formed or that several devices must run,
  // FAILED_PRECONDITION where the
  // device cannot run its code, NOT_FOUND for a kernel that exists nowhere.
  static StatusOr<std::unique_ptr<LoadedExecutable>> Load(std::shared_ptr<const executable::Executable> executable,
                                                          Device* device);
  static StatusOr<std::unique_ptr<LoadedExecutable>> Load(executable::Executable executable, Device* device) {
    return Load(std::make_shared<const executable::Executable>(std::move(executable)), device);
  }

  // Executions in progress go on.
  ~LoadedExecutable();

  const executable::Executable& executable() const;
  Device& device() const;
  int num_parameters() const;
  int num_results() const;
  int64_t code_bytes() const;  // of the objects
  int64_t temp_bytes() const;  // arena of one execution

  // Runs the program. Returns an error, and does nothing, if `arguments` do not fit or there is no memory. Otherwise
  // fills `results` (num_results() of them) with buffers at their final addresses, and `done`. A program of little work
  // whose arguments are ready runs on the calling thread before this returns; its results are ready and `done` is the
  // static ready event. Other programs are enqueued on the device and wait for their arguments there. What goes wrong
  // in a step, and the error of an argument, arrive in `done` and in the ready event of each result.
  //
  // Parameters that the program takes (Parameter::donated) are deleted, unless options keep them. Their memory becomes
  // that of the result which wants it where nobody else looks at it, else the result gets memory of its own.
  Status Execute(std::span<Buffer* const> arguments, const ExecuteOptions& options,
                 std::span<std::unique_ptr<Buffer>> results, Event* done);

 private:
  explicit LoadedExecutable(std::shared_ptr<internal::Program> program) : program_(std::move(program)) {}

  const std::shared_ptr<internal::Program> program_;  // executions in the queue keep it
};

}  // namespace treadle

#endif  // TREADLE_RUNTIME_LOADED_EXECUTABLE_H_

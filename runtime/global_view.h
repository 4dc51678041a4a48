// Programs that are written for whole arrays and run once for all devices (executable::View::kGlobal): arguments are
// put together from what the devices hold, results are cut. Internal to SpmdExecutable.
#ifndef TREADLE_RUNTIME_GLOBAL_VIEW_H_
#define TREADLE_RUNTIME_GLOBAL_VIEW_H_

#include <memory>
#include <span>
#include <vector>

#include "async/event.h"
#include "base/status.h"
#include "runtime/buffer.h"
#include "runtime/client.h"
#include "runtime/loaded_executable.h"

namespace treadle::internal {

// Thread-safe. Copies that go on after a call keep it.
class GlobalView : public std::enable_shared_from_this<GlobalView> {
 public:
  // The program runs on the first of `devices`, all of which the host must be able to access.
  static StatusOr<std::shared_ptr<GlobalView>> Load(std::shared_ptr<const executable::Executable> executable,
                                                    Client* client, std::span<Device* const> devices);

  // SpmdExecutable::Execute. Arguments that a device holds as a whole are used where they are, and such results are
  // memory that all devices share; the others are copied.
  Status Execute(std::span<const std::span<Buffer* const>> arguments, const ExecuteOptions& options,
                 std::span<const std::span<std::unique_ptr<Buffer>>> results, std::span<Event> done);

  const executable::Executable& executable() const { return program_->executable(); }

 private:
  GlobalView(std::unique_ptr<LoadedExecutable> program, Client* client, std::span<Device* const> devices);

  Status CheckArguments(std::span<const std::span<Buffer* const>> arguments) const;
  StatusOr<std::unique_ptr<Buffer>> Join(size_t parameter, std::span<const std::span<Buffer* const>> arguments) const;
  Status Cut(size_t result, std::unique_ptr<Buffer> whole,
             std::span<const std::span<std::unique_ptr<Buffer>>> results) const;
  StatusOr<std::unique_ptr<Buffer>> CutOne(size_t result, const Buffer& whole, size_t participant) const;

  const std::unique_ptr<LoadedExecutable> program_;
  Client* const client_;
  const std::vector<Device*> devices_;
  std::vector<Shape> argument_tiles_, result_tiles_;
  std::vector<std::vector<int64_t>> result_tile_of_;  // by result, participant
};

}  // namespace treadle::internal

#endif  // TREADLE_RUNTIME_GLOBAL_VIEW_H_

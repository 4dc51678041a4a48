#include "runtime/spmd_executable.h"

#include <string>
#include <utility>

#include "executable/validate.h"
#include "runtime/global_view.h"
#include "runtime/parallel_call.h"
#include "runtime/program.h"

namespace treadle {

SpmdExecutable::SpmdExecutable(std::shared_ptr<const executable::Executable> executable, Client* client)
    : executable_(std::move(executable)), client_(client) {}

SpmdExecutable::~SpmdExecutable() = default;

StatusOr<std::unique_ptr<SpmdExecutable>> SpmdExecutable::Load(std::shared_ptr<const executable::Executable> executable,
                                                               Client* client, std::span<Device* const> devices) {
  TREADLE_RETURN_IF_ERROR(executable::Validate(*executable));
  if (executable->participants() != static_cast<int64_t>(devices.size())) {
    return InvalidArgument("the program " + executable->name + " is for " + std::to_string(executable->participants()) +
                           " devices, not " + std::to_string(devices.size()));
  }
  std::unique_ptr<SpmdExecutable> result(new SpmdExecutable(executable, client));
  if (executable->view == executable::View::kGlobal) {
    TREADLE_ASSIGN_OR_RETURN(result->global_, internal::GlobalView::Load(std::move(executable), client, devices));
    return result;
  }
  for (Device* device : devices) {
    TREADLE_ASSIGN_OR_RETURN(std::shared_ptr<internal::Program> program, internal::Program::Load(executable, device));
    result->programs_.push_back(std::move(program));
  }
  return result;
}

Status SpmdExecutable::Execute(std::span<const std::span<Buffer* const>> arguments, const ExecuteOptions& options,
                               std::span<const std::span<std::unique_ptr<Buffer>>> results, std::span<Event> done) {
  const size_t participants = static_cast<size_t>(executable_->participants());
  if (arguments.size() != participants || results.size() != participants || done.size() != participants) {
    return InvalidArgument("the program " + executable_->name + " runs on " + std::to_string(participants) +
                           " devices; there are arguments for " + std::to_string(arguments.size()) +
                           " and room for results of " + std::to_string(results.size()));
  }
  for (size_t p = 0; p < participants; ++p) {
    if (arguments[p].size() != executable_->num_arguments() || results[p].size() != executable_->results.size()) {
      return InvalidArgument("the program " + executable_->name + " takes " +
                             std::to_string(executable_->num_arguments()) + " arguments on each device and has " +
                             std::to_string(executable_->results.size()) + " results; device " + std::to_string(p) +
                             " gives " + std::to_string(arguments[p].size()) + " and takes " +
                             std::to_string(results[p].size()));
    }
  }
  if (global_ != nullptr) return global_->Execute(arguments, options, results, done);
  return internal::ExecuteInParallel(*client_, programs_, arguments, options, results, done);
}

}  // namespace treadle

#include "runtime/loaded_executable.h"

#include <string>

#include "runtime/execution.h"
#include "runtime/program.h"

namespace treadle {

StatusOr<std::unique_ptr<LoadedExecutable>> LoadedExecutable::Load(
    std::shared_ptr<const executable::Executable> executable, Device* device) {
  if (executable->view == executable::View::kDevice && executable->participants() != 1) {
    return InvalidArgument("the program " + executable->name + " is for " + std::to_string(executable->participants()) +
                           " devices at once");
  }
  TREADLE_ASSIGN_OR_RETURN(std::shared_ptr<internal::Program> program,
                           internal::Program::Load(std::move(executable), device));
  if (program->num_exchanges() > 0 ||
      program->executable().num_arguments() != program->executable().parameters.size()) {
    return InvalidArgument("the program " + program->executable().name + " has nobody to exchange data with");
  }
  return std::unique_ptr<LoadedExecutable>(new LoadedExecutable(std::move(program)));
}

LoadedExecutable::~LoadedExecutable() = default;

const executable::Executable& LoadedExecutable::executable() const { return program_->executable(); }

Device& LoadedExecutable::device() const { return program_->device(); }

int LoadedExecutable::num_parameters() const { return static_cast<int>(executable().num_arguments()); }

int LoadedExecutable::num_results() const { return static_cast<int>(executable().results.size()); }

int64_t LoadedExecutable::code_bytes() const {
  int64_t bytes = 0;
  for (const executable::Object& object : executable().objects) bytes += static_cast<int64_t>(object.bytes.size());
  return bytes;
}

int64_t LoadedExecutable::temp_bytes() const { return executable().arena_bytes; }

Status LoadedExecutable::Execute(std::span<Buffer* const> arguments, const ExecuteOptions& options,
                                 std::span<std::unique_ptr<Buffer>> results, Event* done) {
  return internal::Execute(program_, arguments, options, results, done);
}

}  // namespace treadle

// One call of a program: arguments in, results out. Internal to LoadedExecutable.
#ifndef TREADLE_RUNTIME_EXECUTION_H_
#define TREADLE_RUNTIME_EXECUTION_H_

#include <memory>
#include <span>

#include "async/event.h"
#include "base/status.h"
#include "runtime/buffer.h"
#include "runtime/loaded_executable.h"
#include "runtime/program.h"

namespace treadle::internal {

// LoadedExecutable::Execute. Thread-safe.
Status Execute(const std::shared_ptr<Program>& program, std::span<Buffer* const> arguments,
               const ExecuteOptions& options, std::span<std::unique_ptr<Buffer>> results, Event* done);

}  // namespace treadle::internal

#endif  // TREADLE_RUNTIME_EXECUTION_H_

// One call of a program that each of its devices runs (executable::View::kDevice). Internal to SpmdExecutable.
#ifndef TREADLE_RUNTIME_PARALLEL_CALL_H_
#define TREADLE_RUNTIME_PARALLEL_CALL_H_

#include <memory>
#include <span>

#include "async/event.h"
#include "base/status.h"
#include "runtime/buffer.h"
#include "runtime/client.h"
#include "runtime/loaded_executable.h"
#include "runtime/program.h"

namespace treadle::internal {

// SpmdExecutable::Execute for such a program. `programs`: by participant. Thread-safe.
//
// The executions of a call are tasks on the client's pool that stop at exchanges and are scheduled anew: any number of
// devices runs on any number of threads. Little work, whose arguments are ready, is done on the calling thread, which
// goes from execution to execution. Other calls start one after another, in order, so that memory of few is in use.
Status ExecuteInParallel(Client& client, std::span<const std::shared_ptr<Program>> programs,
                         std::span<const std::span<Buffer* const>> arguments, const ExecuteOptions& options,
                         std::span<const std::span<std::unique_ptr<Buffer>>> results, std::span<Event> done);

}  // namespace treadle::internal

#endif  // TREADLE_RUNTIME_PARALLEL_CALL_H_

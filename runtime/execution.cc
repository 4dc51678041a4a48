#include "runtime/execution.h"

#include <string>
#include <utility>
#include <vector>

#include "runtime/call.h"
#include "runtime/memory.h"

namespace treadle::internal {
namespace {

using Use = Memory::Use;

// An execution on its way through the queue.
struct Queued : std::enable_shared_from_this<Queued> {
  std::shared_ptr<Program> program;
  std::vector<Memory*> arguments, results;
  Event after;  // the arguments
  Promise done;
  Channels* channels = nullptr;
  std::shared_ptr<Channels> own_channels;  // `channels`, where they are the execution's own
  std::unique_ptr<Workspace> workspace;    // while it runs

  void Run() {
    Status status = Begin();
    if (status.ok()) status = program->Run(*workspace);
    End(std::move(status));
  }

  // As Run, for a program that may have to wait for messages: it then goes on, on another thread, when one has come.
  void Start() {
    Status status = Begin();
    if (!status.ok()) return End(std::move(status));
    program->Start(*workspace);
    Continue();
  }

 private:
  Status Begin() {
    TREADLE_RETURN_IF_ERROR(after.status());
    TREADLE_ASSIGN_OR_RETURN(workspace, program->TakeWorkspace());
    for (size_t i = 0; i < arguments.size(); ++i) program->BindParameter(*workspace, i, arguments[i]->data());
    for (size_t i = 0; i < results.size(); ++i) program->BindResult(*workspace, i, results[i]->data());
    return OkStatus();
  }

  void Continue() {
    const auto resume = [self = shared_from_this()] { self->program->device().Schedule([self] { self->Continue(); }); };
    const StatusOr<Progress> progress = program->Continue(*workspace, {.channels = channels, .resume = resume});
    if (progress.ok() && *progress == Progress::kWaits) return;
    End(progress.status());
  }

  void End(Status status) {
    if (workspace != nullptr) program->ReturnWorkspace(std::move(workspace));
    // Before anybody hears of it: whoever is told may want to take the memory.
    for (Memory* memory : arguments) memory->Remove(Use::kQueued);
    for (Memory* memory : results) memory->Remove(Use::kQueued);
    program = nullptr;
    done.Set(std::move(status));
  }
};

Event Enqueue(const std::shared_ptr<Program>& program, std::span<Buffer* const> arguments,
              const ExecuteOptions& options, Uses& uses, ResultMemory& memory, size_t num_results) {
  auto queued = std::make_shared<Queued>();
  queued->program = program;
  queued->own_channels = options.own_channels;
  queued->channels = options.used_channels();
  std::vector<Event> events;
  for (const Buffer* argument : arguments) {
    if (!argument->ready().ok()) events.push_back(argument->ready());
  }
  queued->after = Event::All(events);
  queued->arguments = uses.Queue();
  for (size_t i = 0; i < num_results; ++i) {
    memory[i]->Add(Use::kQueued);
    queued->results.push_back(memory[i]);
  }
  const Event done = queued->done.event();
  const Event after = queued->after;
  Device& device = program->device();
  if (!program->has_transfers()) {
    device.Enqueue(after, [queued = std::move(queued)] { queued->Run(); });
    return done;
  }
  const bool apart = options.own_channels != nullptr;
  const auto start = [queued = std::move(queued), done] {
    queued->Start();
    return done;
  };
  apart ? device.RunApart(after, start) : device.EnqueueAsynchronous(after, start);
  return done;
}

}  // namespace

Status Execute(const std::shared_ptr<Program>& program, std::span<Buffer* const> arguments,
               const ExecuteOptions& options, std::span<std::unique_ptr<Buffer>> results, Event* done) {
  TREADLE_RETURN_IF_ERROR(CheckArguments(*program, arguments));
  if (results.size() != program->result_shapes().size()) {
    return InvalidArgument(program->executable().name + " has " + std::to_string(program->result_shapes().size()) +
                           " results, room is given for " + std::to_string(results.size()));
  }
  Uses uses(arguments.size());
  TREADLE_RETURN_IF_ERROR(uses.Acquire(program->executable(), arguments));
  TREADLE_RETURN_IF_ERROR(CheckChannels(*program, options));
  const bool apart = options.own_channels != nullptr && program->has_transfers();  // not in the device's queue
  bool immediate = program->cost_ns() <= kImmediateNs && !program->has_transfers();
  Status poison;
  for (const Buffer* argument : arguments) {
    if (argument->ready().ok()) [[likely]]
      continue;
    if (!argument->ready().ready()) {
      immediate = false;
    } else if (poison.ok()) {
      poison = argument->ready().status();
    }
  }
  const Donations donations(*program, options);
  TREADLE_RETURN_IF_ERROR(donations.CheckGivenOnce(arguments, uses));
  if (immediate && !program->donated().empty() && donations.MustQueue(uses)) immediate = false;

  std::unique_ptr<Workspace> workspace;
  if (immediate && poison.ok()) {
    TREADLE_ASSIGN_OR_RETURN(workspace, program->TakeWorkspace());
  }
  ResultMemory memory(results.size());
  if (Status status = donations.Settle(arguments, uses, immediate || apart, memory); !status.ok()) {
    if (workspace != nullptr) program->ReturnWorkspace(std::move(workspace));
    return status;
  }
  if (immediate) {
    if (poison.ok()) {
      for (size_t i = 0; i < arguments.size(); ++i) program->BindParameter(*workspace, i, uses[i]->data());
      for (size_t i = 0; i < results.size(); ++i) program->BindResult(*workspace, i, memory[i]->data());
      poison = program->Run(*workspace);
      program->ReturnWorkspace(std::move(workspace));
    }
    uses.Release();
    *done = poison.ok() ? Event() : Event(std::move(poison));
  } else {
    *done = Enqueue(program, arguments, options, uses, memory, results.size());
  }
  memory.MoveInto(*program, *done, results);
  return OkStatus();
}

}  // namespace treadle::internal

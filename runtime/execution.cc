#include "runtime/execution.h"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "runtime/memory.h"
#include "runtime/small_array.h"

namespace treadle::internal {
namespace {

using Use = Memory::Use;

// Programs of up to this much work (on one thread) run on the calling thread, with its loops shared by the workers.
// Handing a program over and its completion back costs 20 to 100 us and pays only where the caller has something else
// to do meanwhile.
constexpr int64_t kImmediateNs = 2'000'000;

Status CheckArguments(const executable::Executable& executable, const Device& device,
                      std::span<Buffer* const> arguments) {
  const auto& parameters = executable.parameters;
  if (arguments.size() != parameters.size()) {
    return InvalidArgument(executable.name + " takes " + std::to_string(parameters.size()) + " arguments, got " +
                           std::to_string(arguments.size()));
  }
  for (size_t i = 0; i < arguments.size(); ++i) {
    const std::string_view problem = arguments[i] == nullptr                           ? "is null"
                                     : !(arguments[i]->shape() == parameters[i].shape) ? "has another shape"
                                     : &arguments[i]->device() != &device              ? "lives on another device"
                                                                                       : "";
    if (problem.empty()) [[likely]]
      continue;
    std::string message = "argument " + std::to_string(i) + " of " + executable.name + " " + std::string(problem);
    if (arguments[i] != nullptr) {
      message += ": expected " + parameters[i].shape.ToString() + " on device " + std::to_string(device.id()) +
                 ", got " + arguments[i]->shape().ToString() + " on device " +
                 std::to_string(arguments[i]->device().id());
    }
    return InvalidArgument(std::move(message));
  }
  return OkStatus();
}

// Uses of the arguments' memory, given back at the end of the scope unless handed on.
class Uses {
 public:
  explicit Uses(size_t size) : memory_(size) {}
  ~Uses() { Release(); }

  Status Acquire(const executable::Executable& executable, std::span<Buffer* const> arguments) {
    for (; acquired_ < arguments.size(); ++acquired_) {
      memory_[acquired_] = arguments[acquired_]->Acquire();
      if (memory_[acquired_] == nullptr) {
        return InvalidArgument("argument " + std::to_string(acquired_) + " of " + executable.name +
                               " has been deleted or donated");
      }
    }
    return OkStatus();
  }
  void Release() {
    for (size_t i = 0; i < acquired_; ++i) memory_[i]->Remove(Use::kRunning);
    acquired_ = 0;
  }
  // The memory, with queued uses instead.
  std::vector<Memory*> Queue() {
    acquired_ = 0;
    for (Memory* memory : memory_) memory->Change(Use::kRunning, Use::kQueued);
    return {memory_.begin(), memory_.end()};
  }
  Memory* operator[](size_t i) { return memory_[i]; }

 private:
  SmallArray<Memory*> memory_;
  size_t acquired_ = 0;
};

// Memory of the results, with an owner each; given back unless it becomes that of buffers.
class ResultMemory {
 public:
  explicit ResultMemory(size_t size) : memory_(size) {}
  ~ResultMemory() {
    for (Memory* memory : memory_) {
      if (memory != nullptr) memory->Remove(Use::kOwner);
    }
  }
  Memory*& operator[](size_t i) { return memory_[i]; }

  void MoveInto(const Program& program, const Event& ready, std::span<std::unique_ptr<Buffer>> results) {
    for (size_t i = 0; i < memory_.size(); ++i) {
      results[i] = std::make_unique<Buffer>(program.result_shapes()[i], std::exchange(memory_[i], nullptr), ready);
    }
  }

 private:
  SmallArray<Memory*> memory_;
};

// Who gives what to whom in one call.
class Donations {
 public:
  Donations(const Program& program, const ExecuteOptions& options) : program_(program), kept_(options.non_donatable) {}

  bool Given(int32_t parameter) const { return std::find(kept_.begin(), kept_.end(), parameter) == kept_.end(); }

  // Whether a result may have the memory of an argument: nobody else owns it or looks at it, except for executions that
  // are in front of this one in the queue.
  static bool Takable(const Memory& memory, bool immediate) {
    return memory.writable() && memory.owners() == 1 && memory.running() == 1 && (!immediate || memory.queued() == 0);
  }

  // Whether executions in the queue still use what this one would overwrite.
  bool MustQueue(Uses& uses) const {
    for (const executable::Result& result : program_.executable().results) {
      if (result.donor >= 0 && uses[result.donor]->queued() > 0 && Given(result.donor)) return true;
    }
    return false;
  }

  // Finds memory for all results, and deletes the arguments that were given.
  Status Settle(std::span<Buffer* const> arguments, Uses& uses, bool immediate, ResultMemory& memory) const {
    const auto& results = program_.executable().results;
    // First what can fail, then what cannot be undone.
    for (size_t i = 0; i < results.size(); ++i) {
      const int32_t donor = results[i].donor;
      if (donor >= 0 && Given(donor) && Takable(*uses[donor], immediate)) continue;
      TREADLE_RETURN_IF_ERROR(Allocate(i, memory));
    }
    SmallArray<Memory*> given(program_.donated().empty() ? 0 : arguments.size());
    for (int32_t parameter : program_.donated()) {
      if (Given(parameter)) given[parameter] = arguments[parameter]->Release();
    }
    Status status;
    for (size_t i = 0; i < results.size() && status.ok(); ++i) {
      if (memory[i] != nullptr) continue;
      Memory*& donor = given[results[i].donor];
      // Another thread may have come in between.
      if (donor != nullptr && Takable(*donor, immediate)) {
        memory[i] = std::exchange(donor, nullptr);
      } else {
        status = Allocate(i, memory);
      }
    }
    for (Memory* unused : given) {
      if (unused != nullptr) unused->Remove(Use::kOwner);
    }
    return status;
  }

 private:
  Status Allocate(size_t result, ResultMemory& memory) const {
    auto allocated = Memory::Allocate(&program_.device(), program_.result_shapes()[result]->bytes());
    if (!allocated.ok()) {
      return allocated.status().WithContext("result " + std::to_string(result) + " (" +
                                            program_.result_shapes()[result]->ToString() + ") of " +
                                            program_.executable().name);
    }
    memory[result] = *allocated;
    return OkStatus();
  }

  const Program& program_;
  const std::span<const int64_t> kept_;
};

// An execution on its way through the queue.
struct Queued {
  std::shared_ptr<Program> program;
  std::vector<Memory*> arguments, results;
  Event after;  // the arguments
  Promise done;

  void Run() {
    Status status = after.status();
    if (status.ok()) status = Compute();
    // Before anybody hears of it: whoever is told may want to take the memory.
    for (Memory* memory : arguments) memory->Remove(Use::kQueued);
    for (Memory* memory : results) memory->Remove(Use::kQueued);
    program = nullptr;
    done.Set(std::move(status));
  }

  Status Compute() {
    TREADLE_ASSIGN_OR_RETURN(std::unique_ptr<Workspace> workspace, program->TakeWorkspace());
    for (size_t i = 0; i < arguments.size(); ++i) program->BindParameter(*workspace, i, arguments[i]->data());
    for (size_t i = 0; i < results.size(); ++i) program->BindResult(*workspace, i, results[i]->data());
    Status status = program->Run(*workspace);
    program->ReturnWorkspace(std::move(workspace));
    return status;
  }
};

Event Enqueue(const std::shared_ptr<Program>& program, std::span<Buffer* const> arguments, Uses& uses,
              ResultMemory& memory, size_t num_results) {
  auto queued = std::make_shared<Queued>();
  queued->program = program;
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
  program->device().Enqueue(after, [queued = std::move(queued)] { queued->Run(); });
  return done;
}

}  // namespace

Status Execute(const std::shared_ptr<Program>& program, std::span<Buffer* const> arguments,
               const ExecuteOptions& options, std::span<std::unique_ptr<Buffer>> results, Event* done) {
  TREADLE_RETURN_IF_ERROR(CheckArguments(program->executable(), program->device(), arguments));
  if (results.size() != program->result_shapes().size()) {
    return InvalidArgument(program->executable().name + " has " + std::to_string(program->result_shapes().size()) +
                           " results, room is given for " + std::to_string(results.size()));
  }
  Uses uses(arguments.size());
  TREADLE_RETURN_IF_ERROR(uses.Acquire(program->executable(), arguments));
  bool immediate = program->cost_ns() <= kImmediateNs;
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
  if (immediate && !program->donated().empty() && donations.MustQueue(uses)) immediate = false;

  std::unique_ptr<Workspace> workspace;
  if (immediate && poison.ok()) {
    TREADLE_ASSIGN_OR_RETURN(workspace, program->TakeWorkspace());
  }
  ResultMemory memory(results.size());
  if (Status status = donations.Settle(arguments, uses, immediate, memory); !status.ok()) {
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
    *done = Enqueue(program, arguments, uses, memory, results.size());
  }
  memory.MoveInto(*program, *done, results);
  return OkStatus();
}

}  // namespace treadle::internal

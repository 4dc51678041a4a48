// What one call of a program holds while it runs on one device: uses of its arguments, memory for its results.
// Internal.
#ifndef TREADLE_RUNTIME_CALL_H_
#define TREADLE_RUNTIME_CALL_H_

#include <algorithm>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "async/event.h"
#include "base/status.h"
#include "runtime/buffer.h"
#include "runtime/loaded_executable.h"
#include "runtime/memory.h"
#include "runtime/program.h"
#include "runtime/small_array.h"

namespace treadle::internal {

// Programs of up to this much work (on one thread) run on the calling thread, with its loops shared by the workers.
// Handing a program over and its completion back costs 20 to 100 us and pays only where the caller has something else
// to do meanwhile.
inline constexpr int64_t kImmediateNs = 2'000'000;

// INVALID_ARGUMENT unless `arguments` are of the right number and shapes, and on the program's device.
Status CheckArguments(const Program& program, std::span<Buffer* const> arguments);

// FAILED_PRECONDITION for a program with transfers where there is nothing to transfer through.
Status CheckChannels(const Program& program, const ExecuteOptions& options);

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
    for (size_t i = 0; i < acquired_; ++i) memory_[i]->Remove(Memory::Use::kRunning);
    acquired_ = 0;
  }
  // The memory, with queued uses instead.
  std::vector<Memory*> Queue() {
    acquired_ = 0;
    for (Memory* memory : memory_) memory->Change(Memory::Use::kRunning, Memory::Use::kQueued);
    return {memory_.begin(), memory_.end()};
  }
  size_t size() const { return memory_.size(); }
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
      if (memory != nullptr) memory->Remove(Memory::Use::kOwner);
    }
  }
  Memory*& operator[](size_t i) { return memory_[i]; }
  size_t size() const { return memory_.size(); }
  Memory** begin() { return memory_.begin(); }
  Memory** end() { return memory_.end(); }

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

  // INVALID_ARGUMENT where an argument that is given is another argument, too.
  Status CheckGivenOnce(std::span<Buffer* const> arguments, Uses& uses) const;
  // Whether executions in the queue still use what this one would overwrite.
  bool MustQueue(Uses& uses) const;

  // Finds memory for all results, and deletes the arguments that were given. `immediate`: the call does not wait in the
  // device's queue, so it does not come after what stands there.
  Status Settle(std::span<Buffer* const> arguments, Uses& uses, bool immediate, ResultMemory& memory) const {
    TREADLE_RETURN_IF_ERROR(Allocate(uses, immediate, memory));
    if (program_.donated().empty()) return OkStatus();
    return Take(arguments, immediate, memory);
  }
  // The same in two steps: what can fail, then what cannot be undone (and still may fail, where another thread has come
  // in between and memory is short).
  Status Allocate(Uses& uses, bool immediate, ResultMemory& memory) const {
    const auto& results = program_.executable().results;
    for (size_t i = 0; i < results.size(); ++i) {
      const int32_t donor = results[i].donor;
      if (donor >= 0 && Given(donor) && Takable(*uses[donor], immediate)) continue;
      TREADLE_RETURN_IF_ERROR(AllocateOne(i, memory));
    }
    return OkStatus();
  }
  Status Take(std::span<Buffer* const> arguments, bool immediate, ResultMemory& memory) const;

 private:
  bool Given(int32_t parameter) const { return std::find(kept_.begin(), kept_.end(), parameter) == kept_.end(); }
  // Whether a result may have the memory of an argument: nobody else owns it or looks at it, except for executions that
  // are in front of this one in the queue.
  bool Takable(const Memory& memory, bool immediate) const {
    return memory.writable() && memory.owners() == 1 && memory.running() == 1 && (!immediate || memory.queued() == 0) &&
           &memory.device() == &program_.device();
  }
  Status AllocateOne(size_t result, ResultMemory& memory) const;

  const Program& program_;
  const std::span<const int64_t> kept_;
};

}  // namespace treadle::internal

#endif  // TREADLE_RUNTIME_CALL_H_

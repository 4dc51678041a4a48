// Program: an executable prepared for one device. Internal to the executor.
//
// All addresses that steps need stand in one table of pointers, per workspace. What a slot holds is known when the
// program is loaded, up to the base of a parameter, a result or the arena: an execution adds these and runs.
//
// Where an execution stands is data as well: it stops where it has to wait for others, and goes on from there on
// whatever thread there is.
#ifndef TREADLE_RUNTIME_PROGRAM_H_
#define TREADLE_RUNTIME_PROGRAM_H_

#include <array>
#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "base/shape.h"
#include "base/status.h"
#include "device/device.h"
#include "executable/executable.h"
#include "runtime/channels.h"
#include "runtime/link/link.h"
#include "runtime/partners.h"

namespace treadle::internal {

class Program;

// Where an execution stands in one sequence: before `step`, or inside it.
struct Position {
  enum class Inside : uint8_t {
    kNot,
    kCondition,  // of a loop
    kBody,       // of a loop
    kMeeting,    // at an exchange, until all are here
    kExchange,   // in its body
    kLeaving,    // until all have done with what was lent
    kPutting,    // into a channel, until that is taken
  };
  uint32_t sequence = 0;
  uint32_t step = 0;
  Inside inside = Inside::kNot;
};

enum class Progress : uint8_t { kDone, kWaits };

// What an execution meets on its way. Where a program has neither exchanges nor transfers: nothing.
struct Surroundings {
  Partners* partners = nullptr;  // for exchanges, and which participant this is
  Channels* channels = nullptr;  // for transfers
  // Lets an execution that stopped for a message go on: called once, on whatever thread, maybe before Continue returns.
  std::function<void()> resume = {};
};

// What one execution at a time needs: the table of pointers, launches that point into it, and an arena. Recycled.
struct Workspace {
  explicit Workspace(const Program& program);

  std::vector<void*> pointers;
  std::vector<Launch::Frame> frames;
  std::vector<Launch> launches;  // one for each kernel step
  std::vector<TreadleKernel> callbacks;
  std::vector<Position> positions;  // of the running execution, outermost sequence first
  std::vector<void*> lent;          // operands of the exchange it is at
  Event awaited;                    // when what it has put is taken
  uint64_t generation = 0;          // of the linked code that frames and callbacks name (link::Generation)
  void* arena = nullptr;
  void* patched_for = nullptr;  // the arena that the slots point into
};

// Immutable once loaded, except for the idle workspaces. Thread-safe.
class Program {
 public:
  static StatusOr<std::shared_ptr<Program>> Load(std::shared_ptr<const executable::Executable> executable,
                                                 Device* device);
  ~Program();

  const executable::Executable& executable() const { return executable_; }
  Device& device() const { return *device_; }
  const std::vector<Shape>& argument_shapes() const { return argument_shapes_; }  // of the caller's
  const std::vector<std::shared_ptr<const Shape>>& result_shapes() const { return result_shapes_; }
  // Parameters that the program may take.
  const std::vector<int32_t>& donated() const { return donated_; }
  int64_t cost_ns() const { return cost_ns_; }

  // A workspace for one execution, with its arena; RESOURCE_EXHAUSTED where there is none.
  StatusOr<std::unique_ptr<Workspace>> TakeWorkspace();
  void ReturnWorkspace(std::unique_ptr<Workspace> workspace);

  // Sets the slots that depend on `parameters` and `results` (base addresses).
  void BindParameter(Workspace& workspace, size_t index, void* base) const {
    Patch(workspace, parameters_[index], base);
  }
  void BindResult(Workspace& workspace, size_t index, void* base) const { Patch(workspace, results_[index], base); }

  // Exchanges of the program; where there are any it needs Partners, and one that is Giver::kRuntime as well.
  size_t num_exchanges() const { return exchanges_.size(); }
  const executable::ExchangeStep& exchange(size_t number) const { return *exchanges_[number].step; }
  std::string_view exchange_name(size_t number) const { return exchanges_[number].name; }

  // Whether an execution needs Surroundings::channels, and may have to wait for what comes from there.
  bool has_transfers() const { return !transfers_.empty(); }

  // Runs the program in a workspace that is bound. REQUIRES: no exchanges and no transfers.
  Status Run(Workspace& workspace) const;

  // In steps: Start, then Continue until it is done or fails. After kWaits the execution may be going on elsewhere
  // already: nothing of it may be touched.
  void Start(Workspace& workspace) const { workspace.positions.assign(1, Position()); }
  StatusOr<Progress> Continue(Workspace& workspace, const Surroundings& surroundings) const;

 private:
  friend struct Workspace;

  struct SlotOffset {
    uint32_t slot;
    int64_t offset;
  };
  using Slots = std::vector<SlotOffset>;

  struct FrameSource {
    const executable::Frame* frame;
    uint32_t first_slot;      // of its buffers
    uint32_t first_callback;  // of its callbacks
    int64_t scratch_slot;     // -1: none
  };

  enum class Kind : uint8_t { kKernel, kCopy, kWhile, kCase, kExchange, kTransfer };
  struct Step {
    Kind kind;
    bool predicate = false;  // kCase
    uint32_t a = 0;          // kKernel: launch. kCopy: slot of src. kWhile, kCase: slot of predicate or index.
                             // kExchange, kTransfer: its number
    uint32_t b = 0;          // kCopy: slot of dst. kWhile: condition. kCase: first of branches
    uint32_t c = 0;          // kWhile: body. kCase: number of branches
    int64_t bytes = 0;       // kCopy
    const executable::Step* source = nullptr;
  };
  struct Exchange {
    const executable::ExchangeStep* step;
    std::string_view name;
    std::vector<uint32_t> operands;  // slots
  };
  struct Transfer {
    const executable::TransferStep* step;
    std::vector<std::string> channels;  // with the device's number, where they are of a device
    uint32_t first_slot;                // of the arrays
  };
  struct KernelLaunch {
    uint32_t first_frame, num_frames;
    int64_t local_bytes, cost_ns;
  };

  Program(std::shared_ptr<const executable::Executable> executable, Device* device)
      : owned_executable_(std::move(executable)), executable_(*owned_executable_), device_(device) {}

  // A kernel of the executable: linked code, which may get better, or a row of the table.
  struct KernelSource {
    const link::LinkedKernel* linked = nullptr;
    TreadleKernel fixed = nullptr;

    TreadleKernel code() const { return linked != nullptr ? linked->code() : fixed; }
  };

  Status ResolveKernels();
  Status PlaceConstants();
  void PrepareSteps();
  Step Prepare(const executable::KernelStep& step);
  Step Prepare(const executable::CopyStep& step);
  Step Prepare(const executable::WhileStep& step);
  Step Prepare(const executable::CaseStep& step);
  Step Prepare(const executable::ExchangeStep& step);
  Step Prepare(const executable::TransferStep& step);
  int64_t Cost(int32_t sequence, std::vector<int64_t>* known) const;
  uint32_t Depth(int32_t sequence, std::vector<uint32_t>* known) const;
  uint32_t AddSlot(const executable::Operand& operand);

  // Makes the workspace's frames use the code that is linked by now.
  void UseLinkedCode(Workspace& workspace) const {
    if (workspace.generation != link::Generation()) [[unlikely]]
      PatchCode(workspace);
  }
  void PatchCode(Workspace& workspace) const;

  static void Patch(Workspace& workspace, const Slots& slots, void* base) {
    for (const SlotOffset& slot : slots) workspace.pointers[slot.slot] = static_cast<char*>(base) + slot.offset;
  }

  Status RunKernelsAndCopies(Position& at, const std::vector<Step>& steps, Workspace& workspace) const;
  Status StepWhile(const Step& step, Workspace& workspace) const;
  Status StepCase(const Step& step, Workspace& workspace) const;
  bool StepExchange(const Step& step, Workspace& workspace, Partners& partners) const;
  StatusOr<bool> StepTransfer(const Step& step, Workspace& workspace, const Surroundings& surroundings) const;
  StatusOr<Event> Put(const Transfer& transfer, const std::string& channel, Workspace& workspace,
                      Channels& channels) const;
  Status Receive(const Transfer& transfer, const std::string& channel, const Message& message,
                 Workspace& workspace) const;
  Status ReceiveZeros(const Transfer& transfer, Workspace& workspace) const;
  Status InContext(Status status, const std::vector<Position>& positions) const;
  template <typename T>
  StatusOr<T> Read(const void* address) const;

  const std::shared_ptr<const executable::Executable> owned_executable_;
  const executable::Executable& executable_;
  Device* const device_;
  std::vector<Shape> argument_shapes_;
  std::vector<std::shared_ptr<const Shape>> result_shapes_;
  std::vector<int32_t> donated_;
  int64_t cost_ns_ = 0;

  std::vector<KernelSource> kernels_;
  std::vector<int32_t> callbacks_;  // kernels
  void* constants_ = nullptr;
  int64_t constants_bytes_ = 0;
  std::vector<int64_t> constant_offsets_;

  uint32_t num_slots_ = 0;
  std::vector<Slots> parameters_, results_;
  Slots arena_, constant_slots_;
  std::vector<Slots> members_;  // by the index of Home::kMember
  std::vector<FrameSource> frames_;
  std::vector<KernelLaunch> launches_;
  std::vector<std::vector<Step>> sequences_;
  std::vector<uint32_t> branches_;
  std::vector<Exchange> exchanges_;
  std::vector<Transfer> transfers_;
  uint32_t depth_ = 0;  // of sequences in each other

  static constexpr int kIdle = 8;
  std::array<std::atomic<Workspace*>, kIdle> idle_{};
};

}  // namespace treadle::internal

#endif  // TREADLE_RUNTIME_PROGRAM_H_

#include "runtime/program.h"

#include <algorithm>
#include <cstring>
#include <map>
#include <string>
#include <utility>

#include "device/host/float_mode.h"
#include "executable/validate.h"
#include "kernels/builtin_code.h"
#include "kernels/table.h"
#include "runtime/link/link.h"

namespace treadle::internal {
namespace {

// A small arena stays with its workspace; a large one goes back to the device's allocator, which hands it to whoever
// runs next.
constexpr int64_t kKeptArena = 1 << 20;
constexpr int64_t kAlignment = 64;
constexpr int64_t kGuessedTrips = 64;  // of a loop whose count nobody knows
constexpr int64_t kMaxCost = int64_t{1} << 50;
constexpr int64_t kPrewakeNs = 200'000;
constexpr int64_t kStepNs = 50;       // control flow itself
constexpr int64_t kExchangeNs = 300;  // stopping and going on twice
constexpr int64_t kTransferNs = 300;  // a message, but for its bytes

size_t CountMembers(const executable::Executable& executable) {
  size_t count = 0;
  for (const executable::Sequence& sequence : executable.sequences) {
    for (const executable::Step& step : sequence.steps) {
      const auto* exchange = std::get_if<executable::ExchangeStep>(&step.what);
      if (exchange != nullptr) count += exchange->operands.size() * exchange->members;
    }
  }
  return count;
}

}  // namespace

// --- Loading. ---

StatusOr<std::shared_ptr<Program>> Program::Load(std::shared_ptr<const executable::Executable> owned, Device* device) {
  const executable::Executable& executable = *owned;
  TREADLE_RETURN_IF_ERROR(executable::Validate(executable));
  if (executable.target.Key() != device->target().Key() && !executable::HostRuns(executable.target)) {
    return Status(StatusCode::kFailedPrecondition, "the executable " + executable.name + " is made for " +
                                                       executable.target.Key() + ", this device is " +
                                                       device->target().Key());
  }
  std::shared_ptr<Program> program(new Program(std::move(owned), device));
  TREADLE_RETURN_IF_ERROR(program->ResolveKernels());
  TREADLE_RETURN_IF_ERROR(program->PlaceConstants());
  program->PrepareSteps();
  return program;
}

Program::~Program() {
  for (std::atomic<Workspace*>& idle : idle_) {
    Workspace* workspace = idle.load(std::memory_order_acquire);
    if (workspace == nullptr) continue;
    device_->Free(workspace->arena, executable_.arena_bytes);
    delete workspace;
  }
  device_->Free(constants_, constants_bytes_);
}

Status Program::ResolveKernels() {
  kernels_.resize(executable_.kernels.size());
  std::map<int32_t, std::vector<size_t>> by_object;
  for (size_t i = 0; i < kernels_.size(); ++i) {
    const executable::Kernel& kernel = executable_.kernels[i];
    if (kernel.object >= 0) {
      by_object[kernel.object].push_back(i);
      continue;
    }
    TreadleKernel& code = kernels_[i].fixed;
    code = FindKernel(kernel.symbol, executable_.target);
    if (code == nullptr) code = reinterpret_cast<TreadleKernel>(FindBuiltinCode(kernel.symbol));
    if (code == nullptr) code = reinterpret_cast<TreadleKernel>(link::FindSymbol(kernel.symbol));
    if (code == nullptr) {
      return NotFound("there is no kernel '" + kernel.symbol + "' for " + executable_.target.Key() + ", which " +
                      executable_.name + " needs");
    }
  }
  for (const auto& [object, kernels] : by_object) {
    std::vector<std::string> symbols;
    for (size_t kernel : kernels) symbols.push_back(executable_.kernels[kernel].symbol);
    auto linked = link::LinkObject(executable_.objects[object], symbols, executable_.target);
    if (!linked.ok())
      return linked.status().WithContext("object " + std::to_string(object) + " of " + executable_.name);
    for (size_t i = 0; i < kernels.size(); ++i) kernels_[kernels[i]].linked = (*linked)[i];
  }
  return OkStatus();
}

Status Program::PlaceConstants() {
  for (const executable::Constant& constant : executable_.constants) {
    constant_offsets_.push_back(constants_bytes_);
    constants_bytes_ += (static_cast<int64_t>(constant.bytes.size()) + kAlignment - 1) / kAlignment * kAlignment;
  }
  TREADLE_ASSIGN_OR_RETURN(constants_, device_->Allocate(constants_bytes_));
  for (size_t i = 0; i < constant_offsets_.size(); ++i) {
    const std::string& bytes = executable_.constants[i].bytes;
    TREADLE_RETURN_IF_ERROR(device_->CopyFromHost(static_cast<char*>(constants_) + constant_offsets_[i], bytes.data(),
                                                  static_cast<int64_t>(bytes.size())));
  }
  return OkStatus();
}

void Program::PrepareSteps() {
  parameters_.resize(executable_.parameters.size());
  results_.resize(executable_.results.size());
  members_.resize(CountMembers(executable_));
  for (size_t i = 0; i < executable_.num_arguments(); ++i) argument_shapes_.push_back(executable_.parameters[i].shape);
  for (const executable::Result& result : executable_.results) {
    result_shapes_.push_back(std::make_shared<const Shape>(result.shape));
  }
  for (size_t i = 0; i < executable_.parameters.size(); ++i) {
    if (executable_.parameters[i].donated) donated_.push_back(static_cast<int32_t>(i));
  }
  for (const executable::Sequence& sequence : executable_.sequences) {
    std::vector<Step>& steps = sequences_.emplace_back();
    for (const executable::Step& source : sequence.steps) {
      Step step = std::visit([this](const auto& what) { return Prepare(what); }, source.what);
      step.source = &source;
      if (step.kind == Kind::kExchange) exchanges_.back().name = source.name;
      steps.push_back(step);
    }
  }
  std::vector<int64_t> known(executable_.sequences.size(), -1);
  cost_ns_ = Cost(0, &known);
  std::vector<uint32_t> depths(executable_.sequences.size(), 0);
  depth_ = Depth(0, &depths);
}

uint32_t Program::AddSlot(const executable::Operand& operand) {
  const executable::Value& value = executable_.values[operand.value];
  const uint32_t slot = num_slots_++;
  switch (value.home) {
    case executable::Home::kParameter:
      parameters_[value.index].push_back({slot, operand.offset});
      break;
    case executable::Home::kResult:
      results_[value.index].push_back({slot, operand.offset});
      break;
    case executable::Home::kArena:
      arena_.push_back({slot, value.offset + operand.offset});
      break;
    case executable::Home::kConstant:
      constant_slots_.push_back({slot, constant_offsets_[value.index] + operand.offset});
      break;
    case executable::Home::kMember:
      members_[value.index].push_back({slot, operand.offset});
      break;
  }
  return slot;
}

Program::Step Program::Prepare(const executable::KernelStep& step) {
  launches_.push_back({.first_frame = static_cast<uint32_t>(frames_.size()),
                       .num_frames = static_cast<uint32_t>(step.frames.size()),
                       .local_bytes = step.local_bytes,
                       .cost_ns = step.cost_ns()});
  for (const executable::Frame& frame : step.frames) {
    int64_t scratch = -1;
    if (frame.scratch != executable::kNoValue) scratch = AddSlot({frame.scratch, 0});
    frames_.push_back({.frame = &frame,
                       .first_slot = num_slots_,
                       .first_callback = static_cast<uint32_t>(callbacks_.size()),
                       .scratch_slot = scratch});
    callbacks_.insert(callbacks_.end(), frame.callbacks.begin(), frame.callbacks.end());
    for (const executable::Operand& operand : frame.buffers) AddSlot(operand);
  }
  return {.kind = Kind::kKernel, .a = static_cast<uint32_t>(launches_.size() - 1)};
}

Program::Step Program::Prepare(const executable::CopyStep& step) {
  const uint32_t src = AddSlot(step.src);
  return {.kind = Kind::kCopy, .a = src, .b = AddSlot(step.dst), .bytes = step.bytes};
}

Program::Step Program::Prepare(const executable::WhileStep& step) {
  return {.kind = Kind::kWhile,
          .a = AddSlot(step.predicate),
          .b = static_cast<uint32_t>(step.cond),
          .c = static_cast<uint32_t>(step.body)};
}

Program::Step Program::Prepare(const executable::CaseStep& step) {
  const uint32_t first = static_cast<uint32_t>(branches_.size());
  branches_.insert(branches_.end(), step.branches.begin(), step.branches.end());
  return {.kind = Kind::kCase,
          .predicate = step.predicate,
          .a = AddSlot(step.index),
          .b = first,
          .c = static_cast<uint32_t>(step.branches.size())};
}

Program::Step Program::Prepare(const executable::ExchangeStep& step) {
  Exchange exchange{.step = &step, .name = {}, .operands = {}};
  for (const executable::Operand& operand : step.operands) exchange.operands.push_back(AddSlot(operand));
  exchanges_.push_back(std::move(exchange));
  return {.kind = Kind::kExchange, .a = static_cast<uint32_t>(exchanges_.size() - 1)};
}

Program::Step Program::Prepare(const executable::TransferStep& step) {
  Transfer transfer{.step = &step, .channels = step.channels, .first_slot = num_slots_};
  for (const executable::Operand& array : step.arrays) AddSlot(array);
  for (std::string& channel : transfer.channels) {
    if (step.of_device) channel = Channels::OfDevice(channel, device_->id());
  }
  transfers_.push_back(std::move(transfer));
  return {.kind = Kind::kTransfer, .a = static_cast<uint32_t>(transfers_.size() - 1)};
}

// The time of a sequence on one thread, as far as the estimates of its kernels tell.
int64_t Program::Cost(int32_t index, std::vector<int64_t>* known) const {
  if ((*known)[index] >= 0) return (*known)[index];
  int64_t cost = 0;
  for (const executable::Step& step : executable_.sequences[index].steps) {
    int64_t add = kStepNs;
    if (const auto* kernel = std::get_if<executable::KernelStep>(&step.what)) {
      add += kernel->cost_ns();
    } else if (const auto* copy = std::get_if<executable::CopyStep>(&step.what)) {
      add += copy->bytes / 8;
    } else if (const auto* loop = std::get_if<executable::WhileStep>(&step.what)) {
      add += kGuessedTrips * (Cost(loop->cond, known) + Cost(loop->body, known));
    } else if (const auto* exchange = std::get_if<executable::ExchangeStep>(&step.what)) {
      add += kExchangeNs + Cost(exchange->body, known);
    } else if (const auto* transfer = std::get_if<executable::TransferStep>(&step.what)) {
      for (const Shape& shape : transfer->shapes) add += kTransferNs + shape.bytes() / 8;
    } else {
      int64_t dearest = 0;
      for (int32_t branch : std::get<executable::CaseStep>(step.what).branches) {
        dearest = std::max(dearest, Cost(branch, known));
      }
      add += dearest;
    }
    cost = std::min(cost + std::min(add, kMaxCost), kMaxCost);
  }
  return (*known)[index] = cost;
}

// How many sequences stand in each other.
uint32_t Program::Depth(int32_t index, std::vector<uint32_t>* known) const {
  if ((*known)[index] > 0) return (*known)[index];
  uint32_t deepest = 0;
  const auto enter = [&](int32_t inner) { deepest = std::max(deepest, Depth(inner, known)); };
  for (const executable::Step& step : executable_.sequences[index].steps) {
    if (const auto* loop = std::get_if<executable::WhileStep>(&step.what)) {
      enter(loop->cond);
      enter(loop->body);
    } else if (const auto* branches = std::get_if<executable::CaseStep>(&step.what)) {
      for (int32_t branch : branches->branches) enter(branch);
    } else if (const auto* exchange = std::get_if<executable::ExchangeStep>(&step.what)) {
      enter(exchange->body);
    }
  }
  return (*known)[index] = deepest + 1;
}

// --- Workspaces. ---

Workspace::Workspace(const Program& program)
    : pointers(program.num_slots_),
      frames(program.frames_.size()),
      launches(program.launches_.size()),
      callbacks(program.callbacks_.size()) {
  positions.reserve(program.depth_);  // which nothing exceeds
  Program::Patch(*this, program.constant_slots_, program.constants_);
  for (size_t i = 0; i < frames.size(); ++i) {
    const Program::FrameSource& source = program.frames_[i];
    const bool calls_back = !source.frame->callbacks.empty();
    frames[i] = {.kernel = nullptr,
                 .buffers = pointers.data() + source.first_slot,
                 .args = source.frame->args.data(),
                 .tiles = source.frame->tiles,
                 .callbacks = calls_back ? callbacks.data() + source.first_callback : nullptr};
  }
  for (size_t i = 0; i < launches.size(); ++i) {
    const Program::KernelLaunch& source = program.launches_[i];
    launches[i] = {.frames = std::span(frames).subspan(source.first_frame, source.num_frames),
                   .local_bytes = source.local_bytes,
                   .cost_ns = source.cost_ns,
                   .keeps_subnormals = program.executable_.target.keeps_subnormals};
  }
  program.PatchCode(*this);
}

StatusOr<std::unique_ptr<Workspace>> Program::TakeWorkspace() {
  std::unique_ptr<Workspace> workspace;
  for (std::atomic<Workspace*>& idle : idle_) {
    if (idle.load(std::memory_order_relaxed) == nullptr) continue;
    workspace.reset(idle.exchange(nullptr, std::memory_order_acq_rel));
    if (workspace != nullptr) break;
  }
  if (workspace == nullptr) workspace = std::make_unique<Workspace>(*this);
  if (executable_.arena_bytes > 0 && workspace->arena == nullptr) {
    TREADLE_ASSIGN_OR_RETURN(void* arena, device_->Allocate(executable_.arena_bytes));
    workspace->arena = arena;
    if (arena != workspace->patched_for) {
      Patch(*workspace, arena_, arena);
      for (size_t i = 0; i < frames_.size(); ++i) {
        if (frames_[i].scratch_slot >= 0) workspace->frames[i].scratch = workspace->pointers[frames_[i].scratch_slot];
      }
      workspace->patched_for = arena;
    }
  }
  return workspace;
}

void Program::ReturnWorkspace(std::unique_ptr<Workspace> workspace) {
  if (executable_.arena_bytes > kKeptArena) {
    device_->Free(std::exchange(workspace->arena, nullptr), executable_.arena_bytes);
  }
  for (std::atomic<Workspace*>& idle : idle_) {
    Workspace* expected = nullptr;
    if (idle.load(std::memory_order_relaxed) == nullptr &&
        idle.compare_exchange_strong(expected, workspace.get(), std::memory_order_acq_rel)) {
      [[maybe_unused]] Workspace* const kept = workspace.release();
      return;
    }
  }
  device_->Free(workspace->arena, executable_.arena_bytes);
}

void Program::PatchCode(Workspace& workspace) const {
  workspace.generation = link::Generation();  // first: what changes meanwhile is seen the next time
  for (size_t i = 0; i < frames_.size(); ++i) workspace.frames[i].kernel = kernels_[frames_[i].frame->kernel].code();
  for (size_t i = 0; i < callbacks_.size(); ++i) workspace.callbacks[i] = kernels_[callbacks_[i]].code();
}

// --- Running. ---

Status Program::Run(Workspace& workspace) const {
  if (cost_ns_ >= kPrewakeNs && launches_.size() > 1) device_->Prewake();
  if (depth_ > 1) {
    Start(workspace);
    return Continue(workspace, {}).status();
  }
  UseLinkedCode(workspace);
  const FloatMode mode(executable_.target.keeps_subnormals);
  Position at;  // without control flow it is nothing to keep
  Status status = RunKernelsAndCopies(at, sequences_[0], workspace);
  return status.ok() ? status : InContext(std::move(status), {at});
}

StatusOr<Progress> Program::Continue(Workspace& workspace, const Surroundings& surroundings) const {
  UseLinkedCode(workspace);
  const FloatMode mode(executable_.target.keeps_subnormals);  // once for all steps, which find it set
  std::vector<Position>& positions = workspace.positions;
  while (!positions.empty()) {
    Position& at = positions.back();
    const std::vector<Step>& steps = sequences_[at.sequence];
    Status status = RunKernelsAndCopies(at, steps, workspace);
    if (status.ok()) {
      if (at.step == steps.size()) {
        positions.pop_back();
        continue;
      }
      const Step& step = steps[at.step];
      if (step.kind == Kind::kExchange) {
        if (!StepExchange(step, workspace, *surroundings.partners)) return Progress::kWaits;
      } else if (step.kind == Kind::kTransfer) {
        StatusOr<bool> moved = StepTransfer(step, workspace, surroundings);
        if (moved.ok() && !*moved) return Progress::kWaits;
        status = moved.status();
      } else {
        status = step.kind == Kind::kWhile ? StepWhile(step, workspace) : StepCase(step, workspace);
      }
    }
    if (!status.ok()) return InContext(std::move(status), positions);
  }
  return Progress::kDone;
}

// Up to the next step that is control flow, or the end.
Status Program::RunKernelsAndCopies(Position& at, const std::vector<Step>& steps, Workspace& workspace) const {
  for (; at.step < steps.size(); ++at.step) {
    const Step& step = steps[at.step];
    if (step.kind == Kind::kKernel) {
      TREADLE_RETURN_IF_ERROR(device_->Run(workspace.launches[step.a]));
    } else if (step.kind == Kind::kCopy) {
      void* const src = workspace.pointers[step.a];
      void* const dst = workspace.pointers[step.b];
      if (src != dst) TREADLE_RETURN_IF_ERROR(device_->Copy(dst, src, step.bytes));
    } else {
      break;
    }
  }
  return OkStatus();
}

Status Program::InContext(Status status, const std::vector<Position>& positions) const {
  for (size_t i = positions.size(); i-- > 0;) {
    status = status.WithContext("in '" + sequences_[positions[i].sequence][positions[i].step].source->name + "'");
  }
  return status;
}

template <typename T>
StatusOr<T> Program::Read(const void* address) const {
  T value;
  if (device_->host_accessible()) {
    std::memcpy(&value, address, sizeof(T));
    return value;
  }
  TREADLE_RETURN_IF_ERROR(device_->CopyToHost(&value, address, sizeof(T)));
  return value;
}

// From the loop's beginning into its condition, from there into its body or on behind the loop, from its body back into
// its condition.
Status Program::StepWhile(const Step& step, Workspace& workspace) const {
  Position& at = workspace.positions.back();
  if (at.inside != Position::Inside::kCondition) {
    UseLinkedCode(workspace);
    at.inside = Position::Inside::kCondition;
    workspace.positions.push_back({.sequence = step.b});
    return OkStatus();
  }
  TREADLE_ASSIGN_OR_RETURN(const uint8_t go, Read<uint8_t>(workspace.pointers[step.a]));
  if (go != 0) {
    at.inside = Position::Inside::kBody;
    workspace.positions.push_back({.sequence = step.c});
  } else {
    at.inside = Position::Inside::kNot;
    ++at.step;
  }
  return OkStatus();
}

// Into a branch, or on behind the step when that has run.
Status Program::StepCase(const Step& step, Workspace& workspace) const {
  Position& at = workspace.positions.back();
  if (at.inside == Position::Inside::kBody) {
    at.inside = Position::Inside::kNot;
    ++at.step;
    return OkStatus();
  }
  uint32_t branch;
  if (step.predicate) {
    TREADLE_ASSIGN_OR_RETURN(const uint8_t first, Read<uint8_t>(workspace.pointers[step.a]));
    branch = first != 0 ? 0 : 1;
  } else {
    TREADLE_ASSIGN_OR_RETURN(const int32_t index, Read<int32_t>(workspace.pointers[step.a]));
    branch = std::min(static_cast<uint32_t>(index), step.c - 1);  // a negative index is a large one
  }
  at.inside = Position::Inside::kBody;
  workspace.positions.push_back({.sequence = branches_[step.b + branch]});
  return OkStatus();
}

// From one phase of an exchange to the next. False where the execution has to wait: then it is not touched any more.
bool Program::StepExchange(const Step& step, Workspace& workspace, Partners& partners) const {
  Position& at = workspace.positions.back();
  const Exchange& exchange = exchanges_[step.a];
  switch (at.inside) {
    case Position::Inside::kMeeting: {
      const std::vector<int32_t>& sources = exchange.step->sources[partners.participant()];
      size_t member = exchange.step->first_member;
      for (uint32_t k = 0; k < exchange.operands.size(); ++k) {
        for (int32_t source : sources) Patch(workspace, members_[member++], partners.Lent(step.a, source, k));
      }
      at.inside = Position::Inside::kExchange;
      workspace.positions.push_back({.sequence = static_cast<uint32_t>(exchange.step->body)});
      return true;
    }
    case Position::Inside::kExchange:
      at.inside = Position::Inside::kLeaving;
      return partners.Leave(step.a);
    case Position::Inside::kLeaving:
      at.inside = Position::Inside::kNot;
      ++at.step;
      return true;
    default: {
      std::vector<void*>& lent = workspace.lent;
      lent.clear();
      for (uint32_t slot : exchange.operands) lent.push_back(workspace.pointers[slot]);
      at.inside = Position::Inside::kMeeting;
      return partners.Meet(step.a, lent);
    }
  }
}

// Behind the transfer, or false where the execution has to wait: for a message, or for who takes one. Then it is not
// touched any more.
StatusOr<bool> Program::StepTransfer(const Step& step, Workspace& workspace, const Surroundings& surroundings) const {
  const Transfer& transfer = transfers_[step.a];
  const bool for_all = transfer.channels.size() == 1;
  const std::string& channel = transfer.channels[for_all ? 0 : surroundings.partners->participant()];
  Position& at = workspace.positions.back();
  const auto wait = [&](const Event& event) {
    event.OnReady([resume = surroundings.resume](const Status&) { resume(); });
  };
  if (at.inside == Position::Inside::kPutting) {
    at.inside = Position::Inside::kNot;
    TREADLE_RETURN_IF_ERROR(std::exchange(workspace.awaited, Event()).status());
  } else if (channel.empty()) {
    if (!transfer.step->puts) TREADLE_RETURN_IF_ERROR(ReceiveZeros(transfer, workspace));
  } else if (transfer.step->puts) {
    TREADLE_ASSIGN_OR_RETURN(const Event taken, Put(transfer, channel, workspace, *surroundings.channels));
    if (!taken.ready()) {
      at.inside = Position::Inside::kPutting;
      workspace.awaited = taken;
      wait(taken);
      return false;
    }
    TREADLE_RETURN_IF_ERROR(taken.status());
  } else {
    TREADLE_ASSIGN_OR_RETURN(const auto next, surroundings.channels->Take(channel, transfer.step->shapes));
    if (const Event* arrival = std::get_if<Event>(&next)) {
      wait(*arrival);
      return false;
    }
    TREADLE_RETURN_IF_ERROR(Receive(transfer, channel, std::get<Message>(next), workspace));
  }
  ++at.step;
  return true;
}

StatusOr<Event> Program::Put(const Transfer& transfer, const std::string& channel, Workspace& workspace,
                             Channels& channels) const {
  Message message{.config = transfer.step->config, .arrays = {}};
  for (size_t i = 0; i < transfer.step->shapes.size(); ++i) {
    const Shape& shape = transfer.step->shapes[i];
    std::string bytes(shape.bytes(), '\0');
    const void* const from = workspace.pointers[transfer.first_slot + i];
    TREADLE_RETURN_IF_ERROR(device_->CopyToHost(bytes.data(), from, shape.bytes()));
    message.arrays.push_back({shape, std::move(bytes)});
  }
  return channels.Put(channel, std::move(message));
}

Status Program::Receive(const Transfer& transfer, const std::string& channel, const Message& message,
                        Workspace& workspace) const {
  const std::vector<Shape>& shapes = transfer.step->shapes;
  if (message.arrays.size() != shapes.size()) {
    return InvalidArgument(channel + ": a message of " + std::to_string(message.arrays.size()) +
                           " arrays, the program takes " + std::to_string(shapes.size()));
  }
  for (size_t i = 0; i < shapes.size(); ++i) {
    const auto& [shape, bytes] = message.arrays[i];
    if (!(shape == shapes[i]) || static_cast<int64_t>(bytes.size()) != shape.bytes()) {
      return InvalidArgument(channel + ": array " + std::to_string(i) + " of the message is " + shape.ToString() +
                             " in " + std::to_string(bytes.size()) + " bytes, the program takes " +
                             shapes[i].ToString());
    }
    TREADLE_RETURN_IF_ERROR(
        device_->CopyFromHost(workspace.pointers[transfer.first_slot + i], bytes.data(), shape.bytes()));
  }
  return OkStatus();
}

Status Program::ReceiveZeros(const Transfer& transfer, Workspace& workspace) const {
  for (size_t i = 0; i < transfer.step->shapes.size(); ++i) {
    const std::string zeros(transfer.step->shapes[i].bytes(), '\0');
    TREADLE_RETURN_IF_ERROR(device_->CopyFromHost(workspace.pointers[transfer.first_slot + i], zeros.data(),
                                                  static_cast<int64_t>(zeros.size())));
  }
  return OkStatus();
}

}  // namespace treadle::internal

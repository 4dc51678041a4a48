#include "runtime/call.h"

#include <string>

namespace treadle::internal {

Status CheckArguments(const Program& program, std::span<Buffer* const> arguments) {
  const std::span<const Shape> shapes = program.argument_shapes();
  const std::string& name = program.executable().name;
  if (arguments.size() != shapes.size()) {
    return InvalidArgument(name + " takes " + std::to_string(shapes.size()) + " arguments, got " +
                           std::to_string(arguments.size()));
  }
  const Device& device = program.device();
  for (size_t i = 0; i < arguments.size(); ++i) {
    const std::string_view problem = arguments[i] == nullptr                 ? "is null"
                                     : !(arguments[i]->shape() == shapes[i]) ? "has another shape"
                                     : &arguments[i]->device() != &device    ? "lives on another device"
                                                                             : "";
    if (problem.empty()) [[likely]]
      continue;
    std::string message = "argument " + std::to_string(i) + " of " + name + " " + std::string(problem);
    if (arguments[i] != nullptr) {
      message += ": expected " + shapes[i].ToString() + " on device " + std::to_string(device.id()) + ", got " +
                 arguments[i]->shape().ToString() + " on device " + std::to_string(arguments[i]->device().id());
    }
    return InvalidArgument(std::move(message));
  }
  return OkStatus();
}

Status CheckChannels(const Program& program, const ExecuteOptions& options) {
  if (!program.has_transfers() || options.used_channels() != nullptr) return OkStatus();
  return Status(StatusCode::kFailedPrecondition,
                program.executable().name + " exchanges data with the host, and no channels are given");
}

Status Donations::CheckGivenOnce(std::span<Buffer* const> arguments, Uses& uses) const {
  for (int32_t parameter : program_.donated()) {
    if (uses[parameter]->running() == 1 || !Given(parameter)) continue;  // nobody else, nor this call again
    for (size_t i = 0; i < arguments.size(); ++i) {
      if (arguments[i] != arguments[parameter] || static_cast<int32_t>(i) == parameter) continue;
      return InvalidArgument("argument " + std::to_string(parameter) + " of " + program_.executable().name +
                             " is donated, and the same buffer is argument " + std::to_string(i));
    }
  }
  return OkStatus();
}

bool Donations::MustQueue(Uses& uses) const {
  for (const executable::Result& result : program_.executable().results) {
    if (result.donor >= 0 && uses[result.donor]->queued() > 0 && Given(result.donor)) return true;
  }
  return false;
}

Status Donations::Take(std::span<Buffer* const> arguments, bool immediate, ResultMemory& memory) const {
  const auto& results = program_.executable().results;
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
      status = AllocateOne(i, memory);
    }
  }
  for (Memory* unused : given) {
    if (unused != nullptr) unused->Remove(Memory::Use::kOwner);
  }
  return status;
}

Status Donations::AllocateOne(size_t result, ResultMemory& memory) const {
  auto allocated = Memory::Allocate(&program_.device(), program_.result_shapes()[result]->bytes());
  if (!allocated.ok()) {
    return allocated.status().WithContext("result " + std::to_string(result) + " (" +
                                          program_.result_shapes()[result]->ToString() + ") of " +
                                          program_.executable().name);
  }
  memory[result] = *allocated;
  return OkStatus();
}

}  // namespace treadle::internal

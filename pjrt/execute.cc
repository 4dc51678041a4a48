// PJRT_LoadedExecutable_Execute: the call that everything else is for.
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "pjrt/buffer.h"
#include "pjrt/calls.h"
#include "pjrt/event.h"
#include "pjrt/host_callbacks.h"
#include "pjrt/loaded_executable.h"
#include "runtime/small_array.h"

// What a caller gives to custom calls; this plugin has none that take it.
struct PJRT_ExecuteContext {};

namespace treadle::pjrt {
namespace {

Status ReadOptions(const PJRT_ExecuteOptions* options, ExecuteOptions& result) {
  if (options == nullptr) return OkStatus();
  if (TREADLE_PJRT_HAS(options, num_non_donatable_input_indices) && options->num_non_donatable_input_indices > 0) {
    if (options->non_donatable_input_indices == nullptr) {
      return InvalidArgument("PJRT_LoadedExecutable_Execute: non_donatable_input_indices is null");
    }
    result.non_donatable = {options->non_donatable_input_indices, options->num_non_donatable_input_indices};
  }
  return OkStatus();
}

Status CheckArguments(const PJRT_LoadedExecutable_Execute_Args& args, size_t num_parameters) {
  if (args.executable->deleted.load(std::memory_order_relaxed)) {
    return InvalidArgument("the executable '" + args.executable->program->executable.name + "' has been deleted");
  }
  const size_t num_devices = args.execute_device != nullptr ? 1 : args.executable->devices.size();
  if (args.num_devices != num_devices) {
    return InvalidArgument("num_devices is " + std::to_string(args.num_devices) + ", the program is loaded on " +
                           std::to_string(num_devices));
  }
  if (args.num_args != num_parameters) {
    return InvalidArgument("the program '" + args.executable->program->executable.name + "' takes " +
                           std::to_string(num_parameters) + " arguments, " + std::to_string(args.num_args) +
                           " were given");
  }
  if ((args.num_args > 0 && args.argument_lists == nullptr) || args.output_lists == nullptr) {
    return InvalidArgument("argument_lists or output_lists is null");
  }
  for (size_t d = 0; d < args.num_devices; ++d) {
    if (args.num_args > 0 && args.argument_lists[d] == nullptr) return InvalidArgument("an argument list is null");
    for (size_t i = 0; i < args.num_args; ++i) {
      if (args.argument_lists[d][i] == nullptr) {
        return InvalidArgument("argument " + std::to_string(i) + " is null");
      }
    }
    if (args.output_lists[d] == nullptr && !args.executable->program->result_ranks.empty()) {
      return InvalidArgument("an output list is null");
    }
  }
  return OkStatus();
}

void ReturnResults(const Program& program, PJRT_Device* device, std::span<std::unique_ptr<Buffer>> results,
                   PJRT_Buffer** outputs) {
  for (size_t i = 0; i < results.size(); ++i) {
    outputs[i] = NewBuffer(device->owned_memories[program.result_kinds.indices[i]].get(), std::move(results[i]));
  }
}

// Runs on one device. On an error nothing is left behind.
Status ExecuteOnOne(PJRT_LoadedExecutable_Execute_Args* args, const ExecuteOptions& options) {
  PJRT_LoadedExecutable& executable = *args->executable;
  PJRT_Device* device = args->execute_device != nullptr ? args->execute_device : executable.devices[0];
  LoadedExecutable* loaded = args->execute_device == nullptr ? executable.single.get() : nullptr;
  if (loaded == nullptr) {
    TREADLE_ASSIGN_OR_RETURN(loaded, executable.LoadedOn(device));
  }
  internal::SmallArray<Buffer*> inputs(args->num_args);
  for (size_t i = 0; i < args->num_args; ++i) inputs[i] = args->argument_lists[0][i]->buffer.get();
  const size_t num_results = static_cast<size_t>(loaded->num_results());
  internal::SmallArray<std::unique_ptr<Buffer>> results(num_results);
  Event done;
  TREADLE_RETURN_IF_ERROR(
      loaded->Execute({inputs.begin(), inputs.size()}, options, {results.begin(), num_results}, &done));
  ReturnResults(*executable.program, device, {results.begin(), num_results}, args->output_lists[0]);
  if (args->device_complete_events != nullptr) args->device_complete_events[0] = NewEvent(std::move(done));
  return OkStatus();
}

// Runs on all devices of the assignment. On an error nothing is left behind.
Status ExecuteOnAll(PJRT_LoadedExecutable_Execute_Args* args, const ExecuteOptions& options) {
  PJRT_LoadedExecutable& executable = *args->executable;
  const size_t num_devices = executable.devices.size(), num_results = executable.program->result_ranks.size();
  std::vector<Buffer*> inputs;
  std::vector<std::unique_ptr<Buffer>> outputs(num_devices * num_results);
  std::vector<Event> done(num_devices);
  for (size_t d = 0; d < num_devices; ++d) {
    for (size_t i = 0; i < args->num_args; ++i) inputs.push_back(args->argument_lists[d][i]->buffer.get());
  }
  std::vector<std::span<Buffer* const>> arguments;
  std::vector<std::span<std::unique_ptr<Buffer>>> results;
  for (size_t d = 0; d < num_devices; ++d) {
    arguments.push_back(std::span(inputs).subspan(d * args->num_args, args->num_args));
    results.push_back(std::span(outputs).subspan(d * num_results, num_results));
  }
  TREADLE_RETURN_IF_ERROR(executable.spmd->Execute(arguments, options, results, done));
  for (size_t d = 0; d < num_devices; ++d) {
    ReturnResults(*executable.program, executable.devices[d], results[d], args->output_lists[d]);
    if (args->device_complete_events != nullptr) args->device_complete_events[d] = NewEvent(std::move(done[d]));
  }
  return OkStatus();
}

}  // namespace

Status Call(PJRT_LoadedExecutable_Execute_Args* args) {
  TREADLE_RETURN_IF_ERROR(CheckArguments(*args, args->executable->program->executable.num_arguments()));
  ExecuteOptions options;
  TREADLE_RETURN_IF_ERROR(ReadOptions(args->options, options));
  options.channels = &args->executable->client->runtime->channels();
  if (args->options != nullptr && HasHostCallbacks(*args->options)) {
    const std::span<PJRT_Device* const> devices =
        args->execute_device != nullptr ? std::span(&args->execute_device, 1) : std::span(args->executable->devices);
    TREADLE_ASSIGN_OR_RETURN(options.own_channels, MakeHostChannels(*args->options, devices));
  }
  if (args->executable->spmd != nullptr && args->execute_device == nullptr) return ExecuteOnAll(args, options);
  return ExecuteOnOne(args, options);
}

Status Call(PJRT_ExecuteContext_Create_Args* args) {
  args->context = new PJRT_ExecuteContext;
  return OkStatus();
}

Status Call(PJRT_ExecuteContext_Destroy_Args* args) {
  delete args->context;
  return OkStatus();
}

}  // namespace treadle::pjrt

// PJRT_LoadedExecutable_Execute: the call that everything else is for.
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "pjrt/buffer.h"
#include "pjrt/calls.h"
#include "pjrt/event.h"
#include "pjrt/loaded_executable.h"
#include "runtime/small_array.h"

// What a caller gives to custom calls; this plugin has none that take it.
struct PJRT_ExecuteContext {};

namespace treadle::pjrt {
namespace {

Status ReadOptions(const PJRT_ExecuteOptions* options, ExecuteOptions& result) {
  if (options == nullptr) return OkStatus();
  if (options->num_send_ops > 0 || options->num_recv_ops > 0) {
    return Unimplemented("PJRT_LoadedExecutable_Execute: send and receive callbacks");
  }
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

// Runs on one device. On an error nothing is left behind.
Status ExecuteOn(LoadedExecutable& loaded, const std::vector<int>& result_kinds, PJRT_Device* device,
                 PJRT_Buffer* const* arguments, size_t num_arguments, const ExecuteOptions& options,
                 PJRT_Buffer** outputs, PJRT_Event** complete_event) {
  internal::SmallArray<Buffer*> inputs(num_arguments);
  for (size_t i = 0; i < num_arguments; ++i) inputs[i] = arguments[i]->buffer.get();
  const size_t num_results = static_cast<size_t>(loaded.num_results());
  internal::SmallArray<std::unique_ptr<Buffer>> results(num_results);
  Event done;
  TREADLE_RETURN_IF_ERROR(
      loaded.Execute({inputs.begin(), num_arguments}, options, {results.begin(), num_results}, &done));
  for (size_t i = 0; i < num_results; ++i)
    outputs[i] = NewBuffer(device->owned_memories[result_kinds[i]].get(), std::move(results[i]));
  if (complete_event != nullptr) *complete_event = NewEvent(std::move(done));
  return OkStatus();
}

}  // namespace

Status Call(PJRT_LoadedExecutable_Execute_Args* args) {
  PJRT_LoadedExecutable& executable = *args->executable;
  const size_t num_parameters = executable.program->executable.parameters.size();
  const size_t num_results = executable.program->result_ranks.size();
  TREADLE_RETURN_IF_ERROR(CheckArguments(*args, num_parameters));
  ExecuteOptions options;
  TREADLE_RETURN_IF_ERROR(ReadOptions(args->options, options));
  for (size_t d = 0; d < args->num_devices; ++d) {
    PJRT_Device* device = args->execute_device != nullptr ? args->execute_device : executable.devices[d];
    LoadedExecutable* loaded = args->execute_device == nullptr ? executable.loaded[d].get() : nullptr;
    if (loaded == nullptr) {
      TREADLE_ASSIGN_OR_RETURN(loaded, executable.LoadedOn(device));
    }
    Status status = ExecuteOn(*loaded, executable.program->result_kinds.indices, device,
                              num_parameters > 0 ? args->argument_lists[d] : nullptr, num_parameters, options,
                              args->output_lists[d],
                              args->device_complete_events != nullptr ? &args->device_complete_events[d] : nullptr);
    if (status.ok()) continue;
    // The caller takes nothing on an error, so what the devices before this one gave is given back.
    for (size_t before = 0; before < d; ++before) {
      for (size_t i = 0; i < num_results; ++i) delete args->output_lists[before][i];
      if (args->device_complete_events != nullptr) DestroyEvent(args->device_complete_events[before]);
    }
    return status;
  }
  return OkStatus();
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

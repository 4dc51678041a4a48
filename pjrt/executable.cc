// PJRT_Executable: a compiled program as such, apart from the devices it may be loaded on.
#include <string>

#include "pjrt/calls.h"
#include "pjrt/program.h"

// Bytes that their deleter gives back.
struct PJRT_SerializedExecutable {
  std::shared_ptr<const treadle::pjrt::Program> program;
};
struct PJRT_SerializedCompileOptions {
  std::shared_ptr<const treadle::pjrt::Program> program;
};

namespace treadle::pjrt {

Status Call(PJRT_Executable_Destroy_Args* args) {
  delete args->executable;
  return OkStatus();
}

Status Call(PJRT_Executable_Name_Args* args) {
  Return(args->executable->program->executable.name, &args->executable_name, &args->executable_name_size);
  return OkStatus();
}

Status Call(PJRT_Executable_NumReplicas_Args* args) {
  args->num_replicas = static_cast<size_t>(args->executable->program->options.num_replicas);
  return OkStatus();
}

Status Call(PJRT_Executable_NumPartitions_Args* args) {
  args->num_partitions = static_cast<size_t>(args->executable->program->options.num_partitions);
  return OkStatus();
}

Status Call(PJRT_Executable_NumOutputs_Args* args) {
  args->num_outputs = args->executable->program->result_ranks.size();
  return OkStatus();
}

Status Call(PJRT_Executable_SizeOfGeneratedCodeInBytes_Args* args) {
  args->size_in_bytes = args->executable->program->code_bytes();
  return OkStatus();
}

Status Call(PJRT_Executable_Fingerprint_Args* args) {
  Return(args->executable->program->Fingerprint(), &args->executable_fingerprint, &args->executable_fingerprint_size);
  return OkStatus();
}

Status Call(PJRT_Executable_OutputElementTypes_Args* args) {
  Return(args->executable->program->result_types, &args->output_types, &args->num_output_types);
  return OkStatus();
}

Status Call(PJRT_Executable_OutputDimensions_Args* args) {
  const Program& program = *args->executable->program;
  args->num_outputs = program.result_ranks.size();
  args->dims = program.result_dims.data();
  args->dim_sizes = program.result_ranks.data();
  return OkStatus();
}

Status Call(PJRT_Executable_OutputMemoryKinds_Args* args) {
  const Program::Kinds& kinds = args->executable->program->result_kinds;
  args->num_outputs = kinds.names.size();
  args->memory_kinds = kinds.names.data();
  args->memory_kind_sizes = kinds.sizes.data();
  return OkStatus();
}

Status Call(PJRT_Executable_ParameterMemoryKinds_Args* args) {
  const Program::Kinds& kinds = args->executable->program->parameter_kinds;
  args->num_parameters = kinds.names.size();
  args->memory_kinds = kinds.names.data();
  args->memory_kind_sizes = kinds.sizes.data();
  return OkStatus();
}

Status Call(PJRT_Executable_GetCostAnalysis_Args* args) {
  Return(args->executable->program->costs, &args->properties, &args->num_properties);
  return OkStatus();
}

Status Call(PJRT_Executable_GetCompiledMemoryStats_Args* args) {
  const Program& program = *args->executable->program;
  int64_t arguments = 0, results = 0, aliased = 0;
  const executable::Executable& executable = program.executable;
  for (size_t i = 0; i < executable.num_arguments(); ++i) {
    arguments += executable.HeldShape(executable.parameters[i]).bytes();
  }
  for (const executable::Result& result : executable.results) {
    const int64_t bytes = executable.HeldShape(result).bytes();
    results += bytes;
    if (result.donor >= 0) aliased += bytes;
  }
  const int64_t temp = program.executable.arena_bytes, peak = arguments + results - aliased + temp;
  args->generated_code_size_in_bytes = program.code_bytes();
  args->argument_size_in_bytes = arguments;
  args->output_size_in_bytes = results;
  args->alias_size_in_bytes = aliased;
  args->temp_size_in_bytes = temp;
  if (TREADLE_PJRT_HAS(args, host_temp_size_in_bytes)) {
    args->host_generated_code_size_in_bytes = 0;
    args->host_argument_size_in_bytes = 0;
    args->host_output_size_in_bytes = 0;
    args->host_alias_size_in_bytes = 0;
    args->host_temp_size_in_bytes = 0;
  }
  if (TREADLE_PJRT_HAS(args, peak_memory_in_bytes)) args->peak_memory_in_bytes = peak;
  if (TREADLE_PJRT_HAS(args, total_size_in_bytes)) args->total_size_in_bytes = peak + program.code_bytes();
  if (TREADLE_PJRT_HAS(args, peak_unpadded_heap_bytes)) {
    args->total_allocation_bytes = peak;
    args->indefinite_allocations = arguments + results - aliased;
    args->peak_unpadded_heap_bytes = peak;
  }
  return OkStatus();
}

// In two calls: the first, without memory for the code, asks for its size.
Status Call(PJRT_Executable_OptimizedProgram_Args* args) {
  if (args->program == nullptr) return InvalidArgument("PJRT_Executable_OptimizedProgram: program is null");
  const StatusOr<std::string>& kept = args->executable->program->OptimizedText();
  if (!kept.ok()) return kept.status().WithContext("PJRT_Executable_OptimizedProgram");
  const std::string& text = *kept;
  Return("mlir", &args->program->format, &args->program->format_size);
  if (args->program->code == nullptr) {
    args->program->code_size = text.size();
    return OkStatus();
  }
  if (args->program->code_size < text.size()) {
    return InvalidArgument("PJRT_Executable_OptimizedProgram: `code_size` " + std::to_string(args->program->code_size) +
                           " < " + std::to_string(text.size()));
  }
  text.copy(args->program->code, text.size());
  return OkStatus();
}

Status Call(PJRT_Executable_Serialize_Args* args) {
  auto* handle = new PJRT_SerializedExecutable{args->executable->program};
  Return(handle->program->Serialized(), &args->serialized_bytes, &args->serialized_bytes_size);
  args->serialized_executable = handle;
  args->serialized_executable_deleter = [](PJRT_SerializedExecutable* bytes) { delete bytes; };
  return OkStatus();
}

Status Call(PJRT_Executable_GetCompileOptions_Args* args) {
  auto* handle = new PJRT_SerializedCompileOptions{args->executable->program};
  Return(handle->program->serialized_options, &args->serialized_bytes, &args->serialized_bytes_size);
  args->serialized_compile_options = handle;
  args->serialized_compile_options_deleter = [](PJRT_SerializedCompileOptions* bytes) { delete bytes; };
  return OkStatus();
}

}  // namespace treadle::pjrt

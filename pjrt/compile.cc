// Compilation: PJRT_Client_Compile for the devices of a client, PJRT_Compile without one.
#include "compiler/compile.h"

#include <memory>
#include <string>
#include <utility>

#include "pjrt/calls.h"
#include "pjrt/client.h"
#include "pjrt/loaded_executable.h"
#include "pjrt/program.h"

namespace treadle::pjrt {
namespace {

// Programs up to this size are kept for who asks for their text; larger ones hold large constants.
constexpr size_t kMostSourceBytes = 1 << 20;

// Options that tune XLA mean nothing here and do no harm; anything else is a mistake that the user should know of.
Status CheckOverrides(const CompileOptions& options) {
  for (const auto& [name, value] : options.overrides) {
    if (!name.starts_with("xla_")) return InvalidArgument("No such compile option: '" + name + "'");
  }
  return OkStatus();
}

}  // namespace

StatusOr<std::shared_ptr<const Program>> CompileProgram(std::string_view function, const PJRT_Program* program,
                                                        std::string_view serialized_options,
                                                        const executable::Target& target, bool first_tier) {
  if (program == nullptr || (program->code == nullptr && program->code_size > 0)) {
    return InvalidArgument(std::string(function) + ": the program is null");
  }
  const std::string_view format = View(program->format, program->format_size);
  if (format != "mlir") {
    return InvalidArgument("Unknown program format '" + std::string(format) +
                           "'. Treadle reads 'mlir': StableHLO as text, "
                           "bytecode or portable artifact.");
  }
  StatusOr<CompileOptions> options = ParseCompileOptions(serialized_options);
  if (!options.ok()) return options.status().WithContext(function);
  TREADLE_RETURN_IF_ERROR(CheckOverrides(*options));
  if (options->tupled_parameters) return Unimplemented("parameter_is_tupled_arguments");
  compiler::CompileOptions compiler_options;
  compiler_options.target = target;
  compiler_options.num_replicas = static_cast<int32_t>(options->num_replicas);
  compiler_options.num_partitions = static_cast<int32_t>(options->num_partitions);
  compiler_options.spmd = options->spmd;
  std::shared_ptr<BetterCode> better;
  if (first_tier) {
    better = std::make_shared<BetterCode>();
    compiler_options.better_code = BetterCode::MakeSink(better, target);
  }
  TREADLE_ASSIGN_OR_RETURN(executable::Executable executable,
                           compiler::Compile(View(program->code, program->code_size), compiler_options));
  const std::string_view source = View(program->code, program->code_size);
  return std::make_shared<const Program>(std::move(executable), *std::move(options), std::string(serialized_options),
                                         std::string(source.size() <= kMostSourceBytes ? source : ""),
                                         std::move(better));
}

Status Call(PJRT_Client_Compile_Args* args) {
  TREADLE_ASSIGN_OR_RETURN(
      std::shared_ptr<const Program> program,
      CompileProgram("PJRT_Client_Compile", args->program, View(args->compile_options, args->compile_options_size),
                     args->client->runtime->target(), /*first_tier=*/true));
  TREADLE_ASSIGN_OR_RETURN(std::unique_ptr<PJRT_LoadedExecutable> loaded, Load(args->client, std::move(program)));
  args->executable = loaded.release();
  return OkStatus();
}

Status Call(PJRT_Compile_Args* args) {
  TREADLE_ASSIGN_OR_RETURN(
      std::shared_ptr<const Program> program,
      CompileProgram("PJRT_Compile", args->program, View(args->compile_options, args->compile_options_size),
                     args->topology->target, /*first_tier=*/false));
  args->executable = new PJRT_Executable{std::move(program)};
  return OkStatus();
}

Status Call(PJRT_Client_Load_Args* args) {
  if (args->executable == nullptr) return InvalidArgument("PJRT_Client_Load: the executable is null");
  std::shared_ptr<const Program> program = args->executable->program;
  // Other options than those of the compilation may name other devices.
  const std::string_view options_bytes = View(args->compile_options, args->compile_options_size);
  if (!options_bytes.empty() && options_bytes != program->serialized_options) {
    StatusOr<CompileOptions> options = ParseCompileOptions(options_bytes);
    if (!options.ok()) return options.status().WithContext("PJRT_Client_Load");
    program = std::make_shared<const Program>(program->executable, *std::move(options), std::string(options_bytes), "",
                                              program->better);
  }
  TREADLE_ASSIGN_OR_RETURN(std::unique_ptr<PJRT_LoadedExecutable> loaded, Load(args->client, std::move(program)));
  args->loaded_executable = loaded.release();
  return OkStatus();
}

Status Call(PJRT_Executable_DeserializeAndLoad_Args* args) {
  std::string_view overriding;
  if (TREADLE_PJRT_HAS(args, overridden_serialized_compile_options_size)) {
    overriding = View(args->overridden_serialized_compile_options, args->overridden_serialized_compile_options_size);
  }
  StatusOr<std::shared_ptr<const Program>> program =
      DeserializeProgram(View(args->serialized_executable, args->serialized_executable_size), overriding);
  if (!program.ok()) return program.status().WithContext("PJRT_Executable_DeserializeAndLoad");
  TREADLE_ASSIGN_OR_RETURN(std::unique_ptr<PJRT_LoadedExecutable> loaded, Load(args->client, *std::move(program)));
  args->loaded_executable = loaded.release();
  return OkStatus();
}

}  // namespace treadle::pjrt

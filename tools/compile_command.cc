// treadle compile FILE --emit=STAGE [-o FILE]
#include <map>
#include <memory>

#include "compiler/compile.h"
#include "tools/commands.h"

namespace treadle::tools {
namespace {

using compiler::Stage;

struct Options {
  std::string file, output, function = "main";
  Stage stage = Stage::kPlan;
  int replicas = 1, partitions = 1;
  bool flush_subnormals = false;
};

Status Compile(const Options& options) {
  if (options.stage == Stage::kObject && options.output.empty()) {
    return InvalidArgument("--emit=object writes binary code; name a file with -o FILE");
  }
  TREADLE_ASSIGN_OR_RETURN(std::string program, ReadFile(options.file));
  compiler::CompileOptions compile;
  TREADLE_ASSIGN_OR_RETURN(compile.target, executable::HostTarget());
  if (!options.flush_subnormals) compile.target = executable::KeepingSubnormals(compile.target);
  compile.function = options.function;
  compile.name = options.file;
  compile.num_replicas = options.replicas;
  compile.num_partitions = options.partitions;
  TREADLE_ASSIGN_OR_RETURN(std::string result, compiler::CompileTo(options.stage, program, compile));
  return WriteOutput(options.output, result);
}

}  // namespace

Command AddCompile(CLI::App& app) {
  auto options = std::make_shared<Options>();
  CLI::App* command = app.add_subcommand("compile", "Compile a program and print or write what a stage makes of it");
  command->add_option("file", options->file, "StableHLO text, bytecode or a portable artifact; - is standard input")
      ->required();
  const std::map<std::string, Stage> stages = {{"stablehlo", Stage::kStablehlo}, {"optimized", Stage::kOptimized},
                                               {"plan", Stage::kPlan},           {"llvm", Stage::kLlvm},
                                               {"asm", Stage::kAssembly},        {"object", Stage::kObject}};
  command->add_option("--emit", options->stage, "stablehlo, optimized, plan (default), llvm, asm or object")
      ->transform(CLI::Transformer(stages))
      ->option_text("STAGE");
  command->add_option("-o,--output", options->output, "file to write instead of standard output; needed for object");
  command->add_option("--function", options->function, "function to compile (default main)");
  command->add_flag("--flush-subnormals", options->flush_subnormals,
                    "arithmetic takes and gives zeros for subnormal numbers, as in the PJRT plugin");
  command->add_option("--partitions", options->partitions, "devices whose arrays the program works on (default 1)")
      ->check(CLI::Range(1, 4096));
  command->add_option("--replicas", options->replicas, "copies of the program that run together (default 1)")
      ->check(CLI::Range(1, 4096));
  command->footer(
      "Examples:\n"
      "  treadle compile model.mlir --emit=plan\n"
      "  treadle compile model.mlirbc --emit=object -o model.o");
  return [options] { return Compile(*options); };
}

}  // namespace treadle::tools

// treadle opt FILE [--PASS ...]
#include <iostream>
#include <memory>

#include "stablehlo/opt.h"
#include "tools/commands.h"
#include "tools/split_input.h"

namespace treadle::tools {
namespace {

struct Options {
  std::string file, output;
  stablehlo::OptOptions opt;
  bool split = false, verify_diagnostics = false, no_output = false;
};

Status Opt(const Options& options) {
  TREADLE_ASSIGN_OR_RETURN(const std::string text, ReadFile(options.file));
  const std::string name = options.file == "-" ? "<stdin>" : options.file;
  const std::vector<std::string> programs = options.split ? SplitInput(text) : std::vector<std::string>{text};
  std::string result, failures;
  for (const std::string& program : programs) {
    StatusOr<std::string> part = options.verify_diagnostics ? [&]() -> StatusOr<std::string> {
      TREADLE_RETURN_IF_ERROR(stablehlo::VerifyDiagnostics(program, name, options.opt.passes));
      return std::string();
    }()
        : stablehlo::Opt(program, name, options.opt);
    if (!part.ok()) {
      failures += (failures.empty() ? "" : "\n") + part.status().message();
    } else if (!options.verify_diagnostics) {
      result += (result.empty() ? "" : "\n// -----\n") + *part;
    }
  }
  if (!options.no_output && !options.verify_diagnostics) TREADLE_RETURN_IF_ERROR(WriteOutput(options.output, result));
  return failures.empty() ? OkStatus() : InvalidArgument(failures);
}

}  // namespace

Command AddOpt(CLI::App& app) {
  auto options = std::make_shared<Options>();
  CLI::App* command = app.add_subcommand("opt", "Read and verify a program, run passes over it, print it");
  command->add_option("file", options->file, "StableHLO text, bytecode or a portable artifact; - is standard input")
      ->required();
  command->add_option("-o,--output", options->output, "file to write instead of standard output");
  for (const stablehlo::PassDescription& pass : stablehlo::Passes()) {
    command
        ->add_flag_function(
            "--" + std::string(pass.name),
            [options, name = std::string(pass.name)](int64_t) { options->opt.passes.push_back(name); },
            "pass: " + std::string(pass.help))
        ->trigger_on_parse();
  }
  command->add_flag("--generic", options->opt.generic, "print operations in generic form");
  command->add_flag("--locations", options->opt.locations, "print locations too");
  command->add_flag("--split-input-file", options->split, "the file holds several programs between lines '// -----'");
  command->add_flag("--verify-diagnostics", options->verify_diagnostics,
                    "print nothing; succeed if errors are those that 'expected-error' comments announce");
  command->add_flag("--no-output", options->no_output, "print nothing");
  command->footer(
      "Passes run in the order in which they are named.\n"
      "Examples:\n"
      "  treadle opt model.mlirbc\n"
      "  treadle opt model.mlir --expand-composites --expand-chlo");
  return [options] { return Opt(*options); };
}

}  // namespace treadle::tools

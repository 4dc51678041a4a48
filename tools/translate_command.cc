// treadle translate FILE --to text|bytecode|artifact
#include <map>
#include <memory>

#include "stablehlo/opt.h"
#include "tools/commands.h"

namespace treadle::tools {
namespace {

enum class Form : uint8_t { kText, kBytecode, kArtifact };

struct Options {
  std::string file, output, target_version;
  Form form = Form::kText;
  bool generic = false;
  bool locations = false;
  bool allow_other_dialects = false;
};

Status CheckUse(const Options& options) {
  if (options.form != Form::kArtifact && (!options.target_version.empty() || options.allow_other_dialects)) {
    return InvalidArgument("--target-version and --allow-other-dialects belong to --to artifact");
  }
  if (options.form != Form::kText && (options.generic || options.locations)) {
    return InvalidArgument("--generic and --locations belong to --to text");
  }
  if (options.form != Form::kText && options.output.empty()) {
    return InvalidArgument("bytecode and artifacts are binary data; name a file with -o FILE");
  }
  return OkStatus();
}

Status Translate(const Options& options) {
  TREADLE_RETURN_IF_ERROR(CheckUse(options));
  TREADLE_ASSIGN_OR_RETURN(const std::string program, ReadFile(options.file));
  stablehlo::OptOptions opt;
  opt.generic = options.generic;
  opt.locations = options.locations;
  opt.bytecode = options.form == Form::kBytecode;
  if (options.form == Form::kArtifact) {
    opt.artifact = options.target_version.empty() ? stablehlo::NewestArtifactVersion() : options.target_version;
    opt.allow_other_dialects = options.allow_other_dialects;
  }
  TREADLE_ASSIGN_OR_RETURN(const std::string result,
                           stablehlo::Opt(program, options.file == "-" ? "<stdin>" : options.file, opt));
  return WriteOutput(options.output, result);
}

}  // namespace

Command AddTranslate(CLI::App& app) {
  auto options = std::make_shared<Options>();
  CLI::App* command = app.add_subcommand("translate", "Write a program in another form");
  command->add_option("file", options->file, "StableHLO text, bytecode or a portable artifact; - is standard input")
      ->required();
  const std::map<std::string, Form> forms = {
      {"text", Form::kText}, {"bytecode", Form::kBytecode}, {"artifact", Form::kArtifact}};
  command->add_option("--to", options->form, "text (default), bytecode or artifact")
      ->transform(CLI::Transformer(forms))
      ->option_text("FORM");
  command->add_flag("--generic", options->generic, "Text with every operation in generic form");
  command->add_flag("--locations", options->locations, "Text with the source location of every operation");
  command
      ->add_option("--target-version", options->target_version,
                   "StableHLO that shall read the artifact: 0.9.0 to " + stablehlo::NewestArtifactVersion() +
                       " (default). What it does not have is an error")
      ->option_text("VERSION");
  command->add_flag("--allow-other-dialects", options->allow_other_dialects,
                    "Artifacts may hold sdy, chlo and others as they are (from 1.11.0)");
  command->add_option("-o,--output", options->output, "File to write instead of standard output");
  command->footer(
      "Examples:\n"
      "  treadle translate model.mlirbc                             what is in an artifact\n"
      "  treadle translate model.mlirbc --generic -o model.mlir     text that every MLIR tool parses\n"
      "  treadle translate model.mlir --to bytecode -o model.bc     for this version of MLIR\n"
      "  treadle translate model.mlir --to artifact --target-version 1.8.0 -o model.mlirbc\n"
      "                                                             for any StableHLO from 1.8.0 on");
  return [options] { return Translate(*options); };
}

}  // namespace treadle::tools

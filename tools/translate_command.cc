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
};

Status Translate(const Options& options) {
  if (options.form == Form::kArtifact) {
    return Unimplemented(
        "portable artifacts are read (every version from 0.9.0 to 1.20.0), but not written yet; "
        "--to bytecode writes MLIR bytecode");
  }
  if (!options.target_version.empty()) return InvalidArgument("--target-version belongs to --to artifact");
  if (options.form == Form::kBytecode && options.output.empty()) {
    return InvalidArgument("--to bytecode writes binary data; name a file with -o FILE");
  }
  TREADLE_ASSIGN_OR_RETURN(const std::string program, ReadFile(options.file));
  stablehlo::OptOptions opt;
  opt.bytecode = options.form == Form::kBytecode;
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
  command->add_option("--target-version", options->target_version, "of StableHLO, for artifacts: 1.12.0");
  command->add_option("-o,--output", options->output, "file to write instead of standard output");
  command->footer(
      "Examples:\n"
      "  treadle translate model.mlirbc\n"
      "  treadle translate model.mlir --to bytecode -o model.bc");
  return [options] { return Translate(*options); };
}

}  // namespace treadle::tools

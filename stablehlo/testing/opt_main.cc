// treadle-opt: `treadle opt` without the compiler, which links in a moment. For lit tests.
//
//   treadle-opt [--PASS]... [--generic] [--locations] [--bytecode] [--no-output]
//              [--artifact=VERSION [--allow-other-dialects]] FILE
//
// FILE is text, bytecode or a portable artifact; "-" is standard input. Exits 1 with the error on standard error.

#include <algorithm>
#include <cstdio>
#include <string>

#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/raw_ostream.h"
#include "stablehlo/opt.h"

namespace treadle::stablehlo {
namespace {

struct Options {
  std::string file;
  OptOptions opt;
  bool output = true;
};

bool ParseOptions(int argc, char** argv, Options* options) {
  for (int i = 1; i < argc; ++i) {
    const std::string_view argument = argv[i];
    const bool is_pass =
        argument.starts_with("--") && std::ranges::count(Passes(), argument.substr(2), &PassDescription::name) > 0;
    if (is_pass) {
      options->opt.passes.emplace_back(argument.substr(2));
    } else if (argument == "--generic") {
      options->opt.generic = true;
    } else if (argument == "--locations") {
      options->opt.locations = true;
    } else if (argument == "--bytecode") {
      options->opt.bytecode = true;
    } else if (argument.starts_with("--artifact=")) {
      options->opt.artifact = argument.substr(argument.find('=') + 1);
    } else if (argument == "--allow-other-dialects") {
      options->opt.allow_other_dialects = true;
    } else if (argument == "--no-output") {
      options->output = false;
    } else if (options->file.empty() && (argument == "-" || !argument.starts_with("-"))) {
      options->file = argument;
    } else {
      return false;
    }
  }
  return !options->file.empty();
}

Status Run(const Options& options) {
  auto buffer = llvm::MemoryBuffer::getFileOrSTDIN(options.file);
  if (!buffer) return NotFound(options.file + ": " + buffer.getError().message());
  const llvm::StringRef bytes = (*buffer)->getBuffer();
  TREADLE_ASSIGN_OR_RETURN(const std::string result, Opt({bytes.data(), bytes.size()}, options.file, options.opt));
  if (options.output) llvm::outs() << result;
  return OkStatus();
}

}  // namespace
}  // namespace treadle::stablehlo

int main(int argc, char** argv) {
  treadle::stablehlo::Options options;
  if (!treadle::stablehlo::ParseOptions(argc, argv, &options)) {
    std::fputs(
        "usage: treadle-opt [--PASS]... [--generic] [--locations] [--bytecode] [--no-output] "
        "[--artifact=VERSION [--allow-other-dialects]] FILE\npasses:",
        stderr);
    for (const auto& pass : treadle::stablehlo::Passes()) std::fprintf(stderr, " %s", std::string(pass.name).c_str());
    std::fputs("\n", stderr);
    return 2;
  }
  const treadle::Status status = treadle::stablehlo::Run(options);
  if (status.ok()) return 0;
  std::fprintf(stderr, "%s\n", status.ToString().c_str());
  return 1;
}

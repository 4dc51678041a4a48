// treadle: compiles and runs StableHLO programs from the command line.
#include <fstream>
#include <iostream>
#include <iterator>
#include <sstream>
#include <utility>
#include <vector>

#include "executable/target.h"
#include "tools/commands.h"

namespace treadle::tools {

StatusOr<std::string> ReadFile(const std::string& path) {
  std::ostringstream contents;
  if (path == "-") {
    contents << std::cin.rdbuf();
    return contents.str();
  }
  std::ifstream file(path, std::ios::binary);
  if (!file) return NotFound("cannot read '" + path + "'");
  contents << file.rdbuf();
  if (file.bad() || contents.fail()) return InvalidArgument("cannot read '" + path + "'");
  return contents.str();
}

Status WriteOutput(const std::string& path, std::string_view contents) {
  if (path.empty() || path == "-") {
    std::cout << contents;
    if (!contents.empty() && contents.back() != '\n') std::cout << "\n";
    return OkStatus();
  }
  std::ofstream out(path, std::ios::binary);
  out << contents;
  out.flush();
  return out ? OkStatus() : InvalidArgument("cannot write '" + path + "'");
}

namespace {

std::string Version() {
  auto target = executable::HostTarget();
  return std::string("treadle ") + TREADLE_VERSION + " (StableHLO 1.15.0, " +
         (target.ok() ? target->Key() : target.status().message()) + ")";
}

// Exit statuses: 0 success, 1 a failed program or check, 2 bad usage.
int Main(int argc, char** argv) {
  CLI::App app("Compiles StableHLO programs to machine code and runs them.", "treadle");
  app.set_version_flag("--version", Version());
  app.require_subcommand(1);
  app.footer(
      "Examples:\n"
      "  treadle run add.mlir --input '3xf32=[1,2,3]' --input 3xf32=1\n"
      "  treadle compile model.mlir --emit=asm\n"
      "`treadle COMMAND --help` tells more. TREADLE_NUM_THREADS, TREADLE_ISA=v2|v3|v4|native, TREADLE_CACHE_DIR and "
      "TREADLE_LOG are obeyed.");
  std::vector<std::pair<std::string, Command>> commands = {
      {"run", AddRun(app)}, {"compile", AddCompile(app)}, {"opt", AddOpt(app)}, {"translate", AddTranslate(app)}};
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? 0 : 2;
  }
  for (const auto& [name, command] : commands) {
    if (!app.got_subcommand(name)) continue;
    Status status = command();
    if (status.ok()) return 0;
    std::cerr << "treadle: " << status.message() << "\n";
    return 1;
  }
  return 2;
}

}  // namespace
}  // namespace treadle::tools

int main(int argc, char** argv) { return treadle::tools::Main(argc, argv); }

// The subcommands of `treadle`. Each adds itself to the command line and returns what to do when it is chosen.
#ifndef TREADLE_TOOLS_COMMANDS_H_
#define TREADLE_TOOLS_COMMANDS_H_

#include <functional>
#include <string>
#include <string_view>

#include "CLI/CLI.hpp"
#include "base/status.h"

namespace treadle::tools {

using Command = std::function<Status()>;

Command AddRun(CLI::App& app);
Command AddCompile(CLI::App& app);
Command AddOpt(CLI::App& app);
Command AddTranslate(CLI::App& app);

// The contents of a file; "-" is standard input.
StatusOr<std::string> ReadFile(const std::string& path);
// Writes to a file; to standard output, with a line's end behind text, where the path is empty or "-".
Status WriteOutput(const std::string& path, std::string_view contents);

}  // namespace treadle::tools

#endif  // TREADLE_TOOLS_COMMANDS_H_

#include "tools/check_programs.h"

#include <iostream>
#include <memory>
#include <string_view>

#include "stablehlo/interpreter/run.h"
#include "tools/check_compiled.h"
#include "tools/commands.h"
#include "tools/split_input.h"

namespace treadle::tools {
namespace {

struct FileReport {
  int64_t checks = 0;
  std::vector<std::string> failures;  // expectations that did not hold, and errors
};

// Errors that have no place in the file get its name in front.
std::string WithFile(const std::string& file, const std::string& message) {
  return message.starts_with(file + ":") ? message : file + ": error: " + message;
}

FileReport CheckFile(const std::string& file, CompiledChecker* compiled) {
  FileReport report;
  StatusOr<std::string> text = ReadFile(file);
  if (!text.ok()) {
    report.failures.push_back(text.status().message());
    return report;
  }
  for (const std::string& program : SplitInput(*text)) {
    StatusOr<interpreter::CheckReport> part =
        compiled != nullptr ? compiled->Check(program, file) : interpreter::Check(program, file);
    if (!part.ok()) {
      report.failures.push_back(WithFile(file, part.status().message()));
      continue;
    }
    std::cout << part->printed;
    report.checks += part->checks;
    for (const std::string& miss : part->misses) report.failures.push_back(WithFile(file, miss));
  }
  return report;
}

std::string Quoted(std::string_view text) {
  constexpr std::string_view kHex = "0123456789abcdef";
  std::string quoted = "\"";
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == '"' || c == '\\') {
      quoted += '\\';
      quoted += c;
    } else if (byte < 0x20) {
      quoted += "\\u00";
      quoted += kHex[byte >> 4];
      quoted += kHex[byte & 15];
    } else {
      quoted += c;
    }
  }
  return quoted + "\"";
}

std::string Json(const std::string& file, const FileReport& report) {
  std::string line =
      "{\"file\": " + Quoted(file) + ", \"checks\": " + std::to_string(report.checks) + ", \"failures\": [";
  for (const std::string& failure : report.failures) line += (line.back() == '[' ? "" : ", ") + Quoted(failure);
  return line + "]}";
}

std::string Count(int64_t count, const std::string& what) {
  return std::to_string(count) + " " + what + (count == 1 ? "" : "s");
}

}  // namespace

Status CheckPrograms(const std::vector<std::string>& files, bool reference, bool json, bool flush_subnormals) {
  std::unique_ptr<CompiledChecker> compiled;
  if (!reference) {
    TREADLE_ASSIGN_OR_RETURN(compiled, CompiledChecker::Create(!flush_subnormals));
  }
  int64_t checks = 0;
  int64_t failed = 0;
  for (const std::string& file : files) {
    const FileReport report = CheckFile(file, compiled.get());
    checks += report.checks;
    failed += report.failures.empty() ? 0 : 1;
    if (json) {
      std::cout << Json(file, report) << std::endl;
    } else {
      for (const std::string& failure : report.failures) std::cerr << failure << "\n";
    }
  }
  const std::string total = Count(static_cast<int64_t>(files.size()), "file") + ", " + Count(checks, "check");
  if (!json) std::cout << total << ", " << failed << " failed\n";
  return failed == 0 ? OkStatus() : FailedPrecondition(Count(failed, "file") + " failed");
}

}  // namespace treadle::tools

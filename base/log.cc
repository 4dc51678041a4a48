#include "base/log.h"

#include <cstdio>
#include <cstdlib>
#include <string>

namespace treadle {

bool LogEnabled(std::string_view topic) {
  static const std::string* const topics = new std::string("," + std::string(Environment("TREADLE_LOG")) + ",");
  return topics->find(",all,") != std::string::npos ||
         topics->find("," + std::string(topic) + ",") != std::string::npos;
}

void LogLine(std::string_view message) {
  std::string line = "treadle: " + std::string(message) + "\n";
  std::fwrite(line.data(), 1, line.size(), stderr);
}

std::string_view Environment(const char* name) {
  const char* value = std::getenv(name);
  return value ? std::string_view(value) : std::string_view();
}

}  // namespace treadle

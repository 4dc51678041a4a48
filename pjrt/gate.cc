#include "pjrt/gate.h"

#include <chrono>

namespace treadle::pjrt {

Status BadArguments(const char* function, const void* args, size_t size, size_t min_size) {
  if (args == nullptr) return InvalidArgument(std::string(function) + ": the argument struct is null");
  return InvalidArgument(std::string(function) + ": the argument struct has " + std::to_string(size) +
                         " bytes (struct_size), at least " + std::to_string(min_size) + " are needed");
}

bool TraceEnabled() {
  static const bool enabled = LogEnabled("pjrt");
  return enabled;
}

int64_t TraceClock() { return std::chrono::nanoseconds(std::chrono::steady_clock::now().time_since_epoch()).count(); }

void Trace(const char* function, int64_t begin, const Status& status) {
  std::string line = std::string(function) + " " + std::to_string((TraceClock() - begin) / 1000) + " us";
  if (!status.ok()) line += ": " + status.ToString();
  LogLine(line);
}

}  // namespace treadle::pjrt

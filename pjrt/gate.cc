#include "pjrt/gate.h"

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

void Trace(const char* function, const Status& status) {
  LogLine(status.ok() ? std::string(function) : std::string(function) + ": " + status.ToString());
}

}  // namespace treadle::pjrt

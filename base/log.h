// Silent unless asked: TREADLE_LOG=topic[,topic...] (or "all") prints lines "treadle: ..." to standard error.
#ifndef TREADLE_BASE_LOG_H_
#define TREADLE_BASE_LOG_H_

#include <string_view>

namespace treadle {

// Whether TREADLE_LOG names `topic`. Read once a process; thread-safe.
bool LogEnabled(std::string_view topic);

// Prints "treadle: message\n" in one write. Thread-safe.
void LogLine(std::string_view message);

// The value of an environment variable, or empty. Thread-safe as long as nobody changes the environment.
std::string_view Environment(const char* name);

}  // namespace treadle

#endif  // TREADLE_BASE_LOG_H_

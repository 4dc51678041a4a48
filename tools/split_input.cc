#include "tools/split_input.h"

#include <algorithm>

namespace treadle::tools {

std::vector<std::string> SplitInput(std::string_view text) {
  constexpr std::string_view kMarker = "// -----";
  if (text.starts_with("ML\xefR")) return {std::string(text)};
  std::vector<std::string> parts(1);
  size_t lines = 0;
  while (!text.empty()) {
    const size_t end = std::min(text.find('\n'), text.size() - 1) + 1;
    const std::string_view line = text.substr(0, end);
    text.remove_prefix(end);
    ++lines;
    if (line.starts_with(kMarker) && line.find_first_not_of("-\r\n ", kMarker.size()) == std::string_view::npos) {
      parts.emplace_back(lines, '\n');
    } else {
      parts.back() += line;
    }
  }
  return parts;
}

}  // namespace treadle::tools

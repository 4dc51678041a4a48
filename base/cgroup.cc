#include "base/cgroup.h"

#include <fstream>
#include <iterator>
#include <sstream>

namespace treadle {
namespace {

// The path of this process in the hierarchy, from /proc/self/cgroup ("4:cpu,cpuacct:/a/b", v2: "0::/a/b").
std::string CgroupPath(const std::string& controller) {
  std::ifstream lines("/proc/self/cgroup");
  for (std::string line; std::getline(lines, line);) {
    const size_t first = line.find(':');
    const size_t second = first == std::string::npos ? first : line.find(':', first + 1);
    if (second == std::string::npos) continue;
    std::istringstream names(line.substr(first + 1, second - first - 1));
    if (controller.empty() && second == first + 1) return line.substr(second + 1);
    for (std::string name; std::getline(names, name, ',');) {
      if (!controller.empty() && name == controller) return line.substr(second + 1);
    }
  }
  return "/";  // hidden by a namespace, or no such hierarchy
}

}  // namespace

std::vector<std::string> ReadCgroup(const std::string& controller, const std::string& file) {
  const std::string root = "/sys/fs/cgroup" + (controller.empty() ? "" : "/" + controller);
  std::vector<std::string> contents;
  for (std::string path = CgroupPath(controller);;) {
    if (path == "/") path.clear();
    std::ifstream in(root + path + "/" + file);
    if (in) contents.emplace_back(std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>());
    if (path.empty()) return contents;
    const size_t slash = path.rfind('/');
    path.resize(slash == std::string::npos ? 0 : slash);
  }
}

}  // namespace treadle

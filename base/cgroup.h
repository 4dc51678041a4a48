// Reading the limits that the kernel's control groups set on this process.
#ifndef TREADLE_BASE_CGROUP_H_
#define TREADLE_BASE_CGROUP_H_

#include <string>
#include <vector>

namespace treadle {

// The contents of `file` in the process's cgroup and in each of its parents that has it, innermost first. `controller`:
// the hierarchy of cgroup v1 ("cpu", "memory"), or "" for v2. Empty where there is no such hierarchy.
std::vector<std::string> ReadCgroup(const std::string& controller, const std::string& file);

}  // namespace treadle

#endif  // TREADLE_BASE_CGROUP_H_

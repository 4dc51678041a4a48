// How many CPUs this process may keep busy.
#ifndef TREADLE_ASYNC_CPU_COUNT_H_
#define TREADLE_ASYNC_CPU_COUNT_H_

#include <optional>
#include <string_view>

namespace treadle {

// CPUs in the affinity mask, limited by the quota of the process's cgroup, rounded up. At least 1.
int UsableCpus();

// The CPUs that the text of a cgroup v2 `cpu.max` file grants ("150000 100000" is 1.5); nothing for "max" or nonsense.
std::optional<double> ParseCpuMax(std::string_view text);

}  // namespace treadle

#endif  // TREADLE_ASYNC_CPU_COUNT_H_

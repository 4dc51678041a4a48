#include "async/cpu_count.h"

#include <sched.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <thread>

#include "base/cgroup.h"

namespace treadle {

std::optional<double> ParseCpuMax(std::string_view text) {
  const std::string copy(text);
  double quota = 0, period = 0;
  if (std::sscanf(copy.c_str(), "%lf %lf", &quota, &period) != 2 || quota <= 0 || period <= 0) return std::nullopt;
  return quota / period;
}

namespace {

int AffinityCpus() {
  for (int cpus = 1024; cpus <= 1 << 20; cpus *= 4) {  // the kernel refuses sets smaller than its own
    cpu_set_t* set = CPU_ALLOC(cpus);
    const size_t bytes = CPU_ALLOC_SIZE(cpus);
    const bool ok = sched_getaffinity(0, bytes, set) == 0;
    const int count = ok ? CPU_COUNT_S(bytes, set) : 0;
    CPU_FREE(set);
    if (ok) return std::max(count, 1);
  }
  return std::max<int>(static_cast<int>(std::thread::hardware_concurrency()), 1);
}

}  // namespace

int UsableCpus() {
  double cpus = AffinityCpus();
  for (const std::string& text : ReadCgroup("", "cpu.max")) {
    if (auto limit = ParseCpuMax(text)) cpus = std::min(cpus, *limit);
  }
  const std::vector<std::string> quotas = ReadCgroup("cpu", "cpu.cfs_quota_us");
  const std::vector<std::string> periods = ReadCgroup("cpu", "cpu.cfs_period_us");
  for (size_t i = 0; i < std::min(quotas.size(), periods.size()); ++i) {
    if (auto limit = ParseCpuMax(quotas[i] + " " + periods[i])) cpus = std::min(cpus, *limit);
  }
  return std::max(1, static_cast<int>(std::ceil(cpus)));
}

}  // namespace treadle

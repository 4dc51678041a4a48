// The targets that kernels are tested for.
#ifndef TREADLE_KERNELS_TESTING_TARGETS_H_
#define TREADLE_KERNELS_TESTING_TARGETS_H_

#include <vector>

#include "executable/target.h"

namespace treadle::kernels::testing {

// Every ISA level that this machine runs, without features beyond the level.
inline std::vector<executable::Target> Targets() {
  using executable::IsaLevel;
  std::vector<executable::Target> targets;
  for (IsaLevel isa : {IsaLevel::kV2, IsaLevel::kV3, IsaLevel::kV4}) {
    executable::Target target;
    target.isa = isa;
    if (executable::HostRuns(target)) targets.push_back(target);
  }
  return targets;
}

}  // namespace treadle::kernels::testing

#endif  // TREADLE_KERNELS_TESTING_TARGETS_H_

// Shardings of parameters and results. A program of one device has none to speak of, which a null list says; those of
// several partitions do not compile yet.
#include "pjrt/calls.h"

namespace treadle::pjrt {

Status Call(PJRT_Shardings_PJRT_Executable_ParameterShardings_Args* args) {
  args->num_parameters = 0;
  args->shardings = nullptr;
  args->sharding_sizes = nullptr;
  return OkStatus();
}

Status Call(PJRT_Shardings_PJRT_Executable_OutputShardings_Args* args) {
  args->num_outputs = 0;
  args->shardings = nullptr;
  args->sharding_sizes = nullptr;
  return OkStatus();
}

}  // namespace treadle::pjrt

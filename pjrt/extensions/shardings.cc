// Shardings of parameters and results. A program of one device has none to speak of, which a null list says.
#include "pjrt/calls.h"
#include "pjrt/program.h"

namespace treadle::pjrt {
namespace {

void ReturnShardings(const Program::Shardings& shardings, size_t* count, const char* const** data,
                     const size_t** sizes) {
  const bool none = shardings.data.empty();
  *count = shardings.data.size();
  *data = none ? nullptr : shardings.data.data();
  *sizes = none ? nullptr : shardings.sizes.data();
}

}  // namespace

Status Call(PJRT_Shardings_PJRT_Executable_ParameterShardings_Args* args) {
  ReturnShardings(args->executable->program->parameter_shardings, &args->num_parameters, &args->shardings,
                  &args->sharding_sizes);
  return OkStatus();
}

Status Call(PJRT_Shardings_PJRT_Executable_OutputShardings_Args* args) {
  ReturnShardings(args->executable->program->result_shardings, &args->num_outputs, &args->shardings,
                  &args->sharding_sizes);
  return OkStatus();
}

}  // namespace treadle::pjrt

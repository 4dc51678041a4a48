#include "pjrt/api.h"

#include "pjrt/calls.h"
#include "pjrt/error.h"
#include "pjrt/extensions/extensions.h"
#include "pjrt/gate.h"
#include "pjrt/pjrt_c_api.h"

namespace treadle::pjrt {
namespace {

#define TREADLE_NAME(function, size, handle) constexpr char kName_##function[] = #function;
PJRT_FOR_EACH_FUNCTION(TREADLE_NAME)
#undef TREADLE_NAME

PJRT_Api MakeApi() {
  PJRT_Api api = {};
  api.struct_size = PJRT_Api_STRUCT_SIZE;
  api.extension_start = FirstExtension();
  api.pjrt_api_version = {.struct_size = PJRT_Api_Version_STRUCT_SIZE,
                          .extension_start = nullptr,
                          .major_version = PJRT_API_MAJOR,
                          .minor_version = PJRT_API_MINOR};
  api.PJRT_Error_Destroy = &DestroyError;
  api.PJRT_Error_Message = &ErrorMessage;
#define TREADLE_SLOT(function, size, handle) api.function = &Gate<function##_Args, size, handle, kName_##function>;
  PJRT_FOR_EACH_FUNCTION(TREADLE_SLOT)
#undef TREADLE_SLOT
  return api;
}

}  // namespace

const PJRT_Api* Api() {
  static const PJRT_Api api = MakeApi();
  return &api;
}

}  // namespace treadle::pjrt

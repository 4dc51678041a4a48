#include "pjrt/extensions/extensions.h"

#include "pjrt/gate.h"
#include "pjrt/pjrt_c_api_extensions.h"

namespace treadle::pjrt {
namespace {

#define TREADLE_ENTRY(function, size, handle)    \
  constexpr char kName_##function[] = #function; \
  constexpr auto k##function = &Gate<function##_Args, size, handle, kName_##function>;
PJRT_FOR_EACH_EXTENSION_FUNCTION(TREADLE_ENTRY)
#undef TREADLE_ENTRY

}  // namespace

PJRT_Extension_Base* FirstExtension() {
  static PJRT_Layouts_Extension layouts = {
      .base = {.struct_size = PJRT_Layouts_Extension_STRUCT_SIZE, .type = PJRT_Extension_Type_Layouts, .next = nullptr},
      .PJRT_Layouts_MemoryLayout_Destroy = kPJRT_Layouts_MemoryLayout_Destroy,
      .PJRT_Layouts_MemoryLayout_Serialize = kPJRT_Layouts_MemoryLayout_Serialize,
      .PJRT_Layouts_PJRT_Client_GetDefaultLayout = kPJRT_Layouts_PJRT_Client_GetDefaultLayout,
      .PJRT_Layouts_PJRT_Buffer_MemoryLayout = kPJRT_Layouts_PJRT_Buffer_MemoryLayout,
      .PJRT_Layouts_PJRT_Topology_GetDefaultLayout = kPJRT_Layouts_PJRT_Topology_GetDefaultLayout,
      .PJRT_Layouts_PJRT_Executable_GetOutputLayouts = kPJRT_Layouts_PJRT_Executable_GetOutputLayouts,
      .PJRT_Layouts_PJRT_Executable_GetParameterLayouts = kPJRT_Layouts_PJRT_Executable_GetParameterLayouts,
  };
  static PJRT_Shardings_Extension shardings = {
      .base = {.struct_size = PJRT_Shardings_Extension_STRUCT_SIZE,
               .type = PJRT_Extension_Type_Shardings,
               .next = &layouts.base},
      .PJRT_Shardings_PJRT_Executable_ParameterShardings = kPJRT_Shardings_PJRT_Executable_ParameterShardings,
      .PJRT_Shardings_PJRT_Executable_OutputShardings = kPJRT_Shardings_PJRT_Executable_OutputShardings,
  };
  static PJRT_MemoryDescriptions_Extension memories = {
      .base = {.struct_size = PJRT_MemoryDescriptions_Extension_STRUCT_SIZE,
               .type = PJRT_Extension_Type_MemoryDescriptions,
               .next = &shardings.base},
      .PJRT_DeviceDescription_MemoryDescriptions = kPJRT_DeviceDescription_MemoryDescriptions,
      .PJRT_MemoryDescription_Kind = kPJRT_MemoryDescription_Kind,
  };
  return &memories.base;
}

}  // namespace treadle::pjrt

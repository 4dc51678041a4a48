// The functions of the C API that this plugin does not offer. Each says so by name; none is a null pointer.
#include <string>

#include "pjrt/calls.h"

namespace treadle::pjrt {

#define TREADLE_UNIMPLEMENTED(function) \
  Status Call(function##_Args*) { return Unimplemented(#function " is not implemented by treadle"); }

// Recovery of many hosts.
TREADLE_UNIMPLEMENTED(PJRT_Device_PoisonExecution)

// Statistics count from the start of the client.
TREADLE_UNIMPLEMENTED(PJRT_Device_ClearMemoryStats)

// Shapes as protobuf messages; all layouts are the default one here.
TREADLE_UNIMPLEMENTED(PJRT_TopologyDescription_MakeCanonicalShapeForMemorySpace)

}  // namespace treadle::pjrt

// The one symbol that the plugin exports.
#include "pjrt/api.h"

extern "C" __attribute__((visibility("default"))) const PJRT_Api* GetPjrtApi() { return treadle::pjrt::Api(); }

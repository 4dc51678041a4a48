// The table of the C API.
#ifndef TREADLE_PJRT_API_H_
#define TREADLE_PJRT_API_H_

#include "pjrt/pjrt_c_api.h"

namespace treadle::pjrt {

// Every slot is filled: see calls.h.
const PJRT_Api* Api();

}  // namespace treadle::pjrt

#endif  // TREADLE_PJRT_API_H_

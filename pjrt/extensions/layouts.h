// The layout of an array, which is row-major here, as an object of the Layouts extension.
#ifndef TREADLE_PJRT_EXTENSIONS_LAYOUTS_H_
#define TREADLE_PJRT_EXTENSIONS_LAYOUTS_H_

#include <cstddef>

#include "pjrt/pjrt_c_api_extensions.h"

namespace treadle::pjrt {

// Immortal, so that it does not matter who destroys it. Null above 64 dimensions.
PJRT_Layouts_MemoryLayout* LayoutOfRank(size_t rank);

}  // namespace treadle::pjrt

#endif  // TREADLE_PJRT_EXTENSIONS_LAYOUTS_H_

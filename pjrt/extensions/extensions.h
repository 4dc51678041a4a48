// The extensions that the plugin offers. JAX behaves differently where it finds one, so each is complete or absent.
#ifndef TREADLE_PJRT_EXTENSIONS_EXTENSIONS_H_
#define TREADLE_PJRT_EXTENSIONS_EXTENSIONS_H_

#include "pjrt/pjrt_c_api.h"

namespace treadle::pjrt {

// The head of the chain that the table points to.
PJRT_Extension_Base* FirstExtension();

}  // namespace treadle::pjrt

#endif  // TREADLE_PJRT_EXTENSIONS_EXTENSIONS_H_

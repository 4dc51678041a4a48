// The kernels written by hand, by symbol. Executables name them; the runtime resolves the names here.
#ifndef TREADLE_KERNELS_TABLE_H_
#define TREADLE_KERNELS_TABLE_H_

#include <string_view>

#include "executable/kernel_abi.h"
#include "executable/target.h"

namespace treadle {

// The implementation of `symbol` for a machine like `target`; null where there is none. Thread-safe.
TreadleKernel FindKernel(std::string_view symbol, const executable::Target& target);

}  // namespace treadle

#endif  // TREADLE_KERNELS_TABLE_H_

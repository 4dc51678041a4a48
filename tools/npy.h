// NumPy's .npy files, versions 1 to 3: numbers and booleans in C order.
#ifndef TREADLE_TOOLS_NPY_H_
#define TREADLE_TOOLS_NPY_H_

#include <string>

#include "base/status.h"
#include "tools/tensor.h"

namespace treadle::tools {

// Fortran order and big-endian numbers are UNIMPLEMENTED. Raw 2-byte records ("|V2") are read as bf16, as ml_dtypes
// writes them.
StatusOr<Tensor> ReadNpy(const std::string& path);
Status WriteNpy(const std::string& path, const Tensor& tensor);

}  // namespace treadle::tools

#endif  // TREADLE_TOOLS_NPY_H_

// The rows of the kernels of linear algebra in kernels/table.h.
#ifndef TREADLE_KERNELS_LINALG_LINALG_TABLE_H_
#define TREADLE_KERNELS_LINALG_LINALG_TABLE_H_

#include <vector>

#include "kernels/table.h"

namespace treadle::kernels::linalg {

void AddLinalgRows(std::vector<KernelRow>& rows);

}  // namespace treadle::kernels::linalg

#endif  // TREADLE_KERNELS_LINALG_LINALG_TABLE_H_

// Adds the dot kernels of every ISA level to the table of kernels.
#ifndef TREADLE_KERNELS_DENSE_DOT_ROWS_H_
#define TREADLE_KERNELS_DENSE_DOT_ROWS_H_

#include <vector>

namespace treadle {
struct KernelRow;
}

namespace treadle::kernels::dense {

void AddDotRows(std::vector<KernelRow>& rows);

}  // namespace treadle::kernels::dense

#endif  // TREADLE_KERNELS_DENSE_DOT_ROWS_H_

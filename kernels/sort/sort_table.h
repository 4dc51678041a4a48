// Adds the sort kernels of every ISA level to the table of kernels.
#ifndef TREADLE_KERNELS_SORT_SORT_TABLE_H_
#define TREADLE_KERNELS_SORT_SORT_TABLE_H_

#include <vector>

namespace treadle {
struct KernelRow;
}

namespace treadle::kernels::sort {

void AddSortRows(std::vector<KernelRow>& rows);

}  // namespace treadle::kernels::sort

#endif  // TREADLE_KERNELS_SORT_SORT_TABLE_H_

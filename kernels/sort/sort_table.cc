#include "kernels/sort/sort_table.h"

#include "kernels/sort/sort_isa.h"
#include "kernels/table.h"

namespace treadle::kernels::sort {

void AddSortRows(std::vector<KernelRow>& rows) {
  const IsaKernels &a = v2::kIsaKernels, &b = v3::kIsaKernels, &c = v4::kIsaKernels;
#define TREADLE_SORT_ROW(kind, width) \
  rows.push_back({"sort_" #kind "_" #width, a.width.kind, b.width.kind, c.width.kind})
#define TREADLE_SORT_ROWS(width)   \
  TREADLE_SORT_ROW(rows, width);   \
  TREADLE_SORT_ROW(load, width);   \
  TREADLE_SORT_ROW(count, width);  \
  TREADLE_SORT_ROW(spread, width); \
  TREADLE_SORT_ROW(sort, width);   \
  TREADLE_SORT_ROW(place, width)
  TREADLE_SORT_ROWS(u16);
  TREADLE_SORT_ROWS(u32);
  TREADLE_SORT_ROWS(u64);
  TREADLE_SORT_ROWS(u128);
  TREADLE_SORT_ROW(network, u16);
  TREADLE_SORT_ROW(network, u32);
  TREADLE_SORT_ROW(network, u64);
  TREADLE_SORT_ROW(select, u64);
  TREADLE_SORT_ROW(select, u128);
#undef TREADLE_SORT_ROWS
#undef TREADLE_SORT_ROW
}

}  // namespace treadle::kernels::sort

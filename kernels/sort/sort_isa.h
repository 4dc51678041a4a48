// What the sort kernels' translation units, one for each ISA level, export.
#ifndef TREADLE_KERNELS_SORT_SORT_ISA_H_
#define TREADLE_KERNELS_SORT_SORT_ISA_H_

#include "executable/kernel_abi.h"

namespace treadle::kernels::sort {

// By width of the items; null where there is none.
struct KernelSet {
  TreadleKernel network, rows, select, load, count, spread, sort, place;
};

struct IsaKernels {
  KernelSet u16, u32, u64, u128;
};

namespace v2 {
extern const IsaKernels kIsaKernels;
}
namespace v3 {
extern const IsaKernels kIsaKernels;
}
namespace v4 {
extern const IsaKernels kIsaKernels;
}

}  // namespace treadle::kernels::sort

#endif  // TREADLE_KERNELS_SORT_SORT_ISA_H_

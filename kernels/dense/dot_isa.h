// What the dot kernels' translation units, one for each ISA level, export.
#ifndef TREADLE_KERNELS_DENSE_DOT_ISA_H_
#define TREADLE_KERNELS_DENSE_DOT_ISA_H_

#include "executable/kernel_abi.h"

namespace treadle::kernels::dense {

struct KernelSet {
  TreadleKernel pack_rhs, gemm, lanes, fold, channels, copy;
};

struct IsaKernels {
  KernelSet f32, f64, i32, i64;  // by compute type
  KernelSet i16;  // pairs of integers that fit 16 bits. Only pack_rhs and gemm: the others work on accumulators
};

// Of pairs of 16-bit elements where the CPU has vdpbf16ps and vpdpwssd. Only pack_rhs and gemm.
struct PairKernels {
  KernelSet bf16, i16_vnni;
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

namespace v4_pairs {
extern const PairKernels kPairKernels;
}

}  // namespace treadle::kernels::dense

#endif  // TREADLE_KERNELS_DENSE_DOT_ISA_H_

// What the FFT kernels' translation units, one for each ISA level, export.
#ifndef TREADLE_KERNELS_FFT_FFT_ISA_H_
#define TREADLE_KERNELS_FFT_FFT_ISA_H_

#include "executable/kernel_abi.h"

namespace treadle::kernels::fft {

struct KernelSet {
  TreadleKernel lanes, rows, unpack;
};

struct IsaKernels {
  KernelSet f32, f64;
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

}  // namespace treadle::kernels::fft

#endif  // TREADLE_KERNELS_FFT_FFT_ISA_H_

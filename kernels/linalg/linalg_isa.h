// What the translation units of linear algebra, one for each ISA level, export.
#ifndef TREADLE_KERNELS_LINALG_LINALG_ISA_H_
#define TREADLE_KERNELS_LINALG_LINALG_ISA_H_

#include "executable/kernel_abi.h"

namespace treadle::kernels::linalg {

struct KernelSet {
  TreadleKernel cholesky_lanes, cholesky, cholesky_load, cholesky_diagonal, cholesky_solve, cholesky_update,
      cholesky_finish;
  TreadleKernel triangular_solve;
  TreadleKernel lu, lu_load, lu_panel, lu_update, lu_finish;
  TreadleKernel qr, qr_load, qr_factor, qr_apply, qr_finish;
  TreadleKernel product, product_load, product_read, product_apply, product_finish;
  TreadleKernel eigh, svd, tridiagonal;
};

struct IsaKernels {
  KernelSet f32, f64, c64, c128;
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

}  // namespace treadle::kernels::linalg

#endif  // TREADLE_KERNELS_LINALG_LINALG_ISA_H_

#include "kernels/linalg/linalg_table.h"

#include "kernels/linalg/linalg_isa.h"

namespace treadle::kernels::linalg {

void AddLinalgRows(std::vector<KernelRow>& rows) {
  const IsaKernels &a = v2::kIsaKernels, &b = v3::kIsaKernels, &c = v4::kIsaKernels;
#define TREADLE_LINALG_ROW(kind)                                                \
  rows.push_back({"linalg_" #kind "_f32", a.f32.kind, b.f32.kind, c.f32.kind}); \
  rows.push_back({"linalg_" #kind "_f64", a.f64.kind, b.f64.kind, c.f64.kind}); \
  rows.push_back({"linalg_" #kind "_c64", a.c64.kind, b.c64.kind, c.c64.kind}); \
  rows.push_back({"linalg_" #kind "_c128", a.c128.kind, b.c128.kind, c.c128.kind})
  rows.push_back({"linalg_cholesky_lanes_f32", a.f32.cholesky_lanes, b.f32.cholesky_lanes, c.f32.cholesky_lanes});
  rows.push_back({"linalg_cholesky_lanes_f64", a.f64.cholesky_lanes, b.f64.cholesky_lanes, c.f64.cholesky_lanes});
  TREADLE_LINALG_ROW(cholesky);
  TREADLE_LINALG_ROW(cholesky_load);
  TREADLE_LINALG_ROW(cholesky_diagonal);
  TREADLE_LINALG_ROW(cholesky_solve);
  TREADLE_LINALG_ROW(cholesky_update);
  TREADLE_LINALG_ROW(cholesky_finish);
  TREADLE_LINALG_ROW(triangular_solve);
  TREADLE_LINALG_ROW(lu);
  TREADLE_LINALG_ROW(lu_load);
  TREADLE_LINALG_ROW(lu_panel);
  TREADLE_LINALG_ROW(lu_update);
  TREADLE_LINALG_ROW(lu_finish);
  TREADLE_LINALG_ROW(qr);
  TREADLE_LINALG_ROW(qr_load);
  TREADLE_LINALG_ROW(qr_factor);
  TREADLE_LINALG_ROW(qr_apply);
  TREADLE_LINALG_ROW(qr_finish);
  TREADLE_LINALG_ROW(product);
  TREADLE_LINALG_ROW(product_load);
  TREADLE_LINALG_ROW(product_read);
  TREADLE_LINALG_ROW(product_apply);
  TREADLE_LINALG_ROW(product_finish);
  TREADLE_LINALG_ROW(eigh);
  TREADLE_LINALG_ROW(svd);
  TREADLE_LINALG_ROW(tridiagonal);
#undef TREADLE_LINALG_ROW
}

}  // namespace treadle::kernels::linalg

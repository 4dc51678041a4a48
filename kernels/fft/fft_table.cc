#include "kernels/fft/fft_table.h"

#include "kernels/fft/fft_isa.h"

namespace treadle::kernels::fft {

void AddFftRows(std::vector<KernelRow>& rows) {
  const IsaKernels &a = v2::kIsaKernels, &b = v3::kIsaKernels, &c = v4::kIsaKernels;
#define TREADLE_FFT_ROW(kind, type) rows.push_back({"fft_" #kind "_" #type, a.type.kind, b.type.kind, c.type.kind})
#define TREADLE_FFT_ROWS(type)  \
  TREADLE_FFT_ROW(lanes, type); \
  TREADLE_FFT_ROW(rows, type);  \
  TREADLE_FFT_ROW(unpack, type)
  TREADLE_FFT_ROWS(f32);
  TREADLE_FFT_ROWS(f64);
#undef TREADLE_FFT_ROWS
#undef TREADLE_FFT_ROW
}

}  // namespace treadle::kernels::fft

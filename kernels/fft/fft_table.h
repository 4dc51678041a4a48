// The rows of the FFT kernels in kernels/table.h.
#ifndef TREADLE_KERNELS_FFT_FFT_TABLE_H_
#define TREADLE_KERNELS_FFT_FFT_TABLE_H_

#include <vector>

#include "kernels/table.h"

namespace treadle::kernels::fft {

void AddFftRows(std::vector<KernelRow>& rows);

}  // namespace treadle::kernels::fft

#endif  // TREADLE_KERNELS_FFT_FFT_TABLE_H_

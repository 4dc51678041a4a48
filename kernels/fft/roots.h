// Roots of unity and transforms in extended precision, for tables.
#ifndef TREADLE_KERNELS_FFT_ROOTS_H_
#define TREADLE_KERNELS_FFT_ROOTS_H_

#include <complex>
#include <cstdint>
#include <vector>

namespace treadle::kernels::fft {

using Number = std::complex<long double>;

// exp(-2 pi i a / b); a >= 0, b > 0, both below 2^60.
Number Root(int64_t a, int64_t b);

// `radices` in order, whose product is `count`; empty for 1. Factors of 8 first, then 4, 2, 3, 5, 7, 11, 13. Where the
// count has a larger prime factor: nothing, with ok false.
struct Factors {
  bool ok = false;
  std::vector<int64_t> radices;
};
Factors FactorsOf(int64_t count);

// The transform of z. REQUIRES: FactorsOf(z.size()).ok.
std::vector<Number> Transformed(std::vector<Number> z);

}  // namespace treadle::kernels::fft

#endif  // TREADLE_KERNELS_FFT_ROOTS_H_

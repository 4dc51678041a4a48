#include "kernels/fft/roots.h"

#include <cmath>
#include <numbers>
#include <utility>

namespace treadle::kernels::fft {

// The angle as quarter turns and a rest, of which at most half a quarter goes through sine and cosine: exact at all
// multiples of a quarter, and symmetric about those of an eighth.
Number Root(int64_t a, int64_t b) {
  const auto turns = static_cast<unsigned __int128>(a % b) * 4;
  const auto quarter = static_cast<int>(turns / b);
  const auto rest = static_cast<int64_t>(turns % b);
  const auto angle = [&](int64_t part) {
    return std::numbers::pi_v<long double> / 2 * static_cast<long double>(part) / static_cast<long double>(b);
  };
  const bool small = rest <= b - rest;
  const long double x = angle(small ? rest : b - rest);
  long double cos = std::cos(x), sin = std::sin(x);
  if (!small) std::swap(cos, sin);
  if (2 * rest == b) cos = sin = std::numbers::sqrt2_v<long double> / 2;
  switch (quarter) {
    case 0:
      return {cos, -sin};
    case 1:
      return {-sin, -cos};
    case 2:
      return {-cos, sin};
    default:
      return {sin, cos};
  }
}

Factors FactorsOf(int64_t count) {
  Factors factors;
  int twos = 0;
  for (; count % 2 == 0; count /= 2) ++twos;
  for (; twos >= 5 || twos == 3; twos -= 3) factors.radices.push_back(8);
  for (; twos >= 2; twos -= 2) factors.radices.push_back(4);
  if (twos == 1) factors.radices.push_back(2);
  for (int64_t prime : {3, 5, 7, 11, 13}) {
    for (; count % prime == 0; count /= prime) factors.radices.push_back(prime);
  }
  factors.ok = count == 1;
  return factors;
}

std::vector<Number> Transformed(std::vector<Number> z) {
  const auto n = static_cast<int64_t>(z.size());
  std::vector<Number> roots(n), out(n);
  for (int64_t k = 0; k < n; ++k) roots[k] = Root(k, n);
  int64_t left = n, run = 1;
  for (int64_t radix : FactorsOf(n).radices) {
    const int64_t count = left / radix;
    for (int64_t p = 0; p < count; ++p) {
      for (int64_t q = 0; q < run; ++q) {
        for (int64_t k = 0; k < radix; ++k) {
          Number sum = 0;
          for (int64_t j = 0; j < radix; ++j) sum += z[q + run * (p + count * j)] * roots[j * k % radix * (n / radix)];
          out[q + run * (radix * p + k)] = sum * roots[p * k * (n / left)];
        }
      }
    }
    z.swap(out);
    left = count;
    run *= radix;
  }
  return z;
}

}  // namespace treadle::kernels::fft

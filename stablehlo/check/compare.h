// The rules by which expectations of conformance programs hold. No MLIR.
#ifndef TREADLE_STABLEHLO_CHECK_COMPARE_H_
#define TREADLE_STABLEHLO_CHECK_COMPARE_H_

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/shape.h"

namespace treadle::check {

struct Rule {
  // NaN is equal to every NaN, infinity to itself.
  enum class Kind : uint8_t {
    kEqual,   // ==, so zeros are equal
    kAlmost,  // at most `tolerance` apart, or as kClose: the type may have no numbers that near
    kClose,   // at most max_ulp representable numbers apart, and the worst at least min_ulp
  };
  Kind kind = Kind::kEqual;
  double tolerance = 1e-4;
  uint64_t max_ulp = 1;
  uint64_t min_ulp = 0;
};

// Why two tensors of one shape (dense, row-major) do not keep the rule, naming the first element that does not and how
// many do not; nullopt where they keep it. Integers and booleans are always compared for equality.
std::optional<std::string> Miss(const Rule& rule, const Shape& shape, std::string_view actual,
                                std::string_view expected);

}  // namespace treadle::check

#endif  // TREADLE_STABLEHLO_CHECK_COMPARE_H_

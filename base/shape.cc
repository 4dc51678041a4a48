#include "base/shape.h"

#include <limits>

namespace treadle {
namespace {

int64_t SaturatingMultiply(int64_t a, int64_t b) {
  int64_t product;
  return __builtin_mul_overflow(a, b, &product) ? std::numeric_limits<int64_t>::max() : product;
}

}  // namespace

int64_t Shape::elements() const {
  int64_t count = 1;
  for (int64_t dim : dims) {
    if (dim == 0) return 0;
    count = SaturatingMultiply(count, dim);
  }
  return count;
}

int64_t Shape::bytes() const { return SaturatingMultiply(elements(), ElementBytes(type)); }

std::vector<int64_t> Shape::Strides() const {
  std::vector<int64_t> strides(dims.size(), 1);
  for (size_t i = dims.size(); i-- > 1;) strides[i - 1] = SaturatingMultiply(strides[i], dims[i]);
  return strides;
}

std::string Shape::ToString() const {
  std::string text;
  for (int64_t dim : dims) text += std::to_string(dim) + "x";
  return text + std::string(ElementTypeName(type));
}

}  // namespace treadle

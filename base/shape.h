// The shape of a dense, row-major tensor with static dimensions.
#ifndef TREADLE_BASE_SHAPE_H_
#define TREADLE_BASE_SHAPE_H_

#include <cstdint>
#include <string>
#include <vector>

#include "base/element_type.h"

namespace treadle {

struct Shape {
  ElementType type = ElementType::kInvalid;
  std::vector<int64_t> dims;

  int64_t rank() const { return static_cast<int64_t>(dims.size()); }
  int64_t elements() const;  // 1 for rank 0; saturates at INT64_MAX
  int64_t bytes() const;     // elements() * ElementBytes(type); saturates at INT64_MAX

  // In elements, row-major: the last is 1.
  std::vector<int64_t> Strides() const;

  std::string ToString() const;  // "2x3xf32", "f32" for rank 0

  bool operator==(const Shape&) const = default;
};

}  // namespace treadle

#endif  // TREADLE_BASE_SHAPE_H_

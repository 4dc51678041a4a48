// Tensors on the command line: literals, NumPy files, zeros and random numbers.
#ifndef TREADLE_TOOLS_TENSOR_H_
#define TREADLE_TOOLS_TENSOR_H_

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/shape.h"
#include "base/status.h"

namespace treadle::tools {

// Dense, row-major, in memory format (i1: a byte each).
struct Tensor {
  Shape shape;
  std::string bytes;
};

// What `text` says an argument of `shape` is:
//   2x3xf32=[[1,2,3],[4,5,6]]   a literal; true and false for i1; nan, inf, -inf for floats. A scalar: f32=1.5. One
//   number for
//                               a larger shape fills it: 1024xf32=1
//   @file.npy                   a NumPy file
//   zeros
//   random[:seed]               floats: uniform in [-1, 1); integers: small; the same for the same seed
// INVALID_ARGUMENT where it does not fit the shape.
StatusOr<Tensor> ParseTensor(std::string_view text, const Shape& shape);

// The shape that `text` itself says, a literal or the name of a file; nothing for zeros and random numbers.
StatusOr<std::optional<Shape>> ShapeOfText(std::string_view text);

// "2x3xf32=[[1, 2, 3], [4, 5, 6]]". Long dimensions are cut with "..." after `edge` elements at each end; edge 0:
// nothing is cut.
std::string PrintTensor(const Tensor& tensor, int64_t edge);

}  // namespace treadle::tools

#endif  // TREADLE_TOOLS_TENSOR_H_

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

// An argument as the command line gives it:
//   2x3xf32=[[1,2,3],[4,5,6]]   a literal; true and false for i1; nan, inf, -inf for floats. A scalar: f32=1.5. One
//                               number for a larger shape fills it: 1024xf32=1
//   @file.npy                   a NumPy file
//   zeros
//   random[:seed]               floats: uniform in [-1, 1); integers: small; the same for the same seed
class Input {
 public:
  // Reads a file whole and once, as it may be a pipe. The numbers of a literal wait for ToTensor: its shape is not to
  // be trusted with memory before it is known to be the program's. INVALID_ARGUMENT where `text` is none of the above.
  static StatusOr<Input> Read(std::string_view text);

  // What the input itself says of its shape: nothing for zeros and random numbers.
  const std::optional<Shape>& shape() const { return shape_; }

  // The input as an argument of `shape`, once. INVALID_ARGUMENT where it does not fit.
  StatusOr<Tensor> ToTensor(const Shape& shape) &&;

 private:
  enum class Kind { kZeros, kRandom, kLiteral, kFile };

  Kind kind_ = Kind::kZeros;
  std::optional<Shape> shape_;
  std::string bytes_;    // of a file
  std::string literal_;  // what follows the '='
  uint64_t seed_ = 0;
};

// "2x3xf32=[[1, 2, 3], [4, 5, 6]]". Long dimensions are cut with "..." after `edge` elements at each end; edge 0:
// nothing is cut.
std::string PrintTensor(const Tensor& tensor, int64_t edge);

}  // namespace treadle::tools

#endif  // TREADLE_TOOLS_TENSOR_H_

#include "tools/tensor.h"

#include <cctype>
#include <charconv>
#include <random>
#include <utility>
#include <vector>

#include "tools/element.h"
#include "tools/npy.h"

namespace treadle::tools {
namespace {

StatusOr<Shape> ParseShape(std::string_view text) {
  Shape shape;
  while (true) {
    size_t cross = text.find('x');
    if (cross == std::string_view::npos || !std::isdigit(static_cast<unsigned char>(text[0]))) break;
    int64_t dim;
    auto [end, error] = std::from_chars(text.data(), text.data() + cross, dim);
    if (error != std::errc() || end != text.data() + cross) break;
    shape.dims.push_back(dim);
    text.remove_prefix(cross + 1);
  }
  std::optional<ElementType> type = ParseElementType(text);
  if (!type) return InvalidArgument("'" + std::string(text) + "' is not an element type");
  shape.type = *type;
  return shape;
}

// Reads nested brackets; what the shape says decides how they must nest.
class LiteralReader {
 public:
  LiteralReader(std::string_view text, Tensor& tensor) : rest_(text), tensor_(tensor) {}

  Status Read() {
    int width = ElementBytes(tensor_.shape.type);
    SkipSpace();
    if (!rest_.starts_with('[') && tensor_.shape.rank() > 0) {  // one number fills all
      std::string element(width, '\0');
      if (!ParseElement(rest_, tensor_.shape.type, element.data())) return Bad("a number or '['");
      for (int64_t i = 0; i < tensor_.shape.elements(); ++i) tensor_.bytes += element;
      return OkStatus();
    }
    TREADLE_RETURN_IF_ERROR(ReadDim(0));
    SkipSpace();
    return rest_.empty() ? OkStatus() : Bad("the end");
  }

 private:
  Status ReadDim(int64_t dim) {
    SkipSpace();
    if (dim == tensor_.shape.rank()) return ReadElement();
    if (!Take('[')) return Bad("'['");
    for (int64_t i = 0; i < tensor_.shape.dims[dim]; ++i) {
      if (i > 0 && !Take(','))
        return Bad("',' (dimension " + std::to_string(dim) + " has " + std::to_string(tensor_.shape.dims[dim]) +
                   " elements)");
      TREADLE_RETURN_IF_ERROR(ReadDim(dim + 1));
    }
    return Take(']') ? OkStatus() : Bad("']'");
  }

  Status ReadElement() {
    size_t length = rest_.find_first_of(",] \t\n");
    if (rest_.starts_with('(')) length = rest_.find(')') + 1;  // 0 where there is none
    std::string_view word = rest_.substr(0, length);
    char element[16];
    if (!ParseElement(word, tensor_.shape.type, element)) {
      return Bad("an element of type " + std::string(ElementTypeName(tensor_.shape.type)));
    }
    tensor_.bytes.append(element, ElementBytes(tensor_.shape.type));
    rest_.remove_prefix(word.size());
    return OkStatus();
  }

  void SkipSpace() {
    while (!rest_.empty() && std::isspace(static_cast<unsigned char>(rest_[0]))) rest_.remove_prefix(1);
  }

  bool Take(char c) {
    SkipSpace();
    if (!rest_.starts_with(c)) return false;
    rest_.remove_prefix(1);
    return true;
  }

  Status Bad(const std::string& expected) const {
    return InvalidArgument("expected " + expected + " at '" + std::string(rest_.substr(0, 20)) + "'");
  }

  std::string_view rest_;
  Tensor& tensor_;
};

StatusOr<Tensor> Random(const Shape& shape, uint64_t seed) {
  std::mt19937_64 generator(seed);
  Tensor tensor{shape, {}};
  int width = ElementBytes(shape.type);
  tensor.bytes.reserve(shape.bytes());
  std::uniform_real_distribution<double> real(-1, 1);
  std::uniform_int_distribution<int> integer(IsUnsigned(shape.type) ? 0 : -8, 8), truth(0, 1);
  for (int64_t i = 0; i < shape.elements(); ++i) {
    std::string text = IsFloat(shape.type) ? std::to_string(real(generator))
                       : IsComplex(shape.type)
                           ? "(" + std::to_string(real(generator)) + "," + std::to_string(real(generator)) + ")"
                       : shape.type == ElementType::kI1 ? std::to_string(truth(generator))
                                                        : std::to_string(integer(generator));
    char element[16];
    if (!ParseElement(text, shape.type, element)) {
      return Unimplemented("random elements of type " + std::string(ElementTypeName(shape.type)));
    }
    tensor.bytes.append(element, width);
  }
  return tensor;
}

void PrintDim(const Tensor& tensor, int64_t edge, int64_t dim, int64_t offset, const std::vector<int64_t>& strides,
              std::string& text) {
  if (dim == tensor.shape.rank()) {
    text += PrintElement(tensor.shape.type, tensor.bytes.data() + offset * ElementBytes(tensor.shape.type));
    return;
  }
  int64_t size = tensor.shape.dims[dim];
  text += "[";
  for (int64_t i = 0; i < size; ++i) {
    if (i > 0) text += ", ";
    if (edge > 0 && size > 2 * edge && i == edge) {
      text += "..., ";
      i = size - edge;
    }
    PrintDim(tensor, edge, dim + 1, offset + i * strides[dim], strides, text);
  }
  text += "]";
}

}  // namespace

StatusOr<Input> Input::Read(std::string_view text) {
  Input input;
  if (text == "zeros") return input;
  if (text == "random" || text.starts_with("random:")) {
    input.kind_ = Kind::kRandom;
    if (text == "random") return input;
    const std::string_view number = text.substr(7);
    auto [end, error] = std::from_chars(number.data(), number.data() + number.size(), input.seed_);
    if (error == std::errc() && end == number.data() + number.size()) return input;
    return InvalidArgument("the seed in '" + std::string(text) + "' is no number");
  }
  if (text.starts_with("@")) {
    TREADLE_ASSIGN_OR_RETURN(Tensor tensor, ReadNpy(std::string(text.substr(1))));
    input.kind_ = Kind::kFile;
    input.shape_ = std::move(tensor.shape);
    input.bytes_ = std::move(tensor.bytes);
    return input;
  }
  const size_t equals = text.find('=');
  if (equals == std::string_view::npos) {
    return InvalidArgument("'" + std::string(text) +
                           "' is no tensor; write 2x3xf32=[[1,2,3],[4,5,6]], @file.npy, zeros or random[:seed]");
  }
  input.kind_ = Kind::kLiteral;
  TREADLE_ASSIGN_OR_RETURN(input.shape_, ParseShape(text.substr(0, equals)));
  input.literal_ = text.substr(equals + 1);
  return input;
}

StatusOr<Tensor> Input::ToTensor(const Shape& shape) && {
  if (shape_ && *shape_ != shape) {
    return InvalidArgument("it is " + shape_->ToString() + ", but the program takes " + shape.ToString());
  }
  Tensor tensor{shape, {}};
  switch (kind_) {
    case Kind::kZeros:
      tensor.bytes.assign(shape.bytes(), '\0');
      return tensor;
    case Kind::kRandom:
      return Random(shape, seed_);
    case Kind::kFile:
      tensor.bytes = std::move(bytes_);
      return tensor;
    case Kind::kLiteral:
      TREADLE_RETURN_IF_ERROR(LiteralReader(literal_, tensor).Read());
      return tensor;
  }
}

std::string PrintTensor(const Tensor& tensor, int64_t edge) {
  std::string text = tensor.shape.ToString() + "=";
  PrintDim(tensor, edge, 0, 0, tensor.shape.Strides(), text);
  return text;
}

}  // namespace treadle::tools

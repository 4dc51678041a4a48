// Tensors and other values of the reference interpreter.
#ifndef TREADLE_STABLEHLO_INTERPRETER_TENSOR_H_
#define TREADLE_STABLEHLO_INTERPRETER_TENSOR_H_

#include <cstdint>
#include <memory>
#include <string>
#include <variant>
#include <vector>

#include "base/element_type.h"
#include "base/status.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/BuiltinTypes.h"
#include "stablehlo/interpreter/element.h"

namespace treadle::interpreter {

// No tensor may have more bytes: programs name sizes that nobody has memory for.
inline constexpr int64_t kMaxBytes = int64_t{1} << 32;

using Index = llvm::SmallVector<int64_t, 6>;

// Element type of memory: of quantized types that of their integers, i64 for index. kInvalid where there is none.
ElementType StorageOf(mlir::Type element);

// A dense, row-major tensor of known shape. Copies share memory until one of them is written to.
class Tensor {
 public:
  Tensor() = default;
  // Zeros. INVALID_ARGUMENT for sizes that are not known, RESOURCE_EXHAUSTED for too many bytes.
  static StatusOr<Tensor> Zeros(mlir::RankedTensorType type);
  // The elements of a constant. A quantized `type` takes the integers that represent its values.
  static StatusOr<Tensor> FromAttribute(mlir::ElementsAttr value, mlir::RankedTensorType type);
  // A scalar of this element type.
  static Tensor Scalar(mlir::Type element, Element value);

  mlir::RankedTensorType type() const { return type_; }
  ElementType element_type() const { return element_type_; }
  llvm::ArrayRef<int64_t> shape() const { return mlir::RankedTensorType(type_).getShape(); }
  int64_t dim(int64_t i) const { return shape()[i]; }
  int64_t rank() const { return static_cast<int64_t>(shape().size()); }
  int64_t size() const { return size_; }

  // By place in memory, or by index.
  Element Get(int64_t place) const { return Load(bytes_->data() + place * width_, element_type_); }
  Element Get(const Index& index) const { return Get(PlaceOf(index)); }
  void Set(int64_t place, Element value) { Store(value, element_type_, Own() + place * width_); }
  void Set(const Index& index, Element value) { Set(PlaceOf(index), value); }
  // The bits of an element of a tensor with the same element type.
  void Copy(int64_t place, const Tensor& from, int64_t from_place);
  int64_t PlaceOf(const Index& index) const;

  const std::string& bytes() const { return *bytes_; }
  void set_bytes(std::string bytes) { bytes_ = std::make_shared<std::string>(std::move(bytes)); }
  // The same elements, of another type that has as many and the same storage.
  Tensor WithType(mlir::RankedTensorType type) const;

 private:
  char* Own() {
    if (bytes_.use_count() > 1) bytes_ = std::make_shared<std::string>(*bytes_);
    return bytes_->data();
  }

  mlir::RankedTensorType type_;
  ElementType element_type_ = ElementType::kInvalid;
  int width_ = 0;
  int64_t size_ = 0;
  std::shared_ptr<std::string> bytes_;
};

// The element at a place, as a tensor of rank 0.
Tensor ScalarOf(const Tensor& tensor, int64_t place);

struct Token {};
struct Tuple;
// What an operation takes and gives. Results that are on their way (futures) are tuples.
using Value = std::variant<Tensor, Token, std::shared_ptr<Tuple>>;
using Values = std::vector<Value>;
struct Tuple {
  Values elements;
};

// Calls f(const Index&) for every index of a tensor of this shape, in order of memory.
template <typename F>
void ForEachIndex(llvm::ArrayRef<int64_t> shape, F f) {
  for (int64_t size : shape) {
    if (size <= 0) return;
  }
  Index index(shape.size(), 0);
  while (true) {
    f(static_cast<const Index&>(index));
    int64_t i = static_cast<int64_t>(shape.size()) - 1;
    while (i >= 0 && ++index[i] == shape[i]) index[i--] = 0;
    if (i < 0) return;
  }
}

// Whether 0 <= index < shape.
bool InBounds(const Index& index, llvm::ArrayRef<int64_t> shape);

}  // namespace treadle::interpreter

#endif  // TREADLE_STABLEHLO_INTERPRETER_TENSOR_H_

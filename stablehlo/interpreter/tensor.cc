#include "stablehlo/interpreter/tensor.h"

#include <utility>

#include "llvm/Support/MathExtras.h"
#include "mlir/Dialect/Quant/IR/QuantTypes.h"
#include "mlir/IR/OperationSupport.h"
#include "mlir/IR/TypeUtilities.h"
#include "stablehlo/diagnostics.h"

namespace treadle::interpreter {

namespace {

std::string TextOf(mlir::Type type) {
  std::string text;
  llvm::raw_string_ostream(text) << type;
  return text;
}

ElementType IntegerStorage(mlir::IntegerType type) {
  const bool is_unsigned = type.isUnsigned();
  switch (type.getWidth()) {
    case 1:
      return ElementType::kI1;
    case 2:
      return is_unsigned ? ElementType::kU2 : ElementType::kI2;
    case 4:
      return is_unsigned ? ElementType::kU4 : ElementType::kI4;
    case 8:
      return is_unsigned ? ElementType::kU8 : ElementType::kI8;
    case 16:
      return is_unsigned ? ElementType::kU16 : ElementType::kI16;
    case 32:
      return is_unsigned ? ElementType::kU32 : ElementType::kI32;
    case 64:
      return is_unsigned ? ElementType::kU64 : ElementType::kI64;
    default:
      return ElementType::kInvalid;
  }
}

Element FromAPFloat(const llvm::APFloat& value) {
  llvm::APFloat wide = value;
  bool loses = false;
  wide.convert(llvm::APFloat::IEEEdouble(), llvm::APFloat::rmNearestTiesToEven, &loses);
  return Element::OfFloat(wide.convertToDouble());
}

}  // namespace

ElementType StorageOf(mlir::Type element) {
  if (auto integer = llvm::dyn_cast<mlir::IntegerType>(element)) return IntegerStorage(integer);
  if (llvm::isa<mlir::IndexType>(element)) return ElementType::kI64;
  if (auto quantized = llvm::dyn_cast<mlir::quant::QuantizedType>(element)) {
    // The integers are signless; whether they have a sign is a flag of the type.
    const auto storage = llvm::dyn_cast<mlir::IntegerType>(quantized.getStorageType());
    if (!storage) return ElementType::kInvalid;
    if (quantized.isSigned() || storage.isUnsigned()) return IntegerStorage(storage);
    return IntegerStorage(mlir::IntegerType::get(element.getContext(), storage.getWidth(),
                                                 mlir::IntegerType::SignednessSemantics::Unsigned));
  }
  return ParseElementType(TextOf(element)).value_or(ElementType::kInvalid);
}

StatusOr<Tensor> Tensor::Zeros(mlir::RankedTensorType type) {
  Tensor tensor;
  tensor.type_ = type;
  tensor.element_type_ = StorageOf(type.getElementType());
  if (tensor.element_type_ == ElementType::kInvalid) {
    return Unimplemented("the interpreter has no elements of type " + TextOf(type.getElementType()));
  }
  if (!type.hasStaticShape()) return InvalidArgument("the size of " + TextOf(type) + " is not known");
  tensor.width_ = ElementBytes(tensor.element_type_);
  int64_t size = 1;
  for (int64_t dim : type.getShape()) {
    if (dim == 0) size = 0;
  }
  for (int64_t dim : type.getShape()) {
    if (size != 0 && (llvm::MulOverflow(size, dim, size) || size > kMaxBytes / tensor.width_)) {
      return ResourceExhausted(TextOf(type) + " is too large for the interpreter");
    }
  }
  tensor.size_ = size;
  tensor.bytes_ = std::make_shared<std::string>(size * tensor.width_, '\0');
  return tensor;
}

StatusOr<Tensor> Tensor::FromAttribute(mlir::ElementsAttr value, mlir::RankedTensorType type) {
  TREADLE_ASSIGN_OR_RETURN(Tensor tensor, Zeros(type));
  if (value.getNumElements() != tensor.size())
    return InvalidArgument("a constant has not as many elements as its type");
  int64_t place = 0;
  const mlir::Type element = value.getShapedType().getElementType();
  if (auto integers = value.tryGetValues<llvm::APInt>()) {
    const bool is_signed = !element.isUnsignedInteger() && !element.isInteger(1);
    for (const llvm::APInt& number : *integers) {
      tensor.Set(place++,
                 Element::OfInteger(is_signed ? number.getSExtValue() : static_cast<int64_t>(number.getZExtValue())));
    }
    return tensor;
  }
  if (auto floats = value.tryGetValues<llvm::APFloat>()) {
    for (const llvm::APFloat& number : *floats) {
      // Bits as they are: NaNs keep their payload.
      const uint64_t bits = number.bitcastToAPInt().getZExtValue();
      std::memcpy(tensor.Own() + place++ * tensor.width_, &bits, tensor.width_);
    }
    return tensor;
  }
  if (auto numbers = value.tryGetValues<std::complex<llvm::APFloat>>()) {
    for (const std::complex<llvm::APFloat>& number : *numbers) {
      tensor.Set(place++, Element::OfComplex(FromAPFloat(number.real()).real, FromAPFloat(number.imag()).real));
    }
    return tensor;
  }
  return Unimplemented("constants of the form " + TextOf(value.getType()));
}

Tensor Tensor::Scalar(mlir::Type element, Element value) {
  Tensor tensor = *Zeros(mlir::RankedTensorType::get({}, element));
  tensor.Set(0, value);
  return tensor;
}

void Tensor::Copy(int64_t place, const Tensor& from, int64_t from_place) {
  std::memcpy(Own() + place * width_, from.bytes_->data() + from_place * width_, width_);
}

int64_t Tensor::PlaceOf(const Index& index) const {
  int64_t place = 0;
  for (auto [i, size] : llvm::enumerate(shape())) place = place * size + index[i];
  return place;
}

Tensor Tensor::WithType(mlir::RankedTensorType type) const {
  Tensor tensor = *this;
  tensor.type_ = type;
  return tensor;
}

Tensor ScalarOf(const Tensor& tensor, int64_t place) {
  Tensor scalar = *Tensor::Zeros(mlir::RankedTensorType::get({}, tensor.type().getElementType()));
  scalar.Copy(0, tensor, place);
  return scalar;
}

bool InBounds(const Index& index, llvm::ArrayRef<int64_t> shape) {
  for (auto [i, size] : llvm::enumerate(shape)) {
    if (index[i] < 0 || index[i] >= size) return false;
  }
  return true;
}

}  // namespace treadle::interpreter

#include "stablehlo/dialect/types.h"

#include "llvm/ADT/TypeSwitch.h"
#include "mlir/Dialect/Quant/IR/QuantTypes.h"
#include "stablehlo/dialect/dialect.h"

#define GET_TYPEDEF_CLASSES
#include "stablehlo/dialect/types.cc.inc"

namespace treadle::stablehlo {

unsigned KindOfElement(mlir::Type element) {
  if (auto integer = llvm::dyn_cast<mlir::IntegerType>(element)) {
    const unsigned width = integer.getWidth();
    if (integer.isSigned() || width > 64) return 0;
    if (width == 1) return integer.isSignless() ? kPredElement : 0;
    return llvm::has_single_bit(width) ? kIntElement : 0;
  }
  if (auto real = llvm::dyn_cast<mlir::FloatType>(element)) return real.getWidth() <= 64 ? kFloatElement : 0;
  if (auto complex = llvm::dyn_cast<mlir::ComplexType>(element)) {
    return complex.getElementType().isF32() || complex.getElementType().isF64() ? kComplexElement : 0;
  }
  if (llvm::isa<mlir::IndexType>(element)) return kIndexElement;
  if (llvm::isa<mlir::quant::QuantizedType>(element)) return kQuantElement;
  return 0;
}

namespace {

// Scales per axis: the axis is one of the tensor's and has a scale for each of its indices.
bool AxisFits(mlir::RankedTensorType tensor) {
  auto element = llvm::dyn_cast<mlir::quant::UniformQuantizedPerAxisType>(tensor.getElementType());
  if (!element) return true;
  const int64_t axis = element.getQuantizedDimension();
  if (axis < 0 || axis >= tensor.getRank()) return false;
  return tensor.isDynamicDim(axis) || tensor.getDimSize(axis) == static_cast<int64_t>(element.getScales().size());
}

}  // namespace

bool IsTensorOf(mlir::Type type, unsigned kinds) {
  auto tensor = llvm::dyn_cast<mlir::RankedTensorType>(type);
  return tensor && (KindOfElement(tensor.getElementType()) & kinds) != 0 && AxisFits(tensor);
}

void StablehloDialect::RegisterTypes() {
  addTypes<
#define GET_TYPEDEF_LIST
#include "stablehlo/dialect/types.cc.inc"
      >();
}

mlir::Type StablehloDialect::parseType(mlir::DialectAsmParser& parser) const {
  const llvm::SMLoc location = parser.getCurrentLocation();
  llvm::StringRef mnemonic;
  mlir::Type type;
  if (generatedTypeParser(parser, &mnemonic, type).has_value()) return type;
  parser.emitError(location) << "unknown type 'stablehlo." << mnemonic << "'";
  return {};
}

void StablehloDialect::printType(mlir::Type type, mlir::DialectAsmPrinter& printer) const {
  (void)generatedTypePrinter(type, printer);
}

}  // namespace treadle::stablehlo

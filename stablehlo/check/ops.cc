#include "stablehlo/check/ops.h"

#include "mlir/IR/BuiltinTypes.h"
#include "stablehlo/check/dialect.cc.inc"

namespace treadle::check {

namespace {

// "dense<..> : type", whose type is that of the tensor it is compared with.
mlir::ParseResult parseTypedElements(mlir::OpAsmParser& parser, mlir::ElementsAttr& value, mlir::Type& type) {
  if (parser.parseAttribute(value)) return mlir::failure();
  type = value.getType();
  return mlir::success();
}

void printTypedElements(mlir::OpAsmPrinter& printer, mlir::Operation*, mlir::ElementsAttr value, mlir::Type) {
  printer << value;
}

// ", max_ulp_difference = 3, min_ulp_difference = 1", each optional.
mlir::ParseResult parseUlpBounds(mlir::OpAsmParser& parser, mlir::IntegerAttr& most, mlir::IntegerAttr& least) {
  while (succeeded(parser.parseOptionalComma())) {
    llvm::StringRef name;
    uint64_t value = 0;
    const llvm::SMLoc location = parser.getCurrentLocation();
    if (parser.parseKeyword(&name) || parser.parseEqual() || parser.parseInteger(value)) return mlir::failure();
    const bool is_most = name == "max_ulp_difference";
    if (!is_most && name != "min_ulp_difference") {
      return parser.emitError(location) << "expected max_ulp_difference or min_ulp_difference, got '" << name << "'";
    }
    (is_most ? most : least) =
        mlir::IntegerAttr::get(parser.getBuilder().getIntegerType(64, /*isSigned=*/false), llvm::APInt(64, value));
  }
  return mlir::success();
}

void printUlpBounds(mlir::OpAsmPrinter& printer, mlir::Operation*, mlir::IntegerAttr most, mlir::IntegerAttr least) {
  if (most) printer << ", max_ulp_difference = " << most.getUInt();
  if (least) printer << ", min_ulp_difference = " << least.getUInt();
}

}  // namespace

}  // namespace treadle::check

#define GET_OP_CLASSES
#include "stablehlo/check/ops.cc.inc"

namespace treadle::check {

void CheckDialect::initialize() {
  addOperations<
#define GET_OP_LIST
#include "stablehlo/check/ops.cc.inc"
      >();
}

}  // namespace treadle::check

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

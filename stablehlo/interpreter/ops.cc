#include "stablehlo/interpreter/ops.h"

#include "stablehlo/interpreter/dialect.cc.inc"

#define GET_OP_CLASSES
#include "stablehlo/interpreter/ops.cc.inc"

namespace treadle::interpreter {

void InterpreterDialect::initialize() {
  addOperations<
#define GET_OP_LIST
#include "stablehlo/interpreter/ops.cc.inc"
      >();
}

// programs: a rectangle of names of functions; infeed: a list of them.
mlir::LogicalResult RunParallelOp::verify() {
  size_t partitions = 0;
  for (mlir::Attribute row : getPrograms()) {
    auto names = llvm::dyn_cast<mlir::ArrayAttr>(row);
    if (!names || names.empty() || (partitions != 0 && names.size() != partitions)) {
      return emitOpError() << "needs programs as a rectangle of functions";
    }
    partitions = names.size();
    for (mlir::Attribute name : names) {
      if (!llvm::isa<mlir::FlatSymbolRefAttr>(name))
        return emitOpError() << "runs " << name << ", which is no function";
    }
  }
  if (partitions == 0) return emitOpError() << "needs a program";
  for (mlir::Attribute name : getInfeed() ? getInfeed()->getValue() : llvm::ArrayRef<mlir::Attribute>()) {
    if (!llvm::isa<mlir::FlatSymbolRefAttr>(name))
      return emitOpError() << "feeds in " << name << ", which is no function";
  }
  return mlir::success();
}

}  // namespace treadle::interpreter

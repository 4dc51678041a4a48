// Generated code of control flow, calls, tokens and random bits, and their verifiers.
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "stablehlo/dialect/assembly.h"
#include "stablehlo/dialect/ops.h"
#include "stablehlo/dialect/shape_rules.h"

#define GET_OP_CLASSES
#include "stablehlo/dialect/control_flow.cc.inc"

namespace treadle::stablehlo {

using mlir::failure;
using mlir::LogicalResult;
using mlir::success;

void StablehloDialect::RegisterControlFlowOps() {
  addOperations<
#define GET_OP_LIST
#include "stablehlo/dialect/control_flow.cc.inc"
      >();
}

LogicalResult CaseOp::verify() {
  if (getBranches().empty()) return emitOpError() << "needs a branch";
  return CheckScalar(*this, "index", getIndex().getType());
}

LogicalResult CaseOp::verifyRegions() {
  const llvm::SmallVector<mlir::Type> none;
  const llvm::SmallVector<mlir::Type> results(getResultTypes());
  for (mlir::Region& branch : getBranches()) {
    if (failed(CheckRegion(*this, "branch", branch, &none, &results))) return failure();
  }
  return success();
}

LogicalResult IfOp::verify() { return CheckScalar(*this, "pred", getPred().getType()); }

LogicalResult IfOp::verifyRegions() {
  const llvm::SmallVector<mlir::Type> none;
  const llvm::SmallVector<mlir::Type> results(getResultTypes());
  if (failed(CheckRegion(*this, "true_branch", getTrueBranch(), &none, &results))) return failure();
  return CheckRegion(*this, "false_branch", getFalseBranch(), &none, &results);
}

LogicalResult WhileOp::verify() { return CheckTypes(*this, "result", getResultTypes(), getOperandTypes()); }

LogicalResult WhileOp::verifyRegions() {
  const llvm::SmallVector<mlir::Type> carries(getOperandTypes());
  const llvm::SmallVector<mlir::Type> pred = {mlir::RankedTensorType::get({}, mlir::Builder(getContext()).getI1Type())};
  if (failed(CheckRegion(*this, "cond", getCond(), &carries, &pred))) return failure();
  return CheckRegion(*this, "body", getBody(), &carries, &carries);
}

LogicalResult OptimizationBarrierOp::verify() {
  return CheckTypes(*this, "result", getResultTypes(), getOperandTypes());
}

// ---- Calls.

void CustomCallOp::getEffects(
    llvm::SmallVectorImpl<mlir::SideEffects::EffectInstance<mlir::MemoryEffects::Effect>>& effects) {
  if (!getHasSideEffect()) return;
  effects.emplace_back(mlir::MemoryEffects::Write::get());
  effects.emplace_back(mlir::MemoryEffects::Read::get());
}

LogicalResult CustomCallOp::verify() {
  const auto aliases = getOutputOperandAliases();
  for (mlir::Attribute attribute : aliases ? aliases->getValue() : llvm::ArrayRef<mlir::Attribute>()) {
    auto alias = llvm::dyn_cast<OutputOperandAliasAttr>(attribute);
    if (!alias) return emitOpError() << "output_operand_aliases holds " << attribute;
    if (failed(CheckDimension(*this, "operand_index", alias.getOperandIndex(), getNumOperands()))) return failure();
  }
  const auto operand_layouts = getOperandLayouts();
  if (operand_layouts && failed(CheckCount(*this, "operand_layouts", operand_layouts->size(), getNumOperands()))) {
    return failure();
  }
  if (getApiVersion() == CustomCallApiVersion::API_VERSION_TYPED_FFI) {
    if (getBackendConfig() && !llvm::isa<mlir::DictionaryAttr>(*getBackendConfig())) {
      return emitOpError() << "of the typed interface needs a dictionary as backend_config";
    }
  } else if (getBackendConfig() && !llvm::isa<mlir::StringAttr>(*getBackendConfig())) {
    return emitOpError() << "needs a string as backend_config";
  }
  return success();
}

// That the functions are there is for the target to require: programs name ones that they do not hold.
LogicalResult CustomCallOp::verifySymbolUses(mlir::SymbolTableCollection&) {
  const auto called = getCalledComputations();
  for (mlir::Attribute attribute : called ? called->getValue() : llvm::ArrayRef<mlir::Attribute>()) {
    if (!llvm::isa<mlir::FlatSymbolRefAttr>(attribute)) {
      return emitOpError() << "calls " << attribute << ", which is no name of a function";
    }
  }
  return success();
}

LogicalResult CompositeOp::verifySymbolUses(mlir::SymbolTableCollection& symbols) {
  auto* callee = symbols.lookupNearestSymbolFrom(*this, getDecompositionAttr());
  auto function = llvm::dyn_cast_or_null<mlir::FunctionOpInterface>(callee);
  if (!function) return emitOpError() << "decomposition " << getDecompositionAttr() << " is no function of the module";
  if (failed(CheckTypes(*this, "operand", getOperandTypes(), function.getArgumentTypes()))) return failure();
  return CheckTypes(*this, "result", getResultTypes(), function.getResultTypes());
}

// ---- Tuples.

LogicalResult TupleOp::verify() {
  return CheckTypes(*this, "operand", getOperandTypes(), llvm::cast<mlir::TupleType>(getResult().getType()).getTypes());
}

LogicalResult GetTupleElementOp::verify() {
  const auto tuple = llvm::cast<mlir::TupleType>(getOperand().getType());
  const int64_t index = static_cast<int32_t>(getIndex());
  if (failed(CheckDimension(*this, "index", index, static_cast<int64_t>(tuple.size())))) return failure();
  return CheckTypes(*this, "result", getResult().getType(), tuple.getType(index));
}

LogicalResult RngBitGeneratorOp::verify() {
  return CheckTypes(*this, "output_state", getOutputState().getType(), getInitialState().getType());
}

}  // namespace treadle::stablehlo

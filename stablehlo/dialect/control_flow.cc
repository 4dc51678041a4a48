// Generated code of control flow, calls, tokens and random bits, and their verifiers. (C1), (C2) ... are the
// constraints of the specification; after_all, create_token and outfeed have none beyond their types.
#include "llvm/ADT/StringExtras.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "stablehlo/dialect/assembly.h"
#include "stablehlo/dialect/ops.h"
#include "stablehlo/dialect/shape_operands.h"
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
  if (getBranches().empty()) return emitOpError() << "needs a branch";  // (C1)
  return CheckScalar(*this, "index", getIndex().getType());
}

LogicalResult CaseOp::verifyRegions() {
  const llvm::SmallVector<mlir::Type> none;
  const llvm::SmallVector<mlir::Type> results(getResultTypes());
  // (C2) (C3) (C4)
  for (mlir::Region& branch : getBranches()) {
    if (failed(CheckRegion(*this, "branch", branch, &none, &results))) return failure();
  }
  return success();
}

LogicalResult IfOp::verify() { return CheckScalar(*this, "pred", getPred().getType()); }

LogicalResult IfOp::verifyRegions() {
  const llvm::SmallVector<mlir::Type> none;
  const llvm::SmallVector<mlir::Type> results(getResultTypes());
  // (C1) (C2) (C3)
  if (failed(CheckRegion(*this, "true_branch", getTrueBranch(), &none, &results))) return failure();
  return CheckRegion(*this, "false_branch", getFalseBranch(), &none, &results);
}

LogicalResult WhileOp::verify() {
  return CheckTypes(*this, "result", getResultTypes(), getOperandTypes());  // (C3)
}

LogicalResult WhileOp::verifyRegions() {
  const llvm::SmallVector<mlir::Type> carries(getOperandTypes());
  const llvm::SmallVector<mlir::Type> pred = {mlir::RankedTensorType::get({}, mlir::Builder(getContext()).getI1Type())};
  if (failed(CheckRegion(*this, "cond", getCond(), &carries, &pred))) return failure();  // (C1)
  return CheckRegion(*this, "body", getBody(), &carries, &carries);                      // (C2)
}

LogicalResult OptimizationBarrierOp::verify() {
  return CheckTypes(*this, "result", getResultTypes(), getOperandTypes());  // (C1)
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

namespace {

// A name of the form space.name, with more dots if need be: letters, digits and _, a letter first, and $ after a dot.
bool IsNamespaced(llvm::StringRef name) {
  llvm::SmallVector<llvm::StringRef> parts;
  name.split(parts, '.');
  if (parts.size() < 2 || parts[0].empty() || !llvm::isAlpha(parts[0][0])) return false;
  for (auto [index, part] : llvm::enumerate(parts)) {
    const bool first = index == 0;
    const bool fits = llvm::all_of(part, [&](char c) { return llvm::isAlnum(c) || c == '_' || (!first && c == '$'); });
    if (part.empty() || !fits) return false;
  }
  return true;
}

}  // namespace

LogicalResult CompositeOp::verifySymbolUses(mlir::SymbolTableCollection& symbols) {
  if (!IsNamespaced(getName()))
    return emitOpError() << "name '" << getName() << "' is not of the form space.name";  // (C1)
  // (C2)
  auto* callee = symbols.lookupNearestSymbolFrom(*this, getDecompositionAttr());
  auto function = llvm::dyn_cast_or_null<mlir::FunctionOpInterface>(callee);
  if (!function) return emitOpError() << "decomposition " << getDecompositionAttr() << " is no function of the module";
  if (failed(CheckTypes(*this, "operand", getOperandTypes(), function.getArgumentTypes()))) return failure();  // (C3)
  return CheckTypes(*this, "result", getResultTypes(), function.getResultTypes());                             // (C4)
}

// ---- Tuples.

LogicalResult TupleOp::verify() {
  // (C1)
  return CheckTypes(*this, "operand", getOperandTypes(), llvm::cast<mlir::TupleType>(getResult().getType()).getTypes());
}

LogicalResult GetTupleElementOp::verify() {
  const auto tuple = llvm::cast<mlir::TupleType>(getOperand().getType());
  const int64_t index = static_cast<int32_t>(getIndex());
  if (failed(CheckDimension(*this, "index", index, static_cast<int64_t>(tuple.size())))) return failure();  // (C1)
  // (C2)
  return CheckTypes(*this, "result", getResult().getType(), tuple.getType(index));
}

// ---- What talks to the host and to other devices.

namespace {

// Tensors, then a token.
LogicalResult CheckReceived(mlir::Operation* op) {
  if (op->getNumResults() == 0) return op->emitOpError() << "needs a result";
  const mlir::TypeRange types = op->getResultTypes();
  if (!llvm::isa<TokenType>(types.back()))
    return op->emitOpError() << "needs a token as last result, got " << types.back();
  for (mlir::Type type : types.drop_back()) {
    if (!llvm::isa<mlir::RankedTensorType>(type)) return op->emitOpError() << "gives tensors and a token, got " << type;
  }
  return success();
}

enum ChannelType : int64_t { kDeviceToDevice = 1, kDeviceToHost = 2, kHostToDevice = 3 };

LogicalResult CheckChannel(mlir::Operation* op, ChannelHandleAttr channel, bool is_host_transfer, ChannelType of_host,
                           std::optional<mlir::DenseIntElementsAttr> pairs) {
  if (pairs && failed(CheckSourcesAndTargets(op, *pairs))) return failure();  // (C1) to (C4)
  const int64_t type = is_host_transfer ? of_host : kDeviceToDevice;          // (C5)
  if (channel.getType() == type) return success();
  return op->emitOpError() << "has a channel of type " << channel.getType() << ", expected " << type
                           << " where is_host_transfer is " << (is_host_transfer ? "true" : "false");
}

}  // namespace

LogicalResult InfeedOp::verify() { return CheckReceived(*this); }  // (C1) (C2) (C3)

LogicalResult SendOp::verify() {
  return CheckChannel(*this, getChannelHandle(), getIsHostTransfer(), kDeviceToHost, getSourceTargetPairs());
}

LogicalResult RecvOp::verify() {
  if (failed(CheckReceived(*this))) return failure();
  return CheckChannel(*this, getChannelHandle(), getIsHostTransfer(), kHostToDevice, getSourceTargetPairs());
}

LogicalResult AsyncStartOp::verifyRegions() {
  mlir::Block& body = getBody().front();
  if (body.getOperations().size() != 2 || !llvm::isa<ReturnOp>(body.back()))
    return emitOpError() << "body must hold one operation and its stablehlo.return";  // (C1)
  const bool may_wait =
      llvm::isa<AllGatherOp, AllReduceOp, AllToAllOp, CollectiveBroadcastOp, CollectivePermuteOp, CollectiveReduceOp,
                ReduceScatterOp, SliceOp, DynamicSliceOp, DynamicUpdateSliceOp>(body.front());
  if (!may_wait)
    return emitOpError() << "cannot run " << body.front().getName() << ", only collectives and slices";  // (C2)
  // (C3)
  if (failed(CheckTypes(*this, "body argument", body.getArgumentTypes(), getOperandTypes()))) return failure();
  // (C4)
  const auto future = llvm::cast<FutureType>(getResult().getType());
  return CheckTypes(*this, "future result", future.getTypes(), body.back().getOperandTypes());
}

LogicalResult AsyncDoneOp::verify() {
  const auto future = llvm::cast<FutureType>(getOperand().getType());
  return CheckTypes(*this, "result", getResultTypes(), future.getTypes());  // (C1)
}

// ---- Random bits.

LogicalResult RngOp::verify() {
  const mlir::RankedTensorType a = getA().getType();
  const mlir::RankedTensorType b = getB().getType();
  const mlir::RankedTensorType result = getResult().getType();
  if (failed(CheckScalar(*this, "a", a)) || failed(CheckScalar(*this, "b", b)) || failed(CheckElement(*this, a, b)) ||
      failed(CheckElement(*this, a, result))) {  // (C1)
    return failure();
  }
  if (getRngDistribution() == RngDistribution::NORMAL && !llvm::isa<mlir::FloatType>(a.getElementType()))
    return emitOpError() << "of distribution NORMAL needs floating-point values, got " << a;  // (C2)
  return CheckShapeOperand(*this, "shape", getShape(), result);                               // (C3)
}

LogicalResult RngBitGeneratorOp::verify() {
  // (C1); (C2) is left to the engines: old artifacts hold states of other types and sizes.
  return CheckTypes(*this, "output_state", getOutputState().getType(), getInitialState().getType());
}

}  // namespace treadle::stablehlo

// The `sdy` dialect: registration, verifiers, and the parts of the text that its operations print by hand.
#include "stablehlo/sdy/sdy.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/ADT/TypeSwitch.h"
#include "mlir/IR/DialectImplementation.h"
#include "stablehlo/sdy/dialect.cc.inc"
#include "stablehlo/sdy/enums.cc.inc"
#include "stablehlo/sdy/verify.h"

namespace treadle::sdy {

using ::llvm::StringRef;
using ::mlir::Attribute;
using ::mlir::LogicalResult;
using ::mlir::NamedAttribute;
using ::mlir::OpAsmParser;
using ::mlir::OpAsmPrinter;
using ::mlir::Operation;
using ::mlir::ParseResult;
using ::mlir::ShapedType;
using ::mlir::Type;

namespace {

constexpr StringRef kShardingAttr = "sdy.sharding";
constexpr StringRef kShardingRuleAttr = "sdy.sharding_rule";

// `[<@mesh, [...]>, ...]`: a sharding_per_value without its name.
ParseResult parseStrippedShardings(OpAsmParser& parser, TensorShardingPerValueAttr& attribute) {
  llvm::SmallVector<TensorShardingAttr> shardings;
  const auto parse_one = [&]() -> ParseResult {
    const auto sharding = mlir::dyn_cast_or_null<TensorShardingAttr>(TensorShardingAttr::parse(parser, Type()));
    if (!sharding) return mlir::failure();
    shardings.push_back(sharding);
    return mlir::success();
  };
  if (parser.parseCommaSeparatedList(OpAsmParser::Delimiter::Square, parse_one)) return mlir::failure();
  attribute = TensorShardingPerValueAttr::get(parser.getContext(), shardings);
  return mlir::success();
}

void printStrippedShardings(OpAsmPrinter& printer, Operation*, TensorShardingPerValueAttr attribute) {
  printer << '[';
  llvm::interleaveComma(attribute.getShardings(), printer,
                        [&](TensorShardingAttr sharding) { sharding.print(printer); });
  printer << ']';
}

// `(%arg0: T, ...) { ... }`: a region of one block whose arguments stand before it.
ParseResult parseBodyWithArguments(OpAsmParser& parser, mlir::Region& body) {
  llvm::SmallVector<OpAsmParser::Argument> arguments;
  return mlir::failure(parser.parseArgumentList(arguments, OpAsmParser::Delimiter::Paren, /*allowType=*/true) ||
                       parser.parseRegion(body, arguments));
}

void printBodyWithArguments(OpAsmPrinter& printer, Operation*, mlir::Region& body) {
  printer << '(';
  llvm::interleaveComma(body.getArguments(), printer,
                        [&](mlir::BlockArgument argument) { printer.printRegionArgument(argument); });
  printer << ") ";
  printer.printRegion(body, /*printEntryBlockArgs=*/false);
}

}  // namespace

MeshAttr TensorShardingAttr::GetMesh(Operation* op) const {
  if (const auto mesh = mlir::dyn_cast<MeshAttr>(getMeshOrRef())) return mesh;
  const auto name = mlir::cast<mlir::FlatSymbolRefAttr>(getMeshOrRef());
  MeshOp mesh = mlir::SymbolTable::lookupNearestSymbolFrom<MeshOp>(op, name);
  return mesh ? mesh.getMesh() : MeshAttr();
}

void SdyDialect::initialize() {
  RegisterAttributes();
  addOperations<
#define GET_OP_LIST
#include "stablehlo/sdy/ops.cc.inc"
      >();
  RegisterBytecodeInterface();
}

LogicalResult SdyDialect::verifyOperationAttribute(Operation* op, NamedAttribute attribute) {
  if (attribute.getName() == kShardingRuleAttr) {
    const auto rule = mlir::dyn_cast<OpShardingRuleAttr>(attribute.getValue());
    if (!rule) return op->emitOpError("needs an op_sharding_rule as ") << attribute.getName();
    return VerifyRule(rule, op);
  }
  if (attribute.getName() != kShardingAttr) return mlir::success();
  const auto shardings = mlir::dyn_cast<TensorShardingPerValueAttr>(attribute.getValue());
  if (!shardings) return op->emitOpError("needs a sharding_per_value as ") << attribute.getName();
  // An operation without results (a send) may carry the sharding of its device.
  if (op->getNumResults() == 0 && shardings.getShardings().size() == 1) return mlir::success();
  return VerifyShardings(shardings, op->getResultTypes(), "shardings", op);
}

LogicalResult SdyDialect::verifyRegionArgAttribute(Operation* op, unsigned, unsigned arg_index,
                                                   NamedAttribute attribute) {
  if (attribute.getName() != kShardingAttr) return mlir::success();
  const auto sharding = mlir::dyn_cast<TensorShardingAttr>(attribute.getValue());
  auto function = mlir::dyn_cast<mlir::FunctionOpInterface>(op);
  if (!sharding || !function) return op->emitOpError("needs a sharding as ") << attribute.getName();
  return VerifySharding(sharding, function.getArgumentTypes()[arg_index], op);
}

LogicalResult SdyDialect::verifyRegionResultAttribute(Operation* op, unsigned, unsigned result_index,
                                                      NamedAttribute attribute) {
  if (attribute.getName() != kShardingAttr) return mlir::success();
  const auto sharding = mlir::dyn_cast<TensorShardingAttr>(attribute.getValue());
  auto function = mlir::dyn_cast<mlir::FunctionOpInterface>(op);
  if (!sharding || !function) return op->emitOpError("needs a sharding as ") << attribute.getName();
  return VerifySharding(sharding, function.getResultTypes()[result_index], op);
}

LogicalResult MeshOp::verify() { return VerifyMesh(getMesh(), *this); }

LogicalResult ShardingConstraintOp::verify() { return VerifySharding(getSharding(), getType(), *this); }

LogicalResult ReshardOp::verify() { return VerifySharding(getSharding(), getType(), *this); }

LogicalResult ConstantOp::verify() {
  if (getValue().getType() == getType()) return mlir::success();
  return emitOpError("has a value of type ") << getValue().getType() << " and a result of type " << getType();
}

ParseResult ConstantOp::parse(OpAsmParser& parser, mlir::OperationState& result) {
  mlir::ElementsAttr value;
  if (parser.parseOptionalAttrDict(result.attributes) || parser.parseAttribute(value, "value", result.attributes)) {
    return mlir::failure();
  }
  result.addTypes(value.getType());
  return mlir::success();
}

void ConstantOp::print(OpAsmPrinter& printer) {
  printer.printOptionalAttrDict((*this)->getAttrs(), /*elidedAttrs=*/{"value"});
  printer << ' ' << getValue();
}

LogicalResult ManualComputationOp::verify() {
  if (mlir::failed(VerifyShardings(getInShardings(), getTensors().getTypes(), "in_shardings", *this)) ||
      mlir::failed(VerifyShardings(getOutShardings(), getResultTypes(), "out_shardings", *this))) {
    return mlir::failure();
  }
  mlir::Block& body = getBody().front();
  if (body.empty() || !mlir::isa<ReturnOp>(body.back())) return emitOpError("needs a body that ends in sdy.return");
  const llvm::ArrayRef<mlir::StringAttr> axes = getManualAxes().getValue();
  return mlir::success(mlir::succeeded(VerifyLocalTypes(getInShardings(), axes, getTensors().getTypes(),
                                                        body.getArgumentTypes(), "operands", *this)) &&
                       mlir::succeeded(VerifyLocalTypes(getOutShardings(), axes, getResultTypes(),
                                                        body.back().getOperandTypes(), "results", *this)));
}

LogicalResult NamedComputationOp::verify() {
  if ((getInShardings() &&
       mlir::failed(VerifyShardings(*getInShardings(), getOperands().getTypes(), "in_shardings", *this))) ||
      (getOutShardings() &&
       mlir::failed(VerifyShardings(*getOutShardings(), getResultTypes(), "out_shardings", *this)))) {
    return mlir::failure();
  }
  mlir::Block& body = getBody().front();
  if (body.getArgumentTypes() != getOperandTypes()) {
    return emitOpError("needs a body whose arguments have the types of the operands");
  }
  if (body.empty() || !mlir::isa<ReturnOp>(body.back()) || body.back().getOperandTypes() != getResultTypes()) {
    return emitOpError("needs a body that ends in sdy.return of the result types");
  }
  return mlir::success();
}

}  // namespace treadle::sdy

#define GET_OP_CLASSES
#include "stablehlo/sdy/ops.cc.inc"

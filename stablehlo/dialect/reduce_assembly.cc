// Text form of stablehlo.reduce: the short one names the operation that folds, the long one holds the region.
#include "stablehlo/dialect/attribute_syntax.h"
#include "stablehlo/dialect/ops.h"

namespace treadle::stablehlo {

using mlir::OpAsmParser;
using mlir::OpAsmPrinter;
using mlir::Operation;
using mlir::ParseResult;

namespace {

// "stablehlo.reduce(%x init: %i) applies stablehlo.add ...": the one operation of the body if that form says
// everything.
Operation* FoldingOperation(ReduceOp reduce) {
  if (reduce.getInputs().size() != 1 || !llvm::hasSingleElement(reduce.getBody())) return nullptr;
  mlir::Block& block = reduce.getBody().front();
  if (block.getNumArguments() != 2 || !llvm::hasNItems(block, 2)) return nullptr;
  Operation& fold = block.front();
  Operation& end = block.back();
  const bool in_order = fold.getNumOperands() == 2 && fold.getOperand(0) == block.getArgument(0) &&
                        fold.getOperand(1) == block.getArgument(1) && fold.getNumResults() == 1;
  if (!in_order || !llvm::isa_and_nonnull<StablehloDialect>(fold.getDialect()) ||
      !fold.hasTrait<mlir::OpTrait::IsCommutative>() || !fold.getAttrs().empty()) {
    return nullptr;
  }
  if (!llvm::isa<ReturnOp>(end) || end.getNumOperands() != 1 || end.getOperand(0) != fold.getResult(0) ||
      !end.getAttrs().empty()) {
    return nullptr;
  }
  const mlir::Type type = reduce.getInitValues()[0].getType();
  auto same = [&](mlir::Type other) { return other == type; };
  return llvm::all_of(block.getArgumentTypes(), same) && same(fold.getResult(0).getType()) ? &fold : nullptr;
}

// "(%x init: %i), (%y init: %j)".
ParseResult ParseInputs(OpAsmParser& parser, llvm::SmallVector<OpAsmParser::UnresolvedOperand>* operands) {
  llvm::SmallVector<OpAsmParser::UnresolvedOperand> inits;
  auto parse_one = [&]() -> ParseResult {
    return mlir::failure(parser.parseLParen() || parser.parseOperand(operands->emplace_back()) ||
                         parser.parseKeyword("init") || parser.parseColon() ||
                         parser.parseOperand(inits.emplace_back()) || parser.parseRParen());
  };
  if (parser.parseCommaSeparatedList(parse_one)) return mlir::failure();
  operands->append(inits);
  return mlir::success();
}

// "reducer(%acc: T, %value: T) ..." and the region; the block's arguments are all accumulators, then all values.
ParseResult ParseReducer(OpAsmParser& parser, mlir::Region* body) {
  llvm::SmallVector<OpAsmParser::Argument> accumulators;
  llvm::SmallVector<OpAsmParser::Argument> values;
  if (parser.parseKeyword("reducer")) return mlir::failure();
  while (succeeded(parser.parseOptionalLParen())) {
    if (parser.parseArgument(accumulators.emplace_back(), /*allowType=*/true) || parser.parseComma() ||
        parser.parseArgument(values.emplace_back(), /*allowType=*/true) || parser.parseRParen()) {
      return mlir::failure();
    }
  }
  accumulators.append(values);
  return parser.parseRegion(*body, accumulators);
}

// The body of the short form: block(acc, value) { return name(acc, value) }, all of `type`.
ParseResult BuildFold(OpAsmParser& parser, llvm::SMLoc location, llvm::StringRef name, mlir::Type type,
                      mlir::Region* body) {
  auto registered = mlir::RegisteredOperationName::lookup(name, parser.getContext());
  if (!registered || !registered->hasTrait<mlir::OpTrait::IsCommutative>() || !name.starts_with("stablehlo.")) {
    return parser.emitError(location) << "expected a commutative operation of the stablehlo dialect, got '" << name
                                      << "'";
  }
  const mlir::Location where = parser.getEncodedSourceLoc(location);
  mlir::OpBuilder builder(parser.getContext());
  mlir::Block* block = builder.createBlock(body, {}, {type, type}, {where, where});
  mlir::OperationState state(where, *registered);
  state.addOperands(block->getArguments());
  state.addTypes(type);
  ReturnOp::create(builder, where, builder.create(state)->getResults());
  return mlir::success();
}

}  // namespace

ParseResult ReduceOp::parse(OpAsmParser& parser, mlir::OperationState& result) {
  const llvm::SMLoc location = parser.getCurrentLocation();
  llvm::SmallVector<OpAsmParser::UnresolvedOperand> operands;
  if (ParseInputs(parser, &operands)) return mlir::failure();

  const bool is_short = succeeded(parser.parseOptionalKeyword("applies"));
  const llvm::SMLoc fold_location = parser.getCurrentLocation();
  mlir::FailureOr<mlir::OperationName> fold = mlir::failure();
  if (is_short && failed(fold = parser.parseCustomOperationName())) return mlir::failure();
  if (parser.parseKeyword("across") || parser.parseKeyword("dimensions") || parser.parseEqual()) return mlir::failure();
  auto dimensions = ParseI64List(parser);
  if (failed(dimensions)) return mlir::failure();
  result.getOrAddProperties<Properties>().dimensions = parser.getBuilder().getDenseI64ArrayAttr(*dimensions);

  mlir::FunctionType type;
  if (parser.parseOptionalAttrDict(result.attributes) || parser.parseColonType(type) ||
      parser.resolveOperands(operands, type.getInputs(), location, result.operands)) {
    return mlir::failure();
  }
  result.addTypes(type.getResults());
  mlir::Region* body = result.addRegion();
  if (!is_short) return ParseReducer(parser, body);
  if (operands.size() != 2) return parser.emitError(fold_location) << "'applies' folds one operand";
  return BuildFold(parser, fold_location, fold->getStringRef(), type.getInput(1), body);
}

void ReduceOp::print(OpAsmPrinter& printer) {
  llvm::interleaveComma(llvm::zip(getInputs(), getInitValues()), printer, [&](auto pair) {
    printer << '(' << std::get<0>(pair) << " init: " << std::get<1>(pair) << ')';
  });
  Operation* fold = FoldingOperation(*this);
  if (fold != nullptr) printer << " applies " << fold->getName().getStringRef();
  printer << " across dimensions = ";
  PrintI64List(printer, getDimensions());
  printer.printOptionalAttrDict((*this)->getAttrs(), {getDimensionsAttrName()});
  printer << " : ";
  printer.printFunctionalType(*this);
  if (fold != nullptr) return;

  printer.printNewline();
  printer << " reducer";
  mlir::Block& block = getBody().front();
  const unsigned count = block.getNumArguments() / 2;
  for (unsigned i = 0; i < count; ++i) {
    printer << '(';
    printer.printRegionArgument(block.getArgument(i));
    printer << ", ";
    printer.printRegionArgument(block.getArgument(count + i));
    printer << ") ";
  }
  printer << ' ';
  printer.printRegion(getBody(), /*printEntryBlockArgs=*/false);
}

}  // namespace treadle::stablehlo

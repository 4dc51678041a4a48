// Text form of stablehlo.while.
#include "stablehlo/dialect/ops.h"

namespace treadle::stablehlo {

using mlir::OpAsmParser;
using mlir::OpAsmPrinter;
using mlir::ParseResult;

namespace {

// "(%iterArg = %init, ...)": names of the carries in both regions, and their first values.
ParseResult ParseCarries(OpAsmParser& parser, llvm::SmallVector<OpAsmParser::Argument>* names,
                         llvm::SmallVector<OpAsmParser::UnresolvedOperand>* inits) {
  auto parse_one = [&]() -> ParseResult {
    return mlir::failure(parser.parseArgument(names->emplace_back()) || parser.parseEqual() ||
                         parser.parseOperand(inits->emplace_back()));
  };
  return parser.parseCommaSeparatedList(OpAsmParser::Delimiter::Paren, parse_one);
}

}  // namespace

ParseResult WhileOp::parse(OpAsmParser& parser, mlir::OperationState& result) {
  const llvm::SMLoc location = parser.getCurrentLocation();
  llvm::SmallVector<OpAsmParser::Argument> carries;
  llvm::SmallVector<OpAsmParser::UnresolvedOperand> inits;
  llvm::SmallVector<mlir::Type> types;
  if (ParseCarries(parser, &carries, &inits)) return mlir::failure();
  if (!inits.empty() && parser.parseColonTypeList(types)) return mlir::failure();
  if (types.size() != inits.size()) {
    return parser.emitError(location) << inits.size() << " carries have " << types.size() << " types";
  }
  for (auto [carry, type] : llvm::zip(carries, types)) carry.type = type;
  result.addTypes(types);
  if (parser.resolveOperands(inits, types, location, result.operands) ||
      parser.parseOptionalAttrDictWithKeyword(result.attributes)) {
    return mlir::failure();
  }
  return mlir::failure(parser.parseKeyword("cond") || parser.parseRegion(*result.addRegion(), carries) ||
                       parser.parseKeyword("do") || parser.parseRegion(*result.addRegion(), carries));
}

void WhileOp::print(OpAsmPrinter& printer) {
  printer << '(';
  llvm::interleaveComma(llvm::zip(getCond().getArguments(), getOperand()), printer, [&](auto carry) {
    printer.printOperand(std::get<0>(carry));
    printer << " = ";
    printer.printOperand(std::get<1>(carry));
  });
  printer << ')';
  if (getNumOperands() > 0) {
    printer << " : ";
    llvm::interleaveComma(getOperandTypes(), printer);
  }
  printer.printOptionalAttrDictWithKeyword((*this)->getAttrs());
  printer.printNewline();
  printer << "cond ";
  printer.printRegion(getCond(), /*printEntryBlockArgs=*/false);
  printer << " do ";
  printer.printRegion(getBody(), /*printEntryBlockArgs=*/false);
}

void WhileOp::getAsmBlockArgumentNames(mlir::Region& region, mlir::OpAsmSetValueNameFn set_name) {
  for (mlir::BlockArgument argument : region.getArguments()) set_name(argument, "iterArg");
}

}  // namespace treadle::stablehlo

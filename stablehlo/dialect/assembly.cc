#include "stablehlo/dialect/assembly.h"

#include "stablehlo/dialect/attribute_syntax.h"

namespace treadle::stablehlo {

using mlir::Attribute;
using mlir::DenseI64ArrayAttr;
using mlir::OpAsmParser;
using mlir::OpAsmPrinter;
using mlir::Operation;
using mlir::ParseResult;
using mlir::Type;

namespace {

// Takes a functional type apart; its numbers must be those of the operation.
ParseResult SplitFunctionType(OpAsmParser& parser, llvm::SMLoc location, mlir::FunctionType function,
                              llvm::ArrayRef<Type*> operands, Type* result) {
  if (function.getNumInputs() != operands.size() || function.getNumResults() != 1) {
    return parser.emitError(location) << "expected " << operands.size() << " operand types and one result type, got "
                                      << function;
  }
  for (auto [operand, type] : llvm::zip(operands, function.getInputs())) *operand = type;
  *result = function.getResult(0);
  return mlir::success();
}

}  // namespace

// ---- Types.

ParseResult ParseTypes(OpAsmParser& parser, llvm::ArrayRef<Type*> operands, Type* result) {
  const llvm::SMLoc location = parser.getCurrentLocation();
  Type type;
  if (parser.parseType(type)) return mlir::failure();
  if (auto function = llvm::dyn_cast<mlir::FunctionType>(type)) {
    return SplitFunctionType(parser, location, function, operands, result);
  }
  for (Type* operand : operands) *operand = type;
  *result = type;
  return mlir::success();
}

void PrintTypes(OpAsmPrinter& printer, llvm::ArrayRef<Type> operands, Type result) {
  if (llvm::all_of(operands, [&](Type operand) { return operand == result; })) {
    printer << result;
  } else {
    printer.printFunctionalType(operands, mlir::TypeRange(result));
  }
}

ParseResult parseVariadicSameOperandsAndResultType(OpAsmParser& parser, UnresolvedOperands& operands,
                                                   llvm::SmallVectorImpl<Type>& types, Type& result) {
  types.resize(operands.size());
  llvm::SmallVector<Type*> pointers;
  for (Type& type : types) pointers.push_back(&type);
  return ParseTypes(parser, pointers, &result);
}

void printVariadicSameOperandsAndResultType(OpAsmPrinter& printer, Operation*, mlir::OperandRange,
                                            mlir::TypeRange types, Type result) {
  PrintTypes(printer, llvm::to_vector(types), result);
}

ParseResult parseComplexOpType(OpAsmParser& parser, Type& lhs, Type& rhs, Type& result) {
  const llvm::SMLoc location = parser.getCurrentLocation();
  Type type;
  if (parser.parseType(type)) return mlir::failure();
  if (auto function = llvm::dyn_cast<mlir::FunctionType>(type)) {
    return SplitFunctionType(parser, location, function, {&lhs, &rhs}, &result);
  }
  auto tensor = llvm::dyn_cast<mlir::RankedTensorType>(type);
  auto complex = tensor ? llvm::dyn_cast<mlir::ComplexType>(tensor.getElementType()) : mlir::ComplexType();
  if (!complex) return parser.emitError(location) << "expected a tensor of complex values, got " << type;
  lhs = rhs = tensor.clone(complex.getElementType());
  result = type;
  return mlir::success();
}

void printComplexOpType(OpAsmPrinter& printer, Operation*, Type lhs, Type rhs, Type result) {
  auto part = llvm::cast<mlir::RankedTensorType>(lhs);
  if (lhs == rhs && result == part.clone(mlir::ComplexType::get(part.getElementType()))) {
    printer << result;
  } else {
    printer.printFunctionalType(llvm::ArrayRef<Type>{lhs, rhs}, mlir::TypeRange(result));
  }
}

ParseResult parseSelectOpType(OpAsmParser& parser, Type& pred, Type& on_true, Type& on_false, Type& result) {
  const llvm::SMLoc location = parser.getCurrentLocation();
  if (parser.parseType(pred)) return mlir::failure();
  if (auto function = llvm::dyn_cast<mlir::FunctionType>(pred)) {
    return SplitFunctionType(parser, location, function, {&pred, &on_true, &on_false}, &result);
  }
  if (parser.parseComma() || parser.parseType(result)) return mlir::failure();
  on_true = on_false = result;
  return mlir::success();
}

void printSelectOpType(OpAsmPrinter& printer, Operation*, Type pred, Type on_true, Type on_false, Type result) {
  if (on_true == result && on_false == result) {
    printer << pred << ", " << result;
  } else {
    printer.printFunctionalType(llvm::ArrayRef<Type>{pred, on_true, on_false}, mlir::TypeRange(result));
  }
}

ParseResult parsePairwiseOpType(OpAsmParser& parser, llvm::SmallVectorImpl<Type>& operands,
                                llvm::SmallVectorImpl<Type>& results) {
  if (parser.parseTypeList(operands)) return mlir::failure();
  results.assign(operands.begin(), operands.end());
  return mlir::success();
}

void printPairwiseOpType(OpAsmPrinter& printer, Operation*, mlir::TypeRange operands, mlir::TypeRange) {
  llvm::interleaveComma(operands, printer);
}

ParseResult parseTupleOpType(OpAsmParser& parser, llvm::SmallVectorImpl<Type>& operands, Type& result) {
  const llvm::SMLoc location = parser.getCurrentLocation();
  if (parser.parseType(result)) return mlir::failure();
  auto tuple = llvm::dyn_cast<mlir::TupleType>(result);
  if (!tuple) return parser.emitError(location) << "expected a tuple type, got " << result;
  llvm::append_range(operands, tuple.getTypes());
  return mlir::success();
}

void printTupleOpType(OpAsmPrinter& printer, Operation*, mlir::TypeRange, Type result) { printer << result; }

// ---- Operands and small attributes.

ParseResult parseOperandsThenComma(OpAsmParser& parser, UnresolvedOperands& operands) {
  while (true) {
    OpAsmParser::UnresolvedOperand operand;
    const mlir::OptionalParseResult parsed = parser.parseOptionalOperand(operand);
    if (!parsed.has_value()) break;
    if (failed(*parsed) || parser.parseComma()) return mlir::failure();
    operands.push_back(operand);
  }
  // Other printers write the comma of an empty list.
  if (operands.empty()) (void)parser.parseOptionalComma();
  return mlir::success();
}

void printOperandsThenComma(OpAsmPrinter& printer, Operation*, mlir::OperandRange operands) {
  llvm::interleaveComma(operands, printer);
  if (!operands.empty()) printer << ',';
}

ParseResult parseExponentMantissa(OpAsmParser& parser, mlir::IntegerAttr& exponent, mlir::IntegerAttr& mantissa) {
  const llvm::SMLoc location = parser.getCurrentLocation();
  llvm::StringRef format;
  if (parser.parseKeyword(&format)) return mlir::failure();
  int32_t exponent_bits = 0;
  int32_t mantissa_bits = 0;
  llvm::StringRef rest = format;
  if (!rest.consume_front("e") || rest.consumeInteger(10, exponent_bits) || !rest.consume_front("m") ||
      rest.getAsInteger(10, mantissa_bits)) {
    return parser.emitError(location) << "expected a format like e5m10, got '" << format << "'";
  }
  exponent = parser.getBuilder().getI32IntegerAttr(exponent_bits);
  mantissa = parser.getBuilder().getI32IntegerAttr(mantissa_bits);
  return mlir::success();
}

void printExponentMantissa(OpAsmPrinter& printer, Operation*, mlir::IntegerAttr exponent, mlir::IntegerAttr mantissa) {
  printer << 'e' << exponent.getInt() << 'm' << mantissa.getInt();
}

ParseResult parseSliceRanges(OpAsmParser& parser, DenseI64ArrayAttr& starts, DenseI64ArrayAttr& limits,
                             DenseI64ArrayAttr& strides) {
  llvm::SmallVector<int64_t> start;
  llvm::SmallVector<int64_t> limit;
  llvm::SmallVector<int64_t> stride;
  auto parse_range = [&]() -> ParseResult {
    if (parser.parseInteger(start.emplace_back()) || parser.parseColon() || parser.parseInteger(limit.emplace_back())) {
      return mlir::failure();
    }
    stride.push_back(1);
    return succeeded(parser.parseOptionalColon()) ? parser.parseInteger(stride.back()) : ParseResult(mlir::success());
  };
  if (parser.parseCommaSeparatedList(OpAsmParser::Delimiter::Square, parse_range)) return mlir::failure();
  mlir::Builder& builder = parser.getBuilder();
  starts = builder.getDenseI64ArrayAttr(start);
  limits = builder.getDenseI64ArrayAttr(limit);
  strides = builder.getDenseI64ArrayAttr(stride);
  return mlir::success();
}

void printSliceRanges(OpAsmPrinter& printer, Operation*, DenseI64ArrayAttr starts, DenseI64ArrayAttr limits,
                      DenseI64ArrayAttr strides) {
  printer << '[';
  llvm::interleaveComma(llvm::zip(starts.asArrayRef(), limits.asArrayRef(), strides.asArrayRef()), printer,
                        [&](auto range) {
                          const auto [start, limit, stride] = range;
                          printer << start << ':' << limit;
                          if (stride != 1) printer << ':' << stride;
                        });
  printer << ']';
}

ParseResult parseCustomCallTarget(OpAsmParser& parser, mlir::StringAttr& target) {
  return parser.parseSymbolName(target);
}

void printCustomCallTarget(OpAsmPrinter& printer, Operation*, mlir::StringAttr target) {
  printer.printSymbolName(target);
}

// ---- Dot.

namespace {

ParseResult ParsePrecisions(OpAsmParser& parser, mlir::ArrayAttr* precisions) {
  llvm::SmallVector<Attribute> list;
  auto parse_one = [&]() -> ParseResult {
    PrecisionAttr precision;
    if (parser.parseCustomAttributeWithFallback(precision)) return mlir::failure();
    list.push_back(precision);
    return mlir::success();
  };
  if (parser.parseEqual() || parser.parseCommaSeparatedList(OpAsmParser::Delimiter::Square, parse_one)) {
    return mlir::failure();
  }
  *precisions = parser.getBuilder().getArrayAttr(list);
  return mlir::success();
}

// "= [0, 1] x [1, 2]".
ParseResult ParseDimensionPair(OpAsmParser& parser, llvm::SmallVector<int64_t>* lhs, llvm::SmallVector<int64_t>* rhs) {
  if (parser.parseEqual()) return mlir::failure();
  auto left = ParseI64List(parser);
  if (failed(left) || parser.parseKeyword("x")) return mlir::failure();
  auto right = ParseI64List(parser);
  if (failed(right)) return mlir::failure();
  *lhs = std::move(*left);
  *rhs = std::move(*right);
  return mlir::success();
}

void PrintDimensionPair(OpAsmPrinter& printer, llvm::StringRef name, llvm::ArrayRef<int64_t> lhs,
                        llvm::ArrayRef<int64_t> rhs) {
  printer << name << " = ";
  PrintI64List(printer, lhs);
  printer << " x ";
  PrintI64List(printer, rhs);
}

}  // namespace

ParseResult parsePrecisionConfig(OpAsmParser& parser, mlir::ArrayAttr& precisions) {
  if (failed(parser.parseOptionalComma())) return mlir::success();
  return mlir::failure(parser.parseKeyword("precision") || ParsePrecisions(parser, &precisions));
}

void printPrecisionConfig(OpAsmPrinter& printer, Operation*, mlir::ArrayAttr precisions) {
  if (!precisions) return;
  printer << ", precision = [";
  llvm::interleaveComma(precisions, printer, [&](Attribute precision) {
    printer << stringifyPrecision(llvm::cast<PrecisionAttr>(precision).getValue());
  });
  printer << ']';
}

ParseResult parseDotDimensionNumbers(OpAsmParser& parser, DotDimensionNumbersAttr& numbers) {
  llvm::SmallVector<int64_t> lhs_batch;
  llvm::SmallVector<int64_t> rhs_batch;
  llvm::SmallVector<int64_t> lhs_contract;
  llvm::SmallVector<int64_t> rhs_contract;
  if (succeeded(parser.parseOptionalKeyword("batching_dims")) &&
      (ParseDimensionPair(parser, &lhs_batch, &rhs_batch) || parser.parseComma())) {
    return mlir::failure();
  }
  if (parser.parseKeyword("contracting_dims") || ParseDimensionPair(parser, &lhs_contract, &rhs_contract)) {
    return mlir::failure();
  }
  numbers = DotDimensionNumbersAttr::get(parser.getContext(), lhs_batch, rhs_batch, lhs_contract, rhs_contract);
  return mlir::success();
}

void printDotDimensionNumbers(OpAsmPrinter& printer, Operation*, DotDimensionNumbersAttr numbers) {
  if (!numbers.getLhsBatchingDimensions().empty() || !numbers.getRhsBatchingDimensions().empty()) {
    PrintDimensionPair(printer, "batching_dims", numbers.getLhsBatchingDimensions(),
                       numbers.getRhsBatchingDimensions());
    printer << ", ";
  }
  PrintDimensionPair(printer, "contracting_dims", numbers.getLhsContractingDimensions(),
                     numbers.getRhsContractingDimensions());
}

ParseResult parsePrecisionConfigAndAlgorithm(OpAsmParser& parser, mlir::ArrayAttr& precisions,
                                             DotAlgorithmAttr& algorithm) {
  while (succeeded(parser.parseOptionalComma())) {
    if (!precisions && succeeded(parser.parseOptionalKeyword("precision"))) {
      if (ParsePrecisions(parser, &precisions)) return mlir::failure();
    } else if (!algorithm) {
      if (parser.parseKeyword("algorithm") || parser.parseEqual() ||
          parser.parseCustomAttributeWithFallback(algorithm)) {
        return mlir::failure();
      }
    } else {
      return parser.emitError(parser.getCurrentLocation()) << "expected ':'";
    }
  }
  return mlir::success();
}

void printPrecisionConfigAndAlgorithm(OpAsmPrinter& printer, Operation* op, mlir::ArrayAttr precisions,
                                      DotAlgorithmAttr algorithm) {
  printPrecisionConfig(printer, op, precisions);
  if (!algorithm) return;
  printer << ", algorithm = ";
  printer.printStrippedAttrOrType(algorithm);
}

// ---- Convolution.

ParseResult parseConvolutionDimensions(OpAsmParser& parser, ConvDimensionNumbersAttr& numbers) {
  numbers = ConvDimensionNumbersAttr::ParseBody(parser);
  return mlir::success(static_cast<bool>(numbers));
}

void printConvolutionDimensions(OpAsmPrinter& printer, Operation*, ConvDimensionNumbersAttr numbers) {
  numbers.PrintBody(printer);
}

namespace {

ParseResult ParseI64Array(OpAsmParser& parser, DenseI64ArrayAttr* array) {
  auto values = ParseI64List(parser);
  if (failed(values)) return mlir::failure();
  *array = parser.getBuilder().getDenseI64ArrayAttr(*values);
  return mlir::success();
}

// "[[low, high], ...]".
ParseResult ParsePadding(OpAsmParser& parser, mlir::DenseIntElementsAttr* padding) {
  llvm::SmallVector<int64_t> values;
  auto parse_pair = [&]() -> ParseResult {
    return mlir::failure(parser.parseLSquare() || parser.parseInteger(values.emplace_back()) || parser.parseComma() ||
                         parser.parseInteger(values.emplace_back()) || parser.parseRSquare());
  };
  if (parser.parseCommaSeparatedList(OpAsmParser::Delimiter::Square, parse_pair)) return mlir::failure();
  const int64_t rows = static_cast<int64_t>(values.size()) / 2;
  auto type = mlir::RankedTensorType::get({rows, 2}, parser.getBuilder().getIntegerType(64));
  *padding = mlir::DenseIntElementsAttr::get(type, values);
  return mlir::success();
}

// "[true, false]" or "[1, 0]".
ParseResult ParseReversal(OpAsmParser& parser, mlir::DenseBoolArrayAttr* reversal) {
  llvm::SmallVector<bool> values;
  auto parse_one = [&]() -> ParseResult {
    int64_t number = 0;
    if (mlir::OptionalParseResult parsed = parser.parseOptionalInteger(number); parsed.has_value()) {
      values.push_back(number != 0);
      return *parsed;
    }
    auto value = ParseBool(parser);
    if (failed(value)) return mlir::failure();
    values.push_back(*value);
    return mlir::success();
  };
  if (parser.parseCommaSeparatedList(OpAsmParser::Delimiter::Square, parse_one)) return mlir::failure();
  *reversal = parser.getBuilder().getDenseBoolArrayAttr(values);
  return mlir::success();
}

void PrintPadding(OpAsmPrinter& printer, mlir::DenseIntElementsAttr padding) {
  const llvm::SmallVector<int64_t> values = llvm::to_vector(padding.getValues<int64_t>());
  printer << '[';
  for (size_t i = 0; i + 1 < values.size(); i += 2) {
    printer << (i == 0 ? "[" : ", [") << values[i] << ", " << values[i + 1] << ']';
  }
  printer << ']';
}

}  // namespace

ParseResult parseWindowAttributes(OpAsmParser& parser, DenseI64ArrayAttr& strides, mlir::DenseIntElementsAttr& padding,
                                  DenseI64ArrayAttr& lhs_dilation, DenseI64ArrayAttr& rhs_dilation,
                                  mlir::DenseBoolArrayAttr& reversal) {
  llvm::StringRef name;
  const llvm::SMLoc location = parser.getCurrentLocation();
  if (failed(parser.parseOptionalKeyword(&name))) return mlir::success();
  while (true) {
    if (parser.parseEqual()) return mlir::failure();
    ParseResult parsed = mlir::failure();
    if (name == "stride") {
      parsed = ParseI64Array(parser, &strides);
    } else if (name == "pad") {
      parsed = ParsePadding(parser, &padding);
    } else if (name == "lhs_dilate") {
      parsed = ParseI64Array(parser, &lhs_dilation);
    } else if (name == "rhs_dilate") {
      parsed = ParseI64Array(parser, &rhs_dilation);
    } else if (name == "reverse") {
      parsed = ParseReversal(parser, &reversal);
    } else {
      return parser.emitError(location) << "a window has no attribute '" << name << "'";
    }
    if (failed(parsed)) return mlir::failure();
    if (failed(parser.parseOptionalComma())) return mlir::success();
    if (parser.parseKeyword(&name)) return mlir::failure();
  }
}

void printWindowAttributes(OpAsmPrinter& printer, Operation*, DenseI64ArrayAttr strides,
                           mlir::DenseIntElementsAttr padding, DenseI64ArrayAttr lhs_dilation,
                           DenseI64ArrayAttr rhs_dilation, mlir::DenseBoolArrayAttr reversal) {
  llvm::StringRef separator;
  auto print_name = [&](llvm::StringRef name) {
    printer << separator << name << " = ";
    separator = ", ";
  };
  auto print_list = [&](llvm::StringRef name, DenseI64ArrayAttr list) {
    if (!list) return;
    print_name(name);
    PrintI64List(printer, list.asArrayRef());
  };
  print_list("stride", strides);
  if (padding) {
    print_name("pad");
    PrintPadding(printer, padding);
  }
  print_list("lhs_dilate", lhs_dilation);
  print_list("rhs_dilate", rhs_dilation);
  if (reversal) {
    print_name("reverse");
    printer << '[';
    llvm::interleaveComma(reversal.asArrayRef(), printer, [&](bool value) { printer << (value ? "true" : "false"); });
    printer << ']';
  }
}

}  // namespace treadle::stablehlo

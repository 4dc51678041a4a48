// Custom directives of the operations' assembly formats: `custom<Name>(...)` in a .td calls parseName and printName.
// They accept and print StableHLO's text form. Names are MLIR's, as generated code calls them.
#ifndef TREADLE_STABLEHLO_DIALECT_ASSEMBLY_H_
#define TREADLE_STABLEHLO_DIALECT_ASSEMBLY_H_

#include "mlir/IR/Builders.h"
#include "mlir/IR/OpImplementation.h"
#include "stablehlo/dialect/attributes.h"

namespace treadle::stablehlo {

using UnresolvedOperands = llvm::SmallVectorImpl<mlir::OpAsmParser::UnresolvedOperand>;

// One type for all operands and the result, or the functional type where they differ.
mlir::ParseResult ParseTypes(mlir::OpAsmParser& parser, llvm::ArrayRef<mlir::Type*> operands, mlir::Type* result);
void PrintTypes(mlir::OpAsmPrinter& printer, llvm::ArrayRef<mlir::Type> operands, mlir::Type result);

template <typename... Types>  // operands ..., result
mlir::ParseResult parseSameOperandsAndResultType(mlir::OpAsmParser& parser, Types&... types) {
  mlir::Type* all[] = {&types...};
  return ParseTypes(parser, llvm::ArrayRef(all).drop_back(), all[sizeof...(types) - 1]);
}
template <typename... Types>
void printSameOperandsAndResultType(mlir::OpAsmPrinter& printer, mlir::Operation*, Types... types) {
  const mlir::Type all[] = {types...};
  PrintTypes(printer, llvm::ArrayRef(all).drop_back(), all[sizeof...(types) - 1]);
}

mlir::ParseResult parseVariadicSameOperandsAndResultType(mlir::OpAsmParser& parser, UnresolvedOperands& operands,
                                                         llvm::SmallVectorImpl<mlir::Type>& types, mlir::Type& result);
void printVariadicSameOperandsAndResultType(mlir::OpAsmPrinter& printer, mlir::Operation* op,
                                            mlir::OperandRange operands, mlir::TypeRange types, mlir::Type result);

// The result's type alone where the operands are its real and imaginary parts.
mlir::ParseResult parseComplexOpType(mlir::OpAsmParser& parser, mlir::Type& lhs, mlir::Type& rhs, mlir::Type& result);
void printComplexOpType(mlir::OpAsmPrinter& printer, mlir::Operation* op, mlir::Type lhs, mlir::Type rhs,
                        mlir::Type result);

// "pred type, result type" where both values have the result's type.
mlir::ParseResult parseSelectOpType(mlir::OpAsmParser& parser, mlir::Type& pred, mlir::Type& on_true,
                                    mlir::Type& on_false, mlir::Type& result);
void printSelectOpType(mlir::OpAsmPrinter& printer, mlir::Operation* op, mlir::Type pred, mlir::Type on_true,
                       mlir::Type on_false, mlir::Type result);

mlir::ParseResult parsePairwiseOpType(mlir::OpAsmParser& parser, llvm::SmallVectorImpl<mlir::Type>& operands,
                                      llvm::SmallVectorImpl<mlir::Type>& results);
void printPairwiseOpType(mlir::OpAsmPrinter& printer, mlir::Operation* op, mlir::TypeRange operands,
                         mlir::TypeRange results);

mlir::ParseResult parseTupleOpType(mlir::OpAsmParser& parser, llvm::SmallVectorImpl<mlir::Type>& operands,
                                   mlir::Type& result);
void printTupleOpType(mlir::OpAsmPrinter& printer, mlir::Operation* op, mlir::TypeRange operands, mlir::Type result);

// "%a, %b, ": operands, each followed by a comma.
mlir::ParseResult parseOperandsThenComma(mlir::OpAsmParser& parser, UnresolvedOperands& operands);
void printOperandsThenComma(mlir::OpAsmPrinter& printer, mlir::Operation* op, mlir::OperandRange operands);

// "e5m10".
mlir::ParseResult parseExponentMantissa(mlir::OpAsmParser& parser, mlir::IntegerAttr& exponent,
                                        mlir::IntegerAttr& mantissa);
void printExponentMantissa(mlir::OpAsmPrinter& printer, mlir::Operation* op, mlir::IntegerAttr exponent,
                           mlir::IntegerAttr mantissa);

// "[start:limit:stride, start:limit]".
mlir::ParseResult parseSliceRanges(mlir::OpAsmParser& parser, mlir::DenseI64ArrayAttr& starts,
                                   mlir::DenseI64ArrayAttr& limits, mlir::DenseI64ArrayAttr& strides);
void printSliceRanges(mlir::OpAsmPrinter& printer, mlir::Operation* op, mlir::DenseI64ArrayAttr starts,
                      mlir::DenseI64ArrayAttr limits, mlir::DenseI64ArrayAttr strides);

// "@target", quoted where it must be.
mlir::ParseResult parseCustomCallTarget(mlir::OpAsmParser& parser, mlir::StringAttr& target);
void printCustomCallTarget(mlir::OpAsmPrinter& printer, mlir::Operation* op, mlir::StringAttr target);

// ", precision = [DEFAULT, HIGHEST]" or nothing.
mlir::ParseResult parsePrecisionConfig(mlir::OpAsmParser& parser, mlir::ArrayAttr& precisions);
void printPrecisionConfig(mlir::OpAsmPrinter& printer, mlir::Operation* op, mlir::ArrayAttr precisions);

// "batching_dims = [0] x [0], contracting_dims = [2] x [1]".
mlir::ParseResult parseDotDimensionNumbers(mlir::OpAsmParser& parser, DotDimensionNumbersAttr& numbers);
void printDotDimensionNumbers(mlir::OpAsmPrinter& printer, mlir::Operation* op, DotDimensionNumbersAttr numbers);

// ", precision = [..], algorithm = <..>", each optional.
mlir::ParseResult parsePrecisionConfigAndAlgorithm(mlir::OpAsmParser& parser, mlir::ArrayAttr& precisions,
                                                   DotAlgorithmAttr& algorithm);
void printPrecisionConfigAndAlgorithm(mlir::OpAsmPrinter& printer, mlir::Operation* op, mlir::ArrayAttr precisions,
                                      DotAlgorithmAttr algorithm);

// "[b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f]".
mlir::ParseResult parseConvolutionDimensions(mlir::OpAsmParser& parser, ConvDimensionNumbersAttr& numbers);
void printConvolutionDimensions(mlir::OpAsmPrinter& printer, mlir::Operation* op, ConvDimensionNumbersAttr numbers);

// "stride = [2, 2], pad = [[0, 1], [0, 1]], lhs_dilate = .., rhs_dilate = .., reverse = [false, true]", each optional.
mlir::ParseResult parseWindowAttributes(mlir::OpAsmParser& parser, mlir::DenseI64ArrayAttr& strides,
                                        mlir::DenseIntElementsAttr& padding, mlir::DenseI64ArrayAttr& lhs_dilation,
                                        mlir::DenseI64ArrayAttr& rhs_dilation, mlir::DenseBoolArrayAttr& reversal);
void printWindowAttributes(mlir::OpAsmPrinter& printer, mlir::Operation* op, mlir::DenseI64ArrayAttr strides,
                           mlir::DenseIntElementsAttr padding, mlir::DenseI64ArrayAttr lhs_dilation,
                           mlir::DenseI64ArrayAttr rhs_dilation, mlir::DenseBoolArrayAttr reversal);

}  // namespace treadle::stablehlo

#endif  // TREADLE_STABLEHLO_DIALECT_ASSEMBLY_H_

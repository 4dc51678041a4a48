// Parsers and printers of the parameters that attributes of several dialects are made of.
#ifndef TREADLE_STABLEHLO_DIALECT_ATTRIBUTE_SYNTAX_H_
#define TREADLE_STABLEHLO_DIALECT_ATTRIBUTE_SYNTAX_H_

#include "mlir/IR/Builders.h"
#include "mlir/IR/OpImplementation.h"

namespace treadle::stablehlo {

// "[1, 2]". On failure the parser has emitted the error.
mlir::FailureOr<llvm::SmallVector<int64_t>> ParseI64List(mlir::AsmParser& parser);
void PrintI64List(mlir::AsmPrinter& printer, llvm::ArrayRef<int64_t> values);

// "true" or "false".
mlir::FailureOr<bool> ParseBool(mlir::AsmParser& parser);

// An f64.
mlir::FailureOr<llvm::APFloat> ParseF64(mlir::AsmParser& parser);

}  // namespace treadle::stablehlo

#endif  // TREADLE_STABLEHLO_DIALECT_ATTRIBUTE_SYNTAX_H_

// Parameters that attributes of several dialects are made of; attribute_syntax.h parses and prints them.
#ifndef TREADLE_STABLEHLO_DIALECT_PARAMETERS_TD_
#define TREADLE_STABLEHLO_DIALECT_PARAMETERS_TD_

include "mlir/IR/AttrTypeBase.td"

class I64ListBase : ArrayRefParameter<"int64_t"> {
  let parser = "::treadle::stablehlo::ParseI64List($_parser)";
  let printer = "::treadle::stablehlo::PrintI64List($_printer, $_self)";
}
def I64List : I64ListBase;
// Left out of the text where empty.
def OptionalI64List : I64ListBase {
  let defaultValue = "::llvm::SmallVector<int64_t>()";
  let comparator = "::llvm::ArrayRef<int64_t>($_lhs) == ::llvm::ArrayRef<int64_t>($_rhs)";
}
def BoolParameter : AttrOrTypeParameter<"bool", ""> {
  let parser = "::treadle::stablehlo::ParseBool($_parser)";
  let printer = "$_printer << ($_self ? \"true\" : \"false\")";
}
def OptionalF64 : AttrOrTypeParameter<"::llvm::APFloat", ""> {
  let defaultValue = "::llvm::APFloat(0.0)";
  let comparator = "$_lhs.bitwiseIsEqual($_rhs)";
  let parser = "::treadle::stablehlo::ParseF64($_parser)";
  let printer = "$_printer.printFloat($_self)";
}
// An attribute printed in full where a bare body would be the default.
class FullAttr<string type> : AttrParameter<type, ""> { let printer = "$_printer.printAttribute($_self)"; }

#endif  // TREADLE_STABLEHLO_DIALECT_PARAMETERS_TD_

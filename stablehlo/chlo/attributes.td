// Enumerations and attributes of CHLO; spelled like those of StableHLO, but its own.
#ifndef TREADLE_STABLEHLO_CHLO_ATTRIBUTES_TD_
#define TREADLE_STABLEHLO_CHLO_ATTRIBUTES_TD_

include "mlir/IR/EnumAttr.td"
include "stablehlo/dialect/base.td"
include "stablehlo/dialect/parameters.td"

def Chlo_Dialect : Dialect {
  let name = "chlo";
  let cppNamespace = "::treadle::chlo";
  let summary = "operations that expand into StableHLO";
  let useDefaultAttributePrinterParser = 1;
  let extraClassDeclaration = [{
   private:
    void RegisterAttributes();
    void RegisterOps();
    void RegisterBroadcastingOps();
  }];
}

class Chlo_Enum<string name, list<I32EnumCase> cases> : I32Enum<name, "", cases> { let cppNamespace = "::treadle::chlo"; }

def Chlo_ComparisonDirection : Chlo_Enum<"ComparisonDirection", [
    I32EnumCase<"EQ", 0>, I32EnumCase<"NE", 1>, I32EnumCase<"GE", 2>, I32EnumCase<"GT", 3>, I32EnumCase<"LE", 4>, I32EnumCase<"LT", 5>]>;
def Chlo_ComparisonDirectionAttr : EnumAttr<Chlo_Dialect, Chlo_ComparisonDirection, "comparison_direction">;
def Chlo_ComparisonType : Chlo_Enum<"ComparisonType", [
    I32EnumCase<"NOTYPE", 0>, I32EnumCase<"FLOAT", 1>, I32EnumCase<"TOTALORDER", 2>, I32EnumCase<"SIGNED", 3>, I32EnumCase<"UNSIGNED", 4>]>;
def Chlo_ComparisonTypeAttr : EnumAttr<Chlo_Dialect, Chlo_ComparisonType, "comparison_type">;
def Chlo_Precision : Chlo_Enum<"Precision", [I32EnumCase<"DEFAULT", 0>, I32EnumCase<"HIGH", 1>, I32EnumCase<"HIGHEST", 2>]>;
def Chlo_PrecisionAttr : EnumAttr<Chlo_Dialect, Chlo_Precision, "precision">;

def Chlo_RaggedDotDimensionNumbersAttr : AttrDef<Chlo_Dialect, "RaggedDotDimensionNumbers"> {
  let mnemonic = "ragged_dot";
  let parameters = (ins OptionalI64List:$lhs_batching_dimensions, OptionalI64List:$rhs_batching_dimensions,
      OptionalI64List:$lhs_contracting_dimensions, OptionalI64List:$rhs_contracting_dimensions,
      OptionalI64List:$lhs_ragged_dimensions, OptionalI64List:$rhs_group_dimensions);
  let assemblyFormat = "`<` struct(params) `>`";
}

#endif  // TREADLE_STABLEHLO_CHLO_ATTRIBUTES_TD_

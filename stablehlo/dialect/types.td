// Types of the dialect beside the tensors of MLIR.
#ifndef TREADLE_STABLEHLO_DIALECT_TYPES_TD_
#define TREADLE_STABLEHLO_DIALECT_TYPES_TD_

include "stablehlo/dialect/base.td"
include "mlir/IR/AttrTypeBase.td"

class Stablehlo_Type<string name, string typeMnemonic> : TypeDef<Stablehlo_Dialect, name> { let mnemonic = typeMnemonic; }

def Stablehlo_Token : Stablehlo_Type<"Token", "token"> {
  let summary = "orders operations with effects";
}

def Stablehlo_Future : Stablehlo_Type<"Future", "future"> {
  let summary = "results of an operation that async_start began";
  let parameters = (ins ArrayRefParameter<"::mlir::Type">:$types);
  let assemblyFormat = "`<` $types `>`";
}

def TokenType : Type<CPred<"::llvm::isa<::treadle::stablehlo::TokenType>($_self)">, "token", "::treadle::stablehlo::TokenType">;
def FutureType : Type<CPred<"::llvm::isa<::treadle::stablehlo::FutureType>($_self)">, "future", "::treadle::stablehlo::FutureType">;
def TensorOrTokenType : AnyTypeOf<[AnyTensorType, TokenType]>;
// What control flow, calls and tuples may carry.
def AnyValueType : AnyTypeOf<[AnyTensorType, TokenType, FutureType, AnyTuple, AnyMemRef]>;

#endif  // TREADLE_STABLEHLO_DIALECT_TYPES_TD_

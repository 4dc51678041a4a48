// What test programs say to the interpreter: run several processes, print, remember a value.
include "stablehlo/dialect/base.td"
include "stablehlo/dialect/types.td"

def Interpreter_Dialect : Dialect {
  let name = "interpreter";
  let cppNamespace = "::treadle::interpreter";
  let summary = "instructions of test programs to the reference interpreter";
}

class Interpreter_Op<string mnemonic, list<Trait> traits = []> : Op<Interpreter_Dialect, mnemonic, traits>;

def PrintOp : Interpreter_Op<"print"> {
  let arguments = (ins AnyTensorType:$operand);
  let assemblyFormat = "$operand attr-dict `:` type($operand)";
}

def ProbeOp : Interpreter_Op<"probe", [AllTypesMatch<["operand", "result"]>]> {
  let summary = "its operand, remembered under a name for check.expect_serialized_eq";
  let arguments = (ins AnyTensorType:$operand, StrAttr:$probe_id);
  let results = (outs AnyTensorType:$result);
  let assemblyFormat = "$operand `,` `probe_id` `=` $probe_id attr-dict `:` type($operand)";
}

def RunParallelOp : Interpreter_Op<"run_parallel"> {
  let summary = "runs programs[replica][partition] side by side; operands and results are those of all, one after another";
  let arguments = (ins Variadic<AnyValueType>:$inputs, OptionalAttr<ArrayAttr>:$infeed, ArrayAttr:$programs);
  let results = (outs Variadic<AnyValueType>:$results);
  let hasVerifier = 1;
}

// Control flow, calls, tuples, tokens, random bits, and what talks to the host.
include "stablehlo/dialect/attributes.td"
include "stablehlo/dialect/types.td"
include "mlir/IR/SymbolInterfaces.td"
include "mlir/Interfaces/ControlFlowInterfaces.td"

def ReturnOp : Stablehlo_Op<"return", [Pure, Terminator, ReturnLike]> {
  let arguments = (ins Variadic<AnyType>:$results);
  let assemblyFormat = "$results attr-dict (`:` type($results)^)?";
  let builders = [OpBuilder<(ins), [{ build($_builder, $_state, ::mlir::ValueRange()); }]>];
}

def CaseOp : Stablehlo_RegionOp<"case"> {
  let summary = "branch of that index; the last one for an index out of range";
  let arguments = (ins IntTensorType:$index);
  let regions = (region VariadicRegion<SizedRegion<1>>:$branches);
  let results = (outs Variadic<AnyValueType>:$results);
  let hasVerifier = 1;
}

def IfOp : Stablehlo_RegionOp<"if"> {
  let arguments = (ins PredTensorType:$pred);
  let regions = (region SizedRegion<1>:$true_branch, SizedRegion<1>:$false_branch);
  let results = (outs Variadic<AnyValueType>:$results);
  let hasVerifier = 1;
}

def WhileOp : Stablehlo_RegionOp<"while", [DeclareOpInterfaceMethods<OpAsmOpInterface, ["getAsmBlockArgumentNames"]>]> {
  let arguments = (ins Variadic<AnyValueType>:$operand);
  let regions = (region SizedRegion<1>:$cond, SizedRegion<1>:$body);
  let results = (outs Variadic<AnyValueType>:$results);
  let hasCustomAssemblyFormat = 1;
  let hasVerifier = 1;
}

def OptimizationBarrierOp : Stablehlo_Op<"optimization_barrier", [Pure]> {
  let arguments = (ins Variadic<AnyValueType>:$operand);
  let results = (outs Variadic<AnyValueType>:$results);
  let assemblyFormat = "attr-dict ($operand^ `:` custom<PairwiseOpType>(type($operand), type($results))):(`(` `)`)?";
  let hasVerifier = 1;
}

def CustomCallOp : Stablehlo_Op<"custom_call",
    [DeclareOpInterfaceMethods<MemoryEffectsOpInterface>, DeclareOpInterfaceMethods<SymbolUserOpInterface>]> {
  let arguments = (ins Variadic<AnyValueType>:$inputs, StrAttr:$call_target_name,
                       DefaultValuedOptionalAttr<BoolAttr, "false">:$has_side_effect, OptionalAttr<AnyAttr>:$backend_config,
                       DefaultValuedOptionalAttr<CustomCallApiVersionAttr, "CustomCallApiVersion::API_VERSION_ORIGINAL">:$api_version,
                       OptionalAttr<ArrayAttr>:$called_computations, OptionalAttr<ArrayAttr>:$operand_layouts,
                       OptionalAttr<ArrayAttr>:$result_layouts, OptionalAttr<ArrayAttr>:$output_operand_aliases,
                       OptionalAttr<ArrayAttr>:$result_tilings);
  let results = (outs Variadic<AnyValueType>:$results);
  let assemblyFormat = [{
    custom<CustomCallTarget>($call_target_name) `(` $inputs `)` attr-dict `:` functional-type(operands, results)
  }];
  let hasVerifier = 1;
}

def CompositeOp : Stablehlo_Op<"composite", [DeclareOpInterfaceMethods<SymbolUserOpInterface>]> {
  let summary = "a named operation whose meaning is the function `decomposition`";
  let arguments = (ins Variadic<AnyValueType>:$inputs, StrAttr:$name, OptionalAttr<DictionaryAttr>:$composite_attributes,
                       FlatSymbolRefAttr:$decomposition, DefaultValuedOptionalAttr<I32Attr, "0">:$version);
  let regions = (region VariadicRegion<AnyRegion>:$composite_regions);
  let results = (outs Variadic<AnyValueType>:$results);
  let assemblyFormat = [{
    $name $inputs (`(` $composite_regions^ `)`)? attr-dict `:` functional-type(operands, results)
  }];
}

def TupleOp : Stablehlo_Op<"tuple", [Pure]> {
  let arguments = (ins Variadic<AnyValueType>:$val);
  let results = (outs AnyTuple:$result);
  let assemblyFormat = "$val attr-dict `:` custom<TupleOpType>(type($val), type($result))";
  let hasVerifier = 1;
}

def GetTupleElementOp : Stablehlo_Op<"get_tuple_element", [Pure]> {
  let arguments = (ins AnyTuple:$operand, I32Attr:$index);
  let results = (outs AnyValueType:$result);
  let assemblyFormat = "$operand `[` $index `]` attr-dict `:` functional-type(operands, results)";
  let hasVerifier = 1;
}

// ---- Order of effects.
def AfterAllOp : Stablehlo_Op<"after_all", [Pure]> {
  let arguments = (ins Variadic<TokenType>:$inputs);
  let results = (outs TokenType:$result);
  let assemblyFormat =
      "$inputs attr-dict `:` custom<VariadicSameOperandsAndResultType>(ref($inputs), type($inputs), type($result))";
}

def CreateTokenOp : Stablehlo_Op<"create_token", [Pure]> {
  let results = (outs TokenType:$output);
  let assemblyFormat = "attr-dict `:` type(results)";
}

def InfeedOp : Stablehlo_Op<"infeed"> {
  let arguments = (ins TokenType:$token, DefaultValuedOptionalAttr<StrAttr, "\"\"">:$infeed_config,
                       OptionalAttr<ArrayAttr>:$layout);
  let results = (outs Variadic<AnyValueType>:$results);
  let hasVerifier = 1;
}

def OutfeedOp : Stablehlo_Op<"outfeed"> {
  let arguments = (ins Variadic<AnyTensorType>:$inputs, TokenType:$token,
                       DefaultValuedOptionalAttr<StrAttr, "\"\"">:$outfeed_config);
  let results = (outs TokenType:$result);
}

def SendOp : Stablehlo_Op<"send"> {
  let arguments = (ins Variadic<AnyTensorType>:$inputs, TokenType:$token, ChannelHandleAttr:$channel_handle,
                       DefaultValuedOptionalAttr<BoolAttr, "false">:$is_host_transfer,
                       OptionalAttr<I64ElementsAttr>:$source_target_pairs);
  let results = (outs AnyTypeOf<[TokenType, FutureType]>:$result);
  let hasVerifier = 1;
}

def RecvOp : Stablehlo_Op<"recv"> {
  let arguments = (ins TokenType:$token, ChannelHandleAttr:$channel_handle,
                       DefaultValuedOptionalAttr<BoolAttr, "false">:$is_host_transfer,
                       OptionalAttr<I64ElementsAttr>:$source_target_pairs);
  let results = (outs Variadic<AnyValueType>:$results);
  let hasVerifier = 1;
}

def AsyncStartOp : Stablehlo_Op<"async_start", [SingleBlock]> {
  let arguments = (ins Variadic<AnyTensorType>:$operands_);
  let regions = (region SizedRegion<1>:$body);
  let results = (outs FutureType:$result);
  let hasRegionVerifier = 1;
}

def AsyncDoneOp : Stablehlo_Op<"async_done"> {
  let arguments = (ins FutureType:$operand);
  let results = (outs Variadic<AnyValueType>:$results);
  let hasVerifier = 1;
}

// ---- Random bits.
def RngOp : Stablehlo_Op<"rng"> {
  let arguments = (ins AnyTensorType:$a, AnyTensorType:$b, DimensionTensorType:$shape, RngDistributionAttr:$rng_distribution);
  let results = (outs AnyTensorType:$result);
  let assemblyFormat = [{
    $a `,` $b `,` $shape `,` `distribution` `=` `` $rng_distribution attr-dict `:` functional-type(operands, results)
  }];
  let hasVerifier = 1;
}

def RngBitGeneratorOp : Stablehlo_Op<"rng_bit_generator", [Pure]> {
  let arguments = (ins RngAlgorithmAttr:$rng_algorithm, AnyTensorType:$initial_state);
  let results = (outs AnyTensorType:$output_state, AnyTensorType:$output);
  let assemblyFormat = [{
    $initial_state `,` `algorithm` `=` `` $rng_algorithm attr-dict `:` functional-type(operands, results)
  }];
  let hasVerifier = 1;
}

// Operations that fold, scan or order elements with a region.
include "stablehlo/dialect/attributes.td"

def ReduceOp : Stablehlo_RegionOp<"reduce", [SameVariadicOperandSize, RecursivelySpeculatable]> {
  let summary = "region(accumulators..., values...) over the dimensions; its order is the implementation's";
  let arguments = (ins Variadic<AnyTensorType>:$inputs, Variadic<AnyTensorType>:$init_values, DenseI64ArrayAttr:$dimensions);
  let regions = (region SizedRegion<1>:$body);
  let results = (outs Variadic<AnyTensorType>:$results);
  let hasCustomAssemblyFormat = 1;
  let hasVerifier = 1;
}

def ReduceWindowOp : Stablehlo_RegionOp<"reduce_window", [SameVariadicOperandSize, RecursivelySpeculatable]> {
  let arguments = (ins Variadic<AnyTensorType>:$inputs, Variadic<AnyTensorType>:$init_values,
                       DenseI64ArrayAttr:$window_dimensions, OptionalAttr<DenseI64ArrayAttr>:$window_strides,
                       OptionalAttr<DenseI64ArrayAttr>:$base_dilations, OptionalAttr<DenseI64ArrayAttr>:$window_dilations,
                       OptionalAttr<I64ElementsAttr>:$padding);
  let regions = (region SizedRegion<1>:$body);
  let results = (outs Variadic<AnyTensorType>:$results);
  let hasVerifier = 1;
}

def SelectAndScatterOp : Stablehlo_RegionOp<"select_and_scatter", [RecursivelySpeculatable]> {
  let arguments = (ins AnyTensorType:$operand, AnyTensorType:$source, AnyTensorType:$init_value,
                       OptionalAttr<DenseI64ArrayAttr>:$window_dimensions, OptionalAttr<DenseI64ArrayAttr>:$window_strides,
                       OptionalAttr<I64ElementsAttr>:$padding);
  let regions = (region SizedRegion<1>:$select, SizedRegion<1>:$scatter);
  let results = (outs AnyTensorType:$result);
  let hasVerifier = 1;
}

def SortOp : Stablehlo_RegionOp<"sort", [RecursivelySpeculatable]> {
  let summary = "comparator(a0, b0, a1, b1, ...) says whether a comes first";
  let arguments = (ins Variadic<AnyTensorType>:$inputs, DefaultValuedOptionalAttr<I64Attr, "-1">:$dimension,
                       DefaultValuedOptionalAttr<BoolAttr, "false">:$is_stable);
  let regions = (region SizedRegion<1>:$comparator);
  let results = (outs Variadic<AnyTensorType>:$results);
  let hasVerifier = 1;
}

def MapOp : Stablehlo_RegionOp<"map", [RecursivelySpeculatable, ElementwiseShape]> {
  let arguments = (ins Variadic<AnyTensorType>:$inputs, DenseI64ArrayAttr:$dimensions);
  let regions = (region SizedRegion<1>:$computation);
  let results = (outs AnyTensorType:$result);
  let hasVerifier = 1;
}

class BatchNormOp<string mnemonic> : Stablehlo_Op<mnemonic, [Pure]> { let hasVerifier = 1; }

def BatchNormGradOp : BatchNormOp<"batch_norm_grad"> {
  let arguments = (ins FpTensorType:$operand, FpTensorType:$scale, FpTensorType:$mean, FpTensorType:$variance,
                       FpTensorType:$grad_output, F32Attr:$epsilon, I64Attr:$feature_index);
  let results = (outs FpTensorType:$grad_operand, FpTensorType:$grad_scale, FpTensorType:$grad_offset);
}

def BatchNormInferenceOp : BatchNormOp<"batch_norm_inference"> {
  let arguments = (ins FpTensorType:$operand, FpTensorType:$scale, FpTensorType:$offset, FpTensorType:$mean,
                       FpTensorType:$variance, F32Attr:$epsilon, I64Attr:$feature_index);
  let results = (outs FpTensorType:$result);
}

def BatchNormTrainingOp : BatchNormOp<"batch_norm_training"> {
  let arguments = (ins FpTensorType:$operand, FpTensorType:$scale, FpTensorType:$offset, F32Attr:$epsilon,
                       I64Attr:$feature_index);
  let results = (outs FpTensorType:$output, FpTensorType:$batch_mean, FpTensorType:$batch_var);
}

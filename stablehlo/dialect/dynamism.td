// Operations of programs whose shapes are not known; shape refinement turns them into their static forms.
include "stablehlo/dialect/attributes.td"

def DynamicBroadcastInDimOp : Stablehlo_Op<"dynamic_broadcast_in_dim", [Pure]> {
  let arguments = (ins AnyTensorType:$operand, DimensionTensorType:$output_dimensions, DenseI64ArrayAttr:$broadcast_dimensions,
                       OptionalAttr<DenseI64ArrayAttr>:$known_expanding_dimensions,
                       OptionalAttr<DenseI64ArrayAttr>:$known_nonexpanding_dimensions);
  let results = (outs AnyTensorType:$result);
  let assemblyFormat = [{
    $operand `,` $output_dimensions `,` `dims` `=` $broadcast_dimensions attr-dict `:` functional-type(operands, results)
  }];
  let hasVerifier = 1;
}

def DynamicConvOp : Stablehlo_Op<"dynamic_conv", [Pure]> {
  let arguments = (ins AnyTensorType:$lhs, AnyTensorType:$rhs, DimensionTensorType:$padding,
                       OptionalAttr<DenseI64ArrayAttr>:$window_strides, OptionalAttr<DenseI64ArrayAttr>:$lhs_dilation,
                       OptionalAttr<DenseI64ArrayAttr>:$rhs_dilation, OptionalAttr<DenseBoolArrayAttr>:$window_reversal,
                       ConvDimensionNumbersAttr:$dimension_numbers, I64Attr:$feature_group_count, I64Attr:$batch_group_count,
                       OptionalAttr<PrecisionConfigAttr>:$precision_config);
  let results = (outs AnyTensorType:$result);
  let hasVerifier = 1;
}

def DynamicGatherOp : Stablehlo_Op<"dynamic_gather", [Pure]> {
  let arguments = (ins AnyTensorType:$operand, DimensionTensorType:$start_indices, DimensionTensorType:$slice_sizes,
                       GatherDimensionNumbersAttr:$dimension_numbers,
                       DefaultValuedOptionalAttr<BoolAttr, "false">:$indices_are_sorted);
  let results = (outs AnyTensorType:$result);
  let hasVerifier = 1;
}

def DynamicIotaOp : Stablehlo_Op<"dynamic_iota", [Pure]> {
  let arguments = (ins DimensionTensorType:$output_shape, I64Attr:$iota_dimension);
  let results = (outs AnyTensorType:$result);
  let assemblyFormat = "$output_shape `,` `dim` `=` $iota_dimension attr-dict `:` functional-type(operands, results)";
  let hasVerifier = 1;
}

class FunctionalTypeOp<string mnemonic> : Stablehlo_Op<mnemonic, [Pure]> {
  let results = (outs AnyTensorType:$result);
  let assemblyFormat = "operands attr-dict `:` functional-type(operands, results)";
}

def DynamicPadOp : FunctionalTypeOp<"dynamic_pad"> {
  let arguments = (ins AnyTensorType:$operand, AnyTensorType:$padding_value, DimensionTensorType:$edge_padding_low,
                       DimensionTensorType:$edge_padding_high, DimensionTensorType:$interior_padding);
  let hasVerifier = 1;
}

def DynamicReshapeOp : FunctionalTypeOp<"dynamic_reshape"> {
  let arguments = (ins AnyTensorType:$operand, DimensionTensorType:$output_shape);
  let hasVerifier = 1;
}

def RealDynamicSliceOp : FunctionalTypeOp<"real_dynamic_slice"> {
  let arguments = (ins AnyTensorType:$operand, DimensionTensorType:$start_indices, DimensionTensorType:$limit_indices,
                       DimensionTensorType:$strides);
  let hasVerifier = 1;
}

def GetDimensionSizeOp : Stablehlo_Op<"get_dimension_size", [Pure]> {
  let arguments = (ins AnyTensorType:$operand, I64Attr:$dimension);
  let results = (outs IntTensorType:$result);
  let assemblyFormat = "$operand `,` `dim` `=` $dimension attr-dict `:` functional-type(operands, results)";
  let hasVerifier = 1;
}

def SetDimensionSizeOp : Stablehlo_Op<"set_dimension_size", [Pure]> {
  let arguments = (ins AnyTensorType:$operand, IntTensorType:$size, I64Attr:$dimension);
  let results = (outs AnyTensorType:$result);
  let assemblyFormat = "$operand `,` $size `,` `dim` `=` $dimension attr-dict `:` functional-type(operands, results)";
  let hasVerifier = 1;
}

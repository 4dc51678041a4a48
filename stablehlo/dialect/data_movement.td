// Operations that make or move elements and compute none: constants, shapes, slices, gather and scatter.
include "stablehlo/dialect/attributes.td"

def ConstantOp : Stablehlo_Op<"constant",
    [Pure, ConstantLike, DeclareOpInterfaceMethods<OpAsmOpInterface, ["getAsmResultNames"]>]> {
  let arguments = (ins ElementsAttr:$value);
  let results = (outs AnyTensorType:$output);
  let builders = [OpBuilder<(ins "::mlir::ElementsAttr":$value), [{ build($_builder, $_state, value.getType(), value); }]>];
  let hasCustomAssemblyFormat = 1;
  let hasVerifier = 1;
  let hasFolder = 1;
}

def IotaOp : Stablehlo_Op<"iota", [Pure]> {
  let arguments = (ins I64Attr:$iota_dimension);
  let results = (outs IntFpOrComplexTensorType:$output);
  let assemblyFormat = "`dim` `=` $iota_dimension attr-dict `:` type($output)";
  let hasVerifier = 1;
}

def BroadcastInDimOp : Stablehlo_Op<"broadcast_in_dim", [Pure, SameElementType]> {
  let arguments = (ins AnyTensorType:$operand, DenseI64ArrayAttr:$broadcast_dimensions);
  let results = (outs AnyTensorType:$result);
  let assemblyFormat = "$operand `,` `dims` `=` $broadcast_dimensions attr-dict `:` functional-type(operands, results)";
  let hasVerifier = 1;
}

def ReshapeOp : Stablehlo_Op<"reshape", [Pure, SameElementType]> {
  let arguments = (ins AnyTensorType:$operand);
  let results = (outs AnyTensorType:$result);
  let assemblyFormat = "operands attr-dict `:` functional-type(operands, results)";
  let hasVerifier = 1;
}

def TransposeOp : Stablehlo_Op<"transpose", [Pure, SameElementType]> {
  let arguments = (ins AnyTensorType:$operand, DenseI64ArrayAttr:$permutation);
  let results = (outs AnyTensorType:$result);
  let assemblyFormat = "$operand `,` `dims` `=` $permutation attr-dict `:` functional-type(operands, results)";
  let hasVerifier = 1;
}

def ReverseOp : Stablehlo_Op<"reverse", [Pure, ElementwiseShape, SameElementType]> {
  let arguments = (ins AnyTensorType:$operand, DenseI64ArrayAttr:$dimensions);
  let results = (outs AnyTensorType:$result);
  let assemblyFormat =
      "$operand `,` `dims` `=` $dimensions attr-dict `:` custom<SameOperandsAndResultType>(type($operand), type($result))";
  let hasVerifier = 1;
}

def ConcatenateOp : Stablehlo_Op<"concatenate", [Pure, SameElementType]> {
  let arguments = (ins Variadic<AnyTensorType>:$inputs, I64Attr:$dimension);
  let results = (outs AnyTensorType:$result);
  let assemblyFormat = [{
    custom<OperandsThenComma>($inputs) `dim` `=` $dimension attr-dict `:` functional-type(operands, results)
  }];
  let hasVerifier = 1;
}

def SliceOp : Stablehlo_Op<"slice", [Pure, SameElementType]> {
  let arguments = (ins AnyTensorType:$operand, DenseI64ArrayAttr:$start_indices, DenseI64ArrayAttr:$limit_indices,
                       DenseI64ArrayAttr:$strides);
  let results = (outs AnyTensorType:$result);
  let assemblyFormat = [{
    $operand custom<SliceRanges>($start_indices, $limit_indices, $strides) attr-dict `:` functional-type(operands, results)
  }];
  let hasVerifier = 1;
}

def PadOp : Stablehlo_Op<"pad", [Pure, SameElementType]> {
  let summary = "interior padding first, then edges, which may be negative";
  let arguments = (ins AnyTensorType:$operand, AnyTensorType:$padding_value, DenseI64ArrayAttr:$edge_padding_low,
                       DenseI64ArrayAttr:$edge_padding_high, DenseI64ArrayAttr:$interior_padding);
  let results = (outs AnyTensorType:$result);
  let assemblyFormat = [{
    $operand `,` $padding_value `,` `low` `=` $edge_padding_low `,` `high` `=` $edge_padding_high `,`
    `interior` `=` $interior_padding attr-dict `:` functional-type(operands, results)
  }];
  let hasVerifier = 1;
}

def DynamicSliceOp : Stablehlo_Op<"dynamic_slice", [Pure]> {
  let summary = "a slice of fixed size; starts are clamped so that it fits";
  let arguments = (ins AnyTensorType:$operand, Variadic<IntTensorType>:$start_indices, DenseI64ArrayAttr:$slice_sizes);
  let results = (outs AnyTensorType:$result);
  let assemblyFormat = [{
    $operand `,` custom<OperandsThenComma>($start_indices) `sizes` `=` $slice_sizes attr-dict `:`
    functional-type(operands, results)
  }];
  let hasVerifier = 1;
}

def DynamicUpdateSliceOp : Stablehlo_Op<"dynamic_update_slice", [Pure]> {
  let arguments = (ins AnyTensorType:$operand, AnyTensorType:$update, Variadic<IntTensorType>:$start_indices);
  let results = (outs AnyTensorType:$result);
  let assemblyFormat = "operands attr-dict `:` functional-type(operands, results)";
  let hasVerifier = 1;
}

def GatherOp : Stablehlo_Op<"gather", [Pure]> {
  let arguments = (ins AnyTensorType:$operand, DimensionTensorType:$start_indices,
                       GatherDimensionNumbersAttr:$dimension_numbers, DenseI64ArrayAttr:$slice_sizes,
                       DefaultValuedOptionalAttr<BoolAttr, "false">:$indices_are_sorted);
  let results = (outs AnyTensorType:$result);
  let hasVerifier = 1;
}

def ScatterOp : Stablehlo_RegionOp<"scatter", [SameVariadicOperandSize]> {
  let summary = "region(current, update) for each update whose index is in bounds";
  let arguments = (ins Variadic<AnyTensorType>:$inputs, DimensionTensorType:$scatter_indices, Variadic<AnyTensorType>:$updates,
                       ScatterDimensionNumbersAttr:$scatter_dimension_numbers,
                       DefaultValuedOptionalAttr<BoolAttr, "false">:$indices_are_sorted,
                       DefaultValuedOptionalAttr<BoolAttr, "false">:$unique_indices);
  let regions = (region SizedRegion<1>:$update_computation);
  let results = (outs Variadic<AnyTensorType>:$results);
  let hasVerifier = 1;
}

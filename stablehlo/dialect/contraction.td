// Operations that sum products: dot, convolution, and the transforms and solvers of linear algebra.
include "stablehlo/dialect/attributes.td"

def DotGeneralOp : Stablehlo_Op<"dot_general", [Pure]> {
  let summary = "result dimensions: batch, then those of lhs that remain, then those of rhs";
  let arguments = (ins AnyTensorType:$lhs, AnyTensorType:$rhs, DotDimensionNumbersAttr:$dot_dimension_numbers,
                       OptionalAttr<PrecisionConfigAttr>:$precision_config, OptionalAttr<DotAlgorithmAttr>:$algorithm);
  let results = (outs AnyTensorType:$result);
  let assemblyFormat = [{
    $lhs `,` $rhs `,` custom<DotDimensionNumbers>($dot_dimension_numbers)
    `` custom<PrecisionConfigAndAlgorithm>($precision_config, $algorithm) attr-dict `:` functional-type(operands, results)
  }];
  let hasVerifier = 1;
}

def ConvolutionOp : Stablehlo_Op<"convolution", [Pure]> {
  let arguments = (ins AnyTensorType:$lhs, AnyTensorType:$rhs, OptionalAttr<DenseI64ArrayAttr>:$window_strides,
                       OptionalAttr<I64ElementsAttr>:$padding, OptionalAttr<DenseI64ArrayAttr>:$lhs_dilation,
                       OptionalAttr<DenseI64ArrayAttr>:$rhs_dilation, OptionalAttr<DenseBoolArrayAttr>:$window_reversal,
                       ConvDimensionNumbersAttr:$dimension_numbers, I64Attr:$feature_group_count, I64Attr:$batch_group_count,
                       OptionalAttr<PrecisionConfigAttr>:$precision_config);
  let results = (outs AnyTensorType:$result);
  let assemblyFormat = [{
    `(` operands `)` `dim_numbers` `=` custom<ConvolutionDimensions>($dimension_numbers) `,`
    `window` `=` `{` custom<WindowAttributes>($window_strides, $padding, $lhs_dilation, $rhs_dilation, $window_reversal) `}`
    attr-dict `:` functional-type(operands, results)
  }];
  let hasVerifier = 1;
}

def FftOp : Stablehlo_Op<"fft", [Pure]> {
  let arguments = (ins FpOrComplexTensorType:$operand, FftTypeAttr:$fft_type, DenseI64ArrayAttr:$fft_length);
  let results = (outs FpOrComplexTensorType:$result);
  let assemblyFormat = [{
    $operand `,` `type` `=` `` $fft_type `,` `length` `=` $fft_length attr-dict `:` functional-type(operands, results)
  }];
  let hasVerifier = 1;
}

def CholeskyOp : Stablehlo_Op<"cholesky", [Pure, ElementwiseShape, SameElementType]> {
  let arguments = (ins FpOrComplexTensorType:$a, DefaultValuedOptionalAttr<BoolAttr, "false">:$lower);
  let results = (outs FpOrComplexTensorType:$result);
  let assemblyFormat =
      "$a (`,` `lower` `=` $lower^)? attr-dict `:` custom<SameOperandsAndResultType>(type($a), type($result))";
  let hasVerifier = 1;
}

def TriangularSolveOp : Stablehlo_Op<"triangular_solve", [Pure, SameElementType]> {
  let arguments = (ins FpOrComplexTensorType:$a, FpOrComplexTensorType:$b, BoolAttr:$left_side, BoolAttr:$lower,
                       BoolAttr:$unit_diagonal, TransposeAttr:$transpose_a);
  let results = (outs FpOrComplexTensorType:$result);
  let hasVerifier = 1;
}

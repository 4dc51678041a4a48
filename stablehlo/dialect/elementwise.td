// Operations that compute each element of the result from the elements at the same place.
include "stablehlo/dialect/attributes.td"

// ---- One operand.
class UnaryOp<string mnemonic, Type operandType, Type resultType = operandType, list<Trait> traits = [SameElementType]>
    : Stablehlo_Op<mnemonic, !listconcat([Pure, ElementwiseShape], traits)> {
  let arguments = (ins operandType:$operand);
  let results = (outs resultType:$result);
  let assemblyFormat = "$operand attr-dict `:` custom<SameOperandsAndResultType>(type($operand), type($result))";
  let builders = [OpBuilder<(ins "::mlir::Value":$operand), [{ build($_builder, $_state, operand.getType(), operand); }]>];
}
class UnaryAccuracyOp<string mnemonic, Type type> : UnaryOp<mnemonic, type> {
  let arguments = (ins type:$operand, OptionalAttr<ResultAccuracyAttr>:$result_accuracy);
  let builders = [OpBuilder<(ins "::mlir::Value":$operand), [{
    build($_builder, $_state, operand.getType(), operand, ResultAccuracyAttr());
  }]>];
}
class ChangingUnaryOp<string mnemonic, Type operandType, Type resultType, list<Trait> traits = []>
    : UnaryOp<mnemonic, operandType, resultType, traits> {
  let builders = [];
}

def CbrtOp : UnaryAccuracyOp<"cbrt", FpOrComplexTensorType>;
def CosineOp : UnaryAccuracyOp<"cosine", FpOrComplexTensorType>;
def ExpOp : UnaryAccuracyOp<"exponential", FpOrComplexTensorType>;
def Expm1Op : UnaryAccuracyOp<"exponential_minus_one", FpOrComplexTensorType>;
def LogOp : UnaryAccuracyOp<"log", FpOrComplexTensorType>;
def Log1pOp : UnaryAccuracyOp<"log_plus_one", FpOrComplexTensorType>;
def LogisticOp : UnaryAccuracyOp<"logistic", FpOrComplexTensorType>;
def RsqrtOp : UnaryAccuracyOp<"rsqrt", FpOrComplexTensorType>;
def SineOp : UnaryAccuracyOp<"sine", FpOrComplexTensorType>;
def SqrtOp : UnaryAccuracyOp<"sqrt", FpOrComplexTensorType>;
def TanOp : UnaryAccuracyOp<"tan", FpOrComplexTensorType>;
def TanhOp : UnaryAccuracyOp<"tanh", FpOrComplexTensorType>;

def AbsOp : ChangingUnaryOp<"abs", IntFpOrComplexTensorType, IntFpOrComplexTensorType> { let hasVerifier = 1; }
def CeilOp : UnaryOp<"ceil", FpTensorType>;
def ClzOp : UnaryOp<"count_leading_zeros", IntTensorType>;
def FloorOp : UnaryOp<"floor", FpTensorType>;
def ImagOp : ChangingUnaryOp<"imag", FpOrComplexTensorType, FpTensorType> { let hasVerifier = 1; }
def IsFiniteOp : Stablehlo_Op<"is_finite", [Pure, ElementwiseShape]> {
  let arguments = (ins FpTensorType:$x);
  let results = (outs PredTensorType:$y);
  let assemblyFormat = "$x attr-dict `:` functional-type(operands, results)";
}
def NegOp : UnaryOp<"negate", IntFpOrComplexTensorType>;
def NotOp : UnaryOp<"not", PredOrIntTensorType>;
def PopulationCountOp : UnaryOp<"popcnt", IntTensorType>;
def RealOp : ChangingUnaryOp<"real", FpOrComplexTensorType, FpTensorType> { let hasVerifier = 1; }
def RoundNearestAfzOp : UnaryOp<"round_nearest_afz", FpTensorType>;
def RoundNearestEvenOp : UnaryOp<"round_nearest_even", FpTensorType>;
def SignOp : UnaryOp<"sign", IntFpOrComplexTensorType>;

// ---- Conversions.
def ConvertOp : ChangingUnaryOp<"convert", AnyTensorType, AnyTensorType>;
def UniformQuantizeOp : ChangingUnaryOp<"uniform_quantize", FpTensorType, QuantTensorType> { let hasVerifier = 1; }
def UniformDequantizeOp : ChangingUnaryOp<"uniform_dequantize", QuantTensorType, FpTensorType> { let hasVerifier = 1; }

def BitcastConvertOp : Stablehlo_Op<"bitcast_convert", [Pure]> {
  let summary = "the same bits as another type; a last dimension appears or goes where widths differ";
  let arguments = (ins AnyTensorType:$operand);
  let results = (outs AnyTensorType:$result);
  let assemblyFormat = "operands attr-dict `:` functional-type(operands, results)";
  let hasVerifier = 1;
}

def ReducePrecisionOp : Stablehlo_Op<"reduce_precision", [Pure, ElementwiseShape, SameElementType]> {
  let arguments = (ins FpTensorType:$operand, I32Attr:$exponent_bits, I32Attr:$mantissa_bits);
  let results = (outs FpTensorType:$output);
  let assemblyFormat = [{
    $operand `,` `format` `=` custom<ExponentMantissa>($exponent_bits, $mantissa_bits) attr-dict `:`
    custom<SameOperandsAndResultType>(type($operand), type($output))
  }];
  let hasVerifier = 1;
}

// ---- Two operands.
class BinaryOp<string mnemonic, Type type, list<Trait> traits = [], list<Trait> elementTraits = [SameElementType]>
    : Stablehlo_Op<mnemonic, !listconcat([Pure, ElementwiseShape], elementTraits, traits)> {
  let arguments = (ins type:$lhs, type:$rhs);
  let results = (outs type:$result);
  let assemblyFormat =
      "$lhs `,` $rhs attr-dict `:` custom<SameOperandsAndResultType>(type($lhs), type($rhs), type($result))";
  let builders = [OpBuilder<(ins "::mlir::Value":$lhs, "::mlir::Value":$rhs), [{
    build($_builder, $_state, lhs.getType(), lhs, rhs);
  }]>];
}
class CommutativeOp<string mnemonic, Type type> : BinaryOp<mnemonic, type, [Commutative]>;

// Of quantized operands one may have a scale and the other scales per axis, so element types are the verifier's.
def AddOp : BinaryOp<"add", AnyTensorType, [Commutative], []> { let hasVerifier = 1; }
def AndOp : CommutativeOp<"and", PredOrIntTensorType>;
def Atan2Op : BinaryOp<"atan2", FpOrComplexTensorType>;
def DivOp : BinaryOp<"divide", IntFpOrComplexTensorType>;
def MaxOp : CommutativeOp<"maximum", AnyTensorType>;
def MinOp : CommutativeOp<"minimum", AnyTensorType>;
def MulOp : CommutativeOp<"multiply", AnyTensorType>;
def OrOp : CommutativeOp<"or", PredOrIntTensorType>;
def PowOp : BinaryOp<"power", IntFpOrComplexTensorType>;
def RemOp : BinaryOp<"remainder", IntFpOrComplexTensorType>;
def ShiftLeftOp : BinaryOp<"shift_left", IntTensorType>;
def ShiftRightArithmeticOp : BinaryOp<"shift_right_arithmetic", IntTensorType>;
def ShiftRightLogicalOp : BinaryOp<"shift_right_logical", IntTensorType>;
def SubtractOp : BinaryOp<"subtract", IntFpOrComplexTensorType>;
def XorOp : CommutativeOp<"xor", PredOrIntTensorType>;

def ComplexOp : Stablehlo_Op<"complex", [Pure, ElementwiseShape]> {
  let arguments = (ins FpTensorType:$lhs, FpTensorType:$rhs);
  let results = (outs ComplexTensorType:$result);
  let assemblyFormat = "operands attr-dict `:` custom<ComplexOpType>(type($lhs), type($rhs), type($result))";
  let hasVerifier = 1;
}

def CompareOp : Stablehlo_Op<"compare", [Pure, ElementwiseShape]> {
  let arguments = (ins AnyTensorType:$lhs, AnyTensorType:$rhs, ComparisonDirectionAttr:$comparison_direction,
                       OptionalAttr<ComparisonTypeAttr>:$compare_type);
  let results = (outs PredTensorType:$result);
  let assemblyFormat = [{
    `` $comparison_direction `,` $lhs `,` $rhs (`,` `` $compare_type^)? attr-dict `:` functional-type(operands, results)
  }];
  let builders = [OpBuilder<(ins "::mlir::Value":$lhs, "::mlir::Value":$rhs, "ComparisonDirection":$direction,
                                 CArg<"ComparisonType", "ComparisonType::NOTYPE">:$type)>];
  let hasVerifier = 1;
}

// ---- Three operands.
def ClampOp : Stablehlo_Op<"clamp", [Pure, SameElementType]> {
  let summary = "min(max(operand, min), max); the bounds may be scalars";
  let arguments = (ins AnyTensorType:$min, AnyTensorType:$operand, AnyTensorType:$max);
  let results = (outs AnyTensorType:$result);
  let assemblyFormat = [{
    $min `,` $operand `,` $max attr-dict `:`
    custom<SameOperandsAndResultType>(type($min), type($operand), type($max), type($result))
  }];
  let hasVerifier = 1;
}

def SelectOp : Stablehlo_Op<"select", [Pure]> {
  let summary = "on_true where pred holds, else on_false; pred may be a scalar";
  let arguments = (ins PredTensorType:$pred, AnyTensorType:$on_true, AnyTensorType:$on_false);
  let results = (outs AnyTensorType:$result);
  let assemblyFormat = [{
    operands attr-dict `:` custom<SelectOpType>(type($pred), type($on_true), type($on_false), type($result))
  }];
  let builders = [OpBuilder<(ins "::mlir::Value":$pred, "::mlir::Value":$on_true, "::mlir::Value":$on_false), [{
    build($_builder, $_state, on_true.getType(), pred, on_true, on_false);
  }]>];
  let hasVerifier = 1;
}

// CHLO operations whose operands have the shape of the result; broadcasting.td has the others.
include "mlir/IR/BuiltinAttributeInterfaces.td"
include "stablehlo/chlo/attributes.td"

class Chlo_Op<string mnemonic, list<Trait> traits = []> : Op<Chlo_Dialect, mnemonic, traits>;

class Chlo_UnaryOp<string mnemonic, Type type, Type resultType = type, list<Trait> traits = [SameElementType]>
    : Chlo_Op<mnemonic, !listconcat([Pure, ElementwiseShape], traits)> {
  let arguments = (ins type:$operand);
  let results = (outs resultType:$result);
  let assemblyFormat = "$operand attr-dict `:` type($operand) `->` type($result)";
}

def AcosOp : Chlo_UnaryOp<"acos", FpOrComplexTensorType>;
def AcoshOp : Chlo_UnaryOp<"acosh", FpOrComplexTensorType>;
def AsinAcosKernelOp : Chlo_UnaryOp<"_asin_acos_kernel", ComplexTensorType>;
def AsinOp : Chlo_UnaryOp<"asin", FpOrComplexTensorType>;
def AsinhOp : Chlo_UnaryOp<"asinh", FpOrComplexTensorType>;
def AtanOp : Chlo_UnaryOp<"atan", FpOrComplexTensorType>;
def AtanhOp : Chlo_UnaryOp<"atanh", FpOrComplexTensorType>;
def BesselI1eOp : Chlo_UnaryOp<"bessel_i1e", FpOrComplexTensorType>;
def ConjOp : Chlo_UnaryOp<"conj", FpOrComplexTensorType>;
def CoshOp : Chlo_UnaryOp<"cosh", FpOrComplexTensorType>;
def DigammaOp : Chlo_UnaryOp<"digamma", FpTensorType>;
def ErfInvOp : Chlo_UnaryOp<"erf_inv", FpTensorType>;
def ErfOp : Chlo_UnaryOp<"erf", FpTensorType>;
def ErfcOp : Chlo_UnaryOp<"erfc", FpTensorType>;
def IsInfOp : Chlo_UnaryOp<"is_inf", FpTensorType, PredTensorType, []>;
def IsNegInfOp : Chlo_UnaryOp<"is_neg_inf", FpTensorType, PredTensorType, []>;
def IsPosInfOp : Chlo_UnaryOp<"is_pos_inf", FpTensorType, PredTensorType, []>;
def LgammaOp : Chlo_UnaryOp<"lgamma", FpTensorType>;
def SinhOp : Chlo_UnaryOp<"sinh", FpOrComplexTensorType>;
def SquareOp : Chlo_UnaryOp<"square", FpOrComplexTensorType>;
def TanOp : Chlo_UnaryOp<"tan", FpOrComplexTensorType>;

class Chlo_BinaryOp<string mnemonic, Type type, string first, string second>
    : Chlo_Op<mnemonic, [Pure, ElementwiseShape, SameElementType]> {
  let arguments = !dag(ins, [type, type], [first, second]);
  let results = (outs type:$result);
  let assemblyFormat = "$" # first # " `,` $" # second # " attr-dict `:` type($" # first # ") `,` type($" # second # ") `->` type($result)";
}

def MulhiOp : Chlo_BinaryOp<"mulhi", IntTensorType, "lhs", "rhs">;
def NextAfterOp : Chlo_BinaryOp<"next_after", FpTensorType, "x", "y">;
def PolygammaOp : Chlo_BinaryOp<"polygamma", FpTensorType, "n", "x">;
def ZetaOp : Chlo_BinaryOp<"zeta", FpTensorType, "x", "q">;

def ConstantOp : Chlo_Op<"constant", [Pure, AllTypesMatch<["value", "output"]>]> {
  let arguments = (ins ElementsAttr:$value);
  let results = (outs AnyTensorType:$output);
  let assemblyFormat = "attr-dict $value";
}

def ConstantLikeOp : Chlo_Op<"constant_like", [Pure, ElementwiseShape]> {
  let summary = "the value, in the shape of the operand";
  let arguments = (ins TypedAttrInterface:$value, AnyTensorType:$operand);
  let results = (outs AnyTensorType:$result);
}

def RaggedDotOp : Chlo_Op<"ragged_dot", [Pure]> {
  let summary = "dot_general with a dimension of lhs that falls into groups (stablehlo/chlo/ragged_dot.h)";
  let arguments = (ins AnyTensorType:$lhs, AnyTensorType:$rhs, IntTensorType:$group_sizes,
                       Chlo_RaggedDotDimensionNumbersAttr:$ragged_dot_dimension_numbers,
                       OptionalAttr<TypedArrayAttrBase<Chlo_PrecisionAttr, "one precision an operand">>:$precision_config);
  let results = (outs AnyTensorType:$result);
  let hasVerifier = 1;
}

def ScanOp : Chlo_Op<"scan", [AttrSizedOperandSegments, AttrSizedResultSegments, SingleBlock, IsolatedFromAbove,
                              RecursiveMemoryEffects, OpAsmOpInterface]> {
  let summary = "a loop over the slices of its inputs along one dimension";
  let description = [{
    The body takes a slice of each input, without the dimension, and the carries; it gives a slice of each output and
    the next carries. The results are the outputs, whose slices lie along the same dimension, and the last carries.
    `scan_dim_size` says how many slices there are where there is no input to tell.
  }];
  let arguments = (ins Variadic<AnyTensorType>:$inputs, Variadic<AnyTensorType>:$inits,
                       ConfinedAttr<I64Attr, [IntNonNegative]>:$dimension,
                       OptionalAttr<ConfinedAttr<I64Attr, [IntNonNegative]>>:$scan_dim_size,
                       DefaultValuedOptionalAttr<BoolAttr, "false">:$is_reverse, OptionalAttr<BoolAttr>:$is_associative);
  let regions = (region SizedRegion<1>:$body);
  let results = (outs Variadic<AnyTensorType>:$outputs, Variadic<AnyTensorType>:$carries);
  let hasCustomAssemblyFormat = 1;
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    // How many slices there are, kDynamic where neither an input nor an attribute nor an output says so.
    int64_t NumSlices();
    void getAsmBlockArgumentNames(::mlir::Region& region, ::mlir::OpAsmSetValueNameFn set_name);
  }];
}

def TopKOp : Chlo_Op<"top_k", [Pure]> {
  let summary = "largest k of the last dimension, equal ones by index";
  let arguments = (ins AnyTensorType:$operand, I64Attr:$k, DefaultValuedOptionalAttr<BoolAttr, "true">:$is_stable);
  let results = (outs AnyTensorType:$values, IntTensorType:$indices);
  let assemblyFormat = [{
    `(` $operand `,` `k` `=` $k (`,` `is_stable` `=` $is_stable^)? `)` attr-dict `:` type($operand) `->` `(` type($values) `,` type($indices) `)`
  }];
  let hasVerifier = 1;
}

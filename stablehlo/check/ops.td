// What conformance programs say about their results.
include "stablehlo/dialect/base.td"

def Check_Dialect : Dialect {
  let name = "check";
  let cppNamespace = "::treadle::check";
  let summary = "expectations of test programs";
}

class Check_Op<string mnemonic, list<Trait> traits = []> : Op<Check_Dialect, mnemonic, traits>;

def ExpectEqOp : Check_Op<"expect_eq", [SameTypeOperands]> {
  let summary = "equal values; NaN is equal to NaN";
  let arguments = (ins AnyTensorType:$lhs, AnyTensorType:$rhs);
  let assemblyFormat = "$lhs `,` $rhs attr-dict `:` type($lhs)";
}

def ExpectEqConstOp : Check_Op<"expect_eq_const"> {
  let arguments = (ins AnyTensorType:$lhs, ElementsAttr:$value);
  let assemblyFormat = "$lhs `,` custom<TypedElements>($value, type($lhs)) attr-dict";
}

def ExpectAlmostEqOp : Check_Op<"expect_almost_eq", [SameTypeOperands]> {
  let summary = "difference of at most the tolerance";
  let arguments = (ins AnyTensorType:$lhs, AnyTensorType:$rhs, DefaultValuedOptionalAttr<F64Attr, "1e-4">:$tolerance);
  let assemblyFormat = "$lhs `,` $rhs (`,` `tolerance` `=` $tolerance^)? attr-dict `:` type($lhs)";
}

def ExpectAlmostEqConstOp : Check_Op<"expect_almost_eq_const"> {
  let arguments = (ins AnyTensorType:$lhs, ElementsAttr:$value, DefaultValuedOptionalAttr<F64Attr, "1e-4">:$tolerance);
  let assemblyFormat = "$lhs `,` custom<TypedElements>($value, type($lhs)) attr-dict";
}

def ExpectCloseOp : Check_Op<"expect_close"> {
  let summary = "at most max_ulp_difference representable values apart, and at least min_ulp_difference at the worst place";
  let arguments = (ins AnyTensorType:$actual, AnyTensorType:$expected,
                       DefaultValuedOptionalAttr<UI64Attr, "1">:$max_ulp_difference,
                       DefaultValuedOptionalAttr<UI64Attr, "0">:$min_ulp_difference);
  let assemblyFormat = [{
    $actual `,` $expected `` custom<UlpBounds>($max_ulp_difference, $min_ulp_difference) attr-dict `:`
    type($actual) `,` type($expected)
  }];
}

def ExpectSerializedEqOp : Check_Op<"expect_serialized_eq"> {
  let arguments = (ins AnyTensorType:$expected, StrAttr:$probe_id, DefaultValuedOptionalAttr<I32Attr, "0">:$iteration);
  let assemblyFormat = [{
    $expected `,` `probe_id` `=` $probe_id (`,` `iter` `=` $iteration^)? attr-dict `:` type($expected)
  }];
}

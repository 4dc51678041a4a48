// CHLO operations that broadcast their operands first.
include "stablehlo/chlo/attributes.td"

class Chlo_BroadcastingOp<string mnemonic> : Op<Chlo_Dialect, mnemonic, [Pure]> {
  let arguments = (ins AnyTensorType:$lhs, AnyTensorType:$rhs, OptionalAttr<DenseI64ArrayAttr>:$broadcast_dimensions);
  let results = (outs AnyTensorType:$result);
  let assemblyFormat = "$lhs `,` $rhs attr-dict `:` functional-type(operands, results)";
}

def BroadcastAddOp : Chlo_BroadcastingOp<"broadcast_add">;
def BroadcastAndOp : Chlo_BroadcastingOp<"broadcast_and">;
def BroadcastAtan2Op : Chlo_BroadcastingOp<"broadcast_atan2">;
def BroadcastComplexOp : Chlo_BroadcastingOp<"broadcast_complex">;
def BroadcastDivOp : Chlo_BroadcastingOp<"broadcast_divide">;
def BroadcastMaxOp : Chlo_BroadcastingOp<"broadcast_maximum">;
def BroadcastMinOp : Chlo_BroadcastingOp<"broadcast_minimum">;
def BroadcastMulOp : Chlo_BroadcastingOp<"broadcast_multiply">;
def BroadcastNextAfterOp : Chlo_BroadcastingOp<"broadcast_next_after">;
def BroadcastOrOp : Chlo_BroadcastingOp<"broadcast_or">;
def BroadcastPolygammaOp : Chlo_BroadcastingOp<"broadcast_polygamma">;
def BroadcastPowOp : Chlo_BroadcastingOp<"broadcast_power">;
def BroadcastRemOp : Chlo_BroadcastingOp<"broadcast_remainder">;
def BroadcastShiftLeftOp : Chlo_BroadcastingOp<"broadcast_shift_left">;
def BroadcastShiftRightArithmeticOp : Chlo_BroadcastingOp<"broadcast_shift_right_arithmetic">;
def BroadcastShiftRightLogicalOp : Chlo_BroadcastingOp<"broadcast_shift_right_logical">;
def BroadcastSubOp : Chlo_BroadcastingOp<"broadcast_subtract">;
def BroadcastXorOp : Chlo_BroadcastingOp<"broadcast_xor">;
def BroadcastZetaOp : Chlo_BroadcastingOp<"broadcast_zeta">;

def BroadcastCompareOp : Chlo_BroadcastingOp<"broadcast_compare"> {
  let arguments = (ins AnyTensorType:$lhs, AnyTensorType:$rhs, OptionalAttr<DenseI64ArrayAttr>:$broadcast_dimensions,
                       Chlo_ComparisonDirectionAttr:$comparison_direction, OptionalAttr<Chlo_ComparisonTypeAttr>:$compare_type);
}

def BroadcastSelectOp : Op<Chlo_Dialect, "broadcast_select", [Pure]> {
  let arguments = (ins PredTensorType:$pred, AnyTensorType:$on_true, AnyTensorType:$on_false);
  let results = (outs AnyTensorType:$result);
  let assemblyFormat = "operands attr-dict `:` functional-type(operands, results)";
}

// Operations that the specification no longer lists; programs of older versions hold them.
include "stablehlo/dialect/attributes.td"

def DotOp : Stablehlo_Op<"dot", [Pure]> {
  let arguments = (ins AnyTensorType:$lhs, AnyTensorType:$rhs, OptionalAttr<PrecisionConfigAttr>:$precision_config);
  let results = (outs AnyTensorType:$result);
  let assemblyFormat = "$lhs `,` $rhs `` custom<PrecisionConfig>($precision_config) attr-dict `:` functional-type(operands, results)";
  let hasVerifier = 1;
}

def EinsumOp : Stablehlo_Op<"einsum", [Pure]> {
  let arguments = (ins AnyTensorType:$lhs, AnyTensorType:$rhs, StrAttr:$einsum_config);
  let results = (outs AnyTensorType:$result);
  let assemblyFormat = "$lhs `,` $rhs `,` `config` `=` $einsum_config attr-dict `:` functional-type(operands, results)";
  let hasVerifier = 1;
}

def UnaryEinsumOp : Stablehlo_Op<"unary_einsum", [Pure]> {
  let arguments = (ins AnyTensorType:$operand, StrAttr:$einsum_config);
  let results = (outs AnyTensorType:$result);
  let assemblyFormat = "$operand `,` `config` `=` $einsum_config attr-dict `:` functional-type(operands, results)";
  let hasVerifier = 1;
}

def BroadcastOp : Stablehlo_Op<"broadcast", [Pure, SameElementType]> {
  let summary = "new dimensions in front";
  let arguments = (ins AnyTensorType:$operand, DenseI64ArrayAttr:$broadcast_sizes);
  let results = (outs AnyTensorType:$result);
  let assemblyFormat = "$operand `,` `sizes` `=` $broadcast_sizes attr-dict `:` functional-type(operands, results)";
  let hasVerifier = 1;
}

def TorchIndexSelectOp : Stablehlo_Op<"torch_index_select", [Pure]> {
  let arguments = (ins AnyTensorType:$operand, IntTensorType:$index, I64Attr:$dim, I64Attr:$batch_dims);
  let results = (outs AnyTensorType:$result);
  let hasVerifier = 1;
}

// Its name can only be written in quotes, so it has no form of its own.
def CrossReplicaSumOp : Stablehlo_Op<"cross-replica-sum", [ElementwiseShape, SameElementType]> {
  let arguments = (ins AnyTensorType:$operand, I64ElementsAttr:$replica_groups);
  let results = (outs AnyTensorType:$result);
  let hasVerifier = 1;
}

// The operations of `sdy`.
#ifndef TREADLE_STABLEHLO_SDY_OPS_TD_
#define TREADLE_STABLEHLO_SDY_OPS_TD_

include "mlir/IR/BuiltinAttributeInterfaces.td"
include "mlir/IR/CommonAttrConstraints.td"
include "mlir/IR/SymbolInterfaces.td"
include "mlir/Interfaces/ControlFlowInterfaces.td"
include "mlir/Interfaces/InferTypeOpInterface.td"
include "mlir/Interfaces/SideEffectInterfaces.td"
include "stablehlo/sdy/attributes.td"

class Sdy_Op<string mnemonic, list<Trait> traits = []> : Op<Sdy_Dialect, mnemonic, traits>;

def Sdy_MeshOp : Sdy_Op<"mesh", [Symbol, HasParent<"::mlir::ModuleOp">]> {
  let summary = "A named mesh";
  let arguments = (ins SymbolNameAttr:$sym_name, Sdy_Mesh:$mesh);
  let assemblyFormat = "$sym_name `=` $mesh attr-dict";
  let hasVerifier = 1;
}

// One tensor in, the same tensor out.
class Sdy_IdentityOp<string mnemonic, dag attributes, string format, list<Trait> traits = []>
    : Sdy_Op<mnemonic, traits # [SameOperandsAndResultType]> {
  let arguments = !con((ins AnyType:$input), attributes);
  let results = (outs AnyType:$result);
  let assemblyFormat = format # " attr-dict `:` type($result)";
}

def Sdy_ShardingConstraintOp : Sdy_IdentityOp<"sharding_constraint", (ins Sdy_TensorSharding:$sharding),
                                              "$input $sharding"> {
  let summary = "The input, required to be sharded as said";
  let hasVerifier = 1;
}

def Sdy_ReshardOp : Sdy_IdentityOp<"reshard", (ins Sdy_TensorSharding:$sharding), "$input $sharding", [Pure]> {
  let summary = "The input, moved to another sharding";
  let hasVerifier = 1;
}

def Sdy_ShardingGroupOp : Sdy_Op<"sharding_group"> {
  let summary = "All tensors of a group get the same sharding";
  let arguments = (ins AnyType:$input, I64Attr:$group_id);
  let assemblyFormat = "$input `group_id` `` `=` `` $group_id attr-dict `:` type($input)";
}

def Sdy_PropagationBarrierOp : Sdy_IdentityOp<"propagation_barrier",
    (ins Sdy_PropagationDirection:$allowed_direction),
    "$input `allowed_direction` `` `=` `` $allowed_direction", [Pure]> {
  let summary = "The input; shardings flow through in the allowed direction only";
}

def Sdy_DataFlowEdgeOp : Sdy_IdentityOp<"data_flow_edge", (ins OptionalAttr<Sdy_TensorSharding>:$sharding),
    "$input (`sharding` `` `=` `` $sharding^)?", [Pure]> {
  let summary = "Ties the values that a region operation passes along (operand, block argument, yielded value, result)";
}

def Sdy_FuncDataFlowEdgeOp : Sdy_IdentityOp<"func_data_flow_edge", (ins), "$input", [Pure]> {
  let summary = "Ties an argument of a function, or a result of a call, to the values at its other end";
}

def Sdy_ConstantOp : Sdy_Op<"constant", [Pure]> {
  let summary = "A constant that propagation may split into copies";
  let arguments = (ins ElementsAttr:$value);
  let results = (outs AnyType:$output);
  let hasCustomAssemblyFormat = 1;
  let hasVerifier = 1;
}

def Sdy_ReturnOp : Sdy_Op<"return", [Pure, Terminator, ReturnLike]> {
  let summary = "Ends the body of a computation";
  let arguments = (ins Variadic<AnyType>:$results);
  let assemblyFormat = "attr-dict ($results^ `:` type($results))?";
}

def Sdy_ManualComputationOp : Sdy_Op<"manual_computation", [IsolatedFromAbove, SingleBlock, RecursiveMemoryEffects]> {
  let summary = "A body that sees its shard over the manual axes, with collectives written by hand";
  let arguments = (ins Variadic<AnyType>:$tensors, Sdy_TensorShardingPerValue:$in_shardings,
                       Sdy_TensorShardingPerValue:$out_shardings, Sdy_ManualAxes:$manual_axes);
  let results = (outs Variadic<AnyType>:$results);
  let regions = (region SizedRegion<1>:$body);
  let assemblyFormat = [{
    `` `(` operands `)` `in_shardings` `` `=` `` custom<StrippedShardings>($in_shardings)
    `out_shardings` `` `=` `` custom<StrippedShardings>($out_shardings)
    `manual_axes` `` `=` `` $manual_axes custom<BodyWithArguments>($body)
    attr-dict `:` functional-type(operands, results)
  }];
  let hasVerifier = 1;
}

def Sdy_NamedComputationOp : Sdy_Op<"named_computation", [IsolatedFromAbove, SingleBlock, RecursiveMemoryEffects]> {
  let summary = "A body under a name, with shardings of its own";
  let arguments = (ins StrAttr:$name, Variadic<AnyType>:$operands,
                       OptionalAttr<Sdy_TensorShardingPerValue>:$in_shardings,
                       OptionalAttr<Sdy_TensorShardingPerValue>:$out_shardings);
  let results = (outs Variadic<AnyType>:$results);
  let regions = (region SizedRegion<1>:$body);
  let assemblyFormat = [{
    `` `<` $name `>` `` `(` operands `)` (`in_shardings` `` `=` `` custom<StrippedShardings>($in_shardings)^)?
    (`out_shardings` `` `=` `` custom<StrippedShardings>($out_shardings)^)?
    custom<BodyWithArguments>($body) attr-dict `:` functional-type(operands, results)
  }];
  let hasVerifier = 1;
}

// Collectives that the export of a partitioned program is written in. `axes` come first in the text.
class Sdy_CollectiveOp<string mnemonic, dag attributes, string format>
    : Sdy_IdentityOp<mnemonic, !con(attributes, (ins Sdy_TensorSharding:$out_sharding)),
                     format # "`out_sharding` `` `=` `` $out_sharding", [Pure]>;

def Sdy_AllGatherOp : Sdy_CollectiveOp<"all_gather", (ins Sdy_ListOfAxisRefLists:$gathering_axes),
                                       "$gathering_axes $input">;
def Sdy_AllSliceOp : Sdy_CollectiveOp<"all_slice", (ins Sdy_ListOfAxisRefLists:$slicing_axes), "$slicing_axes $input">;
def Sdy_AllReduceOp : Sdy_CollectiveOp<"all_reduce", (ins Sdy_AxisRefList:$reduction_axes), "$reduction_axes $input">;
def Sdy_ReduceScatterOp : Sdy_CollectiveOp<"reduce_scatter", (ins Sdy_ListOfAxisRefLists:$reduce_scatter_axes),
                                           "$reduce_scatter_axes $input">;
def Sdy_AllToAllOp : Sdy_CollectiveOp<"all_to_all", (ins Sdy_AllToAllParamList:$params), "$params $input">;
def Sdy_CollectivePermuteOp : Sdy_CollectiveOp<"collective_permute", (ins), "$input">;
def Sdy_ReplicatedToUnreducedOp : Sdy_CollectiveOp<"replicated_to_unreduced", (ins Sdy_AxisRefList:$axes),
                                                   "$axes $input">;
def Sdy_ShardedToUnreducedOp : Sdy_CollectiveOp<"sharded_to_unreduced", (ins Sdy_ListOfAxisRefLists:$axes),
                                                "$axes $input">;

#endif  // TREADLE_STABLEHLO_SDY_OPS_TD_

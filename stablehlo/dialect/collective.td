// Operations between devices. replica_groups is a two-dimensional i64 tensor or #stablehlo.replica_group_mesh_axes.
include "stablehlo/dialect/attributes.td"

def ReplicaGroupsAttr : AnyAttrOf<[I64ElementsAttr, ReplicaGroupMeshAxesAttr], "groups of devices"> {
  let storageType = "::mlir::Attribute";
  let returnType = "::mlir::Attribute";
}

class CollectiveOp<string mnemonic, list<Trait> traits = []> : Stablehlo_Op<mnemonic, traits> { let hasVerifier = 1; }
class ReducingCollectiveOp<string mnemonic> : CollectiveOp<mnemonic, [SingleBlock]> {
  let regions = (region SizedRegion<1>:$computation);
  let hasRegionVerifier = 1;
}

def AllGatherOp : CollectiveOp<"all_gather"> {
  let arguments = (ins Variadic<AnyTensorType>:$operands_, I64Attr:$all_gather_dim, ReplicaGroupsAttr:$replica_groups,
                       OptionalAttr<ChannelHandleAttr>:$channel_handle, UnitAttr:$use_global_device_ids);
  let results = (outs Variadic<AnyTensorType>:$results);
}

def AllReduceOp : ReducingCollectiveOp<"all_reduce"> {
  let arguments = (ins Variadic<AnyTensorType>:$operands_, ReplicaGroupsAttr:$replica_groups,
                       OptionalAttr<ChannelHandleAttr>:$channel_handle, UnitAttr:$use_global_device_ids);
  let results = (outs Variadic<AnyTensorType>:$results);
}

def AllToAllOp : CollectiveOp<"all_to_all"> {
  let arguments = (ins Variadic<AnyTensorType>:$operands_, I64Attr:$split_dimension, I64Attr:$concat_dimension,
                       I64Attr:$split_count, ReplicaGroupsAttr:$replica_groups,
                       OptionalAttr<ChannelHandleAttr>:$channel_handle);
  let results = (outs Variadic<AnyTensorType>:$results);
}

def ReduceScatterOp : ReducingCollectiveOp<"reduce_scatter"> {
  let arguments = (ins AnyTensorType:$operand, I64Attr:$scatter_dimension, ReplicaGroupsAttr:$replica_groups,
                       OptionalAttr<ChannelHandleAttr>:$channel_handle, UnitAttr:$use_global_device_ids);
  let results = (outs AnyTensorType:$result);
}

def CollectivePermuteOp : CollectiveOp<"collective_permute"> {
  let arguments = (ins AnyTensorType:$operand, I64ElementsAttr:$source_target_pairs,
                       OptionalAttr<ChannelHandleAttr>:$channel_handle);
  let results = (outs AnyTensorType:$result);
}

def CollectiveBroadcastOp : CollectiveOp<"collective_broadcast"> {
  let arguments = (ins Variadic<AnyTensorType>:$operands_, ReplicaGroupsAttr:$replica_groups,
                       OptionalAttr<ChannelHandleAttr>:$channel_handle,
                       UnitAttr:$has_dynamic_root);
  let results = (outs Variadic<AnyTensorType>:$results);
}

def CollectiveReduceOp : ReducingCollectiveOp<"collective_reduce"> {
  let arguments = (ins Variadic<AnyTensorType>:$operands_, ReplicaGroupsAttr:$replica_groups,
                       OptionalAttr<ChannelHandleAttr>:$channel_handle, UnitAttr:$use_global_device_ids,
                       UnitAttr:$has_dynamic_root);
  let results = (outs Variadic<AnyTensorType>:$results);
}

class IdOp<string mnemonic> : Stablehlo_Op<mnemonic, [Pure]> {
  let hasVerifier = 1;
  let results = (outs IntTensorType:$result);
  let assemblyFormat = "attr-dict `:` type(results)";
}
def PartitionIdOp : IdOp<"partition_id">;
def ReplicaIdOp : IdOp<"replica_id">;

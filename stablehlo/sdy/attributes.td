// The attributes of `sdy`. Their text is parsed and printed in attributes.cc, their bytecode in bytecode.cc.
#ifndef TREADLE_STABLEHLO_SDY_ATTRIBUTES_TD_
#define TREADLE_STABLEHLO_SDY_ATTRIBUTES_TD_

include "mlir/IR/AttrTypeBase.td"
include "mlir/IR/EnumAttr.td"
include "stablehlo/sdy/dialect.td"

class Sdy_Attr<string name, string attrMnemonic> : AttrDef<Sdy_Dialect, name> {
  let mnemonic = attrMnemonic;
  let hasCustomAssemblyFormat = 1;
}

def Sdy_PropagationDirection : I32EnumAttr<"PropagationDirection", "directions in which shardings may flow", [
    I32EnumAttrCase<"NONE", 0>, I32EnumAttrCase<"FORWARD", 1>,
    I32EnumAttrCase<"BACKWARD", 2>, I32EnumAttrCase<"BOTH", 3>]> {
  let cppNamespace = "::treadle::sdy";
}

def Sdy_ManualAxes : Sdy_Attr<"ManualAxes", "manual_axes"> {
  let summary = "Names of the axes in which a computation is manual: {\"x\", \"y\"}";
  let parameters = (ins OptionalArrayRefParameter<"::mlir::StringAttr">:$value);
}

def Sdy_MeshAxis : Sdy_Attr<"MeshAxis", "mesh_axis"> {
  let summary = "A named axis of a mesh and its size: \"x\"=2";
  let parameters = (ins StringRefParameter<>:$name, "int64_t":$size);
}

def Sdy_Mesh : Sdy_Attr<"Mesh", "mesh"> {
  let summary = "A mesh of devices: <[\"x\"=2, \"y\"=4], device_ids=[...]>";
  let description = [{
    Without device ids the devices are 0..n-1 in row-major order of the axes. A mesh without axes and with one id
    is *maximal*: everything lives on that device.
  }];
  let parameters = (ins OptionalArrayRefParameter<"MeshAxisAttr">:$axes,
                        OptionalArrayRefParameter<"int64_t">:$device_ids);
  let extraClassDeclaration = [{
    bool IsMaximal() const { return getAxes().empty() && getDeviceIds().size() == 1; }
    /// Size of the named axis; 0 where the mesh has none of that name.
    int64_t AxisSize(::llvm::StringRef name) const;
    /// Number of devices: the product of the sizes, 1 for an empty or maximal mesh.
    int64_t TotalSize() const;
  }];
}

def Sdy_SubAxisInfo : Sdy_Attr<"SubAxisInfo", "sub_axis_info"> {
  let summary = "A part of an axis: (product of the parts to its left) and its size, (1)2";
  let parameters = (ins "int64_t":$pre_size, "int64_t":$size);
}

def Sdy_AxisRef : Sdy_Attr<"AxisRef", "axis_ref"> {
  let summary = "A whole axis \"x\" or a part of one \"x\":(1)2";
  let parameters = (ins StringRefParameter<>:$name, OptionalParameter<"SubAxisInfoAttr">:$sub_axis_info);
  let extraClassDeclaration = [{
    /// Number of shards that this axis, or its part, makes on `mesh`.
    int64_t SizeIn(MeshAttr mesh) const {
      return getSubAxisInfo() ? getSubAxisInfo().getSize() : mesh.AxisSize(getName());
    }
  }];
}

def Sdy_DimensionSharding : Sdy_Attr<"DimensionSharding", "dimension_sharding"> {
  let summary = "The axes that split one dimension, major first; open (?) where propagation may add more: {\"x\", ?}p1";
  let parameters = (ins OptionalArrayRefParameter<"AxisRefAttr">:$axes, "bool":$is_closed,
                        OptionalParameter<"std::optional<int64_t>">:$priority);
}

def Sdy_TensorSharding : Sdy_Attr<"TensorSharding", "sharding"> {
  let summary = "How one tensor is split: <@mesh, [{\"x\"}, {?}], replicated={\"y\"}, unreduced={\"z\"}>";
  let description = [{
    `mesh_or_ref` is a FlatSymbolRefAttr or a MeshAttr. Over `unreduced` axes the value is the sum of the shards.
  }];
  let parameters = (ins "::mlir::Attribute":$mesh_or_ref,
                        OptionalArrayRefParameter<"DimensionShardingAttr">:$dim_shardings,
                        OptionalArrayRefParameter<"AxisRefAttr">:$replicated_axes,
                        OptionalArrayRefParameter<"AxisRefAttr">:$unreduced_axes);
  let extraClassDeclaration = [{
    int64_t getRank() const { return getDimShardings().size(); }
    /// The mesh itself, looked up from `op` where it is a symbol; null where there is none.
    MeshAttr GetMesh(::mlir::Operation* op) const;
  }];
}

def Sdy_TensorShardingPerValue : Sdy_Attr<"TensorShardingPerValue", "sharding_per_value"> {
  let summary = "Shardings of the operands or results of an operation: <[<@mesh, [{}]>, ...]>";
  let parameters = (ins OptionalArrayRefParameter<"TensorShardingAttr">:$shardings);
}

def Sdy_DimMapping : Sdy_Attr<"DimMapping", "dim_mapping"> {
  let summary = "The factors, by index, of which a dimension is made, major first";
  let parameters = (ins OptionalArrayRefParameter<"int64_t">:$factor_indices);
}

def Sdy_TensorMapping : Sdy_Attr<"TensorMapping", "tensor_mapping"> {
  let summary = "The factors of each dimension of a tensor";
  let parameters = (ins OptionalArrayRefParameter<"DimMappingAttr">:$dim_mappings);
}

def Sdy_OpShardingRule : Sdy_Attr<"OpShardingRule", "op_sharding_rule"> {
  let summary = "How dimensions of operands and results correspond: <([i, j], [j, k])->([i, k]) {i=8, j=2, k=4}>";
  let parameters = (ins OptionalArrayRefParameter<"int64_t">:$factor_sizes,
                        OptionalArrayRefParameter<"TensorMappingAttr">:$operand_mappings,
                        OptionalArrayRefParameter<"TensorMappingAttr">:$result_mappings,
                        OptionalArrayRefParameter<"int64_t">:$reduction_factors,
                        OptionalArrayRefParameter<"int64_t">:$need_replication_factors,
                        OptionalArrayRefParameter<"int64_t">:$permutation_factors,
                        OptionalArrayRefParameter<"int64_t">:$blocked_propagation_factors,
                        "bool":$is_custom_rule);
}

def Sdy_AxisRefList : Sdy_Attr<"AxisRefList", "axis_ref_list"> {
  let summary = "A list of axes: {\"x\", \"y\"}";
  let parameters = (ins OptionalArrayRefParameter<"AxisRefAttr">:$value);
}

def Sdy_ListOfAxisRefLists : Sdy_Attr<"ListOfAxisRefLists", "list_of_axis_ref_lists"> {
  let summary = "One list of axes for each dimension: [{\"x\"}, {}]";
  let parameters = (ins OptionalArrayRefParameter<"AxisRefListAttr">:$value);
}

def Sdy_AllToAllParam : Sdy_Attr<"AllToAllParam", "all_to_all_param"> {
  let summary = "Axes that move from one dimension to another: {\"x\"}: 0->1";
  let parameters = (ins OptionalArrayRefParameter<"AxisRefAttr">:$axes, "int64_t":$src_dim, "int64_t":$tgt_dim);
}

def Sdy_AllToAllParamList : Sdy_Attr<"AllToAllParamList", "all_to_all_param_list"> {
  let summary = "What an all-to-all moves: [{\"x\"}: 0->1, {\"y\"}: 1->2]";
  let parameters = (ins OptionalArrayRefParameter<"AllToAllParamAttr">:$value);
}

#endif  // TREADLE_STABLEHLO_SDY_ATTRIBUTES_TD_

// Enumerations and attributes. Spellings are those of StableHLO's text form.
#ifndef TREADLE_STABLEHLO_DIALECT_ATTRIBUTES_TD_
#define TREADLE_STABLEHLO_DIALECT_ATTRIBUTES_TD_

include "stablehlo/dialect/base.td"
include "stablehlo/dialect/parameters.td"
include "mlir/IR/AttrTypeBase.td"
include "mlir/IR/BuiltinAttributeInterfaces.td"
include "mlir/IR/EnumAttr.td"
include "mlir/IR/TensorEncoding.td"

// ---- Enumerations: #stablehlo<mnemonic CASE> in full, the bare case in custom syntax.
class Stablehlo_Enum<string name, list<I32EnumCase> cases> : I32Enum<name, "", cases> {
  let cppNamespace = "::treadle::stablehlo";
}
class Stablehlo_EnumAttr<EnumInfo info, string mnemonic> : EnumAttr<Stablehlo_Dialect, info, mnemonic>;

def ComparisonDirection : Stablehlo_Enum<"ComparisonDirection", [
    I32EnumCase<"EQ", 0>, I32EnumCase<"NE", 1>, I32EnumCase<"GE", 2>, I32EnumCase<"GT", 3>, I32EnumCase<"LE", 4>, I32EnumCase<"LT", 5>]>;
def ComparisonDirectionAttr : Stablehlo_EnumAttr<ComparisonDirection, "comparison_direction">;
def ComparisonType : Stablehlo_Enum<"ComparisonType", [
    I32EnumCase<"NOTYPE", 0>, I32EnumCase<"FLOAT", 1>, I32EnumCase<"TOTALORDER", 2>, I32EnumCase<"SIGNED", 3>, I32EnumCase<"UNSIGNED", 4>]>;
def ComparisonTypeAttr : Stablehlo_EnumAttr<ComparisonType, "comparison_type">;
def Precision : Stablehlo_Enum<"Precision", [I32EnumCase<"DEFAULT", 0>, I32EnumCase<"HIGH", 1>, I32EnumCase<"HIGHEST", 2>]>;
def PrecisionAttr : Stablehlo_EnumAttr<Precision, "precision">;
def PrecisionConfigAttr : TypedArrayAttrBase<PrecisionAttr, "one precision an operand">;
def FftType : Stablehlo_Enum<"FftType", [
    I32EnumCase<"FFT", 0>, I32EnumCase<"IFFT", 1>, I32EnumCase<"RFFT", 2>, I32EnumCase<"IRFFT", 3>]>;
def FftTypeAttr : Stablehlo_EnumAttr<FftType, "fft_type">;
def Transpose : Stablehlo_Enum<"Transpose", [
    I32EnumCase<"TRANSPOSE_INVALID", 0>, I32EnumCase<"NO_TRANSPOSE", 1>, I32EnumCase<"TRANSPOSE", 2>, I32EnumCase<"ADJOINT", 3>]>;
def TransposeAttr : Stablehlo_EnumAttr<Transpose, "transpose">;
def RngAlgorithm : Stablehlo_Enum<"RngAlgorithm", [
    I32EnumCase<"DEFAULT", 0>, I32EnumCase<"THREE_FRY", 1>, I32EnumCase<"PHILOX", 2>]>;
def RngAlgorithmAttr : Stablehlo_EnumAttr<RngAlgorithm, "rng_algorithm">;
def RngDistribution : Stablehlo_Enum<"RngDistribution", [I32EnumCase<"UNIFORM", 1>, I32EnumCase<"NORMAL", 2>]>;
def RngDistributionAttr : Stablehlo_EnumAttr<RngDistribution, "rng_distribution">;
def ResultAccuracyMode : Stablehlo_Enum<"ResultAccuracyMode", [
    I32EnumCase<"DEFAULT", 0>, I32EnumCase<"HIGHEST", 1>, I32EnumCase<"TOLERANCE", 2>]>;
def ResultAccuracyModeAttr : Stablehlo_EnumAttr<ResultAccuracyMode, "result_accuracy_mode"> {
  let assemblyFormat = "`<` $value `>`";
}
// A plain i32 in the text: api_version = 4 : i32.
def CustomCallApiVersionAttr : I32EnumAttr<"CustomCallApiVersion", "how a custom call is invoked", [
    I32EnumAttrCase<"API_VERSION_UNSPECIFIED", 0>, I32EnumAttrCase<"API_VERSION_ORIGINAL", 1>,
    I32EnumAttrCase<"API_VERSION_STATUS_RETURNING", 2>, I32EnumAttrCase<"API_VERSION_STATUS_RETURNING_UNIFIED", 3>,
    I32EnumAttrCase<"API_VERSION_TYPED_FFI", 4>]> {
  let cppNamespace = "::treadle::stablehlo";
}

// ---- Attributes.
class Stablehlo_AttrBase<string name, string attrMnemonic, list<Trait> traits = []>
    : AttrDef<Stablehlo_Dialect, name, traits> {
  let mnemonic = attrMnemonic;
}
class Stablehlo_Attr<string name, string attrMnemonic> : Stablehlo_AttrBase<name, attrMnemonic> {
  let assemblyFormat = "`<` struct(params) `>`";
}
// Parsed and printed in attributes.cc.
class Stablehlo_HandWrittenAttr<string name, string attrMnemonic, list<Trait> traits = []>
    : Stablehlo_AttrBase<name, attrMnemonic, traits> {
  let hasCustomAssemblyFormat = 1;
}

def GatherDimensionNumbersAttr : Stablehlo_Attr<"GatherDimensionNumbers", "gather"> {
  let parameters = (ins OptionalI64List:$offset_dims, OptionalI64List:$collapsed_slice_dims, OptionalI64List:$operand_batching_dims,
      OptionalI64List:$start_indices_batching_dims, OptionalI64List:$start_index_map,
      DefaultValuedParameter<"int64_t", "0">:$index_vector_dim);
}

def ScatterDimensionNumbersAttr : Stablehlo_Attr<"ScatterDimensionNumbers", "scatter"> {
  let parameters = (ins OptionalI64List:$update_window_dims, OptionalI64List:$inserted_window_dims,
      OptionalI64List:$input_batching_dims, OptionalI64List:$scatter_indices_batching_dims,
      OptionalI64List:$scatter_dims_to_operand_dims, DefaultValuedParameter<"int64_t", "0">:$index_vector_dim);
}

def DotDimensionNumbersAttr : Stablehlo_Attr<"DotDimensionNumbers", "dot"> {
  let parameters = (ins OptionalI64List:$lhs_batching_dimensions, OptionalI64List:$rhs_batching_dimensions,
      OptionalI64List:$lhs_contracting_dimensions, OptionalI64List:$rhs_contracting_dimensions);
}

def DotAlgorithmAttr : Stablehlo_Attr<"DotAlgorithm", "dot_algorithm"> {
  let parameters = (ins "::mlir::Type":$lhs_precision_type, "::mlir::Type":$rhs_precision_type, "::mlir::Type":$accumulation_type,
      "int64_t":$lhs_component_count, "int64_t":$rhs_component_count, "int64_t":$num_primitive_operations,
      BoolParameter:$allow_imprecise_accumulation);
}

def ConvDimensionNumbersAttr : Stablehlo_HandWrittenAttr<"ConvDimensionNumbers", "conv"> {
  let summary = "which dimension is batch, feature or space: [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f]";
  let parameters = (ins "int64_t":$input_batch_dimension, "int64_t":$input_feature_dimension, I64List:$input_spatial_dimensions,
      "int64_t":$kernel_input_feature_dimension, "int64_t":$kernel_output_feature_dimension, I64List:$kernel_spatial_dimensions,
      "int64_t":$output_batch_dimension, "int64_t":$output_feature_dimension, I64List:$output_spatial_dimensions);
  let extraClassDeclaration = [{
    // The text between the angle brackets, which custom syntax of operations holds too.
    static ConvDimensionNumbersAttr ParseBody(::mlir::AsmParser& parser);  // null after an error
    void PrintBody(::mlir::AsmPrinter& printer) const;
  }];
}

def ChannelHandleAttr : Stablehlo_Attr<"ChannelHandle", "channel_handle"> {
  let parameters = (ins "int64_t":$handle, "int64_t":$type);
}

def OutputOperandAliasAttr : Stablehlo_Attr<"OutputOperandAlias", "output_operand_alias"> {
  let parameters = (ins I64List:$output_tuple_indices, "int64_t":$operand_index, I64List:$operand_tuple_indices);
}

def TypeExtensionsAttr : Stablehlo_HandWrittenAttr<"TypeExtensions", "bounds", [DeclareAttrInterfaceMethods<VerifiableTensorEncoding>]> {
  let summary = "upper bounds of a tensor's dynamic dimensions; kDynamic where there is none";
  let parameters = (ins I64List:$bounds);
}

def ResultAccuracyAttr : Stablehlo_Attr<"ResultAccuracy", "result_accuracy"> {
  let parameters = (ins OptionalF64:$atol, OptionalF64:$rtol, DefaultValuedParameter<"int64_t", "0">:$ulps,
      FullAttr<"::treadle::stablehlo::ResultAccuracyModeAttr">:$mode);
}

def SubAxisInfoAttr : Stablehlo_Attr<"SubAxisInfo", "sub_axis_info"> {
  let parameters = (ins "int64_t":$pre_size, "int64_t":$size);
  let assemblyFormat = "`(` $pre_size `)` `` $size";
}

def AxisRefAttr : Stablehlo_Attr<"AxisRef", "axis_ref"> {
  let parameters = (ins StringRefParameter<"">:$name,
                        OptionalParameter<"::treadle::stablehlo::SubAxisInfoAttr">:$sub_axis_info);
}

def MeshAxisAttr : Stablehlo_Attr<"MeshAxis", "mesh_axis"> {
  let parameters = (ins StringRefParameter<"">:$name, "int64_t":$size);
}

def MeshAttr : Stablehlo_HandWrittenAttr<"Mesh", "mesh"> {
  let parameters = (ins "::mlir::ArrayAttr":$axes,
                        OptionalParameter<"::mlir::DenseIntElementsAttr">:$device_ids);
}

def ReplicaGroupMeshAxesAttr : Stablehlo_Attr<"ReplicaGroupMeshAxes", "replica_group_mesh_axes"> {
  let parameters = (ins FullAttr<"::mlir::Attribute">:$mesh, FullAttr<"::mlir::ArrayAttr">:$axes);
}

#endif  // TREADLE_STABLEHLO_DIALECT_ATTRIBUTES_TD_

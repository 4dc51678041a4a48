// Attributes and types of `vhlo`, decoded straight into those of StableHLO and of MLIR's builtin dialect.
#include <optional>

#include "llvm/ADT/STLExtras.h"
#include "mlir/Dialect/Quant/IR/QuantTypes.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/BuiltinTypes.h"
#include "stablehlo/artifact/entry_table.h"
#include "stablehlo/artifact/vhlo_codes.h"
#include "stablehlo/dialect/attributes.h"
#include "stablehlo/dialect/types.h"

namespace treadle::stablehlo {
namespace {

using ::llvm::ArrayRef;
using ::llvm::SmallVector;
using ::llvm::StringRef;
using ::mlir::Attribute;
using ::mlir::failed;
using ::mlir::StringAttr;
using ::mlir::Type;

using namespace vhlo;  // the codes

// An enumeration attribute of StableHLO from its number, by the class's own table of numbers.
template <typename Attr, typename Enum, std::optional<Enum> (*kFromNumber)(uint32_t)>
Attribute ReadEnum(EntryReader& reader, StringRef name) {
  uint64_t number;
  if (failed(reader.readVarInt(number))) return {};
  const auto value = number > 0xFF ? std::nullopt : kFromNumber(static_cast<uint32_t>(number));
  if (!value) return reader.emitError("unknown ") << name << " number " << number, Attribute();
  return Attr::get(reader.getContext(), *value);
}

Attribute ReadOutputOperandAlias(EntryReader& reader) {
  SmallVector<int64_t> output;
  int64_t operand;
  SmallVector<int64_t> in_operand;
  if (failed(reader.ReadIntegerList(output)) || failed(reader.readSignedVarInt(operand)) ||
      failed(reader.ReadIntegerList(in_operand))) {
    return {};
  }
  return OutputOperandAliasAttr::get(reader.getContext(), output, operand, in_operand);
}

Attribute ReadResultAccuracy(EntryReader& reader) {
  const auto atol = reader.readAPFloatWithKnownSemantics(llvm::APFloat::IEEEdouble());
  if (failed(atol)) return {};
  const auto rtol = reader.readAPFloatWithKnownSemantics(llvm::APFloat::IEEEdouble());
  int64_t ulps;
  ResultAccuracyModeAttr mode;
  if (failed(rtol) || failed(reader.readSignedVarInt(ulps)) || failed(reader.readAttribute(mode))) return {};
  return ResultAccuracyAttr::get(reader.getContext(), *atol, *rtol, ulps, mode);
}

Attribute ReadSubAxisInfo(EntryReader& reader) {
  int64_t pre_size;
  int64_t size;
  if (failed(reader.readSignedVarInt(pre_size)) || failed(reader.readSignedVarInt(size))) return {};
  return SubAxisInfoAttr::get(reader.getContext(), pre_size, size);
}

Attribute ReadAxisRef(EntryReader& reader) {
  StringAttr name;
  uint64_t has_sub_axis;
  SubAxisInfoAttr sub_axis;
  if (failed(reader.readAttribute(name)) || failed(reader.readVarInt(has_sub_axis)) ||
      (has_sub_axis != 0 && failed(reader.readAttribute(sub_axis)))) {
    return {};
  }
  return AxisRefAttr::get(reader.getContext(), name.getValue(), sub_axis);
}

// The mesh is a symbol (written as a string) or a mesh.
Attribute ReadReplicaGroupMeshAxes(EntryReader& reader) {
  Attribute mesh;
  mlir::ArrayAttr axes;
  if (failed(reader.readAttribute(mesh)) || failed(reader.readAttribute(axes))) return {};
  if (const auto name = mlir::dyn_cast<StringAttr>(mesh)) mesh = mlir::FlatSymbolRefAttr::get(name);
  return ReplicaGroupMeshAxesAttr::get(reader.getContext(), mesh, axes);
}

Attribute ReadMeshAxis(EntryReader& reader) {
  StringAttr name;
  int64_t size;
  if (failed(reader.readAttribute(name)) || failed(reader.readSignedVarInt(size))) return {};
  return MeshAxisAttr::get(reader.getContext(), name.getValue(), size);
}

Attribute ReadMesh(EntryReader& reader) {
  mlir::ArrayAttr axes;
  mlir::DenseIntElementsAttr device_ids;
  if (failed(reader.readAttribute(axes)) || failed(reader.readOptionalAttribute(device_ids))) return {};
  return MeshAttr::get(reader.getContext(), axes, device_ids);
}

Type ReadBufferType(EntryReader& reader) {
  SmallVector<int64_t> shape;
  Type element;
  if (failed(reader.ReadIntegerList(shape)) || failed(reader.readType(element))) return {};
  if (!MakeTensorType(reader, shape, element, {}) || !mlir::MemRefType::isValidElementType(element)) return {};
  return mlir::MemRefType::get(shape, element);
}

Type ReadQuantizedType(EntryReader& reader) {
  uint64_t flags;
  Type storage;
  Type expressed;
  if (failed(reader.readVarInt(flags)) || failed(reader.readType(storage)) || failed(reader.readType(expressed))) {
    return {};
  }
  const auto scale = reader.readAPFloatWithKnownSemantics(llvm::APFloat::IEEEdouble());
  int64_t zero_point;
  int64_t min;
  int64_t max;
  if (failed(scale) || failed(reader.readSignedVarInt(zero_point)) || failed(reader.readSignedVarInt(min)) ||
      failed(reader.readSignedVarInt(max))) {
    return {};
  }
  return mlir::quant::UniformQuantizedType::getChecked([&] { return reader.emitError(); }, flags, storage, expressed,
                                                       scale->convertToDouble(), zero_point, min, max);
}

Type ReadQuantizedPerAxisType(EntryReader& reader) {
  uint64_t flags;
  Type storage;
  Type expressed;
  uint64_t dimension;
  int64_t min;
  int64_t max;
  uint64_t count;
  if (failed(reader.readVarInt(flags)) || failed(reader.readType(storage)) || failed(reader.readType(expressed)) ||
      failed(reader.readVarInt(dimension)) || failed(reader.readSignedVarInt(min)) ||
      failed(reader.readSignedVarInt(max)) || failed(reader.ReadCount(count))) {
    return {};
  }
  SmallVector<double> scales;
  SmallVector<int64_t> zero_points;
  for (uint64_t i = 0; i < count; ++i) {
    const auto scale = reader.readAPFloatWithKnownSemantics(llvm::APFloat::IEEEdouble());
    if (failed(scale)) return {};
    scales.push_back(scale->convertToDouble());
  }
  if (failed(reader.ReadIntegerList(zero_points))) return {};
  if (dimension > 0xFFFF) return reader.emitError("a quantized dimension of ") << dimension, Type();
  return mlir::quant::UniformQuantizedPerAxisType::getChecked([&] { return reader.emitError(); }, flags, storage,
                                                              expressed, scales, zero_points, dimension, min, max);
}

// Element types that are one code; null for any other code.
Type SimpleType(mlir::MLIRContext* context, uint64_t code) {
  constexpr unsigned kWidths[] = {4, 8, 16, 32, 64};
  if (code >= kSigned4 && code < kUnsigned4) return mlir::IntegerType::get(context, kWidths[code - kSigned4]);
  if (code >= kUnsigned4 && code < kTensorType) {
    return mlir::IntegerType::get(context, kWidths[code - kUnsigned4], mlir::IntegerType::Unsigned);
  }
  switch (code) {
    case kBooleanType:
      return mlir::IntegerType::get(context, 1);
    case kBFloat16:
      return mlir::BFloat16Type::get(context);
    case kFloat16:
      return mlir::Float16Type::get(context);
    case kFloat32:
      return mlir::Float32Type::get(context);
    case kFloat64:
      return mlir::Float64Type::get(context);
    case kFloat8E4M3FN:
      return mlir::Float8E4M3FNType::get(context);
    case kFloat8E5M2:
      return mlir::Float8E5M2Type::get(context);
    case kIndexType:
      return mlir::IndexType::get(context);
    case kTokenType:
      return TokenType::get(context);
    case kFloat8E4M3FNUZ:
      return mlir::Float8E4M3FNUZType::get(context);
    case kFloat8E5M2FNUZ:
      return mlir::Float8E5M2FNUZType::get(context);
    case kFloat8E4M3B11FNUZ:
      return mlir::Float8E4M3B11FNUZType::get(context);
    case kSigned2:
      return mlir::IntegerType::get(context, 2);
    case kUnsigned2:
      return mlir::IntegerType::get(context, 2, mlir::IntegerType::Unsigned);
    case kNoneType:
      return mlir::NoneType::get(context);
    case kFloatTF32:
      return mlir::FloatTF32Type::get(context);
    case kFloat8E4M3:
      return mlir::Float8E4M3Type::get(context);
    case kFloat8E3M4:
      return mlir::Float8E3M4Type::get(context);
    case kFloat4E2M1FN:
      return mlir::Float4E2M1FNType::get(context);
    case kFloat6E2M3FN:
      return mlir::Float6E2M3FNType::get(context);
    case kFloat6E3M2FN:
      return mlir::Float6E3M2FNType::get(context);
    case kFloat8E8M0FNU:
      return mlir::Float8E8M0FNUType::get(context);
    default:
      return {};
  }
}

}  // namespace

Attribute DecodeVhloAttribute(EntryReader& reader) {
  mlir::MLIRContext* context = reader.getContext();
  uint64_t code;
  if (failed(reader.readVarInt(code))) return {};
  switch (code) {
    case kArray: {
      SmallVector<Attribute> list;
      return failed(reader.ReadAttributeList(list)) ? Attribute() : mlir::ArrayAttr::get(context, list);
    }
    case kBoolean: {
      uint64_t value;
      return failed(reader.readVarInt(value)) ? Attribute() : mlir::BoolAttr::get(context, value != 0);
    }
    case kComparisonDirection:
      return ReadEnum<ComparisonDirectionAttr, ComparisonDirection, symbolizeComparisonDirection>(
          reader, "comparison direction");
    case kComparisonType:
      return ReadEnum<ComparisonTypeAttr, ComparisonType, symbolizeComparisonType>(reader, "comparison type");
    case kCustomCallApiVersion:
      return ReadEnum<CustomCallApiVersionAttr, CustomCallApiVersion, symbolizeCustomCallApiVersion>(
          reader, "custom call version");
    case kDictionary:
      return DecodeDictionary(reader);
    case kFftType:
      return ReadEnum<FftTypeAttr, FftType, symbolizeFftType>(reader, "kind of FFT");
    case kFloat:
      return DecodeFloatAttribute(reader);
    case kInteger:
      return DecodeIntegerAttribute(reader);
    case kOutputOperandAlias:
      return ReadOutputOperandAlias(reader);
    case kPrecision:
      return ReadEnum<PrecisionAttr, Precision, symbolizePrecision>(reader, "precision");
    case kRngAlgorithm:
      return ReadEnum<RngAlgorithmAttr, RngAlgorithm, symbolizeRngAlgorithm>(reader, "random algorithm");
    case kRngDistribution:
      return ReadEnum<RngDistributionAttr, RngDistribution, symbolizeRngDistribution>(reader, "random distribution");
    case kString: {
      StringRef text;
      return failed(reader.readString(text)) ? Attribute() : StringAttr::get(context, text);
    }
    case kTensor: {
      Type type;
      ArrayRef<char> bytes;
      if (failed(reader.readType(type)) || failed(reader.readBlob(bytes))) return {};
      return MakeElements(reader, type, bytes);
    }
    case kTranspose:
      return ReadEnum<TransposeAttr, Transpose, symbolizeTranspose>(reader, "transposition");
    case kTypeAttribute: {
      Type type;
      return failed(reader.readType(type)) ? Attribute() : mlir::TypeAttr::get(type);
    }
    case kTypeExtensions: {
      SmallVector<int64_t> bounds;
      return failed(reader.ReadIntegerList(bounds)) ? Attribute() : TypeExtensionsAttr::get(context, bounds);
    }
    case kResultAccuracyMode:
      return ReadEnum<ResultAccuracyModeAttr, ResultAccuracyMode, symbolizeResultAccuracyMode>(reader,
                                                                                               "result accuracy mode");
    case kResultAccuracy:
      return ReadResultAccuracy(reader);
    case kSubAxisInfo:
      return ReadSubAxisInfo(reader);
    case kAxisRef:
      return ReadAxisRef(reader);
    case kReplicaGroupMeshAxes:
      return ReadReplicaGroupMeshAxes(reader);
    case kMeshAxis:
      return ReadMeshAxis(reader);
    case kMesh:
      return ReadMesh(reader);
    default:
      return reader.emitError("unknown attribute of dialect 'vhlo', code ") << code, Attribute();
  }
}

Type DecodeVhloType(EntryReader& reader) {
  mlir::MLIRContext* context = reader.getContext();
  uint64_t code;
  if (failed(reader.readVarInt(code))) return {};
  if (const Type type = SimpleType(context, code)) return type;
  SmallVector<Type> types;
  Type element;
  switch (code) {
    case kComplexType:
      if (failed(reader.readType(element))) return {};
      return mlir::ComplexType::getChecked([&] { return reader.emitError(); }, element);
    case kFunctionType: {
      SmallVector<Type> results;
      if (failed(reader.ReadTypeList(types)) || failed(reader.ReadTypeList(results))) return {};
      return mlir::FunctionType::get(context, types, results);
    }
    case kTensorType:
      return DecodeTensorType(reader, /*has_encoding=*/false);
    case kTensorTypeWithEncoding:
      return DecodeTensorType(reader, /*has_encoding=*/true);
    case kTupleType:
      return failed(reader.ReadTypeList(types)) ? Type() : mlir::TupleType::get(context, types);
    case kQuantizedType:
      return ReadQuantizedType(reader);
    case kUnrankedTensorType:
      if (failed(reader.readType(element))) return {};
      return mlir::UnrankedTensorType::getChecked([&] { return reader.emitError(); }, element);
    case kQuantizedPerAxisType:
      return ReadQuantizedPerAxisType(reader);
    case kBufferType:
      return ReadBufferType(reader);
    case kFutureType:
      return failed(reader.ReadTypeList(types)) ? Type() : FutureType::get(context, types);
    case kWitnessType:
      return reader.emitError("the shape witness type of dialect 'vhlo' is not supported"), Type();
    default:
      return reader.emitError("unknown type of dialect 'vhlo', code ") << code, Type();
  }
}

}  // namespace treadle::stablehlo

// Attributes and types of MLIR's builtin dialect in bytecode: locations, names, and what foreign operations carry.
//
// MLIR's own decoder cannot be used on bytes that are not trusted: it reserves what a list's length says.
#include "llvm/ADT/STLExtras.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Location.h"
#include "stablehlo/artifact/entry_table.h"
#include "stablehlo/tensor_sizes.h"

namespace treadle::stablehlo {
namespace {

using ::llvm::ArrayRef;
using ::llvm::SmallVector;
using ::llvm::StringRef;
using ::mlir::Attribute;
using ::mlir::failed;
using ::mlir::Location;
using ::mlir::LocationAttr;
using ::mlir::StringAttr;
using ::mlir::Type;

// The order of these is MLIR's format (BuiltinDialectBytecode.td).
enum AttributeCode : uint64_t {
  kArray = 0,
  kDictionary = 1,
  kString = 2,
  kStringWithType = 3,
  kFlatSymbolRef = 4,
  kSymbolRef = 5,
  kTypeAttribute = 6,
  kUnit = 7,
  kInteger = 8,
  kFloat = 9,
  kCallSiteLoc = 10,
  kFileLineColLoc = 11,
  kFusedLoc = 12,
  kFusedLocWithMetadata = 13,
  kNameLoc = 14,
  kUnknownLoc = 15,
  kDenseArray = 17,
  kDenseElements = 18,
  kFileLineColRange = 22,
};

enum TypeCode : uint64_t {
  kIntegerType = 0,
  kIndexType = 1,
  kFunctionType = 2,
  kBFloat16Type = 3,
  kFloat16Type = 4,
  kFloat32Type = 5,
  kFloat64Type = 6,
  kComplexType = 9,
  kNoneType = 12,
  kRankedTensorType = 13,
  kRankedTensorTypeWithEncoding = 14,
  kTupleType = 15,
  kUnrankedTensorType = 18,
};

Attribute ReadSymbolRef(EntryReader& reader) {
  StringAttr root;
  SmallVector<Attribute> nested;
  if (failed(reader.readAttribute(root)) || failed(reader.ReadAttributeList(nested))) return {};
  SmallVector<mlir::FlatSymbolRefAttr> path;
  for (const Attribute attribute : nested) {
    path.push_back(mlir::dyn_cast<mlir::FlatSymbolRefAttr>(attribute));
    if (!path.back()) return reader.emitError("a symbol path of other things than symbols"), Attribute();
  }
  return mlir::SymbolRefAttr::get(root, path);
}

// Keeps what fits into a location's 32-bit fields.
unsigned Narrow(uint64_t value) { return value > ~0u ? 0 : static_cast<unsigned>(value); }

Attribute ReadFileLineCol(EntryReader& reader) {
  StringAttr file;
  uint64_t line;
  uint64_t column;
  if (failed(reader.readAttribute(file)) || failed(reader.readVarInt(line)) || failed(reader.readVarInt(column))) {
    return {};
  }
  return mlir::FileLineColLoc::get(file, Narrow(line), Narrow(column));
}

// File, number of fields (0 to 4), and those: line, column, end column; or line, column, end line, end column.
Attribute ReadFileLineColRange(EntryReader& reader) {
  StringAttr file;
  uint64_t count;
  if (failed(reader.readAttribute(file)) || failed(reader.readVarInt(count))) return {};
  if (count > 4) return reader.emitError("a source range of ") << count << " numbers", Attribute();
  unsigned fields[4] = {};
  for (uint64_t i = 0; i < count; ++i) {
    uint64_t value;
    if (failed(reader.readVarInt(value))) return {};
    fields[i] = Narrow(value);
  }
  switch (count) {
    case 0:
      return mlir::FileLineColRange::get(file);
    case 1:
      return mlir::FileLineColRange::get(file, fields[0]);
    case 2:
      return mlir::FileLineColRange::get(file, fields[0], fields[1]);
    case 3:
      return mlir::FileLineColRange::get(file, fields[0], fields[1], fields[2]);
    default:
      return mlir::FileLineColRange::get(file, fields[0], fields[1], fields[2], fields[3]);
  }
}

Attribute ReadFusedLoc(EntryReader& reader, bool has_metadata) {
  SmallVector<Attribute> list;
  Attribute metadata;
  if (failed(reader.ReadAttributeList(list)) || (has_metadata && failed(reader.readAttribute(metadata)))) return {};
  SmallVector<Location> locations;
  for (const Attribute attribute : list) {
    const auto location = mlir::dyn_cast<LocationAttr>(attribute);
    if (!location) return reader.emitError("a fused location of other things than locations"), Attribute();
    locations.push_back(location);
  }
  return LocationAttr(mlir::FusedLoc::get(locations, metadata, reader.getContext()));
}

Attribute ReadDenseArray(EntryReader& reader) {
  Type element;
  uint64_t size;
  ArrayRef<char> bytes;
  if (failed(reader.readType(element)) || failed(reader.readVarInt(size)) || failed(reader.readBlob(bytes))) return {};
  const unsigned width = element.isIndex() ? 64 : element.isIntOrFloat() ? element.getIntOrFloatBitWidth() : 0;
  const uint64_t stride = width == 1 ? 1 : width / 8;
  if (width == 0 || (width != 1 && width % 8 != 0) || size > bytes.size() || size * stride != bytes.size()) {
    return reader.emitError("malformed array"), Attribute();
  }
  return mlir::DenseArrayAttr::get(reader.getContext(), element, size, bytes);
}

Type ReadIntegerType(EntryReader& reader) {
  uint64_t bits;
  if (failed(reader.readVarInt(bits))) return {};
  const uint64_t width = bits >> 2;
  const unsigned signedness = bits & 3;
  if (width > mlir::IntegerType::kMaxWidth || signedness > 2) return reader.emitError("malformed integer type"), Type();
  return mlir::IntegerType::get(reader.getContext(), width,
                                static_cast<mlir::IntegerType::SignednessSemantics>(signedness));
}

Type ReadFunctionType(EntryReader& reader) {
  SmallVector<Type> inputs;
  SmallVector<Type> results;
  if (failed(reader.ReadTypeList(inputs)) || failed(reader.ReadTypeList(results))) return {};
  return mlir::FunctionType::get(reader.getContext(), inputs, results);
}

}  // namespace

Type MakeTensorType(EntryReader& reader, ArrayRef<int64_t> shape, Type element, Attribute encoding) {
  if (llvm::any_of(shape, [](int64_t size) { return size < 0 && size != mlir::ShapedType::kDynamic; })) {
    return reader.emitError("a tensor with a negative size"), Type();
  }
  return mlir::RankedTensorType::getChecked([&] { return reader.emitError(); }, shape, element, encoding);
}

Attribute MakeElements(EntryReader& reader, Type type, ArrayRef<char> bytes) {
  const auto shaped = mlir::dyn_cast<mlir::RankedTensorType>(type);
  if (!shaped || !shaped.hasStaticShape()) {
    return reader.emitError("a constant of type ") << type << ", which has no fixed shape", Attribute();
  }
  if (IsTooLarge(shaped)) return reader.emitError("a constant of type ") << type << ", which is too large", Attribute();
  const int64_t count = shaped.getNumElements();
  const int64_t size = bytes.size();
  if (shaped.getElementType().isInteger(1)) {
    // All true is one byte 0xFF; else bits from the low end, or (older writers) a byte an element.
    const bool is_packed = size == (count + 7) / 8;
    if (!is_packed && size != count && size != 1) {
      return reader.emitError("a constant of ") << size << " bytes for " << type, Attribute();
    }
    if (size == 1 && (bytes[0] == static_cast<char>(0xFF) || (!is_packed && size != count))) {
      return mlir::DenseElementsAttr::get(shaped, (bytes[0] & 1) != 0);
    }
    SmallVector<bool> values(count);
    for (int64_t i = 0; i < count; ++i) {
      values[i] = size == count ? bytes[i] & 1 : (bytes[i / 8] >> (i % 8)) & 1;
    }
    return mlir::DenseElementsAttr::get(shaped, values);
  }
  Type scalar = shaped.getElementType();
  if (const auto complex = mlir::dyn_cast<mlir::ComplexType>(scalar)) scalar = complex.getElementType();
  bool is_splat = false;
  if (!scalar.isIntOrIndexOrFloat() || !mlir::DenseElementsAttr::isValidRawBuffer(shaped, bytes, is_splat)) {
    return reader.emitError("a constant of ") << size << " bytes for " << type, Attribute();
  }
  return mlir::DenseElementsAttr::getFromRawBuffer(shaped, bytes);
}

Attribute DecodeDictionary(EntryReader& reader) {
  uint64_t count;
  if (failed(reader.ReadCount(count))) return {};
  SmallVector<mlir::NamedAttribute> list;
  for (uint64_t i = 0; i < count; ++i) {
    StringAttr name;
    Attribute value;
    if (failed(reader.readAttribute(name)) || failed(reader.readAttribute(value))) return {};
    if (name.empty()) return reader.emitError("an attribute without a name"), Attribute();
    list.emplace_back(name, value);
  }
  if (mlir::DictionaryAttr::findDuplicate(list, /*isSorted=*/false)) {
    return reader.emitError("a dictionary with two attributes of one name"), Attribute();
  }
  return mlir::DictionaryAttr::get(reader.getContext(), list);
}

Type DecodeTensorType(EntryReader& reader, bool has_encoding) {
  Attribute encoding;
  SmallVector<int64_t> shape;
  Type element;
  if ((has_encoding && failed(reader.readAttribute(encoding))) || failed(reader.ReadIntegerList(shape)) ||
      failed(reader.readType(element))) {
    return {};
  }
  return MakeTensorType(reader, shape, element, encoding);
}

Attribute DecodeIntegerAttribute(EntryReader& reader) {
  Type type;
  if (failed(reader.readType(type))) return {};
  if (!type.isIntOrIndex()) return reader.emitError("an integer of type ") << type, Attribute();
  const auto value = reader.readAPIntWithKnownWidth(type.isIndex() ? 64 : type.getIntOrFloatBitWidth());
  return failed(value) ? Attribute() : mlir::IntegerAttr::get(type, *value);
}

Attribute DecodeFloatAttribute(EntryReader& reader) {
  mlir::FloatType type;
  if (failed(reader.readType(type))) return {};
  const auto value = reader.readAPFloatWithKnownSemantics(type.getFloatSemantics());
  return failed(value) ? Attribute() : mlir::FloatAttr::get(type, *value);
}

Attribute DecodeBuiltinAttribute(EntryReader& reader) {
  mlir::MLIRContext* context = reader.getContext();
  uint64_t code;
  if (failed(reader.readVarInt(code))) return {};
  switch (code) {
    case kArray: {
      SmallVector<Attribute> list;
      return failed(reader.ReadAttributeList(list)) ? Attribute() : mlir::ArrayAttr::get(context, list);
    }
    case kDictionary:
      return DecodeDictionary(reader);
    case kString: {
      StringRef text;
      return failed(reader.readString(text)) ? Attribute() : StringAttr::get(context, text);
    }
    case kStringWithType: {
      StringRef text;
      Type type;
      if (failed(reader.readString(text)) || failed(reader.readType(type))) return {};
      return StringAttr::get(text, type);
    }
    case kFlatSymbolRef: {
      StringAttr name;
      return failed(reader.readAttribute(name)) ? Attribute() : mlir::FlatSymbolRefAttr::get(name);
    }
    case kSymbolRef:
      return ReadSymbolRef(reader);
    case kTypeAttribute: {
      Type type;
      return failed(reader.readType(type)) ? Attribute() : mlir::TypeAttr::get(type);
    }
    case kUnit:
      return mlir::UnitAttr::get(context);
    case kInteger:
      return DecodeIntegerAttribute(reader);
    case kFloat:
      return DecodeFloatAttribute(reader);
    case kCallSiteLoc: {
      LocationAttr callee;
      LocationAttr caller;
      if (failed(reader.readAttribute(callee)) || failed(reader.readAttribute(caller))) return {};
      return mlir::CallSiteLoc::get(callee, caller);
    }
    case kFileLineColLoc:
      return ReadFileLineCol(reader);
    case kFusedLoc:
      return ReadFusedLoc(reader, /*has_metadata=*/false);
    case kFusedLocWithMetadata:
      return ReadFusedLoc(reader, /*has_metadata=*/true);
    case kNameLoc: {
      StringAttr name;
      LocationAttr child;
      if (failed(reader.readAttribute(name)) || failed(reader.readAttribute(child))) return {};
      return mlir::NameLoc::get(name, child);
    }
    case kUnknownLoc:
      return mlir::UnknownLoc::get(context);
    case kDenseArray:
      return ReadDenseArray(reader);
    case kDenseElements: {
      Type type;
      ArrayRef<char> bytes;
      if (failed(reader.readType(type)) || failed(reader.readBlob(bytes))) return {};
      return MakeElements(reader, type, bytes);
    }
    case kFileLineColRange:
      return ReadFileLineColRange(reader);
    default:
      return reader.emitError("unsupported attribute of dialect 'builtin', code ") << code, Attribute();
  }
}

Type DecodeBuiltinType(EntryReader& reader) {
  mlir::MLIRContext* context = reader.getContext();
  uint64_t code;
  if (failed(reader.readVarInt(code))) return {};
  switch (code) {
    case kIntegerType:
      return ReadIntegerType(reader);
    case kIndexType:
      return mlir::IndexType::get(context);
    case kFunctionType:
      return ReadFunctionType(reader);
    case kBFloat16Type:
      return mlir::BFloat16Type::get(context);
    case kFloat16Type:
      return mlir::Float16Type::get(context);
    case kFloat32Type:
      return mlir::Float32Type::get(context);
    case kFloat64Type:
      return mlir::Float64Type::get(context);
    case kComplexType: {
      Type element;
      if (failed(reader.readType(element))) return {};
      return mlir::ComplexType::getChecked([&] { return reader.emitError(); }, element);
    }
    case kNoneType:
      return mlir::NoneType::get(context);
    case kRankedTensorType:
      return DecodeTensorType(reader, /*has_encoding=*/false);
    case kRankedTensorTypeWithEncoding:
      return DecodeTensorType(reader, /*has_encoding=*/true);
    case kTupleType: {
      SmallVector<Type> types;
      return failed(reader.ReadTypeList(types)) ? Type() : mlir::TupleType::get(context, types);
    }
    case kUnrankedTensorType: {
      Type element;
      if (failed(reader.readType(element))) return {};
      return mlir::UnrankedTensorType::getChecked([&] { return reader.emitError(); }, element);
    }
    default:
      return reader.emitError("unsupported type of dialect 'builtin', code ") << code, Type();
  }
}

}  // namespace treadle::stablehlo

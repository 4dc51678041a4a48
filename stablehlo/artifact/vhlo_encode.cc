// Attributes and types of StableHLO and of MLIR's builtin dialect as `vhlo` encodes them. The other side of
// vhlo_entries.cc. What is not a part of the target version is reported, with the version that brought it.
#include "llvm/ADT/APFloat.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/TypeSwitch.h"
#include "mlir/Dialect/Quant/IR/QuantTypes.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/BuiltinTypes.h"
#include "stablehlo/artifact/entry_numbers.h"
#include "stablehlo/artifact/vhlo_codes.h"
#include "stablehlo/dialect/attributes.h"
#include "stablehlo/dialect/types.h"

namespace treadle::stablehlo {
namespace {

using namespace vhlo;  // the codes
using ::llvm::ArrayRef;
using ::llvm::SmallVector;
using ::mlir::Attribute;
using ::mlir::StringAttr;
using ::mlir::Type;

constexpr ArtifactVersion kFirst = {0, 9, 0};

// An element type that is one code, and the version that brought it.
struct SimpleType {
  uint64_t code;
  ArtifactVersion since = kFirst;
};

std::optional<SimpleType> IntegerCode(mlir::IntegerType type) {
  if (type.isSigned()) return std::nullopt;
  const bool is_unsigned = type.isUnsigned();
  switch (type.getWidth()) {
    case 1:
      return is_unsigned ? std::nullopt : std::optional<SimpleType>({kBooleanType});
    case 2:
      return SimpleType{is_unsigned ? kUnsigned2 : kSigned2, {1, 2, 0}};
    case 4:
    case 8:
    case 16:
    case 32:
    case 64:
      return SimpleType{(is_unsigned ? kUnsigned4 : kSigned4) + std::countr_zero(type.getWidth()) - 2};
    default:
      return std::nullopt;
  }
}

std::optional<SimpleType> SimpleCode(Type type) {
  using Result = std::optional<SimpleType>;
  return llvm::TypeSwitch<Type, Result>(type)
      .Case<mlir::IntegerType>(IntegerCode)
      .Case<mlir::BFloat16Type>([](auto) { return Result({kBFloat16}); })
      .Case<mlir::Float16Type>([](auto) { return Result({kFloat16}); })
      .Case<mlir::Float32Type>([](auto) { return Result({kFloat32}); })
      .Case<mlir::Float64Type>([](auto) { return Result({kFloat64}); })
      .Case<mlir::Float8E4M3FNType>([](auto) { return Result({kFloat8E4M3FN}); })
      .Case<mlir::Float8E5M2Type>([](auto) { return Result({kFloat8E5M2}); })
      .Case<mlir::Float8E4M3FNUZType>([](auto) { return Result({kFloat8E4M3FNUZ, {0, 10, 0}}); })
      .Case<mlir::Float8E5M2FNUZType>([](auto) { return Result({kFloat8E5M2FNUZ, {0, 10, 0}}); })
      .Case<mlir::Float8E4M3B11FNUZType>([](auto) { return Result({kFloat8E4M3B11FNUZ, {0, 11, 0}}); })
      .Case<mlir::FloatTF32Type>([](auto) { return Result({kFloatTF32, {1, 6, 0}}); })
      .Case<mlir::Float8E4M3Type>([](auto) { return Result({kFloat8E4M3, {1, 7, 0}}); })
      .Case<mlir::Float8E3M4Type>([](auto) { return Result({kFloat8E3M4, {1, 7, 0}}); })
      .Case<mlir::Float4E2M1FNType>([](auto) { return Result({kFloat4E2M1FN, {1, 8, 0}}); })
      .Case<mlir::Float6E2M3FNType>([](auto) { return Result({kFloat6E2M3FN, {1, 8, 0}}); })
      .Case<mlir::Float6E3M2FNType>([](auto) { return Result({kFloat6E3M2FN, {1, 8, 0}}); })
      .Case<mlir::Float8E8M0FNUType>([](auto) { return Result({kFloat8E8M0FNU, {1, 8, 0}}); })
      .Case<mlir::IndexType>([](auto) { return Result({kIndexType}); })
      .Case<mlir::NoneType>([](auto) { return Result({kNoneType, {1, 6, 0}}); })
      .Case<TokenType>([](auto) { return Result({kTokenType}); })
      .Default([](Type) { return Result(); });
}

// Encodes one attribute or type, whose parts are of `vhlo` too.
class Encoder {
 public:
  explicit Encoder(EntryWriter& writer) : writer_(writer) {}

  bool Encode(Type type) {
    if (const auto simple = SimpleCode(type)) {
      Require(type, simple->since);
      writer_.writeVarInt(simple->code);
      return true;
    }
    return llvm::TypeSwitch<Type, bool>(type)
        .Case<mlir::ComplexType>([&](auto t) { return Put(kComplexType), Put(t.getElementType()), true; })
        .Case<mlir::FunctionType>([&](auto t) {
          return Put(kFunctionType), writer_.writeTypes(t.getInputs()), writer_.writeTypes(t.getResults()), true;
        })
        .Case<mlir::TupleType>([&](auto t) { return Put(kTupleType), writer_.writeTypes(t.getTypes()), true; })
        .Case<FutureType>([&](auto t) {
          Require(t, {1, 15, 0});
          return Put(kFutureType), writer_.writeTypes(t.getTypes()), true;
        })
        .Case<mlir::RankedTensorType>([&](auto t) { return PutTensor(t), true; })
        .Case<mlir::UnrankedTensorType>([&](auto t) { return Put(kUnrankedTensorType), Put(t.getElementType()), true; })
        .Case<mlir::MemRefType>([&](auto t) { return PutBuffer(t); })
        .Case<mlir::quant::UniformQuantizedType>([&](auto t) { return PutQuantized(t), true; })
        .Case<mlir::quant::UniformQuantizedPerAxisType>([&](auto t) { return PutQuantizedPerAxis(t), true; })
        .Default([](Type) { return false; });
  }

  bool Encode(Attribute attribute) {
    return llvm::TypeSwitch<Attribute, bool>(attribute)
        .Case<mlir::ArrayAttr>([&](auto a) { return Put(kArray), writer_.writeAttributes(a.getValue()), true; })
        .Case<mlir::BoolAttr>([&](auto a) { return Put(kBoolean), Put(a.getValue() ? 1 : 0), true; })
        .Case<mlir::IntegerAttr>([&](auto a) {
          if (!HasVhloForm(a.getType())) return false;
          Put(kInteger), Put(a.getType()), writer_.writeAPIntWithKnownWidth(a.getValue());
          return true;
        })
        .Case<mlir::FloatAttr>([&](auto a) {
          if (!HasVhloForm(a.getType())) return false;
          Put(kFloat), Put(a.getType()), writer_.writeAPFloatWithKnownSemantics(a.getValue());
          return true;
        })
        .Case<StringAttr>([&](auto a) { return mlir::isa<mlir::NoneType>(a.getType()) && PutText(a.getValue()); })
        .Case<mlir::FlatSymbolRefAttr>([&](auto a) { return PutText(a.getValue()); })
        .Case<mlir::TypeAttr>([&](auto a) {
          if (!HasVhloForm(a.getValue())) return false;
          return Put(kTypeAttribute), Put(a.getValue()), true;
        })
        .Case<mlir::DictionaryAttr>([&](auto a) { return PutDictionary(a), true; })
        .Case<mlir::DenseIntOrFPElementsAttr>([&](auto a) { return PutTensor(a); })
        .Case<mlir::DenseI64ArrayAttr>([&](auto a) { return PutList(a.asArrayRef(), 64); })
        .Case<mlir::DenseBoolArrayAttr>([&](auto a) { return PutList(a.asArrayRef(), 1); })
        .Case<TypeExtensionsAttr>(
            [&](auto a) { return Put(kTypeExtensions), writer_.writeSignedVarInts(a.getBounds()), true; })
        .Default([&](Attribute a) { return EncodeEnum(a) || EncodeStablehlo(a); });
  }

 private:
  void Put(uint64_t number) { writer_.writeVarInt(number); }
  void Put(Type type) { writer_.writeType(type); }
  void Put(Attribute attribute) { writer_.writeAttribute(attribute); }
  void PutReal(double value) { writer_.writeAPFloatWithKnownSemantics(llvm::APFloat(value)); }
  bool PutText(llvm::StringRef text) { return Put(kString), writer_.writeOwnedString(text), true; }

  void Require(Type type, const ArtifactVersion& since) {
    if (since <= writer_.numbers().options().target) return;
    std::string text;
    llvm::raw_string_ostream stream(text);
    type.print(stream);
    writer_.numbers().FailAsTooNew(writer_.user(), "type " + text, since);
  }

  void Require(Attribute attribute, const ArtifactVersion& since) {
    if (since <= writer_.numbers().options().target) return;
    std::string text;
    llvm::raw_string_ostream stream(text);
    attribute.print(stream);
    writer_.numbers().FailAsTooNew(writer_.user(), "attribute " + text, since);
  }

  void PutTensor(mlir::RankedTensorType type) {
    Put(type.getEncoding() ? kTensorTypeWithEncoding : kTensorType);
    if (type.getEncoding()) Put(type.getEncoding());
    writer_.writeSignedVarInts(type.getShape());
    Put(type.getElementType());
  }

  bool PutBuffer(mlir::MemRefType type) {
    if (!type.getLayout().isIdentity() || type.getMemorySpace()) return false;
    Require(type, {1, 13, 0});
    Put(kBufferType);
    writer_.writeSignedVarInts(type.getShape());
    Put(type.getElementType());
    return true;
  }

  void PutQuantized(mlir::quant::UniformQuantizedType type) {
    Put(kQuantizedType), Put(type.getFlags()), Put(type.getStorageType()), Put(type.getExpressedType());
    PutReal(type.getScale());
    for (const int64_t number : {type.getZeroPoint(), type.getStorageTypeMin(), type.getStorageTypeMax()}) {
      writer_.writeSignedVarInt(number);
    }
  }

  void PutQuantizedPerAxis(mlir::quant::UniformQuantizedPerAxisType type) {
    Require(type, {0, 18, 0});
    Put(kQuantizedPerAxisType), Put(type.getFlags()), Put(type.getStorageType()), Put(type.getExpressedType());
    Put(static_cast<uint64_t>(type.getQuantizedDimension()));
    writer_.writeSignedVarInt(type.getStorageTypeMin());
    writer_.writeSignedVarInt(type.getStorageTypeMax());
    writer_.writeList(type.getScales(), [&](double scale) { PutReal(scale); });
    writer_.writeSignedVarInts(type.getZeroPoints());
  }

  void PutDictionary(mlir::DictionaryAttr dictionary) {
    Put(kDictionary);
    Put(dictionary.size());
    for (const mlir::NamedAttribute entry : dictionary) Put(entry.getName()), Put(entry.getValue());
  }

  // Bits of booleans from the low end; all true is 0xFF.
  bool PutTensor(mlir::DenseIntOrFPElementsAttr elements) {
    if (!mlir::isa<mlir::RankedTensorType>(elements.getType())) return false;
    Put(kTensor);
    Put(elements.getType());
    if (!elements.getElementType().isInteger(1)) return writer_.writeOwnedBlob(elements.getRawData()), true;
    SmallVector<char> bytes;
    if (elements.isSplat()) {
      bytes.push_back(elements.getSplatValue<bool>() ? '\xFF' : '\0');
    } else {
      bytes.resize((elements.getNumElements() + 7) / 8);
      for (const auto [i, value] : llvm::enumerate(elements.getValues<bool>())) {
        if (value) bytes[i / 8] |= static_cast<char>(1 << (i % 8));
      }
    }
    writer_.writeOwnedBlob(bytes);
    return true;
  }

  template <typename T>
  bool PutList(ArrayRef<T> list, unsigned width) {
    const auto element = mlir::IntegerType::get(writer_.user()->getContext(), width);
    const auto type = mlir::RankedTensorType::get({static_cast<int64_t>(list.size())}, element);
    return PutTensor(mlir::cast<mlir::DenseIntOrFPElementsAttr>(mlir::DenseElementsAttr::get(type, list)));
  }

  template <typename Attr>
  bool PutEnum(Attr attribute, AttributeCode code) {
    return Put(code), Put(static_cast<uint64_t>(attribute.getValue())), true;
  }

  bool EncodeEnum(Attribute attribute) {
    return llvm::TypeSwitch<Attribute, bool>(attribute)
        .Case<ComparisonDirectionAttr>([&](auto a) { return PutEnum(a, kComparisonDirection); })
        .Case<ComparisonTypeAttr>([&](auto a) { return PutEnum(a, kComparisonType); })
        .Case<FftTypeAttr>([&](auto a) { return PutEnum(a, kFftType); })
        .Case<PrecisionAttr>([&](auto a) { return PutEnum(a, kPrecision); })
        .Case<RngAlgorithmAttr>([&](auto a) { return PutEnum(a, kRngAlgorithm); })
        .Case<RngDistributionAttr>([&](auto a) { return PutEnum(a, kRngDistribution); })
        .Case<TransposeAttr>([&](auto a) { return PutEnum(a, kTranspose); })
        .Case<ResultAccuracyModeAttr>([&](auto a) {
          Require(a, {1, 9, 0});
          return PutEnum(a, kResultAccuracyMode);
        })
        .Default([](Attribute) { return false; });
  }

  bool EncodeStablehlo(Attribute attribute) {
    return llvm::TypeSwitch<Attribute, bool>(attribute)
        .Case<OutputOperandAliasAttr>([&](auto a) {
          Put(kOutputOperandAlias);
          writer_.writeSignedVarInts(a.getOutputTupleIndices());
          writer_.writeSignedVarInt(a.getOperandIndex());
          writer_.writeSignedVarInts(a.getOperandTupleIndices());
          return true;
        })
        .Case<ResultAccuracyAttr>([&](auto a) {
          Require(a, {1, 9, 0});
          Put(kResultAccuracy);
          writer_.writeAPFloatWithKnownSemantics(a.getAtol());
          writer_.writeAPFloatWithKnownSemantics(a.getRtol());
          writer_.writeSignedVarInt(a.getUlps());
          return Put(a.getMode()), true;
        })
        .Case<SubAxisInfoAttr, AxisRefAttr, MeshAxisAttr, MeshAttr, ReplicaGroupMeshAxesAttr>([&](auto a) {
          Require(a, {1, 16, 0});
          return PutMesh(a), true;
        })
        .Default([](Attribute) { return false; });
  }

  void PutName(llvm::StringRef name) { Put(StringAttr::get(writer_.user()->getContext(), name)); }

  void PutMesh(SubAxisInfoAttr info) {
    Put(kSubAxisInfo);
    writer_.writeSignedVarInt(info.getPreSize());
    writer_.writeSignedVarInt(info.getSize());
  }
  void PutMesh(AxisRefAttr axis) {
    Put(kAxisRef);
    PutName(axis.getName());
    Put(axis.getSubAxisInfo() ? 1 : 0);
    if (axis.getSubAxisInfo()) Put(axis.getSubAxisInfo());
  }
  void PutMesh(MeshAxisAttr axis) {
    Put(kMeshAxis);
    PutName(axis.getName());
    writer_.writeSignedVarInt(axis.getSize());
  }
  void PutMesh(MeshAttr mesh) {
    Put(kMesh);
    Put(mesh.getAxes());
    writer_.writeOptionalAttribute(mesh.getDeviceIds());
  }
  void PutMesh(ReplicaGroupMeshAxesAttr groups) {
    Put(kReplicaGroupMeshAxes);
    Put(groups.getMesh());
    Put(groups.getAxes());
  }

  EntryWriter& writer_;
};

}  // namespace

bool EncodeVhloAttribute(EntryWriter& writer, Attribute attribute) { return Encoder(writer).Encode(attribute); }
bool EncodeVhloType(EntryWriter& writer, Type type) { return Encoder(writer).Encode(type); }

bool HasVhloForm(Type type) {
  if (SimpleCode(type)) return true;
  if (const auto buffer = mlir::dyn_cast<mlir::MemRefType>(type)) {
    return buffer.getLayout().isIdentity() && !buffer.getMemorySpace();
  }
  return mlir::isa<mlir::ComplexType, mlir::FunctionType, mlir::TupleType, FutureType, mlir::RankedTensorType,
                   mlir::UnrankedTensorType, mlir::quant::UniformQuantizedType,
                   mlir::quant::UniformQuantizedPerAxisType>(type);
}

}  // namespace treadle::stablehlo

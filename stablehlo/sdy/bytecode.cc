// Binary form of the attributes of `sdy`, by the codes that Shardy has used since its version 0.0.1.
//
// Lists are read element by element and never reserved by their written length: a length that lies runs out of input.
#include "llvm/ADT/TypeSwitch.h"
#include "mlir/Bytecode/BytecodeImplementation.h"
#include "stablehlo/sdy/sdy.h"

namespace treadle::sdy {
namespace {

using ::llvm::ArrayRef;
using ::llvm::SmallVector;
using ::mlir::Attribute;
using ::mlir::DialectBytecodeReader;
using ::mlir::DialectBytecodeWriter;
using ::mlir::failed;
using ::mlir::LogicalResult;
using ::mlir::MLIRContext;

enum Code : uint64_t {
  kManualAxes = 0,
  kMeshAxis = 1,
  kMesh = 2,
  kSubAxisInfo = 3,
  kAxisRef = 4,
  kDimensionSharding = 5,
  kTensorShardingV1 = 6,  // without unreduced axes
  kTensorShardingPerValueV1 = 7,
  kDimMapping = 8,
  kTensorMapping = 9,
  kOpShardingRule = 10,
  kAxisRefList = 11,
  kListOfAxisRefLists = 12,
  kAllToAllParam = 13,
  kAllToAllParamList = 14,
  kTensorShardingV2 = 15,  // with unreduced axes
  kTensorShardingPerValueV2 = 16,
  kTensorShardingV3 = 17,  // and the operation that reduces them
};

template <typename Attr>
LogicalResult ReadList(DialectBytecodeReader& reader, SmallVector<Attr>& list) {
  uint64_t size;
  if (failed(reader.readVarInt(size))) return mlir::failure();
  for (uint64_t i = 0; i < size; ++i) {
    if (failed(reader.readAttribute(list.emplace_back()))) return mlir::failure();
  }
  return mlir::success();
}

LogicalResult ReadIntegers(DialectBytecodeReader& reader, SmallVector<int64_t>& list) {
  uint64_t size;
  if (failed(reader.readVarInt(size))) return mlir::failure();
  for (uint64_t i = 0; i < size; ++i) {
    if (failed(reader.readSignedVarInt(list.emplace_back()))) return mlir::failure();
  }
  return mlir::success();
}

Attribute ReadDimensionSharding(DialectBytecodeReader& reader) {
  SmallVector<AxisRefAttr> axes;
  bool is_closed;
  uint64_t priority;
  bool has_priority;
  if (failed(ReadList(reader, axes)) || failed(reader.readBool(is_closed)) ||
      failed(reader.readVarIntWithFlag(priority, has_priority))) {
    return {};
  }
  return DimensionShardingAttr::get(reader.getContext(), axes, is_closed,
                                    has_priority ? std::optional<int64_t>(priority) : std::nullopt);
}

Attribute ReadTensorSharding(DialectBytecodeReader& reader, uint64_t code) {
  Attribute mesh;
  SmallVector<DimensionShardingAttr> dimensions;
  SmallVector<AxisRefAttr> replicated;
  SmallVector<AxisRefAttr> unreduced;
  if (failed(reader.readAttribute(mesh)) || failed(ReadList(reader, dimensions)) ||
      failed(ReadList(reader, replicated)) || (code != kTensorShardingV1 && failed(ReadList(reader, unreduced)))) {
    return {};
  }
  if (!mlir::isa<MeshAttr, mlir::FlatSymbolRefAttr>(mesh)) {
    return reader.emitError("a sharding needs a mesh or the name of one"), Attribute();
  }
  if (code == kTensorShardingV3) {
    int64_t reduction;
    if (failed(reader.readSignedVarInt(reduction))) return {};
    if (reduction != 0 && !unreduced.empty()) {
      return reader.emitError("unreduced axes are supported for sums only, found reduction ") << reduction, Attribute();
    }
  }
  return TensorShardingAttr::get(reader.getContext(), mesh, dimensions, replicated, unreduced);
}

Attribute ReadOpShardingRule(DialectBytecodeReader& reader) {
  SmallVector<int64_t> sizes;
  SmallVector<TensorMappingAttr> operands;
  SmallVector<TensorMappingAttr> results;
  SmallVector<int64_t> sets[4];
  bool is_custom;
  if (failed(ReadIntegers(reader, sizes)) || failed(ReadList(reader, operands)) || failed(ReadList(reader, results))) {
    return {};
  }
  for (SmallVector<int64_t>& set : sets) {
    if (failed(ReadIntegers(reader, set))) return {};
  }
  if (failed(reader.readBool(is_custom))) return {};
  return OpShardingRuleAttr::get(reader.getContext(), sizes, operands, results, sets[0], sets[1], sets[2], sets[3],
                                 is_custom);
}

// An attribute that is one list of others.
template <typename Attr, typename Element>
Attribute ReadListAttr(DialectBytecodeReader& reader) {
  SmallVector<Element> list;
  if (failed(ReadList(reader, list))) return {};
  return Attr::get(reader.getContext(), list);
}

Attribute ReadMeshAxis(DialectBytecodeReader& reader) {
  llvm::StringRef name;
  int64_t size;
  if (failed(reader.readString(name)) || failed(reader.readSignedVarInt(size))) return {};
  return MeshAxisAttr::get(reader.getContext(), name, size);
}

Attribute ReadMesh(DialectBytecodeReader& reader) {
  SmallVector<MeshAxisAttr> axes;
  SmallVector<int64_t> device_ids;
  if (failed(ReadList(reader, axes)) || failed(ReadIntegers(reader, device_ids))) return {};
  return MeshAttr::get(reader.getContext(), axes, device_ids);
}

Attribute ReadSubAxisInfo(DialectBytecodeReader& reader) {
  int64_t pre_size;
  int64_t size;
  if (failed(reader.readSignedVarInt(pre_size)) || failed(reader.readSignedVarInt(size))) return {};
  return SubAxisInfoAttr::get(reader.getContext(), pre_size, size);
}

Attribute ReadAxisRef(DialectBytecodeReader& reader) {
  llvm::StringRef name;
  SubAxisInfoAttr sub_axis;
  if (failed(reader.readString(name)) || failed(reader.readOptionalAttribute(sub_axis))) return {};
  return AxisRefAttr::get(reader.getContext(), name, sub_axis);
}

Attribute ReadDimMapping(DialectBytecodeReader& reader) {
  SmallVector<int64_t> factors;
  if (failed(ReadIntegers(reader, factors))) return {};
  return DimMappingAttr::get(reader.getContext(), factors);
}

Attribute ReadAllToAllParam(DialectBytecodeReader& reader) {
  SmallVector<AxisRefAttr> axes;
  int64_t source;
  int64_t target;
  if (failed(ReadList(reader, axes)) || failed(reader.readSignedVarInt(source)) ||
      failed(reader.readSignedVarInt(target))) {
    return {};
  }
  return AllToAllParamAttr::get(reader.getContext(), axes, source, target);
}

class BytecodeInterface : public mlir::BytecodeDialectInterface {
 public:
  explicit BytecodeInterface(mlir::Dialect* dialect) : BytecodeDialectInterface(dialect) {}

  Attribute readAttribute(DialectBytecodeReader& reader) const override {
    uint64_t code;
    if (failed(reader.readVarInt(code))) return {};
    switch (code) {
      case kManualAxes:
        return ReadListAttr<ManualAxesAttr, mlir::StringAttr>(reader);
      case kMeshAxis:
        return ReadMeshAxis(reader);
      case kMesh:
        return ReadMesh(reader);
      case kSubAxisInfo:
        return ReadSubAxisInfo(reader);
      case kAxisRef:
        return ReadAxisRef(reader);
      case kDimensionSharding:
        return ReadDimensionSharding(reader);
      case kTensorShardingV1:
      case kTensorShardingV2:
      case kTensorShardingV3:
        return ReadTensorSharding(reader, code);
      case kTensorShardingPerValueV1:
      case kTensorShardingPerValueV2:
        return ReadListAttr<TensorShardingPerValueAttr, TensorShardingAttr>(reader);
      case kDimMapping:
        return ReadDimMapping(reader);
      case kTensorMapping:
        return ReadListAttr<TensorMappingAttr, DimMappingAttr>(reader);
      case kOpShardingRule:
        return ReadOpShardingRule(reader);
      case kAxisRefList:
        return ReadListAttr<AxisRefListAttr, AxisRefAttr>(reader);
      case kListOfAxisRefLists:
        return ReadListAttr<ListOfAxisRefListsAttr, AxisRefListAttr>(reader);
      case kAllToAllParam:
        return ReadAllToAllParam(reader);
      case kAllToAllParamList:
        return ReadListAttr<AllToAllParamListAttr, AllToAllParamAttr>(reader);
      default:
        return reader.emitError("unknown attribute of dialect 'sdy', code ") << code, Attribute();
    }
  }

  LogicalResult writeAttribute(Attribute attribute, DialectBytecodeWriter& writer) const override {
    return llvm::TypeSwitch<Attribute, LogicalResult>(attribute)
        .Case<ManualAxesAttr>([&](auto a) { return WriteList(kManualAxes, a.getValue(), writer); })
        .Case<AxisRefListAttr>([&](auto a) { return WriteList(kAxisRefList, a.getValue(), writer); })
        .Case<ListOfAxisRefListsAttr>([&](auto a) { return WriteList(kListOfAxisRefLists, a.getValue(), writer); })
        .Case<AllToAllParamListAttr>([&](auto a) { return WriteList(kAllToAllParamList, a.getValue(), writer); })
        .Case<TensorMappingAttr>([&](auto a) { return WriteList(kTensorMapping, a.getDimMappings(), writer); })
        .Case<TensorShardingPerValueAttr>(
            [&](auto a) { return WriteList(kTensorShardingPerValueV2, a.getShardings(), writer); })
        .Case<MeshAxisAttr, MeshAttr, SubAxisInfoAttr, AxisRefAttr, DimensionShardingAttr, TensorShardingAttr,
              DimMappingAttr, OpShardingRuleAttr, AllToAllParamAttr>([&](auto a) {
          Write(a, writer);
          return mlir::success();
        })
        .Default([](Attribute) { return mlir::failure(); });
  }

  // The version record (three integers) says nothing that the codes do not say: the reader takes what it finds.
  std::unique_ptr<mlir::DialectVersion> readVersion(DialectBytecodeReader& reader) const override {
    for (int i = 0; i < 3; ++i) {
      uint64_t number;
      if (failed(reader.readVarInt(number))) return nullptr;
    }
    return std::make_unique<mlir::DialectVersion>();
  }

 private:
  template <typename Element>
  static LogicalResult WriteList(Code code, ArrayRef<Element> list, DialectBytecodeWriter& writer) {
    writer.writeVarInt(code);
    writer.writeAttributes(list);
    return mlir::success();
  }

  static void Write(MeshAxisAttr axis, DialectBytecodeWriter& writer) {
    writer.writeVarInt(kMeshAxis);
    writer.writeOwnedString(axis.getName());
    writer.writeSignedVarInt(axis.getSize());
  }
  static void Write(MeshAttr mesh, DialectBytecodeWriter& writer) {
    writer.writeVarInt(kMesh);
    writer.writeAttributes(mesh.getAxes());
    writer.writeSignedVarInts(mesh.getDeviceIds());
  }
  static void Write(SubAxisInfoAttr info, DialectBytecodeWriter& writer) {
    writer.writeVarInt(kSubAxisInfo);
    writer.writeSignedVarInt(info.getPreSize());
    writer.writeSignedVarInt(info.getSize());
  }
  static void Write(AxisRefAttr axis, DialectBytecodeWriter& writer) {
    writer.writeVarInt(kAxisRef);
    writer.writeOwnedString(axis.getName());
    writer.writeOptionalAttribute(axis.getSubAxisInfo());
  }
  static void Write(DimensionShardingAttr dimension, DialectBytecodeWriter& writer) {
    writer.writeVarInt(kDimensionSharding);
    writer.writeAttributes(dimension.getAxes());
    writer.writeOwnedBool(dimension.getIsClosed());
    writer.writeVarIntWithFlag(dimension.getPriority().value_or(0), dimension.getPriority().has_value());
  }
  static void Write(TensorShardingAttr sharding, DialectBytecodeWriter& writer) {
    writer.writeVarInt(kTensorShardingV2);
    writer.writeAttribute(sharding.getMeshOrRef());
    writer.writeAttributes(sharding.getDimShardings());
    writer.writeAttributes(sharding.getReplicatedAxes());
    writer.writeAttributes(sharding.getUnreducedAxes());
  }
  static void Write(DimMappingAttr mapping, DialectBytecodeWriter& writer) {
    writer.writeVarInt(kDimMapping);
    writer.writeSignedVarInts(mapping.getFactorIndices());
  }
  static void Write(OpShardingRuleAttr rule, DialectBytecodeWriter& writer) {
    writer.writeVarInt(kOpShardingRule);
    writer.writeSignedVarInts(rule.getFactorSizes());
    writer.writeAttributes(rule.getOperandMappings());
    writer.writeAttributes(rule.getResultMappings());
    writer.writeSignedVarInts(rule.getReductionFactors());
    writer.writeSignedVarInts(rule.getNeedReplicationFactors());
    writer.writeSignedVarInts(rule.getPermutationFactors());
    writer.writeSignedVarInts(rule.getBlockedPropagationFactors());
    writer.writeOwnedBool(rule.getIsCustomRule());
  }
  static void Write(AllToAllParamAttr param, DialectBytecodeWriter& writer) {
    writer.writeVarInt(kAllToAllParam);
    writer.writeAttributes(param.getAxes());
    writer.writeSignedVarInt(param.getSrcDim());
    writer.writeSignedVarInt(param.getTgtDim());
  }
};

}  // namespace

void SdyDialect::RegisterBytecodeInterface() { addInterfaces<BytecodeInterface>(); }

}  // namespace treadle::sdy

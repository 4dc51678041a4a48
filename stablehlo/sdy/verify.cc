#include "stablehlo/sdy/verify.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringSet.h"
#include "mlir/IR/BuiltinTypes.h"

namespace treadle::sdy {
namespace {

using ::llvm::ArrayRef;
using ::llvm::SmallVector;
using ::llvm::StringRef;
using ::mlir::failed;
using ::mlir::failure;
using ::mlir::LogicalResult;
using ::mlir::Operation;
using ::mlir::ShapedType;
using ::mlir::success;
using ::mlir::Type;

// More devices than anybody has; products of a few sizes of axes do not overflow below it.
constexpr int64_t kMaxDevices = int64_t{1} << 31;

// The part of an axis from `begin` (product of the parts to the left) to `end`.
struct Range {
  int64_t begin;
  int64_t end;
};

Range RangeOf(AxisRefAttr axis, MeshAttr mesh) {
  const SubAxisInfoAttr part = axis.getSubAxisInfo();
  return part ? Range{part.getPreSize(), part.getPreSize() * part.getSize()} : Range{1, mesh.AxisSize(axis.getName())};
}

LogicalResult VerifyAxis(AxisRefAttr axis, MeshAttr mesh, Operation* op) {
  const int64_t size = mesh.AxisSize(axis.getName());
  if (size == 0) return op->emitOpError("names an axis that its mesh does not have: ") << axis << " on " << mesh;
  const SubAxisInfoAttr part = axis.getSubAxisInfo();
  if (part && (part.getPreSize() < 1 || part.getSize() < 2 || part.getSize() > size / part.getPreSize() ||
               size % (part.getPreSize() * part.getSize()) != 0)) {
    return op->emitOpError("names a part of an axis of size ") << size << " that does not divide it: " << axis;
  }
  return success();
}

bool Overlap(AxisRefAttr a, AxisRefAttr b, MeshAttr mesh) {
  if (a.getName() != b.getName()) return false;
  if (!a.getSubAxisInfo() || !b.getSubAxisInfo()) return true;
  const Range x = RangeOf(a, mesh);
  const Range y = RangeOf(b, mesh);
  return x.begin < y.end && y.begin < x.end;
}

SmallVector<AxisRefAttr> AxesOf(TensorShardingAttr sharding) {
  SmallVector<AxisRefAttr> axes;
  for (const DimensionShardingAttr dimension : sharding.getDimShardings())
    llvm::append_range(axes, dimension.getAxes());
  llvm::append_range(axes, sharding.getReplicatedAxes());
  llvm::append_range(axes, sharding.getUnreducedAxes());
  return axes;
}

}  // namespace

LogicalResult VerifyMesh(MeshAttr mesh, Operation* op) {
  llvm::StringSet<> names;
  int64_t devices = 1;
  for (const MeshAxisAttr axis : mesh.getAxes()) {
    if (!names.insert(axis.getName()).second) return op->emitOpError("has two axes '") << axis.getName() << "'";
    if (axis.getSize() < 1 || axis.getSize() > kMaxDevices / devices) {
      return op->emitOpError("has an axis '") << axis.getName() << "' of size " << axis.getSize();
    }
    devices *= axis.getSize();
  }
  if (mesh.getDeviceIds().empty()) return success();
  if (mesh.IsMaximal()) {
    if (mesh.getDeviceIds().front() >= 0) return success();
    return op->emitOpError("has a negative device id");
  }
  SmallVector<int64_t> ids(mesh.getDeviceIds());
  llvm::sort(ids);
  bool is_permutation = static_cast<int64_t>(ids.size()) == devices;
  for (size_t i = 0; i < ids.size(); ++i) is_permutation &= ids[i] == static_cast<int64_t>(i);
  if (!is_permutation) return op->emitOpError("needs each device id of 0 to ") << devices - 1 << " once";
  if (llvm::is_sorted(mesh.getDeviceIds())) return op->emitOpError("has device ids in order, which are to be left out");
  return success();
}

LogicalResult VerifyRule(OpShardingRuleAttr rule, Operation* op) {
  const int64_t count = rule.getFactorSizes().size();
  const auto known = [&](int64_t factor) { return factor >= 0 && factor < count; };
  bool ok = true;
  for (const ArrayRef<TensorMappingAttr> tensors : {rule.getOperandMappings(), rule.getResultMappings()}) {
    for (const TensorMappingAttr tensor : tensors) {
      for (const DimMappingAttr dimension : tensor.getDimMappings()) {
        ok &= !dimension.getFactorIndices().empty() && llvm::all_of(dimension.getFactorIndices(), known);
      }
    }
  }
  for (const ArrayRef<int64_t> set : {rule.getReductionFactors(), rule.getNeedReplicationFactors(),
                                      rule.getPermutationFactors(), rule.getBlockedPropagationFactors()}) {
    ok &= llvm::all_of(set, known);
  }
  return ok ? success()
            : LogicalResult(op->emitOpError("has a sharding rule with factors that have no size: ") << rule);
}

LogicalResult VerifySharding(TensorShardingAttr sharding, Type type, Operation* op) {
  const auto shaped = mlir::dyn_cast<ShapedType>(type);
  const MeshAttr mesh = sharding.GetMesh(op);
  // What lives on one device has no dimensions to speak of.
  const bool any_rank = (shaped && !shaped.hasRank()) || (sharding.getRank() == 0 && mesh && mesh.IsMaximal());
  if (!any_rank && sharding.getRank() != (shaped ? shaped.getRank() : 0)) {
    return op->emitOpError("has a sharding of rank ")
           << sharding.getRank() << " for a value of type " << type << ": " << sharding;
  }
  if (!mesh) return op->emitOpError("names an unknown mesh: ") << sharding.getMeshOrRef();
  if (mlir::isa<MeshAttr>(sharding.getMeshOrRef()) && failed(VerifyMesh(mesh, op))) return failure();
  const SmallVector<AxisRefAttr> axes = AxesOf(sharding);
  for (size_t i = 0; i < axes.size(); ++i) {
    if (failed(VerifyAxis(axes[i], mesh, op))) return failure();
    for (size_t j = 0; j < i; ++j) {
      if (Overlap(axes[i], axes[j], mesh)) return op->emitOpError("uses axis ") << axes[i] << " twice: " << sharding;
    }
  }
  return success();
}

LogicalResult VerifyShardings(TensorShardingPerValueAttr shardings, mlir::TypeRange types, StringRef what,
                              Operation* op) {
  if (shardings.getShardings().size() != types.size()) {
    return op->emitOpError("has ") << shardings.getShardings().size() << " " << what << " for " << types.size()
                                   << " values";
  }
  for (const auto [sharding, type] : llvm::zip_equal(shardings.getShardings(), types)) {
    if (failed(VerifySharding(sharding, type, op))) return failure();
  }
  return success();
}

LogicalResult VerifyLocalTypes(TensorShardingPerValueAttr shardings, ArrayRef<mlir::StringAttr> manual_axes,
                               mlir::TypeRange global, mlir::TypeRange local, StringRef what, Operation* op) {
  if (global.size() != local.size()) {
    return op->emitOpError("has ") << local.size() << " " << what << " inside for " << global.size() << " outside";
  }
  for (const auto [sharding, outside, inside] : llvm::zip_equal(shardings.getShardings(), global, local)) {
    const auto tensor = mlir::dyn_cast<mlir::RankedTensorType>(outside);
    Type expected = outside;
    if (tensor) {
      const MeshAttr mesh = sharding.GetMesh(op);
      SmallVector<int64_t> shape(tensor.getShape());
      for (const auto [size, dimension] : llvm::zip_equal(shape, sharding.getDimShardings())) {
        for (const AxisRefAttr axis : dimension.getAxes()) {
          const auto is_manual = [&](mlir::StringAttr name) { return name.getValue() == axis.getName(); };
          if (ShapedType::isDynamic(size) || llvm::none_of(manual_axes, is_manual)) continue;
          const int64_t shards = axis.SizeIn(mesh);
          if (size % shards != 0) {
            return op->emitOpError("splits ") << outside << " into parts that are not equal: " << sharding;
          }
          size /= shards;
        }
      }
      expected = tensor.clone(shape);
    }
    if (inside != expected) {
      return op->emitOpError("has ") << what << " of type " << inside << " inside, expected " << expected << " for "
                                     << outside << " and " << sharding;
    }
  }
  return success();
}

}  // namespace treadle::sdy

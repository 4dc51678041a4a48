#include "stablehlo/mesh_groups.h"

#include <algorithm>
#include <tuple>
#include <vector>

#include "mlir/IR/SymbolTable.h"
#include "stablehlo/diagnostics.h"
#include "stablehlo/dialect/attributes.h"
#include "stablehlo/sdy/sdy.h"

namespace treadle::stablehlo {
namespace {

constexpr int64_t kMostDevices = 1 << 20;

// Of either dialect: the positions of a mesh count through its axes, the last one fastest.
struct Mesh {
  std::vector<std::pair<llvm::StringRef, int64_t>> axes;
  std::vector<int64_t> devices;  // by position; empty: the positions themselves
};

Mesh FromSdy(sdy::MeshAttr attr) {
  Mesh mesh;
  for (sdy::MeshAxisAttr axis : attr.getAxes()) mesh.axes.emplace_back(axis.getName(), axis.getSize());
  mesh.devices = attr.getDeviceIds().vec();
  return mesh;
}

StatusOr<Mesh> FindMesh(mlir::Operation* op, mlir::Attribute attr) {
  if (const auto name = mlir::dyn_cast<mlir::FlatSymbolRefAttr>(attr)) {
    auto found = mlir::SymbolTable::lookupNearestSymbolFrom<sdy::MeshOp>(op, name);
    if (!found) return InvalidArgument("there is no mesh @" + name.getValue().str() + ": " + Describe(op));
    return FromSdy(found.getMesh());
  }
  const auto inlined = mlir::dyn_cast<MeshAttr>(attr);
  if (!inlined) return InvalidArgument("groups need a mesh or the name of one: " + Describe(op));
  Mesh mesh;
  for (mlir::Attribute element : inlined.getAxes()) {
    const auto axis = mlir::dyn_cast<MeshAxisAttr>(element);
    if (!axis) return InvalidArgument("a mesh of other things than axes: " + Describe(op));
    mesh.axes.emplace_back(axis.getName(), axis.getSize());
  }
  if (const auto ids = inlined.getDeviceIds()) {
    for (const mlir::APInt& id : ids) mesh.devices.push_back(id.getSExtValue());
  }
  return mesh;
}

StatusOr<int64_t> CountDevices(const Mesh& mesh, mlir::Operation* op) {
  int64_t count = 1;
  for (const auto& [name, size] : mesh.axes) {
    if (size <= 0 || size > kMostDevices || (count *= size) > kMostDevices) {
      return InvalidArgument("a mesh without devices, or of more than 2^20: " + Describe(op));
    }
  }
  if (!mesh.devices.empty() && static_cast<int64_t>(mesh.devices.size()) != count) {
    return InvalidArgument("a mesh that does not name each of its devices: " + Describe(op));
  }
  return count;
}

// A digit of a position: position / stride % size.
struct Digit {
  int64_t stride, size;
  int64_t Of(int64_t position) const { return position / stride % size; }
};

StatusOr<Digit> FindDigit(const Mesh& mesh, AxisRefAttr axis, mlir::Operation* op) {
  int64_t stride = 1;
  for (auto it = mesh.axes.rbegin(); it != mesh.axes.rend(); ++it) {
    if (it->first != axis.getName()) {
      stride *= it->second;
      continue;
    }
    const SubAxisInfoAttr part = axis.getSubAxisInfo();
    if (!part) return Digit{stride, it->second};
    // Major part, the axis's own size, minor part: all three make the whole.
    if (part.getPreSize() <= 0 || part.getSize() <= 0 || part.getPreSize() > it->second ||
        it->second % part.getPreSize() != 0 || (it->second / part.getPreSize()) % part.getSize() != 0) {
      break;
    }
    return Digit{stride * (it->second / part.getPreSize() / part.getSize()), part.getSize()};
  }
  return InvalidArgument("the mesh has no axis like '" + axis.getName().str() + "': " + Describe(op));
}

}  // namespace

StatusOr<mlir::DenseIntElementsAttr> WriteOutGroups(mlir::Operation* op) {
  const mlir::Attribute groups = op->getAttr("replica_groups");
  if (const auto list = mlir::dyn_cast_or_null<mlir::DenseIntElementsAttr>(groups)) return list;
  const auto named = mlir::dyn_cast_or_null<ReplicaGroupMeshAxesAttr>(groups);
  if (!named) return InvalidArgument("no groups: " + Describe(op));
  TREADLE_ASSIGN_OR_RETURN(const Mesh mesh, FindMesh(op, named.getMesh()));
  TREADLE_ASSIGN_OR_RETURN(const int64_t devices, CountDevices(mesh, op));
  std::vector<Digit> digits;
  int64_t members = 1;
  for (mlir::Attribute element : named.getAxes()) {
    const auto axis = mlir::dyn_cast<AxisRefAttr>(element);
    if (!axis) return InvalidArgument("groups by other things than axes: " + Describe(op));
    TREADLE_ASSIGN_OR_RETURN(const Digit digit, FindDigit(mesh, axis, op));
    digits.push_back(digit);
    if ((members *= digit.size) > devices) return InvalidArgument("groups name an axis twice: " + Describe(op));
  }
  std::vector<std::tuple<int64_t, int64_t, int64_t>> order;  // group, place in it, device
  for (int64_t position = 0; position < devices; ++position) {
    int64_t group = position;
    int64_t place = 0;
    for (const Digit& digit : digits) {
      place = place * digit.size + digit.Of(position);
      group -= digit.Of(position) * digit.stride;
    }
    order.emplace_back(group, place, mesh.devices.empty() ? position : mesh.devices[position]);
  }
  std::sort(order.begin(), order.end());
  std::vector<int64_t> ids;
  for (const auto& [group, place, device] : order) ids.push_back(device);
  const auto type =
      mlir::RankedTensorType::get({devices / members, members}, mlir::IntegerType::get(op->getContext(), 64));
  return mlir::DenseIntElementsAttr::get(type, ids);
}

}  // namespace treadle::stablehlo

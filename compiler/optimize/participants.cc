#include "compiler/optimize/participants.h"

#include <algorithm>
#include <numeric>
#include <string>
#include <tuple>

#include "compiler/optimize/describe.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "stablehlo/dialect/ops.h"
#include "stablehlo/mesh_groups.h"

namespace treadle::compiler {
namespace {

// A digit of a position in the mesh: position / stride % size.
struct Digit {
  int64_t stride, size;

  int64_t Of(int64_t position) const { return position / stride % size; }
};

Digit DigitOf(sdy::AxisRefAttr axis, sdy::MeshAttr mesh) {
  int64_t stride = 1;
  for (sdy::MeshAxisAttr other : llvm::reverse(mesh.getAxes())) {
    if (other.getName() == axis.getName()) break;
    stride *= other.getSize();
  }
  const sdy::SubAxisInfoAttr part = axis.getSubAxisInfo();
  if (!part) return {stride, mesh.AxisSize(axis.getName())};
  return {stride * (mesh.AxisSize(axis.getName()) / (part.getPreSize() * part.getSize())), part.getSize()};
}

// How the dimensions are cut, and by which digits of a device's position.
struct Cuts {
  std::vector<std::vector<Digit>> dims;

  int64_t Parts(size_t dim) const {
    return std::accumulate(dims[dim].begin(), dims[dim].end(), int64_t{1},
                           [](int64_t parts, const Digit& digit) { return parts * digit.size; });
  }
  int64_t TileOf(int64_t position) const {
    int64_t tile = 0;
    for (const std::vector<Digit>& digits : dims) {
      for (const Digit& digit : digits) tile = tile * digit.size + digit.Of(position);
    }
    return tile;
  }
  // The position without what says which tile it is: equal for devices that hold one array together.
  int64_t RestOf(int64_t position) const {
    int64_t rest = position;
    for (const std::vector<Digit>& digits : dims) {
      for (const Digit& digit : digits) rest -= digit.Of(position) * digit.stride;
    }
    return rest;
  }
};

Sharding ToSharding(const Cuts& cuts, sdy::MeshAttr mesh, int32_t participants) {
  Sharding sharding;
  for (size_t dim = 0; dim < cuts.dims.size(); ++dim) sharding.tiles.push_back(cuts.Parts(dim));
  if (sharding.num_tiles() == 1) return {};
  std::vector<std::tuple<int64_t, int64_t, int32_t>> order;
  for (int64_t position = 0; position < participants; ++position) {
    const int64_t device = mesh.getDeviceIds().empty() ? position : mesh.getDeviceIds()[position];
    order.emplace_back(cuts.TileOf(position), cuts.RestOf(position), static_cast<int32_t>(device));
  }
  std::sort(order.begin(), order.end());
  for (const auto& [tile, rest, device] : order) sharding.holders.push_back(device);
  return sharding;
}

std::vector<std::vector<int64_t>> Rows(mlir::DenseIntElementsAttr matrix) {
  const auto shape = matrix.getType().getShape();
  std::vector<std::vector<int64_t>> rows(shape[0]);
  int64_t i = 0;
  for (const mlir::APInt& value : matrix) rows[i++ / shape[1]].push_back(value.getSExtValue());
  return rows;
}

int64_t ChannelOf(mlir::Operation* op) {
  const auto channel = op->getAttrOfType<stablehlo::ChannelHandleAttr>("channel_handle");
  return channel ? channel.getHandle() : 0;
}

// What the numbers in the groups of a collective name.
enum class Naming : uint8_t { kReplicas, kReplicasOfAllPartitions, kPartitions, kParticipants };

Naming NamingOf(mlir::Operation* op) {
  if (op->hasAttr("use_global_device_ids")) return Naming::kParticipants;
  if (ChannelOf(op) <= 0) return Naming::kReplicas;
  const bool reducing_or_gathering = llvm::isa<stablehlo::AllGatherOp, stablehlo::AllReduceOp,
                                               stablehlo::CollectiveReduceOp, stablehlo::ReduceScatterOp>(op);
  return reducing_or_gathering ? Naming::kReplicasOfAllPartitions : Naming::kPartitions;
}

// One list of numbers as groups of participants: one group, or one for each partition or replica.
std::vector<std::vector<int32_t>> Expand(const std::vector<int64_t>& row, Naming naming, Participants all) {
  std::vector<std::vector<int32_t>> groups;
  const auto number = [&](int64_t replica, int64_t partition) {
    return static_cast<int32_t>(replica * all.partitions + partition);
  };
  switch (naming) {
    case Naming::kParticipants:
      groups.emplace_back(row.begin(), row.end());
      break;
    case Naming::kReplicasOfAllPartitions:
      groups.emplace_back();
      for (int64_t partition = 0; partition < all.partitions; ++partition) {
        for (int64_t replica : row) groups[0].push_back(number(replica, partition));
      }
      break;
    case Naming::kReplicas:
      for (int64_t partition = 0; partition < all.partitions; ++partition) {
        groups.emplace_back();
        for (int64_t replica : row) groups.back().push_back(number(replica, partition));
      }
      break;
    case Naming::kPartitions:
      for (int64_t replica = 0; replica < all.replicas; ++replica) {
        groups.emplace_back();
        for (int64_t partition : row) groups.back().push_back(number(replica, partition));
      }
      break;
  }
  return groups;
}

int64_t Named(Naming naming, Participants all) {
  return naming == Naming::kParticipants ? all.count() : naming == Naming::kPartitions ? all.partitions : all.replicas;
}

}  // namespace

StatusOr<Sharding> ReadSharding(sdy::TensorShardingAttr sharding, const Shape& shape, mlir::Operation* op,
                                Participants participants, std::optional<llvm::ArrayRef<mlir::StringAttr>> axes) {
  const sdy::MeshAttr mesh = sharding.GetMesh(op);
  if (!mesh) return InvalidArgument("a sharding names a mesh that does not exist: " + Describe(op));
  if (mesh.IsMaximal() && participants.count() > 1) return NotYet(op, "a value that lives on one device of several");
  if (!sharding.getUnreducedAxes().empty()) return NotYet(op, "arrays with unreduced axes");
  Cuts cuts;
  for (sdy::DimensionShardingAttr dim : sharding.getDimShardings()) {
    cuts.dims.emplace_back();
    for (sdy::AxisRefAttr axis : dim.getAxes()) {
      const auto named = [&](mlir::StringAttr name) { return name.getValue() == axis.getName(); };
      if (!axes || llvm::any_of(*axes, named)) cuts.dims.back().push_back(DigitOf(axis, mesh));
    }
  }
  const bool cut = llvm::any_of(cuts.dims, [](const auto& digits) { return !digits.empty(); });
  if (!cut) return Sharding();
  if (mesh.TotalSize() != participants.count()) {
    return NotYet(op, "a mesh of " + std::to_string(mesh.TotalSize()) + " devices in a program for " +
                          std::to_string(participants.count()));
  }
  Sharding result = ToSharding(cuts, mesh, participants.count());
  const Status status = CheckSharding(result, shape, participants.count());
  if (!status.ok()) return NotYet(op, status.message());
  return result;
}

StatusOr<std::vector<std::vector<int32_t>>> ReadGroups(mlir::Operation* op, Participants participants) {
  const bool may_leave_out = llvm::isa<stablehlo::CollectiveBroadcastOp, stablehlo::CollectiveReduceOp>(op);
  const bool may_differ = may_leave_out || llvm::isa<stablehlo::AllReduceOp>(op);
  TREADLE_ASSIGN_OR_RETURN(const mlir::DenseIntElementsAttr matrix, stablehlo::WriteOutGroups(op));
  const Naming naming = NamingOf(op);
  std::vector<std::vector<int64_t>> rows;
  if (matrix.getNumElements() > 0) {
    rows = Rows(matrix);
  } else {  // all
    rows.emplace_back(Named(naming, participants));
    std::iota(rows[0].begin(), rows[0].end(), 0);
  }
  std::vector<std::vector<int32_t>> groups;
  std::vector<bool> seen(Named(naming, participants), false);
  size_t named = 0;
  for (std::vector<int64_t>& row : rows) {
    std::erase(row, -1);  // fills up a short group
    if (row.empty()) continue;
    for (int64_t id : row) {
      if (id < 0 || id >= static_cast<int64_t>(seen.size()) || seen[id]) {
        return InvalidArgument("a group names " + std::to_string(id) + " twice or beyond " +
                               std::to_string(seen.size()) + ": " + Describe(op));
      }
      seen[id] = true;
      ++named;
    }
    for (std::vector<int32_t>& group : Expand(row, naming, participants)) groups.push_back(std::move(group));
  }
  if (named != seen.size() && !may_leave_out) return NotYet(op, "groups that leave devices out");
  for (const std::vector<int32_t>& group : groups) {
    if (group.size() != groups[0].size() && !may_differ) return NotYet(op, "groups of different sizes");
  }
  return groups;
}

StatusOr<std::vector<int32_t>> ReadSenders(mlir::Operation* op, Participants participants) {
  const auto pairs = op->getAttrOfType<mlir::DenseIntElementsAttr>("source_target_pairs");
  std::vector<int32_t> senders(participants.count(), -1);
  if (!pairs || pairs.getNumElements() == 0) return senders;
  const Naming naming = ChannelOf(op) > 0 ? Naming::kPartitions : Naming::kReplicas;
  for (const std::vector<int64_t>& pair : Rows(pairs)) {
    for (int64_t id : pair) {
      if (id < 0 || id >= Named(naming, participants)) {
        return InvalidArgument("source_target_pairs names " + std::to_string(id) + ": " + Describe(op));
      }
    }
    for (const std::vector<int32_t>& expanded : Expand(pair, naming, participants)) {
      if (senders[expanded[1]] >= 0) return InvalidArgument("two sources of one target: " + Describe(op));
      senders[expanded[1]] = expanded[0];
    }
  }
  return senders;
}

}  // namespace treadle::compiler

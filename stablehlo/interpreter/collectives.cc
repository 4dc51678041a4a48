// Operations between the processes of a grid: section "Collective ops" of the specification.
#include <algorithm>
#include <set>

#include "llvm/ADT/StringExtras.h"
#include "mlir/IR/TypeUtilities.h"
#include "stablehlo/dialect/ops.h"
#include "stablehlo/interpreter/evaluate.h"
#include "stablehlo/mesh_groups.h"

namespace treadle::interpreter {

namespace {

using Group = std::vector<int64_t>;  // ids of processes, in the order that counts

// How replica_groups name processes.
enum class Grouping : uint8_t { kReplicas, kPartitions, kReplicasWithAllPartitions, kFlattenedIds };

int64_t ChannelOf(std::optional<stablehlo::ChannelHandleAttr> channel) { return channel ? channel->getHandle() : 0; }

// Of operations that say use_global_device_ids.
Grouping GroupingOf(int64_t channel, bool use_global_device_ids) {
  if (channel <= 0) return Grouping::kReplicas;
  return use_global_device_ids ? Grouping::kFlattenedIds : Grouping::kReplicasWithAllPartitions;
}

// The others.
Grouping GroupingOf(int64_t channel) { return channel <= 0 ? Grouping::kReplicas : Grouping::kPartitions; }

Group Expand(const std::vector<int64_t>& ids, Grouping grouping, const Process& process) {
  const int64_t partitions = process.grid.partitions();
  Group group;
  for (int64_t id : ids) {
    if (grouping == Grouping::kReplicas) group.push_back(id * partitions + process.partition);
    if (grouping == Grouping::kPartitions) group.push_back(process.replica * partitions + id);
    if (grouping == Grouping::kFlattenedIds) group.push_back(id);
  }
  for (int64_t partition = 0; grouping == Grouping::kReplicasWithAllPartitions && partition < partitions; ++partition) {
    for (int64_t id : ids) group.push_back(id * partitions + partition);
  }
  return group;
}

int64_t NumberOfIds(Grouping grouping, const Grid& grid) {
  if (grouping == Grouping::kPartitions) return grid.partitions();
  return grouping == Grouping::kFlattenedIds ? grid.replicas() * grid.partitions() : grid.replicas();
}

// The group that the process is in; empty where it is in none. Groups that are not given are one of all.
StatusOr<Group> GroupOf(mlir::Operation* op, Grouping grouping, const Process& process) {
  TREADLE_ASSIGN_OR_RETURN(const mlir::DenseIntElementsAttr dense, stablehlo::WriteOutGroups(op));
  const int64_t count = NumberOfIds(grouping, process.grid);
  std::vector<std::vector<int64_t>> rows(dense.getType().getDimSize(0));
  int64_t place = 0;
  for (int64_t id : dense.getValues<int64_t>()) {
    if (id >= count) return InvalidArgument("its groups name " + std::to_string(id) + " of " + std::to_string(count));
    if (id >= 0) rows[place / dense.getType().getDimSize(1)].push_back(id);
    ++place;
  }
  if (dense.getNumElements() == 0) {
    rows.assign(1, {});
    for (int64_t id = 0; id < count; ++id) rows[0].push_back(id);
  }
  for (const std::vector<int64_t>& row : rows) {
    Group group = Expand(row, grouping, process);
    if (std::set<int64_t>(group.begin(), group.end()).size() != group.size()) {
      return InvalidArgument("its groups name a process twice");
    }
    if (llvm::is_contained(group, process.id())) return group;
  }
  return Group();
}

// The group of this process; empty: it is in none.
template <typename CollectiveOp>
StatusOr<Group> GroupOf(CollectiveOp op, const Frame& frame) {
  const int64_t channel = ChannelOf(op.getChannelHandle());
  Grouping grouping;
  if constexpr (requires { op.getUseGlobalDeviceIds(); })
    grouping = GroupingOf(channel, op.getUseGlobalDeviceIds());
  else
    grouping = GroupingOf(channel);
  return GroupOf(op.getOperation(), grouping, frame.process());
}

// The operands of each member of the group.
template <typename CollectiveOp>
StatusOr<std::vector<Values>> Exchange(CollectiveOp op, Frame& frame, const Group& group) {
  const int64_t channel = ChannelOf(op.getChannelHandle());
  Process& process = frame.process();
  std::string name = (frame.op()->getName().getStringRef() + " " + llvm::Twine(channel) + " of").str();
  for (int64_t member : group) name += " " + std::to_string(member);
  name += ", time " + std::to_string(process.visits[name]++);
  return process.grid.Meet(process.baton, name, process.id(), group, frame.operands());
}

int64_t PositionIn(const Group& group, const Process& process) {
  return std::find(group.begin(), group.end(), process.id()) - group.begin();
}

Status NotInAnyGroup() { return InvalidArgument("its groups leave out a process that runs it"); }

// ---- Tensors in parts.

StatusOr<Tensor> Concatenate(const std::vector<Tensor>& parts, int64_t along) {
  Index shape(parts[0].shape());
  shape[along] = 0;
  for (const Tensor& part : parts) shape[along] += part.dim(along);
  TREADLE_ASSIGN_OR_RETURN(Tensor whole,
                           Tensor::Zeros(mlir::RankedTensorType::get(shape, parts[0].type().getElementType())));
  int64_t offset = 0;
  for (const Tensor& part : parts) {
    int64_t place = 0;
    ForEachIndex(part.shape(), [&](const Index& index) {
      Index to = index;
      to[along] += offset;
      whole.Copy(whole.PlaceOf(to), part, place++);
    });
    offset += part.dim(along);
  }
  return whole;
}

// Part `i` of `count` equal ones.
StatusOr<Tensor> Part(const Tensor& whole, int64_t along, int64_t i, int64_t count) {
  if (whole.dim(along) % count != 0) return InvalidArgument("a dimension does not fall into equal parts");
  Index shape(whole.shape());
  shape[along] /= count;
  TREADLE_ASSIGN_OR_RETURN(Tensor part,
                           Tensor::Zeros(mlir::RankedTensorType::get(shape, whole.type().getElementType())));
  int64_t place = 0;
  ForEachIndex(shape, [&](const Index& index) {
    Index from = index;
    from[along] += i * shape[along];
    part.Copy(place++, whole, whole.PlaceOf(from));
  });
  return part;
}

// Operand `i` of all.
std::vector<Tensor> Column(const std::vector<Values>& all, int64_t i) {
  std::vector<Tensor> column;
  for (const Values& values : all) column.push_back(std::get<Tensor>(values[i]));
  return column;
}

// Operand `i` of all, element by element with the region, in the order of the group, as elements of result `i`.
StatusOr<Tensor> Reduce(const Frame& frame, mlir::Region& body, const std::vector<Values>& all, int64_t i) {
  const std::vector<Tensor> parts = Column(all, i);
  TREADLE_ASSIGN_OR_RETURN(Tensor result, ConvertTo(parts[0], mlir::getElementTypeOrSelf(frame.result_type(i))));
  for (size_t member = 1; member < parts.size(); ++member) {
    if (parts[member].shape() != result.shape()) return InvalidArgument("processes bring tensors of different shapes");
    for (int64_t place = 0; place < result.size(); ++place) {
      TREADLE_ASSIGN_OR_RETURN(std::vector<Tensor> sum,
                               frame.RunOnScalars(body, {ScalarOf(result, place), ScalarOf(parts[member], place)}));
      result.Copy(place, sum[0], 0);
    }
  }
  return result;
}

// ---- The operations.

StatusOr<Values> EvaluateAllGather(stablehlo::AllGatherOp op, Frame& frame) {
  TREADLE_ASSIGN_OR_RETURN(const Group group, GroupOf(op, frame));
  if (group.empty()) return NotInAnyGroup();
  TREADLE_ASSIGN_OR_RETURN(const std::vector<Values> all, Exchange(op, frame, group));
  Values results;
  for (int64_t i = 0; i < frame.num_operands(); ++i) {
    TREADLE_ASSIGN_OR_RETURN(Tensor whole, Concatenate(Column(all, i), static_cast<int64_t>(op.getAllGatherDim())));
    results.emplace_back(std::move(whole));
  }
  return results;
}

StatusOr<Values> EvaluateAllReduce(stablehlo::AllReduceOp op, Frame& frame) {
  TREADLE_ASSIGN_OR_RETURN(const Group group, GroupOf(op, frame));
  if (group.empty()) return NotInAnyGroup();
  TREADLE_ASSIGN_OR_RETURN(const std::vector<Values> all, Exchange(op, frame, group));
  Values results;
  for (int64_t i = 0; i < frame.num_operands(); ++i) {
    TREADLE_ASSIGN_OR_RETURN(Tensor sum, Reduce(frame, op.getComputation(), all, i));
    results.emplace_back(std::move(sum));
  }
  return results;
}

StatusOr<Tensor> EvaluateReduceScatter(stablehlo::ReduceScatterOp op, Frame& frame) {
  TREADLE_ASSIGN_OR_RETURN(const Group group, GroupOf(op, frame));
  if (group.empty()) return NotInAnyGroup();
  TREADLE_ASSIGN_OR_RETURN(const std::vector<Values> all, Exchange(op, frame, group));
  TREADLE_ASSIGN_OR_RETURN(const Tensor sum, Reduce(frame, op.getComputation(), all, 0));
  return Part(sum, static_cast<int64_t>(op.getScatterDimension()), PositionIn(group, frame.process()),
              static_cast<int64_t>(group.size()));
}

StatusOr<Values> EvaluateAllToAll(stablehlo::AllToAllOp op, Frame& frame) {
  TREADLE_ASSIGN_OR_RETURN(const Group group, GroupOf(op, frame));
  if (group.empty()) return NotInAnyGroup();
  const auto count = static_cast<int64_t>(op.getSplitCount());
  if (static_cast<int64_t>(group.size()) != count) return InvalidArgument("split_count is not the size of a group");
  TREADLE_ASSIGN_OR_RETURN(const std::vector<Values> all, Exchange(op, frame, group));
  Values results;
  for (int64_t i = 0; i < frame.num_operands(); ++i) {
    std::vector<Tensor> parts;
    for (const Tensor& operand : Column(all, i)) {
      TREADLE_ASSIGN_OR_RETURN(Tensor part, Part(operand, static_cast<int64_t>(op.getSplitDimension()),
                                                 PositionIn(group, frame.process()), count));
      parts.push_back(std::move(part));
    }
    TREADLE_ASSIGN_OR_RETURN(Tensor whole, Concatenate(parts, static_cast<int64_t>(op.getConcatDimension())));
    results.emplace_back(std::move(whole));
  }
  return results;
}

// Who is nobody's target gets zeros.
StatusOr<Tensor> EvaluateCollectivePermute(stablehlo::CollectivePermuteOp op, Frame& frame) {
  const int64_t channel = ChannelOf(op.getChannelHandle());
  const Grouping grouping = GroupingOf(channel);
  std::vector<int64_t> ids;
  for (int64_t id : op.getSourceTargetPairs().getValues<int64_t>()) {
    if (id < 0 || id >= NumberOfIds(grouping, frame.process().grid)) {
      return InvalidArgument("its pairs name " + std::to_string(id) + ", which is no process");
    }
    ids.push_back(id);
  }
  const Group pairs = Expand(ids, grouping, frame.process());
  Group group = pairs;
  llvm::sort(group);
  group.erase(std::unique(group.begin(), group.end()), group.end());
  TREADLE_ASSIGN_OR_RETURN(Tensor result, frame.Result());
  if (!llvm::is_contained(group, frame.process().id())) return result;
  TREADLE_ASSIGN_OR_RETURN(const std::vector<Values> all, Exchange(op, frame, group));
  bool is_target = false;
  for (size_t i = 0; i + 1 < pairs.size(); i += 2) {
    if (pairs[i + 1] != frame.process().id()) continue;
    if (std::exchange(is_target, true)) return InvalidArgument("a process is the target of two others");
    result = std::get<Tensor>(all[std::find(group.begin(), group.end(), pairs[i]) - group.begin()][0]);
  }
  return result;
}

// Zeros, one a result.
StatusOr<Values> AllZeros(const Frame& frame) {
  Values results;
  for (unsigned i = 0; i < frame.op()->getNumResults(); ++i) {
    TREADLE_ASSIGN_OR_RETURN(Tensor zeros, frame.Result(i));
    results.emplace_back(std::move(zeros));
  }
  return results;
}

// The position in the group of the process whose operand `i` counts: the first, or what the last operand says.
StatusOr<int64_t> RootOf(const Frame& frame, bool dynamic, int64_t i, const Group& group) {
  if (!dynamic) return int64_t{0};
  const llvm::SmallVector<int64_t> roots = frame.integers(frame.num_operands() - 1);
  if (i >= static_cast<int64_t>(roots.size()) || roots[i] < 0 || roots[i] >= static_cast<int64_t>(group.size())) {
    return InvalidArgument("its root is no process of the group");
  }
  return roots[i];
}

// Who is in no group gets zeros.
StatusOr<Values> EvaluateCollectiveBroadcast(stablehlo::CollectiveBroadcastOp op, Frame& frame) {
  TREADLE_ASSIGN_OR_RETURN(const Group group, GroupOf(op, frame));
  if (group.empty()) return AllZeros(frame);
  TREADLE_ASSIGN_OR_RETURN(const std::vector<Values> all, Exchange(op, frame, group));
  Values results;
  for (int64_t i = 0; i < static_cast<int64_t>(op.getNumResults()); ++i) {
    TREADLE_ASSIGN_OR_RETURN(const int64_t root, RootOf(frame, op.getHasDynamicRoot(), i, group));
    results.push_back(all[root][i]);
  }
  return results;
}

// As all_reduce for the root; the others, and who is in no group, get zeros.
StatusOr<Values> EvaluateCollectiveReduce(stablehlo::CollectiveReduceOp op, Frame& frame) {
  TREADLE_ASSIGN_OR_RETURN(const Group group, GroupOf(op, frame));
  TREADLE_ASSIGN_OR_RETURN(Values results, AllZeros(frame));
  if (group.empty()) return results;
  if (static_cast<int64_t>(results.size()) > frame.num_operands())
    return InvalidArgument("has more results than operands");
  TREADLE_ASSIGN_OR_RETURN(const std::vector<Values> all, Exchange(op, frame, group));
  for (int64_t i = 0; i < static_cast<int64_t>(results.size()); ++i) {
    TREADLE_ASSIGN_OR_RETURN(const int64_t root, RootOf(frame, op.getHasDynamicRoot(), i, group));
    if (root != PositionIn(group, frame.process())) continue;
    TREADLE_ASSIGN_OR_RETURN(Tensor sum, Reduce(frame, op.getComputation(), all, i));
    results[i] = std::move(sum);
  }
  return results;
}

StatusOr<Tensor> EvaluateReplicaId(stablehlo::ReplicaIdOp, Frame& frame) {
  TREADLE_ASSIGN_OR_RETURN(Tensor result, frame.Result());
  for (int64_t i = 0; i < result.size(); ++i) result.Set(i, Element::OfInteger(frame.process().replica));
  return result;
}

StatusOr<Tensor> EvaluatePartitionId(stablehlo::PartitionIdOp, Frame& frame) {
  TREADLE_ASSIGN_OR_RETURN(Tensor result, frame.Result());
  for (int64_t i = 0; i < result.size(); ++i) result.Set(i, Element::OfInteger(frame.process().partition));
  return result;
}

// ---- Tokens and what talks to the host or to one other process. Tokens carry nothing: everything is in order.

StatusOr<Values> EvaluateInfeed(stablehlo::InfeedOp, Frame& frame) {
  TREADLE_ASSIGN_OR_RETURN(Values results, frame.process().grid.Infeed());
  results.emplace_back(Token());
  return results;
}

StatusOr<Values> EvaluateOutfeed(stablehlo::OutfeedOp, Frame&) { return Values{Token()}; }

// The channel of this process and its peer: by the pairs of the operation, else by the channel's number alone.
std::string ChannelName(int64_t channel, std::optional<mlir::DenseIntElementsAttr> pairs, const Process& process,
                        bool is_source) {
  std::string name = std::to_string(channel);
  if (!pairs) return name;
  const Group ids = [&] {
    std::vector<int64_t> values;
    for (int64_t id : pairs->getValues<int64_t>()) values.push_back(id);
    return Expand(values, Grouping::kPartitions, process);
  }();
  for (size_t i = 0; i + 1 < ids.size(); i += 2) {
    if (ids[is_source ? i : i + 1] == process.id()) return name + " to " + std::to_string(ids[i + 1]);
  }
  return "";
}

StatusOr<Values> EvaluateSend(stablehlo::SendOp op, Frame& frame) {
  Values sent = frame.operands();
  sent.pop_back();  // the token
  const std::string channel =
      ChannelName(op.getChannelHandle().getHandle(), op.getSourceTargetPairs(), frame.process(), true);
  if (!op.getIsHostTransfer() && !channel.empty()) frame.process().grid.Send(channel, std::move(sent));
  return Values{Token()};
}

StatusOr<Values> EvaluateRecv(stablehlo::RecvOp op, Frame& frame) {
  if (op.getIsHostTransfer()) return Unimplemented("values that come from the host");
  const std::string channel =
      ChannelName(op.getChannelHandle().getHandle(), op.getSourceTargetPairs(), frame.process(), false);
  Values results;
  if (!channel.empty()) {
    TREADLE_ASSIGN_OR_RETURN(results, frame.process().grid.Receive(frame.process().baton, channel));
  } else {
    for (unsigned i = 0; i + 1 < op.getNumResults(); ++i) {
      TREADLE_ASSIGN_OR_RETURN(Tensor zeros, frame.Result(i));
      results.emplace_back(std::move(zeros));
    }
  }
  results.emplace_back(Token());
  return results;
}

}  // namespace

void AddCollectives(Evaluators& evaluators) {
  evaluators.Add(&EvaluateAllGather, /*on_storage=*/true);
  evaluators.Add(&EvaluateAllReduce, true);
  evaluators.Add(&EvaluateReduceScatter, true);
  evaluators.Add(&EvaluateAllToAll, true);
  evaluators.Add(&EvaluateCollectivePermute, true);
  evaluators.Add(&EvaluateCollectiveBroadcast, true);
  evaluators.Add(&EvaluateCollectiveReduce, true);
  evaluators.Add(&EvaluateReplicaId);
  evaluators.Add(&EvaluatePartitionId);
  evaluators.Add(&EvaluateInfeed, true);
  evaluators.Add(&EvaluateOutfeed, true);
  evaluators.Add(&EvaluateSend, true);
  evaluators.Add(&EvaluateRecv, true);
}

}  // namespace treadle::interpreter

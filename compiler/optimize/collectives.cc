#include "compiler/optimize/collectives.h"

#include <algorithm>
#include <cstring>
#include <memory>
#include <numeric>
#include <utility>

namespace treadle::compiler {
namespace {

using graph::Attributes;
using graph::OpCode;
using graph::RegionId;
using graph::ValueId;

// From here on each device of a group reduces its part of an array and gathers the others', instead of reducing all.
constexpr int64_t kLargeReduction = 64 << 10;  // bytes

size_t LargestOf(const Groups& groups) {
  return std::ranges::max_element(groups, {}, &std::vector<int32_t>::size)->size();
}

// Who is in no group gets one of its own.
Groups WithSingles(Groups groups, int32_t participants) {
  std::vector<bool> named(participants);
  for (const std::vector<int32_t>& group : groups) {
    for (int32_t participant : group) named[participant] = true;
  }
  for (int32_t participant = 0; participant < participants; ++participant) {
    if (!named[participant]) groups.push_back({participant});
  }
  return groups;
}

// Everyone reads from all of its group, in order; in smaller groups from the first again, as often as the largest has
// more.
graph::Exchange All(const Groups& groups, int32_t participants) {
  graph::Exchange who{groups, {}};
  who.sources.resize(participants);
  for (const std::vector<int32_t>& group : groups) {
    std::vector<int32_t> sources = group;
    sources.resize(LargestOf(groups), group[0]);
    for (int32_t participant : group) who.sources[participant] = sources;
  }
  return who;
}

std::string BytesOf(const std::vector<int64_t>& numbers) {
  std::string bytes(numbers.size() * sizeof(int64_t), '\0');
  std::memcpy(bytes.data(), numbers.data(), bytes.size());
  return bytes;
}

}  // namespace

// --- Building blocks. ---

ValueId Collectives::Add(OpCode code, std::vector<ValueId> operands, Shape shape, Attributes attrs, Place place) {
  const graph::OpId op =
      graph_.AddOp(place.region, code, std::move(operands), {std::move(shape)}, std::move(attrs), {}, place.location);
  return graph_.ops[op].results[0];
}

ValueId Collectives::Constant(Shape shape, std::string bytes, bool splat, Place place) {
  Attributes attrs;
  attrs.literal = std::make_shared<const std::string>(std::move(bytes));
  attrs.splat = splat;
  return Add(OpCode::kConstant, {}, std::move(shape), std::move(attrs), place);
}

ValueId Collectives::Zeros(Shape shape, Place place) {
  std::string zero(ElementBytes(shape.type), '\0');
  return Constant(std::move(shape), std::move(zero), /*splat=*/true, place);
}

ValueId Collectives::Concatenate(std::vector<ValueId> parts, int64_t dim, Place place) {
  if (parts.size() == 1) return parts[0];
  Shape shape = graph_.shape(parts[0]);
  shape.dims[dim] *= static_cast<int64_t>(parts.size());
  Attributes attrs;
  attrs.dims = {dim};
  return Add(OpCode::kConcatenate, std::move(parts), std::move(shape), std::move(attrs), place);
}

ValueId Collectives::Reshape(ValueId value, std::vector<int64_t> dims, Place place) {
  const Shape& shape = graph_.shape(value);
  if (shape.dims == dims) return value;
  return Add(OpCode::kReshape, {value}, {shape.type, std::move(dims)}, {}, place);
}

ValueId Collectives::DynamicSlice(ValueId value, std::vector<ValueId> starts, std::vector<int64_t> sizes, Place place) {
  Attributes attrs;
  attrs.limits = sizes;
  std::vector<ValueId> operands = {value};
  operands.insert(operands.end(), starts.begin(), starts.end());
  const ElementType type = graph_.shape(value).type;
  return Add(OpCode::kDynamicSlice, std::move(operands), {type, std::move(sizes)}, std::move(attrs), place);
}

ValueId Collectives::SliceAlong(ValueId value, int64_t dim, ValueId start, int64_t size, Place place) {
  std::vector<int64_t> sizes = graph_.shape(value).dims;
  std::vector<ValueId> starts(sizes.size(), Zeros({ElementType::kI64, {}}, place));
  starts[dim] = start;
  sizes[dim] = size;
  return DynamicSlice(value, std::move(starts), std::move(sizes), place);
}

// --- Who this device is. ---

ValueId Collectives::Participant() {
  if (participant_ < 0) participant_ = graph_.AddValue({ElementType::kI32, {}}, 0);
  return participant_;
}

void Collectives::Finish() {
  if (participant_ < 0) return;
  graph_.regions[0].arguments.push_back(participant_);
  graph_.donated.push_back(false);
  graph_.aliased_result.push_back(-1);
  graph_.knows_participant = true;
}

ValueId Collectives::Lookup(const std::vector<int64_t>& table, int32_t location) {
  const Place place = {0, location};
  if (std::all_of(table.begin(), table.end(), [&](int64_t value) { return value == table[0]; })) {
    return Constant({ElementType::kI64, {}}, BytesOf({table[0]}), /*splat=*/true, place);
  }
  const Shape shape = {ElementType::kI64, {static_cast<int64_t>(table.size())}};
  const ValueId values = Constant(shape, BytesOf(table), /*splat=*/false, place);
  return Reshape(DynamicSlice(values, {Participant()}, {1}, place), {}, place);
}

ValueId Collectives::PositionInGroup(const Groups& groups, int64_t factor, int32_t location) {
  std::vector<int64_t> table(participants_.count());
  for (const std::vector<int32_t>& group : groups) {
    for (size_t i = 0; i < group.size(); ++i) table[group[i]] = static_cast<int64_t>(i) * factor;
  }
  return Lookup(table, location);
}

ValueId Collectives::Flag(const std::vector<int64_t>& table, Place place) {
  return Add(OpCode::kConvert, {Lookup(table, place.location)}, {ElementType::kI1, {}}, {}, place);
}

// Whether the device's group has a member of that number.
ValueId Collectives::HasMember(const Groups& groups, size_t member, Place place) {
  std::vector<int64_t> table(participants_.count());
  for (const std::vector<int32_t>& group : groups) {
    for (int32_t participant : group) table[participant] = member < group.size() ? 1 : 0;
  }
  return Flag(table, place);
}

// participant / partitions or participant % partitions.
ValueId Collectives::Id(OpCode code, Place place) {
  const Shape u32 = {ElementType::kU32, {}};
  const int32_t count = participants_.partitions;
  std::vector<int64_t> table(participants_.count());
  for (int32_t i = 0; i < participants_.count(); ++i) table[i] = code == OpCode::kDivide ? i / count : i % count;
  return Add(OpCode::kConvert, {Lookup(table, place.location)}, u32, {}, place);
}

ValueId Collectives::PartitionId(Place place) { return Id(OpCode::kRemainder, place); }
ValueId Collectives::ReplicaId(Place place) { return Id(OpCode::kDivide, place); }

// --- Exchanges. ---

StatusOr<ValueId> Collectives::Exchange(ValueId operand, graph::Exchange who, const Shape& result, const Body& body,
                                        Place place) {
  const bool alone = std::all_of(who.groups.begin(), who.groups.end(), [](const auto& g) { return g.size() == 1; });
  const size_t members = who.sources[0].size();
  if (alone) return body(std::vector<ValueId>(members, operand), place.region);
  const RegionId region = graph_.AddRegion();
  std::vector<ValueId> lent;
  for (size_t m = 0; m < members; ++m) lent.push_back(graph_.AddValue(graph_.shape(operand), region));
  graph_.regions[region].arguments = lent;
  TREADLE_ASSIGN_OR_RETURN(const ValueId made, body(lent, region));
  graph_.regions[region].results = {made};
  Attributes attrs;
  attrs.exchange = std::make_shared<const graph::Exchange>(std::move(who));
  const graph::OpId op =
      graph_.AddOp(place.region, OpCode::kExchange, {operand}, {result}, std::move(attrs), {region}, place.location);
  return graph_.ops[op].results[0];
}

StatusOr<ValueId> Collectives::AllReduce(ValueId operand, const Groups& groups, const Combine& combine, Place place) {
  const Shape shape = graph_.shape(operand);
  const size_t most = LargestOf(groups),
               least = std::ranges::min_element(groups, {}, &std::vector<int32_t>::size)->size();
  const bool equal = least == most;
  if (equal && most > 2 && !combine.in_pairs && shape.bytes() >= kLargeReduction)
    return ReduceByParts(operand, groups, combine, place);
  std::vector<ValueId> has_member;  // a group of the device's size, where not all groups do
  for (size_t m = least; m < most; ++m) has_member.push_back(HasMember(groups, m, place));
  const auto reduce = [&](const std::vector<ValueId>& lent, RegionId region) -> StatusOr<ValueId> {
    ValueId sum = lent[0];
    for (size_t m = 1; m < lent.size(); ++m) {
      TREADLE_ASSIGN_OR_RETURN(const ValueId more, combine(sum, lent[m], region));
      sum = m < least ? more
                      : Add(OpCode::kSelect, {has_member[m - least], more, sum}, shape, {}, {region, place.location});
    }
    return sum;
  };
  return Exchange(operand, All(groups, participants_.count()), shape, reduce, place);
}

// Along the first dimension that the group can share, else along all of them as one, filled up.
StatusOr<ValueId> Collectives::ReduceByParts(ValueId operand, const Groups& groups, const Combine& combine,
                                             Place place) {
  const Shape shape = graph_.shape(operand);
  const auto members = static_cast<int64_t>(groups[0].size());
  for (size_t i = 0; i < shape.dims.size(); ++i) {
    if (shape.dims[i] % members != 0) continue;
    const auto dim = static_cast<int64_t>(i);
    TREADLE_ASSIGN_OR_RETURN(const ValueId own, ReduceScatter(operand, dim, groups, combine, place));
    return AllGather(own, dim, groups, place);
  }
  const int64_t elements = shape.elements(), part = (elements + members - 1) / members;
  Attributes pad;
  pad.low = {0};
  pad.high = {part * members - elements};
  pad.interior = {0};
  const ValueId flat = Reshape(operand, {elements}, place), zero = Zeros({shape.type, {}}, place);
  const ValueId full = Add(OpCode::kPad, {flat, zero}, {shape.type, {part * members}}, std::move(pad), place);
  TREADLE_ASSIGN_OR_RETURN(const ValueId own, ReduceScatter(full, 0, groups, combine, place));
  const ValueId all = AllGather(own, 0, groups, place);
  Attributes slice;
  slice.starts = {0};
  slice.limits = {elements};
  slice.strides = {1};
  return Reshape(Add(OpCode::kSlice, {all}, {shape.type, {elements}}, std::move(slice), place), shape.dims, place);
}

StatusOr<ValueId> Collectives::ReduceScatter(ValueId operand, int64_t dim, const Groups& groups, const Combine& combine,
                                             Place place) {
  Shape shape = graph_.shape(operand);
  const int64_t part = shape.dims[dim] / static_cast<int64_t>(groups[0].size());
  shape.dims[dim] = part;
  const ValueId start = PositionInGroup(groups, part, place.location);
  const auto reduce = [&](const std::vector<ValueId>& lent, RegionId region) -> StatusOr<ValueId> {
    const Place inner = {region, place.location};
    ValueId sum = SliceAlong(lent[0], dim, start, part, inner);
    for (size_t m = 1; m < lent.size(); ++m) {
      TREADLE_ASSIGN_OR_RETURN(sum, combine(sum, SliceAlong(lent[m], dim, start, part, inner), region));
    }
    return sum;
  };
  return Exchange(operand, All(groups, participants_.count()), shape, reduce, place);
}

ValueId Collectives::AllGather(ValueId operand, int64_t dim, const Groups& groups, Place place) {
  Shape shape = graph_.shape(operand);
  shape.dims[dim] *= static_cast<int64_t>(groups[0].size());
  const auto gather = [&](const std::vector<ValueId>& lent, RegionId region) -> StatusOr<ValueId> {
    return Concatenate(lent, dim, {region, place.location});
  };
  return *Exchange(operand, All(groups, participants_.count()), shape, gather, place);
}

ValueId Collectives::AllToAll(ValueId operand, int64_t split_dim, int64_t concat_dim, const Groups& groups,
                              Place place) {
  Shape shape = graph_.shape(operand);
  const auto members = static_cast<int64_t>(groups[0].size());
  const int64_t part = shape.dims[split_dim] / members;
  shape.dims[split_dim] = part;
  shape.dims[concat_dim] *= members;
  const ValueId start = PositionInGroup(groups, part, place.location);
  const auto collect = [&](const std::vector<ValueId>& lent, RegionId region) -> StatusOr<ValueId> {
    const Place inner = {region, place.location};
    std::vector<ValueId> parts;
    for (ValueId from : lent) parts.push_back(SliceAlong(from, split_dim, start, part, inner));
    return Concatenate(std::move(parts), concat_dim, inner);
  };
  return *Exchange(operand, All(groups, participants_.count()), shape, collect, place);
}

ValueId Collectives::Broadcast(ValueId operand, const Groups& groups, ValueId root, Place place) {
  std::vector<int32_t> senders(participants_.count(), -1);  // who is in no group gets zeros
  for (const std::vector<int32_t>& group : groups) {
    for (int32_t participant : group) senders[participant] = group[0];
  }
  if (root < 0) return Permute(operand, senders, place);
  const Groups all = WithSingles(groups, participants_.count());
  const Shape shape = graph_.shape(operand), flag = {ElementType::kI1, {}};
  std::vector<ValueId> is_root;
  for (size_t m = 1; m < LargestOf(all); ++m) {
    Attributes equal;
    equal.direction = graph::Direction::kEq;
    const auto number = static_cast<int32_t>(m);
    std::string bytes(sizeof number, '\0');
    std::memcpy(bytes.data(), &number, sizeof number);
    const ValueId member = Constant(graph_.shape(root), std::move(bytes), /*splat=*/true, place);
    is_root.push_back(Add(OpCode::kCompare, {root, member}, flag, std::move(equal), place));
  }
  const auto take = [&](const std::vector<ValueId>& lent, RegionId region) -> StatusOr<ValueId> {
    ValueId taken = lent[0];
    for (size_t m = 1; m < lent.size(); ++m) {
      taken = Add(OpCode::kSelect, {is_root[m - 1], lent[m], taken}, shape, {}, {region, place.location});
    }
    return taken;
  };
  return WhereReceived(*Exchange(operand, All(all, participants_.count()), shape, take, place), senders, place);
}

StatusOr<ValueId> Collectives::Reduce(ValueId operand, const Groups& groups, ValueId root, const Combine& combine,
                                      Place place) {
  const Groups all = WithSingles(groups, participants_.count());
  TREADLE_ASSIGN_OR_RETURN(const ValueId sum, AllReduce(operand, all, combine, place));
  std::vector<int64_t> takes(participants_.count());  // may be root
  for (const std::vector<int32_t>& group : groups) {
    for (int32_t participant : group) takes[participant] = root >= 0 || participant == group[0] ? 1 : 0;
  }
  ValueId keep = Flag(takes, place);
  if (root >= 0) {
    const Shape number = {ElementType::kI64, {}}, flag = {ElementType::kI1, {}};
    Attributes equal;
    equal.direction = graph::Direction::kEq;
    const ValueId wide = Add(OpCode::kConvert, {root}, number, {}, place);
    const ValueId position = PositionInGroup(all, 1, place.location);
    keep = Add(OpCode::kAnd, {keep, Add(OpCode::kCompare, {position, wide}, flag, std::move(equal), place)}, flag, {},
               place);
  }
  const Shape shape = graph_.shape(operand);
  return Add(OpCode::kSelect, {keep, sum, Zeros(shape, place)}, shape, {}, place);
}

ValueId Collectives::Element(ValueId array, int64_t index, Place place) {
  Attributes slice;
  slice.starts = {index};
  slice.limits = {index + 1};
  slice.strides = {1};
  const ElementType type = graph_.shape(array).type;
  return Reshape(Add(OpCode::kSlice, {array}, {type, {1}}, std::move(slice), place), {}, place);
}

// `value`, but zeros where no one sends.
ValueId Collectives::WhereReceived(ValueId value, const std::vector<int32_t>& senders, Place place) {
  if (std::ranges::find(senders, -1) == senders.end()) return value;
  std::vector<int64_t> receives;
  for (int32_t sender : senders) receives.push_back(sender >= 0 ? 1 : 0);
  const Shape shape = graph_.shape(value);
  return Add(OpCode::kSelect, {Flag(receives, place), value, Zeros(shape, place)}, shape, {}, place);
}

ValueId Collectives::Permute(ValueId operand, const std::vector<int32_t>& senders, Place place) {
  graph::Exchange who;
  who.groups.emplace_back(senders.size());
  std::iota(who.groups[0].begin(), who.groups[0].end(), 0);
  for (int32_t participant = 0; participant < participants_.count(); ++participant) {
    const int32_t sender = senders[participant];
    who.sources.push_back({sender >= 0 ? sender : participant});
  }
  const Shape shape = graph_.shape(operand);
  const auto take = [](const std::vector<ValueId>& lent, RegionId) -> StatusOr<ValueId> { return lent[0]; };
  return WhereReceived(*Exchange(operand, std::move(who), shape, take, place), senders, place);
}

// --- Shardings. ---

ValueId Collectives::Join(ValueId tile, const Sharding& sharding, const Shape& whole, int32_t location) {
  graph::Exchange who;
  who.sources.resize(participants_.count());
  for (int64_t copy = 0; copy < sharding.copies(); ++copy) {
    std::vector<int32_t>& group = who.groups.emplace_back();
    for (int64_t t = 0; t < sharding.num_tiles(); ++t) group.push_back(sharding.holders[t * sharding.copies() + copy]);
    for (int32_t participant : group) who.sources[participant] = group;
  }
  // Tiles are in row-major order: joining along the last dimension leaves those of one dimension less.
  const auto join = [&](const std::vector<ValueId>& lent, RegionId region) -> StatusOr<ValueId> {
    std::vector<ValueId> parts = lent;
    for (size_t dim = sharding.tiles.size(); dim-- > 0;) {
      std::vector<ValueId> joined;
      for (size_t i = 0; i < parts.size(); i += sharding.tiles[dim]) {
        const auto first = parts.begin() + static_cast<int64_t>(i);
        joined.push_back(
            Concatenate({first, first + sharding.tiles[dim]}, static_cast<int64_t>(dim), {region, location}));
      }
      parts = std::move(joined);
    }
    return parts[0];
  };
  return *Exchange(tile, std::move(who), whole, join, {graph_.values[tile].region, location});
}

ValueId Collectives::Cut(ValueId whole, const Sharding& sharding, Place place) {
  const Shape shape = graph_.shape(whole);
  const std::vector<int64_t> tile_of = sharding.TileOfParticipant(participants_.count());
  std::vector<ValueId> starts;
  for (size_t dim = 0; dim < sharding.tiles.size(); ++dim) {
    std::vector<int64_t> table;
    for (int64_t tile : tile_of) table.push_back(sharding.TileOffset(shape, tile)[dim]);
    starts.push_back(Lookup(table, place.location));
  }
  return DynamicSlice(whole, std::move(starts), sharding.TileShape(shape).dims, place);
}

}  // namespace treadle::compiler

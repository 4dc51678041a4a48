// Operations between devices, made of exchanges (graph.h) and operations that one device does by itself.
//
// In an exchange a device reads what the others of its group have, where it lies. What it makes of that, and how the
// order of a reduction is, is said here, in graph operations: bits follow from the order in a group alone.
#ifndef TREADLE_COMPILER_OPTIMIZE_COLLECTIVES_H_
#define TREADLE_COMPILER_OPTIMIZE_COLLECTIVES_H_

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "base/sharding.h"
#include "base/status.h"
#include "compiler/graph/graph.h"
#include "compiler/optimize/participants.h"

namespace treadle::compiler {

using Groups = std::vector<std::vector<int32_t>>;

// Adds operations to a graph. `region` and `location`: where they stand, and what they are there for.
class Collectives {
 public:
  Collectives(graph::Graph& graph, Participants participants) : graph_(graph), participants_(participants) {}

  // Combines two arrays of one shape, element by element, by operations in `region`.
  struct Combine {
    std::function<StatusOr<graph::ValueId>(graph::ValueId, graph::ValueId, graph::RegionId region)> apply;
    bool in_pairs = false;  // what is an element lies along the last dimension, which stays whole
    StatusOr<graph::ValueId> operator()(graph::ValueId a, graph::ValueId b, graph::RegionId region) const {
      return apply(a, b, region);
    }
  };

  struct Place {
    graph::RegionId region;
    int32_t location;
  };

  // The array of which each device holds `tile`, a part of `whole`. In the region of `tile`.
  graph::ValueId Join(graph::ValueId tile, const Sharding& sharding, const Shape& whole, int32_t location);
  // The device's own part of an array that all have.
  graph::ValueId Cut(graph::ValueId whole, const Sharding& sharding, Place place);

  // Groups are of one size, but those of AllReduce, Broadcast and Reduce.
  StatusOr<graph::ValueId> AllReduce(graph::ValueId operand, const Groups& groups, const Combine& combine, Place place);
  StatusOr<graph::ValueId> ReduceScatter(graph::ValueId operand, int64_t dim, const Groups& groups,
                                         const Combine& combine, Place place);
  graph::ValueId AllGather(graph::ValueId operand, int64_t dim, const Groups& groups, Place place);
  graph::ValueId AllToAll(graph::ValueId operand, int64_t split_dim, int64_t concat_dim, const Groups& groups,
                          Place place);
  // Each gets the operand of the first of its group, or of the one whose number in it is `root`, an i32 scalar (-1:
  // none). Who is in no group gets zeros.
  graph::ValueId Broadcast(graph::ValueId operand, const Groups& groups, graph::ValueId root, Place place);
  // As AllReduce for the first of each group, or the one whose number in it is `root`, as above; the others get zeros.
  StatusOr<graph::ValueId> Reduce(graph::ValueId operand, const Groups& groups, graph::ValueId root,
                                  const Combine& combine, Place place);
  // Element `index` of an array of one dimension, a scalar.
  graph::ValueId Element(graph::ValueId array, int64_t index, Place place);
  // `senders`: for each participant the one whose operand it gets, or -1 for zeros.
  graph::ValueId Permute(graph::ValueId operand, const std::vector<int32_t>& senders, Place place);

  graph::ValueId PartitionId(Place place);  // u32
  graph::ValueId ReplicaId(Place place);

  // Once, when all of the program is there: adds the argument that these operations have asked for.
  void Finish();

 private:
  StatusOr<graph::ValueId> ReduceByParts(graph::ValueId operand, const Groups& groups, const Combine& combine,
                                         Place place);
  // By source: what it lends, as seen in `region`.
  using Body =
      std::function<StatusOr<graph::ValueId>(const std::vector<graph::ValueId>& members, graph::RegionId region)>;
  StatusOr<graph::ValueId> Exchange(graph::ValueId operand, graph::Exchange who, const Shape& result, const Body& body,
                                    Place place);
  graph::ValueId Add(graph::OpCode code, std::vector<graph::ValueId> operands, Shape shape, graph::Attributes attrs,
                     Place place);
  graph::ValueId Constant(Shape shape, std::string bytes, bool splat, Place place);
  graph::ValueId Zeros(Shape shape, Place place);
  graph::ValueId Concatenate(std::vector<graph::ValueId> parts, int64_t dim, Place place);
  graph::ValueId Reshape(graph::ValueId value, std::vector<int64_t> dims, Place place);
  // `starts`: a scalar i64 for each dimension.
  graph::ValueId DynamicSlice(graph::ValueId value, std::vector<graph::ValueId> starts, std::vector<int64_t> sizes,
                              Place place);
  graph::ValueId SliceAlong(graph::ValueId value, int64_t dim, graph::ValueId start, int64_t size, Place place);

  // A scalar i64, for each participant its own. In the program's outermost region.
  graph::ValueId Lookup(const std::vector<int64_t>& table, int32_t location);
  // The position of each participant in its group, times `factor`.
  graph::ValueId PositionInGroup(const Groups& groups, int64_t factor, int32_t location);
  // An i1 scalar, for each participant its own.
  graph::ValueId Flag(const std::vector<int64_t>& table, Place place);
  graph::ValueId HasMember(const Groups& groups, size_t member, Place place);
  graph::ValueId WhereReceived(graph::ValueId value, const std::vector<int32_t>& senders, Place place);
  graph::ValueId Participant();
  graph::ValueId Id(graph::OpCode code, Place place);

  graph::Graph& graph_;
  const Participants participants_;
  graph::ValueId participant_ = -1;
};

}  // namespace treadle::compiler

#endif  // TREADLE_COMPILER_OPTIMIZE_COLLECTIVES_H_

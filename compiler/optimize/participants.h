// Who takes part in a program of several devices, as its attributes say it: meshes, shardings, groups of collectives.
#ifndef TREADLE_COMPILER_OPTIMIZE_PARTICIPANTS_H_
#define TREADLE_COMPILER_OPTIMIZE_PARTICIPANTS_H_

#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "base/sharding.h"
#include "base/status.h"
#include "mlir/IR/Operation.h"
#include "stablehlo/sdy/sdy.h"

namespace treadle::compiler {

struct Participants {
  int32_t replicas = 1;
  int32_t partitions = 1;

  int32_t count() const { return replicas * partitions; }
};

// What `sharding`, an attribute of `op`, makes of an array of `shape`; of its axes only those in `axes`, where given.
// Axes that it leaves open are closed. UNIMPLEMENTED for meshes of other devices than the program's, for values that
// live on one device, and for dimensions that cannot be cut into equal parts.
StatusOr<Sharding> ReadSharding(sdy::TensorShardingAttr sharding, const Shape& shape, mlir::Operation* op,
                                Participants participants,
                                std::optional<llvm::ArrayRef<mlir::StringAttr>> axes = std::nullopt);

// The groups of a collective, in participants, none empty. Each participant is in one, but those that a
// collective_broadcast leaves out; groups are of one size, but those of all_reduce and collective_broadcast. The order
// in a group is that of the attribute. UNIMPLEMENTED for other groups.
StatusOr<std::vector<std::vector<int32_t>>> ReadGroups(mlir::Operation* collective, Participants participants);

// For each participant: the one that sends to it (collective_permute), or -1.
StatusOr<std::vector<int32_t>> ReadSenders(mlir::Operation* permute, Participants participants);

}  // namespace treadle::compiler

#endif  // TREADLE_COMPILER_OPTIMIZE_PARTICIPANTS_H_

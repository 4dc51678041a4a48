// How an array is spread over the devices that run a program together. Plain data.
#ifndef TREADLE_BASE_SHARDING_H_
#define TREADLE_BASE_SHARDING_H_

#include <cstdint>
#include <vector>

#include "base/shape.h"
#include "base/status.h"

namespace treadle {

// The array is cut into equal boxes ("tiles"), each of which one or more *participants* hold. Participants are the
// devices of a program by number: replica * num_partitions + partition.
struct Sharding {
  // Parts along each dimension of the array. Empty: all participants hold all of it.
  std::vector<int64_t> tiles;
  // The participants, each once: those of the first tile, then those of the next; tiles in row-major order, the same
  // number for each. Empty where `tiles` is. The i-th holders of all tiles belong together: they hold one whole array.
  std::vector<int32_t> holders;

  bool whole() const { return tiles.empty(); }
  int64_t num_tiles() const;
  int64_t copies() const { return static_cast<int64_t>(holders.size()) / num_tiles(); }  // of each tile

  // The shape of a tile of an array of `shape`. REQUIRES: CheckSharding is Ok.
  Shape TileShape(Shape shape) const;
  // Where in the array a tile begins. REQUIRES: as above.
  std::vector<int64_t> TileOffset(const Shape& shape, int64_t tile) const;
  // The tile of each of `participants` participants.
  std::vector<int64_t> TileOfParticipant(int64_t participants) const;

  bool operator==(const Sharding&) const = default;
};

// INVALID_ARGUMENT unless `sharding` cuts an array of `shape` into equal parts for exactly the participants 0 to
// `participants` - 1.
Status CheckSharding(const Sharding& sharding, const Shape& shape, int64_t participants);

}  // namespace treadle

#endif  // TREADLE_BASE_SHARDING_H_

#include "base/sharding.h"

#include <string>

namespace treadle {

int64_t Sharding::num_tiles() const {
  int64_t count = 1;
  for (int64_t parts : tiles) count *= parts;
  return count;
}

Shape Sharding::TileShape(Shape shape) const {
  for (size_t dim = 0; dim < tiles.size(); ++dim) shape.dims[dim] /= tiles[dim];
  return shape;
}

std::vector<int64_t> Sharding::TileOffset(const Shape& shape, int64_t tile) const {
  std::vector<int64_t> offset(shape.dims.size(), 0);
  for (size_t dim = tiles.size(); dim-- > 0; tile /= tiles[dim]) {
    offset[dim] = tile % tiles[dim] * (shape.dims[dim] / tiles[dim]);
  }
  return offset;
}

std::vector<int64_t> Sharding::TileOfParticipant(int64_t participants) const {
  std::vector<int64_t> tile_of(participants, 0);
  for (size_t i = 0; i < holders.size(); ++i) tile_of[holders[i]] = static_cast<int64_t>(i) / copies();
  return tile_of;
}

Status CheckSharding(const Sharding& sharding, const Shape& shape, int64_t participants) {
  if (sharding.whole()) {
    return sharding.holders.empty() ? OkStatus() : InvalidArgument("a sharding without tiles lists holders");
  }
  if (sharding.tiles.size() != shape.dims.size())
    return InvalidArgument("a sharding is of another rank than its array");
  int64_t tiles = 1;
  for (size_t dim = 0; dim < sharding.tiles.size(); ++dim) {
    const int64_t parts = sharding.tiles[dim];
    if (parts < 1 || parts > participants || __builtin_mul_overflow(tiles, parts, &tiles)) {
      return InvalidArgument("a sharding cuts a dimension into " + std::to_string(parts) + " parts");
    }
    if (shape.dims[dim] % parts != 0) {
      return InvalidArgument("dimension " + std::to_string(dim) + " of " + shape.ToString() + " cannot be cut into " +
                             std::to_string(parts) + " equal parts");
    }
  }
  std::vector<bool> seen(participants, false);
  for (int32_t holder : sharding.holders) {
    if (holder < 0 || holder >= participants || seen[holder]) {
      return InvalidArgument("a sharding lists device " + std::to_string(holder) + " twice or beyond the program's");
    }
    seen[holder] = true;
  }
  if (static_cast<int64_t>(sharding.holders.size()) != participants || participants % tiles != 0) {
    return InvalidArgument("a sharding is for " + std::to_string(sharding.holders.size()) + " devices in " +
                           std::to_string(tiles) + " tiles, the program for " + std::to_string(participants));
  }
  return OkStatus();
}

}  // namespace treadle

// Copies between an array and a tile of it.
#ifndef TREADLE_RUNTIME_TILES_H_
#define TREADLE_RUNTIME_TILES_H_

#include <cstdint>
#include <span>

#include "async/thread_pool.h"
#include "base/shape.h"

namespace treadle::internal {

// The box of an array of shape `array` that begins at `offset` and has the shape `tile`; both dense and row-major.
// Memory of the array and of the tile must not overlap. Large copies are shared with workers of `pool`.
struct Tile {
  const Shape& array;
  const Shape& tile;
  std::span<const int64_t> offset;
};
void CopyIntoTile(ThreadPool& pool, const Tile& box, const void* array, void* tile);
void CopyFromTile(ThreadPool& pool, const Tile& box, const void* tile, void* array);

}  // namespace treadle::internal

#endif  // TREADLE_RUNTIME_TILES_H_
